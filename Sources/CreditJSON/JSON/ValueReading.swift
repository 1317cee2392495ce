package import CreditModel

/// Members of the kinds that records and policies are made of. Each is nil if it is absent or of
/// another kind.
extension JSONValue {
  package func string(_ key: StaticString) -> String? { member(key)?.string }

  package func int64(_ key: StaticString) -> Int64? { member(key)?.int64 }

  package func name(_ key: StaticString) -> Name? { string(key).map(Name.init(trusted:)) }

  package func timestamp(_ key: StaticString) -> Timestamp? { member(key)?.timestamp() }

  /// Returns the elements of a list. There are no elements if it is absent or not a list.
  func elements(_ key: StaticString) -> JSONElements { JSONElements(of: member(key) ?? self) }

  /// The exact number that a number's or a string's text says; nil for anything else.
  package var exactDecimal: ExactDecimal? {
    if let numberText { return ExactDecimal(text: numberText) }
    return withUTF8(ExactDecimal.init(text:)) ?? nil
  }

  /// A time, from text: an instant, or a day or month, whose beginning in UTC is meant.
  package func timestamp() -> Timestamp? {
    if let time = withUTF8(Timestamp.parse) ?? nil { return time }
    return string.flatMap(Timestamp.init(dateText:))
  }
}
