/// The price list of a model that is priced by counts. All prices have one scale, so that the cost
/// of a usage is a sum of products. A class: it is made once and passed as one reference.
public final class TokenRates: Equatable, Sendable {
  /// Digits after the point of every price here.
  public let scale: Int
  private let base: ScaledPrices
  /// Highest threshold first.
  private let tiers: [ScaledPrices]
  private let conditions: [ScaledCondition]
  /// Whether a price depends on the hour of the use.
  let dependsOnTime: Bool

  /// The most digits after the point of a token's price. The exchange rate is brought to that
  /// scale.
  public static let scaleLimit = 32
  /// The fewest: micro-dollars, the unit of the exchange rate.
  static let scaleMinimum = 6

  /// - Parameters:
  ///   - base: the prices below every tier; input and output among them.
  ///   - tiers: the cliffs, in any order, with no threshold twice. The base's prices replace
  ///     missing ones.
  ///   - conditions: additional prices for usages with a condition; no condition twice.
  /// - Returns: nil if the prices together have more digits than 128 bits hold.
  public init?(base: GivenPrices, tiers: [PriceTier] = [], conditions: [PriceCondition] = []) {
    var scale = max(Self.scaleMinimum, base.scale)
    for tier in tiers { scale = max(scale, tier.prices.scale) }
    for condition in conditions {
      scale = max(scale, condition.prices.scale)
      for tier in condition.tiers { scale = max(scale, tier.prices.scale) }
    }
    guard scale <= Self.scaleLimit, let scaledBase = ScaledPrices(base, scale: scale),
      let scaledTiers = ScaledPrices.all(of: tiers, filledFrom: base, scale: scale)
    else { return nil }
    var scaledConditions: [ScaledCondition] = []
    for condition in conditions {
      guard let scaled = ScaledCondition(condition, scale: scale) else { return nil }
      scaledConditions.append(scaled)
    }
    self.scale = scale
    self.base = scaledBase
    self.tiers = scaledTiers
    self.conditions = scaledConditions
    dependsOnTime = scaledConditions.contains { $0.isOfHours }
  }

  var pricesTokens: Bool { (tiers + [base]).contains { $0.input != 0 && $0.output != 0 } }

  /// The calls that cost something, such as images, if tokens of text do not.
  var callsAlone: UsageCount? {
    if (base.input | base.output) != 0 { return nil }
    if base.coefficients[Int(UsageCount.images.rawValue)] != 0 { return .images }
    return UsageCount.allCases.reversed().first {
      $0.row.kind == .calls && base.coefficients[Int($0.rawValue)] != 0
    }
  }

  public static func == (left: TokenRates, right: TokenRates) -> Bool { left === right }

  /// Returns the exact cost at this list's scale of a usage of the common counts alone.
  ///
  /// It is nil if 128 bits may not hold it.
  func cost(ofCommon usage: TokenUsage) -> UInt128? {
    let prices = tiers.isEmpty ? base : tiers.prices(above: usage.totalInput) ?? base
    if usage.isZero { return 0 }
    guard prices.areShort else { return nil }
    var (cost, overflows) = (prices.request, false)
    func add(_ count: Int64, _ price: UInt128) {
      // A count of 63 bits times a price of 64.
      let (sum, overflow) = cost.addingReportingOverflow(UInt128(count.magnitude) &* price)
      (cost, overflows) = (sum, overflows || overflow)
    }
    add(usage.inputTokens, prices.input)
    add(usage.outputTokens, prices.output)
    add(usage.cacheReadTokens, prices.cacheRead)
    add(usage.cacheWriteTokens, prices.cacheWrite)
    return overflows ? nil : cost
  }

  /// Returns the exact cost of any usage, as far as it is priced.
  /// - Parameter time: of the use; nil if unknown.
  func cost(of usage: TokenUsage, at time: Timestamp?) -> UsageCost {
    let totalInput = usage.totalInput
    var cost = UsageCost()
    let list = tiers.prices(above: totalInput) ?? base
    var prices = EffectivePrices(given: list.given, coefficients: list.coefficients)
    var unpricedConditions: [String] = []
    cost.contradictory = apply(
      usage, totalInput, time, to: &prices, &cost.multiplier, &unpricedConditions)
    cost.calls = WideDecimal(usage.isZero ? 0 : prices.request, scale: scale)
    for place in 0..<UsageCount.total {
      let count = UsageCount(at: place)
      let amount = usage[count]
      if amount == 0 { continue }
      guard let price = prices.price(of: count) else {
        cost.unpriced.append(count.row.member.description)
        continue
      }
      let product = WideDecimal(UInt128(amount.magnitude)) * WideDecimal(price, scale: scale)
      if count.row.kind == .calls {
        cost.calls = cost.calls + product
      } else {
        cost.tokens = cost.tokens + product
      }
    }
    cost.unpriced += unpricedConditions
    return cost
  }

  /// Replaces prices by the conditions of a usage. A condition that the list lacks, and those that
  /// replace the same price as another one, replace nothing and are unpriced.
  /// - Returns: the keys of those that replace the same price.
  private func apply(
    _ usage: TokenUsage, _ totalInput: UInt128, _ time: Timestamp?,
    to prices: inout EffectivePrices, _ multiplier: inout WideDecimal, _ unpriced: inout [String]
  ) -> [String] {
    var contradictory: [String] = []
    var replaced: UInt32 = 0
    var replacedTwice: UInt32 = 0
    var holding: [ScaledCondition] = []
    for condition in UsageCondition.allCases {
      guard let value = usage[condition] else { continue }
      guard let entry = conditions.first(where: { $0.holds(condition, value) }) else {
        unpriced.append(PriceSubject.usage(condition, value).key)
        continue
      }
      holding.append(entry)
    }
    if let time, dependsOnTime { holding += conditions.filter { $0.holds(at: time) } }
    for entry in holding {
      let given = entry.prices(at: totalInput).given
      replacedTwice |= replaced & given
      replaced |= given
    }
    for entry in holding {
      let replacing = entry.prices(at: totalInput)
      guard replacing.given & replacedTwice == 0 else {
        contradictory.append(entry.key)
        continue
      }
      prices.replace(by: replacing)
      if let factor = entry.multiplier { multiplier = multiplier * factor }
    }
    unpriced += contradictory
    return contradictory
  }

  /// Returns the priced condition that an unpriced one probably misspells.
  /// - Parameter key: the unpriced one, such as `serviceTier=batc`.
  func condition(misspeltAs key: String) -> String? {
    let parts = key.split(separator: "=", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let start = parts[0] + "="
    let known = conditions.map(\.key).filter { $0.hasPrefix(start) }
    let usual = parts[0] == "speed" ? ["fast"] : ["batch", "flex", "priority"]
    if usual.contains("\(parts[1])") { return nil }
    let values =
      known.map { String($0.dropFirst(start.count)) } + UsageCondition.ordinaryValues + usual
    return NearestNames.misspelt(String(parts[1]), among: values).map { start + $0 }
  }
}

struct UsageCost {
  var tokens = WideDecimal.zero
  /// Cost of its calls, and of the request itself.
  var calls = WideDecimal.zero
  var multiplier = WideDecimal.one
  /// The counts and conditions without a price.
  var unpriced: [String] = []
  /// Conditions whose entries replace the same price as another's.
  var contradictory: [String] = []

  var total: WideDecimal { tokens * multiplier + calls }
}

/// Given prices as whole numbers at a price list's scale.
private final class ScaledPrices: Sendable {
  let aboveInputTokens: Int64
  /// A bit for each place that has a price.
  let given: UInt32
  let coefficients: InlineArray<24, UInt128>
  // The prices of most usages; an absent cache price is the input price.
  let input: UInt128
  let output: UInt128
  let cacheRead: UInt128
  let cacheWrite: UInt128
  let request: UInt128
  /// Whether 64 bits hold each price of a token.
  let areShort: Bool

  /// - Returns: nil if a price at that scale needs more than 128 bits.
  init?(_ prices: GivenPrices, above: Int64 = 0, scale: Int) {
    var coefficients = InlineArray<24, UInt128>(repeating: 0)
    for place in prices.places {
      guard let coefficient = prices[place: place]?.magnitude(atScale: scale) else { return nil }
      coefficients[place] = coefficient
    }
    let effective = EffectivePrices(given: prices.given, coefficients: coefficients)
    aboveInputTokens = above
    given = prices.given
    self.coefficients = coefficients
    input = coefficients[0]
    output = coefficients[1]
    cacheRead = effective.price(of: .cacheReadTokens) ?? 0
    cacheWrite = effective.price(of: .cacheWriteTokens) ?? 0
    request = effective.request
    areShort = (input | output | cacheRead | cacheWrite) >> 64 == 0
  }

  /// Scales the tiers, highest threshold first; nil if a price has too many digits.
  static func all(of tiers: [PriceTier], filledFrom base: GivenPrices, scale: Int)
    -> [ScaledPrices]?
  {
    var scaled: [ScaledPrices] = []
    for tier in tiers {
      let prices = tier.prices.filled(from: base)
      guard let tier = ScaledPrices(prices, above: tier.aboveInputTokens, scale: scale) else {
        return nil
      }
      let place = scaled.firstIndex { $0.aboveInputTokens < tier.aboveInputTokens }
      scaled.insert(tier, at: place ?? scaled.endIndex)
    }
    return scaled
  }
}

extension [ScaledPrices] {
  /// Returns the first tier whose threshold is below the input.
  fileprivate func prices(above totalInput: UInt128) -> ScaledPrices? {
    first { totalInput > UInt128($0.aboveInputTokens.magnitude) }
  }
}

/// Additional prices under a condition, at a price list's scale.
private final class ScaledCondition: Sendable {
  private let subject: PriceSubject
  let multiplier: ExactDecimal?
  private let base: ScaledPrices
  private let tiers: [ScaledPrices]

  init?(_ condition: PriceCondition, scale: Int) {
    guard let base = ScaledPrices(condition.prices, scale: scale),
      let tiers = ScaledPrices.all(of: condition.tiers, filledFrom: condition.prices, scale: scale)
    else { return nil }
    subject = condition.subject
    multiplier = condition.multiplier
    self.base = base
    self.tiers = tiers
  }

  var key: String { subject.key }

  var isOfHours: Bool { if case .hours = subject { true } else { false } }

  func holds(_ condition: UsageCondition, _ value: String) -> Bool {
    if case .usage(condition, value) = subject { true } else { false }
  }

  func holds(at time: Timestamp) -> Bool {
    guard case .hours(let hours) = subject else { return false }
    return hours.contains(time)
  }

  func prices(at totalInput: UInt128) -> ScaledPrices { tiers.prices(above: totalInput) ?? base }
}

private struct EffectivePrices {
  var given: UInt32
  var coefficients: InlineArray<24, UInt128>

  mutating func replace(by prices: ScaledPrices) {
    for place in GivenPlaces(bits: prices.given) {
      coefficients[place] = prices.coefficients[place]
    }
    given |= prices.given
  }

  private func isGiven(_ count: UsageCount) -> Bool { given & 1 << UInt32(count.rawValue) != 0 }

  /// Returns a count's price, by the count's rule if none is given. Nil if it has no price.
  func price(of count: UsageCount) -> UInt128? {
    if isGiven(count) { return coefficients[Int(count.rawValue)] }
    switch count.row.absentPrice {
    case .refused, .unpriced: return nil
    case .inputUnlessCacheWrite where isGiven(.cacheWriteTokens): return nil
    case .input, .inputUnlessCacheWrite: return coefficients[0]
    case .cacheRead: return price(of: .cacheReadTokens)
    }
  }

  /// The price of each request; 0 if it has none.
  var request: UInt128 { coefficients[GivenPrices.requestPlace] }
}
