/// A flag that stands alone: its value is whether it is given.
final class Switch: Flag, @unchecked Sendable {
  init(
    _ name: String, member: StaticString? = nil, group: FlagGroup, _ summary: String,
    detail: String = ""
  ) {
    super.init(name, .alone, member: member, group: group, summary, detail: detail)
  }
}

/// A flag whose value is text of some form.
final class TextFlag: Flag, @unchecked Sendable {
  init(
    _ name: String, _ placeholder: String, _ form: TextForm = .any, member: StaticString? = nil,
    group: FlagGroup, _ summary: String, detail: String = ""
  ) {
    super.init(
      name, .text(form), placeholder, member: member, group: group, summary, detail: detail)
  }
}

/// A flag that may be given several times: its value is the texts, in order.
final class ListFlag: Flag, @unchecked Sendable {
  init(
    _ name: String, _ placeholder: String, _ form: TextForm = .any, member: StaticString? = nil,
    group: FlagGroup, _ summary: String, detail: String = ""
  ) {
    super.init(
      name, .text(form), placeholder, isRepeatable: true, member: member, group: group, summary,
      detail: detail)
  }
}

/// A flag whose value is a whole number of 64 bits.
final class NumberFlag: Flag, @unchecked Sendable {
  init(
    _ name: String, _ placeholder: String, _ form: NumberForm = .any, member: StaticString? = nil,
    group: FlagGroup, _ summary: String, detail: String = ""
  ) {
    super.init(
      name, .number(form), placeholder, member: member, group: group, summary, detail: detail)
  }
}

/// A flag whose value is `true` or `false`.
final class TruthFlag: Flag, @unchecked Sendable {
  init(
    _ name: String, member: StaticString, group: FlagGroup, _ summary: String, detail: String = ""
  ) {
    super.init(
      name, .truth, "true|false", member: member, group: group, summary, detail: detail)
  }
}

/// A flag whose value is a point in time.
final class TimeFlag: Flag, @unchecked Sendable {
  init(
    _ name: String, member: StaticString? = nil, group: FlagGroup, _ summary: String,
    detail: String = ""
  ) {
    super.init(name, .time, "TIME", member: member, group: group, summary, detail: detail)
  }
}

/// A flag whose value is a span of time.
final class SpanFlag: Flag, @unchecked Sendable {
  init(
    _ name: String, member: StaticString? = nil, group: FlagGroup, _ summary: String,
    detail: String = ""
  ) {
    super.init(name, .span, "SPAN", member: member, group: group, summary, detail: detail)
  }
}

/// A flag whose value is an authorization: its id, or the object that `credit-authorize` answered
/// with.
final class AuthorizationFlag: Flag, @unchecked Sendable {
  init(
    _ name: String, member: StaticString, group: FlagGroup, _ summary: String, detail: String = ""
  ) {
    super.init(
      name, .authorization(.authorization), "ID", member: member, group: group, summary,
      detail: detail)
  }
}
