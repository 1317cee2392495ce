internal import CreditModel

/// Reads LiteLLM's `model_prices_and_context_window.json`: an object of entries by model id, with
/// dollars a token in members such as `input_cost_per_token`.
///
/// `…_above_200k_tokens` are cliffs on total input. Other suffixes (`_batches`, `_flex`, `_priority`,
/// `_above_1hr`) are the prices of other service tiers and are passed over.
struct LiteLLMReader {
  static func recognizes(_ file: JSONValue) -> Bool {
    file.members.contains { _, entry in
      entry.member("litellm_provider") != nil || entry.member("input_cost_per_token") != nil
    }
  }

  func read(_ file: JSONValue, into catalog: inout CatalogImport) {
    for (name, entry) in file.members {
      guard entry.isObject, !Self.notModels.contains(where: name.utf8Equals) else {
        catalog.leaveOut(.notAModel)
        continue
      }
      do throws(LeftOut) {
        catalog.add(try model(name, entry))
        if entry.member("tiered_pricing") != nil {
          catalog.simplify("a table of price ranges beside the price")
        }
      } catch {
        catalog.leaveOut(error)
      }
    }
  }

  /// Entries that explain the file or the program.
  private static let notModels: [StaticString] = ["sample_spec", "fallback_generalizations"]

  /// What is sold without text coming out of it; elsewhere an output price of 0 is a missing one.
  private static let modesWithoutOutput: [StaticString] = [
    "embedding", "rerank", "moderation", "evaluation", "extraction", "decisions",
  ]

  private func model(_ name: JSONValue, _ entry: JSONValue) throws(LeftOut) -> ImportedModel {
    let id = name.string ?? ""
    if Name.problem(with: id, limit: Name.idLimit) != nil { throw .unusableID }
    let given = try LiteLLMPrices.all(of: entry)
    let base = try prices(given.base, of: entry)
    let tiers = try given.tiers.map { tier throws(LeftOut) in
      // A price that a tier doesn't give holds on from the base; the cache prices do so anyway.
      let prices = ImportedPrices(
        input: tier.input ?? base.input, output: tier.output ?? base.output,
        cacheRead: tier.cacheRead, cacheWrite: tier.cacheWrite)
      guard Self.arePrices(prices, of: entry) else { throw .zero }
      return (above: tier.above, prices: prices)
    }
    guard let model = ImportedModel(id: Name(trusted: id), base: base, tiers: tiers) else {
      throw .tooFine
    }
    return model
  }

  private func prices(_ given: LiteLLMPrices, of entry: JSONValue) throws(LeftOut)
    -> ImportedPrices
  {
    if given.input == nil && given.output == nil { throw Self.otherPrice(entry) }
    guard let input = given.input else { throw .noInput }
    let isEmbedding = entry.member("mode")?.utf8Equals("embedding") ?? false
    guard let output = given.output ?? (isEmbedding ? .zero : nil) else { throw .noOutput }
    let prices = ImportedPrices(
      input: input, output: output, cacheRead: given.cacheRead, cacheWrite: given.cacheWrite)
    guard Self.arePrices(prices, of: entry) else { throw .zero }
    return prices
  }

  private static func arePrices(_ prices: ImportedPrices, of entry: JSONValue) -> Bool {
    if prices.input == .zero { return false }
    if prices.output != .zero { return true }
    guard let mode = entry.member("mode") else { return false }
    return modesWithoutOutput.contains(where: mode.utf8Equals)
  }

  /// What an entry without a price a token is priced by: the word after `_per_`.
  private static func otherPrice(_ entry: JSONValue) -> LeftOut {
    if entry.member("tiered_pricing") != nil { return .tieredTable }
    for (name, _) in entry.members {
      let words = (name.string ?? "").split(separator: "_")
      guard let per = words.lastIndex(of: "per"), words.contains("cost"), per + 1 < words.count,
        words[per + 1] != "token"
      else { continue }
      return .priced(by: String(words[per + 1]))
    }
    return .noPrice
  }
}
