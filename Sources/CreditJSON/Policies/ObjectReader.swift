public import CreditModel

/// Reads an object of a policy or catalog strictly: every member must be known, of the right type
/// and within its bounds. Errors have the place.
struct ObjectReader {
  let value: JSONValue

  /// - Throws: if the value is not an object or has a member that is not in `known`.
  init(_ value: JSONValue, known: [JSONMember]) throws(PolicyProblem) {
    self.value = value
    guard value.kind == .object else { throw PolicyProblem("must be an object") }
    for (key, _) in value.members {
      let isKnown = key.withUTF8 { key in
        known.contains { $0.name.withUTF8Bytes(key.hasSameBytes) }
      }
      if isKnown == true { continue }
      let name = Name(trusted: key.string ?? "?")
      let names = known.map { Name(trusted: $0.name) }
      var nearest = NearestNames.find(name, among: names)
      // An id is often called a name elsewhere.
      if nearest.isEmpty, name.text == "name" { nearest = names.filter { $0.text == "id" } }
      let form = PriceForm.dollars
      let isOfModel = names.contains { $0.text == form.member.description }
      let isPrice = form.place(of: key) != nil || PriceForm.otherNames[name.text] != nil
      let isFlat = ["image", "price", "cost"].contains(where: name.text.lowercased().utf8.contains)
      let hint =
        isPrice && isOfModel
        ? "; prices are in \"usdPer1M\": {\"input\": \"3\", \"output\": \"15\"}"
        : isFlat && isOfModel
          ? "; a request costs \"creditsPerRequest\": 40, a thousand images "
            + "\"usdPer1M\": {\"input\": \"0\", \"output\": \"0\", \"imagePer1000\": \"40\"}"
          : nearest.isEmpty ? "; known: \(Self.list(known))" : NearestNames.hint(nearest)
      let advice = "; it is LiteLLM's price file: credit-price --import FILE makes a catalog of it"
      throw PolicyProblem(
        "is not a known member\(name.text == "sample_spec" ? advice : hint)", at: name.text)
    }
  }

  /// The names of members, each once.
  private static func list(_ known: [JSONMember]) -> String {
    var names: [String] = []
    for member in known where !names.contains(member.name) { names.append(member.name) }
    return names.joined(separator: ", ")
  }

  /// Reads some members of a value, which may have others.
  init(unchecked value: JSONValue) { self.value = value }

  func invalid(_ key: StaticString, _ problem: String) -> PolicyProblem {
    PolicyProblem(problem, at: key.description)
  }

  /// Calls `body`, whose problems are found in a member.
  func inside<Value>(_ key: StaticString, _ body: () throws(PolicyProblem) -> Value)
    throws(PolicyProblem) -> Value
  {
    do {
      return try body()
    } catch {
      throw error.inside(key.description)
    }
  }

  func has(_ key: String) -> Bool { key.withUTF8Bytes { value.member(utf8: $0) != nil } }

  /// Reads a string of 1 to `limit` bytes without control characters; nil if absent.
  func text(_ key: StaticString, limit: Int = Name.idLimit) throws(PolicyProblem) -> String? {
    guard let member = value.member(key) else { return nil }
    return try inside(key) { () throws(PolicyProblem) in try Self.text(member, limit: limit) }
  }

  static func anyText(_ value: JSONValue) throws(PolicyProblem) -> String {
    guard let text = value.string else { throw PolicyProblem("must be text, not \(value.phrase)") }
    return text
  }

  static func text(_ value: JSONValue, limit: Int = Name.idLimit) throws(PolicyProblem) -> String {
    let text = try anyText(value)
    if let problem = Name.problem(with: text, limit: limit) { throw PolicyProblem(problem) }
    return text
  }

  /// Checks a string as ``text(_:limit:)`` does, without making one if possible: to release a long
  /// one takes 34,000 instructions the first time.
  func checkText(_ key: StaticString, limit: Int) throws(PolicyProblem) {
    let isPlain = value.member(key)?.withUTF8 { Name.isPlain($0, limit: limit) }
    if isPlain != true { _ = try text(key, limit: limit) }
  }

  func name(_ key: StaticString) throws(PolicyProblem) -> Name? {
    try text(key).map(Name.init(trusted:))
  }

  func requiredName(_ key: StaticString) throws(PolicyProblem) -> Name {
    try required(key, try name(key))
  }

  /// Returns the value of a member that must be there.
  func required<Value>(_ key: StaticString, _ value: Value?) throws(PolicyProblem) -> Value {
    guard let value else { throw invalid(key, "is missing") }
    return value
  }

  func integer(_ key: StaticString, in range: ClosedRange<Int64>) throws(PolicyProblem) -> Int64? {
    guard let member = value.member(key) else { return nil }
    if range.lowerBound == range.upperBound, member.int64 != range.lowerBound {
      throw invalid(key, "must be \(range.lowerBound), a number without quotes")
    }
    guard let number = member.int64 else {
      let given = member.kind == .number ? ", not \(member.phrase)" : ""
      throw invalid(
        key, "must be a whole number" + (member.kind == .string ? ", without quotes" : given))
    }
    guard range.contains(number) else {
      throw invalid(key, "must be from \(range.lowerBound) to \(range.upperBound), not \(number)")
    }
    return number
  }

  func bool(_ key: StaticString) throws(PolicyProblem) -> Bool? {
    guard let member = value.member(key) else { return nil }
    guard let flag = member.bool else { throw invalid(key, "must be true or false") }
    return flag
  }

  /// One of two words, as whether it is the second.
  func choice(_ key: StaticString, _ off: String, _ on: String) throws(PolicyProblem) -> Bool? {
    guard let member = value.member(key) else { return nil }
    switch member.string {
    case off: return false
    case on: return true
    default:
      throw invalid(key, "must be \"\(off)\" or \"\(on)\"\(member.nearest(among: [off, on]))")
    }
  }

  /// Reads a whole number, or decimal text if it is finer.
  func decimal(_ key: StaticString) throws(PolicyProblem) -> ExactDecimal? {
    guard let member = value.member(key) else { return nil }
    return try inside(key) { () throws(PolicyProblem) in try Self.decimal(member) }
  }

  static func decimal(_ value: JSONValue) throws(PolicyProblem) -> ExactDecimal {
    // As nearly all prices are.
    if let number = value.int64, number > 0 { return ExactDecimal(Int128(number), places: 0) }
    guard value.int64 != nil || value.kind == .string else {
      throw PolicyProblem("must be a whole number or decimal text\(inQuotes(value))")
    }
    guard let decimal = value.exactDecimal else { throw noDecimal(value) }
    return decimal
  }

  /// The end of a message about a number that has to be text; empty for others.
  private static func inQuotes(_ value: JSONValue) -> String {
    value.kind == .number && value.exactDecimal != nil
      ? "; put \(value.phrase) in quotes" : ""
  }

  private static func noDecimal(_ value: JSONValue) -> PolicyProblem {
    let range = "must be a number that is not negative, of at most 38 digits, such as \"2.50\""
    return PolicyProblem(range + given(value))
  }

  /// Repeats a value that is no decimal, with advice on its probable meaning.
  private static func given(_ value: JSONValue) -> String {
    guard let text = value.string else {
      return value.kind == .number ? ", not \(value.phrase)" : ""
    }
    return ", not \(quoted(text))\(ExactDecimal.advice(on: text))"
  }

  /// Decimal text, or a number whose digits are kept.
  static func dollars(_ value: JSONValue) throws(PolicyProblem) -> ExactDecimal {
    guard value.kind == .number || value.kind == .string else {
      throw PolicyProblem("must be a number or decimal text")
    }
    guard let decimal = value.exactDecimal else { throw noDecimal(value) }
    return decimal
  }

  /// Returns decimal text with any digits, of an amount or a factor.
  func priceText(_ key: StaticString, isFactor: Bool = false) throws(PolicyProblem)
    -> ExactDecimal?
  {
    guard let member = value.member(key) else { return nil }
    guard member.kind == .string, let decimal = member.exactDecimal else {
      let percent = isFactor && member.string?.hasSuffix("%") == true
      let advice =
        percent
        ? "; 50 % is the factor \"0.50\", 20 % on top is \"1.20\""
        : member.kind == .string ? Self.given(member) : Self.inQuotes(member)
      let example = isFactor ? "1.25" : "9.99"
      throw invalid(key, "must be decimal text, such as \"\(example)\"\(advice)")
    }
    return decimal
  }

  func span(_ key: StaticString) throws(PolicyProblem) -> TimeSpan? {
    guard let member = value.member(key) else { return nil }
    guard let span = member.string.flatMap(TimeSpan.init(text:)), span.milliseconds > 0 else {
      let advice = TimeSpan.advice(on: member.string ?? "")
      throw invalid(key, "must be a duration, such as \"15m\" or \"1h\"\(advice)")
    }
    return span
  }

  func time(_ key: StaticString) throws(PolicyProblem) -> Timestamp? {
    guard let member = value.member(key) else { return nil }
    guard let time = member.timestamp() else {
      throw invalid(key, "must be a time, such as \"2026-02-19T10:00:00Z\"")
    }
    return time
  }

  /// Maps the elements of a list; empty if it is absent.
  func list<Element>(
    _ key: StaticString, limit longest: @autoclosure () -> Int,
    _ body: (JSONValue) throws(PolicyProblem) -> Element
  ) throws(PolicyProblem) -> [Element] {
    guard let list = value.member(key) else { return [] }
    guard list.kind == .array else {
      let isShort = [.number, .string].contains(list.kind) && list.raw.count <= 40
      let example = isShort ? ", such as [\(String(decoding: list.raw, as: UTF8.self))]" : ""
      throw invalid(key, "must be a list\(example)")
    }
    let limit = longest()
    var elements: [Element] = []
    for element in list.elements {
      if elements.count == limit { throw invalid(key, "has more than \(limit) entries") }
      do {
        elements.append(try body(element))
      } catch {
        throw error.inside("\(key)[\(elements.count)]")
      }
    }
    return elements
  }
}

extension JSONValue {
  /// Returns the end of a message with the words nearest to a text, if any.
  func nearest(among words: [String]) -> String {
    NearestNames.hint(
      NearestNames.find(Name(trusted: string ?? ""), among: words.map(Name.init(trusted:))))
  }
}

/// A problem of a policy or catalog, with its path. The path grows from the inside out, so that
/// reading a valid file makes no paths.
struct PolicyProblem: Error {
  /// Empty for the whole, else like `products[2].credits`.
  private(set) var path: String
  let problem: String
  /// The model that it is in, by its id; nil if it is elsewhere.
  var model: String?

  init(_ problem: String, at path: String = "") {
    self.path = path
    self.problem = problem
  }

  /// The same problem, with its place within an object's member.
  func inside(_ member: String) -> PolicyProblem {
    let joint = path.isEmpty || path.hasPrefix("[") ? "" : "."
    var problem = self
    problem.path = member + joint + path
    return problem
  }

  /// Returns `invalid_policy` with the path.
  /// - Parameter whole: the name of the whole file.
  func error(of whole: String) -> CreditError {
    let place = path.isEmpty ? whole : path
    let model = model.map { " (model \(quoted($0)))" } ?? ""
    return CreditError(.invalidPolicy, "\(plainOrQuoted(place))\(model) \(problem)", [.path(place)])
  }

  /// Calls `body`, whose problems become errors of their paths.
  static func reported<Value>(
    of whole: String = "the policy", _ body: () throws(PolicyProblem) -> Value
  ) throws(CreditError) -> Value {
    do {
      return try body()
    } catch {
      throw error.error(of: whole)
    }
  }
}

/// Members of the kinds that records and policies are made of. Each is nil if it is absent or of
/// another kind.
extension JSONValue {
  public func string(_ key: StaticString) -> String? { member(key)?.string }

  public func int64(_ key: StaticString) -> Int64? { member(key)?.int64 }

  public func name(_ key: StaticString) -> Name? { string(key).map(Name.init(trusted:)) }

  public func timestamp(_ key: StaticString) -> Timestamp? { member(key)?.timestamp() }

  /// Returns the elements of a list. There are no elements if it is absent or not a list.
  public func elements(_ key: StaticString) -> JSONElements {
    JSONElements(of: member(key) ?? self)
  }

  /// The exact number in a number's or a string's text; nil for other values.
  public var exactDecimal: ExactDecimal? {
    if let numberText { return ExactDecimal(text: numberText) }
    return withUTF8(ExactDecimal.init(text:)) ?? nil
  }

  /// The exact amount of a number's or a string's text; nil for anything else.
  public var amount: ExactDecimal? {
    if let numberText { return ExactDecimal(amount: numberText) }
    return withUTF8(ExactDecimal.init(amount:)) ?? nil
  }

  /// A time, from text: an instant, or a day or month, whose beginning in UTC is meant.
  public func timestamp() -> Timestamp? {
    if let time = withUTF8(Timestamp.parse) ?? nil { return time }
    return string.flatMap(Timestamp.init(dateText:))
  }
}
