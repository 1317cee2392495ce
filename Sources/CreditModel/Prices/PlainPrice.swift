/// What one model costs in dollars for the common counts, prepared for many charges: the same
/// price that ``PriceRules/quote(_:reportedUSD:at:markup:)`` works out, of numbers that 64 bits
/// hold.
package struct PlainPrice: BitwiseCopyable, Sendable {
  private let prices: SmallPrices
  /// What a credit is worth, at the prices' scale.
  private let unit: UInt64
  private let minimumCharge: Credits
  /// Digits after the point of a cost.
  package let scale: Int

  /// A price, and its dollars as a whole number at the scale.
  package struct Quote: BitwiseCopyable {
    package let credits: Credits
    package let cost: UInt64
  }

  /// Dollars of more digits are written by another way.
  private static let costLimit: UInt64 = 1_000_000_000_000_000_000

  /// - Returns: nil for a price of another form, with a markup, or of larger numbers.
  package init?(of model: PricedModel, under rules: PriceRules) {
    guard case .dollars(let rates) = model.pricing, model.markup ?? rules.markup == .one,
      let prices = rates.smallPrices, rates.scale < 18,
      let power = UInt128.powerOfTen(rates.scale - TokenRates.scaleMinimum)
    else { return nil }
    let (unit, overflow) = UInt128(rules.usdMicrosPerCredit)
      .multipliedReportingOverflow(by: power)
    guard !overflow, unit <= UInt128(UInt64.max) else { return nil }
    self.prices = prices
    self.unit = UInt64(unit)
    minimumCharge = rules.minimumCharge
    scale = rates.scale
  }

  /// - Returns: nil for a usage that costs nothing, of large counts, or priced by a tier.
  @inline(__always)
  package func quote(_ counts: CommonCounts) -> Quote? {
    guard let cost = prices.cost(of: counts) else { return nil }
    let (quotient, remainder) = cost.quotientAndRemainder(dividingBy: unit)
    // A cost in 63 bits and one more fit.
    let exact = Int64(truncatingIfNeeded: quotient) + (remainder == 0 ? 0 : 1)
    let credits = max(exact, minimumCharge)
    if cost >= Self.costLimit { return nil }
    return credits == 0 ? nil : Quote(credits: credits, cost: cost)
  }
}

/// The prices of the common counts and of a request, each so small that no sum of them leaves 63
/// bits.
struct SmallPrices: BitwiseCopyable, Sendable {
  let input: UInt64
  let output: UInt64
  let cacheRead: UInt64
  let cacheWrite: UInt64
  let request: UInt64
  /// The most input that these prices are for.
  let inputLimit: UInt64

  /// The largest count: 4 products of it with a price, and the price of the request, are below
  /// 2^63.
  static let countLimit: UInt64 = 1 << 24
  /// The largest price.
  static let limit: UInt64 = 1 << 36

  /// - Returns: nil for a usage of nothing, of large counts, or beyond the input these are for.
  @inline(__always)
  func cost(of counts: CommonCounts) -> UInt64? {
    let input = UInt64(bitPattern: counts.inputTokens)
    let output = UInt64(bitPattern: counts.outputTokens)
    let cacheRead = UInt64(bitPattern: counts.cacheReadTokens)
    let cacheWrite = UInt64(bitPattern: counts.cacheWriteTokens)
    let all = input | output | cacheRead | cacheWrite
    // Each count is below the limit, which is a power of two, as what all bits together are is.
    guard all != 0, all < Self.countLimit, input &+ cacheRead &+ cacheWrite <= inputLimit else {
      return nil
    }
    return input &* self.input &+ output &* self.output &+ cacheRead &* self.cacheRead
      &+ cacheWrite &* self.cacheWrite &+ request
  }
}
