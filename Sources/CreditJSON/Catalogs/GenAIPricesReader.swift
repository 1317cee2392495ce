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
    let hasOutput = !id.namesModelWithoutOutput && !sold.namesModelWithoutOutput
    var leftOut: [LeftOut] = []
    var offer = Offer(
      provider: sold, id: id,
      prices: try self.prices(prices, hasOutput: hasOutput, &leftOut))
    let derivedCount = offer.prices.indices.reduce(0) {
      $0 + offer.prices[$1].list.apply(rulesOf: sold)
    }
    catalog.countDerived("those of cached input, at half the input price", count: derivedCount)
    let read = try variants(model, &leftOut)
    offer.begin(at: read.map(\.from))
    // Of several that hold the first one's prices count.
    for index in offer.prices.indices {
      for variant in read where variant.from <= offer.prices[index].from ?? .earliest {
        offer.prices[index].list[variant.subject].prices.fill(from: variant.prices)
      }
      if sold == "perplexity" { offer.prices[index].list.addSearchContexts() }
    }
    for price in leftOut { catalog.leaveOut(price: price) }
    if let match = model.member("match") { offer.names = names(match, &catalog) }
    offer.isFoundByID = provider.member("model_match").map { matches($0, id) } ?? false
    return offer
  }

  /// A further price list of a model: its condition, and the prices that replace the model's.
  private struct Variant {
    let subject: PriceSubject
    let from: Timestamp
    let prices: TieredPrices
  }

  /// Returns the variants in one of the releases' forms; the latest is a list.
  private func variants(_ model: JSONValue, _ leftOut: inout [LeftOut]) throws(LeftOut)
    -> [Variant]
  {
    guard let variants = model.member("price_variants") else { return [] }
    var read: [Variant] = []
    func add(_ name: String, _ subject: PriceSubject?, _ variant: JSONValue) throws(LeftOut) {
      let prices = variant.member("prices") ?? variant
      guard prices.isObject, let from = Self.start(variant) else {
        return leftOut.append(.variant(name))
      }
      // The ordinary one changes nothing.
      guard prices.members.contains(where: { _ in true }) else { return }
      guard let subject else { return leftOut.append(.variant(name)) }
      read.append(Variant(subject: subject, from: from, prices: try list(prices, &leftOut)))
    }
    if variants.isObject {
      for (name, value) in variants.members {
        let name = name.string ?? "?"
        try add(name, Self.subject("processing", name), value)
      }
    }
    for variant in variants.elements {
      let when = variant.member("when")?.members.map { ($0.0.string ?? "?", $0.1.string ?? "?") }
      let only = when?.count == 1 ? when?.first : nil
      let name =
        variant.string("name") ?? variant.string("id") ?? when?.map(\.1).joined(separator: "+")
      try add(name ?? "?", only.flatMap { Self.subject($0.0, $0.1) }, variant)
    }
    return read
  }

  /// From when a variant holds; nil if it holds by something else, such as the time of day.
  private static func start(_ variant: JSONValue) -> Timestamp? {
    guard let constraint = variant.member("constraint"), !constraint.isNull else {
      return .earliest
    }
    return constraint.string("start_date").flatMap { Timestamp(text: $0 + "T00:00:00Z") }
  }

  /// Returns the subject of a variant's prices. Nil if usages do not state that. OpenAI also calls
  /// its tier `priority` `fast`.
  private static func subject(_ member: String, _ value: String) -> PriceSubject? {
    switch (member, value) {
    case ("processing", "fast"), ("speed", "fast"): .usage(.speed, "fast")
    case ("service_tier", "fast"): .usage(.serviceTier, "priority")
    case ("processing", "batch"), ("processing", "flex"), ("processing", "priority"),
      ("service_tier", "batch"), ("service_tier", "flex"), ("service_tier", "priority"):
      .usage(.serviceTier, value)
    case ("inference_geo", "us"): .usage(.inferenceGeo, value)
    default: nil
    }
  }

  /// Returns the prices with the start of each: an object, or a list whose later entries have a
  /// start.
  private func prices(_ value: JSONValue, hasOutput: Bool, _ leftOut: inout [LeftOut])
    throws(LeftOut) -> [(from: Timestamp?, list: ImportedPrices)]
  {
    guard value.kind == .array else {
      return [(nil, try list(value, hasOutput: hasOutput, &leftOut))]
    }
    var dated: [(from: Timestamp?, list: ImportedPrices)] = []
    for entry in value.elements {
      var from: Timestamp?
      var hours: PriceHours?
      if let constraint = entry.member("constraint"), !constraint.isNull {
        if let day = constraint.string("start_date") {
          guard let time = Timestamp(text: day + "T00:00:00Z") else { throw .unreadable }
          from = time
        } else {
          hours = Self.hours(constraint)
          if hours == nil { throw .timeOfDay }
        }
      }
      guard let prices = entry.member("prices") else { throw .noPrice }
      if let hours {
        guard !dated.isEmpty else { throw .timeOfDay }
        let list = try list(prices, &leftOut)
        for index in dated.indices { dated[index].list[.hours(hours)].prices = list }
        continue
      }
      // The last of those that hold counts.
      dated.removeAll { $0.from == from }
      dated.append((from, try list(prices, hasOutput: hasOutput, &leftOut)))
    }
    if dated.isEmpty { throw .noPrice }
    return dated
  }

  /// The hours of a constraint such as `{"start_time":"00:30:00Z","end_time":"16:30:00Z"}`.
  private static func hours(_ constraint: JSONValue) -> PriceHours? {
    guard let start = constraint.string("start_time"), let end = constraint.string("end_time"),
      start.hasSuffix(":00Z"), end.hasSuffix(":00Z")
    else { return nil }
    return PriceHours(text: "\(start.dropLast(4))-\(end.dropLast(4))")
  }

  private static let members: [(name: StaticString, count: UsageCount)] = [
    ("input_mtok", .inputTokens), ("output_mtok", .outputTokens),
    ("cache_read_mtok", .cacheReadTokens), ("cache_write_mtok", .cacheWriteTokens),
    ("cache_write_1h_mtok", .cacheWrite1hTokens), ("input_image_mtok", .imageInputTokens),
    ("input_audio_mtok", .audioInputTokens), ("output_audio_mtok", .audioOutputTokens),
    ("output_image_mtok", .imageOutputTokens), ("cache_audio_read_mtok", .cacheReadAudioTokens),
    ("cache_image_read_mtok", .cacheReadImageTokens),
    ("output_citation_mtok", .citationTokens), ("web_searches_kcount", .webSearches),
    ("storage_searches_kcount", .fileSearches),
  ]

  private func list(_ value: JSONValue, hasOutput: Bool, _ leftOut: inout [LeftOut])
    throws(LeftOut) -> ImportedPrices
  {
    var prices = ImportedPrices()
    prices.standard = try list(value, &leftOut)
    if let reasoning = value.member("output_reasoning_mtok") {
      var apart = ImportedPrices()
      try Self.set(reasoning, 1, in: &apart.standard)
      guard prices.hasOutput(of: apart) else { throw .reasoningApart }
    }
    if prices.standard.isEmpty { throw .noPrice }
    if !hasOutput { prices.assumeNoOutput() }
    prices.standard.completeTiers()
    if let problem = prices.problem(hasOutput: hasOutput) { throw problem }
    return prices
  }

  private func list(_ value: JSONValue, _ leftOut: inout [LeftOut]) throws(LeftOut) -> TieredPrices
  {
    var prices = TieredPrices()
    for (key, value) in value.members where !value.isNull {
      if let member = Self.members.first(where: { key.utf8Equals($0.name) }) {
        try Self.set(value, Int(member.count.rawValue), in: &prices)
      } else if key.utf8Equals("requests_kcount") {
        try Self.set(value, GivenPrices.requestPlace, in: &prices)
      } else if !key.utf8Equals("output_reasoning_mtok") {
        leftOut.append(.price(of: key.string ?? "?"))
      }
    }
    prices.spreadTiers()
    return prices
  }

  /// A number, or `{"base":…,"tiers":[{"start":…,"price":…}]}`: dollars a million tokens or a
  /// thousand calls.
  private static func set(_ value: JSONValue, _ place: Int, in prices: inout TieredPrices)
    throws(LeftOut)
  {
    prices.set(place, above: 0, try (value.member("base") ?? value).price(6))
    for tier in value.elements("tiers") {
      guard let start = tier.int64("start"), start > 0, let price = tier.member("price") else {
        throw .unreadable
      }
      prices.set(place, above: start, try price.price(6))
    }
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

  /// Returns true if a rule of a plain form fits a name. Other forms never fit.
  private func matches(_ rule: JSONValue, _ name: String) -> Bool {
    rule.members.contains { kind, value in
      if kind.utf8Equals("or") { return value.elements.contains { matches($0, name) } }
      guard let text = value.string else { return false }
      if kind.utf8Equals("equals") { return text == name }
      if kind.utf8Equals("starts_with") { return name.hasPrefix(text) }
      if kind.utf8Equals("ends_with") { return name.hasSuffix(text) }
      return kind.utf8Equals("contains") && name.utf8.contains(text)
    }
  }
}

extension ImportedPrices {
  fileprivate func hasOutput(of other: ImportedPrices) -> Bool {
    let thresholds = standard.tiers.map(\.above) + other.standard.tiers.map(\.above) + [0]
    return thresholds.allSatisfy {
      standard.price(1, above: $0) == other.standard.price(1, above: $0)
    }
  }
}
