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
    errors.finish()
    return errors.exitStatus
  }

  /// The time of requests that do not say their own.
  var now: Timestamp { settings.now ?? host.systemTime }

  /// The store that the settings name. Nothing of it is opened yet.
  func openStore(isReadOnly: Bool = false) throws(CreditError) -> any Store {
    guard let location = settings.store else {
      throw CreditError(.noStore, "this run opens no store")
    }
    var options = storeOptions
    options.isReadOnly = isReadOnly
    return try host.open(location, options)
  }

  /// What a dry run says in the end.
  func sayThatNothingIsWritten() { errors.remark("dry run: nothing was written") }

  /// How the settings have stores worked on.
  var storeOptions: StoreOptions {
    let seconds = settings.arguments[.lockTimeout].map(Int.init)
    var options = StoreOptions(
      lockTimeoutSeconds: seconds ?? 10, syncs: !settings.arguments[.noSync])
    if let folder = host.folder("TMPDIR") { options.temporaryFolder = folder }
    options.cacheFolder = host.cacheFolder
    if !settings.isQuiet {
      // A batch may be written by another thread: the sentence goes out by itself.
      nonisolated(unsafe) let streams = host.streams
      let tool = tool.name
      let say: @Sendable (String) -> Void = { sentence in
        var text = "\(tool): \(sentence)\n"
        text.withUTF8 { streams.complain(UnsafeRawBufferPointer($0)) }
      }
      options.tellOfTornTail = { say($0.sentence) }
      let home = host.folder("HOME")
      options.tellOfDefaultStore = { path, credits in
        let path = path.shortened(from: home)
        say("made a store at \(path); each new account starts with \(credits) credits")
      }
    }
    return options
  }

  /// Prints what are no results of requests: listings, and what subcommands answer.
  /// - Parameter form: how they are shown at a terminal.
  func printLines(
    as form: TerminalForm = .answer, _ write: (ResultOutput) throws(CreditError) -> Void
  ) {
    let output = output(as: form)
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

  /// Where results go.
  /// - Parameters:
  ///   - form: how they are shown at a terminal.
  ///   - passesRequests: whether they may be added to requests.
  func output(as form: TerminalForm, passesRequests: Bool = false) -> ResultOutput {
    ResultOutput(
      ResultPrinter(
        form: printedForm(form), passesRequest: passesRequests && settings.passesRequests,
        results: declaredResults),
      self)
  }

  /// The results that this run may print. Nil in release builds, which do not check them.
  private var declaredResults: [JSONShape]? {
    #if DEBUG
      settings.arguments.results
    #else
      nil
    #endif
  }

  private func printedForm(_ form: TerminalForm) -> ResultPrinter.Form {
    switch settings.form {
    case .compact: return .compact
    case .pretty: return .pretty
    case .members(let paths): return .members(paths)
    case .forPeople: break
    }
    let terminal = Terminal(host, isQuiet: settings.isQuiet)
    switch form {
    case .lines: return .compact
    case .document: return .pretty
    case .answer: return .answer(terminal)
    case .table(let columns):
      // In a file a table may be as wide as it is.
      let paper = host.streams.outputIsTerminal ? terminal : Terminal(width: .max)
      return .table(Table(columns, on: paper), paper)
    }
  }
}

/// How results are shown at a terminal, where nothing else is asked for.
enum TerminalForm {
  /// As they are, one a line.
  case lines
  /// As JSON that is indented.
  case document
  /// A member a line.
  case answer
  /// As rows of a table.
  case table([TableColumn])
}

extension String {
  /// A path as a shell takes it: with `~` for the home folder if it is inside of that.
  fileprivate func shortened(from home: String?) -> String {
    guard let home, hasPrefix(home + "/") else { return plainOrQuoted(self) }
    return plainOrQuoted("~" + dropFirst(home.count))
  }
}
