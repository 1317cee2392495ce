import CreditModel
import Foundation
import Testing

@testable import CreditJSON
@testable import TestSupport

private let folder = Checkout.data.appending(path: "catalogs")

private let isThere = FileManager.default.fileExists(atPath: folder.path)

/// Price files as their projects publish them, where a collection of them stands beside the package.
@Suite(.enabled(if: isThere)) struct CatalogDataTests {
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
  private struct Entry: Decodable {
    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }

      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    let mode: String?
    let prices: [String: Decimal]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      mode = try container.decodeIfPresent(String.self, forKey: Key(stringValue: "mode"))
      var prices: [String: Decimal] = [:]
      for key in container.allKeys where key.stringValue.contains("token") {
        prices[key.stringValue] = try? container.decode(Decimal.self, forKey: key)
      }
      self.prices = prices
    }

    func price(_ member: String, above thousands: Int? = nil) -> Decimal? {
      prices[member + (thousands.map { "_above_\($0)k_tokens" } ?? "")]
    }

    func cost(input: Int, output: Int, read: Int, write: Int) -> Decimal {
      let above = [512, 272, 256, 200, 128, 100, 32].first { thousands in
        input + read + write > thousands * 1000
          && price("input_cost_per_token", above: thousands) != nil
      }
      func tierPrice(_ member: String) -> Decimal? {
        above.flatMap { price(member, above: $0) } ?? price(member)
      }
      let inputPrice = tierPrice("input_cost_per_token") ?? 0
      return Decimal(input) * inputPrice
        + Decimal(output) * (tierPrice("output_cost_per_token") ?? 0)
        + Decimal(read) * (tierPrice("cache_read_input_token_cost") ?? inputPrice)
        + Decimal(write) * (tierPrice("cache_creation_input_token_cost") ?? inputPrice)
    }
  }

  private static func entries() throws -> [String: Entry] {
    try JSONDecoder().decode(
      [String: Entry].self, from: Data(contentsOf: folder.appending(path: "litellm.json")))
  }

  @Test func everyEntryIsTakenOrCounted() throws {
    let catalog = try Self.imported("litellm.json")
    let document = try JSONDocument(Self.text("litellm.json"))
    let count = document.withRoot { file in file.members.count { _ in true } }
    #expect(catalog.entryCount == count)
    let counts = Dictionary(uniqueKeysWithValues: catalog.leftOut.map { ($0.reason, $0.count) })
    let otherUnits = counts.filter { $0.key.hasPrefix("a price by") }.values.reduce(0, +)
    let noTokenPrice = otherUnits + (counts[LeftOut.noPrice.description] ?? 0)
    #expect(noTokenPrice + (counts[LeftOut.tieredTable.description] ?? 0) == 823)
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
    let models = Dictionary(uniqueKeysWithValues: catalog.models.map { ($0.id.text, $0) })
    for id in cases.bothZero + cases.outputWithoutInput { #expect(models[id] == nil, "\(id)") }
    let entries = try Self.entries()
    for id in cases.inputWithoutOutput {
      let isEmbedding = entries[id]?.mode == "embedding"
      #expect(models[id]?.base.output == (isEmbedding ? .zero : nil), "\(id)")
    }
    for id in cases.cacheCreationExplicitZeroWithPricedInput {
      #expect(models[id]?.base.cacheWrite == .zero, "\(id)")
    }
    for price in cases.nonIntegerMicroUsdPer1M {
      let expected = ExactDecimal(text: price.microUsdPer1MTokens)
      switch price.field {
      case "input_cost_per_token": #expect(models[price.model]?.base.input == expected)
      case "output_cost_per_token": #expect(models[price.model]?.base.output == expected)
      case "cache_read_input_token_cost":
        #expect(models[price.model]?.base.cacheRead == expected)
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
      for total in [1000, 150_000, 200_000, 200_001, 272_001, 900_000] {
        let output = Int.random(in: 0...20_000, using: &random)
        let read = Int.random(in: 0...total, using: &random)
        let write = Int.random(in: 0...(total - read), using: &random)
        let usage = TokenUsage(
          inputTokens: Int64(total - read - write), outputTokens: Int64(output),
          cacheReadTokens: Int64(read), cacheWriteTokens: Int64(write))
        let quote = try PriceRules().quote(.counts(.tokens(usage)), at: model.pricing)
        let cost = entry.cost(
          input: total - read - write, output: output, read: read, write: write)
        #expect(quote.usd.flatMap { Decimal(string: $0) } == cost, "\(model.id.text)")
        var credits = cost * 1000
        var rounded = Decimal()
        NSDecimalRound(&rounded, &credits, 0, .up)
        #expect(Decimal(quote.credits) == max(rounded, 1), "\(model.id.text)")
      }
    }
  }

  @Test func llmPrices() throws {
    let catalog = try Self.imported("llm-prices.json")
    #expect(catalog.entryCount == 142)
    #expect(catalog.models.count == 141)
    let grok = try #require(catalog.models.first { $0.id.text == "grok-4-fast" })
    #expect(grok.base.input == ExactDecimal(coefficient: 200_000))
    #expect(grok.base.cacheRead == ExactDecimal(coefficient: 50_000))
  }
}
