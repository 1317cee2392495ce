import CreditModel
import Testing

@testable import CreditJSON

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
        #"{"id":"nova","usdPer1M":{"input":"0.035","output":"0.14"}}"#,
        #"{"id":"gpt","usdPer1M":{"input":"2.5","output":"10","#
          + #""cacheRead":"0.25"}}"#,
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
        #"{"id":"a","aliases":["maker/a"],"usdPer1M":{"input":"1","#
          + #""output":"2.5","cacheRead":"0.1","cacheWrite":"1.25","#
          + #""imageInput":"1","audioInput":"1","#
          + #""cacheReadAudio":"0.1","cacheReadImage":"0.1","tiers":["#
          + #"{"aboveInputTokens":200000,"input":"2","output":"5","#
          + #""imageInput":"2","audioInput":"2"}]}}"#,
        #"{"id":"b","aliases":["maker/b","seller/b"],"usdPer1M":{"input":"1","#
          + #""output":"2"}}"#,
        #"{"id":"maker/s","usdPer1M":{"input":"1","output":"2"}}"#,
        #"{"id":"seller/s","usdPer1M":{"input":"3","output":"6"}}"#,
        #"{"id":"seller-only","aliases":["seller/seller-only"],"usdPer1M":{"#
          + #""input":"1","output":"1","audioInput":"7","#
          + #""citation":"3","requestPer1000":"5"}}"#,
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
    let prices = #""usdPer1M":{"input""#
    #expect(
      try models(text).map { $0.split(separator: #"","output""#)[0] } == [
        #"{"id":"s","aliases":["maker/s"],\#(prices):"1"#, #"{"id":"router/maker/s",\#(prices):"4"#,
        #"{"id":"seller/s",\#(prices):"3"#,
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
        {"id":"night","match":{"equals":"night"},"prices":[
          {"prices":{"input_mtok":1,"output_mtok":1}},
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
        #"{"id":"a-model","aliases":["maker/a-model","a.model"],"usdPer1M":{"#
          + #""input":"1","output":"3","cacheWrite1h":"2","#
          + #""webSearchPer1000":"10","requestPer1000":"5","tiers":["#
          + #"{"aboveInputTokens":100000,"input":"1","output":"3","#
          + #""cacheWrite1h":"4"},{"aboveInputTokens":200000,"input":"2","#
          + #""output":"3","cacheWrite1h":"4"}]}}"#,
        #"{"id":"a-model","from":"2026-09-01T00:00:00.000Z","usdPer1M":{"input":"0.5","#
          + #""output":"1.5"}}"#,
        #"{"id":"night","aliases":["maker/night"],"usdPer1M":{"input":"1","output":"1","when":{"#
          + #""hours=00:30-16:30":{"input":"2","output":"2"}}}}"#,
        #"{"id":"embedder","aliases":["maker/embedder"],"usdPer1M":{"input":"0.1","#
          + #""output":"0"}}"#,
        #"{"id":"seller/a-model","usdPer1M":{"input":"9","output":"9"}}"#,
      ])
    let catalog = try imported(text)
    #expect(leftOut(catalog) == ["1 \(LeftOut.noOutput)"])
    #expect(pricesLeftOut(catalog) == ["1 \(LeftOut.price(of: "output_video_mtok"))"])
    #expect(
      catalog.namesLeftOut.lines { "\($0) \($1)" } == [
        "1 \(LeftOut.rule("starts_with"))", "1 \(LeftOut.rule("regex"))", "1 \(LeftOut.takenName)",
      ])
  }

  /// Of several variants the first that holds counts, from its day on.
  @Test func variantsOfGenAIPricesHaveDates() throws {
    let text = #"""
      [{"id":"google","models":[{"id":"gm","match":{"equals":"gm"},
        "prices":[{"prices":{"input_mtok":0.75,"output_mtok":3.75,"storage_searches_kcount":2.5}},
         {"constraint":{"start_date":"2027-01-01"},"prices":{"input_mtok":1.5,"output_mtok":7.5}}],
        "price_variants":[{"when":{"processing":"batch"},"constraint":{"start_date":"2027-01-01"},
          "prices":{"input_mtok":0.75,"output_mtok":3.75}},
         {"when":{"processing":"batch"},"constraint":{"start_date":"2026-10-14"},
          "prices":{"input_mtok":0.375,"output_mtok":1.875,"cache_read_mtok":0.1}},
         {"when":{"service_tier":"default"},"prices":{}},
         {"when":{"service_tier":"fast"},"prices":{"input_mtok":2,"output_mtok":8}},
         {"when":{"processing":"flex"},"prices":{"input_mtok":0.3,"output_mtok":1},
          "constraint":{"start_time":"00:30:00Z","end_time":"16:30:00Z"}},
         {"when":{"route":"eu"},"prices":{"input_mtok":9}}]}]}]
      """#
    let priority = #""serviceTier=priority":{"input":"2","output":"8"}"#
    #expect(
      try models(text) == [
        #"{"id":"gm","aliases":["google/gm"],"usdPer1M":{"input":"0.75","output":"3.75","#
          + #""fileSearchPer1000":"2.5","when":{\#(priority)}}}"#,
        #"{"id":"gm","from":"2026-10-14T00:00:00.000Z","usdPer1M":{"input":"0.75","#
          + #""output":"3.75","fileSearchPer1000":"2.5","when":{"serviceTier=batch":{"#
          + #""input":"0.375","output":"1.875","cacheRead":"0.1"},\#(priority)}}}"#,
        #"{"id":"gm","from":"2027-01-01T00:00:00.000Z","usdPer1M":{"input":"1.5","#
          + #""output":"7.5","when":{"serviceTier=batch":{"input":"0.75","output":"3.75","#
          + #""cacheRead":"0.1"},\#(priority)}}}"#,
      ])
    #expect(
      pricesLeftOut(try imported(text)) == [
        "1 \(LeftOut.variant("flex"))", "1 \(LeftOut.variant("eu"))",
      ])
  }

  /// Perplexity's usages contain the size of a search, even if the price does not depend on it.
  @Test func perplexitysSearchContextsArePriced() throws {
    let text = #"""
      [{"id":"perplexity","models":[{"id":"sonar","match":{"equals":"sonar"},
        "prices":{"input_mtok":1,"output_mtok":1,"requests_kcount":12}}]}]
      """#
    #expect(
      try models(text) == [
        #"{"id":"sonar","aliases":["perplexity/sonar"],"usdPer1M":{"input":"1","output":"1","#
          + #""requestPer1000":"12","when":{"searchContext=low":{},"searchContext=medium":{},"#
          + #""searchContext=high":{}}}}"#
      ])
  }

  /// A tier that begins at 199,999 says already that it holds at 200,000.
  @Test(arguments: [199_999, 200_000])
  func xAIsTiersHoldAtTheirThreshold(_ start: Int) throws {
    let text = #"""
      [{"id":"x-ai","models":[{"id":"grok","match":{"equals":"grok"},"prices":{"output_mtok":1,
        "input_mtok":{"base":1,"tiers":[{"start":\#(start),"price":2}]}}}]}]
      """#
    #expect(try models(text).first?.contains(#"{"atInputTokens":200000,"#) == true)
  }

  /// A model without text output needs no price of it.
  @Test(arguments: [
    ("gemini-embedding-001", "gemini", true), ("bge-reranker-base", "bge", true),
    ("m", "text-embedding", true), ("voyage-3.5", "voyage", true),
    ("model-router", "model-router", false),
  ])
  func modelsDevEmbeddings(_ id: String, _ family: String, _ isTaken: Bool) throws {
    let text = #"""
      {"p":{"models":{"\#(id)":{"family":"\#(family)","cost":{"input":0.15,"output":0},
       "modalities":{"input":["text"],"output":["text"]}}}}}
      """#
    #expect(try models(text).isEmpty != isTaken)
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
  func creditsForProductsWithoutGrantsAreRefused(_ id: String) throws {
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
