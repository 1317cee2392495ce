/// The price of one model or service.
///
/// The forms come from the products that bill with these tools: dollars or credits a token
/// (Murmur), credits a unit such as a second (Echo), credits a request such as a check or an image.
package enum ServicePricing: Equatable, Sendable {
  /// Dollars a token, to be turned into credits by the policy's exchange rate.
  case dollars(TokenRates)
  /// Credits a token.
  case credits(TokenRates)
  case perUnit(ExactDecimal)
  /// The same for every request, whatever its usage.
  case perRequest(Credits)
  case free
  /// The cost that the provider reports, in dollars.
  case reportedCost

  /// Whether the price depends on usage at all.
  package var needsUsage: Bool {
    switch self {
    case .dollars, .credits, .perUnit: true
    case .perRequest, .free, .reportedCost: false
    }
  }
}
