/// A natural number of any size, for the few costs beyond 256 bits.
struct WideNumber: Equatable {
  /// The lowest 64 bits first; no zeros at the end.
  private var words: [UInt64]

  private init(words: [UInt64]) {
    self.words = words
    while self.words.last == 0 { self.words.removeLast() }
  }

  init(_ number: UInt256) {
    self.init(words: Self.words(of: number.low) + Self.words(of: number.high))
  }

  private static func words(of number: UInt128) -> [UInt64] {
    [UInt64(truncatingIfNeeded: number), UInt64(truncatingIfNeeded: number >> 64)]
  }

  var isZero: Bool { words.isEmpty }

  /// The number; nil if it doesn't fit.
  var uint64: UInt64? { words.count > 1 ? nil : words.first ?? 0 }

  static func + (left: WideNumber, right: WideNumber) -> WideNumber {
    var words = left.words
    words.append(contentsOf: repeatElement(0, count: max(0, right.words.count - words.count) + 1))
    var carry: UInt64 = 0
    for place in words.indices {
      let sum = UInt128(words[place]) + UInt128(place < right.words.count ? right.words[place] : 0)
      words[place] = UInt64(truncatingIfNeeded: sum + UInt128(carry))
      carry = UInt64(truncatingIfNeeded: (sum + UInt128(carry)) >> 64)
    }
    return WideNumber(words: words)
  }

  static func * (left: WideNumber, right: WideNumber) -> WideNumber {
    var words = [UInt64](repeating: 0, count: left.words.count + right.words.count)
    for (low, factor) in left.words.enumerated() {
      var carry: UInt64 = 0
      for (high, other) in right.words.enumerated() {
        let sum = UInt128(factor) * UInt128(other) + UInt128(words[low + high]) + UInt128(carry)
        words[low + high] = UInt64(truncatingIfNeeded: sum)
        carry = UInt64(truncatingIfNeeded: sum >> 64)
      }
      words[low + right.words.count] = carry
    }
    return WideNumber(words: words)
  }

  /// Divides in place by a number above 0.
  /// - Returns: the remainder.
  mutating func divide(by divisor: UInt64) -> UInt64 {
    var remainder: UInt64 = 0
    for place in words.indices.reversed() {
      (words[place], remainder) = divisor.dividingFullWidth((remainder, words[place]))
    }
    while words.last == 0 { words.removeLast() }
    return remainder
  }

  static func powerOfTen(_ exponent: Int) -> WideNumber {
    var power = WideNumber(words: [1])
    for _ in 0..<exponent { power = power * WideNumber(words: [10]) }
    return power
  }

  /// The decimal text of this over 10^`scale`: no exponent, no trailing zeros.
  func decimalText(scale: Int) -> String {
    var digits: [UInt8] = []
    var rest = self
    while !rest.isZero || digits.count <= scale { digits.append(UInt8(rest.divide(by: 10))) }
    return digits.withUnsafeBufferPointer { DecimalDigits.text($0, scale: scale) }
  }
}

/// An exact amount of any size: `number` / 10^`scale`.
struct WideDecimal {
  private var number: WideNumber
  private var scale: Int

  private init(_ number: WideNumber, scale: Int) {
    self.number = number
    self.scale = scale
  }

  init(_ number: UInt256, scale: Int) {
    self.init(WideNumber(number), scale: scale)
  }

  init(_ decimal: ExactDecimal) {
    self.init(UInt256(decimal.coefficient), scale: decimal.scale)
  }

  static let one = WideDecimal(.one)

  static func + (left: WideDecimal, right: WideDecimal) -> WideDecimal {
    let scale = max(left.scale, right.scale)
    return WideDecimal(left.number(atScale: scale) + right.number(atScale: scale), scale: scale)
  }

  static func * (left: WideDecimal, right: ExactDecimal) -> WideDecimal {
    left * WideDecimal(right)
  }

  static func * (left: WideDecimal, right: WideDecimal) -> WideDecimal {
    WideDecimal(left.number * right.number, scale: left.scale + right.scale)
  }

  private func number(atScale target: Int) -> WideNumber {
    target == scale ? number : number * .powerOfTen(target - scale)
  }

  var isZero: Bool { number.isZero }

  /// The decimal text: no exponent, no trailing zeros.
  var text: String { number.decimalText(scale: scale) }

  /// Returns this as units of `divisor` millionths, rounded up. Nil if that doesn't fit in `Int64`.
  func dividedRoundingUp(byMillionths divisor: Int64) -> Int64? {
    var quotient = number(atScale: max(scale, 6))
    var isWhole = quotient.divide(by: divisor.magnitude) == 0
    for _ in 0..<max(0, scale - 6) where quotient.divide(by: 10) != 0 { isWhole = false }
    guard let floor = quotient.uint64.flatMap(Int64.init(exactly:)) else { return nil }
    return isWhole ? floor : floor == .max ? nil : floor + 1
  }
}

/// A sum of products of 128-bit numbers, in 256 bits: an exact price between the multiplication of
/// counts by prices and the final division.
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

  /// Returns the quotient rounded up; nil if it doesn't fit in `Int64`.
  func dividedRoundingUp(by divisor: UInt128) -> Int64? {
    guard high < divisor else { return nil }
    let quotient: UInt128
    let remainder: UInt128
    if (high | (low | divisor) >> 64) == 0 {
      // Most costs, by a division that the processor has.
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

  /// The decimal text of this over 10^`scale`: no exponent, no trailing zeros.
  func decimalText(scale: Int) -> String {
    guard high == 0, low < 1_000_000_000_000_000_000, scale < 18 else {
      return WideNumber(self).decimalText(scale: scale)
    }
    // A string made in place would need memory of its own, even if short.
    let limit = DecimalDigits.shortLimit
    return withUnsafeTemporaryAllocation(byteCount: limit, alignment: 8) { text in
      let count = DecimalDigits.write(UInt64(low), scale: scale, to: text)
      return String(decoding: text[..<count], as: UTF8.self)
    }
  }
}

/// The digits of a decimal number, the last one first.
package enum DecimalDigits {
  /// The most bytes that ``write(_:scale:to:)`` writes.
  package static let shortLimit = 20

  /// Writes the decimal text of a number of at most 18 digits over 10^`scale`. The scale is below
  /// 18.
  ///
  /// It has no exponent and no trailing zeros. Each digit is written once, the last one first, to
  /// its final place.
  /// - Parameter text: has room for ``shortLimit`` bytes.
  /// - Returns: the number of bytes written.
  package static func write(
    _ number: UInt64, scale: Int, to text: UnsafeMutableRawBufferPointer
  ) -> Int {
    var (rest, scale) = (number, scale)
    // Prices are given in millionths, and mostly whole.
    if scale >= 6, rest % 1_000_000 == 0 {
      rest /= 1_000_000
      scale -= 6
    }
    while scale > 0, rest % 10 == 0 {
      rest /= 10
      scale -= 1
    }
    var digitCount = 1
    var power: UInt64 = 10
    while digitCount <= scale || rest >= power {
      power *= 10
      digitCount += 1
    }
    let count = scale > 0 ? digitCount + 1 : digitCount
    let point = scale > 0 ? digitCount - scale : -1
    var place = count
    while place > 0 {
      place &-= 1
      if place == point {
        text[place] = UInt8(ascii: ".")
      } else {
        let tens = rest / 10
        text[place] = UInt8(truncatingIfNeeded: rest &- tens &* 10 &+ 48)
        rest = tens
      }
    }
    return count
  }

  /// Returns true if ``text(_:scale:)`` writes this text: no exponent, no needless zeros.
  package static func isWritten(_ text: UnsafeRawBufferPointer) -> Bool {
    var point: Int?
    for place in 0..<text.count where text[place] &- UInt8(ascii: "0") > 9 {
      if text[place] != UInt8(ascii: ".") || point != nil { return false }
      point = place
    }
    let whole = point ?? text.count
    if whole == 0 || whole > 1 && text[0] == UInt8(ascii: "0") { return false }
    return point == nil || whole < text.count - 1 && text[text.count - 1] != UInt8(ascii: "0")
  }

  /// Returns the text of digits, `scale` of which are after the point, and fewer than all.
  static func text(_ digits: UnsafeBufferPointer<UInt8>, scale: Int) -> String {
    var last = 0
    while last < scale, digits[last] == 0 { last += 1 }
    let point = scale > last ? 1 : 0
    return String(unsafeUninitializedCapacity: digits.count - last + point) { text in
      var end = 0
      for place in stride(from: digits.count - 1, through: last, by: -1) {
        text[end] = UInt8(ascii: "0") + digits[place]
        end += 1
        if place == scale, point == 1 {
          text[end] = UInt8(ascii: ".")
          end += 1
        }
      }
      return end
    }
  }
}
