/// One flag of the command line: what the parser accepts, and what help, manual page and
/// completions say of it. Each is declared once, as a static value of the subclass that its value's
/// type asks for, and the tools list those that they take.
///
/// Everything in it is constant, in the subclasses too. It is a class because the runtime makes a
/// type at start for an array of structs: 10,000 instructions or more.
package class Flag: @unchecked Sendable {
  /// The name without its two hyphens. A tool has one flag of a name.
  package let name: String
  package let kind: FlagKind
  /// The word that stands for the value: `N`, `FILE`. Empty for a flag that takes none.
  package let placeholder: String
  package let isRepeatable: Bool
  /// The request's member that the flag fills in; nil if it fills in none. The members of the group
  /// `usage` are inside the request's `usage`.
  package let member: StaticString?
  package let group: FlagGroup
  /// The flag's effect, in a line without a full stop.
  package let summary: String
  /// More sentences for the manual page, in the markup of `Markup`; may be empty.
  package let detail: String

  init(
    _ name: String, _ kind: FlagKind, _ placeholder: String = "", isRepeatable: Bool = false,
    member: StaticString? = nil, group: FlagGroup, _ summary: String, detail: String
  ) {
    self.name = name
    self.kind = kind
    self.placeholder = placeholder
    self.isRepeatable = isRepeatable
    self.member = member
    self.group = group
    self.summary = summary
    self.detail = detail
  }

  /// Returns the flag as listed by a tool that describes it in more detail.
  /// - Parameter kind: the kind of its value for that tool; nil if it is the same.
  func worded(_ summary: String, as kind: FlagKind? = nil, detail: String = "") -> Flag {
    Flag(
      name, kind ?? self.kind, placeholder, isRepeatable: isRepeatable, member: member,
      group: group, summary, detail: detail)
  }

  /// Whether it has a name. Most flags that are compared differ in length already.
  func isNamed(_ other: String) -> Bool { name.utf8.count == other.utf8.count && name == other }

  /// The words that the value may be; empty if the value is free.
  package var choices: [String] {
    if case .text(.choice(let words)) = kind { words } else { [] }
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
