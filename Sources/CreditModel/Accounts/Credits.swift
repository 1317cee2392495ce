/// An amount of credits: a whole number, never a fraction. Balances and history lines are signed.
package typealias Credits = Int64

extension Int64 {
  /// The most that one grant may add: 2⁵³, so that every reader of the JSON sees the exact number.
  package static let largestGrant: Credits = 1 << 53

  /// The sum.
  /// - Throws: `amount_out_of_range` where it doesn't fit in 64 bits.
  func adding(_ other: Credits) throws(CreditError) -> Credits {
    let (sum, overflow) = addingReportingOverflow(other)
    if overflow { throw .amountOutOfRange("the balance would not fit in 64 bits") }
    return sum
  }

  /// The difference; the least is `-Int64.max`, so that every debt is a positive amount too.
  /// - Throws: `amount_out_of_range` where it doesn't fit in 64 bits.
  func subtracting(_ other: Credits) throws(CreditError) -> Credits {
    let (difference, overflow) = subtractingReportingOverflow(other)
    if overflow || difference == .min {
      throw .amountOutOfRange("the balance would not fit in 64 bits")
    }
    return difference
  }
}

extension FixedWidthInteger {
  /// The sum, or the nearest number that there is where it does not fit: for what is shown, and for
  /// bounds, which are then as good as without end.
  package func addingSaturating(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, or the nearest number that there is where it does not fit.
  func subtractingSaturating(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
