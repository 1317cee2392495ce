internal import CreditModel

/// A flag without a value: it is given or not.
final class Switch: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String) {
    self.init(name, .alone, group: group, summary)
  }
}

/// A flag whose value is text of some form.
final class TextFlag: Flag, @unchecked Sendable {
  convenience init(
    _ name: String, _ placeholder: String, _ form: TextForm = .any, usagePart: UsagePart? = nil,
    group: FlagGroup, _ summary: String
  ) {
    self.init(
      name, .text(form), placeholder, usagePart: usagePart, group: group, summary)
  }
}

/// A flag that may be given several times: its value is the texts, in order.
final class ListFlag: Flag, @unchecked Sendable {
  convenience init(
    _ name: String, _ placeholder: String, _ form: TextForm = .any, group: FlagGroup,
    _ summary: String
  ) {
    self.init(
      name, .text(form), placeholder, isRepeatable: true, group: group, summary)
  }
}

/// A flag whose value is a whole number of 64 bits.
final class NumberFlag: Flag, @unchecked Sendable {
  convenience init(
    _ name: String, _ placeholder: String, _ form: NumberForm = .any, usagePart: UsagePart? = nil,
    group: FlagGroup, _ summary: String
  ) {
    self.init(
      name, .number(form), placeholder, usagePart: usagePart, group: group, summary)
  }
}

/// A flag whose value is `true` or `false`.
final class TruthFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String) {
    self.init(name, .truth, "true|false", group: group, summary)
  }
}

/// A flag whose value is a point in time.
final class TimeFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String) {
    self.init(name, .time, "TIME", group: group, summary)
  }
}

/// A flag whose value is a span of time.
final class SpanFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String) {
    self.init(name, .span, "SPAN", group: group, summary)
  }
}

/// A flag whose value is an authorization: its id, or the object that `credit-authorize` answered
/// with.
final class AuthorizationFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String) {
    self.init(
      name, .authorization(.authorization), "ID", group: group, summary)
  }
}

/// The flags that most tools share.
extension Flag {
  static let store = TextFlag(
    "store", "PATH-OR-URL", .store, group: .common, "The store")

  static let now = TimeFlag(
    "now", group: .common, "The time, instead of the system clock's")

  static let pass = Switch(
    "pass", group: .common, "Print the request with the result's members added")

  static let get = TextFlag(
    "get", "PATH,...", .members, group: .common, "Print members of each result, text unquoted")

  static let pretty = Switch(
    "pretty", group: .common, "Print results indented, over several lines")

  static let json = Switch(
    "json", group: .common, "Print JSON even on a terminal")

  static let quiet = Switch(
    "quiet", group: .common, "Say nothing about failed requests on standard error")

  static let lockTimeout = NumberFlag(
    "lock-timeout", "SECONDS", .notNegative, group: .common,
    "How long to wait for the store's lock: 10 if not given")

  static let noSync = Switch(
    "no-sync", group: .common, "Do not wait for the disk: for simulations")

  static let dryRun = Switch(
    "dry-run", group: .action, "Print what would be, and write nothing")

  static let help = Switch("help", group: .common, "Print help")

  static let version = Switch("version", group: .common, "Print the version")

  /// Those of a tool that serves requests on a store.
  package static let common: [Flag] = [
    .store, .now, .pass, .get, .pretty, .json, .quiet, .lockTimeout, .noSync, .help, .version,
  ]
}
