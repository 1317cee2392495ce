/// An exact decimal number that is not negative: `coefficient` / 10^`scale`. Prices stay in this
/// form; nothing is ever converted to floating point.
package struct ExactDecimal: Hashable, Sendable {
  package var coefficient: UInt128 { UInt128(high) << 64 | UInt128(low) }
  /// In halves: memory for a class with a whole one costs three times as much.
  private let high: UInt64
  private let low: UInt64
  /// Digits after the point, 0 to 38.
  package let scale: Int

  /// The most significant digits, and the most digits after the point.
  static let digitLimit = 38

  package init(coefficient: UInt128, scale: Int = 0) {
    var coefficient = coefficient
    var scale = scale
    while scale > 0, coefficient % 10 == 0 {
      coefficient /= 10
      scale -= 1
    }
    high = UInt64(truncatingIfNeeded: coefficient >> 64)
    low = UInt64(truncatingIfNeeded: coefficient)
    self.scale = scale
  }

  package static let zero = ExactDecimal(coefficient: 0)
  package static let one = ExactDecimal(coefficient: 1)

  /// Reads decimal text or the text of a JSON number: `0.003`, `3e-06`, `3750000.5`.
  /// - Returns: nil for a negative or malformed number, or more than 38 digits.
  package init?(text bytes: UnsafeRawBufferPointer) {
    var coefficient: UInt128 = 0
    var fractionDigits = 0
    var digits = 0
    var seesPoint = false
    var index = 0
    scan: while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let (tens, overflow) = coefficient.multipliedReportingOverflow(by: 10)
        let (sum, carry) = tens.addingReportingOverflow(UInt128(byte - 48))
        if overflow || carry { return nil }
        coefficient = sum
        digits += 1
        if seesPoint { fractionDigits += 1 }
      case UInt8(ascii: ".") where !seesPoint && digits > 0:
        seesPoint = true
      case UInt8(ascii: "e") where digits > 0, UInt8(ascii: "E") where digits > 0:
        break scan
      default:
        return nil
      }
      index += 1
    }
    if digits == 0 || (seesPoint && fractionDigits == 0) { return nil }
    guard let exponent = Self.exponent(bytes, from: index) else { return nil }
    self.init(coefficient: coefficient, exponent: exponent - fractionDigits)
  }

  /// Returns the number of digits after the point of a number's text; 0 for one with an exponent.
  package static func writtenPlaces(_ text: UnsafeRawBufferPointer) -> Int {
    guard let point = text.firstIndex(of: UInt8(ascii: ".")) else { return 0 }
    let fraction = text[(point + 1)...]
    return fraction.allSatisfy { (48...57).contains($0) } ? fraction.count : 0
  }

  /// The same, from a string.
  package init?(text: String) {
    var text = text
    let parsed = text.withUTF8 { ExactDecimal(text: UnsafeRawBufferPointer($0)) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Makes `coefficient` × 10^`exponent`; nil if that takes more than 38 digits.
  private init?(coefficient: UInt128, exponent: Int) {
    if coefficient == 0 {
      self = .zero
      return
    }
    var coefficient = coefficient
    var scale = -exponent
    while scale > 0, coefficient % 10 == 0 {
      coefficient /= 10
      scale -= 1
    }
    if scale < 0 {
      guard let power = UInt128.powerOfTen(-scale) else { return nil }
      let (product, overflow) = coefficient.multipliedReportingOverflow(by: power)
      if overflow { return nil }
      coefficient = product
      scale = 0
    }
    guard scale <= Self.digitLimit, coefficient < UInt128.tenToThe38th else { return nil }
    high = UInt64(truncatingIfNeeded: coefficient >> 64)
    low = UInt64(truncatingIfNeeded: coefficient)
    self.scale = scale
  }

  /// Reads the exponent that begins at `start` (`e-06`). Returns 0 if the text has ended, nil if
  /// the exponent is malformed.
  private static func exponent(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    if start == bytes.count { return 0 }
    var index = start + 1
    var isNegative = false
    if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
      isNegative = bytes[index] == UInt8(ascii: "-")
      index += 1
    }
    if index == bytes.count { return nil }
    var value = 0
    while index < bytes.count {
      guard bytes[index] >= 48, bytes[index] <= 57, value < 10_000 else { return nil }
      value = value * 10 + Int(bytes[index] - 48)
      index += 1
    }
    return isNegative ? -value : value
  }

  /// The decimal text: no exponent, no trailing zeros.
  package var text: String {
    UInt256(coefficient).decimalText(scale: scale)
  }

  /// The decimal text with zeros up to a number of places: `9.90`.
  package func text(atLeast places: Int) -> String {
    if places <= scale { return text }
    return text + (scale == 0 ? "." : "") + String(repeating: "0", count: places - scale)
  }

  /// Returns the sum; nil if it takes more than 38 digits.
  package func adding(_ other: ExactDecimal) -> ExactDecimal? {
    let scale = max(scale, other.scale)
    guard let left = coefficient(atScale: scale), let right = other.coefficient(atScale: scale)
    else { return nil }
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow || sum >= .tenToThe38th ? nil : ExactDecimal(coefficient: sum, scale: scale)
  }

  /// Returns the difference. Nil if it is below 0, or the numbers are too far apart in size to
  /// compare.
  func subtracting(_ other: ExactDecimal) -> ExactDecimal? {
    let scale = max(scale, other.scale)
    guard let left = coefficient(atScale: scale), let right = other.coefficient(atScale: scale),
      left >= right
    else { return nil }
    return ExactDecimal(coefficient: left - right, scale: scale)
  }

  /// Returns the product with a number that is not negative. Nil if it takes more than 38 digits.
  func multiplied(by factor: Int64) -> ExactDecimal? {
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: UInt128(factor))
    if overflow || product >= .tenToThe38th { return nil }
    return ExactDecimal(coefficient: product, scale: scale)
  }

  /// Returns the exact product; nil if it takes more than 38 digits.
  package func multiplied(by factor: ExactDecimal) -> ExactDecimal? {
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: factor.coefficient)
    let exact = ExactDecimal(coefficient: product, scale: scale + factor.scale)
    if overflow || product >= .tenToThe38th || exact.scale > Self.digitLimit { return nil }
    return exact
  }

  /// Returns the quotient by a positive number, rounded half up at `places`.
  /// - Returns: nil if the numbers are too large to divide.
  package func dividedHalfUp(by divisor: Int64, places: Int) -> ExactDecimal? {
    guard divisor > 0, let unit = UInt128.powerOfTen(scale),
      let shift = UInt128.powerOfTen(places)
    else { return nil }
    let (whole, overflow) = unit.multipliedReportingOverflow(by: UInt128(divisor))
    let (scaled, scaledOverflow) = coefficient.multipliedReportingOverflow(by: shift)
    if overflow || scaledOverflow { return nil }
    let (quotient, remainder) = scaled.quotientAndRemainder(dividingBy: whole)
    let isHalfOrMore = remainder >= whole - remainder
    return ExactDecimal(coefficient: quotient + (isHalfOrMore ? 1 : 0), scale: places)
  }

  /// Returns the coefficient at a scale that is not smaller; nil if it overflows.
  func coefficient(atScale target: Int) -> UInt128? {
    guard target >= scale, let power = UInt128.powerOfTen(target - scale) else { return nil }
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: power)
    return overflow ? nil : product
  }

  /// This number × 10^-`places`: micro-dollars a million tokens become dollars a token.
  package func shifted(right places: Int) -> ExactDecimal? {
    scale + places <= Self.digitLimit
      ? ExactDecimal(coefficient: coefficient, scale: scale + places) : nil
  }
}

extension ExactDecimal: Comparable {
  package static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
    let scale = max(left.scale, right.scale)
    let (wide, other) = (left.product(scale: scale), right.product(scale: scale))
    return (wide.high, wide.low) < (other.high, other.low)
  }

  /// The coefficient at a larger scale: 10^38 × 10^38 fits in 256 bits.
  private func product(scale: Int) -> (high: UInt128, low: UInt128) {
    coefficient.multipliedFullWidth(by: .powerOfTen(scale - self.scale) ?? 0)
  }
}

extension UInt128 {
  static let tenToThe38th: UInt128 = 100_000_000_000_000_000_000_000_000_000_000_000_000

  /// 10^`exponent`, for 0 to 38.
  static func powerOfTen(_ exponent: Int) -> UInt128? {
    guard (0...38).contains(exponent) else { return nil }
    var power: UInt128 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }
}
