import CreditModel
import Testing

@testable import CreditFinance

/// One comparison, from texts to the lines that it prints.
struct Compared {
  /// The results as JSON, the total left out.
  var lines: [String]
  /// The total as JSON.
  var total: String
  var result: Reconciliation.Result

  /// The causes of the lines, in their order.
  var causes: [Cause] { result.findings.map(\.cause) }

  /// A member of a line, or of the total, as text without quotes.
  static func member(_ path: String, of line: String) -> String? {
    guard let document = try? JSONDocument(line) else { return nil }
    return document.withRoot { root in
      var value: JSONValue? = root
      for step in path.split(separator: ".") {
        var step = String(step)
        value = step.withUTF8 { value?.member(utf8: Bytes($0)) }
      }
      guard let value else { return nil }
      return value.string ?? String(decoding: value.raw, as: UTF8.self)
    }
  }

  subscript(total path: String) -> String? { Self.member(path, of: total) }

  subscript(line: Int, path: String) -> String? { Self.member(path, of: lines[line]) }
}

/// Compares bills with a history.
/// - Parameters:
///   - bills: the texts of files, `bill1`, `bill2`.
///   - models: those of the books that are compared; nil for all.
///   - change: sets options.
func compare(
  _ format: any BillFormat.Type, _ bills: [String], _ history: [String] = [],
  offset: String = "Z", since: String? = nil, until: String? = nil,
  now: String = "2027-01-01T00:00:00Z", maps: [String: String] = [:], models: [String]? = nil,
  _ change: (inout ReconcileOptions) -> Void = { _ in }
) throws -> Compared {
  let zone = try #require(ReportClock(offset: offset))
  let period = try #require(
    BillPeriod(
      since: since.flatMap { Timestamp(dateText: $0) },
      until: until.flatMap { Timestamp(dateText: $0) }, clock: zone))
  var options = ReconcileOptions(period: period, now: try #require(Timestamp(text: now)))
  change(&options)
  let match = ModelMatch(maps: maps, patterns: try models.map { try ModelPatterns($0) })
  let reconciliation = Reconciliation(format, options, match)
  for (number, text) in bills.enumerated() {
    try reconciliation.readFile("bill\(number + 1)") { (take) throws(CreditError) in
      let bytes = Array(text.utf8)
      // In pieces, as files come.
      for start in stride(from: 0, to: bytes.count, by: 7) {
        let piece = Array(bytes[start..<min(start + 7, bytes.count)])
        try piece.span.withBytes { (bytes) throws(CreditError) in try take(bytes) }
      }
    }
  }
  try reconciliation.beginBooks()
  for line in history {
    let document = try JSONDocument(line)
    try document.withRoot { (value) throws(CreditError) in try reconciliation.add(value) }
  }
  let result = try reconciliation.finish()
  var writer = JSONWriter()
  var lines: [String] = []
  for finding in result.findings {
    writer.removeAll()
    writer.finding(finding, by: result.grouping)
    lines.append(writer.withBytes { String(decoding: $0, as: UTF8.self) })
  }
  writer.removeAll()
  writer.totals(result.totals)
  return Compared(
    lines: lines, total: writer.withBytes { String(decoding: $0, as: UTF8.self) }, result: result)
}

/// Returns the error of a comparison.
func failure(_ body: () throws -> Compared) -> CreditError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? CreditError
  }
}

/// A usage line of the history.
func usage(
  _ id: String, _ time: String, _ model: String, _ counts: String, usd: String? = nil,
  costUSD: String? = nil
) -> String {
  let money = usd.map { ",\"usd\":\"\($0)\"" } ?? ""
  let cost = costUSD.map { ",\"costUSD\":\"\($0)\"" } ?? ""
  return """
    {"id":"\(id)","account":"ana","type":"usage","status":"completed","credits":-1,"balance":1,\
    "timestamp":"2026-12-24T00:00:00.000Z","model":"\(model)","usage":{\(counts)},\
    "key":"key-\(id)","usedAt":"\(time)"\(money)\(cost)}
    """
}

/// A page of Anthropic's usage: results by day, from 2026-11-01 on.
func anthropicPage(_ days: [[String]], from first: Int = 1, more: String? = nil) -> String {
  func day(_ number: Int) -> String {
    let date = Timestamp(milliseconds: (20_757 + Int64(number)) * 86_400_000)
    return "\(date.text.prefix(10))T00:00:00Z"
  }
  let buckets = days.enumerated().map { place, results in
    """
    {"starting_at":"\(day(first + place))","ending_at":"\(day(first + place + 1))",\
    "results":[\(results.joined(separator: ","))]}
    """
  }
  return """
    {"data":[\(buckets.joined(separator: ","))],"has_more":\(more != nil),\
    "next_page":\(more.map { "\"\($0)\"" } ?? "null")}
    """
}

extension Quantities {
  subscript(count: UsageCount) -> Int64 { self[Int(count.rawValue)] }
}

func anthropicUsage(
  _ model: String, input: Int64 = 0, output: Int64 = 0, read: Int64 = 0, write: Int64 = 0,
  write1h: Int64 = 0, searches: Int64 = 0
) -> String {
  """
  {"uncached_input_tokens":\(input),"cache_creation":{"ephemeral_1h_input_tokens":\(write1h),\
  "ephemeral_5m_input_tokens":\(write)},"cache_read_input_tokens":\(read),\
  "output_tokens":\(output),"server_tool_use":{"web_search_requests":\(searches)},\
  "model":"\(model)","service_tier":null}
  """
}

func anthropicCost(
  _ cents: String, _ model: String?, _ token: String?, _ description: String = "Claude",
  type: String = "tokens", currency: String = "USD"
) -> String {
  """
  {"currency":"\(currency)","amount":"\(cents)","description":"\(description)",\
  "cost_type":"\(type)","model":\(model.map { "\"\($0)\"" } ?? "null"),\
  "token_type":\(token.map { "\"\($0)\"" } ?? "null")}
  """
}
