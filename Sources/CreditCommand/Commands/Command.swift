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
    var options = StoreOptions(
      lockTimeoutSeconds: seconds ?? 10, syncs: !settings.arguments[.noSync])
    if let folder = try? host.environment("TMPDIR"), !folder.isEmpty {
      options.temporaryFolder = folder
    }
    guard let location = settings.store else {
      throw CreditError(.noStore, "this run opens no store")
    }
    return try LocalStore(location, options: options, system: host.system)
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

  func output(columns: [StaticString]? = nil) -> ResultOutput {
    ResultOutput(
      ResultPrinter(
        form: settings.form, passesRequest: columns == nil && settings.passesRequests,
        columns: columns ?? []),
      errors, host.streams)
  }
}
