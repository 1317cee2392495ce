import Testing

@testable import CreditModel
@testable import TestSupport

/// Prices of random usages at random rates, against the same reckoned digit by digit.
@Suite(.slow) struct PricePropertyTests {
  private static let caseCount = 1000
  private static let listCount = 2500

  /// 10,000 price lists and usages.
  @Test(arguments: [11, 12, 13, 14] as [UInt64])
  func tokenPricesAreExact(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var outcomes: [CreditError.Code?: Int] = [:]
    for index in 0..<Self.listCount {
      let list = RandomPriceList(using: &random)
      guard let rates = list.rates else { continue }
      let usage = random.usage()
      var rules = random.rules()
      let markup: String? = random.once(in: 4) ? random.pick("1", "1.25", "0.000001") : nil
      rules.markup = decimal(random.pick("1", "1", "1.0725", "3"))
      let expected = Expected(list, usage, rules, modelMarkup: markup)
      // Made only for a failure: the text takes longer than the price.
      func comment() -> Comment {
        "seed \(seed), case \(index): \(list), \(usage), \(rules), \(markup ?? "-")"
      }
      let reported = ReportedUsage.counts(.tokens(usage))
      do throws(CreditError) {
        let quote = try rules.quote(
          reported, at: .dollars(rates), markup: markup.map { decimal($0) })
        #expect(quote == expected.quote, comment())
        outcomes[nil, default: 0] += 1
      } catch {
        #expect(expected.quote == nil, comment())
        #expect(error.code == expected.code, comment())
        outcomes[error.code, default: 0] += 1
      }
    }
    for code in [nil, .unpricedUsage, .amountOutOfRange] as [CreditError.Code?] {
      #expect(outcomes[code] ?? 0 > Self.listCount / 50, "\(outcomes)")
    }
  }

  @Test func creditPricesAreExact() throws {
    var random = SeededGenerator(seed: 13)
    for index in 0..<Self.caseCount {
      var list = RandomPriceList(using: &random)
      list.conditions = []
      guard let rates = list.rates else { continue }
      let usage = random.usage()
      let rules = random.rules()
      let (cost, unpriced) = list.cost(of: usage)
      let isRefused = !unpriced.isEmpty && !rules.chargesBaseForUnpricedUsage
      let expected =
        isRefused ? nil : Expected.billed(cost.count(of: SchoolDecimal("1")), usage, rules)
      let quote = try? rules.quote(.counts(.tokens(usage)), at: .credits(rates))
      #expect(quote?.credits.description == expected, "case \(index): \(list), \(usage)")
      #expect(quote?.usd == nil && quote?.unpriced ?? unpriced == unpriced)
    }
  }

  @Test func unitPricesAreExact() throws {
    var random = SeededGenerator(seed: 21)
    for index in 0..<Self.caseCount {
      let text = random.price(fractionDigits: random.pick(0, 2, 24, 32))
      guard let price = ExactDecimal(text: text) else { continue }
      let count = random.count()
      let rules = PriceRules()
      let exact = (count * SchoolDecimal(text)).count(of: SchoolDecimal("1"))
      let usage = TokenUsage(inputTokens: count, outputTokens: 0)
      let expected = Expected.billed(exact, usage, rules)
      let credits = try? rules.quote(.counts(.units(count)), at: .perUnit(price)).credits
      #expect(credits.map(String.init) == expected, "case \(index): \(count) × \(text)")
    }
  }

  @Test func reportedCostsAreExact() throws {
    var random = SeededGenerator(seed: 31)
    for index in 0..<Self.caseCount {
      let text = random.price(fractionDigits: random.pick(2, 9, 30))
      guard let dollars = ExactDecimal(text: text) else { continue }
      var rules = random.rules()
      let markup = random.pick("1", "1.25", "0.00001")
      rules.markup = decimal(markup)
      let usage = TokenUsage(inputTokens: random.pick(0, 1), outputTokens: 0)
      let price = SchoolDecimal(text) * SchoolDecimal(markup)
      let isNothing = dollars == .zero && usage.isNothing
      let counted = TokenUsage(inputTokens: isNothing ? 0 : 1, outputTokens: 0)
      let quote = try rules.quote(
        .counts(.tokens(usage)), reportedUSD: dollars, at: .reportedCost)
      let expected = Expected.billed(price.count(of: rules.unit), counted, rules)
      #expect(quote.credits.description == expected, "case \(index): \(text) × \(markup)")
      #expect(quote.usd == price.text)
      #expect(quote.costUSD == (markup == "1" ? nil : SchoolDecimal(text).text))
    }
  }
}

/// An expected quote.
private struct Expected {
  private(set) var quote: PriceQuote?
  private(set) var code: CreditError.Code?

  init(
    _ list: RandomPriceList, _ usage: TokenUsage, _ rules: PriceRules, modelMarkup: String?
  ) {
    let (cost, unpriced) = list.cost(of: usage)
    if !unpriced.isEmpty, !rules.chargesBaseForUnpricedUsage {
      code = .unpricedUsage
      return
    }
    let markup = modelMarkup ?? rules.markup.text
    let price = cost * SchoolDecimal(markup)
    guard let credits = Self.billed(price.count(of: rules.unit), usage, rules) else {
      code = .amountOutOfRange
      return
    }
    quote = PriceQuote(
      credits: Int64(credits) ?? -1, usd: price.text, costUSD: markup == "1" ? nil : cost.text,
      unpriced: unpriced)
  }

  /// Zero usage costs 0, other usage at least the minimum; nil if it doesn't fit in 64 bits.
  static func billed(_ exact: SchoolNumber, _ usage: TokenUsage, _ rules: PriceRules) -> String? {
    guard exact <= SchoolNumber(.max) else { return nil }
    if usage.isNothing { return "0" }
    let minimum = SchoolNumber(rules.minimumCharge)
    return (exact <= minimum ? minimum : exact).description
  }
}

extension PriceRules {
  /// A credit in dollars.
  fileprivate var unit: SchoolDecimal {
    SchoolDecimal(digits: SchoolNumber(usdMicrosPerCredit), places: 6)
  }
}

extension SeededGenerator {
  fileprivate mutating func rules() -> PriceRules {
    var rules = PriceRules()
    rules.minimumCharge = pick(0, 1, 1, 7)
    rules.usdMicrosPerCredit = pick(
      1, 1000, 1000, 999_983, PriceRules.usdMicrosPerCreditLimit)
    rules.chargesBaseForUnpricedUsage = once(in: 2)
    return rules
  }
}
