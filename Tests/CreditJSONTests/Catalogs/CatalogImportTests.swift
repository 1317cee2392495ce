import CreditModel
import Testing

@testable import CreditJSON

/// What a text imports as, and what is said of the rest.
private func imported(_ text: String, _ credits: [Name: Credits] = [:]) throws -> CatalogImport {
  try JSONDocument(text).withRoot { file throws(CreditError) in
    try CatalogImport(file, productCredits: credits)
  }
}

private func written(_ catalog: CatalogImport) -> String {
  var writer = JSONWriter()
  writer.catalog(catalog)
  return writer.string
}

/// The lines of a catalog's models, without the commas between them.
private func models(_ text: String) throws -> [String] {
  written(try imported(text)).split(separator: "\n").filter { $0.hasPrefix("{\"id\"") }
    .map { $0.last == "," ? String($0.dropLast()) : String($0) }
}

private func leftOut(_ catalog: CatalogImport) -> [String] {
  catalog.entriesLeftOut.lines { "\($0) \($1)" }
}

private func pricesLeftOut(_ catalog: CatalogImport) -> [String] {
  catalog.pricesLeftOut.lines { "\($0) \($1)" }
}

@Suite struct LiteLLMImportTests {
  /// An entry with an input and output price, a few members more, and the mode.
  private func entry(_ members: String, mode: String = "chat") -> String {
    #"{"m":{"litellm_provider":"p","mode":"\#(mode)",\#(members)}}"#
  }

  @Test func pricesAreExact() throws {
    let text = entry(
      #""input_cost_per_token":2.9999900000000002e-06,"output_cost_per_token":1.5E-5"#)
    #expect(
      try models(text) == [
        #"{"id":"m","tokens":{"inputUSDPer1M":"2999990.0000000002","outputUSDPer1M":15000000}}"#
      ])
  }

  @Test func twentyFourDecimalPlacesAToken() throws {
    let text = entry(
      #""input_cost_per_token":0.000000123456789012345678,"output_cost_per_token":1"#)
    #expect(
      try models(text) == [
        #"{"id":"m","tokens":{"inputUSDPer1M":"123456.789012345678","#
          + #""outputUSDPer1M":1000000000000}}"#
      ])
  }

  private static let base = #""input_cost_per_token":3e-06,"output_cost_per_token":1.5e-05"#
  private static let text = #""inputUSDPer1M":3000000,"outputUSDPer1M":15000000"#

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
        #"{"id":"m","tokens":{\#(Self.text),"cacheWriteUSDPer1M":3750000,"#
          + #""cacheWrite1hUSDPer1M":6000000,"tiers":["#
          + #"{"aboveInputTokens":512,"inputUSDPer1M":4000000,"outputUSDPer1M":15000000},"#
          + #"{"aboveInputTokens":200000,"inputUSDPer1M":6000000,"outputUSDPer1M":22500000,"#
          + #""cacheWrite1hUSDPer1M":12000000}]}}"#
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
        #"{"id":"m","tokens":{\#(Self.text),"tiers":["#
          + #"{"aboveInputTokens":200000,"inputUSDPer1M":6000000,"outputUSDPer1M":22500000}],"#
          + #""when":{"serviceTier=batch":{"inputUSDPer1M":1500000,"outputUSDPer1M":7500000,"#
          + #""tiers":[{"aboveInputTokens":200000,"inputUSDPer1M":3000000,"#
          + #""outputUSDPer1M":11250000}]},"#
          + #""serviceTier=flex":{"outputUSDPer1M":1000000,"#
          + #""tiers":[{"aboveInputTokens":200000,"outputUSDPer1M":1500000}]},"#
          + #""serviceTier=priority":{"inputUSDPer1M":4000000,"#
          + #""tiers":[{"aboveInputTokens":200000,"inputUSDPer1M":9000000}]}}}}"#
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
        #"{"id":"m","tokens":{\#(Self.text),"cacheReadUSDPer1M":1000000,"#
          + #""imageInputUSDPer1M":4000000,"audioInputUSDPer1M":10000000,"#
          + #""audioOutputUSDPer1M":20000000,"imageOutputUSDPer1M":30000000,"#
          + #""cacheReadAudioUSDPer1M":2000000,"cacheReadImageUSDPer1M":3000000,"#
          + #""citationUSDPer1M":2000000,"webSearchUSDPer1000":10000000,"#
          + #""fileSearchUSDPer1000":2500000,"requestUSDPer1000":5000000}}"#
      ])
  }

  @Test func whatHasNoPlaceInACatalogIsCounted() throws {
    let catalog = try imported(
      entry(
        Self.base + """
          ,"input_cost_per_image":0.06,"output_cost_per_image":0,"input_cost_per_video_token":3e-06,
          "search_context_cost_per_query":{"search_context_size_low":0.01,
          "search_context_size_high":0.02},"off_peak_pricing":{"input_cost_per_token":1e-06},
          "cache_creation_input_token_cost_above_12hr":1e-05,"input_cost_per_token_decisions":1e-07,
          "input_cost_per_token_batches":0,"input_cost_per_token_cache_hit":1e-07
          """))
    #expect(
      pricesLeftOut(catalog) == [
        "1 \(LeftOut.priced(by: "image"))", "1 \(LeftOut.searchSize)", "1 \(LeftOut.timeOfDay)",
        "1 \(LeftOut.price(of: "cache_creation_input_token_cost_above_12hr"))",
        "1 \(LeftOut.price(of: "input_cost_per_token_decisions"))", "1 \(LeftOut.zero)",
      ])
    #expect(written(catalog).contains(#""cacheReadUSDPer1M":100000}"#))
  }

  @Test func aModalityWithoutAPriceCostsWhatTextDoes() throws {
    let text = Self.base + #","input_cost_per_token_batches":1e-06,"supports_audio_input":true"#
    #expect(
      try models(entry(text)) == [
        #"{"id":"m","tokens":{\#(Self.text),"audioInputUSDPer1M":3000000,"#
          + #""cacheReadAudioUSDPer1M":3000000,"when":{"serviceTier=batch":{"#
          + #""inputUSDPer1M":1000000,"audioInputUSDPer1M":1000000,"#
          + #""cacheReadAudioUSDPer1M":1000000}}}}"#
      ])
    let image = Self.base + #","cache_read_input_token_cost":1e-06,"supports_vision":true"#
    #expect(
      try models(entry(image)) == [
        #"{"id":"m","tokens":{\#(Self.text),"cacheReadUSDPer1M":1000000,"#
          + #""imageInputUSDPer1M":3000000,"cacheReadImageUSDPer1M":1000000}}"#
      ])
    // A price of its own for what goes in says nothing of what comes from the cache.
    let own = text + #","input_cost_per_audio_token":9e-06"#
    #expect(!(try models(entry(own))[0].contains("cacheReadAudio")))
  }

  @Test func multipliersOfAnthropicsModels() throws {
    let factors = #""provider_specific_entry":{"us":1.1,"fast":2.0,"free_input_images":5,"x":{}}"#
    let text = Self.base + "," + factors
    #expect(
      try models(entry(text)) == [
        #"{"id":"m","tokens":{\#(Self.text),"when":{"#
          + #""inferenceGeo=us":{"multiply":"1.1"},"speed=fast":{"multiply":"2"}}}}"#
      ])
    // A fast price holds for any amount of input.
    let tall = text + #","input_cost_per_token_above_200k_tokens":6e-06"#
    #expect(
      try models(entry(tall))[0].hasSuffix(
        #""speed=fast":{"inputUSDPer1M":6000000,"outputUSDPer1M":30000000}}}}"#))
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
        #"{"id":"m","tokens":{"inputUSDPer1M":1000000,"outputUSDPer1M":2000000,"tiers":["#
          + #"{"aboveInputTokens":256000,"inputUSDPer1M":3000000,"outputUSDPer1M":4000000}]}}"#
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
        #"{"id":"m","tokens":{"inputUSDPer1M":3000000,"outputUSDPer1M":15000000,"#
          + #""cacheWriteUSDPer1M":0}}"#
      ])
  }

  @Test func onlyEmbeddingsNeedNoOutputPrice() throws {
    let text = #""input_cost_per_token":1e-07"#
    #expect(
      try models(entry(text, mode: "embedding")) == [
        #"{"id":"m","tokens":{"inputUSDPer1M":100000,"outputUSDPer1M":0}}"#
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
    #expect(written(catalog).contains(#"{"id":"a","tokens":{"inputUSDPer1M":3000000,"#))
  }
}

@Suite struct OtherImportTests {
  @Test func llmPrices() throws {
    let text = """
      {"updated_at":"2026-08-05","prices":[
       {"id":"nova","input":0.035,"output":0.14,"input_cached":null},
       {"id":"gpt","input":2.5,"output":"10","input_cached":0.25},
       {"id":"old","input":1,"output":1,"to_date":"2025-01-01"},
       {"id":"gift","input":0,"output":0},{"id":"half","input":1,"output":null},{"input":1}]}
      """
    #expect(
      try models(text) == [
        #"{"id":"nova","tokens":{"inputUSDPer1M":35000,"outputUSDPer1M":140000}}"#,
        #"{"id":"gpt","tokens":{"inputUSDPer1M":2500000,"outputUSDPer1M":10000000,"#
          + #""cacheReadUSDPer1M":250000}}"#,
      ])
    #expect(
      leftOut(try imported(text)) == [
        "1 \(LeftOut.past)", "1 \(LeftOut.zero)", "1 \(LeftOut.noOutput)",
        "1 \(LeftOut.unusableID)",
      ])
  }

  @Test func modelsDev() throws {
    let text = #"""
      {"maker":{"id":"maker","models":{
        "a":{"id":"a","cost":{"input":1,"output":2.5,"cache_read":0.1,"cache_write":1.25,
          "tiers":[{"tier":{"type":"context","size":200000},"input":2,"output":5}]},
          "modalities":{"input":["text","image","audio"],"output":["text"]}},
        "b":{"id":"b","cost":{"input":1,"output":2}},
        "s":{"id":"s","cost":{"input":1,"output":2}},
        "thinker":{"id":"thinker","cost":{"input":1,"output":2,"reasoning":3}},
        "gift":{"id":"gift","cost":{"input":0,"output":0}},"none":{"id":"none"}}},
       "seller":{"id":"seller","models":{
        "b":{"id":"b","cost":{"input":1.0,"output":2.0}},
        "s":{"id":"s","cost":{"input":3,"output":6}},
        "seller-only":{"id":"seller-only","cost":{"input":1,"output":1,"input_audio":7,"request":5,
          "citation":3,"odd":4}}}}}
      """#
    #expect(
      try models(text) == [
        #"{"id":"a","aliases":["maker/a"],"tokens":{"inputUSDPer1M":1000000,"#
          + #""outputUSDPer1M":2500000,"cacheReadUSDPer1M":100000,"cacheWriteUSDPer1M":1250000,"#
          + #""imageInputUSDPer1M":1000000,"audioInputUSDPer1M":1000000,"#
          + #""cacheReadAudioUSDPer1M":100000,"cacheReadImageUSDPer1M":100000,"tiers":["#
          + #"{"aboveInputTokens":200000,"inputUSDPer1M":2000000,"outputUSDPer1M":5000000,"#
          + #""imageInputUSDPer1M":2000000,"audioInputUSDPer1M":2000000}]}}"#,
        #"{"id":"b","aliases":["maker/b","seller/b"],"tokens":{"inputUSDPer1M":1000000,"#
          + #""outputUSDPer1M":2000000}}"#,
        #"{"id":"maker/s","tokens":{"inputUSDPer1M":1000000,"outputUSDPer1M":2000000}}"#,
        #"{"id":"seller/s","tokens":{"inputUSDPer1M":3000000,"outputUSDPer1M":6000000}}"#,
        #"{"id":"seller-only","aliases":["seller/seller-only"],"tokens":{"#
          + #""inputUSDPer1M":1000000,"outputUSDPer1M":1000000,"audioInputUSDPer1M":7000000,"#
          + #""citationUSDPer1M":3000000,"requestUSDPer1000":5000000}}"#,
      ])
    #expect(
      leftOut(try imported(text)) == [
        "1 \(LeftOut.reasoningApart)", "1 \(LeftOut.zero)", "1 \(LeftOut.noPrice)",
      ])
    #expect(pricesLeftOut(try imported(text)) == ["1 \(LeftOut.price(of: "odd"))"])
  }

  @Test func aModelsMakerIsFoundByItsID() throws {
    let text = #"""
      {"maker":{"models":{"s":{"cost":{"input":1,"output":2}}}},
       "router":{"models":{"maker/s":{"cost":{"input":4,"output":5}}}},
       "seller":{"models":{"s":{"cost":{"input":3,"output":6}}}}}
      """#
    let prices = #""tokens":{"inputUSDPer1M""#
    #expect(
      try models(text).map { $0.prefix { $0 != "0" } } == [
        #"{"id":"s",\#(prices):1"#, #"{"id":"maker/s","aliases":["router/maker/s"],\#(prices):4"#,
        #"{"id":"seller/s",\#(prices):3"#,
      ])
  }

  @Test func genAIPrices() throws {
    let text = #"""
      [{"id":"maker","model_match":{"contains":"-mod"},"models":[
        {"id":"a-model","match":{"or":[{"equals":"a-model"},{"equals":"a.model"},
          {"starts_with":"a-m"},{"regex":"^a$"}]},
         "prices":[{"prices":{"input_mtok":{"base":1,"tiers":[{"start":200000,"price":2}]},
            "output_mtok":3,"cache_write_1h_mtok":{"base":2,"tiers":[{"start":100000,"price":4}]},
            "web_searches_kcount":10,"requests_kcount":5}},
           {"constraint":{"start_date":"2026-09-01"},
            "prices":{"input_mtok":0.5,"output_mtok":1.5,"output_reasoning_mtok":1.5}}]},
        {"id":"night","match":{"equals":"night"},"prices":[{"prices":{"input_mtok":1,"output_mtok":1}},
          {"constraint":{"start_time":"00:30:00Z","end_time":"16:30:00Z"},
           "prices":{"input_mtok":2,"output_mtok":2}}]},
        {"id":"embedder","match":{"equals":"embedder"},"prices":{"input_mtok":0.1}},
        {"id":"half","match":{"equals":"half"},"prices":{"input_mtok":0.1}}]},
       {"id":"seller","models":[
        {"id":"a-model","match":{"equals":"a.model"},"prices":{"input_mtok":9,"output_mtok":9,
          "output_video_mtok":1}}]}]
      """#
    #expect(
      try models(text) == [
        #"{"id":"a-model","aliases":["maker/a-model","a.model"],"tokens":{"#
          + #""inputUSDPer1M":1000000,"outputUSDPer1M":3000000,"cacheWrite1hUSDPer1M":2000000,"#
          + #""webSearchUSDPer1000":10000000,"requestUSDPer1000":5000000,"tiers":["#
          + #"{"aboveInputTokens":100000,"inputUSDPer1M":1000000,"outputUSDPer1M":3000000,"#
          + #""cacheWrite1hUSDPer1M":4000000},{"aboveInputTokens":200000,"inputUSDPer1M":2000000,"#
          + #""outputUSDPer1M":3000000,"cacheWrite1hUSDPer1M":4000000}]}}"#,
        #"{"id":"a-model","from":"2026-09-01T00:00:00.000Z","tokens":{"inputUSDPer1M":500000,"#
          + #""outputUSDPer1M":1500000}}"#,
        #"{"id":"embedder","aliases":["maker/embedder"],"tokens":{"inputUSDPer1M":100000,"#
          + #""outputUSDPer1M":0}}"#,
        #"{"id":"seller/a-model","tokens":{"inputUSDPer1M":9000000,"outputUSDPer1M":9000000}}"#,
      ])
    let catalog = try imported(text)
    #expect(leftOut(catalog) == ["1 \(LeftOut.timeOfDay)", "1 \(LeftOut.noOutput)"])
    #expect(pricesLeftOut(catalog) == ["1 \(LeftOut.price(of: "output_video_mtok"))"])
    #expect(
      catalog.namesLeftOut.lines { "\($0) \($1)" } == [
        "1 \(LeftOut.rule("starts_with"))", "1 \(LeftOut.rule("regex"))", "1 \(LeftOut.takenName)",
      ])
  }

  private let storeKit = """
    {"identifier":"1","products":[
     {"productID":"pack","type":"Consumable","displayPrice":"1.90","referenceName":"ref",
      "localizations":[{"displayName":"Pack","description":"Some credits"}]},
     {"productID":"tip","type":"Consumable","displayPrice":"0.99","localizations":[]},
     {"productID":"forever","type":"NonConsumable","displayPrice":"9.99"}],
     "subscriptionGroups":[
      {"subscriptions":[{"productID":"month","type":"RecurringSubscription"}]}],
     "version":{"major":4,"minor":0}}
    """

  @Test func storeKitProductsTakeTheirCreditsFromTheCaller() throws {
    let catalog = try imported(storeKit, [Name(trusted: "pack"): 100])
    #expect(
      written(catalog) == """
        {"models":[],
        "products":[
        {"id":"pack","name":"Pack","description":"Some credits","credits":100,"price":"1.90"}
        ]}
        """)
    #expect(leftOut(catalog) == ["1 \(LeftOut.noCredits)", "2 \(LeftOut.notConsumable)"])
  }

  @Test(arguments: ["packs", "forever", "month"])
  func creditsForWhatGrantsNoneAreRefused(_ id: String) throws {
    #expect(throws: CreditError.self) {
      try imported(storeKit, [Name(trusted: "pack"): 100, Name(trusted: id): 5])
    }
  }

  @Test(arguments: ["{}", "[]", "5", #"{"models":[],"products":[]}"#, #"{"prices":{}}"#])
  func otherFilesAreRefused(_ text: String) throws {
    #expect { try imported(text) } throws: { ($0 as? CreditError)?.code == .invalidRequest }
  }

  @Test func creditsWithoutAStoreKitFileAreRefused() throws {
    let text = #"{"m":{"input_cost_per_token":1,"output_cost_per_token":1}}"#
    #expect(throws: CreditError.self) { try imported(text, [Name(trusted: "pack"): 100]) }
  }
}
