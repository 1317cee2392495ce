internal import CreditModel

/// A flag without a value: it is given or not.
final class Switch: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String, detail: String = "") {
    self.init(name, .alone, group: group, summary, detail: detail)
  }
}

/// A flag whose value is text of some form.
final class TextFlag: Flag, @unchecked Sendable {
  convenience init(
    _ name: String, _ placeholder: String, _ form: TextForm = .any, usagePart: UsagePart? = nil,
    group: FlagGroup, _ summary: String, detail: String = ""
  ) {
    self.init(
      name, .text(form), placeholder, usagePart: usagePart, group: group, summary, detail: detail)
  }
}

/// A flag that may be given several times: its value is the texts, in order.
final class ListFlag: Flag, @unchecked Sendable {
  convenience init(
    _ name: String, _ placeholder: String, _ form: TextForm = .any, group: FlagGroup,
    _ summary: String, detail: String = ""
  ) {
    self.init(
      name, .text(form), placeholder, isRepeatable: true, group: group, summary, detail: detail)
  }
}

/// A flag whose value is a whole number of 64 bits.
final class NumberFlag: Flag, @unchecked Sendable {
  convenience init(
    _ name: String, _ placeholder: String, _ form: NumberForm = .any, usagePart: UsagePart? = nil,
    group: FlagGroup, _ summary: String, detail: String = ""
  ) {
    self.init(
      name, .number(form), placeholder, usagePart: usagePart, group: group, summary,
      detail: detail)
  }
}

/// A flag whose value is `true` or `false`.
final class TruthFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String, detail: String = "") {
    self.init(name, .truth, "true|false", group: group, summary, detail: detail)
  }
}

/// A flag whose value is a point in time.
final class TimeFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String, detail: String = "") {
    self.init(name, .time, "TIME", group: group, summary, detail: detail)
  }
}

/// A flag whose value is a span of time.
final class SpanFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String, detail: String = "") {
    self.init(name, .span, "SPAN", group: group, summary, detail: detail)
  }
}

/// A flag whose value is an authorization: its id, or the object that `credit-authorize` answered
/// with.
final class AuthorizationFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String, detail: String = "") {
    self.init(
      name, .authorization(.authorization), "ID", group: group, summary, detail: detail)
  }
}

/// The flags that most tools share.
extension Flag {
  static let store = TextFlag(
    "store", "PATH-OR-URL", .store, group: .common, "The store",
    detail: """
      Without it, `$CREDIT_STORE` names the store, and without that it is
      `~/.local/share/credit`, which the first write makes, and says so on standard error. A store
      named by flag or environment must exist. A URL names a store on a server, in builds with the
      trait `Postgres`: see credit-server(7). One with a password in it is refused here, as others
      can read command lines, and taken from `$CREDIT_STORE`.
      """)

  static let now = TimeFlag(
    "now", group: .common, "The time, instead of the system clock's",
    detail: """
      RFC 3339 with any offset. Without it, `$CREDIT_NOW` says the time.
      A write more than 5 minutes ahead of the system clock is `invalid_request`, unless the
      policy's clock is simulated. A replay writes nothing, so it is answered at any time.
      """)

  static let pass = Switch(
    "pass", group: .common, "Print the request with the result's members added",
    detail: """
      The result, or the error, replaces members of the same name. All other members pass through
      to the next tool of a pipeline, except `replayed` of an earlier result.
      """)

  static let get = TextFlag(
    "get", "PATH,...", .members, group: .common, "Print members of each result, text unquoted",
    detail: """
      A path is made of names and indexes: `authorization.id`, `buckets.0.kind`, and of an error
      `error.code`. Several are separated by commas, and their values by tabs:
      `account,balance`. A member that a result lacks is empty. A path that no result of
      the tool can have is a usage error, which names the nearest.
      """)

  static let pretty = Switch(
    "pretty", group: .common, "Print results indented, over several lines")

  static let json = Switch(
    "json", group: .common, "Print JSON even on a terminal",
    detail: "Without it, a terminal shows lists as tables and a single result one member a line.")

  static let quiet = Switch(
    "quiet", group: .common, "Say nothing about failed requests on standard error")

  static let lockTimeout = NumberFlag(
    "lock-timeout", "SECONDS", .notNegative, group: .common,
    "How long to wait for the store's lock: 10 if not given",
    detail: "After that the request fails with `store_locked` and can be tried again.")

  static let noSync = Switch(
    "no-sync", group: .common, "Do not wait for the disk: for simulations",
    detail: "What was reported can be lost if the machine stops.")

  static let dryRun = Switch(
    "dry-run", group: .action, "Print what would be, and write nothing",
    detail: """
      Each request is answered as if those before it had been done, up to 200,000 records; ids that
      the tool makes are others when it is done. It needs no right to write.
      """)

  static let help = Switch("help", group: .common, "Print help")

  static let version = Switch("version", group: .common, "Print the version")

  /// Those of a tool that serves requests on a store.
  package static let common: [Flag] = [
    .store, .now, .pass, .get, .pretty, .json, .quiet, .lockTimeout, .noSync, .help, .version,
  ]
}
