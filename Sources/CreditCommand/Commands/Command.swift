internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// One run of one tool: its settings, the store, and what to do.
struct Command {
  let tool: Tool
  let settings: Settings
  let host: Host
  let errors: ErrorOutput

  init(_ tool: Tool, _ settings: Settings, _ host: Host) {
    self.tool = tool
    self.settings = settings
    self.host = host
    errors = ErrorOutput(tool: tool.name, isQuiet: settings.isQuiet, streams: host.streams)
  }

  /// - Returns: the exit status.
  /// - Throws: where the flags can't be used.
  func run() throws(UsageError) -> Int32 {
    try (settings.arguments.subcommand?.run ?? tool.run)(self)
    errors.flush()
    return errors.exitStatus
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
  /// - Parameters:
  ///   - deed: what is done with a request.
  ///   - refusal: what is wrong where there is no request at all; nil where that is fine.
  func serve(
    _ service: RequestService, deed: String = "done", refusal: CreditError? = nil
  ) throws(UsageError) {
    let loop = RequestLoop(
      service, RequestInput(host.streams, words: service.words), output(),
      account: settings.arguments[.account].map(Name.init(trusted:)))
    if settings.arguments.isWholeRequest {
      try? loop.serveFlags()
      return
    }
    try requireInput()
    if settings.readsResponse {
      try? loop.serveResponse()
      return
    }
    guard let count = try? loop.serveInput(), count == 0 else { return }
    try noteMissingRequests(deed)
    if let refusal { printError(refusal) }
  }

  /// Says what flags lack that carry a part of a request, of which standard input has had none. From
  /// `/dev/null` that is a mistake: a cron job that forgot a flag must not succeed for ever.
  private func noteMissingRequests(_ deed: String) throws(UsageError) {
    guard let missing = settings.arguments.missingFlags else { return }
    let note =
      "no requests on standard input, and these flags make none without \(missing): nothing was "
      + deed
    if host.streams.inputKind == .nullDevice { throw UsageError(note) }
    errors.remark(note)
  }

  /// Refuses to read requests where there is nothing to read them from: on a terminal a tool would
  /// hang, waiting for requests that nobody knows it wants.
  func requireInput() throws(UsageError) {
    guard let missingInput else { return }
    if let missing = settings.arguments.missingFlags {
      throw UsageError("\(missingInput), and these flags make no request without \(missing)")
    }
    throw UsageError("\(missingInput), and there is nothing else to read")
  }

  /// Why nothing can be read from standard input; nil where something can.
  var missingInput: String? {
    switch host.streams.inputKind {
    case .terminal: "standard input is a terminal"
    case .closed: "standard input is closed"
    case .nullDevice, .data: nil
    }
  }

  /// Prints lines that are no results of requests: listings, and what subcommands answer.
  /// - Parameter columns: the members that a listing shows as a table on a terminal.
  func printLines(
    columns: [StaticString] = [], _ write: (ResultOutput) throws(CreditError) -> Void
  ) {
    let output = output(columns: columns)
    do throws(CreditError) {
      try write(output)
      output.finishTable()
    } catch {
      output.print(error)
    }
    output.flush()
  }

  func printError(_ error: CreditError) {
    printLines { _ throws(CreditError) in throw error }
  }

  private func output(columns: [StaticString]? = nil) -> ResultOutput {
    ResultOutput(
      ResultPrinter(
        form: settings.form, passesRequest: columns == nil && settings.passesRequests,
        columns: columns ?? []),
      errors, host.streams)
  }
}
