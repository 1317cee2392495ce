internal import CreditJSON
internal import CreditModel
internal import CreditSystem

extension Flag {
  static let responseFrom = TextFlag(
    "response-from", "FILE", .path, group: .action,
    "COMMAND writes the response there, not to standard output")

  static let keptThreads = TextFlag(
    "resume", "FILE", .path, group: .action,
    "Keep the totals of COMMAND's threads there, not beside the store")

  static let grace = SpanFlag(
    "grace", group: .action, "How long to wait for more output once COMMAND has ended: 2s")

  static let receiptFile = TextFlag(
    "receipt", "FILE", .path, group: .action,
    "Write the receipt, or the error, there: else to standard error")
}

extension Tool {
  public static let run = Tool(
    .run,
    summary: "Run a command that costs credits, and charge what it used",
    flags: [
      .account, .model, .hold, .holdExpiresIn, .tag, .responseFrom, .keptThreads, .grace,
      .receiptFile,
    ]
      + Flag.common.filter { flag in
        ![Flag.pass, .get, .pretty, .json, .resultFormat].contains { $0.name == flag.name }
      },
    takesCommand: true,
    run: { command throws(UsageError) in try command.runRun() })
}

extension Command {
  func runRun() throws(UsageError) {
    let words = settings.arguments.operands
    if words.isEmpty { throw UsageError("a command to run is needed, after --") }
    let responseFile = settings.arguments[.responseFrom]
    if let responseFile, ResponseFile.isFilled(responseFile) {
      throw UsageError("--response-from \(quoted(responseFile)) is not empty")
    }
    let receipts: ReceiptOutput
    do {
      receipts = try ReceiptOutput(self, path: settings.arguments[.receiptFile])
    } catch {
      return errors.report(CreditError(.ioError, "\(error)"))
    }
    do {
      let billing = try RunBilling(self)
      let id = try billing.authorize()
      noteUnnamed(in: billing.store)
      let passage = CommandPassage(self, authorization: id)
      let outcome = passage.run()
      if let failure = passage.outputFailure { errors.remark(failure) }
      if passage.leavesOutputOpen {
        errors.remark(
          "\(quoted(words[0])) has ended, but a process that it started keeps its output open; "
            + "later output is not read")
      }
      let error = billing.settle(
        outcome, of: passage.thread, missingResponse: passage.missingResponse, to: receipts)
      errors.flush()
      let wasPassedOn = passage.outputFailure == nil
      passage.forwardRest()
      if wasPassedOn, let failure = passage.outputFailure { errors.remark(failure) }
      errors.exitStatus = passage.status(after: error)
      errors.flush()
    } catch {
      receipts.print(error)
    }
  }
}

final class ReceiptOutput {
  private let command: Command
  private let file: OpenTextFile?

  /// Opens the file before the actions that it will record.
  init(_ command: Command, path: String?) throws(SystemError) {
    self.command = command
    file = try path.map { path throws(SystemError) in try OpenTextFile(path) }
  }

  func print(_ result: GateResult) {
    put { $0.result(result) }
    command.offerUndo(of: result, made: [])
  }

  func print(_ charge: Charge) { put { $0.receipt(of: charge) } }

  func print(_ error: CreditError) {
    command.errors.report(error)
    if file != nil { put { $0.error(error) } }
  }

  private func put(_ result: (inout JSONWriter) -> Void) {
    var text = JSONWriter()
    result(&text)
    text.endLine()
    guard let file else { return command.errors.line(text.string) }
    do {
      try file.replace(with: text.string)
    } catch {
      command.errors.report(CreditError(.ioError, "\(error)"))
    }
  }
}
