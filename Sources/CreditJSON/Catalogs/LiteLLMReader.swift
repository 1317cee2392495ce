internal import CreditModel

/// Reads LiteLLM's `model_prices_and_context_window.json`: an object of entries by model id, with
/// dollars a token in members such as `input_cost_per_token`.
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
        try add(name, entry, to: &catalog)
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

  private func add(_ name: JSONValue, _ entry: JSONValue, to catalog: inout CatalogImport)
    throws(LeftOut)
  {
    let id = name.string ?? ""
    if Name.problem(with: id, limit: Name.idLimit) != nil { throw .unusableID }
    let read = try LiteLLMPrices(entry)
    var prices = read.prices
    let base = prices.standard.base
    if base[.inputTokens] == nil, base[.outputTokens] == nil {
      throw entry.member("tiered_pricing") != nil
        ? .tieredTable : LiteLLMPrices.otherPrice(of: entry)
    }
    let mode = entry.member("mode")
    if mode?.utf8Equals("embedding") ?? false { prices.assumeNoOutput() }
    prices.standard.completeTiers()
    let provider = entry.string("litellm_provider") ?? ""
    let workedOut = prices.apply(rulesOf: provider)
    let hasOutput = mode.map { mode in !Self.modesWithoutOutput.contains(where: mode.utf8Equals) }
    if let problem = prices.problem(hasOutput: hasOutput ?? true) { throw problem }
    catalog.add(ImportedModel(id: Name(trusted: id), prices: prices))
    for price in read.leftOut { catalog.leaveOut(price: price) }
    catalog.workOut(
      "those that a service tier lacks, in proportion to its others",
      count: read.workedOut)
    catalog.workOut("those of cached input, at half the input price", count: workedOut)
  }
}

extension ImportedPrices {
  /// Takes an absent output price for 0.
  mutating func assumeNoOutput() {
    if standard.base[.outputTokens] == nil { standard.base[.outputTokens] = .zero }
  }
}
