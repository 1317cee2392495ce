internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// One run of one tool: its settings, the store, and what to do.
struct Command {
  let tool: Tool
  let settings: Settings
  let host: Host
  let reporter: Reporter

  init(_ tool: Tool, _ settings: Settings, _ host: Host) {
    self.tool = tool
    self.settings = settings
    self.host = host
    reporter = Reporter(tool: tool.name, isQuiet: settings.isQuiet, streams: host.streams)
  }

  /// - Returns: the exit status.
  /// - Throws: where the flags can't be used.
  func run() throws(UsageError) -> Int32 {
    try (settings.arguments.subcommand?.run ?? tool.run)(self)
    reporter.flush()
    return reporter.exitStatus
  }

  /// The time of requests that do not say their own.
  var now: Timestamp { settings.now ?? host.systemTime }

  /// The store that the settings name.
  func openStore() throws(CreditError) -> LocalStore {
    let seconds = settings.arguments[.lockTimeout].map(Int.init)
    let options = StoreOptions(
      lockTimeoutSeconds: seconds ?? 10, syncs: !settings.arguments[.noSync])
    guard let location = settings.store else {
      throw CreditError(.noStore, "this run opens no store")
    }
    return try LocalStore(location, options: options, system: host.system)
  }

  /// Serves the request of the flags, or those on standard input.
  /// - Parameter refusal: what is wrong where there is no request at all; nil where that is fine.
  func serve(_ service: RequestLoop.Service, refusal: Refusal? = nil) throws(UsageError) {
    let loop = RequestLoop(
      service, settings: settings, reporter: reporter, streams: host.streams)
    if settings.arguments.isWholeRequest {
      try? loop.runFlags()
      return
    }
    if case .usage(let error) = refusal, host.streams.inputIsTerminal { throw error }
    try refuseTerminal()
    if settings.readsResponse {
      try? loop.runResponse()
      return
    }
    guard let count = try? loop.runInput(), count == 0, let refusal else { return }
    switch refusal {
    case .usage(let error): throw error
    case .request(let error): printError(error)
    }
  }

  /// A tool never hangs on a terminal, waiting for requests that nobody knows it wants.
  func refuseTerminal() throws(UsageError) {
    if host.streams.inputIsTerminal {
      throw UsageError("standard input is a terminal, and there is nothing else to read")
    }
  }

  /// What it means that there is no request.
  enum Refusal {
    case usage(UsageError)
    case request(CreditError)
  }

  /// Prints lines that are no results of requests: listings, and what subcommands answer.
  /// - Parameter columns: the members that a listing shows as a table on a terminal.
  func printLines(
    columns: [StaticString] = [], _ write: (inout ResultPrinter) throws(CreditError) -> Void
  ) {
    var printer = ResultPrinter(form: settings.form, passesRequest: false, columns: columns)
    do throws(CreditError) {
      try write(&printer)
      printer.finishTable()
    } catch {
      reporter.report(error)
      printer.print(isError: true) { $0.error(error) }
    }
    flush(&printer)
  }

  func printError(_ error: CreditError) {
    printLines { _ throws(CreditError) in throw error }
  }

  /// Writes what has been printed once it is worth a write: what a listing calls after each line.
  /// - Returns: false where the listing is to end, as nobody takes it.
  func flushIfFull(_ printer: inout ResultPrinter) -> Bool {
    if printer.outputCount > 1 << 16 { flush(&printer) }
    return !reporter.outputHasFailed
  }

  /// Writes what has been printed.
  func flush(_ printer: inout ResultPrinter) {
    reporter.flush()
    defer { printer.removeOutput() }
    if reporter.outputHasFailed { return }
    do {
      try printer.withOutput { output throws(SystemError) in
        try host.streams.write(output)
      }
    } catch {
      reporter.outputFailed(error)
    }
  }
}
