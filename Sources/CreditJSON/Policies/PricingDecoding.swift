import CreditModel

/// Reads the price of a model: one of `tokens`, `creditsPerToken`, `creditsPerUnit`,
/// `creditsPerRequest` and `free`.
struct PricingDecoder {
  static let members = [
    "tokens", "creditsPerToken", "creditsPerUnit", "creditsPerRequest", "free",
  ]

  static func decode(_ model: ObjectReader) throws(PolicyProblem) -> ServicePricing {
    guard members.count(where: { model.has($0) }) == 1 else {
      throw PolicyProblem(
        "must have exactly one of tokens, creditsPerToken, creditsPerUnit, creditsPerRequest, free")
    }
    if let tokens = model.value.member("tokens") {
      return try model.inside("tokens") { () throws(PolicyProblem) in
        .dollars(try dollars(tokens))
      }
    }
    if let tokens = model.value.member("creditsPerToken") {
      return try model.inside("creditsPerToken") { () throws(PolicyProblem) in
        .credits(try credits(tokens))
      }
    }
    if let price = try model.decimal("creditsPerUnit") { return .perUnit(price) }
    if let price = try model.integer("creditsPerRequest", in: 0...Credits.largestGrant) {
      return .perRequest(price)
    }
    guard try model.bool("free") == true else { throw model.invalid("free", "must be true") }
    return .free
  }

  private static func credits(_ value: JSONValue) throws(PolicyProblem) -> TokenRates {
    let reader = try ObjectReader(value, known: ["input", "output"])
    guard let input = try reader.decimal("input") else {
      throw reader.invalid("input", "is missing")
    }
    guard let output = try reader.decimal("output") else {
      throw reader.invalid("output", "is missing")
    }
    let tier = TokenRates.Tier(
      aboveInputTokens: 0, input: input, output: output, cacheRead: input, cacheWrite: input)
    return try rates(base: tier, tiers: [])
  }

  private static func dollars(_ value: JSONValue) throws(PolicyProblem) -> TokenRates {
    let reader = try ObjectReader(value, known: baseMembers)
    let base = try tier(reader, above: 0, inheriting: nil)
    if !reader.has("tiers") { return try rates(base: base.prices, tiers: []) }
    var thresholds: [Int64] = []
    let tiers = try reader.list("tiers", limit: 16) { value throws(PolicyProblem) in
      let reader = try ObjectReader(value, known: tierMembers)
      guard let above = try reader.integer("aboveInputTokens", in: 1...Int64.max) else {
        throw reader.invalid("aboveInputTokens", "is missing")
      }
      guard !thresholds.contains(above) else {
        throw reader.invalid("aboveInputTokens", "is another tier's threshold")
      }
      thresholds.append(above)
      return try tier(reader, above: above, inheriting: base).prices
    }
    return try rates(base: base.prices, tiers: tiers)
  }

  private static let baseMembers = priceMembers + ["tiers"]
  private static let tierMembers = priceMembers + ["aboveInputTokens"]

  private static let priceMembers = [
    "inputUSDPer1M", "outputUSDPer1M", "cacheReadUSDPer1M", "cacheWriteUSDPer1M",
  ]

  /// A tier's prices, and which cache prices were given rather than taken from the input price.
  private struct GivenTier {
    var prices: TokenRates.Tier
    var cacheRead: ExactDecimal?
    var cacheWrite: ExactDecimal?
  }

  /// An absent cache price is the base's, if that gave one, else the input price.
  private static func tier(_ reader: ObjectReader, above: Int64, inheriting base: GivenTier?)
    throws(PolicyProblem) -> GivenTier
  {
    guard let input = try dollarsPerToken(reader, "inputUSDPer1M") else {
      throw reader.invalid("inputUSDPer1M", "is missing")
    }
    guard let output = try dollarsPerToken(reader, "outputUSDPer1M") else {
      throw reader.invalid("outputUSDPer1M", "is missing")
    }
    let cacheRead = try dollarsPerToken(reader, "cacheReadUSDPer1M") ?? base?.cacheRead
    let cacheWrite = try dollarsPerToken(reader, "cacheWriteUSDPer1M") ?? base?.cacheWrite
    let prices = TokenRates.Tier(
      aboveInputTokens: above, input: input, output: output, cacheRead: cacheRead ?? input,
      cacheWrite: cacheWrite ?? input)
    return GivenTier(prices: prices, cacheRead: cacheRead, cacheWrite: cacheWrite)
  }

  private static func dollarsPerToken(_ reader: ObjectReader, _ key: StaticString)
    throws(PolicyProblem) -> ExactDecimal?
  {
    guard let price = try reader.decimal(key) else { return nil }
    guard let perToken = price.dollarsPerToken else {
      throw reader.invalid(key, "has more than 20 digits after the point")
    }
    return perToken
  }

  private static func rates(base: TokenRates.Tier, tiers: [TokenRates.Tier])
    throws(PolicyProblem) -> TokenRates
  {
    guard let rates = TokenRates(base: base, tiers: tiers) else {
      throw PolicyProblem("has prices with more than 38 digits between them")
    }
    return rates
  }
}

extension ExactDecimal {
  /// A catalog's price, in micro-dollars a million tokens, as dollars a token, which are 10⁻¹² of it; nil
  /// where that has more digits than prices may have.
  var dollarsPerToken: ExactDecimal? {
    guard let price = shifted(right: 12), price.scale <= TokenRates.scaleLimit else { return nil }
    return price
  }
}
