/// A sum of products of 128-bit numbers, in 256 bits: what an exact price needs between the
/// multiplication of counts by prices and the one division at the end.
struct UInt256: Equatable {
  var high: UInt128
  var low: UInt128

  init(high: UInt128 = 0, _ low: UInt128) {
    self.high = high
    self.low = low
  }

  /// The full product of a count and a price coefficient.
  init(_ count: UInt64, times coefficient: UInt128) {
    if coefficient >> 64 == 0 {
      self.init(UInt128(count) &* coefficient)
    } else {
      let (high, low) = UInt128(count).multipliedFullWidth(by: coefficient)
      self.init(high: high, low)
    }
  }

  /// The sum. Four products of a 63-bit and a 128-bit number can't overflow 256 bits.
  static func + (left: UInt256, right: UInt256) -> UInt256 {
    let (low, carry) = left.low.addingReportingOverflow(right.low)
    return UInt256(high: left.high + right.high + (carry ? 1 : 0), low)
  }

  /// The quotient rounded up, or nil where it doesn't fit in `Int64`.
  func dividedRoundingUp(by divisor: UInt128) -> Int64? {
    guard high < divisor else { return nil }
    let quotient: UInt128
    let remainder: UInt128
    if (high | (low | divisor) >> 64) == 0 {
      // Most costs, by a division that the processor does itself.
      let (small, rest) = UInt64(truncatingIfNeeded: low).quotientAndRemainder(
        dividingBy: UInt64(truncatingIfNeeded: divisor))
      (quotient, remainder) = (UInt128(small), UInt128(rest))
    } else if high == 0 {
      (quotient, remainder) = low.quotientAndRemainder(dividingBy: divisor)
    } else {
      (quotient, remainder) = divisor.dividingFullWidth((high, low))
    }
    guard quotient <= UInt128(Int64.max.magnitude) else { return nil }
    let rounded = Int64(truncatingIfNeeded: quotient)
    if remainder == 0 { return rounded }
    return rounded == .max ? nil : rounded + 1
  }

  /// Divides in place by a small number and returns the remainder.
  mutating func divide(by divisor: UInt128) -> UInt128 {
    let (highQuotient, highRemainder) = high.quotientAndRemainder(dividingBy: divisor)
    let (lowQuotient, remainder) = divisor.dividingFullWidth((highRemainder, low))
    self = UInt256(high: highQuotient, lowQuotient)
    return remainder
  }
}

/// An exact amount of dollars: `coefficient` / 10^`scale`.
package struct WideDecimal: Equatable, Sendable {
  private let high: UInt128
  private let low: UInt128
  private let scale: Int

  init(_ coefficient: UInt256, scale: Int) {
    high = coefficient.high
    low = coefficient.low
    self.scale = scale
  }

  package static let zero = WideDecimal(UInt256(0), scale: 0)

  /// The decimal text: no exponent, no trailing zeros.
  package var text: String { Self.text(of: UInt256(high: high, low), scale: scale) }

  static func text(of coefficient: UInt256, scale: Int) -> String {
    var digits: [UInt8] = []
    digits.reserveCapacity(40)
    if coefficient.high == 0, let small = UInt64(exactly: coefficient.low) {
      var rest = small
      while rest > 0 {
        digits.append(UInt8(48 + rest % 10))
        rest /= 10
      }
    } else {
      var rest = coefficient
      while rest != UInt256(0) { digits.append(48 + UInt8(rest.divide(by: 10))) }
    }
    while digits.count <= scale { digits.append(48) }
    let trailingZeros = digits.prefix(scale).prefix { $0 == 48 }.count
    var text = digits.dropFirst(scale).reversed() as [UInt8]
    if trailingZeros < scale {
      text.append(UInt8(ascii: "."))
      text.append(contentsOf: digits[trailingZeros..<scale].reversed())
    }
    return String(decoding: text, as: UTF8.self)
  }
}
