/// The price of one model or service.
///
/// The forms come from the products that bill with these tools: dollars or credits a token (Murmur),
/// credits a unit such as a second (Echo), credits a request such as a check or an image.
package enum ServicePricing: Hashable, Sendable {
  /// Dollars a token, to be turned into credits by the policy's exchange rate.
  case dollars(TokenRates)
  /// Credits a token.
  case credits(TokenRates)
  case perUnit(ExactDecimal)
  /// The same for every request, whatever its usage.
  case perRequest(Credits)
  case free

  /// Whether the price depends on usage at all.
  package var needsUsage: Bool {
    switch self {
    case .dollars, .credits, .perUnit: true
    case .perRequest, .free: false
    }
  }
}

/// Prices a token, each an exact decimal, all kept at one scale so that a cost is four
/// multiplications and three additions.
package struct TokenRates: Hashable, Sendable {
  /// The prices from one amount of input on.
  package struct Tier: Hashable, Sendable {
    /// The tier holds where total input (uncached + cache read + cache write) is strictly above this.
    package var aboveInputTokens: Int64
    package var input: ExactDecimal
    package var output: ExactDecimal
    package var cacheRead: ExactDecimal
    package var cacheWrite: ExactDecimal

    package init(
      aboveInputTokens: Int64, input: ExactDecimal, output: ExactDecimal, cacheRead: ExactDecimal,
      cacheWrite: ExactDecimal
    ) {
      self.aboveInputTokens = aboveInputTokens
      self.input = input
      self.output = output
      self.cacheRead = cacheRead
      self.cacheWrite = cacheWrite
    }

    /// The most digits after the point of any of its prices.
    var scale: Int { max(max(input.scale, output.scale), max(cacheRead.scale, cacheWrite.scale)) }
  }

  private struct ScaledTier: Hashable {
    let aboveInputTokens: Int64
    let input: UInt128
    let output: UInt128
    let cacheRead: UInt128
    let cacheWrite: UInt128

    /// Nil where a price has more digits at that scale than 128 bits hold.
    init?(_ tier: Tier, scale: Int) {
      guard let input = tier.input.coefficient(atScale: scale),
        let output = tier.output.coefficient(atScale: scale),
        let cacheRead = tier.cacheRead.coefficient(atScale: scale),
        let cacheWrite = tier.cacheWrite.coefficient(atScale: scale)
      else { return nil }
      aboveInputTokens = tier.aboveInputTokens
      self.input = input
      self.output = output
      self.cacheRead = cacheRead
      self.cacheWrite = cacheWrite
    }
  }

  /// Digits after the point of every price here.
  package let scale: Int
  private let base: ScaledTier
  /// Highest threshold first.
  private let tiers: [ScaledTier]

  /// The most digits after the point that a price a token may have, so that the exchange rate can be
  /// brought to its scale.
  package static let scaleLimit = 32
  /// The fewest: micro-dollars, the unit of the exchange rate.
  static let scaleMinimum = 6

  /// - Parameters:
  ///   - base: the prices below every tier; its threshold is not looked at.
  ///   - tiers: the cliffs, in any order, with no threshold twice.
  /// - Returns: nil where the prices together have more digits than 128 bits hold.
  package init?(base: Tier, tiers: [Tier] = []) {
    var scale = max(Self.scaleMinimum, base.scale)
    for tier in tiers { scale = max(scale, tier.scale) }
    guard scale <= Self.scaleLimit, let scaledBase = ScaledTier(base, scale: scale) else {
      return nil
    }
    var scaledTiers: [ScaledTier] = []
    for tier in tiers {
      guard let scaled = ScaledTier(tier, scale: scale) else { return nil }
      scaledTiers.append(scaled)
    }
    if scaledTiers.count > 1 { scaledTiers.sort { $0.aboveInputTokens > $1.aboveInputTokens } }
    self.scale = scale
    self.base = scaledBase
    self.tiers = scaledTiers
  }

  /// The exact cost at this type's scale.
  func cost(of usage: TokenUsage) -> UInt256 {
    let tier = tier(for: usage)
    return UInt256(usage.inputTokens.magnitude, times: tier.input)
      + UInt256(usage.outputTokens.magnitude, times: tier.output)
      + UInt256(usage.cacheReadTokens.magnitude, times: tier.cacheRead)
      + UInt256(usage.cacheWriteTokens.magnitude, times: tier.cacheWrite)
  }

  private func tier(for usage: TokenUsage) -> ScaledTier {
    if tiers.isEmpty { return base }
    let totalInput = usage.totalInput
    return tiers.first { totalInput > UInt128($0.aboveInputTokens.magnitude) } ?? base
  }
}
