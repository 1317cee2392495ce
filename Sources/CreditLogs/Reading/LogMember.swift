internal import CreditJSON
internal import CreditModel

extension JSONValue {
  /// The value of a member, by its name, or by a path of names and indexes with dots between them.
  func logMember(_ path: String) -> JSONValue? {
    if let member = member(named: path) { return member }
    var value = self
    for step in path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      let name = String(step) ?? ""
      let next =
        value.kind == .array
        ? Int(name).flatMap { index in value.elements.dropFirst(max(index, 0)).first { _ in true } }
        : value.member(named: name)
      guard let next else { return nil }
      value = next
    }
    return value
  }

  /// The text of a string, or of a number or truth value; nil for anything else.
  var logText: String? {
    switch kind {
    case .string: string
    case .number, .true, .false: String(decoding: raw, as: UTF8.self)
    case .object, .array, .null: nil
    }
  }

  /// Returns a member's count, which tables write as text. Nil if it is absent, null or empty.
  /// - Throws: if it is not a whole number.
  func count(_ name: StaticString) throws(LogProblem) -> Int64? {
    guard let value = member(name), !value.isNull else { return nil }
    guard let count = value.int64 ?? value.string.flatMap({ Int64($0) }) else {
      if value.string?.isEmpty == true { return nil }
      throw .usage("\(name) is no whole number")
    }
    return count
  }

  /// The text of a string that is not empty; nil for anything else.
  func nonEmpty(_ name: StaticString) -> String? {
    guard let text = string(name), !text.isEmpty else { return nil }
    return text
  }

  private func member(named name: String) -> JSONValue? {
    name.withUTF8Bytes { member(utf8: $0) }
  }
}
