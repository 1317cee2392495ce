extension DecimalSum {
  static let zero = DecimalSum()

  /// Returns the sum; nil if it takes more than 38 digits.
  func plus(_ other: DecimalSum) -> DecimalSum? {
    var sum = self
    return (try? sum.add(other)) == nil ? nil : sum
  }

  /// The size without the sign.
  var size: DecimalSum { coefficient < 0 ? negated : self }

  /// Returns the exact product; nil if it takes more than 38 digits.
  func times(_ other: DecimalSum) -> DecimalSum? {
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: other.coefficient)
    return overflow ? nil : DecimalSum(coefficient: product, places: places + other.places)
  }

  func times(_ factor: Int64) -> DecimalSum? {
    times(DecimalSum(coefficient: Int128(factor), places: 0))
  }

  /// Returns the number moved right by `count` decimal places: a hundredth for 2.
  func shifted(right count: Int) -> DecimalSum {
    DecimalSum(coefficient: coefficient, places: places + count)
  }

  /// Returns the quotient, rounded half away from 0.
  ///
  /// It has `morePlaces` more decimal places than this number.
  /// - Returns: nil for a divisor of 0, or if the quotient takes more than 38 digits.
  func divided(by divisor: Int64, morePlaces: Int) -> (quotient: DecimalSum, isExact: Bool)? {
    guard divisor != 0, let scaled = coefficient(places: places + morePlaces) else { return nil }
    let (quotient, remainder) = scaled.quotientAndRemainder(dividingBy: Int128(divisor))
    let isHalfOrMore = remainder.magnitude * 2 >= UInt128(divisor.magnitude)
    let isNegative = (scaled < 0) != (divisor < 0)
    let rounded = quotient + (isHalfOrMore && remainder != 0 ? (isNegative ? -1 : 1) : 0)
    return (DecimalSum(coefficient: rounded, places: places + morePlaces), remainder == 0)
  }

  /// Whether this is at most another number; false if the two are too far apart to compare.
  func isAtMost(_ other: DecimalSum) -> Bool {
    guard let difference = plus(other.negated) else { return false }
    return difference.coefficient <= 0
  }

  /// This number in hundredths of another, rounded half up to two places: `3.37`; nil of 0.
  func percent(of whole: DecimalSum) -> String? {
    guard !whole.isZero else { return nil }
    let target = max(places, whole.places)
    guard let part = coefficient(places: target), let all = whole.coefficient(places: target) else {
      return nil
    }
    let (scaled, overflow) = part.multipliedReportingOverflow(by: 10_000)
    if overflow { return nil }
    let (quotient, remainder) = scaled.quotientAndRemainder(dividingBy: all)
    let isHalfOrMore = remainder.magnitude >= all.magnitude - remainder.magnitude
    let isNegative = (scaled < 0) != (all < 0)
    let rounded = quotient + (isHalfOrMore && remainder != 0 ? (isNegative ? -1 : 1) : 0)
    return DecimalSum(coefficient: rounded, places: 2).text
  }

  /// Text for a table: at least two places, and of small amounts their first two digits.
  package var shown: String { rounded.text }
}
