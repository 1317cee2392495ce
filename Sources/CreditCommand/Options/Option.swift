/// One flag of a tool: what the parser accepts, and what help, manual page and completions say of it.
///
/// What tables are made of is a class: for an array of structs the runtime makes a type at start.
package final class Option: Sendable {
  /// The name without its two hyphens.
  package let name: String
  package let kind: OptionKind
  /// The word that stands for the value: `N`, `FILE`. Empty for a flag that takes none.
  package let placeholder: String
  package let isRepeatable: Bool
  /// The member of a request that the flag fills in; nil if it is none. The members of the group
  /// `usage` stand inside the request's `usage`.
  package let member: String?
  package let group: OptionGroup
  /// What it does, in a line without a full stop.
  package let summary: String
  /// More sentences for the manual page, in the markup of `Markup`; may be empty.
  package let detail: String

  init(
    _ name: String, _ kind: OptionKind = .flag, _ placeholder: String = "",
    repeatable: Bool = false, member: String? = nil, group: OptionGroup,
    _ summary: String, detail: String = ""
  ) {
    self.name = name
    self.kind = kind
    self.placeholder = placeholder
    isRepeatable = repeatable
    self.member = member
    self.group = group
    self.summary = summary
    self.detail = detail
  }

  /// The words that the value may be; empty where it is free.
  package var choices: [String] {
    if case .choice(let words) = kind { words } else { [] }
  }
}

/// The headings under which help and manual pages list flags, in this order.
package enum OptionGroup: CaseIterable, Sendable {
  case request, usage, action, selection, catalog, common

  /// The heading.
  package var title: String {
    switch self {
    case .request: "Request"
    case .usage: "Usage"
    case .action: "What to do"
    case .selection: "Selection"
    case .catalog: "Catalogs"
    case .common: "Flags of every tool"
    }
  }
}
