import CreditModel

/// Reads a model's `tokens`: its dollar prices by count, its tiers, and what holds besides under a
/// condition.
struct PriceListDecoder {
  private static let tierLimit = 16
  private static let conditionLimit = 64

  static let tooManyDigits = PolicyProblem("has prices with more than 38 digits between them")

  static func decode(_ value: JSONValue) throws(PolicyProblem) -> TokenRates {
    let base = try prices(value, besides: ["tiers", "when"])
    try require(base)
    let tiers = try tiers(value, require)
    let conditions = try conditions(value)
    guard let rates = TokenRates(base: base, tiers: tiers, conditions: conditions) else {
      throw tooManyDigits
    }
    return rates
  }

  /// Input and output stand in every part of a price list that is not a condition's.
  private static func require(_ prices: GivenPrices) throws(PolicyProblem) {
    for count in [UsageCount.inputTokens, .outputTokens] where prices[count] == nil {
      throw PolicyProblem("is missing", at: count.row.price.description)
    }
  }

  /// The prices among the members of an object.
  /// - Parameter others: the names of members that are none.
  private static func prices(_ value: JSONValue, besides others: [StaticString])
    throws(PolicyProblem) -> GivenPrices
  {
    guard value.isObject else { throw PolicyProblem("must be an object") }
    var prices = GivenPrices()
    for (key, member) in value.members {
      if let count = UsageCount(priceMember: key) {
        prices[count] = try dollars(member, key, isOfCalls: count.row.kind == .calls)
      } else if key.utf8Equals(requestMember) {
        prices.request = try dollars(member, key, isOfCalls: true)
      } else if !others.contains(where: key.utf8Equals) {
        throw PolicyProblem("is not a known member", at: key.string ?? "?")
      }
    }
    return prices
  }

  static let requestMember: StaticString = "requestUSDPer1000"

  /// Whether a member of a price list is a price.
  static func isPrice(_ key: JSONValue) -> Bool {
    UsageCount(priceMember: key) != nil || key.utf8Equals(requestMember)
  }

  private static func dollars(_ value: JSONValue, _ key: JSONValue, isOfCalls: Bool)
    throws(PolicyProblem) -> ExactDecimal
  {
    do throws(PolicyProblem) {
      let price = try ObjectReader.decimal(value)
      guard let dollars = isOfCalls ? price.dollarsPerCall : price.dollarsPerToken else {
        throw PolicyProblem("has more than \(isOfCalls ? 23 : 20) digits after the point")
      }
      return dollars
    } catch {
      throw error.inside(key.string ?? "?")
    }
  }

  private static func tiers(
    _ list: JSONValue, _ check: (GivenPrices) throws(PolicyProblem) -> Void
  ) throws(PolicyProblem) -> [PriceTier] {
    if list.member("tiers") == nil { return [] }
    var thresholds: [Int64] = []
    return try ObjectReader(unchecked: list).list("tiers", limit: tierLimit) {
      value throws(PolicyProblem) in
      let prices = try prices(value, besides: ["aboveInputTokens"])
      let reader = ObjectReader(unchecked: value)
      guard let above = try reader.integer("aboveInputTokens", in: 1...Int64.max) else {
        throw reader.invalid("aboveInputTokens", "is missing")
      }
      guard !thresholds.contains(above) else {
        throw reader.invalid("aboveInputTokens", "is another tier's threshold")
      }
      thresholds.append(above)
      try check(prices)
      return PriceTier(aboveInputTokens: above, prices: prices)
    }
  }

  private static func conditions(_ list: JSONValue) throws(PolicyProblem) -> [PriceCondition] {
    guard let when = list.member("when") else { return [] }
    guard when.isObject else { throw PolicyProblem("must be an object", at: "when") }
    var conditions: [PriceCondition] = []
    for (key, value) in when.members {
      do throws(PolicyProblem) {
        let condition = try condition(key.string ?? "", value)
        guard
          !conditions.contains(where: {
            $0.condition == condition.condition && $0.value == condition.value
          })
        else {
          throw PolicyProblem("stands there twice")
        }
        guard conditions.count < conditionLimit else {
          throw PolicyProblem("is one of more than \(conditionLimit) entries")
        }
        conditions.append(condition)
      } catch {
        throw error.inside("when.\(key.string ?? "?")")
      }
    }
    return conditions
  }

  private static func condition(_ key: String, _ value: JSONValue) throws(PolicyProblem)
    -> PriceCondition
  {
    guard let (condition, text) = UsageCondition.named(in: key) else {
      let names = UsageCondition.allCases.map(\.member.description).joined(separator: ", ")
      throw PolicyProblem("must be named by a condition (\(names)), = and its value")
    }
    if let problem = Name.problem(with: text, limit: UsageCondition.valueLimit) {
      throw PolicyProblem("names a value that \(problem)")
    }
    guard let kept = UsageCondition.kept(text) else {
      throw PolicyProblem("names an ordinary value, under which the model's own prices hold")
    }
    let prices = try prices(value, besides: ["tiers", "multiply"])
    let tiers = try tiers(value) { prices throws(PolicyProblem) in
      if prices.isEmpty { throw PolicyProblem("has no prices") }
    }
    let multiplier = try ObjectReader(unchecked: value).priceText("multiply")
    return PriceCondition(
      condition, kept, prices: prices, tiers: tiers, multiplier: multiplier)
  }
}

extension UsageCondition {
  /// The condition, and its value, of an entry's name: `serviceTier=batch`.
  fileprivate static func named(in key: String) -> (UsageCondition, String)? {
    for condition in allCases {
      let name = UnsafeRawBufferPointer(condition.member)
      let value = key.withUTF8Bytes { key -> String? in
        guard key.count > name.count, key[name.count] == UInt8(ascii: "="),
          UnsafeRawBufferPointer(rebasing: key[..<name.count]).hasSameBytes(as: name)
        else { return nil }
        return String(decoding: key[(name.count + 1)...], as: UTF8.self)
      }
      if let value { return (condition, value) }
    }
    return nil
  }
}

extension UsageCount {
  /// The count whose price a member of a price list is; nil for any other member.
  init?(priceMember key: JSONValue) {
    for place in 0..<UsageCount.total {
      let count = UsageCount(at: place)
      if key.utf8Equals(count.row.price) {
        self = count
        return
      }
    }
    return nil
  }
}

extension ExactDecimal {
  /// A catalog's price, in micro-dollars a million tokens, as dollars a token, which are 10⁻¹² of
  /// it; nil where that has more digits than prices may have.
  var dollarsPerToken: ExactDecimal? { price(shiftedRight: 12) }

  /// A catalog's price, in micro-dollars a thousand calls, as dollars a call.
  var dollarsPerCall: ExactDecimal? { price(shiftedRight: 9) }

  private func price(shiftedRight places: Int) -> ExactDecimal? {
    guard let price = shifted(right: places), price.scale <= TokenRates.scaleLimit else {
      return nil
    }
    return price
  }
}
