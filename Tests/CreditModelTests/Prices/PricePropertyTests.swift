import Testing

@testable import CreditModel
@testable import TestSupport

/// Prices of random usages at random rates, against the same reckoned digit by digit.
@Suite struct PricePropertyTests {
  private static let caseCount = 2000

  @Test(arguments: [11, 12] as [UInt64])
  func tokenPricesAreExact(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var tooLarge = 0
    for index in 0..<Self.caseCount {
      let prices = RandomPrices(using: &random)
      guard let rates = prices.rates else { continue }
      let usage = TokenUsage(
        inputTokens: random.count(), outputTokens: random.count(), cacheReadTokens: random.count(),
        cacheWriteTokens: random.count())
      var rules = PriceRules()
      rules.minimumCharge = random.pick(0, 1, 1, 7)
      let isDollars = random.once(in: 2)
      if isDollars {
        rules.usdMicrosPerCredit = random.pick(
          1, 1000, 1000, 999_983, PriceRules.usdMicrosPerCreditLimit)
      }
      let cost = prices.cost(of: usage)
      let unit =
        isDollars
        ? SchoolDecimal(digits: SchoolNumber(rules.usdMicrosPerCredit), places: 6)
        : SchoolDecimal("1")
      let expected = Self.billed(cost.count(of: unit), isZero: usage.isZero, rules)
      let reported = ReportedUsage.counts(.tokens(usage))
      let comment = Comment(rawValue: "seed \(seed), case \(index): \(prices), \(usage)")
      do {
        let quote = try rules.quote(reported, at: isDollars ? .dollars(rates) : .credits(rates))
        #expect(String(quote.credits) == expected, comment)
        #expect(quote.usd?.text == (isDollars ? cost.text : nil), comment)
      } catch {
        #expect(error.code == .amountOutOfRange, comment)
        #expect(expected == nil, comment)
        tooLarge += 1
      }
    }
    #expect(tooLarge > 0 && tooLarge < Self.caseCount / 2)
  }

  @Test(arguments: [21] as [UInt64])
  func unitPricesAreExact(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for index in 0..<Self.caseCount {
      let text = random.price(fractionDigits: random.pick(0, 2, 24, 32))
      guard let price = ExactDecimal(text: text) else { continue }
      let count = random.count()
      let rules = PriceRules()
      let exact = (count * SchoolDecimal(text)).count(of: SchoolDecimal("1"))
      let expected = Self.billed(exact, isZero: count == 0, rules)
      let credits = try? rules.quote(.counts(.units(count)), at: .perUnit(price)).credits
      #expect(
        credits.map(String.init) == expected, "seed \(seed), case \(index): \(count) × \(text)")
    }
  }

  /// Zero usage costs 0, other usage the minimum at least; nil where it doesn't fit in 64 bits.
  private static func billed(_ exact: SchoolNumber, isZero: Bool, _ rules: PriceRules) -> String? {
    guard exact <= SchoolNumber(.max) else { return nil }
    if isZero { return "0" }
    let minimum = SchoolNumber(rules.minimumCharge)
    return (exact <= minimum ? minimum : exact).description
  }
}

/// Random prices a token in text, for the code and for the reckoning.
private struct RandomPrices: CustomStringConvertible {
  struct Tier: CustomStringConvertible {
    var above: Int64
    /// Input, output, cache read, cache write.
    var prices: [String]
    var description: String { "above \(above): \(prices)" }
  }

  var tiers: [Tier] = []

  init(using random: inout SeededGenerator) {
    let fractionDigits = random.pick(6, 12, 18, 24, 32)
    for threshold: Int64 in [-1, 128_000, 200_000, 1_000_000, .max] {
      if threshold >= 0, random.once(in: 2) { continue }
      let prices = (0..<4).map { _ in random.price(fractionDigits: fractionDigits) }
      tiers.append(Tier(above: threshold, prices: prices))
    }
  }

  var description: String { "\(tiers)" }

  /// Nil where the prices have more digits between them than the code takes.
  var rates: TokenRates? {
    let tiers = tiers.map { tier in
      let prices = tier.prices.map(decimal)
      return TokenRates.Tier(
        aboveInputTokens: max(0, tier.above), input: prices[0], output: prices[1],
        cacheRead: prices[2], cacheWrite: prices[3])
    }
    return TokenRates(base: tiers[0], tiers: tiers.dropFirst().reversed())
  }

  func cost(of usage: TokenUsage) -> SchoolDecimal {
    let input =
      SchoolNumber(usage.inputTokens) + SchoolNumber(usage.cacheReadTokens)
      + SchoolNumber(usage.cacheWriteTokens)
    var prices = tiers[0].prices
    for tier in tiers.dropFirst() where !(input <= SchoolNumber(tier.above)) {
      prices = tier.prices
    }
    return usage.inputTokens * SchoolDecimal(prices[0])
      + usage.outputTokens * SchoolDecimal(prices[1])
      + usage.cacheReadTokens * SchoolDecimal(prices[2])
      + usage.cacheWriteTokens * SchoolDecimal(prices[3])
  }
}

extension SeededGenerator {
  /// A count: often 0 or by a tier's edge, now and then as large as they come.
  fileprivate mutating func count() -> Int64 {
    switch Int.random(in: 0..<10, using: &self) {
    case 0...1: 0
    case 2: pick(127_999, 128_000, 128_001, 199_999, 200_000, 200_001, 999_999, 1_000_000)
    case 3: once(in: 4) ? pick(.max, .max - 1, .max / 2) : .random(in: 0...(.max), using: &self)
    case 4...5: .random(in: 0...10, using: &self)
    default: .random(in: 0...400_000, using: &self)
    }
  }

  /// A price with up to so many digits after the point, mostly zeros before them.
  fileprivate mutating func price(fractionDigits: Int) -> String {
    let whole = pick("0", "0", "0", "1", "37")
    if once(in: 8) { return whole }
    let count = Int.random(in: 1...max(1, fractionDigits), using: &self)
    let zeros = Int.random(in: 0..<count, using: &self)
    let digits = (0..<count).map { index in
      index < zeros ? "0" : String(Int.random(in: 0...9, using: &self))
    }
    return whole + "." + digits.joined()
  }
}
