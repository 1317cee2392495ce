internal import CreditModel

struct LiteLLMPrices {
  private(set) var prices = ImportedPrices()
  /// The prices of the entry that have no place in a catalog.
  private(set) var leftOut: [LeftOut] = []
  /// Number of service tiers' prices that follow from others.
  private(set) var derivedCount = 0
  private var reasoning: ExactDecimal?
  private var video: ExactDecimal?
  private var cacheHit: ExactDecimal?
  private let provider: String

  /// - Throws: why the entry is left out as a whole.
  init(_ entry: JSONValue) throws(LeftOut) {
    provider = entry.string("litellm_provider") ?? ""
    for (key, value) in entry.members where !value.isNull {
      guard let name = key.string else { continue }
      if let member = LiteLLMMember(name) {
        set(member, try value.price(member.places))
      } else {
        try setOther(name, value)
      }
    }
    if let table = entry.member("tiered_pricing") { try setRanges(table) }
    if let cacheHit {
      if prices.standard.base[.cacheReadTokens] == nil {
        prices.standard.base[.cacheReadTokens] = cacheHit
      } else if prices.standard.base[.cacheReadTokens] != cacheHit {
        leftOut.append(.price(of: "input_cost_per_token_cache_hit"))
      }
    }
    try checkReasoning(reasoning, prices.standard.base[.outputTokens])
    if let video, video != prices.standard.base[.inputTokens] {
      leftOut.append(.price(of: "input_cost_per_video_token"))
    }
    multiply(by: entry)
    func takes(_ modality: StaticString, _ flag: StaticString) -> Bool {
      entry.member(flag)?.bool ?? false
        || entry.elements("supported_modalities").contains { $0.utf8Equals(modality) }
    }
    prices.fill(
      audio: takes("audio", "supports_audio_input"), images: takes("image", "supports_vision"))
    deriveHourWrites()
    deriveTiers()
  }

  private mutating func set(_ member: LiteLLMMember, _ price: ExactDecimal) {
    guard let tier = member.serviceTier else {
      prices.standard.set(member.place, above: member.above, price)
      return
    }
    // No token is free in one service tier only.
    if price == .zero, member.place < 2 {
      leftOut.append(.zero)
    } else {
      prices[.serviceTier, tier].prices.set(member.place, above: member.above, price)
    }
  }

  /// Sets a member that is not a price a token, or depends on others.
  private mutating func setOther(_ name: String, _ value: JSONValue) throws(LeftOut) {
    switch name {
    case "input_cost_per_token_cache_hit": cacheHit = try value.price(12)
    case "output_cost_per_reasoning_token": reasoning = try value.price(12)
    case "input_cost_per_video_token": video = try value.price(12)
    case "search_context_cost_per_query": try setSearch(value)
    case "file_search_cost_per_1k_calls":
      let price = try value.price(6)
      if price != .zero { prices.standard.base[.fileSearches] = price }
    case "off_peak_pricing": try setOffPeak(value)
    case "tiered_pricing": break
    default:
      if Self.isPrice(name), value.exactDecimal != .zero { leftOut.append(Self.reason(name)) }
    }
  }

  /// Replaces the prices beside a rule in some hours. Weekdays in a zone other than UTC do not
  /// follow from a time alone.
  private mutating func setOffPeak(_ rule: JSONValue) throws(LeftOut) {
    let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    guard rule.member("weekday_timezone") == nil else { return leftOut.append(.timeOfDay) }
    var lower = TieredPrices()
    for (name, value) in rule.members {
      guard let text = name.string, let member = LiteLLMMember(text), member.serviceTier == nil
      else { continue }
      lower.set(member.place, above: member.above, try value.price(12))
    }
    var subjects: [PriceSubject] = []
    for window in rule.elements("windows") {
      let days = window.elements("weekdays").compactMap(\.int64)
      var prefix = ""
      if let first = days.first, let last = days.last {
        guard (1...7).contains(first), first <= last, Array(first...last) == days, last <= 7 else {
          return leftOut.append(.timeOfDay)
        }
        prefix =
          weekdays[Int(first) - 1] + (first == last ? "" : "-" + weekdays[Int(last) - 1]) + " "
      }
      let hours = window.member("hours_utc")
      let texts = hours?.string.map { [$0] } ?? hours?.elements.compactMap(\.string) ?? []
      for text in texts {
        guard let hours = PriceHours(text: prefix + text) else { return leftOut.append(.timeOfDay) }
        subjects.append(.hours(hours))
      }
    }
    if subjects.isEmpty || lower.isEmpty { return leftOut.append(.timeOfDay) }
    for subject in subjects { prices[subject].prices = lower }
  }

  /// Sets the price of a search, which may depend on the size of its context. Perplexity takes its
  /// price by size for each request, and without a size the low one.
  ///
  /// Source: https://docs.perplexity.ai/getting-started/pricing
  private mutating func setSearch(_ sizes: JSONValue) throws(LeftOut) {
    let prefix = "search_context_size_"
    var bySize: [(size: String, price: ExactDecimal)] = []
    for (name, value) in sizes.members where !value.isNull {
      guard let name = name.string, name.hasPrefix(prefix) else {
        return leftOut.append(.searchSize)
      }
      let price = try value.price(9)
      bySize.append((String(name.dropFirst(prefix.count)), price))
    }
    guard let first = bySize.first else { return }
    if bySize.allSatisfy({ $0.price == first.price }) {
      if first.price == .zero { return leftOut.append(.zero) }
      prices.standard.base[.webSearches] = first.price
      // OpenAI's tool `web_search` costs $10 a thousand with any model. `web_search_preview` costs
      // that or, with models that do not reason, $25: the one price that LiteLLM has.
      // Source: https://developers.openai.com/api/docs/pricing
      if provider == "openai" {
        prices.standard.base[.webSearchPreviews] = first.price
        if first.price == ExactDecimal(coefficient: 25_000_000) {
          prices.standard.base[.webSearches] = ExactDecimal(coefficient: 10_000_000)
        }
      }
    } else if provider == "perplexity" {
      for (size, price) in bySize {
        prices[.searchContext, size].prices.base.request = price
        if size == "low" { prices.standard.base.request = price }
      }
    } else {
      for (size, price) in bySize { prices[.searchContext, size].prices.base[.webSearches] = price }
    }
    if provider == "perplexity" { prices.addSearchContexts() }
  }

  /// Replaces the prices beside a table by its ranges of input tokens.
  private mutating func setRanges(_ table: JSONValue) throws(LeftOut) {
    var standard = TieredPrices()
    for row in table.elements {
      guard let start = row.member("range")?.elements.first(where: { _ in true })?.exactDecimal,
        let above = start.whole
      else { throw .tieredTable }
      var output: ExactDecimal?
      for (key, value) in row.members where !value.isNull {
        guard let member = LiteLLMMember(key.string ?? "") else { continue }
        let price = try value.price(member.places)
        standard.set(member.place, above: above, price)
        if member.place == 1 { output = price }
      }
      if let reasoning = row.member("output_cost_per_reasoning_token"), !reasoning.isNull {
        try checkReasoning(try reasoning.price(12), output)
      }
    }
    guard !standard.base.isEmpty else { throw .tieredTable }
    standard.base = standard.base.filled(from: prices.standard.base)
    prices.standard = standard
  }

  private func checkReasoning(_ reasoning: ExactDecimal?, _ output: ExactDecimal?) throws(LeftOut) {
    if let reasoning, let output, reasoning != output { throw .reasoningApart }
  }

  /// Multipliers that Anthropic's models have: by a region, and for a fast answer.
  private mutating func multiply(by entry: JSONValue) {
    guard let factors = entry.member("provider_specific_entry") else { return }
    for (key, value) in factors.members {
      guard let name = key.string, value.kind == .number, let factor = value.exactDecimal,
        factor != .zero, !name.utf8.contains(UInt8(ascii: "_")),
        Name.problem(with: name, limit: UsageCondition.valueLimit) == nil
      else { continue }
      if name == "fast" {
        setFast(factor)
      } else if let place = UsageCondition.kept(name) {
        prices[.inferenceGeo, place].multiplier = factor
      }
    }
  }

  /// Sets a fast answer's price: a multiple of the base prices for any amount of input.
  ///
  /// Source: https://platform.claude.com/docs/en/build-with-claude/fast-mode
  private mutating func setFast(_ factor: ExactDecimal) {
    var entry = prices[.speed, "fast"]
    if prices.standard.tiers.isEmpty {
      entry.multiplier = factor
    } else {
      for place in 0..<UsageCount.total where UsageCount(at: place).row.kind != .calls {
        if let price = prices.standard.base[place: place]?.multiplied(by: factor) {
          entry.prices.set(place, above: 0, price)
        }
      }
    }
    prices[.speed, "fast"] = entry
  }

  /// Computes a tier's price of cache writes for an hour from that for 5 minutes.
  ///
  /// It has the same discount or surcharge as the input: both are multiples of the input price.
  ///
  /// Source: https://docs.claude.com/en/docs/build-with-claude/prompt-caching#pricing
  private mutating func deriveHourWrites() {
    let standard = prices.standard.base
    for entry in prices.conditions where entry.isOfServiceTier {
      var entry = entry
      guard entry.prices.base[.cacheWriteTokens] != nil,
        entry.prices.base[.cacheWrite1hTokens] == nil,
        let hour = standard[.cacheWrite1hTokens], let input = standard[.inputTokens],
        let price = entry.prices.base[.inputTokens]?.multiplied(by: hour)?.divided(by: input)
      else { continue }
      entry.prices.base[.cacheWrite1hTokens] = price
      derivedCount += 1
      prices[entry.subject] = entry
    }
  }

  /// Computes a service tier's missing prices above a threshold from the standard's.
  ///
  /// They have the same discount or surcharge as below it.
  private mutating func deriveTiers() {
    for entry in prices.conditions where !entry.prices.base.isEmpty {
      var entry = entry
      for tier in prices.standard.tiers {
        for place in 0..<UsageCount.total {
          guard let below = entry.prices.base[place: place],
            let standard = prices.standard.base[place: place],
            let above = tier.prices[place: place], above != standard,
            !entry.prices.tiers.contains(where: {
              $0.above == tier.above && $0.prices[place: place] != nil
            }), entry.isOfServiceTier
          else { continue }
          let price = below.multiplied(by: above)?.divided(by: standard)
          entry.prices.set(place, above: tier.above, price ?? above)
          derivedCount += 1
        }
      }
      prices[entry.subject] = entry
    }
  }

  private static func isPrice(_ name: String) -> Bool {
    let words = name.utf8.split(separator: UInt8(ascii: "_"))
    return words.contains { $0.elementsEqual("cost".utf8) || $0.elementsEqual("pricing".utf8) }
  }

  /// Returns the unit of a price that is not by the token: the word after the last `per`.
  static func reason(_ name: String) -> LeftOut {
    let words = name.split(separator: "_")
    guard let per = words.lastIndex(of: "per"), per + 1 < words.count, words[per + 1] != "token"
    else { return .price(of: name) }
    return .priced(by: String(words[per + 1]))
  }

  /// Returns the unit of an entry without a price a token.
  static func otherPrice(of entry: JSONValue) -> LeftOut {
    for (key, _) in entry.members {
      guard let name = key.string, isPrice(name) else { continue }
      let reason = reason(name)
      if reason != .price(of: name) { return reason }
    }
    return .noPrice
  }
}

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

  /// Kinds of models without text output; elsewhere an output price of 0 is a missing one.
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
    let derivedCount = prices.apply(rulesOf: provider)
    let hasOutput = mode.map { mode in !Self.modesWithoutOutput.contains(where: mode.utf8Equals) }
    if let problem = prices.problem(hasOutput: hasOutput ?? true) { throw problem }
    catalog.add(ImportedModel(id: Name(trusted: id), prices: prices))
    for price in read.leftOut { catalog.leaveOut(price: price) }
    catalog.countDerived(
      "those that a service tier lacks, in proportion to its others",
      count: read.derivedCount)
    catalog.countDerived("those of cached input, at half the input price", count: derivedCount)
  }
}

extension ImportedPrices {
  /// Takes an absent output price for 0.
  mutating func assumeNoOutput() {
    if standard.base[.outputTokens] == nil { standard.base[.outputTokens] = .zero }
  }
}
