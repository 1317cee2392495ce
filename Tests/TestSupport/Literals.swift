import CreditModel
import Testing

extension Name: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    self.init(trusted: text)
  }
}

extension LimitChange {
  /// A change to a whole number of the limit's unit.
  init(id: Name, credits: Credits, alerts: [Int64]? = nil) {
    self.init(
      id: id, .number(ExactDecimal(Int128(credits), places: 0), isDollars: nil), alerts: alerts)
  }
}

/// Returns a time from its text. An invalid text is the test's own mistake, and shows as 1970.
func time(_ text: String) -> Timestamp {
  guard let time = Timestamp(text: text) else {
    Issue.record("\(text) is no time")
    return Timestamp(milliseconds: 0)
  }
  return time
}

/// Returns a decimal from its text. An invalid text is the test's own mistake, and shows as 0.
func decimal(_ text: String) -> ExactDecimal {
  guard let decimal = ExactDecimal(text: text) else {
    Issue.record("\(text) is no decimal")
    return .zero
  }
  return decimal
}

/// Tags that are within the limits.
func tags(_ pairs: KeyValuePairs<String, String>) -> Tags? {
  var list = TagList()
  for (name, value) in pairs {
    if let problem = list.add(name, value) { preconditionFailure("tag \(name) \(problem)") }
  }
  return list.tags
}
