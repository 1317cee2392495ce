import CreditModel

/// Reads an object of a policy or catalog strictly: every member known, of the right type and within
/// its bounds, or an error that says where.
struct ObjectReader {
  let value: JSONValue
  /// Where the object stands: empty at the top, else like `products[2]`.
  let path: String

  /// - Throws: `invalid_policy` where the value is no object or has a member that is not in `known`.
  init(_ value: JSONValue, path: String, known: [StaticString]) throws(CreditError) {
    self.value = value
    self.path = path
    guard value.kind == .object else { throw Self.invalid(path, "must be an object") }
    for (key, _) in value.members where !known.contains(where: { key.utf8Equals($0) }) {
      throw Self.invalid(Self.join(path, key.string ?? "?"), "is not a member of the policy")
    }
  }

  /// `invalid_policy` at a path.
  static func invalid(_ path: String, _ problem: String) -> CreditError {
    let place = path.isEmpty ? "the policy" : path
    return CreditError(.invalidPolicy, "\(shown(place)) \(problem)", [.path(place)])
  }

  /// A path is made of the file's own member names: it is quoted where they have odd characters.
  private static func shown(_ path: String) -> String {
    let quotedPath = quoted(path)
    return quotedPath.dropFirst().dropLast() == path ? path : quotedPath
  }

  static func join(_ path: String, _ key: String) -> String {
    path.isEmpty ? key : "\(path).\(key)"
  }

  func path(_ key: StaticString) -> String { Self.join(path, key.description) }

  func invalid(_ key: StaticString, _ problem: String) -> CreditError {
    Self.invalid(path(key), problem)
  }

  func has(_ key: StaticString) -> Bool { value.member(key) != nil }

  /// A string of 1 to `limit` bytes without control characters; nil where absent.
  func text(_ key: StaticString, limit: Int = Name.idLimit) throws(CreditError) -> String? {
    guard let member = value.member(key) else { return nil }
    guard let text = member.string else { throw invalid(key, "must be text") }
    if let problem = Name.problem(with: text, limit: limit) { throw invalid(key, problem) }
    return text
  }

  func name(_ key: StaticString) throws(CreditError) -> Name? {
    try text(key).map(Name.init(trusted:))
  }

  func requiredName(_ key: StaticString) throws(CreditError) -> Name {
    guard let name = try name(key) else { throw invalid(key, "is missing") }
    return name
  }

  func integer(_ key: StaticString, in range: ClosedRange<Int64>) throws(CreditError) -> Int64? {
    guard let member = value.member(key) else { return nil }
    guard let number = member.int64 else { throw invalid(key, "must be a whole number") }
    guard range.contains(number) else {
      throw invalid(key, "must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func bool(_ key: StaticString) throws(CreditError) -> Bool? {
    guard let member = value.member(key) else { return nil }
    guard let flag = member.bool else { throw invalid(key, "must be true or false") }
    return flag
  }

  /// One of two words, as whether it is the second.
  func choice(_ key: StaticString, _ off: String, _ on: String) throws(CreditError) -> Bool? {
    guard let member = value.member(key) else { return nil }
    switch member.string {
    case off: return false
    case on: return true
    default: throw invalid(key, "must be \"\(off)\" or \"\(on)\"")
    }
  }

  /// A whole number, or decimal text where one is finer.
  func decimal(_ key: StaticString) throws(CreditError) -> ExactDecimal? {
    guard let member = value.member(key) else { return nil }
    guard member.int64 != nil || member.kind == .string else {
      throw invalid(key, "must be a whole number or decimal text")
    }
    guard let decimal = member.exactDecimal else {
      throw invalid(key, "must be a number that is not negative, of at most 38 digits")
    }
    return decimal
  }

  /// Decimal text that is kept as it is written.
  func priceText(_ key: StaticString) throws(CreditError) -> ExactDecimal? {
    guard let member = value.member(key) else { return nil }
    guard member.kind == .string, let decimal = member.exactDecimal else {
      throw invalid(key, "must be decimal text, such as \"9.99\"")
    }
    return decimal
  }

  /// Maps the objects of a list; empty where absent.
  func list<Element>(
    _ key: StaticString, limit: Int,
    _ body: (JSONValue, String) throws(CreditError) -> Element
  ) throws(CreditError) -> [Element] {
    guard let list = value.member(key) else { return [] }
    guard list.kind == .array else { throw invalid(key, "must be a list") }
    var elements: [Element] = []
    for element in list.elements {
      if elements.count == limit { throw invalid(key, "has more than \(limit) entries") }
      elements.append(try body(element, "\(path(key))[\(elements.count)]"))
    }
    return elements
  }
}
