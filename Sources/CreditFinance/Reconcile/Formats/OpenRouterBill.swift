internal import CreditModel

final class OpenRouterBill: BillFormat {
  static let description = BillDescription(
    name: "openrouter", title: "OpenRouter",
    summary: "Activity (JSON or CSV), the CSV export, and generation objects")

  func read(_ value: JSONValue, into bill: Bill) throws(CreditError) {
    guard let data = value.member("data") else { return try readRow(value, into: bill) }
    if data.isObject { return try readRow(data, into: bill) }
    guard data.kind == .array else { throw .invalidRequest("data is neither a list nor an object") }
    for row in data.elements { try readRow(row, into: bill) }
  }

  private func readRow(_ row: JSONValue, into bill: Bill) throws(CreditError) {
    if row.billMember("date") != nil { return try readActivity(row, into: bill) }
    if row.billMember("generation_id") != nil { return try readExport(row, into: bill) }
    if row.billMember("id") != nil, row.member("total_cost") != nil {
      return try readGeneration(row, into: bill)
    }
    throw .invalidRequest("it is not an activity (date), export (generation_id) or generation (id)")
  }

  // MARK: Activity

  private func readActivity(_ value: JSONValue, into bill: Bill) throws(CreditError) {
    let date = try value.billText("date") ?? ""
    // The interface has `2025-08-24`; some exports add the hour 0.
    guard let day = Timestamp(dateText: String(date.prefix(10))), date.utf8.count >= 10 else {
      throw .invalidRequest("\(quoted(date)) is not a day")
    }
    let parts: [StaticString] = ["model", "model_permaslug", "endpoint_id", "provider_name"]
    var group = date
    for part in parts { group += " " + (try value.billText(part) ?? "-") }
    guard try bill.isNew(group, value) else { return }
    var row = BillRow(day: day.dayNumber)
    row.model = try value.billText("model", "model_permaslug")
    row.amount = try dollars(value, "usage")
    row.usage = try counts(value, input: "prompt_tokens", output: "completion_tokens")
    row.detail = .totals
    try readOwnKey(value, "byok_usage_inference", into: &row)
    try bill.add(row)
  }

  // MARK: Calls

  private func readExport(_ value: JSONValue, into bill: Bill) throws(CreditError) {
    var row = BillRow(day: bill.period.day(of: try value.billTime("created_at")))
    row.key = try value.billText("generation_id")
    guard try bill.isNew(row.key ?? "", value) else { return }
    row.model = try value.billText("model_permaslug")
    row.amount = try dollars(value, "cost_total")
    row.usage = try counts(
      value, input: "tokens_prompt", output: "tokens_completion", cached: "tokens_cached")
    row.detail = .cacheReads
    try readOwnKey(value, "byok_usage_inference", into: &row)
    try bill.add(row)
  }

  private func readGeneration(_ value: JSONValue, into bill: Bill) throws(CreditError) {
    var row = BillRow()
    row.key = try value.billText("id")
    guard try bill.isNew(row.key ?? "", value) else { return }
    if value.billMember("created_at") != nil {
      row.day = bill.period.day(of: try value.billTime("created_at"))
    }
    row.model = try value.billText("model")
    row.amount = try dollars(value, "total_cost")
    row.usage = try counts(
      value, input: "native_tokens_prompt", output: "native_tokens_completion",
      cached: "native_tokens_cached")
    row.detail = .cacheReads
    // Without an own key it repeats the call's cost.
    if value.member("is_byok")?.bool == true {
      row.hasOwnKey = true
      try readOwnKey(value, "upstream_inference_cost", into: &row)
    }
    try bill.add(row)
  }

  private func readOwnKey(
    _ value: JSONValue, _ name: StaticString, into row: inout BillRow
  ) throws(CreditError) {
    if value.billMember("is_byok").map({ $0.bool == true || $0.utf8Equals("true") }) == true {
      row.hasOwnKey = true
    }
    guard let cost = try value.billDecimal(name), !cost.isZero else { return }
    row.hasOwnKey = true
    row.costOfOwnKey = cost
  }

  private func dollars(
    _ value: JSONValue, _ name: StaticString
  ) throws(CreditError) -> BillAmount {
    guard let dollars = try value.billDecimal(name) else {
      throw .invalidRequest("it has no \(name)")
    }
    return try BillAmount(dollars, "USD")
  }

  private func counts(
    _ value: JSONValue, input: StaticString, output: StaticString, cached: StaticString? = nil
  ) throws(CreditError) -> Quantities? {
    guard let all = try value.billCount(input), let answer = try value.billCount(output) else {
      return nil
    }
    let reads = try cached.map { (name) throws(CreditError) in try value.billCount(name) ?? 0 } ?? 0
    guard reads <= all else {
      throw CreditError(.invalidUsage, "\(input) is less than what was read from the cache")
    }
    var usage = Quantities()
    try usage.add(all - reads, .inputTokens)
    try usage.add(reads, .cacheReadTokens)
    try usage.add(answer, .outputTokens)
    return usage
  }
}
