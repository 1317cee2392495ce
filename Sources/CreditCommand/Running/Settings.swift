internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// The settings of a run from the command line and the environment, checked.
struct Settings {
  let arguments: ParsedArguments
  /// The store's location; nil for a run that opens none.
  let store: StoreLocation?
  /// The time asked for; nil for the system's.
  let now: Timestamp?
  let members: RequestFlags
  /// The form of results; nil for the best one for a terminal.
  let form: ResultPrinter.Form?

  var areForPeople: Bool { if case nil = form { true } else { false } }
  var isQuiet: Bool { arguments[.quiet] }

  /// - Throws: if the flags and the environment have no store or no time.
  init(_ arguments: ParsedArguments, host: Host) throws(UsageError) {
    now = try Self.time(arguments, host)
    var arguments = arguments
    arguments.settleTimes(at: now ?? host.systemTime)
    self.arguments = arguments
    store = arguments.opensStore ? try Self.location(arguments[.store], host) : nil
    try store?.check(of: arguments[.store] == nil ? "CREDIT_STORE" : "--store")
    members = try RequestFlags(arguments)
    try arguments.checkPaths()
    let asked = arguments[.resultFormat]
    if asked != nil, let other = [.get, .pretty, .json, .pass].first(where: arguments.has) {
      throw UsageError("--format and --\(other.name) cannot be given together")
    }
    if let paths = arguments.memberPaths {
      form = .members(paths)
    } else if arguments[.pretty] {
      form = .pretty
    } else {
      let isForPeople =
        host.streams.outputIsTerminal && !arguments[.json] && !arguments[.pass]
      form = asked == "text" || asked == nil && isForPeople ? nil : .compact
    }
  }

  func account() throws(CreditError) -> Name? {
    guard let text = arguments[.account] else { return nil }
    return try Name(checked: text, as: "account", limit: Name.accountLimit)
  }

  /// Returns the store's location from the command line, or else from the environment.
  static func location(_ path: String?, _ host: Host) throws(UsageError) -> StoreLocation {
    func set(_ name: String) throws(UsageError) -> String? {
      try host.environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    if let path { return StoreLocation(path: path, isNamed: true) }
    if let path = try set("CREDIT_STORE") { return StoreLocation(path: path, isNamed: true) }
    if let data = try set("XDG_DATA_HOME"), data.hasPrefix("/") {
      return StoreLocation(path: data + "/credit", isNamed: false)
    }
    guard let home = try set("HOME") else {
      throw UsageError("HOME is not set, so there is no default store; name one: --store PATH")
    }
    return StoreLocation(path: home + "/.local/share/credit", isNamed: false)
  }

  /// A word for the time, such as `today`, is the system's.
  private static func time(_ arguments: ParsedArguments, _ host: Host) throws(UsageError)
    -> Timestamp?
  {
    if case .time(let time) = arguments.value(of: .now) { return time.time(at: host.systemTime) }
    guard let text = try host.environment("CREDIT_NOW"), !text.isEmpty else { return nil }
    return try AskedTime(argument: text, of: "CREDIT_NOW").time(at: host.systemTime)
  }
}
