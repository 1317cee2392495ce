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
    guard let given = base.given, tiers.count <= Self.tierLimit else { return nil }
    var givenTiers: [PriceTier] = []
    for tier in tiers {
      guard let prices = tier.prices.given else { return nil }
      givenTiers.append(PriceTier(aboveInputTokens: tier.above, prices: prices))
    }
    guard TokenRates(base: given, tiers: givenTiers) != nil else { return nil }
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

  /// The prices as a catalog reads them; nil where it doesn't take one.
  fileprivate var given: GivenPrices? {
    var given = GivenPrices()
    let all: [(UsageCount, ExactDecimal?)] = [
      (.inputTokens, input), (.outputTokens, output), (.cacheReadTokens, cacheRead),
      (.cacheWriteTokens, cacheWrite),
    ]
    for (count, price) in all {
      guard let price else { continue }
      guard let dollars = price.dollarsPerToken else { return nil }
      given[count] = dollars
    }
    return given
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
