internal import CreditModel

/// Prices by count and by the amount of input, as catalogs have them: micro-dollars a million
/// tokens, or a thousand calls or requests.
struct TieredPrices: Equatable, Sendable {
  struct Tier: Equatable, Sendable {
    let above: Int64
    var prices: GivenPrices
  }

  /// The prices below every tier.
  var base = GivenPrices()
  /// The lowest threshold first.
  private(set) var tiers: [Tier] = []

  var isEmpty: Bool { base.isEmpty && tiers.isEmpty }

  /// Sets a price for more than `above` tokens of input; 0 is the base. It is the price of a count,
  /// or for each request.
  mutating func set(_ place: Int, above: Int64, _ price: ExactDecimal) {
    if above == 0 {
      base[place: place] = price
      return
    }
    let index = tiers.firstIndex { $0.above >= above } ?? tiers.endIndex
    if index == tiers.endIndex || tiers[index].above != above {
      tiers.insert(Tier(above: above, prices: GivenPrices()), at: index)
    }
    tiers[index].prices[place: place] = price
  }

  /// Makes every tier apply at its threshold too, not only above it. A limit of 199,999 already
  /// means that.
  mutating func holdAtThresholds() {
    tiers = tiers.map {
      $0.above % 1000 == 999 ? $0 : Tier(above: $0.above - 1, prices: $0.prices)
    }
  }

  /// Fills missing prices from another list.
  mutating func fill(from other: TieredPrices) {
    for place in 0..<GivenPrices.placeTotal
    where base[place: place] == nil && tiers.allSatisfy({ $0.prices[place: place] == nil }) {
      if let price = other.base[place: place] { set(place, above: 0, price) }
      for tier in other.tiers {
        if let price = tier.prices[place: place] { set(place, above: tier.above, price) }
      }
    }
    spreadTiers()
  }

  mutating func change(_ body: (inout GivenPrices) -> Void) {
    body(&base)
    for index in tiers.indices { body(&tiers[index].prices) }
  }

  /// Returns the price above `above` tokens of input, from a tier or the base.
  func price(_ place: Int, above: Int64) -> ExactDecimal? {
    let tier = tiers.last { $0.above <= above && $0.prices[place: place] != nil }
    return tier?.prices[place: place] ?? base[place: place]
  }

  /// Fills each tier's missing prices from the one below it.
  mutating func spreadTiers() {
    for index in tiers.indices.dropFirst() {
      tiers[index].prices = tiers[index].prices.filled(from: tiers[index - 1].prices)
    }
  }

  /// Gives tiers without input or output prices those of the base. Every tier of a catalog has
  /// both.
  mutating func completeTiers() {
    for index in tiers.indices {
      for place in 0...1 where tiers[index].prices[place: place] == nil {
        tiers[index].prices[place: place] = base[place: place]
      }
    }
  }

  /// The prices with those of tokens and calls in dollars. Nil if a catalog doesn't take one of
  /// them.
  fileprivate var inDollars: (base: GivenPrices, tiers: [PriceTier])? {
    guard let base = base.inDollars else { return nil }
    var priced: [PriceTier] = []
    for tier in tiers {
      guard let prices = tier.prices.inDollars else { return nil }
      priced.append(PriceTier(aboveInputTokens: tier.above, prices: prices))
    }
    return (base, priced)
  }
}

struct ImportedPrices: Equatable, Sendable {
  struct Condition: Equatable, Sendable {
    let subject: PriceSubject
    var prices = TieredPrices()
    var multiplier: ExactDecimal?

    var isOfServiceTier: Bool { if case .usage(.serviceTier, _) = subject { true } else { false } }
  }

  var standard = TieredPrices()
  private(set) var conditions: [Condition] = []

  /// The entry of a condition, which is made if it is not there.
  subscript(condition: UsageCondition, value: String) -> Condition {
    get { self[.usage(condition, value)] }
    set { self[.usage(condition, value)] = newValue }
  }

  /// The entry of a subject, which is made if it is not there.
  subscript(subject: PriceSubject) -> Condition {
    get { conditions.first { $0.subject == subject } ?? Condition(subject: subject) }
    set {
      let place = conditions.firstIndex { $0.subject == subject }
      if let place { conditions[place] = newValue } else { conditions.append(newValue) }
    }
  }

  /// Adds each size of a search's context without a price, at the same cost. Perplexity's usages
  /// name one.
  mutating func addSearchContexts() {
    for size in ["low", "medium", "high"] { self[.searchContext, size].multiplier = nil }
  }

  mutating func changeEach(_ body: (inout TieredPrices) -> Void) {
    body(&standard)
    for index in conditions.indices { body(&conditions[index].prices) }
  }

  /// Whether a catalog takes these prices.
  fileprivate var isWritable: Bool {
    guard let standard = standard.inDollars, standard.tiers.count <= PriceListDecoder.tierLimit
    else { return false }
    var priced: [PriceCondition] = []
    for condition in conditions {
      guard let prices = condition.prices.inDollars,
        prices.tiers.count <= PriceListDecoder.tierLimit
      else { return false }
      priced.append(
        PriceCondition(
          condition.subject, prices: prices.base, tiers: prices.tiers,
          multiplier: condition.multiplier))
    }
    return TokenRates(base: standard.base, tiers: standard.tiers, conditions: priced) != nil
  }

  /// Applies rules of a provider's own page that catalogs lack: xAI's higher prices apply from
  /// their threshold on, and Fireworks takes half the input price for cached input unless it states
  /// another.
  ///
  /// Source: https://docs.fireworks.ai/guides/prompt-caching
  /// - Returns: the number of prices computed.
  mutating func apply(rulesOf provider: String) -> Int {
    switch provider {
    case "xai", "x-ai":
      changeEach { $0.holdAtThresholds() }
      return 0
    case "fireworks", "fireworks-ai", "fireworks_ai":
      guard standard.base[.cacheReadTokens] == nil, standard.base[.outputTokens] != .zero else {
        return 0
      }
      var count = 0
      changeEach { $0.change { count += $0.halveCachedInput() } }
      return count
    default:
      return 0
    }
  }

  /// Returns why a model with these prices is left out; nil if kept.
  /// - Parameter hasOutput: true if it gives text; if not, an output price of 0 is not a missing
  ///   one.
  func problem(hasOutput: Bool) -> LeftOut? {
    guard let input = standard.base[.inputTokens] else { return .noInput }
    guard let output = standard.base[.outputTokens] else { return .noOutput }
    for prices in [standard.base] + standard.tiers.map(\.prices) {
      let (input, output) = (prices[.inputTokens] ?? input, prices[.outputTokens] ?? output)
      if input == .zero || hasOutput && output == .zero { return .zero }
    }
    return isWritable ? nil : .tooFine
  }
}

extension JSONValue {
  /// A file's price in dollars as one in micro-dollars, `places` digits further left.
  func price(_ places: Int) throws(LeftOut) -> ExactDecimal {
    guard let dollars = exactDecimal else { throw .unreadable }
    guard let price = dollars.shifted(left: places) else { throw .tooFine }
    return price
  }
}

extension String {
  /// True if the name is of a model, seller or family that gives no text. Catalogs show that by
  /// names alone.
  var namesModelWithoutOutput: Bool {
    let name = lowercased().utf8
    return ["embed", "rerank", "bge", "voyage"].contains { name.contains($0) }
  }
}

extension GivenPrices {
  /// Sets the price of cached input to half that of input; that of cached images, too, if images
  /// cost the same as text.
  /// - Returns: the number of prices computed.
  fileprivate mutating func halveCachedInput() -> Int {
    guard let input = self[.inputTokens], let half = ExactDecimal(text: "0.5"),
      let price = input.multiplied(by: half)
    else { return 0 }
    var count = 0
    if self[.cacheReadTokens] == nil {
      self[.cacheReadTokens] = price
      count += 1
    }
    for cached in [UsageCount.cacheReadImageTokens, .cacheReadAudioTokens]
    where self[cached] == input {
      self[cached] = price
      count += 1
    }
    return count
  }

  fileprivate var inDollars: GivenPrices? {
    var dollars = GivenPrices()
    for place in 0..<GivenPrices.placeTotal {
      guard let price = self[place: place] else { continue }
      // In micro-dollars a million tokens, or a thousand calls.
      let places = PriceForm.isOfCalls(place) ? 9 : 12
      guard let amount = price.price(shiftedRight: places) else { return nil }
      dollars[place: place] = amount
    }
    return dollars
  }
}

extension PolicyText {
  /// The default policy of a store, as `credit-store init` writes it.
  ///
  /// It is `standard-policy.json`: an exchange rate, starter credits and packs, and the prices of
  /// the models that people bill most. Its other rules are those of a policy without them.
  ///
  /// A model's `source` is the provider's page, and the day on which LiteLLM's catalog had these
  /// figures from it. They were compared with pydantic's genai-prices (`Tests/Prices/compare`) and,
  /// if available, the pages: Anthropic's prices for speed and place are at
  /// https://platform.claude.com/docs/en/build-with-claude/fast-mode, that OpenAI's older models
  /// have no discount for cached input in a batch at
  /// https://platform.openai.com/docs/guides/prompt-caching, and half the price in Mistral's
  /// batches at https://docs.mistral.ai/capabilities/batch.
  public static var standard: [UInt8] { PackageResources.standard_policy_json }
}
