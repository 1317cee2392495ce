import Testing

@testable import CreditJSON

@Suite struct LiteLLMImportTests {
  /// An entry with an input and output price, a few members more, and the mode.
  private func entry(_ members: String, mode: String = "chat", of provider: String = "p")
    -> String
  {
    #"{"m":{"litellm_provider":"\#(provider)","mode":"\#(mode)",\#(members)}}"#
  }

  @Test func pricesAreExact() throws {
    let text = entry(
      #""input_cost_per_token":2.9999900000000002e-06,"output_cost_per_token":1.5E-5"#)
    #expect(
      try models(text) == [
        #"{"id":"m","usdPer1M":{"input":"2.9999900000000002","output":"15"}}"#
      ])
  }

  @Test func twentyFourDecimalPlacesAToken() throws {
    let text = entry(
      #""input_cost_per_token":0.000000123456789012345678,"output_cost_per_token":1"#)
    #expect(
      try models(text) == [
        #"{"id":"m","usdPer1M":{"input":"0.123456789012345678","#
          + #""output":"1000000"}}"#
      ])
  }

  private static let base = #""input_cost_per_token":3e-06,"output_cost_per_token":1.5e-05"#
  private static let text = #""input":"3","output":"15""#

  @Test func tiersAreCliffs() throws {
    let text = entry(
      Self.base + """
        ,"input_cost_per_token_above_200k_tokens":6e-06,
        "output_cost_per_token_above_200k_tokens":2.25e-05,
        "cache_creation_input_token_cost":3.75e-06,
        "cache_creation_input_token_cost_above_1hr":6e-06,
        "cache_creation_input_token_cost_above_1hr_above_200k_tokens":1.2e-05,
        "input_cost_per_token_above_512_tokens":4e-06
        """)
    #expect(
      try models(text) == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"cacheWrite":"3.75","#
          + #""cacheWrite1h":"6","tiers":["#
          + #"{"aboveInputTokens":512,"input":"4","output":"15"},"#
          + #"{"aboveInputTokens":200000,"input":"6","output":"22.5","#
          + #""cacheWrite1h":"12"}]}}"#
      ])
  }

  @Test func serviceTiersAreConditions() throws {
    let text = entry(
      Self.base + """
        ,"input_cost_per_token_above_200k_tokens":6e-06,
        "output_cost_per_token_above_200k_tokens":2.25e-05,
        "input_cost_per_token_batches":1.5e-06,"output_cost_per_token_batches":7.5e-06,
        "output_cost_per_token_flex":1e-06,
        "input_cost_per_token_priority":4e-06,
        "input_cost_per_token_above_200k_tokens_priority":9e-06
        """)
    // The price of a batch above the threshold follows from the others, that of flex output too.
    #expect(
      try models(text) == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"tiers":["#
          + #"{"aboveInputTokens":200000,"input":"6","output":"22.5"}],"#
          + #""when":{"serviceTier=batch":{"input":"1.5","output":"7.5","#
          + #""tiers":[{"aboveInputTokens":200000,"input":"3","#
          + #""output":"11.25"}]},"#
          + #""serviceTier=flex":{"output":"1","#
          + #""tiers":[{"aboveInputTokens":200000,"output":"1.5"}]},"#
          + #""serviceTier=priority":{"input":"4","#
          + #""tiers":[{"aboveInputTokens":200000,"input":"9"}]}}}}"#
      ])
    #expect(try imported(text).remarks.count == 1)
  }

  /// LiteLLM's file has no price for an hour's cache writes in a batch, which has them at half.
  @Test func anHoursCacheWritesFollowTheInputInABatch() throws {
    let text = entry(
      Self.base + """
        ,"cache_creation_input_token_cost":3.75e-06,
        "cache_creation_input_token_cost_above_1hr":6e-06,
        "input_cost_per_token_batches":1.5e-06,"output_cost_per_token_batches":7.5e-06,
        "cache_creation_input_token_cost_batches":1.875e-06,
        "input_cost_per_token_flex":1e-06
        """)
    #expect(
      try models(text) == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"cacheWrite":"3.75","#
          + #""cacheWrite1h":"6","when":{"serviceTier=batch":{"#
          + #""input":"1.5","output":"7.5","cacheWrite":"1.875","#
          + #""cacheWrite1h":"3"},"serviceTier=flex":{"input":"1"}}}}"#
      ])
    #expect(try imported(text).remarks.count == 1)
  }

  @Test func furtherCountsAndCallsHavePrices() throws {
    let text = entry(
      Self.base + """
        ,"input_cost_per_audio_token":1e-05,"output_cost_per_audio_token":2e-05,
        "input_cost_per_image_token":4e-06,"output_cost_per_image_token":3e-05,
        "cache_read_input_token_cost":1e-06,
        "cache_read_input_audio_token_cost":2e-06,"cache_read_input_image_token_cost":3e-06,
        "citation_cost_per_token":2e-06,"input_cost_per_request":0.005,
        "search_context_cost_per_query":{"search_context_size_low":0.01,
        "search_context_size_medium":0.01,"search_context_size_high":0.01},
        "file_search_cost_per_1k_calls":2.5
        """)
    #expect(
      try models(text) == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"cacheRead":"1","#
          + #""imageInput":"4","audioInput":"10","#
          + #""audioOutput":"20","imageOutput":"30","#
          + #""cacheReadAudio":"2","cacheReadImage":"3","#
          + #""citation":"2","webSearchPer1000":"10","#
          + #""fileSearchPer1000":"2.5","requestPer1000":"5"}}"#
      ])
  }

  @Test func omittedEntriesAreCounted() throws {
    let catalog = try imported(
      entry(
        Self.base + """
          ,"input_cost_per_image":0.06,"output_cost_per_image":0,"input_cost_per_video_token":3e-06,
          "search_context_cost_per_query":{"odd":0.01},
          "off_peak_pricing":{"input_cost_per_token":1e-06},"input_cost_per_token_decisions":1e-07,
          "input_cost_per_token_batches":0,"input_cost_per_token_cache_hit":1e-07
          """))
    #expect(
      pricesLeftOut(catalog) == [
        "1 \(LeftOut.priced(by: "image"))", "1 \(LeftOut.searchSize)", "1 \(LeftOut.timeOfDay)",
        "1 \(LeftOut.price(of: "input_cost_per_token_decisions"))", "1 \(LeftOut.zero)",
      ])
    #expect(written(catalog).contains(#""cacheRead":"0.1"}"#))
  }

  @Test func offPeakHoursAndSizesOfSearchesAreConditions() throws {
    let text = entry(
      Self.base + """
        ,"cache_creation_input_token_cost_above_12hr":1e-05,
        "search_context_cost_per_query":{"search_context_size_low":0.005,
        "search_context_size_high":0.012},"off_peak_pricing":{"input_cost_per_token":1e-06,
        "output_cost_per_token":2e-06,"windows":[{"hours_utc":["00:00-01:00","10:00-00:00"],
        "weekdays":[1,2,3,4,5]},{"hours_utc":"00:00-00:00","weekdays":[6,7]}]}
        """)
    let lower = #"{"input":"1","output":"2"}"#
    #expect(
      try models(text) == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"cacheWrite12h":"10","when":{"#
          + #""searchContext=low":{"webSearchPer1000":"5"},"#
          + #""searchContext=high":{"webSearchPer1000":"12"},"#
          + #""hours=mon-fri 00:00-01:00":\#(lower),"hours=mon-fri 10:00-00:00":\#(lower),"#
          + #""hours=sat-sun 00:00-00:00":\#(lower)}}}"#
      ])
    let zoned = entry(
      Self.base + """
        ,"off_peak_pricing":{"input_cost_per_token":1e-06,"weekday_timezone":"Asia/Shanghai",
        "windows":[{"hours_utc":"00:00-01:00","weekdays":[1]}]}
        """)
    #expect(pricesLeftOut(try imported(zoned)) == ["1 \(LeftOut.timeOfDay)"])
  }

  /// Perplexity takes it for each request.
  @Test func perplexitysFeeIsOfEachRequest() throws {
    func sizes(_ low: String, _ high: String) -> String {
      entry(
        Self.base + """
          ,"search_context_cost_per_query":{"search_context_size_low":\(low),
          "search_context_size_medium":0.008,"search_context_size_high":\(high)}
          """, of: "perplexity")
    }
    #expect(
      try models(sizes("0.005", "0.012")) == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"requestPer1000":"5","when":{"#
          + #""searchContext=low":{"requestPer1000":"5"},"#
          + #""searchContext=medium":{"requestPer1000":"8"},"#
          + #""searchContext=high":{"requestPer1000":"12"}}}}"#
      ])
    #expect(
      try models(sizes("0.008", "0.008")) == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"webSearchPer1000":"8","when":{"#
          + #""searchContext=low":{},"searchContext=medium":{},"searchContext=high":{}}}}"#
      ])
  }

  /// OpenAI's tool web_search costs 10 with every model.
  @Test func openAIsHigherPriceOfASearchIsThePreviews() throws {
    func priced(_ price: String) throws -> [String] {
      try models(
        entry(
          Self.base + """
            ,"search_context_cost_per_query":{"search_context_size_low":\(price)}
            """, of: "openai"))
    }
    #expect(
      try priced("0.025") == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"webSearchPer1000":"10","#
          + #""webSearchPreviewPer1000":"25"}}"#
      ])
    #expect(
      try priced("0.01") == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"webSearchPer1000":"10","#
          + #""webSearchPreviewPer1000":"10"}}"#
      ])
  }

  @Test func aModalityWithoutAPriceCostsTheSameAsText() throws {
    let text = Self.base + #","input_cost_per_token_batches":1e-06,"supports_audio_input":true"#
    #expect(
      try models(entry(text)) == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"audioInput":"3","#
          + #""cacheReadAudio":"3","when":{"serviceTier=batch":{"#
          + #""input":"1","audioInput":"1","#
          + #""cacheReadAudio":"1"}}}}"#
      ])
    let image = Self.base + #","cache_read_input_token_cost":1e-06,"supports_vision":true"#
    #expect(
      try models(entry(image)) == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"cacheRead":"1","#
          + #""imageInput":"3","cacheReadImage":"1"}}"#
      ])
    // A price for input alone has no effect on the cache's.
    let own = text + #","input_cost_per_audio_token":9e-06"#
    #expect(!(try models(entry(own))[0].contains("cacheReadAudio")))
  }

  @Test func multipliersOfAnthropicsModels() throws {
    let factors = #""provider_specific_entry":{"us":1.1,"fast":2.0,"free_input_images":5,"x":{}}"#
    let text = Self.base + "," + factors
    #expect(
      try models(entry(text)) == [
        #"{"id":"m","usdPer1M":{\#(Self.text),"when":{"#
          + #""inferenceGeo=us":{"multiply":"1.1"},"speed=fast":{"multiply":"2"}}}}"#
      ])
    // A fast price holds for any amount of input.
    let tall = text + #","input_cost_per_token_above_200k_tokens":6e-06"#
    #expect(
      try models(entry(tall))[0].hasSuffix(
        #""speed=fast":{"input":"6","output":"30"}}}}"#))
  }

  @Test func rangesOfInputAreTiers() throws {
    let text = entry(
      """
      "tiered_pricing":[
      {"input_cost_per_token":1e-06,"output_cost_per_token":2e-06,"range":[0,256000.0]},
      {"input_cost_per_token":3e-06,"output_cost_per_token":4e-06,"range":[256000.0,1e6]}]
      """)
    #expect(
      try models(text) == [
        #"{"id":"m","usdPer1M":{"input":"1","output":"2","tiers":["#
          + #"{"aboveInputTokens":256000,"input":"3","output":"4"}]}}"#
      ])
  }

  @Test func anAbsentCachePriceStaysAbsentAndAZeroZero() throws {
    let text = entry(
      """
      "input_cost_per_token":3e-06,"output_cost_per_token":1.5e-05,
      "cache_creation_input_token_cost":0.0,"cache_read_input_token_cost":null
      """)
    #expect(
      try models(text) == [
        #"{"id":"m","usdPer1M":{"input":"3","output":"15","#
          + #""cacheWrite":"0"}}"#
      ])
  }

  @Test func onlyEmbeddingsNeedNoOutputPrice() throws {
    let text = #""input_cost_per_token":1e-07"#
    #expect(
      try models(entry(text, mode: "embedding")) == [
        #"{"id":"m","usdPer1M":{"input":"0.1","output":"0"}}"#
      ])
    #expect(
      try models(entry(text + #","output_cost_per_token":0"#, mode: "rerank")).count == 1)
    #expect(
      leftOut(try imported(entry(text, mode: "image_generation"))) == ["1 \(LeftOut.noOutput)"])
  }

  @Test(arguments: [
    (#""input_cost_per_token":0,"output_cost_per_token":0.0"#, LeftOut.zero),
    (#""input_cost_per_token":0.0,"output_cost_per_token":1e-6"#, LeftOut.zero),
    (#""input_cost_per_token":1e-6,"output_cost_per_token":0"#, LeftOut.zero),
    (#""output_cost_per_token":1e-6"#, LeftOut.noInput),
    (#""input_cost_per_token":-1,"output_cost_per_token":1e-6"#, LeftOut.unreadable),
    (#""input_cost_per_token":"much","output_cost_per_token":1e-6"#, LeftOut.unreadable),
    (#""input_cost_per_token":1e-33,"output_cost_per_token":1e-6"#, LeftOut.tooFine),
    (#""output_cost_per_image":0.06"#, LeftOut.priced(by: "image")),
    (#""input_cost_per_second":0.06"#, LeftOut.priced(by: "second")),
    (#""tiered_pricing":[]"#, LeftOut.tieredTable),
    (#""tiered_pricing":[{"range":[1,2],"input_cost_per_token":1}]"#, LeftOut.tieredTable),
    (
      #""input_cost_per_token":1,"output_cost_per_token":1,"output_cost_per_reasoning_token":2"#,
      LeftOut.reasoningApart
    ),
    (#""max_tokens":5"#, LeftOut.noPrice),
  ])
  func neverASilentZero(_ members: String, _ reason: LeftOut) throws {
    let catalog = try imported(entry(members))
    #expect(catalog.models.isEmpty)
    #expect(leftOut(catalog) == ["1 \(reason)"])
  }

  @Test func everyEntryIsTakenOrCounted() throws {
    let price =
      #"{"litellm_provider":"p","input_cost_per_token":1e-6,"output_cost_per_token":2e-6}"#
    let text = #"""
      {"sample_spec":\#(price),"fallback_generalizations":{"rules":[]},"a":\#(price),"":\#(price),
       "b":5,"a":{"input_cost_per_token":3e-6,"output_cost_per_token":2e-6}}
      """#
    let catalog = try imported(text)
    #expect(
      leftOut(catalog) == [
        "3 \(LeftOut.notAModel)", "1 \(LeftOut.unusableID)", "1 \(LeftOut.repeated)",
      ])
    #expect(catalog.models.count + catalog.entriesLeftOut.counts.values.reduce(0, +) == 6)
    // As JSON's readers have it, the last of two equal names holds.
    #expect(written(catalog).contains(#"{"id":"a","usdPer1M":{"input":"3","#))
  }
}
