internal import CreditJSON
internal import CreditModel
internal import CreditStore

/// What the command line and the environment say about a run, checked.
struct Settings {
  let arguments: ParsedArguments
  /// Where the store is; nil for a run that opens none.
  let store: StoreLocation?
  /// The time asked for; nil for the system's.
  let now: Timestamp?
  /// The flags that are members of requests.
  let members: FlagMembers
  let form: ResultPrinter.Form

  /// The time as of which a view is wanted; nil for now.
  let viewTime: Timestamp?

  /// Whether standard input is one provider's response.
  var readsResponse: Bool { arguments.given.contains { $0.option.name == "response" } }
  /// Whether a listing is a table for people.
  var showsTable: Bool { if case .table = form { true } else { false } }
  var isQuiet: Bool { arguments.has("quiet") }
  var passesRequests: Bool { arguments.has("pass") }

  /// - Throws: where a flag's value can't be used.
  init(_ arguments: ParsedArguments, host: Host) throws(UsageError) {
    self.arguments = arguments
    store = Self.opensStore(arguments) ? try Self.location(arguments, host) : nil
    now = try Self.time(arguments, host)
    members = try Self.members(arguments)
    viewTime = try Self.time(arguments, "at")
    if let path = arguments.text("get") {
      form = .member(path.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    } else if arguments.has("pretty") {
      form = .pretty
    } else {
      form =
        host.streams.outputIsTerminal && !arguments.has("json") && !arguments.has("pass")
        ? .table : .compact
    }
  }

  /// The account that the flags name; nil where they name none.
  func account() throws(CreditError) -> Name? {
    guard let text = arguments.text("account") else { return nil }
    return try RequestReader.name(text, "account", limit: Name.accountLimit)
  }

  private static func opensStore(_ arguments: ParsedArguments) -> Bool {
    switch arguments.tool.kind {
    case .report: return false
    case .price:
      let isListing = arguments.has("models") || arguments.has("products")
      return !arguments.has("import") && !(arguments.has("catalog") && isListing)
    case .authorize, .charge, .topup, .balance, .account, .history, .refund, .store: return true
    }
  }

  private static func location(_ arguments: ParsedArguments, _ host: Host) throws(UsageError)
    -> StoreLocation
  {
    func set(_ name: String) throws(UsageError) -> String? {
      guard let value = try host.environment(name), !value.isEmpty else { return nil }
      return value
    }
    if let path = arguments.text("store") {
      if path.isEmpty { throw UsageError("flag \"--store\" takes a path, not nothing") }
      return StoreLocation(path: path, isNamed: true)
    }
    if let path = try set("CREDIT_STORE") { return StoreLocation(path: path, isNamed: true) }
    if let data = try set("XDG_DATA_HOME"), data.hasPrefix("/") {
      return StoreLocation(path: data + "/credit", isNamed: false)
    }
    guard let home = try set("HOME") else {
      throw UsageError("there is no HOME to keep a store in; name one with --store")
    }
    return StoreLocation(path: home + "/.local/share/credit", isNamed: false)
  }

  private static func time(_ arguments: ParsedArguments, _ host: Host) throws(UsageError)
    -> Timestamp?
  {
    if let time = try time(arguments, "now") { return time }
    guard let text = try host.environment("CREDIT_NOW"), !text.isEmpty else { return nil }
    return try time(text, of: "CREDIT_NOW")
  }

  /// The value of a flag that takes a time; nil where it isn't given, or no flag of the tool.
  static func time(_ arguments: ParsedArguments, _ flag: String) throws(UsageError)
    -> Timestamp?
  {
    guard let given = arguments.given.first(where: { $0.option.name == flag }) else { return nil }
    return try time(given.value, of: "flag \"--\(flag)\"")
  }

  private static func time(_ text: String, of source: String) throws(UsageError) -> Timestamp {
    if let time = Timestamp(text: text) { return time }
    throw UsageError("\(source) takes a time such as 2026-02-19T10:00:00Z, not \(quoted(text))")
  }

  private static func members(_ arguments: ParsedArguments) throws(UsageError) -> FlagMembers {
    var members = FlagMembers()
    for given in arguments.members {
      guard let key = given.option.member else { continue }
      members.set(key, try value(given))
    }
    return members
  }

  /// A flag's authorization: an object if it begins like one.
  private static func authorization(_ text: String) throws(UsageError) -> AuthorizationReference {
    guard text.hasPrefix("{") else { return AuthorizationReference(id: Name(trusted: text)) }
    let document: JSONDocument
    do {
      document = try JSONDocument(text)
    } catch {
      throw UsageError(
        "flag \"--authorization\" takes an id or an authorization, not \(quoted(text))")
    }
    if let name = document.duplicateName {
      throw UsageError("flag \"--authorization\" has the member \(quoted(name)) twice")
    }
    do {
      return try document.withRoot { value throws(CreditError) in
        try AuthorizationReference(value)
      }
    } catch {
      throw UsageError("flag \"--authorization\": \(error.message)")
    }
  }

  private static func value(_ given: ParsedArguments.Given) throws(UsageError)
    -> FlagMembers.Value
  {
    let text = given.value
    switch given.option.kind {
    case .integer, .count:
      return .integer(Int64(text) ?? 0)
    case .duration:
      return .span(TimeSpan(text: text) ?? .seconds(0))
    case .time:
      return .time(try time(text, of: "flag \"--\(given.option.name)\""))
    case .authorization:
      return .authorization(try authorization(text))
    case .choice(["true", "false"]):
      return .bool(text == "true")
    case .flag, .text, .path, .store, .choice:
      return .text(text)
    }
  }
}
