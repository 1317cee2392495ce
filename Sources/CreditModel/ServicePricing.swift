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

    var prices: [ExactDecimal] { [input, output, cacheRead, cacheWrite] }
  }

  private struct ScaledTier: Hashable {
    let aboveInputTokens: Int64
    let input: UInt128
    let output: UInt128
    let cacheRead: UInt128
    let cacheWrite: UInt128
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
    let scale = ([base] + tiers).flatMap(\.prices).map(\.scale).reduce(Self.scaleMinimum, max)
    guard scale <= Self.scaleLimit else { return nil }
    func scaled(_ tier: Tier) -> ScaledTier? {
      guard let input = tier.input.coefficient(atScale: scale),
        let output = tier.output.coefficient(atScale: scale),
        let cacheRead = tier.cacheRead.coefficient(atScale: scale),
        let cacheWrite = tier.cacheWrite.coefficient(atScale: scale)
      else { return nil }
      return ScaledTier(
        aboveInputTokens: tier.aboveInputTokens, input: input, output: output,
        cacheRead: cacheRead, cacheWrite: cacheWrite)
    }
    guard let scaledBase = scaled(base) else { return nil }
    let scaledTiers = tiers.compactMap(scaled)
    guard scaledTiers.count == tiers.count else { return nil }
    self.scale = scale
    self.base = scaledBase
    self.tiers = scaledTiers.sorted { $0.aboveInputTokens > $1.aboveInputTokens }
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
