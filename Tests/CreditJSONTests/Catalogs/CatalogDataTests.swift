import CreditModel
import Foundation
import Testing

@testable import CreditJSON
@testable import TestSupport

private let folder = Checkout.data.appending(path: "catalogs")

private let isThere = FileManager.default.fileExists(atPath: folder.path)

/// Price files as their projects publish them, if a collection is beside the package.
@Suite(.slow, .enabled(if: isThere)) struct CatalogDataTests {
  private static func text(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: name)))
  }

  private static func imported(_ name: String) throws -> CatalogImport {
    try JSONDocument(text(name)).withRoot { file throws(CreditError) in try CatalogImport(file) }
  }

  /// The catalog as it is after it was written to a file and read back.
  private static func readBack(_ catalog: CatalogImport) throws -> PriceCatalog {
    var writer = JSONWriter()
    writer.catalog(catalog)
    return try JSONDocument(writer.string).withRoot { catalog throws(CreditError) in
      try PolicyDecoder.decodeCatalog(catalog)
    }
  }

  /// An entry of LiteLLM's file as another JSON reader has it.
  private struct LiteLLMEntry: Decodable {
    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }

      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    let mode: String?
    let provider: String?
    let prices: [String: Decimal]
    /// Whether its price has parts other than tokens at their own prices.
    let hasOtherPrices: Bool
    /// Perplexity's price of a request with the smallest search context.
    let requestFee: Decimal

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      mode = try container.decodeIfPresent(String.self, forKey: Key(stringValue: "mode"))
      provider = try container.decodeIfPresent(
        String.self, forKey: Key(stringValue: "litellm_provider"))
      var prices: [String: Decimal] = [:]
      for key in container.allKeys where key.stringValue.contains("token") {
        prices[key.stringValue] = try? container.decode(Decimal.self, forKey: key)
      }
      self.prices = prices
      let fees = try? container.decode(
        [String: Decimal].self, forKey: Key(stringValue: "search_context_cost_per_query"))
      requestFee =
        provider == "perplexity" ? fees?["search_context_size_low"] ?? 0 : 0
      hasOtherPrices =
        ["tiered_pricing", "input_cost_per_request"].contains {
          container.contains(Key(stringValue: $0))
        }
    }

    func price(_ member: String, above thousands: Int? = nil) -> Decimal? {
      prices[member + (thousands.map { "_above_\($0)k_tokens" } ?? "")]
    }

    func cost(input: Int, output: Int, read: Int, write: Int) -> Decimal {
      let above = [512, 272, 256, 200, 128, 100, 32].first { thousands in
        // xAI's higher prices hold from the threshold on.
        input + read + write >= thousands * 1000 + (provider == "xai" ? 0 : 1)
          && price("input_cost_per_token", above: thousands) != nil
      }
      func tierPrice(_ member: String) -> Decimal? {
        above.flatMap { price(member, above: $0) } ?? price(member)
      }
      let inputPrice = tierPrice("input_cost_per_token") ?? 0
      // Fireworks takes half for cached input by default.
      let isHalf = provider == "fireworks_ai" && price("output_cost_per_token") != 0
      let cachedPrice = isHalf ? inputPrice / 2 : inputPrice
      return Decimal(input) * inputPrice
        + Decimal(output) * (tierPrice("output_cost_per_token") ?? 0)
        + Decimal(read) * (tierPrice("cache_read_input_token_cost") ?? cachedPrice)
        + Decimal(write) * (tierPrice("cache_creation_input_token_cost") ?? inputPrice)
    }
  }

  private static func entries() throws -> [String: LiteLLMEntry] {
    try JSONDecoder().decode(
      [String: LiteLLMEntry].self, from: Data(contentsOf: folder.appending(path: "litellm.json")))
  }

  @Test func everyEntryIsTakenOrCounted() throws {
    let catalog = try Self.imported("litellm.json")
    let document = try JSONDocument(Self.text("litellm.json"))
    let count = document.withRoot { file in file.members.count { _ in true } }
    let counts = catalog.entriesLeftOut.counts
    #expect(catalog.models.count + counts.values.reduce(0, +) == count)
    #expect(counts[LeftOut.notAModel.description] == 2)
    #expect(try Self.readBack(catalog).models.count == catalog.models.count)
  }

  @Test func cornerCases() throws {
    struct Cases: Decodable {
      struct Price: Decodable {
        let model: String
        let field: String
        let microUsdPer1MTokens: String
      }
      struct LiteLLM: Decodable {
        let inputWithoutOutput: [String]
        let outputWithoutInput: [String]
        let bothZero: [String]
        let nonIntegerMicroUsdPer1M: [Price]
        let cacheCreationExplicitZeroWithPricedInput: [String]
      }
      let litellm: LiteLLM
    }
    let url = folder.appending(path: "litellm-corner-cases.json")
    let cases = try JSONDecoder().decode(Cases.self, from: Data(contentsOf: url)).litellm
    let catalog = try Self.imported("litellm.json")
    let models = Dictionary(
      uniqueKeysWithValues: catalog.models.map { ($0.id.text, $0.prices.standard) })
    for id in cases.bothZero + cases.outputWithoutInput { #expect(models[id] == nil, "\(id)") }
    let entries = try Self.entries()
    for id in cases.inputWithoutOutput {
      let isEmbedding = entries[id]?.mode == "embedding"
      #expect(models[id]?.base[.outputTokens] == (isEmbedding ? .zero : nil), "\(id)")
    }
    for id in cases.cacheCreationExplicitZeroWithPricedInput {
      #expect(models[id]?.base[.cacheWriteTokens] == .zero, "\(id)")
    }
    for price in cases.nonIntegerMicroUsdPer1M {
      let expected = ExactDecimal(text: price.microUsdPer1MTokens)
      switch price.field {
      case "input_cost_per_token": #expect(models[price.model]?.base[.inputTokens] == expected)
      case "output_cost_per_token": #expect(models[price.model]?.base[.outputTokens] == expected)
      case "cache_read_input_token_cost":
        #expect(models[price.model]?.base[.cacheReadTokens] == expected)
      default: break
      }
    }
  }

  /// Prices by another way of exact arithmetic: decimals of 38 digits.
  @Test func pricesAreThoseOfTheFile() throws {
    let catalog = try Self.readBack(try Self.imported("litellm.json"))
    let entries = try Self.entries()
    var random = SeededGenerator(seed: 7)
    for model in catalog.models {
      let entry = try #require(entries[model.id.text])
      if entry.hasOtherPrices { continue }
      for total in [1000, 150_000, 200_000, 200_001, 272_001, 900_000] {
        let output = Int.random(in: 0...20_000, using: &random)
        let read = Int.random(in: 0...total, using: &random)
        let write = Int.random(in: 0...(total - read), using: &random)
        let usage = TokenUsage(
          inputTokens: Int64(total - read - write), outputTokens: Int64(output),
          cacheReadTokens: Int64(read), cacheWriteTokens: Int64(write))
        let quote = try PriceRules().quote(.counts(.tokens(usage)), at: model.pricing)
        let cost =
          entry.cost(
            input: total - read - write, output: output, read: read, write: write)
          + entry.requestFee
        #expect(quote.usd.flatMap { Decimal(string: $0) } == cost, "\(model.id.text)")
        var credits = cost * 1000
        var rounded = Decimal()
        NSDecimalRound(&rounded, &credits, 0, .up)
        #expect(Decimal(quote.credits) == max(rounded, 1), "\(model.id.text)")
      }
    }
  }

  /// Every price of every service tier, count by count.
  @Test func countsAndServiceTiersHaveThePricesOfTheFile() throws {
    let catalog = try Self.readBack(try Self.imported("litellm.json"))
    let entries = try Self.entries()
    let counts: [(String, UsageCount)] = [
      ("input_cost_per_token", .inputTokens), ("output_cost_per_token", .outputTokens),
      ("cache_read_input_token_cost", .cacheReadTokens),
      ("cache_creation_input_token_cost", .cacheWriteTokens),
      ("cache_creation_input_token_cost_above_1hr", .cacheWrite1hTokens),
      ("input_cost_per_audio_token", .audioInputTokens),
      ("output_cost_per_audio_token", .audioOutputTokens),
      ("input_cost_per_image_token", .imageInputTokens),
      ("output_cost_per_image_token", .imageOutputTokens),
      ("cache_read_input_audio_token_cost", .cacheReadAudioTokens),
      ("cache_read_input_image_token_cost", .cacheReadImageTokens),
    ]
    let tiers = [nil, ("batches", "batch"), ("flex", "flex"), ("priority", "priority")]
    var priced = 0
    for model in catalog.models {
      let entry = try #require(entries[model.id.text])
      if entry.hasOtherPrices { continue }
      for (member, count) in counts {
        for tier in tiers as [(member: String, value: String)?] {
          let own = tier.flatMap { entry.prices[member + "_" + $0.member] }
          guard let price = tier == nil ? entry.prices[member] : own, price > 0 else { continue }
          var usage = TokenUsage(inputTokens: 0, outputTokens: 0)
          usage[count] = 10_000
          usage[.serviceTier] = tier?.value
          let quote = try PriceRules().quote(.counts(.tokens(usage)), at: model.pricing)
          #expect(
            quote.usd.flatMap { Decimal(string: $0) } == price * 10_000 + entry.requestFee,
            "\(model.id.text): \(member) \(tier?.value ?? "")")
          priced += 1
        }
      }
    }
    #expect(priced > 10_000)
  }

  /// Names that are found as they stand, and prices by hand from the files.
  @Test(arguments: [
    ("genai-prices.json", "claude-opus-4-6", "2026-03-12T23:59:59Z", "10"),
    ("genai-prices.json", "claude-opus-4-6", "2026-03-13T00:00:00Z", "5"),
    ("genai-prices.json", "anthropic/claude-opus-4-6", "2026-03-13T00:00:00Z", "5"),
    ("genai-prices.json", "gpt-5.6-luna", "2026-07-29T00:00:00Z", "2"),
    ("genai-prices.json", "gpt-5-6-luna", "2026-07-30T00:00:00Z", "0.4"),
    ("models-dev.json", "anthropic/claude-opus-4-6", "2026-07-30T00:00:00Z", "5"),
    ("models-dev.json", "azure/claude-opus-4-6", "2026-07-30T00:00:00Z", "10"),
    ("models-dev.json", "gemini-2.5-pro", "2026-07-30T00:00:00Z", "2.5"),
    ("models-dev.json", "gpt-5-mini", "2026-07-30T00:00:00Z", "0.25"),
    ("llm-prices.json", "amazon-nova-pro", "2026-07-30T00:00:00Z", "0.8"),
    ("litellm.json", "claude-sonnet-4-5", "2026-07-30T00:00:00Z", "3"),
  ])
  func aMillionTokensOfInput(file: String, id: String, at time: String, usd: String) throws {
    let catalog = try Self.readBack(try Self.imported(file))
    let now = try #require(Timestamp(text: time))
    let model = try #require(try catalog.model(Name(trusted: id), at: now))
    let usage = Usage.tokens(TokenUsage(inputTokens: 1_000_000, outputTokens: 0))
    #expect(try PriceRules().quote(.counts(usage), at: model.pricing).usd == usd)
  }

  @Test(arguments: ["genai-prices.json", "models-dev.json"])
  func filesOfProvidersAreCatalogs(_ name: String) throws {
    let catalog = try Self.imported(name)
    #expect(try Self.readBack(catalog).models.count == catalog.models.count)
    #expect(catalog.models.count > 500)
  }

  @Test func llmPrices() throws {
    let catalog = try Self.imported("llm-prices.json")
    #expect(catalog.entryCount == 142)
    #expect(catalog.models.count == 141)
    let grok = try #require(catalog.models.first { $0.id.text == "grok-4-fast" })
    #expect(grok.prices.standard.base[.inputTokens] == ExactDecimal(coefficient: 200_000))
    #expect(grok.prices.standard.base[.cacheReadTokens] == ExactDecimal(coefficient: 50_000))
  }
}

extension CatalogImport {
  /// How many entries the file has: each is in the catalog or counted as left out.
  fileprivate var entryCount: Int {
    models.count + products.count + entriesLeftOut.counts.values.reduce(0, +)
  }
}
