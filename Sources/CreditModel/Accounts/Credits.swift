/// An amount of credits: a whole number, never a fraction. Balances and history lines are signed.
public typealias Credits = Int64

extension Int64 {
  /// The most credits of one grant: 2⁵³, so that every reader of the JSON sees the exact number.
  public static let largestGrant: Credits = 1 << 53

  /// Returns the sum.
  /// - Throws: `amount_out_of_range` if it doesn't fit in 64 bits.
  func adding(_ other: Credits) throws(CreditError) -> Credits {
    let (sum, overflow) = addingReportingOverflow(other)
    if overflow { throw .amountOutOfRange("the balance would not fit in 64 bits") }
    return sum
  }

  /// Returns the difference; the least is `-Int64.max`, so that every debt is a positive amount
  /// too.
  /// - Throws: `amount_out_of_range` if it doesn't fit in 64 bits.
  func subtracting(_ other: Credits) throws(CreditError) -> Credits {
    let (difference, overflow) = subtractingReportingOverflow(other)
    if overflow || difference == .min {
      throw .amountOutOfRange("the balance would not fit in 64 bits")
    }
    return difference
  }
}

extension FixedWidthInteger {
  /// Returns the sum, or the nearest number if it does not fit: for display, and for bounds.
  public func addingSaturating(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference, or the nearest number if it does not fit.
  func subtractingSaturating(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
