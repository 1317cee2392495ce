import CreditModel
import Testing

@testable import CreditFinance

/// Causes, tolerance and totals.
@Suite struct ComparisonTests {
  /// A bill of one day: a model's usage and its cost in cents.
  private func bill(
    input: Int64 = 0, output: Int64 = 0, _ costs: [(String, String)] = []
  ) -> [String] {
    let usage = anthropicPage([[anthropicUsage("opus", input: input, output: output)]])
    if costs.isEmpty { return [usage] }
    let rows = costs.map { anthropicCost($0.0, "opus", $0.1, "Opus \($0.1)") }
    return [usage, anthropicPage([rows])]
  }

  private func books(_ counts: String, _ usd: String?) -> [String] {
    [usage("1", "2026-11-01T01:00:00Z", "opus", counts, usd: usd)]
  }

  private let input = "uncached_input_tokens"
  private let output = "output_tokens"

  @Test func countsThatDiffer() throws {
    let compared = try compare(
      AnthropicBill.self, bill(input: 1_000_000, [("500", input)]),
      books("\"inputTokens\":900000", "4.5"))
    #expect(compared.causes == [.quantity])
    #expect(compared[0, "counts"] == "{\"inputTokens\":100000}")
    #expect(compared[0, "differenceUSD"] == "0.5")
    #expect(compared.result.findings[0].words == "quantity: 100,000 inputTokens more")
  }

  @Test func pricesThatDiffer() throws {
    let compared = try compare(
      AnthropicBill.self, bill(input: 500_000, [("50", input)]),
      books("\"inputTokens\":500000", "0.4"))
    #expect(compared.causes == [.price])
    #expect(compared[0, "pricePer1M.bill.input"] == "1")
    #expect(compared[0, "pricePer1M.books.input"] == "0.8")
    #expect(compared.result.findings[0].words == "price: input 1 for 0.8 per 1M")
  }

  /// People see four digits behind the point, and more only if these would show no difference.
  @Test(arguments: [
    (3_000_000, "400", "3", "1.3333 for 1"), (3_000_000, "400", "4.0003", "1.3333 for 1.3334"),
    (3_000_000, "400", "4.00001", "1.33333 for 1.33334"),
    (3_000_000, "400", "4.0000003", "1.33333333 for 1.3333334333333"),
    (54_321_987, "73758.37", "731.2", "13.578 for 13.4605"),
    (30_000_000_000, "4000", "41", "0.001333 for 0.001367"),
  ])
  func pricesAreRoundedForPeople(_ count: Int64, _ cents: String, _ usd: String, _ words: String)
    throws
  {
    let compared = try compare(
      AnthropicBill.self, bill(input: count, [(cents, input)]),
      books("\"inputTokens\":\(count)", usd))
    #expect(compared.causes == [.price])
    #expect(compared.result.findings[0].words == "price: input \(words) per 1M")
    if count == 3_000_000 { #expect(compared[0, "pricePer1M.bill.input"] == "1.33333333") }
  }

  @Test func countsAndPricesThatDiffer() throws {
    // 100,000 more at $5 a million, and the others at $5 for $4.
    let compared = try compare(
      AnthropicBill.self, bill(input: 1_000_000, [("500", input)]),
      books("\"inputTokens\":900000", "3.6"))
    #expect(compared.causes == [.both])
    #expect(compared[0, "quantityUSD"] == "0.5" && compared[0, "priceUSD"] == "0.9")
    #expect(compared.result.findings[0].words == "both: quantity 0.50, price 0.90")
  }

  /// Their cost is unknown, even if all else agrees.
  @Test(arguments: ["0", "50%"])
  func countsThatNoPriceKnowsAreNeverEqual(_ tolerance: String) throws {
    let bill = bill(input: 5, [("100", input)]).map {
      $0.replacing("\"output_tokens\"", with: "\"new_kind_tokens\":9000000,\"output_tokens\"")
    }
    func compared(_ usd: String, now: String = "2027-01-01T00:00:00Z") throws -> Compared {
      try compare(AnthropicBill.self, bill, books("\"inputTokens\":5", usd), now: now) {
        $0.tolerance = Tolerance(text: tolerance) ?? .none
      }
    }
    let equal = try compared("1")
    #expect(equal.causes == [.unread] && equal[total: "ok"] == "false")
    #expect(equal.result.findings[0].words == "unread: 9,000,000 new_kind_tokens")
    #expect(equal[0, "unread.new_kind_tokens"] == "9000000")
    let other = try compared("9")
    #expect(other.causes == [.price])
    #expect(other.result.findings[0].words.hasSuffix("; unread: 9,000,000 new_kind_tokens"))
    #expect(try compared("1", now: "2026-11-01T12:00:00Z").causes == [.open])
  }

  /// A credit, and money of another currency, of a day that may still change.
  @Test func allLinesOfAYoungDayAreOpen() throws {
    let rows = [
      anthropicCost("-100", nil, nil, "Promotion", type: "credit"),
      anthropicCost("900", "opus", nil, "Opus", currency: "EUR"),
      anthropicCost("-9", nil, nil, "Promotion", type: "credit", currency: "EUR"),
    ]
    let page = anthropicPage([rows])
    let young = try compare(AnthropicBill.self, [page], now: "2026-11-01T12:00:00Z")
    #expect(young.causes == [.open, .open, .open] && young[total: "ok"] == "true")
    let old = try compare(AnthropicBill.self, [page])
    #expect(Set(old.causes) == [.credit, .notInBooks])
  }

  @Test func pricesOfSeveralCounts() throws {
    let compared = try compare(
      AnthropicBill.self,
      bill(input: 1_000_000, output: 200_000, [("500", input), ("500", output)]),
      books("\"inputTokens\":1000000,\"outputTokens\":100000", "7.5"))
    #expect(compared.causes == [.quantity])
    #expect(compared[0, "counts"] == "{\"outputTokens\":100000}")
  }

  /// If no side shows the price of a count, all of the difference is one of counts.
  @Test func withoutPricesADifferenceOfCountsIsOne() throws {
    let csv = "date,model,usage,prompt_tokens,completion_tokens\n2026-11-01,opus,9,5,7\n"
    let compared = try compare(
      OpenRouterBill.self, [csv], books("\"inputTokens\":4,\"outputTokens\":9", "5"))
    #expect(compared.causes == [.quantity])
    #expect(compared[0, "differenceUSD"] == "4")
  }

  @Test func entriesOfOneSide() throws {
    let compared = try compare(
      AnthropicBill.self, [anthropicPage([[anthropicUsage("opus", input: 5)]])],
      books("\"inputTokens\":5", nil)
        + [usage("2", "2026-11-01T01:00:00Z", "haiku", "\"inputTokens\":5", usd: "3")])
    #expect(compared.causes == [.notInBill, .equal])
    #expect(compared[total: "differenceUSD"] == nil)
    #expect(compared[total: "uncomparedUSD"] == "3")
  }

  @Test func dollarsAlone() throws {
    let page = anthropicPage([[anthropicCost("100", "opus", nil)]])
    let compared = try compare(AnthropicBill.self, [page], books("\"inputTokens\":5", "1"))
    #expect(compared.causes == [.equal] && compared[0, "compared"] == "usd")
    let counts = try compare(
      AnthropicBill.self, bill(input: 5), books("\"inputTokens\":5", "1"))
    #expect(counts.causes == [.equal] && counts[0, "compared"] == "usage")
    #expect(counts[total: "differenceUSD"] == nil)
  }

  @Test func booksWithoutDollarsAreNotEqual() throws {
    let compared = try compare(
      AnthropicBill.self, bill(input: 5, [("100", input)]), books("\"inputTokens\":5", nil))
    #expect(compared.causes == [.price])
    #expect(compared[0, "booksUSD"] == nil && compared[0, "differenceUSD"] == "1")
    #expect(compared.result.findings[0].words == "price: input (billed 200000 per 1M)")
  }

  @Test func pricesThatOneAmountHidesAreNamed() throws {
    let csv = "date,model,usage,prompt_tokens,completion_tokens\n2026-11-01,opus,9,5,7\n"
    let compared = try compare(
      OpenRouterBill.self, [csv], books("\"inputTokens\":5,\"outputTokens\":7", "5"))
    #expect(compared.causes == [.price])
    #expect(compared.result.findings[0].words == "price: one or more of input, output")
  }

  @Test func aYoungDayIsOpen() throws {
    let bills = bill(input: 5, [("100", input)])
    func causes(_ now: String, _ hours: Int64 = 24) throws -> [Cause] {
      try compare(AnthropicBill.self, bills, now: now) { $0.settled = .seconds(hours * 3600) }
        .causes
    }
    #expect(try causes("2026-11-02T23:59:59Z") == [.open])
    #expect(try causes("2026-11-03T00:00:00Z") == [.notInBooks])
    #expect(try causes("2026-11-02T00:00:00Z", 0) == [.notInBooks])
    let compared = try compare(AnthropicBill.self, bills, now: "2026-11-02T00:00:00Z")
    #expect(compared[total: "ok"] == "true" && compared[total: "causes.open"] == "1")
  }

  @Test func moneyBackIsACredit() throws {
    let page = anthropicPage([[anthropicCost("-500", nil, nil, "Credit")]])
    let compared = try compare(AnthropicBill.self, [page])
    #expect(compared.causes == [.credit] && compared[total: "ok"] == "false")
  }

  @Test func tolerance() throws {
    func causes(_ tolerance: String, _ cents: String, _ count: Int64 = 5) throws -> Compared {
      try compare(
        AnthropicBill.self, bill(input: count, [(cents, input)]), books("\"inputTokens\":5", "1")
      ) { $0.tolerance = Tolerance(text: tolerance) ?? .none }
    }
    #expect(try causes("0.05", "105").causes == [.equal])
    #expect(try causes("0.05", "105")[0, "differenceUSD"] == "0.05")
    #expect(try causes("0.05", "105.000001").causes == [.price])
    #expect(try causes("0.05", "95").causes == [.equal])
    #expect(try causes("1%", "101").causes == [.equal])
    #expect(try causes("1%", "101.1").causes == [.price])
    #expect(try causes("0.05", "101", 6).causes == [.equal])
    // A count more at no cost: the price of all others is lower.
    #expect(try causes("0", "100", 6).causes == [.both])
    for text in ["", "%", "-1", "x", "1%%", "1 %", "0x1"] { #expect(Tolerance(text: text) == nil) }
  }

  @Test func groupings() throws {
    let pages = [
      anthropicPage([
        [anthropicUsage("opus", input: 1), anthropicUsage("haiku", input: 2)],
        [anthropicUsage("opus", input: 4)],
      ])
    ]
    func subjects(_ grouping: Grouping) throws -> [String] {
      try compare(AnthropicBill.self, pages) { $0.grouping = grouping }.result.findings
        .map { "\($0.day) \($0.subject.text) \($0.billCounts[.inputTokens])" }
    }
    #expect(
      try subjects(.dayAndModel) == [
        "2026-11-01 haiku 2", "2026-11-01 opus 1", "2026-11-02 opus 4",
      ])
    #expect(try subjects(.day) == ["2026-11-01  3", "2026-11-02  4"])
    #expect(try subjects(.model) == [" haiku 2", " opus 5"])
    #expect(failure { try compare(AnthropicBill.self, pages) { $0.grouping = .key } } != nil)
  }

  @Test func totals() throws {
    let compared = try compare(
      AnthropicBill.self, bill(input: 5, [("100", input)]), books("\"inputTokens\":5", "0.9"))
    #expect(
      compared.total == """
        {"total":true,"since":"2026-11-01T00:00:00.000Z","until":"2026-11-02T00:00:00.000Z",\
        "billUSD":"1","booksUSD":"0.9","differenceUSD":"0.1","causes":{"price":"0.1"},"days":1,\
        "models":1,"lines":{"price":1},"tolerance":"0","ok":false}
        """)
    #expect(
      compared.result.totals.sentence
        == "1 of 1 line differs: the bill is 0.10 USD above the books (10.00 %)")
  }

  @Test func decimals() {
    func decimal(_ text: String) -> ExactDecimal {
      text.withUTF8Bytes { ExactDecimal(amount: $0) } ?? .zero
    }
    #expect(decimal("0.85").percent(of: decimal("25.25"))?.fullText == "3.37")
    #expect(decimal("-0.85").percent(of: decimal("25.25"))?.fullText == "-3.37")
    #expect(decimal("1").percent(of: decimal("0")) == nil)
    #expect(decimal("1").percent(of: decimal("8"))?.fullText == "12.50")
    #expect(decimal("1").divided(by: 8, morePlaces: 2)?.quotient.text == "0.13")
    #expect(decimal("-1").divided(by: 8, morePlaces: 2)?.quotient.text == "-0.13")
    #expect(decimal("1").divided(by: 8, morePlaces: 3)?.isExact == true)
    #expect(decimal("1").divided(by: 0, morePlaces: 3) == nil)
    #expect(decimal("1.50").whole == nil && decimal("15.0").whole == 15)
    let large = decimal(String(repeating: "9", count: 38))
    #expect(large.times(large) == nil && large.times(1) != nil)
  }
}
