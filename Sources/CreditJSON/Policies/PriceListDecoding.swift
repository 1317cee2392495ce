public import CreditModel

/// Reads a model's dollar prices by count, its tiers, and further prices under a condition.
struct PriceListDecoder {
  let form: PriceForm

  static let tierLimit = 16
  private static let conditionLimit = 64

  static let tooManyDigits = PolicyProblem("has prices with more than 38 digits between them")

  func decode(_ value: JSONValue) throws(PolicyProblem) -> TokenRates {
    let base = try prices(value, besides: ["tiers", "when"])
    try require(base)
    let tiers = try tiers(value, require)
    let conditions = try conditions(value)
    guard let rates = TokenRates(base: base, tiers: tiers, conditions: conditions) else {
      throw Self.tooManyDigits
    }
    return rates
  }

  /// Requires input and output prices in each unconditional part of a list.
  private func require(_ prices: GivenPrices) throws(PolicyProblem) {
    for count in [UsageCount.inputTokens, .outputTokens] where prices[count] == nil {
      throw PolicyProblem("is missing", at: form.name(of: count))
    }
  }

  /// Reads the prices among the members of an object.
  /// - Parameter others: the names of members that are not prices.
  private func prices(_ value: JSONValue, besides others: [StaticString])
    throws(PolicyProblem) -> GivenPrices
  {
    guard value.isObject else { throw PolicyProblem("must be an object") }
    var prices = GivenPrices()
    for (key, member) in value.members {
      if let place = form.place(of: key) {
        do throws(PolicyProblem) {
          prices[place: place] = try dollars(member, isOfCalls: PriceForm.isOfCalls(place))
        } catch {
          throw error.inside(key.string ?? "?")
        }
      } else if !others.contains(where: key.utf8Equals) {
        let name = Name(trusted: key.string ?? "?")
        let known = (0...GivenPrices.requestPlace).map { Name(trusted: form.name(at: $0)) }
        let meant = PriceForm.otherNames[name.text].map { [Name(trusted: form.name(of: $0))] }
        let nearest = meant ?? NearestNames.find(name, among: known)
        throw PolicyProblem("is not a known member\(NearestNames.hint(nearest))", at: name.text)
      }
    }
    return prices
  }

  private func dollars(_ value: JSONValue, isOfCalls: Bool) throws(PolicyProblem) -> ExactDecimal {
    let price: ExactDecimal
    switch form {
    case .dollars: price = try ObjectReader.dollars(value)
    case .microDollars: price = try ObjectReader.decimal(value)
    }
    let places = form.places + (isOfCalls ? 3 : 6)
    guard let dollars = price.price(shiftedRight: places) else {
      throw PolicyProblem("has more than \(TokenRates.scaleLimit - places) digits after the point")
    }
    return dollars
  }

  private func tiers(
    _ list: JSONValue, _ check: (GivenPrices) throws(PolicyProblem) -> Void
  ) throws(PolicyProblem) -> [PriceTier] {
    if list.member("tiers") == nil { return [] }
    var thresholds: [Int64] = []
    return try ObjectReader(unchecked: list).list("tiers", limit: Self.tierLimit) {
      value throws(PolicyProblem) in
      let prices = try prices(value, besides: ["aboveInputTokens", "atInputTokens"])
      let above = try threshold(ObjectReader(unchecked: value))
      guard !thresholds.contains(above) else { throw PolicyProblem("repeats a tier's threshold") }
      thresholds.append(above)
      try check(prices)
      return PriceTier(aboveInputTokens: above, prices: prices)
    }
  }

  /// Returns the input above which a tier applies. "At N" means above N - 1.
  private func threshold(_ tier: ObjectReader) throws(PolicyProblem) -> Int64 {
    let above = try tier.integer("aboveInputTokens", in: 1...Int64.max)
    let at = try tier.integer("atInputTokens", in: 1...Int64.max)
    switch (above, at) {
    case (let above?, nil): return above
    case (nil, let at?): return at - 1
    case (nil, nil): throw tier.invalid("aboveInputTokens", "is missing")
    case (_?, _?): throw tier.invalid("atInputTokens", "cannot be given beside aboveInputTokens")
    }
  }

  private func conditions(_ list: JSONValue) throws(PolicyProblem) -> [PriceCondition] {
    guard let when = list.member("when") else { return [] }
    guard when.isObject else { throw PolicyProblem("must be an object", at: "when") }
    var conditions: [PriceCondition] = []
    for (key, value) in when.members {
      do throws(PolicyProblem) {
        let subject = try subject(key.string ?? "")
        let prices = try prices(value, besides: ["tiers", "multiply"])
        let tiers = try tiers(value) { prices throws(PolicyProblem) in
          if prices.isEmpty { throw PolicyProblem("has no prices") }
        }
        let multiplier = try ObjectReader(unchecked: value).priceText("multiply", isFactor: true)
        guard !conditions.contains(where: { $0.subject == subject }) else {
          throw PolicyProblem("is given twice")
        }
        guard conditions.count < Self.conditionLimit else {
          throw PolicyProblem("is one entry too many: at most \(Self.conditionLimit) are allowed")
        }
        conditions.append(
          PriceCondition(subject, prices: prices, tiers: tiers, multiplier: multiplier))
      } catch {
        throw error.inside("when.\(key.string ?? "?")")
      }
    }
    return conditions
  }

  /// Returns the subject in an entry's name.
  private func subject(_ key: String) throws(PolicyProblem) -> PriceSubject {
    if key.hasPrefix(PriceSubject.hoursName + "=") {
      guard let hours = PriceHours(text: String(key.dropFirst(PriceSubject.hoursName.count + 1)))
      else {
        throw PolicyProblem("must name hours of UTC such as 16:30-00:30 or mon-fri 16:30-00:30")
      }
      return .hours(hours)
    }
    guard let (condition, text) = UsageCondition.named(in: key) else {
      let names = UsageCondition.allCases.map(\.member.description) + [PriceSubject.hoursName]
      let usual = PriceSubject.usualKeys.first { $0.hasSuffix("=\(key)") }
      throw PolicyProblem(
        "must be named by a condition (\(names.joined(separator: ", "))), = and its value"
          + (usual.map { "; did you mean \(quoted($0))?" }
            ?? NearestNames.question(key.prefix { $0 != "=" }.description, among: names)))
    }
    if let problem = Name.problem(with: text, limit: UsageCondition.valueLimit) {
      throw PolicyProblem("names a value that \(problem)")
    }
    guard let kept = UsageCondition.kept(text) else {
      throw PolicyProblem("names an ordinary value, to which the model's own prices apply")
    }
    return .usage(condition, kept)
  }
}

extension UsageCondition {
  /// The condition, and its value, of an entry's name: `serviceTier=batch`.
  fileprivate static func named(in key: String) -> (UsageCondition, String)? {
    for condition in allCases {
      let name = Bytes(condition.member)
      let value = key.withUTF8Bytes { key -> String? in
        guard key.count > name.count, key[name.count] == UInt8(ascii: "="),
          Bytes(rebasing: key[..<name.count]).hasSameBytes(as: name)
        else { return nil }
        return String(decoding: key[(name.count + 1)...], as: UTF8.self)
      }
      if let value { return (condition, value) }
    }
    return nil
  }
}

extension ExactDecimal {
  /// Returns the price of a smaller unit; nil if it has more digits than prices may have.
  func price(shiftedRight places: Int) -> ExactDecimal? {
    guard let price = shifted(right: places), price.scale <= TokenRates.scaleLimit else {
      return nil
    }
    return price
  }
}

/// The two ways in which a model's dollar prices are written. Both mean the same.
public enum PriceForm: CaseIterable, Sendable {
  /// `"usdPer1M": {"input": "3"}`: dollars for a million tokens, or for a thousand calls.
  case dollars
  /// `"tokens": {"inputUSDPer1M": 3000000}`: the same in millionths of a dollar.
  case microDollars

  /// The member of a model.
  public var member: StaticString {
    switch self {
    case .dollars: "usdPer1M"
    case .microDollars: "tokens"
    }
  }

  /// The form of a model's price list, and the list; nil for a model with no dollar prices.
  public static func find(in model: JSONValue) -> (form: PriceForm, list: JSONValue)? {
    for form in [PriceForm.dollars, .microDollars] {
      if let list = model.member(form.member) { return (form, list) }
    }
    return nil
  }

  /// The member of a list that has the price of a count.
  public func name(of count: UsageCount) -> String {
    "\(count.row.price)\(suffix(isOfCalls: count.row.kind == .calls))"
  }

  var requestName: String { "\(Self.request)\(suffix(isOfCalls: true))" }

  func name(at place: Int) -> String {
    place == GivenPrices.requestPlace ? requestName : name(of: UsageCount(at: place))
  }

  /// The place of the price that a member of a list is; nil otherwise.
  func place(of key: JSONValue) -> Int? {
    key.withUTF8 { key in
      for place in 0..<UsageCount.total {
        let row = UsageCount(at: place).row
        if matches(key, row.price, isOfCalls: row.kind == .calls) { return place }
      }
      return matches(key, Self.request, isOfCalls: true) ? GivenPrices.requestPlace : nil
    } ?? nil
  }

  /// The counts that other words for their prices mean.
  static let otherNames: [String: UsageCount] = [
    "cached": .cacheReadTokens, "cachedInput": .cacheReadTokens, "cached_input": .cacheReadTokens,
    "prompt": .inputTokens, "completion": .outputTokens,
  ]

  /// Returns true if a place's price is of calls or requests, not of tokens.
  static func isOfCalls(_ place: Int) -> Bool {
    place == GivenPrices.requestPlace || UsageCount(at: place).row.kind == .calls
  }

  /// Number of digits from a price to dollars for a million tokens, or a thousand calls.
  var places: Int { self == .microDollars ? 6 : 0 }

  private static let request: StaticString = "request"

  private func suffix(isOfCalls: Bool) -> StaticString {
    switch self {
    case .dollars: isOfCalls ? "Per1000" : ""
    case .microDollars: isOfCalls ? "USDPer1000" : "USDPer1M"
    }
  }

  private func matches(_ key: Bytes, _ stem: StaticString, isOfCalls: Bool) -> Bool {
    let suffix = suffix(isOfCalls: isOfCalls)
    let length = stem.utf8CodeUnitCount
    guard key.count == length + suffix.utf8CodeUnitCount else { return false }
    return Bytes(rebasing: key[..<length]).hasSameBytes(as: Bytes(stem))
      && Bytes(rebasing: key[length...]).hasSameBytes(as: Bytes(suffix))
  }
}

/// Reads the price of a model: exactly one of the members that are prices.
struct PricingDecoder {
  static func decode(_ model: ObjectReader) throws(PolicyProblem) -> ServicePricing {
    let prices = PolicyShape.pricing
    guard prices.count(where: { model.has($0.name) }) == 1 else {
      let names = prices.map(\.name).joined(separator: ", ")
      throw PolicyProblem("must have exactly one of \(names)")
    }
    if let (form, list) = PriceForm.find(in: model.value) {
      return try model.inside(form.member) { () throws(PolicyProblem) in
        .dollars(try PriceListDecoder(form: form).decode(list))
      }
    }
    if let tokens = model.value.member("creditsPerToken") {
      return try model.inside("creditsPerToken") { () throws(PolicyProblem) in
        let reader = try ObjectReader(tokens, known: PolicyShape.creditsPerToken)
        let input = try reader.required("input", try reader.decimal("input"))
        let output = try reader.required("output", try reader.decimal("output"))
        guard let rates = TokenRates(base: GivenPrices(input: input, output: output)) else {
          throw PriceListDecoder.tooManyDigits
        }
        return .credits(rates)
      }
    }
    if let price = try model.decimal("creditsPerUnit") { return .perUnit(price) }
    if let price = try model.integer("creditsPerRequest", in: 0...Credits.largestGrant) {
      return .perRequest(price)
    }
    if let flag = try model.bool("reportedCost") {
      guard flag else { throw model.invalid("reportedCost", "must be true") }
      return .reportedCost
    }
    guard try model.bool("free") == true else { throw model.invalid("free", "must be true") }
    return .free
  }
}
