/// Prices that are hardly meant: most often dollars where micro-dollars belong, or the other way
/// round.
extension ExactDecimal {
  /// True if micro-dollars for a million tokens are improbable. They are if above 0 and under
  /// $0.001, or over $10,000.
  package var isImprobablePerMillion: Bool {
    if self == .zero { return false }
    guard let unit = UInt128.powerOfTen(scale) else { return true }
    let micros = coefficient / unit
    return micros < 1_000 || micros > 10_000_000_000
      || micros == 10_000_000_000 && coefficient % unit > 0
  }

  /// Whether a markup is below 0.5 or above 10.
  package var isImprobableMarkup: Bool {
    self < ExactDecimal(coefficient: 5, scale: 1) || self > ExactDecimal(coefficient: 10)
  }

  /// Converts credits a token to micro-dollars for a million tokens; nil if it overflows.
  package func microsPerMillion(at usdMicrosPerCredit: Int64) -> ExactDecimal? {
    let (rate, isTooMuch) = UInt128(usdMicrosPerCredit.magnitude)
      .multipliedReportingOverflow(by: 1_000_000)
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: rate)
    return isTooMuch || overflow ? nil : ExactDecimal(coefficient: product, scale: scale)
  }
}
