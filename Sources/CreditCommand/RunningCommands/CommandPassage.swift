internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// A command's run, whose response is read while it passes.
final class CommandPassage {
  private let words: [String]
  private let authorization: Name
  private let responseFile: String?
  /// How long to wait for output after the command's end.
  private let grace: TimeSpan
  private let host: Host
  /// The thread of Codex that the response is of, if it is.
  private(set) var thread: String?
  private var commandStatus: Int32 = 0
  private var startFailure: String?
  /// Why its output could not be passed on or read.
  private(set) var outputFailure: String?
  private(set) var hasLostReader = false
  /// Whether something that the command started still had its output open when reading ended.
  private(set) var leavesOutputOpen = false

  /// Output that the reader has not taken yet: less than a pipe holds.
  private var rest: [UInt8] = []

  init(_ command: Command, authorization: Name) {
    self.authorization = authorization
    let arguments = command.settings.arguments
    words = arguments.operands
    responseFile = arguments[.responseFrom]
    grace = arguments[.grace] ?? .seconds(2)
    host = command.host
  }

  /// Why nothing is charged if there is no response.
  var missingResponse: String {
    if let startFailure { return startFailure }
    let source = responseFile.map { "\(quoted($0)) has" } ?? "\(quoted(words[0])) printed"
    let ending = commandStatus == 0 ? "" : ", and the command ended with \(commandStatus)"
    return "\(source) no provider response (JSON with usage)\(ending)"
  }

  /// Runs the command to its end.
  /// - Returns: the result of its response.
  func run() -> ResponseTap.Outcome {
    let running: RunningCommand
    var variables: [(name: String, value: String?)] = [
      ("CREDIT_AUTHORIZATION", authorization.text), ("PGPASSWORD", nil),
    ]
    if let store = try? host.environment("CREDIT_STORE"), URLPassword.isIn(store) {
      variables.append(("CREDIT_STORE", URLPassword.removed(from: store)))
    }
    do {
      running = try RunningCommand(
        words, environment: variables, readsOutput: responseFile == nil, grace: grace)
    } catch {
      commandStatus = error.isMissing ? 127 : 126
      startFailure =
        "\(quoted(words[0])) \(error.isMissing ? "was not found" : "can't be run: \(error.reason)")"
      if error.isMissing, words.dropFirst().first == "--" {
        startFailure? += "; an account is named by \(shellFlag("account", words[0]))"
      }
      return .none(nil)
    }
    var tap = ResponseTap()
    do {
      if responseFile == nil {
        // Passes the output on in pieces, and reads it to its end in any case.
        try forEachPiece { block throws(SystemError) in
          try running.read(into: block)
        } take: { bytes throws(SystemError) in
          writing { () throws(SystemError) in
            let count = rest.isEmpty ? try running.pass(bytes, on: host.streams) : 0
            rest += bytes[count...]
          }
          tap.append(bytes)
        }
      }
      leavesOutputOpen = running.leavesOutputOpen
      commandStatus = try running.wait()
      if let responseFile { try ResponseFile.read(responseFile) { tap.append($0) } }
    } catch {
      outputFailure = "\(error)"
      if commandStatus == 0 { commandStatus = CreditError.Code.ioError.exitStatus }
    }
    let outcome = tap.finish()
    thread = tap.thread
    if commandStatus != 0, case .none = outcome { return .none(nil) }
    return outcome
  }

  /// Returns the exit status of the run.
  /// - Parameter error: why nothing was charged; nil if something was.
  func status(after error: CreditError?) -> Int32 {
    if hasLostReader { return ThisProcess.brokenPipeStatus }
    if commandStatus != 0 { return commandStatus }
    if let error { return error.code.exitStatus }
    return outputFailure == nil ? 0 : CreditError.Code.ioError.exitStatus
  }

  /// Passes on output that the reader did not take during the command, at the reader's pace. The
  /// command's usage is charged by then.
  func forwardRest() {
    writing { () throws(SystemError) in
      let rest = rest
      try rest.span.withBytes(host.streams.write)
    }
  }

  /// Writes, if no writing has failed.
  private func writing(_ body: () throws(SystemError) -> Void) {
    if hasLostReader || outputFailure != nil { return }
    do {
      try body()
    } catch {
      if error.isBrokenPipe {
        hasLostReader = true
      } else {
        outputFailure = "\(error)"
      }
    }
  }
}
