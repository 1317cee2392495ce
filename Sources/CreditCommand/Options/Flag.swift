internal import CreditModel

/// One flag of the command line for the parser, help, manual page and completions.
///
/// Each is declared once, as a static value of the subclass for its value's type, and the tools
/// list their flags. Everything in it is constant, in the subclasses too. It is a class because the
/// runtime makes a type at start for an array of structs: 10,000 instructions or more.
public class Flag: @unchecked Sendable {
  /// The name without its two hyphens. A tool has one flag of a name.
  public let name: String
  public let kind: FlagKind
  /// The placeholder of the value: `N`, `FILE`. Empty for a flag without a value.
  public let placeholder: String
  public let isRepeatable: Bool
  let usagePart: UsagePart?
  public let group: FlagGroup
  /// The flag's effect, in a line without a full stop.
  public let summary: String

  required init(
    _ name: String, _ kind: FlagKind, _ placeholder: String = "", isRepeatable: Bool = false,
    usagePart: UsagePart? = nil, group: FlagGroup, _ summary: String
  ) {
    self.name = name
    self.kind = kind
    self.placeholder = placeholder
    self.isRepeatable = isRepeatable
    self.usagePart = usagePart
    self.group = group
    self.summary = summary
  }

  /// Returns the flag in a tool's own words.
  /// - Parameter kind: the kind of its value for that tool; nil if it is the same.
  func worded(_ summary: String, as kind: FlagKind? = nil) -> Self {
    Self(
      name, kind ?? self.kind, placeholder, isRepeatable: isRepeatable, usagePart: usagePart,
      group: group, summary)
  }

  /// Whether it has a name. Most flags that are compared differ in length already.
  func isNamed(_ other: String) -> Bool { name.utf8.count == other.utf8.count && name == other }

  /// The same for a name's bytes.
  func isNamed(_ other: Bytes) -> Bool {
    name.utf8.count == other.count && name.hasSameBytes(as: other)
  }

  /// The words that the value may be; empty if the value is free.
  public var choices: [String] {
    if case .text(.choice(let words)) = kind { words } else { [] }
  }
}

enum UsagePart {
  case count(UsageCount)
  case units
  case condition(UsageCondition)

  var member: StaticString {
    switch self {
    case .count(let count): count.row.member
    case .units: "units"
    case .condition(let condition): condition.member
    }
  }
}

/// The headings under which help and manual pages list flags, in this order.
public enum FlagGroup: CaseIterable, Sendable {
  case request, usage, action, selection, statement, catalog, common

  public var title: String {
    switch self {
    case .request: "Request"
    case .usage: "Usage"
    case .action: "What to do"
    case .selection: "Selection"
    case .statement: "Statement"
    case .catalog: "Catalogs"
    case .common: "Common flags"
    }
  }
}

/// A flag and the flags that cannot be given beside it.
public typealias Exclusion = FlagRule

/// A flag and the flags of which one must be given beside it.
public typealias Requirement = FlagRule

public final class FlagRule: Sendable {
  public let flag: Flag
  public let others: [Flag]

  init(_ flag: Flag, _ others: [Flag]) {
    self.flag = flag
    self.others = others
  }

  /// The flags that cannot be given beside a flag, by this exclusion.
  public func excluded(by flag: Flag) -> [Flag] {
    if flag.name == self.flag.name { return others }
    return others.contains { $0.name == flag.name } ? [self.flag] : []
  }
}

/// A form of the command line: one flag of each part is given.
public final class CommandForm: Sendable {
  public let parts: [Part]

  init(_ parts: Part...) { self.parts = parts }

  /// Flags of which one is given.
  public final class Part: Sendable, ExpressibleByArrayLiteral {
    public let flags: [Flag]
    /// The message if this part alone is missing; nil for the usual sentence.
    let need: String?

    init(_ flags: [Flag], need: String? = nil) {
      self.flags = flags
      self.need = need
    }

    public convenience init(arrayLiteral flags: Flag...) { self.init(flags) }
  }
}

/// A flag without a value: it is given or not.
final class Switch: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String) {
    self.init(name, .alone, group: group, summary)
  }
}

final class TextFlag: Flag, @unchecked Sendable {
  convenience init(
    _ name: String, _ placeholder: String, _ form: TextForm = .any, usagePart: UsagePart? = nil,
    group: FlagGroup, _ summary: String
  ) {
    self.init(name, .text(form), placeholder, usagePart: usagePart, group: group, summary)
  }
}

/// A flag that may be given several times: its value is the texts, in order.
final class ListFlag: Flag, @unchecked Sendable {
  convenience init(
    _ name: String, _ placeholder: String, _ form: TextForm = .any, group: FlagGroup,
    _ summary: String
  ) {
    self.init(name, .text(form), placeholder, isRepeatable: true, group: group, summary)
  }
}

/// A flag whose value is a whole number of 64 bits.
final class NumberFlag: Flag, @unchecked Sendable {
  convenience init(
    _ name: String, _ placeholder: String, _ form: NumberForm = .any, usagePart: UsagePart? = nil,
    group: FlagGroup, _ summary: String
  ) {
    self.init(name, .number(form), placeholder, usagePart: usagePart, group: group, summary)
  }
}

final class TruthFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String) {
    self.init(name, .truth, "true|false", group: group, summary)
  }
}

final class TimeFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String) {
    self.init(name, .time, "TIME", group: group, summary)
  }
}

final class SpanFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String) {
    self.init(name, .span, "SPAN", group: group, summary)
  }
}

/// A flag whose value is an authorization: its id, or the object that `credit-authorize` answered
/// with.
final class AuthorizationFlag: Flag, @unchecked Sendable {
  convenience init(_ name: String, group: FlagGroup, _ summary: String) {
    self.init(name, .authorization(.authorization), "ID", group: group, summary)
  }
}
