/// A whole number of any size that is not negative, for the few costs that 256 bits may not hold.
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

  /// The number itself; nil if it doesn't fit.
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

  /// 10^`exponent`.
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
