package import CreditModel

/// A model of another program's file.
package struct ImportedModel: Sendable {
  package let id: Name
  /// The prices below every tier.
  let base: ImportedPrices
  /// The prices above so many tokens of input, lowest first.
  let tiers: [(above: Int64, prices: ImportedPrices)]

  /// The most tiers that a catalog keeps.
  private static let tierLimit = 16

  /// - Returns: nil where there are more digits or tiers than a catalog keeps.
  init?(id: Name, base: ImportedPrices, tiers: [(above: Int64, prices: ImportedPrices)] = []) {
    let rates = TokenRates(
      base: base.tier(above: 0), tiers: tiers.map { $0.prices.tier(above: $0.above) })
    guard rates != nil, tiers.count <= Self.tierLimit,
      ([base] + tiers.map(\.prices)).allSatisfy(\.isWritable)
    else { return nil }
    self.id = id
    self.base = base
    self.tiers = tiers
  }
}

/// Prices in micro-dollars a million tokens, the unit of catalogs. A cache price that the file doesn't
/// give stays absent; one of 0 is 0.
struct ImportedPrices {
  var input: ExactDecimal
  var output: ExactDecimal
  var cacheRead: ExactDecimal?
  var cacheWrite: ExactDecimal?

  fileprivate func tier(above: Int64) -> TokenRates.Tier {
    func perToken(_ price: ExactDecimal) -> ExactDecimal {
      price.dollarsPerToken ?? ExactDecimal(coefficient: .max, scale: 38)
    }
    return TokenRates.Tier(
      aboveInputTokens: above, input: perToken(input), output: perToken(output),
      cacheRead: perToken(cacheRead ?? input), cacheWrite: perToken(cacheWrite ?? input))
  }

  /// Whether a catalog takes these prices.
  fileprivate var isWritable: Bool {
    [input, output, cacheRead ?? .zero, cacheWrite ?? .zero].allSatisfy {
      $0.dollarsPerToken != nil
    }
  }
}

/// A product of a StoreKit configuration, with what it grants.
package struct ImportedProduct: Sendable {
  package let id: Name
  let name: String
  let description: String?
  let credits: Credits
  /// What it sells for, in the digits of the file.
  let price: String?
}

extension ExactDecimal {
  /// This number × 10^`places`; nil where that has more than 38 digits.
  func shifted(left places: Int) -> ExactDecimal? {
    if scale >= places { return ExactDecimal(coefficient: coefficient, scale: scale - places) }
    var digits = coefficient
    for _ in 0..<(places - scale) {
      let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      digits = product
    }
    return ExactDecimal(coefficient: digits)
  }
}
