package import CreditModel

/// A model of another program's file, or one of its prices where they have dates.
package struct ImportedModel: Sendable {
  package let id: Name
  let aliases: [Name]
  /// When the price came into force; nil where it holds since ever.
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
  /// What it sells for, in the digits of the file.
  let price: String?
}

extension ExactDecimal {
  /// The nearest whole number, of two the greater; nil where that is beyond Int64.
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

  /// The product; nil where it has more than 38 digits.
  func times(_ factor: ExactDecimal) -> ExactDecimal? {
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: factor.coefficient)
    return overflow || scale + factor.scale > 38
      ? nil : ExactDecimal(coefficient: product, scale: scale + factor.scale)
  }

  /// The quotient by a number above 0; nil where no decimal of 38 digits is it.
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
