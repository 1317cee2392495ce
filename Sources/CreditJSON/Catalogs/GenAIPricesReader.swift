internal import CreditModel

/// Reads the data of pydantic's genai-prices: a list of providers with `models`, whose `prices` are
/// in dollars a million tokens or a thousand calls, with tiers, and from a day on.
///
/// Source: `packages/python/genai_prices/types.py` in github.com/pydantic/genai-prices.
struct GenAIPricesReader {
  static func recognizes(_ file: JSONValue) -> Bool {
    file.kind == .array
      && file.elements.contains { $0.member("models")?.kind == .array && $0.member("id") != nil }
  }

  func read(_ file: JSONValue, into catalog: inout CatalogImport) {
    var offers = ProviderOffers()
    for provider in file.elements {
      for model in provider.elements("models") {
        do throws(LeftOut) {
          offers.add(try offer(of: provider, model, &catalog))
        } catch {
          catalog.leaveOut(error)
        }
      }
    }
    offers.add(to: &catalog)
  }

  private func offer(of provider: JSONValue, _ model: JSONValue, _ catalog: inout CatalogImport)
    throws(LeftOut) -> Offer
  {
    guard let id = model.string("id"), let sold = provider.string("id"),
      Name.problem(with: sold + "/" + id, limit: Name.idLimit) == nil
    else { throw .unusableID }
    guard let prices = model.member("prices") else { throw .noPrice }
    // An embedding is said to be one by its name alone.
    let hasOutput = !id.utf8.containsWord("embed") && !sold.utf8.containsWord("voyage")
    var leftOut: [LeftOut] = []
    var offer = Offer(
      provider: sold, id: id,
      prices: try self.prices(prices, hasOutput: hasOutput, &leftOut))
    let workedOut = offer.prices.indices.reduce(0) {
      $0 + offer.prices[$1].list.apply(rulesOf: sold)
    }
    catalog.workOut("those of cached input, at half the input price", count: workedOut)
    for variant in variants(model) { leftOut.append(.variant(variant)) }
    for price in leftOut { catalog.leaveOut(price: price) }
    if let match = model.member("match") { offer.names = names(match, &catalog) }
    offer.isFoundByID = provider.member("model_match").map { matches($0, id) } ?? false
    return offer
  }

  /// The names of a model's further price lists: by service tier or speed.
  private func variants(_ model: JSONValue) -> [String] {
    guard let variants = model.member("price_variants") else { return [] }
    if variants.isObject { return variants.members.map { $0.0.string ?? "?" } }
    return variants.elements.map { $0.string("name") ?? $0.string("id") ?? "?" }
  }

  /// The prices with the day from which each holds: an object, or a list whose later entries say
  /// when.
  private func prices(_ value: JSONValue, hasOutput: Bool, _ leftOut: inout [LeftOut])
    throws(LeftOut) -> [(from: Timestamp?, list: ImportedPrices)]
  {
    guard value.kind == .array else {
      return [(nil, try list(value, hasOutput: hasOutput, &leftOut))]
    }
    var dated: [(from: Timestamp?, list: ImportedPrices)] = []
    for entry in value.elements {
      var from: Timestamp?
      if let constraint = entry.member("constraint"), !constraint.isNull {
        guard let day = constraint.string("start_date") else { throw .timeOfDay }
        guard let time = Timestamp(text: day + "T00:00:00Z") else { throw .unreadable }
        from = time
      }
      guard let prices = entry.member("prices") else { throw .noPrice }
      // The last of those that hold counts.
      dated.removeAll { $0.from == from }
      dated.append((from, try list(prices, hasOutput: hasOutput, &leftOut)))
    }
    if dated.isEmpty { throw .noPrice }
    return dated
  }

  private static let members: [(name: StaticString, count: UsageCount)] = [
    ("input_mtok", .inputTokens), ("output_mtok", .outputTokens),
    ("cache_read_mtok", .cacheReadTokens), ("cache_write_mtok", .cacheWriteTokens),
    ("cache_write_1h_mtok", .cacheWrite1hTokens), ("input_image_mtok", .imageInputTokens),
    ("input_audio_mtok", .audioInputTokens), ("output_audio_mtok", .audioOutputTokens),
    ("output_image_mtok", .imageOutputTokens), ("cache_audio_read_mtok", .cacheReadAudioTokens),
    ("cache_image_read_mtok", .cacheReadImageTokens),
    ("output_citation_mtok", .citationTokens), ("web_searches_kcount", .webSearches),
  ]

  private func list(_ value: JSONValue, hasOutput: Bool, _ leftOut: inout [LeftOut])
    throws(LeftOut) -> ImportedPrices
  {
    var prices = ImportedPrices()
    for (key, value) in value.members where !value.isNull {
      if let member = Self.members.first(where: { key.utf8Equals($0.name) }) {
        try set(value, Int(member.count.rawValue), in: &prices)
      } else if key.utf8Equals("requests_kcount") {
        try set(value, GivenPrices.requestPlace, in: &prices)
      } else if !key.utf8Equals("output_reasoning_mtok") {
        leftOut.append(.price(of: key.string ?? "?"))
      }
    }
    if let reasoning = value.member("output_reasoning_mtok") {
      var apart = ImportedPrices()
      try set(reasoning, 1, in: &apart)
      guard prices.hasOutput(of: apart) else { throw .reasoningApart }
    }
    if prices.standard.isEmpty { throw .noPrice }
    if !hasOutput { prices.assumeNoOutput() }
    prices.standard.spreadTiers()
    prices.standard.completeTiers()
    if let problem = prices.problem(hasOutput: hasOutput) { throw problem }
    return prices
  }

  /// A number, or `{"base":…,"tiers":[{"start":…,"price":…}]}`.
  private func set(_ value: JSONValue, _ place: Int, in prices: inout ImportedPrices)
    throws(LeftOut)
  {
    prices.standard.set(place, above: 0, try Self.price(value.member("base") ?? value))
    for tier in value.elements("tiers") {
      guard let start = tier.int64("start"), start > 0, let price = tier.member("price") else {
        throw .unreadable
      }
      prices.standard.set(place, above: start, try Self.price(price))
    }
  }

  /// Dollars and micro-dollars, both a million tokens or a thousand calls.
  private static func price(_ value: JSONValue) throws(LeftOut) -> ExactDecimal {
    guard let dollars = value.exactDecimal else { throw .unreadable }
    guard let price = dollars.shifted(left: 6) else { throw .tooFine }
    return price
  }

  /// The names that a rule is about as a whole.
  private func names(_ rule: JSONValue, _ catalog: inout CatalogImport) -> [String] {
    var names: [String] = []
    for (kind, value) in rule.members {
      if kind.utf8Equals("or") {
        for part in value.elements { names += self.names(part, &catalog) }
      } else if kind.utf8Equals("equals"), let name = value.string {
        names.append(name)
      } else {
        catalog.leaveOut(name: .rule(kind.string ?? "?"))
      }
    }
    return names
  }

  /// Whether a rule fits a name, as far as its form is plain.
  private func matches(_ rule: JSONValue, _ name: String) -> Bool {
    rule.members.contains { kind, value in
      if kind.utf8Equals("or") { return value.elements.contains { matches($0, name) } }
      guard let text = value.string else { return false }
      if kind.utf8Equals("equals") { return text == name }
      if kind.utf8Equals("starts_with") { return name.hasPrefix(text) }
      if kind.utf8Equals("ends_with") { return name.hasSuffix(text) }
      return kind.utf8Equals("contains") && name.utf8.containsWord(text)
    }
  }
}

extension ImportedPrices {
  /// Whether the output prices are another list's.
  fileprivate func hasOutput(of other: ImportedPrices) -> Bool {
    let thresholds = standard.tiers.map(\.above) + other.standard.tiers.map(\.above) + [0]
    return thresholds.allSatisfy {
      standard.price(1, above: $0) == other.standard.price(1, above: $0)
    }
  }
}

extension String.UTF8View {
  /// Whether a text stands somewhere in this one.
  fileprivate func containsWord(_ word: String) -> Bool {
    var rest = self[...]
    while rest.count >= word.utf8.count {
      if rest.starts(with: word.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
