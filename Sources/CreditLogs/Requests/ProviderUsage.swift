internal import CreditJSON
internal import CreditModel

extension JSONValue {
  /// What a provider's response says was used, by the table of usage shapes.
  /// - Throws: where that cannot be read.
  func usage() throws(LogProblem) -> TokenUsage {
    switch UsageReading(of: self).usage {
    case .counts(.tokens(let tokens)): return tokens
    case .counts(.units): throw .usage("it is in units")
    case .unreadable(_, let reason): throw .usage(reason)
    }
  }

  /// What a member says it cost in dollars, digit by digit; nil where there is none.
  func cost(_ name: StaticString) -> String? {
    guard let member = member(name), member.exactDecimal != nil, let text = member.logText,
      text.utf8.count <= 64
    else { return nil }
    return text
  }
}

/// A provider's usage object, put together of what a log keeps of one, to be read by the table of
/// usage shapes as the provider's own.
struct UsageText: ~Copyable {
  private var writer = JSONWriter(capacity: 512)

  /// - Parameter member: where a response of the provider has its usage.
  init(member: StaticString = "usage") {
    writer.beginObject()
    writer.key(member)
    writer.beginObject()
  }

  mutating func count(_ name: StaticString, _ value: Int64?) {
    if let value { writer.member(name, value) }
  }

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

  /// - Throws: where the usage cannot be read.
  consuming func usage() throws(LogProblem) -> TokenUsage {
    writer.endObject()
    writer.endObject()
    guard let document = try? JSONDocument(writer.withBytes { Array($0) }) else {
      throw .usage("its members are no JSON")
    }
    return try document.withRoot { (response) throws(LogProblem) in try response.usage() }
  }
}
