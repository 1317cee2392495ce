internal import CreditModel

/// Reads the lists of llm-prices: `prices`, each entry with an `id` and dollars a million tokens in
/// `input`, `output` and `input_cached`.
struct LLMPricesReader {
  static func recognizes(_ file: JSONValue) -> Bool {
    file.member("prices")?.elements.contains { entry in
      entry.member("id") != nil && entry.member("input") != nil
    } ?? false
  }

  func read(_ file: JSONValue, into catalog: inout CatalogImport) {
    for entry in file.elements("prices") {
      if let reason = add(entry, to: &catalog) { catalog.leaveOut(reason) }
    }
  }

  /// - Returns: why the entry was left out, or nil.
  private func add(_ entry: JSONValue, to catalog: inout CatalogImport) -> LeftOut? {
    guard let id = entry.string("id"), Name.problem(with: id, limit: Name.idLimit) == nil else {
      return .unusableID
    }
    // Lists of past prices say until when each held.
    if let end = entry.member("to_date"), !end.isNull { return .past }
    let texts = ["input", "output", "input_cached"].map { (key: StaticString) in
      entry.member(key).flatMap { $0.isNull ? nil : $0 }
    }
    if texts[0] == nil { return .noInput }
    if texts[1] == nil { return .noOutput }
    let dollars = texts.map { $0?.exactDecimal }
    if zip(texts, dollars).contains(where: { $0 != nil && $1 == nil }) { return .unreadable }
    // Dollars and micro-dollars, both a million tokens.
    let prices = dollars.map { $0?.shifted(left: 6) }
    guard let input = prices[0], let output = prices[1] else { return .tooFine }
    var list = ImportedPrices()
    list.standard.base = GivenPrices(input: input, output: output)
    list.standard.base[.cacheReadTokens] = prices[2]
    if let problem = list.problem(hasOutput: true) { return problem }
    catalog.add(ImportedModel(id: Name(trusted: id), prices: list))
    return nil
  }
}
