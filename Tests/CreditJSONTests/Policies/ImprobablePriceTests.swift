import CreditModel
import Testing

@testable import CreditJSON

/// Which prices look wrong.
@Suite struct ImprobablePriceTests {
  @Test(arguments: [
    ("0", false), ("0.0001", true), ("3", true), ("999.99", true), ("1000", false),
    ("3000000", false), ("10000000000", false), ("10000000000.1", true), ("10000000001", true),
    ("99999999999999999999999999999999999999", true),
  ])
  func perMillion(_ micros: String, _ isImprobable: Bool) throws {
    #expect(try #require(ExactDecimal(text: micros)).isImprobablePerMillion == isImprobable)
  }

  private func improbable(_ models: String, at rate: Int64 = 1000) throws -> ImprobablePrices {
    var prices = ImprobablePrices(at: rate)
    try JSONDocument("{\"models\":[\(models)]}").withRoot { prices.add(modelsOf: $0) }
    return prices
  }

  @Test func namesModelAndPrice() throws {
    let prices = try improbable(
      """
      {"id":"a","tokens":{"inputUSDPer1M":3,"outputUSDPer1M":15000000,"webSearchUSDPer1000":1,
       "tiers":[{"aboveInputTokens":5,"inputUSDPer1M":20000000000,"outputUSDPer1M":15000000}],
       "when":{"serviceTier=batch":{"audioInputUSDPer1M":"0.5","multiply":"0.5"}}}},
      {"id":"b","creditsPerToken":{"input":"0","output":"1000"}},
      {"id":"c","creditsPerUnit":1}, {"id":"d","free":true}
      """)
    #expect(
      prices.sentences == [
        "model \"a\": by tokens.inputUSDPer1M a million tokens cost $0.000003",
        "model \"a\": by tokens.webSearchUSDPer1000 a thousand calls cost $0.000001",
        "model \"a\": by tokens.tiers[0].aboveInputTokens a tier begins at 5 tokens",
        "model \"a\": by tokens.tiers[0].inputUSDPer1M a million tokens cost $20000",
        "model \"a\": by tokens.when.serviceTier=batch.audioInputUSDPer1M "
          + "a million tokens cost $0.0000005",
        "model \"b\": by creditsPerToken.output a million tokens cost $1000000",
      ])
  }

  @Test func comparesKnownModels() throws {
    let prices = try improbable(
      """
      {"id":"gpt-4o","usdPer1M":{"input":"124.99","output":"500","cacheRead":"1.25"}},
      {"id":"claude-sonnet-4-5","usdPer1M":{"input":"0.06","output":"0.31","cacheWrite":"0.05"}},
      {"id":"own","usdPer1M":{"input":"0.06","output":"500","cacheWrite":"0.05"}}
      """)
    #expect(
      prices.sentences == [
        "model \"gpt-4o\": a million tokens of output cost $500, and $10 by the standard policy",
        "model \"claude-sonnet-4-5\": a token of cacheWrite costs less than of input",
        "model \"claude-sonnet-4-5\": a million tokens of input cost $0.06, and $3 by the "
          + "standard policy",
      ])
  }

  @Test func namesCachesThatCostAsInput() throws {
    let prices = try improbable(
      """
      {"id":"gpt-5-mini","tokens":{"inputUSDPer1M":250000,"outputUSDPer1M":2000000}},
      {"id":"claude-sonnet-4-5","usdPer1M":{"input":"3","output":"15","cacheRead":"0.3"}},
      {"id":"gpt-5-nano","usdPer1M":{"input":"0.05","output":"0.4","cacheRead":"0"}},
      {"id":"own","usdPer1M":{"input":"3","output":"15"}}
      """)
    #expect(
      prices.sentences == [
        "model \"gpt-5-mini\": a million tokens of cacheRead cost $0.25 as input does, and "
          + "$0.025 by the standard policy",
        "model \"claude-sonnet-4-5\": a million tokens of cacheWrite cost $3 as input does, and "
          + "$3.75 by the standard policy",
      ])
  }

  @Test func namesLatePrices() throws {
    let now = try #require(Timestamp(text: "2026-11-01T00:00:00Z"))
    var prices = ImprobablePrices(at: 1000, now: now)
    try JSONDocument(
      """
      {"models":[{"id":"a","free":true,"from":"2028-11-01"},
       {"id":"b","free":true,"from":"2062-01-01"}]}
      """
    ).withRoot { prices.add(modelsOf: $0) }
    #expect(prices.sentences == ["model \"b\": its price begins on 2062-01-01"])
  }

  @Test func namesSomeAndCountsAll() throws {
    let models = (1...30).map { number in
      #"{"id":"m\#(number)","tokens":{"inputUSDPer1M":1,"outputUSDPer1M":0}}"#
    }
    let prices = try improbable(models.joined(separator: ","))
    #expect(prices.count == 30)
    #expect(prices.sentences.count == ImprobablePrices.sentenceLimit)
  }

  @Test(arguments: [
    ("0.49999", true), ("0.5", false), ("1", false), ("1.25", false), ("10", false),
    ("10.0000001", true), ("125", true), ("99999999999999999999999999999999999999", true),
    ("0.00000000000000000000000000000000000001", true),
  ])
  func markups(_ markup: String, _ isImprobable: Bool) throws {
    #expect(try #require(ExactDecimal(text: markup)).isImprobableMarkup == isImprobable)
  }

  @Test func namesMarkups() throws {
    var prices = ImprobablePrices(at: 1000)
    try JSONDocument(
      #"""
      {"markup":"125","models":[{"id":"a","markup":0.1,"free":true},
       {"id":"b","markup":"1.25","free":true}]}
      """#
    ).withRoot { prices.add(modelsOf: $0) }
    #expect(
      prices.sentences == [
        "markup makes everything cost 125 times what the provider charges",
        "model \"a\": markup makes everything cost 0.1 times what the provider charges",
      ])
  }

  @Test func namesProductsAndCredits() throws {
    var prices = ImprobablePrices(at: 1)
    try JSONDocument(
      #"""
      {"products":[{"id":"a","credits":100,"price":"9.99","currency":"USD"},
       {"id":"b","credits":500,"price":"9","currency":"USD"},
       {"id":"c","credits":500,"price":"9999","currency":"EUR"},
       {"id":"d","credits":1000,"price":"1999","currency":"USD"},
       {"id":"e","credits":2000,"price":"40","currency":"USD","plan":"p"}]}
      """#
    ).withRoot { prices.add(modelsOf: $0) }
    #expect(
      prices.sentences == [
        "usdMicrosPerCredit 1: a credit is worth $0.000001",
        #"products "a" and "b": 100 credits cost 9.99 USD, and 500 cost 9"#,
        #"products "b" and "d": 500 credits cost 9 USD, and 1000 cost 1999"#,
        #"prices in EUR look like cents ("9999", not "9999.00")"#,
      ])
  }
}
