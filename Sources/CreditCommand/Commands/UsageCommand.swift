internal import CreditLogs
internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  func readLogs(of format: any LogFormat.Type) throws(UsageError) {
    let selection = try logSelection()
    let places = try logPlaces(of: format.description)
    let resumed = settings.arguments[.resume]
    if resumed != nil, places.contains(nil) {
      throw UsageError("--resume needs logs in files, not on standard input")
    }
    printLines(as: .lines) { output throws(CreditError) in
      guard let resumed else {
        _ = readLogs(of: format, selection, from: nil, at: places, output)
        return
      }
      var accountMember: String?
      if case .member(let path) = selection.account { accountMember = path }
      let file = try ResumeFile(
        resumed, of: .usage, system: host.system,
        waitMilliseconds: storeOptions.waitMilliseconds)
      var positions = LogPositions(
        format: "\(format.description.name)", accountMember: accountMember)
      try file.read(into: &positions)
      let run = readLogs(of: format, selection, from: positions, at: places, output)
      output.flush()
      // Requests that were not printed are printed by the next run.
      guard !errors.outputHasFailed, let reached = run.reachedPositions else { return }
      try file.replace(with: reached)
    }
  }

  private func readLogs(
    of format: any LogFormat.Type, _ selection: LogSelection, from positions: LogPositions?,
    at places: [String?], _ output: ResultOutput
  ) -> LogRun {
    let printing = LogPrinting(self, output)
    let run = LogRun(
      format, selection, from: positions, system: host.system,
      commands: try? host.environment("PATH"), output: printing)
    if positions != nil {
      run.read(places.compactMap(\.self))
    } else {
      for place in places {
        if let place {
          run.read([place])
          continue
        }
        do throws(SystemError) {
          try run.read(LogFile(path: nil), host.streams.read)
        } catch {
          printing.report(error)
        }
      }
    }
    printing.sum(up: run.finish())
    return run
  }

  private func logSelection() throws(UsageError) -> LogSelection {
    let arguments = settings.arguments
    var selection: LogSelection
    if let name = arguments[.billedAccount] {
      if let problem = Name.problem(with: name, limit: Name.accountLimit) {
        throw UsageError("--account \(problem)")
      }
      selection = LogSelection(account: .named(Name(trusted: name)))
    } else if let member = arguments[.accountFrom] {
      selection = LogSelection(account: .member(member))
    } else {
      throw UsageError("say who is billed: --account NAME or --account-from MEMBER")
    }
    if let model = arguments[.loggedModel] {
      if let problem = Name.problem(with: model, limit: Name.idLimit) {
        throw UsageError("--model \(problem)")
      }
      selection.model = Name(trusted: model)
    }
    selection.since = arguments[.since]
    selection.until = arguments[.until]
    selection.includesPartial = arguments[.notFinal]
    return selection
  }

  /// Returns the logs to read, nil for standard input. They are those that the command line names,
  /// else standard input if there is any, else the logs' usual places.
  private func logPlaces(of format: LogDescription) throws(UsageError) -> [String?] {
    let operands = settings.arguments.operands
    if !operands.isEmpty { return operands.map { $0 == "-" ? nil : $0 } }
    if host.streams.inputKind == .data { return [nil] }
    var environment: [String: String] = [:]
    for name in format.variables { environment[name] = try host.environment(name) }
    let usual = format.places { environment[$0] }
    if usual.isEmpty { throw UsageError("name a file, or give a log on standard input") }
    let present = usual.filter { (try? host.system.status(at: $0)) != nil }
    if present.isEmpty {
      let list = usual.map(plainOrQuoted).joined(separator: " and ")
      throw UsageError("no logs at \(list); name a file or folder")
    }
    return present
  }
}

/// Prints the requests of a log, and the reasons for omissions.
private final class LogPrinting: LogOutput {
  private let command: Command
  private let output: ResultOutput
  private let progress: ProgressLine
  private let isStrict: Bool
  private var byteCount = 0

  init(_ command: Command, _ output: ResultOutput) {
    self.command = command
    self.output = output
    progress = ProgressLine(command)
    isStrict = command.settings.arguments[.strictLogs]
  }

  func print(_ request: Bytes) {
    output.print { $0.raw(request) }
    _ = output.flushIfFull()
  }

  func report(_ problem: LogProblem, in file: LogFile, line: Int) {
    guard isStrict else { return }
    let detail = problem.detail.isEmpty ? "" : ": \(problem.detail)"
    let place = "\(plainOrQuoted(file.displayName)):\(line)"
    output.print(
      CreditError(
        problem.code, "\(place): \(problem.reason)\(detail)",
        [.path(file.displayName), .line(line)]))
  }

  func report(_ failure: SystemError) {
    output.print(CreditError(failure.isForbidden ? .permissionDenied : .ioError, "\(failure)"))
  }

  func report(_ failure: CreditError) { output.print(failure) }

  func report(_ misfit: LogMisfit) {
    if !isStrict { return command.errors.remark(misfit.sentence) }
    output.print(
      CreditError(.invalidRequest, misfit.sentence, misfit.path.map { [.path($0)] } ?? []))
  }

  func advance(_ byteCount: Int) -> Bool {
    self.byteCount += byteCount
    progress.show("read \(self.byteCount >> 20) MB")
    return !command.errors.outputHasFailed
  }

  /// Prints omissions by reason. If none are allowed, the errors list some already. If the output
  /// was closed, the log was only read in part.
  func sum(up tally: LogTally) {
    if command.errors.outputHasFailed { return }
    for line in tally.lines where !isStrict || line.first == nil {
      let place = line.first.map { " (first at \($0))" } ?? ""
      command.errors.remark("left out \(line.count): \(line.reason)\(place)")
    }
  }
}

/// The file of `--resume`, under its lock: another run on it waits.
///
/// The file is replaced and never overwritten. If another run has replaced the file meanwhile, a
/// waiting run switches to the new one.
final class ResumeFile {
  private let path: String
  private let tool: ToolName
  private let system: any SystemCalls
  private let file: Int32

  /// Opens the file, which is made if it is missing, and locks it.
  /// - Throws: `store_locked` if another run kept it too long, `io_error`, `permission_denied`.
  init(
    _ path: String, of tool: ToolName, system: any SystemCalls, waitMilliseconds: Int
  ) throws(CreditError) {
    self.path = path
    self.tool = tool
    self.system = system
    let end = system.currentMilliseconds() + Int64(min(waitMilliseconds, 1 << 40))
    while true {
      let file = try CreditError.naming(path) { () throws(SystemError) in
        try system.openFile(path, .updateOrCreate)
      }
      do throws(CreditError) {
        let isCurrent = try CreditError.naming(path) { () throws(SystemError) -> Bool? in
          let rest = max(0, end - system.currentMilliseconds())
          guard try system.lock(file, .exclusive, waitMilliseconds: Int(rest)) else { return nil }
          return try system.status(at: path)?.identity == system.status(of: file).identity
        }
        guard let isCurrent else {
          throw CreditError(
            .storeLocked,
            "another run of credit-\(tool.rawValue) has \(plainOrQuoted(path)); try again",
            [.path(path)])
        }
        if isCurrent {
          self.file = file
          return
        }
      } catch {
        system.closeFile(file)
        throw error
      }
      system.closeFile(file)
    }
  }

  deinit { system.closeFile(file) }

  /// - Throws: `invalid_request` if the text is not from a run of this format.
  func read(into positions: inout LogPositions) throws(CreditError) {
    let text = try CreditError.naming(path) { () throws(SystemError) in
      try readBytes(limit: LogPositions.byteLimit) { block, offset throws(SystemError) in
        try system.readBytes(file, into: block, at: offset)
      }
    }
    do throws(LogPositions.Unreadable) {
      try positions.read(text)
    } catch {
      let (purpose, loss) =
        tool == .run
        ? ("", "the threads' totals are unknown")
        : (" for this format", "all logs are read from their start")
      throw CreditError(
        .invalidRequest,
        "--resume: \(plainOrQuoted(path)) is not a record of credit-\(tool.rawValue)\(purpose): "
          + "\(error.reason); without the file \(loss)", [.path(path)])
    }
  }

  /// Puts a new file in its place, in one step.
  func replace(with positions: LogPositions) throws(CreditError) {
    let new = path + ".new"
    try CreditError.naming(new) { () throws(SystemError) in
      // A killed run's file: we have the lock.
      if try system.status(at: new) != nil { try system.removeFile(new) }
      let file = try system.openFile(new, .create)
      defer { system.closeFile(file) }
      let text = positions.text
      var offset = 0
      while offset < text.count {
        offset += try text.span.withBytes { bytes throws(SystemError) in
          try system.writeBytes(file, Bytes(rebasing: bytes[offset...]), at: offset)
        }
      }
      try system.syncData(file)
      try system.renameFile(new, to: path)
    }
  }
}

extension CreditError {
  /// Does something with a file, whose path an error names.
  static func naming<Result>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(CreditError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw CreditError(
        error.isForbidden ? .permissionDenied : .ioError, "\(error.named(path))", [.path(path)])
    }
  }
}
