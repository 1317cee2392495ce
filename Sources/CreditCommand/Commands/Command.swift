internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// One run of one tool: its settings and its store.
struct Command {
  let tool: Tool
  let settings: Settings
  let host: Host
  let errors: ErrorOutput

  init(_ tool: Tool, _ settings: Settings, _ host: Host) {
    self.tool = tool
    self.settings = settings
    self.host = host
    errors = ErrorOutput(
      tool: tool.name, isQuiet: settings.isQuiet, store: settings.arguments[.store],
      streams: host.streams)
  }

  /// - Returns: the exit status.
  /// - Throws: if the flags can't be used.
  func run() throws(UsageError) -> Int32 {
    noteMisspeltVariables()
    if let store = settings.store, !store.isNamed,
      (try? host.environment("CREDIT_STORE"))?.isEmpty == true
    {
      let path = store.address.shortened(from: host.folder("HOME"))
      errors.remark("CREDIT_STORE is empty, so the store is \(path)")
    }
    if settings.arguments[.search]?.isEmpty == true {
      errors.remark("--search is empty, so it leaves nothing out: is a variable not set?")
    }
    try (settings.arguments.subcommand?.run ?? tool.run)(self)
    errors.finish()
    return errors.exitStatus
  }

  /// The time of requests without their own.
  var now: Timestamp { settings.now ?? host.systemTime }

  func context(under policy: Policy, flags: RequestFlags? = nil) -> RequestContext {
    RequestContext(
      flags: flags ?? settings.members, now: settings.now, clock: { now }, under: policy,
      acceptsPartial: settings.arguments[.partial])
  }

  /// Returns the store of the settings, without opening it.
  func openStore(isReadOnly: Bool = false) throws(CreditError) -> any Store {
    guard let location = settings.store else {
      throw CreditError(.noStore, "this run opens no store")
    }
    var options = storeOptions
    options.isReadOnly = isReadOnly
    return try host.open(location, options)
  }

  func noteDryRun() { errors.remark("dry run: nothing was written") }

  var storeOptions: StoreOptions {
    var options = StoreOptions(syncs: !settings.arguments[.noSync])
    if let seconds = settings.arguments[.lockTimeout] { options.lockTimeoutSeconds = Int(seconds) }
    if let folder = host.folder("TMPDIR") { options.temporaryFolder = folder }
    options.zoneFolder = host.folder("TZDIR")
    if !settings.isQuiet {
      // Another thread may write a batch: the sentence is printed directly.
      nonisolated(unsafe) let streams = host.streams
      let tool = tool.name
      let say: @Sendable (String) -> Void = { sentence in
        "\(tool): \(sentence)\n".withUTF8Bytes { streams.complain($0) }
      }
      options.onTornTail = { say($0.sentence) }
      nonisolated(unsafe) let host = host
      options.onDefaultStoreCreated = { path, credits in
        let path = path.shortened(from: host.folder("HOME"))
        say("made a store at \(path); each new account starts with \(credits) credits")
      }
    }
    return options
  }

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

  func printError(_ error: CreditError) { printLines { _ throws(CreditError) in throw error } }

  /// Returns the output for results.
  /// - Parameters:
  ///   - form: their form at a terminal.
  ///   - passesRequests: true if they may be added to requests.
  func output(as form: TerminalForm, passesRequests: Bool = false) -> ResultOutput {
    ResultOutput(
      ResultPrinter(
        form: printedForm(form), passesRequest: passesRequests && settings.arguments[.pass]),
      self)
  }

  private func printedForm(_ form: TerminalForm) -> ResultPrinter.Form {
    if let form = settings.form { return form }
    let terminal = Terminal(ofOutput: host, isQuiet: settings.isQuiet)
    switch form {
    case .lines: return settings.arguments.has(.resultFormat) ? .answer(terminal) : .compact
    case .document: return .pretty
    case .answer: return .answer(terminal)
    case .table(let columns): return .table(Table(columns, on: terminal), terminal)
    }
  }

  /// The variables of the environment that the tools read or set.
  private static let variables = [
    "CREDIT_STORE", "CREDIT_NOW", "CREDIT_EVENT_SECRETS", "CREDIT_AUTHORIZATION",
  ]

  /// Notes a variable whose name is almost a known one: it would be ignored in silence.
  private func noteMisspeltVariables() {
    if settings.isQuiet { return }
    for name in host.variableNames("CREDIT") {
      // People keep several stores in CREDIT_STORE_A and the like, and a score is a word.
      if Self.variables.contains(where: name.hasPrefix) || name == "CREDIT_SCORE" { continue }
      let start = name.hasPrefix("CREDIT_") ? "CREDIT_" : ""
      let known = Self.variables.map { String($0.dropFirst(start.count)) }
      guard let meant = NearestNames.misspelt(String(name.dropFirst(start.count)), among: known)
      else { continue }
      errors.remark(
        "the variable \(plainOrQuoted(name)) is not known and is ignored; did you mean "
          + "\(start)\(meant)?")
    }
  }

  /// Notes that a request names no account, if the store has others and the default one is new: who
  /// uses it on purpose has records there.
  /// - Parameter made: the accounts that this run has made.
  func noteUnnamed(_ remark: String? = nil, in store: any Store, made: [Name] = []) {
    guard !settings.isQuiet, !settings.arguments.has(.account) else { return }
    guard let books = try? OpenBooks(of: store) else { return }
    defer { books.ledger.release() }
    guard let end = try? books.ledger.bookmark().position,
      let count = try? books.ledger.summary(before: end).accountCount, count > 1,
      let view = try? books.accounts(now: now).account(.defaultAccount),
      made.contains(.defaultAccount) || view.account.recordCount <= 3
    else { return }
    let name = quoted(Name.defaultAccount.text)
    errors.ask(
      remark ?? "no account is named, so it is for \(name): --account NAME names another")
  }

  func runAccount() throws(UsageError) {
    if !settings.arguments[.all] { return try runGate() }
    let columns = [
      TableColumn("ACCOUNT", "account", rank: 0),
      TableColumn("PLAN", "plan", rank: 1),
      TableColumn("PARENT", "parent", rank: 2),
      TableColumn("EXEMPT", "exempt", as: .flag, rank: 4),
      TableColumn("CLOSED", "closed", as: .flag, rank: 3),
      TableColumn("REGISTERED", "registeredAt", as: .time, rank: 5),
    ]
    printLines(as: .table(columns)) {
      output throws(CreditError) in
      try OpenBooks(of: try openStore()).accounts(now: now).forEachAccount { result in
        output.printLine(of: result) { $0.accountLine($1.account) }
      }
    }
  }

  /// Serves the request of the flags, or those on standard input.
  func serve(_ service: any RequestService) throws(UsageError) {
    let arguments = settings.arguments
    let isWholeRequest = arguments.isWholeRequest
    let hasOneRequest = isWholeRequest || arguments[.response] || arguments.has(.event)
    let loop = RequestLoop(
      service, host.streams,
      output(as: hasOneRequest ? .answer : .lines, passesRequests: true),
      flags: arguments)
    defer {
      loop.serving?.wait()
      if arguments[.dryRun], loop.hasSucceeded { noteDryRun() }
      if errors.outputHasFailed, errors.exitStatus > 0, loop.hasSucceeded, service is GateService,
        !arguments[.dryRun]
      {
        errors.remark(
          "the results are recorded: a repeat of a request with an id or a key prints its result "
            + "again, and changes nothing; credit-history shows the others")
      }
      // To free it would take a twentieth of a short run. But a connection has to be closed, so
      // that the server notices.
      if settings.store?.isURL != true { host.keep(loop) }
    }
    if isWholeRequest {
      try? loop.serveFlags()
      return
    }
    try requireInput()
    if arguments[.response] {
      try? loop.serveResponse(under: try? openStore().policy(), reportedCost: responseCost)
      return
    }
    if arguments.has(.event) {
      try? loop.serveEvent()
      return
    }
    guard let count = try? loop.serveInput(), count == 0 else { return }
    try noteMissingRequests()
    // `credit-authorize && work` never runs unauthorized.
    if tool.id == .authorize {
      let advice = settings.arguments.missingFlags == nil ? advice : ""
      printError(CreditError(.invalidRequest, "there is no request on standard input" + advice))
    }
  }

  /// Returns the cost in dollars from the response's headers, if any. The headers are complete once
  /// the response is.
  private func responseCost() throws(CreditError) -> ExactDecimal? {
    guard let path = settings.arguments[.responseHeaders] else { return nil }
    let headers = try InputFile.read(path, host.system)
    guard headers.count <= ResponseHeaders.byteLimit else {
      throw CreditError(
        .invalidRequest, "the headers in \(quoted(path)) are too long", [.path(path)])
    }
    guard ResponseHeaders.areIn(headers) else {
      throw CreditError(
        .invalidRequest,
        "\(quoted(path)) has no header lines; curl -D FILE writes those of a response",
        [.path(path)])
    }
    return try ResponseHeaders.cost(in: headers)
  }

  /// Notes missing flags if others gave a part of a request.
  ///
  /// With `/dev/null` that is a mistake: a cron job that forgot a flag must not succeed forever.
  private func noteMissingRequests() throws(UsageError) {
    guard let missing = settings.arguments.missingFlags else {
      // A log without news is often empty, and its charges are no mistake.
      let asks = tool.id == .balance || tool.id == .history
      if tool.id != .authorize, asks || host.streams.inputKind == .nullDevice {
        errors.remark("standard input is empty" + advice)
      }
      return
    }
    let note =
      (settings.arguments.missingNeed.map { "\($0); " }
        ?? "no requests on standard input, and these flags make none without \(missing): ")
      + "nothing was \(tool.id.past)"
    if host.streams.inputKind == .nullDevice { throw UsageError(note) }
    errors.remark(note)
  }

  /// Refuses to read requests from an input without any. On a terminal the tool would hang, waiting
  /// for requests that the user does not expect.
  func requireInput() throws(UsageError) {
    let missingInput: String
    switch host.streams.inputKind {
    case .terminal: missingInput = "standard input is a terminal"
    case .closed: missingInput = "standard input is closed"
    case .nullDevice, .data: return
    }
    if settings.arguments[.response] {
      throw UsageError("\(missingInput), and --response reads a response from it: add < FILE")
    }
    if settings.arguments[.event] != nil {
      throw UsageError("--event reads the body from standard input: add < FILE")
    }
    if settings.arguments.missingFlags != nil, let need = settings.arguments.missingNeed {
      throw UsageError("\(need); nothing was \(tool.id.past)")
    }
    if let missing = settings.arguments.missingFlags, !missing.isEmpty {
      throw UsageError("\(missingInput), and these flags make no request without \(missing)")
    }
    if let subcommand = settings.arguments.subcommand {
      throw UsageError(
        "\(missingInput); a file is read by \(tool.name) \(subcommand.name) ... < FILE")
    }
    throw UsageError(missingInput + advice)
  }

  /// The end of a message about an input without requests.
  private var advice: String {
    let form = ToolHelp(of: tool).synopsis.first
    return form.map { ", and no flags say what to do: \(tool.name) \($0)" } ?? ""
  }

  func push() throws(UsageError) {
    guard let path = settings.arguments[.pushTarget] else {
      throw UsageError("push needs --to, the store on a server to send to")
    }
    let target = StoreLocation(path: path, isNamed: true)
    guard target.isURL else { throw UsageError("--to takes the URL of a store on a server") }
    try target.check(of: "--to")
    let progress = ProgressLine(self)
    onStore { store, output throws(CreditError) in
      try store.requireExists()
      let there = try host.open(target, storeOptions)
      let moved = try there.receive(try store.books()) {
        progress.show("sent", $0, of: $1)
      } conflict: {
        output.print($0)
      }
      output.printObject { $0.moved(moved, to: there.location.path) }
    }
  }
}

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
  func shortened(from home: String?) -> String {
    guard let home, hasPrefix(home + "/") else { return plainOrQuoted(self) }
    return plainOrQuoted("~" + dropFirst(home.count))
  }
}

extension ResultOutput {
  /// Prints the line of an account, or its error.
  /// - Returns: false to end the listing.
  func printLine(
    of account: Result<AccountView, CreditError>,
    _ write: (inout JSONWriter, AccountView) -> Void
  ) -> Bool {
    switch account {
    case .success(let view): print { write(&$0, view) }
    case .failure(let error): print(error)
    }
    return flushIfFull()
  }
}
