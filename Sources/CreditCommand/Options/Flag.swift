internal import CreditModel

/// One flag of the command line for the parser, help, manual page and completions.
///
/// Each is declared once, as a static value of the subclass for its value's type, and the tools
/// list their flags. Everything in it is constant, in the subclasses too. It is a class because the
/// runtime makes a type at start for an array of structs: 10,000 instructions or more.
package class Flag: @unchecked Sendable {
  /// The name without its two hyphens. A tool has one flag of a name.
  package let name: String
  package let kind: FlagKind
  /// The placeholder of the value: `N`, `FILE`. Empty for a flag without a value.
  package let placeholder: String
  package let isRepeatable: Bool
  /// The part of a usage that the flag gives; nil if it gives none.
  let usagePart: UsagePart?
  package let group: FlagGroup
  /// The flag's effect, in a line without a full stop.
  package let summary: String

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

  /// The words that the value may be; empty if the value is free.
  package var choices: [String] {
    if case .text(.choice(let words)) = kind { words } else { [] }
  }
}

/// A part of a usage that a flag gives.
enum UsagePart {
  case count(UsageCount)
  case units
  case condition(UsageCondition)

  /// The member of the usage.
  var member: StaticString {
    switch self {
    case .count(let count): count.row.member
    case .units: "units"
    case .condition(let condition): condition.member
    }
  }
}

/// The headings under which help and manual pages list flags, in this order.
package enum FlagGroup: CaseIterable, Sendable {
  case request, usage, action, selection, statement, catalog, common

  /// The heading.
  package var title: String {
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
package final class Exclusion: Sendable {
  package let flag: Flag
  package let others: [Flag]

  init(_ flag: Flag, _ others: [Flag]) {
    self.flag = flag
    self.others = others
  }

  /// The flags that cannot be given beside a flag, by this rule.
  package func excluded(by flag: Flag) -> [Flag] {
    if flag.name == self.flag.name { return others }
    return others.contains { $0.name == flag.name } ? [self.flag] : []
  }
}

/// A flag and the flags of which one must be given beside it.
package final class Requirement: Sendable {
  package let flag: Flag
  package let others: [Flag]

  init(_ flag: Flag, _ others: [Flag]) {
    self.flag = flag
    self.others = others
  }
}

/// A form of the command line: one flag of each part is given.
package final class CommandForm: Sendable {
  package let parts: [Part]

  init(_ parts: Part...) {
    self.parts = parts
  }

  /// Flags of which one is given.
  package final class Part: Sendable, ExpressibleByArrayLiteral {
    package let flags: [Flag]
    /// The message if this part alone is missing; nil for the usual sentence.
    let need: String?

    init(_ flags: [Flag], need: String? = nil) {
      self.flags = flags
      self.need = need
    }

    package convenience init(arrayLiteral flags: Flag...) {
      self.init(flags)
    }
  }
}

extension ParsedArguments {
  /// The flags missing for a request of which other flags have a part, for a message: `--key or
  /// --authorization`. Nil if no flag has a part.
  var missingFlags: String? {
    guard given.contains(where: { $0.flag.isOfRequest }) else { return nil }
    // The forms that the flags have begun, if any, and of these the ones that lack least.
    let begun = tool.wholeRequests.filter { $0.parts.contains(where: has) }
    let open = (begun.isEmpty ? tool.wholeRequests : begun)
      // The longest first: more of it is there.
      .sorted { $0.parts.count > $1.parts.count }
      .map(missingParts)
      .filter { !$0.contains(where: \.isEmpty) }
    let fewest = open.map(\.count).min()
    return open.filter { $0.count == fewest }
      .map { $0.map(Self.title).joined(separator: ", and ") }
      .joined(separator: " or ")
  }

  /// The message's words for the only part that a request lacks. Nil if that part has no words of
  /// its own.
  var missingNeed: String? {
    for form in tool.wholeRequests {
      let missing = form.parts.filter { !has($0) }
      if missing.count == 1, let need = missing[0].need { return need }
    }
    return nil
  }

  /// The missing parts of a form, each as the flags that fit the given ones.
  private func missingParts(of form: CommandForm) -> [[Flag]] {
    form.parts.filter { !has($0) }.map { $0.flags.filter { !isExcluded($0) } }
  }

  private func has(_ part: CommandForm.Part) -> Bool { part.flags.contains(where: has) }

  private func isExcluded(_ flag: Flag) -> Bool {
    tool.exclusions.contains { $0.excluded(by: flag).contains(where: has) }
  }

  /// The flags of which one is to be given, as a message names them.
  private static func title(_ flags: [Flag]) -> String {
    if flags.allSatisfy({ $0.group == .usage }) { return "a usage flag" }
    return flags.map { "--\($0.name)" }.joined(separator: " or ")
  }
}

extension Flag {
  /// Whether the flag is part of a request or of an account query.
  fileprivate var isOfRequest: Bool {
    group == .request || group == .usage || group == .selection
  }
}

/// The flags of requests that several tools share.
extension Flag {
  static let account = TextFlag(
    "account", "NAME", .name(.account), group: .request,
    "The account: default if not given")

  static let authorization = AuthorizationFlag(
    "authorization", group: .request,
    "The authorization to charge, once")

  static let transaction = TextFlag(
    "transaction", "ID", group: .request,
    "The payment's id: unique in the store")

  static let key = TextFlag(
    "key", "KEY", group: .request,
    "An id of your own instead: unique within the account")

  static let reason = TextFlag(
    "reason", "TEXT", group: .request, "Why, for the record")

  static let tag = ListFlag(
    "tag", "NAME=VALUE", .tag, group: .request,
    "A tag for reports; may be given several times")

  static let all = Switch("all", group: .selection, "Every account, in the order of the names")
}

/// The flags for a model's usage. A tool that prices lists all of them, by `Flag.usage`, so that a
/// new one is declared only here.
extension Flag {
  static let model = TextFlag(
    "model", "MODEL", .name(.model), group: .request, "The model that was used")

  static let response = Switch(
    "response", group: .action, "Standard input is one provider response, whole or streamed")

  static let responseHeaders = TextFlag(
    "headers", "FILE", .path, group: .action, "The headers that the response came with")

  static let partial = Switch(
    "partial", group: .action, "Accept an incomplete response and charge what it reports so far")

  /// The counts, but for units.
  private static let counts: [Flag] = (0..<UsageCount.total).map { place in
    let row = UsageCount(at: place).row
    return NumberFlag(
      row.flag, "N", usagePart: .count(UsageCount(at: place)), group: .usage, row.summary)
  }

  /// Further conditions of a price. None of them makes a usage.
  static let conditions: [Flag] = UsageCondition.allCases.map { condition in
    TextFlag(
      condition.flag, "VALUE", usagePart: .condition(condition), group: .usage, condition.summary)
  }

  static let usedAt = TimeFlag(
    "used-at", group: .request, "When the work was done, if not now")

  private static let units = NumberFlag(
    "units", "N", usagePart: .units, group: .usage, "Units, for a model priced per unit")

  private static let flat = Switch(
    "flat", group: .usage, "The model needs no usage counts")

  static let usage: [Flag] = counts + [.units, .flat]

  /// A usage is of tokens or of units.
  static let unitsOrTokens = Exclusion(.units, counts + conditions)
}
