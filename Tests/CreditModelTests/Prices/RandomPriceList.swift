@testable import CreditModel
@testable import TestSupport

/// A random price list in text, for the code and for the reckoning.
struct RandomPriceList: CustomStringConvertible {
  /// Prices by count, -1 for each request: dollars a token, a call or a request.
  typealias Prices = [Int: String]

  struct Tier: CustomStringConvertible {
    var above: Int64
    var prices: Prices
    var description: String { "above \(above): \(prices)" }
  }

  struct Condition: CustomStringConvertible {
    var condition: UsageCondition
    var value: String
    var prices: Prices
    var tiers: [Tier]
    var multiplier: String?
    var description: String {
      "\(condition)=\(value): \(prices), \(tiers), × \(multiplier ?? "1")"
    }
  }

  static let request = -1

  var base: Prices
  var tiers: [Tier] = []
  var conditions: [Condition] = []

  init(using random: inout SeededGenerator) {
    let digits = random.pick(6, 12, 18, 24, 32)
    base = random.prices(digits, hasInputAndOutput: true)
    tiers = random.tiers(digits, hasInputAndOutput: true)
    for condition in UsageCondition.allCases {
      for value in ["batch", "fast", "us"] where random.once(in: 3) {
        conditions.append(
          Condition(
            condition: condition, value: value,
            prices: random.once(in: 2) ? [:] : random.prices(digits, hasInputAndOutput: false),
            tiers: random.once(in: 4) ? random.tiers(digits, hasInputAndOutput: false) : [],
            multiplier: random.once(in: 2)
              ? random.pick("0.5", "1.1", "2", "0.123456789123", "0") : nil))
      }
    }
  }

  var description: String { "\(base), \(tiers), \(conditions)" }

  /// Nil if the prices have more digits between them than the code takes.
  var rates: TokenRates? {
    TokenRates(
      base: Self.given(base), tiers: tiers.reversed().map(Self.tier),
      conditions: conditions.map { condition in
        PriceCondition(
          .usage(condition.condition, condition.value), prices: Self.given(condition.prices),
          tiers: condition.tiers.map(Self.tier), multiplier: condition.multiplier.map(decimal))
      })
  }

  private static func tier(_ tier: Tier) -> PriceTier {
    PriceTier(aboveInputTokens: tier.above, prices: given(tier.prices))
  }

  private static func given(_ prices: Prices) -> GivenPrices {
    var given = GivenPrices()
    for (key, text) in prices {
      if key == request {
        given.request = decimal(text)
      } else {
        given[UsageCount(at: key)] = decimal(text)
      }
    }
    return given
  }
}

// The computation in the words of the rules, without the code's.
extension RandomPriceList {
  /// The cost of a usage, and the names of its parts without a price.
  func cost(of usage: TokenUsage) -> (dollars: SchoolDecimal, unpriced: [String]) {
    let input = UsageCount.allCases.filter { "\($0)".isInput }
      .reduce(SchoolNumber.zero) { $0 + SchoolNumber(usage[$1]) }
    var prices = Self.merged(base, Self.holding(tiers, input))
    var unpriced: [String] = []
    var unpricedConditions: [String] = []
    var multipliers: [String] = []
    let holding = UsageCondition.allCases.compactMap { condition -> Condition? in
      guard let value = usage[condition] else { return nil }
      let found = conditions.first { $0.condition == condition && $0.value == value }
      if found == nil { unpricedConditions.append("\(condition)=\(value)") }
      return found
    }
    let replacing = holding.map { Self.merged($0.prices, Self.holding($0.tiers, input)) }
    for (place, condition) in holding.enumerated() {
      let others = replacing.enumerated().filter { $0.offset != place }.flatMap(\.element.keys)
      if replacing[place].keys.contains(where: others.contains) {
        unpricedConditions.append("\(condition.condition)=\(condition.value)")
        continue
      }
      prices = Self.merged(prices, replacing[place])
      multipliers.append(condition.multiplier ?? "1")
    }
    var tokens = SchoolDecimal("0")
    var calls = usage.isNothing ? SchoolDecimal("0") : SchoolDecimal(prices[Self.request] ?? "0")
    for count in UsageCount.allCases where usage[count] > 0 {
      guard let price = Self.price(of: "\(count)", in: prices) else {
        unpriced.append("\(count)")
        continue
      }
      let cost = usage[count] * SchoolDecimal(price)
      if "\(count)".hasSuffix("Tokens") { tokens = tokens + cost } else { calls = calls + cost }
    }
    for multiplier in multipliers { tokens = tokens * SchoolDecimal(multiplier) }
    return (tokens + calls, unpriced + unpricedConditions)
  }

  private static func merged(_ prices: Prices, _ others: Prices) -> Prices {
    prices.merging(others) { $1 }
  }

  private static func holding(_ tiers: [Tier], _ input: SchoolNumber) -> Prices {
    tiers.filter { !(input <= SchoolNumber($0.above)) }.max { $0.above < $1.above }?.prices ?? [:]
  }

  private static func price(of count: String, in prices: Prices) -> String? {
    func given(_ name: String) -> String? {
      prices[UsageCount.allCases.firstIndex { "\($0)" == name } ?? -2]
    }
    if let price = given(count) { return price }
    switch count {
    case "cacheReadTokens", "cacheWriteTokens", "imageInputTokens": return given("inputTokens")
    case "cacheWrite1hTokens", "cacheWrite12hTokens":
      return given("cacheWriteTokens") == nil ? given("inputTokens") : nil
    case "cacheReadAudioTokens", "cacheReadImageTokens":
      return given("cacheReadTokens") ?? given("inputTokens")
    default: return nil
    }
  }
}

extension String {
  fileprivate var isInput: Bool {
    [
      "inputTokens", "cacheReadTokens", "cacheWriteTokens", "cacheWrite1hTokens",
      "cacheWrite12hTokens",
      "imageInputTokens", "audioInputTokens", "cacheReadAudioTokens", "cacheReadImageTokens",
    ].contains(self)
  }
}

extension TokenUsage {
  /// Whether all counts are 0.
  var isNothing: Bool { UsageCount.allCases.allSatisfy { self[$0] == 0 } }
}

extension SeededGenerator {
  /// A usage of few counts or many, now and then under conditions.
  mutating func usage() -> TokenUsage {
    var usage = TokenUsage(inputTokens: count(), outputTokens: count())
    if once(in: 2) { usage[.cacheReadTokens] = count() }
    if once(in: 2) { usage[.cacheWriteTokens] = count() }
    if once(in: 2) {
      for count in UsageCount.allCases.dropFirst(4) where once(in: 8) {
        usage[count] = self.count()
      }
    }
    if once(in: 2) {
      for condition in UsageCondition.allCases where once(in: 2) {
        usage[condition] = pick("batch", "fast", "us", "Standard", "other")
      }
    }
    return usage
  }

  fileprivate mutating func prices(_ digits: Int, hasInputAndOutput: Bool)
    -> RandomPriceList.Prices
  {
    var prices: RandomPriceList.Prices = [:]
    for place in RandomPriceList.request..<UsageCount.allCases.count {
      let isRequired = hasInputAndOutput && (0...1).contains(place)
      if isRequired || once(in: hasInputAndOutput ? 2 : 5) {
        prices[place] = price(fractionDigits: digits)
      }
    }
    return prices
  }

  fileprivate mutating func tiers(_ digits: Int, hasInputAndOutput: Bool)
    -> [RandomPriceList.Tier]
  {
    ([128_000, 200_000, 1_000_000, .max] as [Int64]).compactMap { above in
      guard once(in: 4) else { return nil }
      return RandomPriceList.Tier(
        above: above, prices: prices(digits, hasInputAndOutput: hasInputAndOutput))
    }
  }

  /// A count: often 0 or by a tier's edge, now and then as large as they come.
  mutating func count() -> Int64 {
    switch number(below: 10) {
    case 0...1: 0
    case 2: pick(127_999, 128_000, 128_001, 199_999, 200_000, 200_001, 999_999, 1_000_000)
    case 3: once(in: 4) ? pick(.max, .max - 1, .max / 2) : .random(in: 0...(.max), using: &self)
    case 4...5: .random(in: 0...10, using: &self)
    default: .random(in: 0...400_000, using: &self)
    }
  }

  /// A price with up to `fractionDigits` digits after the point, mostly zeros before them.
  mutating func price(fractionDigits: Int) -> String {
    let whole = pick("0", "0", "0", "1", "37")
    if once(in: 8) { return whole }
    let count = Int.random(in: 1...max(1, fractionDigits), using: &self)
    let zeros = Int.random(in: 0..<count, using: &self)
    let digits = (0..<count).map { index in
      index < zeros ? "0" : String(Int.random(in: 0...9, using: &self))
    }
    return whole + "." + digits.joined()
  }
}
