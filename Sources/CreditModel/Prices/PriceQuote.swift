public struct PriceQuote: Equatable, Sendable {
  public let credits: Credits
  /// The exact price in dollars, as decimal text.
  ///
  /// Nil if the model is priced in credits and no limit counts dollars.
  let exactUSD: String?
  private let isInDollars: Bool
  /// Whether the minimum charge replaces an unreadable usage.
  public let isFallback: Bool
  private let rare: Rare?

  /// Parts that few prices have: other quotes are copied in a few words.
  private indirect enum Rare: Equatable, Sendable { case parts(costUSD: String?, [String]) }

  init(
    credits: Credits, usd: String? = nil, costUSD: String? = nil, limitUSD: String? = nil,
    isFallback: Bool = false, unpriced: [String] = []
  ) {
    self.credits = credits
    exactUSD = usd ?? limitUSD
    isInDollars = usd != nil
    self.isFallback = isFallback
    rare = costUSD == nil && unpriced.isEmpty ? nil : .parts(costUSD: costUSD, unpriced)
  }

  /// Amount that the provider takes, if a markup makes it differ.
  public var costUSD: String? { if case .parts(let cost, _) = rare { cost } else { nil } }

  /// Counts and conditions without a price, charged at the base price or not.
  public var unpriced: [String] { if case .parts(_, let names) = rare { names } else { [] } }

  /// The exact price in dollars, as decimal text, if the price is in dollars.
  public var usd: String? { isInDollars ? exactUSD : nil }

  /// The exact dollars of a price in credits; nil unless limits count dollars.
  var limitUSD: String? { isInDollars ? nil : exactUSD }
}

/// How usage becomes credits: the part of the policy that affects prices, besides the model.
public struct PriceRules: Equatable, Sendable {
  /// Millionths of a dollar that one credit is worth.
  public var usdMicrosPerCredit: Int64 = 1000
  /// Whether the policy states it.
  public var statesRate = false
  /// The least price of a usage that isn't zero.
  public var minimumCharge: Credits = 1
  /// Whether an unreadable usage costs the minimum instead of being refused.
  public var chargesMinimumForUnreadableUsage = false
  public var chargesBaseForUnpricedUsage = false
  /// Factor of dollar prices if the model has none; above 0.
  public var markup = ExactDecimal.one
  /// True if limits count dollars: prices in credits are then told in dollars, too.
  public var countsDollars = false

  public init() {}

  /// The largest exchange rate: a million dollars a credit.
  public static let usdMicrosPerCreditLimit: Int64 = 1_000_000_000_000

  /// Returns the price of a usage: exact until one rounding up to whole credits.
  ///
  /// Source: "charge per request: ceil(usd_cost / 0.001)", "any non-zero billable usage costs at
  /// least 1 credit" (Murmur's plan, sections 2 and 4).
  /// - Parameters:
  ///   - reportedUSD: the cost that the provider reports.
  ///   - costIsNegative: true if it reports a cost below 0.
  ///   - modelMarkup: the model's markup, which replaces the policy's.
  ///   - time: of the use, for prices by the hour; nil if unknown.
  /// - Throws: `invalid_usage`, `unpriced_usage`, or `amount_out_of_range` if the credits don't fit
  ///   in 64 bits.
  public func quote(
    _ reported: ReportedUsage, reportedUSD: ExactDecimal? = nil, costIsNegative: Bool = false,
    at pricing: ServicePricing, markup modelMarkup: ExactDecimal? = nil, time: Timestamp? = nil
  ) throws(CreditError) -> PriceQuote {
    if costIsNegative, case .reportedCost = pricing {
      throw CreditError(.invalidUsage, "the reported cost is negative")
    }
    let markup = modelMarkup ?? markup
    // Most charges: usages are copied less on the way.
    if case .dollars(let rates) = pricing, case .counts(.tokens(let tokens)) = reported {
      return try dollarQuote(tokens, at: rates, markup: markup, time)
    }
    let usage: Usage
    switch reported {
    case .counts(let counts): usage = counts
    case .unreadable(_, let fault):
      if !pricing.needsUsage {
        return try flatQuote(usage: nil, reportedUSD, at: pricing, markup: markup)
      }
      guard chargesMinimumForUnreadableUsage else {
        throw CreditError(.invalidUsage, reported.isAbsent ? "\(fault); \(pricing.advice)" : fault)
      }
      return PriceQuote(
        credits: minimumCharge,
        limitUSD: dollars(of: WideDecimal(UInt128(minimumCharge.magnitude))),
        isFallback: true)
    }
    switch (pricing, usage) {
    case (.credits(let rates), .tokens(let tokens)): return try creditQuote(tokens, at: rates, time)
    case (.perUnit(let price), .units(let units)):
      let exact = WideDecimal(UInt128(units.magnitude)) * price
      return PriceQuote(
        credits: try billed(exact.dividedRoundingUp(byMillionths: 1_000_000), usage),
        limitUSD: dollars(of: exact))
    case (.perRequest, _), (.free, _), (.reportedCost, _):
      return try flatQuote(usage: usage, reportedUSD, at: pricing, markup: markup)
    case (.dollars, _), (.credits, .units):
      let counts = pricing.callsAlone.map { "\($0.row.member)" } ?? "tokens"
      throw CreditError(
        .invalidUsage, "the model is priced by \(counts), not by units: \(pricing.advice)")
    case (.perUnit, .tokens):
      throw CreditError(
        .invalidUsage, "the model is priced by units, not by tokens: \(pricing.advice)")
    }
  }

  /// Returns the price of a usage of a model; an error names it.
  @inline(__always)
  public func quote(
    _ reported: ReportedUsage, reportedUSD: ExactDecimal?, costIsNegative: Bool,
    of model: PricedModel, time: Timestamp?
  ) throws(CreditError) -> PriceQuote {
    do throws(CreditError) {
      return try quote(
        reported, reportedUSD: reportedUSD, costIsNegative: costIsNegative, at: model.pricing,
        markup: model.markup, time: time)
    } catch {
      let start = "the model has"
      guard error.message.hasPrefix(start) else { throw error }
      throw CreditError(
        error.code,
        "model \(quoted(model.id.text)) has" + error.message.dropFirst(start.count), error.details)
    }
  }

  private func dollarQuote(
    _ tokens: TokenUsage, at rates: TokenRates, markup: ExactDecimal, _ time: Timestamp?
  )
    throws(CreditError) -> PriceQuote
  {
    let usage = Usage.tokens(tokens)
    guard tokens.isCommon, markup == .one, !rates.dependsOnTime,
      let cost = rates.cost(ofCommon: tokens)
    else {
      let cost = try checked(rates.cost(of: tokens, at: time), at: rates)
      return try dollarQuote(cost.total, markup: markup, unpriced: cost.unpriced) {
        credits throws(CreditError) in try billed(credits, usage)
      }
    }
    // A credit is usdMicrosPerCredit / 10^6 dollars, brought to the rates' scale.
    let unit = UInt128(usdMicrosPerCredit) * power(rates.scale - TokenRates.scaleMinimum)
    let exact = cost.dividedRoundingUp(by: unit)
    return PriceQuote(
      credits: try billed(exact, usage), usd: WideDecimal(cost, scale: rates.scale).text)
  }

  private func dollarQuote(
    _ cost: WideDecimal, markup: ExactDecimal, unpriced: [String] = [],
    _ billed: (Int64?) throws(CreditError) -> Credits
  ) throws(CreditError) -> PriceQuote {
    let price = markup == .one ? cost : cost * markup
    let credits = try billed(price.dividedRoundingUp(byMillionths: usdMicrosPerCredit))
    return PriceQuote(
      credits: credits, usd: price.text, costUSD: markup == .one ? nil : cost.text,
      unpriced: unpriced)
  }

  private func creditQuote(_ tokens: TokenUsage, at rates: TokenRates, _ time: Timestamp?)
    throws(CreditError) -> PriceQuote
  {
    let usage = Usage.tokens(tokens)
    if tokens.isCommon, !rates.dependsOnTime, let cost = rates.cost(ofCommon: tokens) {
      let exact = cost.dividedRoundingUp(by: power(rates.scale))
      return PriceQuote(
        credits: try billed(exact, usage),
        limitUSD: dollars(of: WideDecimal(cost, scale: rates.scale)))
    }
    let cost = try checked(rates.cost(of: tokens, at: time), at: rates)
    let exact = cost.total.dividedRoundingUp(byMillionths: 1_000_000)
    return PriceQuote(
      credits: try billed(exact, usage), limitUSD: dollars(of: cost.total),
      unpriced: cost.unpriced)
  }

  /// Returns a price that depends on no count, and so covers every count and condition.
  private func flatQuote(
    usage: Usage?, _ reportedUSD: ExactDecimal?, at pricing: ServicePricing, markup: ExactDecimal
  ) throws(CreditError) -> PriceQuote {
    switch pricing {
    case .perRequest(let price):
      return PriceQuote(
        credits: usage?.isZero ?? true ? price : max(price, minimumCharge),
        limitUSD: dollars(of: WideDecimal(UInt128(price.magnitude))))
    case .reportedCost:
      guard let reportedUSD else { throw Self.unpriced(["reportedUSD"]) }
      let isZero = reportedUSD == .zero && usage?.isZero ?? true
      return try dollarQuote(WideDecimal(reportedUSD), markup: markup) {
        credits throws(CreditError) in try billed(credits, isZero: isZero)
      }
    case .dollars, .credits, .perUnit, .free: return PriceQuote(credits: 0)
    }
  }

  /// Returns exact credits in dollars, as decimal text; nil unless limits count dollars.
  private func dollars(of credits: WideDecimal) -> String? {
    if !countsDollars { return nil }
    return (credits * WideDecimal(UInt128(usdMicrosPerCredit.magnitude), scale: 6)).text
  }

  private func billed(_ exact: Int64?, _ usage: Usage) throws(CreditError) -> Credits {
    try billed(exact, isZero: usage.isZero)
  }

  private func billed(_ exact: Int64?, isZero: Bool) throws(CreditError) -> Credits {
    guard let exact else {
      throw CreditError.amountOutOfRange("the price would not fit in 64 bits")
    }
    return isZero ? 0 : max(exact, minimumCharge)
  }

  /// Refuses a billed count without a price, unless the policy allows it.
  private func checked(_ cost: UsageCost, at rates: TokenRates) throws(CreditError) -> UsageCost {
    if cost.unpriced.isEmpty || chargesBaseForUnpricedUsage { return cost }
    if !cost.contradictory.isEmpty, cost.contradictory == cost.unpriced {
      let list = cost.contradictory.map { plainOrQuoted($0) }.joined(separator: " and ")
      throw CreditError(
        .unpricedUsage, "the model's entries for \(list) set the same price, and both apply",
        [.unpriced(cost.unpriced)])
    }
    let meant = cost.unpriced.compactMap { rates.condition(misspeltAs: $0) }.first
    throw Self.unpriced(
      cost.unpriced,
      hint: meant.map { "; did you mean \(plainOrQuoted($0))?" } ?? Self.remedy(for: cost.unpriced))
  }

  /// Says which members of a price list would price some counts and conditions.
  private static func remedy(for unpriced: [String]) -> String {
    let prices = UsageCount.allCases.map(\.row).filter { unpriced.contains("\($0.member)") }
      .map { quoted("\($0.price)\($0.kind == .calls ? "Per1000" : "")") }
    let conditions = unpriced.filter { $0.utf8.contains(UInt8(ascii: "=")) }.map { quoted($0) }
    let places = [(prices, "usdPer1M"), (conditions, "usdPer1M.when")].filter { !$0.0.isEmpty }
      .map { "\($0.0.joined(separator: " and ")) to \($0.1)" }
    return "; in a model with usdPer1M: add \(places.joined(separator: ", and "))"
  }

  private static func unpriced(_ names: [String], hint: String = "") -> CreditError {
    let list = names.map { plainOrQuoted($0) }.joined(separator: ", ")
    return CreditError(
      .unpricedUsage, "the model has no price for \(list)\(hint)", [.unpriced(names)])
  }

  /// 10^`exponent`; the scale of rates and prices is at most 38.
  private func power(_ exponent: Int) -> UInt128 { Int128.powerOfTen(exponent)?.magnitude ?? .max }
}
