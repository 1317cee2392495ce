import Testing

@testable import CreditModel
@testable import TestSupport

@Suite struct PriceQuoteTests {
  private let sonnet = ServicePricing.dollars(
    rates(input: "0.000003", output: "0.000015", cacheRead: "0.0000003", cacheWrite: "0.00000375"))
  private let longContext = ServicePricing.dollars(
    rates(
      input: "0.000003", output: "0.000015",
      tiers: [
        (200_000, "0.000006", "0.0000225"), (1_000_000, "0.00001", "0.00003"),
      ]))

  @Test func roundsUpOnceAtTheEnd() throws {
    let quote = try PriceRules().quote(tokens(1200, 500), at: sonnet)
    #expect(quote.credits == 12)
    #expect(quote.usd == "0.0111")
    #expect(!quote.isFallback)
    // Exactly 12 credits, and one token more.
    #expect(try PriceRules().quote(tokens(4000, 0), at: sonnet).credits == 12)
    #expect(try PriceRules().quote(tokens(4001, 0), at: sonnet).credits == 13)
  }

  @Test func aNegativeCostIsRefusedIfItIsThePrice() throws {
    let refusal = #expect(throws: CreditError.self) {
      try PriceRules().quote(tokens(1, 2), costIsNegative: true, at: .reportedCost)
    }
    #expect(refusal?.code == .invalidUsage)
    #expect(refusal?.message == "the reported cost is negative")
    #expect(
      try PriceRules().quote(tokens(1200, 500), costIsNegative: true, at: sonnet).credits == 12)
  }

  @Test func countsAllFourDisjointly() throws {
    let quote = try PriceRules().quote(tokens(1, 10, 100, 1000), at: sonnet)
    #expect(quote.usd == "0.003933")
    #expect(quote.credits == 4)
  }

  @Test func nonZeroUsageCostsTheMinimumAndZeroUsageNothing() throws {
    var rules = PriceRules()
    #expect(try rules.quote(tokens(1, 0), at: sonnet).credits == 1)
    #expect(try rules.quote(tokens(0, 0), at: sonnet).credits == 0)
    #expect(try rules.quote(tokens(0, 0), at: sonnet).usd == "0")
    rules.minimumCharge = 5
    #expect(try rules.quote(tokens(0, 0, 0, 1), at: sonnet).credits == 5)
    #expect(try rules.quote(tokens(0, 0), at: sonnet).credits == 0)
    #expect(try rules.quote(tokens(2000, 0), at: sonnet).credits == 6)
    let nothing = ServicePricing.dollars(rates(input: "0", output: "0"))
    #expect(try rules.quote(tokens(1, 1), at: nothing).credits == 5)
    #expect(try rules.quote(units(1), at: .perUnit(.zero)).credits == 5)
    #expect(try rules.quote(units(0), at: .perUnit(decimal("2"))).credits == 0)
    #expect(try rules.quote(units(1), at: .perRequest(2)).credits == 5)
    #expect(try rules.quote(tokens(0, 1), at: .perRequest(0)).credits == 5)
    #expect(try rules.quote(units(1), at: .perRequest(6)).credits == 6)
    #expect(try rules.quote(units(0), at: .perRequest(2)).credits == 2)
    #expect(try rules.quote(units(1), at: .free).credits == 0)
    rules.minimumCharge = 0
    #expect(try rules.quote(tokens(1, 1), at: nothing).credits == 0)
  }

  @Test func tiersAreCliffsStrictlyAboveTheirThreshold() throws {
    func usd(_ reported: ReportedUsage) throws -> String? {
      try PriceRules().quote(reported, at: longContext).usd
    }
    #expect(try usd(tokens(200_000, 0)) == "0.6")
    #expect(try usd(tokens(200_001, 0)) == "1.200006")
    #expect(try usd(tokens(1_000_000, 0)) == "6")
    #expect(try usd(tokens(1_000_001, 0)) == "10.00001")
    // Output alone never reaches a tier; cached input does, and then output costs more too.
    #expect(try usd(tokens(0, 1_000_000)) == "15")
    #expect(try usd(tokens(1, 10, 100_000, 100_000)) == "1.200231")
    #expect(try usd(tokens(0, 10, 100_000, 100_000)) == "0.60015")
  }

  @Test func tierGoesByTheWholeSumOfInputs() throws {
    let all = tokens(.max, 0, .max, .max)
    #expect(try PriceRules().quote(all, at: .credits(rates(input: "0", output: "1"))).credits == 1)
    let top = ServicePricing.credits(
      rates(input: "0", output: "1", tiers: [(.max, "0", "2")]))
    #expect(try PriceRules().quote(tokens(.max, 7), at: top).credits == 7)
    #expect(try PriceRules().quote(tokens(.max, 7, 1, 0), at: top).credits == 14)
  }

  @Test func creditsATokenHaveNoDollars() throws {
    let pricing = ServicePricing.credits(rates(input: "0.003", output: "0.015"))
    let quote = try PriceRules().quote(tokens(1000, 1), at: pricing)
    #expect(quote.credits == 4)
    #expect(quote.usd == nil)
  }

  @Test func pricesUnitsAndRequests() throws {
    let rules = PriceRules()
    #expect(try rules.quote(units(61), at: .perUnit(decimal("0.5"))).credits == 31)
    #expect(try rules.quote(units(.max), at: .perUnit(decimal("1"))).credits == .max)
    #expect(try rules.quote(units(10), at: .perRequest(3)).credits == 3)
    #expect(try rules.quote(tokens(0, 0), at: .perRequest(3)).credits == 3)
    #expect(try rules.quote(tokens(9, 9), at: .free).credits == 0)
  }

  @Test func flatPricesNeedNoUsage() throws {
    let unreadable = ReportedUsage.unreadable(raw: "", reason: "the request has no usage")
    for pricing in [ServicePricing.perRequest(3), .free] {
      let quote = try PriceRules().quote(unreadable, at: pricing)
      #expect(quote.credits == (pricing == .free ? 0 : 3))
      #expect(!quote.isFallback)
    }
  }

  @Test func unreadableUsageIsRefusedOrCostsTheMinimum() throws {
    let raw = #"{"total_tokens":5}"#
    let unreadable = ReportedUsage.unreadable(raw: raw, reason: "there is only a total")
    var rules = PriceRules()
    let error = failure { () throws(CreditError) in try rules.quote(unreadable, at: sonnet) }
    #expect(error?.code == .invalidUsage)
    #expect(error?.message == "there is only a total")
    rules.chargesMinimumForUnreadableUsage = true
    rules.minimumCharge = 2
    let quote = try rules.quote(unreadable, at: sonnet)
    #expect(quote.credits == 2)
    #expect(quote.isFallback)
    #expect(quote.usd == nil)
  }

  @Test(arguments: ["", "null", "{}"])
  func anAbsentUsageNamesTheCountsOfThePrice(_ raw: String) {
    let absent = ReportedUsage.unreadable(raw: raw, reason: "there is none")
    for (pricing, flag, member) in [
      (sonnet, "--input-tokens N --output-tokens N", #""inputTokens":N,"outputTokens":N"#),
      (.perUnit(decimal("1")), "--units N", #""units":N"#),
    ] {
      let error = failure { () throws(CreditError) in
        try PriceRules().quote(absent, at: pricing)
      }
      #expect(error?.message == "there is none; give \(flag), or \"usage\":{\(member)}")
    }
  }

  @Test func refusesTheWrongKindOfUsage() {
    let rules = PriceRules()
    let credits = ServicePricing.credits(rates(input: "1", output: "1"))
    let errors = [
      failure { () throws(CreditError) in try rules.quote(units(1), at: sonnet) },
      failure { () throws(CreditError) in try rules.quote(units(1), at: credits) },
      failure { () throws(CreditError) in
        try rules.quote(tokens(1, 1), at: .perUnit(decimal("1")))
      },
    ]
    #expect(errors.map { $0?.code } == [.invalidUsage, .invalidUsage, .invalidUsage])
  }

  @Test func refusesWhatDoesNotFitIn64Bits() throws {
    var rules = PriceRules()
    rules.usdMicrosPerCredit = 1
    let dollar = ServicePricing.dollars(rates(input: "0.000001", output: "1000000"))
    #expect(try rules.quote(tokens(.max, 0), at: dollar).credits == .max)
    #expect(try rules.quote(tokens(.max - 1, 0), at: dollar).credits == .max - 1)
    for usage in [tokens(.max, 1), tokens(.max, 0, 1, 0), tokens(.max, .max, .max, .max)] {
      let error = failure { () throws(CreditError) in try rules.quote(usage, at: dollar) }
      #expect(error?.code == .amountOutOfRange)
    }
    let half = ServicePricing.perUnit(decimal("1.0000000000000000000000000000000000001"))
    let error = failure { () throws(CreditError) in try rules.quote(units(.max), at: half) }
    #expect(error?.code == .amountOutOfRange)
  }

  @Test func exchangesAtTheLargestRateAndScale() throws {
    var rules = PriceRules()
    rules.usdMicrosPerCredit = PriceRules.usdMicrosPerCreditLimit
    let fine = ServicePricing.dollars(
      rates(input: "0.00000000000000000000000000000001", output: "999999"))
    let quote = try rules.quote(tokens(1, 2), at: fine)
    #expect(quote.usd == "1999998.00000000000000000000000000000001")
    #expect(quote.credits == 2)
  }

  @Test func ratesNeedACommonScale() {
    #expect(TokenRates(base: tier(input: "1e-32", output: "3e6").prices) != nil)
    #expect(TokenRates(base: tier(input: "1e-32", output: "4e6").prices) == nil)
    #expect(TokenRates(base: tier(input: "1e-33", output: "1").prices) == nil)
    #expect(
      TokenRates(
        base: tier(input: "1", output: "4e6").prices,
        tiers: [tier(above: 1, input: "1e-32", output: "1")])
        == nil)
  }
}

func tokens(_ input: Int64, _ output: Int64, _ read: Int64 = 0, _ write: Int64 = 0)
  -> ReportedUsage
{
  .counts(
    .tokens(
      TokenUsage(
        inputTokens: input, outputTokens: output, cacheReadTokens: read, cacheWriteTokens: write)))
}

func units(_ count: Int64) -> ReportedUsage { .counts(.units(count)) }

/// Prices a token; an absent cache price is the input price.
func tier(
  above: Int64 = 0, input: String, output: String, cacheRead: String? = nil,
  cacheWrite: String? = nil
) -> PriceTier {
  var prices = GivenPrices(input: decimal(input), output: decimal(output))
  prices[.cacheReadTokens] = cacheRead.map(decimal)
  prices[.cacheWriteTokens] = cacheWrite.map(decimal)
  return PriceTier(aboveInputTokens: above, prices: prices)
}

private func rates(
  input: String, output: String, cacheRead: String? = nil, cacheWrite: String? = nil,
  tiers: [(above: Int64, input: String, output: String)] = []
) -> TokenRates {
  let base = tier(input: input, output: output, cacheRead: cacheRead, cacheWrite: cacheWrite)
  let tiers = tiers.map { tier(above: $0.above, input: $0.input, output: $0.output) }
  guard let rates = TokenRates(base: base.prices, tiers: tiers) else {
    preconditionFailure("no rates")
  }
  return rates
}
