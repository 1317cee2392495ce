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
  catalog.leftOut.map { "\($0.count) \($0.reason)" }
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

  @Test func tiersAreCliffsAndOtherSuffixesOtherServices() throws {
    let text = entry(
      """
      "input_cost_per_token":3e-06,"output_cost_per_token":1.5e-05,
      "input_cost_per_token_above_200k_tokens":6e-06,
      "output_cost_per_token_above_200k_tokens":2.25e-05,
      "input_cost_per_token_above_32k_tokens":4e-06,
      "input_cost_per_token_batches":1e-06,"output_cost_per_token_flex":1e-06,
      "input_cost_per_token_above_200k_tokens_priority":1e-06,
      "cache_creation_input_token_cost_above_1hr":1e-06,
      "cache_creation_input_token_cost_above_1hr_above_200k_tokens":1e-06
      """)
    #expect(
      try models(text) == [
        #"{"id":"m","tokens":{"inputUSDPer1M":3000000,"outputUSDPer1M":15000000,"tiers":["#
          + #"{"aboveInputTokens":32000,"inputUSDPer1M":4000000,"outputUSDPer1M":15000000},"#
          + #"{"aboveInputTokens":200000,"inputUSDPer1M":6000000,"outputUSDPer1M":22500000}]}}"#
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
    #expect(catalog.entryCount == 6)
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

  private let storeKit = """
    {"identifier":"1","products":[
     {"productID":"pack","type":"Consumable","displayPrice":"1.90","referenceName":"ref",
      "localizations":[{"displayName":"Pack","description":"Some credits"}]},
     {"productID":"tip","type":"Consumable","displayPrice":"0.99","localizations":[]},
     {"productID":"forever","type":"NonConsumable","displayPrice":"9.99"}],
     "subscriptionGroups":[{"subscriptions":[{"productID":"month","type":"RecurringSubscription"}]}],
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
    #expect(catalog.entryCount == 4)
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
