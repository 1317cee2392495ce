import CreditModel
import Testing

@testable import CreditJSON

/// The two forms of dollar prices: both mean the same.
@Suite struct PriceFormTests {
  private func model(_ members: String) throws(CreditError) -> PricedModel {
    let text = "{\"models\":[{\"id\":\"m\",\(members)}]}"
    guard let document = try? JSONDocument(text) else {
      throw CreditError(.invalidJSON, "the test's own text")
    }
    let policy = try document.withRoot { value throws(CreditError) in
      try PolicyDecoder.decode(value)
    }
    guard let model = try policy.prices.model(Name(trusted: "m"), at: .earliest) else {
      throw CreditError(.unknownModel, "m")
    }
    return model
  }

  private func usd(_ model: PricedModel, _ counts: [UsageCount: Int64]) throws -> String? {
    var usage = TokenUsage(inputTokens: 0, outputTokens: 0)
    for (count, number) in counts { usage[count] = number }
    return try PriceRules().quote(.counts(.tokens(usage)), at: model.pricing).usd
  }

  private static let dollars = #"""
    "usdPer1M": {"input": 3, "output": "15", "cacheRead": 0.30, "webSearchPer1000": 1e1,
     "requestPer1000": "0.04", "tiers": [{"atInputTokens": 200000, "input": 6, "output": 22.5}],
     "when": {"serviceTier=batch": {"input": "1.4999999999999999999999"}}}
    """#
  private static let microDollars = #"""
    "tokens": {"inputUSDPer1M": 3000000, "outputUSDPer1M": 15000000, "cacheReadUSDPer1M": 300000,
     "webSearchUSDPer1000": 10000000, "requestUSDPer1000": 40000,
     "tiers": [{"aboveInputTokens": 199999, "inputUSDPer1M": 6000000, "outputUSDPer1M": 22500000}],
     "when": {"serviceTier=batch": {"inputUSDPer1M": "1499999.9999999999999999"}}}
    """#

  @Test(
    arguments: [
      ([.inputTokens: 7, .outputTokens: 3, .cacheReadTokens: 2, .webSearches: 1], "0.0101066"),
      ([.inputTokens: 199_998, .cacheReadTokens: 1], "0.6000343"),
      ([.inputTokens: 199_999, .cacheReadTokens: 1], "1.2000343"),
      ([.inputTokens: 200_000], "1.20004"),
    ] as [([UsageCount: Int64], String)])
  func bothFormsCostTheSame(_ counts: [UsageCount: Int64], _ cost: String) throws {
    #expect(try usd(model(Self.dollars), counts) == cost)
    #expect(try usd(model(Self.microDollars), counts) == cost)
  }

  @Test func digitsOfConditionsAreKept() throws {
    for form in [Self.dollars, Self.microDollars] {
      var usage = TokenUsage(inputTokens: 1_000_000, outputTokens: 0)
      usage[.serviceTier] = "batch"
      let quote = try PriceRules().quote(.counts(.tokens(usage)), at: model(form).pricing)
      #expect(quote.usd == "1.5000399999999999999999")
    }
  }

  @Test(arguments: [
    #""usdPer1M":{"input":1,"output":1},"tokens":{"inputUSDPer1M":1,"outputUSDPer1M":1}"#,
    #""usdPer1M":{"input":1}"#, #""usdPer1M":{"input":1,"output":-1}"#,
    #""usdPer1M":{"input":1,"output":true}"#, #""usdPer1M":{"input":1,"output":1,"webSearch":1}"#,
    #""usdPer1M":{"inputUSDPer1M":1,"outputUSDPer1M":1}"#,
    #""tokens":{"input":1,"output":1}"#,
    #""tokens":{"inputUSDPer1M":0.5,"outputUSDPer1M":1}"#,
    #""usdPer1M":{"input":1,"output":1,"tiers":[{"input":1,"output":1}]}"#,
    #""usdPer1M":{"input":1,"output":1,"tiers":[{"atInputTokens":0,"input":1,"output":1}]}"#,
    #""usdPer1M":{"input":1,"output":1,"#
      + #""tiers":[{"atInputTokens":9,"aboveInputTokens":9,"input":1,"output":1}]}"#,
    #""usdPer1M":{"input":1,"output":1,"tiers":[{"atInputTokens":9,"input":1,"output":1},"#
      + #"{"aboveInputTokens":8,"input":1,"output":1}]}"#,
    #""usdPer1M":{"input":"0.000000000000000000000000001","output":1}"#,
  ])
  func anythingElseIsRefused(_ members: String) {
    let error = #expect(throws: CreditError.self) { try model(members) }
    #expect(error?.code == .invalidPolicy)
  }

  @Test func cachedAudioAndImagesFallBackToTheCacheReadPrice() throws {
    let cached = try model(#""usdPer1M":{"input":2,"output":9,"cacheRead":0.5}"#)
    let plain = try model(#""usdPer1M":{"input":2,"output":9}"#)
    for count in [UsageCount.cacheReadAudioTokens, .cacheReadImageTokens] {
      #expect(try usd(cached, [count: 1_000_000]) == "0.5")
      #expect(try usd(plain, [count: 1_000_000]) == "2")
    }
  }

  private func written(_ file: String) throws -> (text: String, remarks: [String]) {
    let catalog = try imported(file)
    return (CreditJSONTests.written(catalog), catalog.remarks)
  }

  @Test func pricesOfXAIHoldFromTheirThresholdOn() throws {
    let entry = #"""
      "input_cost_per_token":2e-6,"output_cost_per_token":6e-6,
      "input_cost_per_token_above_200k_tokens":4e-6,"output_cost_per_token_above_200k_tokens":12e-6
      """#
    let xai = try written(#"{"g":{"litellm_provider":"xai",\#(entry)}}"#).text
    #expect(xai.contains(#""tiers":[{"atInputTokens":200000,"input":"4","output":"12"}]"#))
    let other = try written(#"{"g":{"litellm_provider":"vertex_ai",\#(entry)}}"#).text
    #expect(other.contains(#""aboveInputTokens":200000"#))
  }

  @Test func cachedInputOfFireworksCostsHalf() throws {
    let prices = #""input_cost_per_token":3e-6,"output_cost_per_token":6e-6"#
    let half = try written(#"{"g":{"litellm_provider":"fireworks_ai",\#(prices)}}"#)
    #expect(half.text.contains(#""cacheRead":"1.5""#))
    #expect(half.remarks == ["worked out 1 price: those of cached input, at half the input price"])
    let said = try written(
      #"{"g":{"litellm_provider":"fireworks_ai",\#(prices),"cache_read_input_token_cost":2e-6}}"#)
    #expect(said.text.contains(#""cacheRead":"2""#) && said.remarks.isEmpty)
  }

  @Test func variantsOfGenAIPricesHoldUnderTheirCondition() throws {
    let catalog = try written(
      #"[{"id":"p","models":[{"id":"m","prices":{"input_mtok":10,"output_mtok":50},"#
        + #""price_variants":[{"when":{"processing":"batch"},"prices":{"input_mtok":5,"#
        + #""output_mtok":25}},{"when":{"processing":"fast"},"prices":{"input_mtok":60,"#
        + #""output_mtok":300}},{"when":{"region":"mars"},"prices":{"input_mtok":1}}]}]}]"#)
    #expect(
      catalog.text.contains(
        #""when":{"serviceTier=batch":{"input":"5","output":"25"},"#
          + #""speed=fast":{"input":"60","output":"300"}}"#))
    #expect(catalog.remarks == ["left out 1 price: a price list of the variant mars"])
    let named = try written(
      #"[{"id":"p","models":[{"id":"m","prices":{"input_mtok":1,"output_mtok":2},"#
        + #""price_variants":{"batch":{"input_mtok":0.5,"output_mtok":1}}}]}]"#)
    #expect(named.text.contains(#""serviceTier=batch":{"input":"0.5","output":"1"}"#))
    #expect(named.remarks.isEmpty)
  }
}
