internal import CreditModel

/// Rows of FOCUS 1.0 to 1.3, as AWS, Azure and Google export them.
final class FocusBill: BillFormat {
  static let description = BillDescription(
    name: "focus", title: "FOCUS",
    summary: "FOCUS 1.0 to 1.3 in CSV, as AWS, Azure and Google export it")

  private static let columns: [StaticString] = [
    "BilledCost", "BillingCurrency", "ChargePeriodStart", "ChargeCategory",
  ]

  func read(_ value: JSONValue, into bill: Bill) throws(CreditError) {
    for column in Self.columns where value.member(column) == nil {
      throw .invalidRequest("it has no column \(column), which FOCUS requires")
    }
    guard let cost = try value.billDecimal("BilledCost"),
      let currency = try value.billText("BillingCurrency")
    else { throw .invalidRequest("a row has no BilledCost or BillingCurrency") }
    let start = try value.billTime("ChargePeriodStart")
    let day = bill.period.day(of: start)
    guard try bill.isNew(value, of: day) else { return }
    var row = BillRow(day: day)
    row.model = try model(of: value, bill)
    row.description = try value.billText("ChargeDescription", "ServiceName", "ChargeCategory")
    row.amount = try BillAmount(cost, currency)
    let end =
      value.billMember("ChargePeriodEnd") == nil ? nil : try value.billTime("ChargePeriodEnd")
    if let end, end < start {
      throw .invalidRequest("a charge ends before it begins, at \(start.text)")
    }
    if row.model != nil {
      if let end, end > bill.period.beginning(of: day + 1) {
        throw .invalidRequest("a charge of a model from \(start.text) on covers more than one day")
      }
      try readQuantity(value, into: &row)
    }
    try bill.add(row)
  }

  private func model(of value: JSONValue, _ bill: Bill) throws(CreditError) -> String? {
    guard let column = bill.modelColumn else { return nil }
    guard let cell = column.withUTF8Bytes({ value.member(utf8: $0) }) else {
      throw .invalidRequest("there is no column \(quoted(column))")
    }
    return cell.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func readQuantity(_ value: JSONValue, into row: inout BillRow) throws(CreditError) {
    guard let quantity = try value.billDecimal("ConsumedQuantity"), !quantity.isZero else { return }
    let unit = try value.billText("ConsumedUnit") ?? ""
    let meter = try value.billText("SkuMeter", "ChargeDescription") ?? ""
    guard let scale = Self.tokens(in: unit), let count = Self.count(of: meter) else {
      row.unread = [
        (unit.isEmpty ? meter : unit, quantity.whole.flatMap { $0 > 0 ? $0 : nil } ?? 1)
      ]
      row.isUsagePartial = true
      return
    }
    guard let tokens = quantity.times(scale)?.whole, tokens >= 0 else {
      throw CreditError(
        .invalidUsage, "a quantity is not a whole number of tokens: \(quantity.fullText) \(unit)")
    }
    var usage = Quantities()
    try usage.add(tokens, count)
    row.usage = usage
    row.place = Int(count.rawValue)
  }

  /// Returns the number of tokens in a unit; nil for another unit.
  private static func tokens(in unit: String) -> Int64? {
    switch unit.lowercased() {
    case "token", "tokens": 1
    case "1k tokens", "1k token", "1000 tokens", "k tokens", "ktokens": 1000
    case "1m tokens", "1m token", "1000000 tokens", "m tokens", "million tokens": 1_000_000
    default: nil
    }
  }

  private static func count(of meter: String) -> UsageCount? {
    let name = meter.lowercased().utf8
    func has(_ text: String) -> Bool { name.contains(text) }
    if has("image") || has("audio") || has("video") { return nil }
    if has("cache") || has("cached") {
      if has("write") || has("creation") {
        return has("1h") ? .cacheWrite1hTokens : .cacheWriteTokens
      }
      return has("read") || has("cached input") || has("input") ? .cacheReadTokens : nil
    }
    if has("input") || has("prompt") { return has("output") ? nil : .inputTokens }
    return has("output") || has("completion") ? .outputTokens : nil
  }
}
