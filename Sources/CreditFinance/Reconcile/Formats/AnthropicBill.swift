internal import CreditModel

final class AnthropicBill: BillFormat {
  static let description = BillDescription(
    name: "anthropic", title: "Anthropic",
    summary: "Pages of usage_report/messages and of cost_report", readsTables: false)

  func read(_ value: JSONValue, into bill: Bill) throws(CreditError) {
    let pages = BillPages(
      description: Self.description, start: "starting_at", end: "ending_at",
      time: { (bucket, name) throws(CreditError) in try bucket.billTime(name) },
      report: Self.report, row: Self.row)
    try pages.read(value, into: bill)
  }

  private static func report(of result: JSONValue) throws(CreditError) -> String {
    if result.member("amount") != nil { return "cost_report" }
    if result.member("uncached_input_tokens") != nil { return "usage_report/messages" }
    throw .invalidRequest("a result has neither amount nor uncached_input_tokens")
  }

  private static func row(_ result: JSONValue, _ day: Int64) throws(CreditError) -> BillRow {
    try result.member("amount") == nil ? usageRow(result, day) : costRow(result, day)
  }

  private static let counts: [(name: StaticString, count: UsageCount)] = [
    ("uncached_input_tokens", .inputTokens), ("output_tokens", .outputTokens),
    ("cache_read_input_tokens", .cacheReadTokens),
  ]
  /// Those of `cache_creation`.
  private static let writes: [(name: StaticString, count: UsageCount)] = [
    ("ephemeral_1h_input_tokens", .cacheWrite1hTokens),
    ("ephemeral_5m_input_tokens", .cacheWriteTokens),
  ]

  private static func usageRow(_ result: JSONValue, _ day: Int64) throws(CreditError) -> BillRow {
    var usage = try result.billCounts(counts)
    var row = BillRow(day: day, model: try result.billText("model"))
    row.unread = try result.unreadCounts(known: counts.map(\.name))
    if let created = try result.billObject("cache_creation") {
      try usage.add(try created.billCounts(writes))
      row.unread += try created.unreadCounts(
        known: writes.map(\.name), prefix: "cache_creation.")
    }
    if let tools = try result.billObject("server_tool_use") {
      try usage.add(try tools.billCount("web_search_requests") ?? 0, .webSearches)
      row.callPlaces = [Int(UsageCount.webSearches.rawValue)]
      // Fetches are billed as the tokens that they bring, and not by number.
      row.unread += try tools.unreadCounts(
        known: ["web_search_requests", "web_fetch_requests"], prefix: "server_tool_use.")
    }
    row.usage = usage
    return row
  }

  private static func costRow(_ result: JSONValue, _ day: Int64) throws(CreditError) -> BillRow {
    guard let cents = try result.billDecimal("amount"),
      let currency = try result.billText("currency")
    else { throw .invalidRequest("a cost has no amount, or no currency") }
    let kind = try result.billText("cost_type")
    var row = BillRow(
      day: day, model: try result.billText("model"),
      description: try result.billText("description") ?? kind)
    row.amount = try BillAmount(cents.moved(right: 2), currency)
    if row.model != nil {
      row.place = try result.billText("token_type").flatMap(place)
    } else if kind == "web_search" {
      row.place = Int(UsageCount.webSearches.rawValue)
      row.isSharedByCount = true
    }
    return row
  }

  private static func place(of tokens: String) -> Int? {
    let found =
      counts.first { "\($0.name)" == tokens }
      ?? writes.first { "cache_creation.\($0.name)" == tokens }
    return found.map { Int($0.count.rawValue) }
  }
}
