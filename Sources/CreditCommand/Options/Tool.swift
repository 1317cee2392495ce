/// A tool of the suite as one value, from which its parser, help, manual page and completions come.
package struct Tool: Sendable {
  /// Which tool it is.
  let kind: ToolKind
  /// What it does, in a line without a full stop.
  package let summary: String
  /// Its own flags; those of every tool are `CommonOptions.all`.
  package let options: [Option]
  /// Empty but for a tool whose first argument says what to do.
  package let subcommands: [Subcommand]
  package let exclusions: [Exclusion]
  /// The sets of flags that alone make a whole request.
  package let wholeRequests: [RequestForm]
  /// The texts of help and manual page, kept out of the way of the parser.
  package let manual: @Sendable () -> Manual

  init(
    _ kind: ToolKind, summary: String, options: [Option] = [], subcommands: [Subcommand] = [],
    exclusions: [Exclusion] = [], wholeRequests: [RequestForm] = [],
    manual: @escaping @Sendable () -> Manual
  ) {
    self.kind = kind
    self.summary = summary
    self.options = options
    self.subcommands = subcommands
    self.exclusions = exclusions
    self.wholeRequests = wholeRequests
    self.manual = manual
  }

  /// The command's name: `credit-charge`.
  package var name: String { "credit-\(kind.rawValue)" }

  /// The line that `--version` prints.
  package var versionLine: String { "\(name) \(ToolSuite.version)" }
}

/// The tools there are, by the names of their commands after `credit-`.
enum ToolKind: String, CaseIterable, Sendable {
  case price, authorize, charge, topup, balance, account, history, refund, store, report
}

/// A word after the tool's name that says what to do, with flags of its own.
package final class Subcommand: Sendable {
  package let name: String
  /// What it does, in a line without a full stop.
  package let summary: String
  package let options: [Option]
  package let exclusions: [Exclusion]
  /// More sentences for the manual page.
  package let detail: String

  init(
    _ name: String, _ summary: String, options: [Option] = [], exclusions: [Exclusion] = [],
    detail: String = ""
  ) {
    self.name = name
    self.summary = summary
    self.options = options
    self.exclusions = exclusions
    self.detail = detail
  }
}

/// A flag and the flags that cannot be given beside it.
package final class Exclusion: Sendable {
  package let flag: String
  package let others: [String]

  init(_ flag: String, _ others: [String]) {
    self.flag = flag
    self.others = others
  }

  /// The flags that cannot be given beside a flag, by this rule.
  package func excluded(by name: String) -> [String] {
    if name == flag { return others }
    return others.contains(name) ? [flag] : []
  }
}

/// Flags that make a whole request, so that standard input isn't read: one of each part is given.
package final class RequestForm: Sendable {
  package let parts: [Part]

  init(_ parts: Part...) {
    self.parts = parts
  }

  /// Flags of which one is given.
  package final class Part: Sendable, ExpressibleByArrayLiteral {
    package let flags: [String]

    init(_ flags: [String]) {
      self.flags = flags
    }

    package convenience init(arrayLiteral flags: String...) {
      self.init(flags)
    }
  }
}
