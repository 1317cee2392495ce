/// What a usage costs.
package struct PriceQuote: Equatable, Sendable {
  package let credits: Credits
  /// The exact cost in dollars, where the price is in dollars.
  package let usd: WideDecimal?
  /// The usage that was billed; nil where the price needs none and none was given, or where the
  /// minimum charge stands in for a usage that could not be read.
  package let usage: Usage?
  /// Whether the minimum charge stands in for an unreadable usage.
  package let isFallback: Bool
}

/// How usage becomes credits: the part of the policy that a price depends on besides the model.
package struct PriceRules: Equatable, Sendable {
  /// Millionths of a dollar that one credit is worth.
  package var usdMicrosPerCredit: Int64 = 1000
  /// What any usage that isn't zero costs at least.
  package var minimumCharge: Credits = 1
  /// Whether a usage that can't be read costs the minimum instead of being refused.
  package var chargesMinimumForUnreadableUsage = false

  package init() {}

  /// The largest exchange rate: a million dollars a credit.
  package static let usdMicrosPerCreditLimit: Int64 = 1_000_000_000_000

  /// The price of a usage: exact until one rounding up to whole credits.
  ///
  /// Source: "charge per request: ceil(usd_cost / 0.001)", "any non-zero billable usage costs at
  /// least 1 credit" (Murmur's plan, sections 2 and 4).
  /// - Throws: `invalid_usage`, or `amount_out_of_range` where the credits don't fit in 64 bits.
  package func quote(_ reported: ReportedUsage, at pricing: ServicePricing) throws(CreditError)
    -> PriceQuote
  {
    let usage: Usage
    switch reported {
    case .counts(let counts):
      usage = counts
    case .unreadable(_, let reason):
      if !pricing.needsUsage { return try flatQuote(usage: nil, at: pricing) }
      guard chargesMinimumForUnreadableUsage else { throw CreditError(.invalidUsage, reason) }
      return PriceQuote(credits: minimumCharge, usd: nil, usage: nil, isFallback: true)
    }
    switch (pricing, usage) {
    case (.dollars(let rates), .tokens(let tokens)):
      return try dollarQuote(tokens, at: rates)
    case (.credits(let rates), .tokens(let tokens)):
      let exact = rates.cost(of: tokens).dividedRoundingUp(by: power(rates.scale))
      return PriceQuote(
        credits: try billed(exact, usage), usd: nil, usage: usage, isFallback: false)
    case (.perUnit(let price), .units(let units)):
      let cost = UInt256(units.magnitude, times: price.coefficient)
      let exact = cost.dividedRoundingUp(by: power(price.scale))
      return PriceQuote(
        credits: try billed(exact, usage), usd: nil, usage: usage, isFallback: false)
    case (.perRequest, _), (.free, _):
      return try flatQuote(usage: usage, at: pricing)
    case (.dollars, .units), (.credits, .units):
      throw CreditError(.invalidUsage, "the model is priced by tokens, not by units")
    case (.perUnit, .tokens):
      throw CreditError(.invalidUsage, "the model is priced by units, not by tokens")
    }
  }

  private func dollarQuote(_ tokens: TokenUsage, at rates: TokenRates) throws(CreditError)
    -> PriceQuote
  {
    let usage = Usage.tokens(tokens)
    let cost = rates.cost(of: tokens)
    // A credit is usdMicrosPerCredit / 10^6 dollars, brought to the rates' scale.
    let unit = UInt128(usdMicrosPerCredit) * power(rates.scale - TokenRates.scaleMinimum)
    let exact = cost.dividedRoundingUp(by: unit)
    return PriceQuote(
      credits: try billed(exact, usage), usd: WideDecimal(cost, scale: rates.scale), usage: usage,
      isFallback: false)
  }

  private func flatQuote(usage: Usage?, at pricing: ServicePricing) throws(CreditError)
    -> PriceQuote
  {
    var credits: Credits = 0
    if case .perRequest(let price) = pricing { credits = price }
    return PriceQuote(credits: credits, usd: nil, usage: usage, isFallback: false)
  }

  private func billed(_ exact: Int64?, _ usage: Usage) throws(CreditError) -> Credits {
    guard let exact else { throw Self.tooLarge }
    return usage.isZero ? 0 : max(exact, minimumCharge)
  }

  private static let tooLarge = CreditError.amountOutOfRange("the price would not fit in 64 bits")

  /// 10^`exponent`; the scale of rates and prices is at most 38.
  private func power(_ exponent: Int) -> UInt128 { UInt128.powerOfTen(exponent) ?? .max }
}
