internal import CreditJSON
internal import CreditModel

/// The content of a provider's usage.
struct LoggedCounts {
  var tokens: TokenUsage
  /// The first places of numbers that may be billed but are not our counts.
  let unread: [String]

  init(_ tokens: TokenUsage, unread: [String] = []) {
    self.tokens = tokens
    self.unread = unread.prefix(16).map { path in
      path.utf8.count <= Name.idLimit
        ? path : String(decoding: path.utf8.prefix(Name.idLimit - 3), as: UTF8.self)
    }
  }

  /// - Throws: if it cannot be read.
  init(_ reading: UsageReading) throws(LogProblem) {
    switch reading.usage {
    case .counts(.tokens(let tokens)): self.init(tokens, unread: reading.unread)
    case .counts(.units): throw .usage("it is in units")
    case .unreadable(_, let reason): throw .usage(reason)
    }
  }

  static func sum(_ left: Int64, _ right: Int64) throws(LogProblem) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    if overflow { throw .usage("the counts add up to more than \(Int64.max)") }
    return sum
  }
}

extension JSONValue {
  /// Returns the cost in dollars that a member has, digit by digit. Nil if it has no cost.
  func cost(_ name: StaticString) -> String? {
    guard let member = member(name), member.exactDecimal != nil, let text = member.logText,
      text.utf8.count <= 64
    else { return nil }
    return text
  }

  /// The value of a member, by its name or by a path with dots.
  func logMember(_ path: String) -> JSONValue? {
    path.withUTF8Bytes { member(utf8: $0) } ?? descendant(path)
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
      throw .usage("\(name) is not a whole number")
    }
    return count
  }

  /// A member that is an object; nil for anything else.
  func object(_ key: StaticString) -> JSONValue? { member(key).flatMap { $0.isObject ? $0 : nil } }

  /// The text of a string that is not empty; nil for anything else.
  func nonEmpty(_ name: StaticString) -> String? { member(name)?.word }
}

/// A provider's usage object, made from a log's parts for the table of usage shapes.
struct UsageText: ~Copyable {
  private var writer = JSONWriter(capacity: 512)

  /// - Parameter member: the place of the usage in the provider's response.
  init(member: StaticString = "usage") {
    writer.beginObject()
    writer.key(member)
    writer.beginObject()
  }

  mutating func count(_ name: StaticString, _ value: Int64?) {
    if let value { writer.member(name, value, Whole.self) }
  }

  mutating func count(_ name: String, _ value: Int64) {
    name.withUTF8Bytes { writer.key(utf8: $0) }
    writer.integer(value)
  }

  mutating func text(_ name: StaticString, _ value: String) { writer.member(name, value) }

  mutating func member(_ name: JSONValue, _ value: JSONValue) {
    name.withUTF8 { writer.key(utf8: $0) }
    writer.raw(value)
  }

  /// Writes an object of counts, but for those that are not there.
  mutating func object(_ name: StaticString, _ counts: [(StaticString, Int64?)]) {
    writer.key(name)
    writer.beginObject()
    for (name, value) in counts { count(name, value) }
    writer.endObject()
  }

  /// - Throws: if the usage cannot be read.
  consuming func usage() throws(LogProblem) -> LoggedCounts {
    writer.endObject()
    writer.endObject()
    guard let document = try? JSONDocument(writer.withBytes { Array($0) }) else {
      throw .usage("its members are not JSON")
    }
    return try document.withRoot { (response) throws(LogProblem) in
      try LoggedCounts(UsageReading.of(response))
    }
  }
}
