package import CreditModel

/// A model of another program's file, or one of its prices where they have dates.
package struct ImportedModel: Sendable {
  package let id: Name
  let aliases: [Name]
  /// The time when the price came into force; nil if it always held.
  let from: Timestamp?
  let prices: ImportedPrices

  init(id: Name, aliases: [Name] = [], from: Timestamp? = nil, prices: ImportedPrices) {
    self.id = id
    self.aliases = aliases
    self.from = from
    self.prices = prices
  }
}

/// A product of a StoreKit configuration, with what it grants.
package struct ImportedProduct: Sendable {
  package let id: Name
  let name: String
  let description: String?
  let credits: Credits
  /// The selling price, in the digits of the file.
  let price: String?
}

extension ExactDecimal {
  /// The nearest whole number, halves rounded up; nil if it is beyond Int64.
  var roundedHalfUp: Int64? {
    var unit: UInt128 = 1
    for _ in 0..<scale {
      let (product, overflow) = unit.multipliedReportingOverflow(by: 10)
      if overflow { return 0 }
      unit = product
    }
    let (quotient, rest) = coefficient.quotientAndRemainder(dividingBy: unit)
    return Int64(exactly: quotient + (rest >= unit - rest ? 1 : 0))
  }

  /// Returns this number × 10^`places`; nil if that has more than 38 digits.
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

  /// Returns the product; nil if it has more than 38 digits.
  func times(_ factor: ExactDecimal) -> ExactDecimal? {
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: factor.coefficient)
    return overflow || scale + factor.scale > 38
      ? nil : ExactDecimal(coefficient: product, scale: scale + factor.scale)
  }

  /// Returns the quotient by a number above 0. Nil if it is not a decimal of at most 38 digits.
  func divided(by divisor: ExactDecimal) -> ExactDecimal? {
    guard divisor.coefficient > 0 else { return nil }
    var digits = coefficient
    var scale = scale - divisor.scale
    while digits % divisor.coefficient != 0 || scale < 0 {
      let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
      if overflow || scale == 38 { return nil }
      digits = product
      scale += 1
    }
    return ExactDecimal(coefficient: digits / divisor.coefficient, scale: scale)
  }
}
