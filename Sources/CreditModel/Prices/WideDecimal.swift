/// An exact amount of any size that is not negative, for the costs that 128 bits may not hold:
/// a number / 10^`scale`.
struct WideDecimal {
  /// The number, if `words` is empty.
  private var small: UInt128 = 0
  /// The 64-bit words of a larger number, the lowest first.
  private var words: [UInt64] = []
  private var scale: Int

  static let zero = WideDecimal(0)
  static let one = WideDecimal(1)

  init(_ number: UInt128, scale: Int = 0) {
    small = number
    self.scale = scale
  }

  init(_ decimal: ExactDecimal) { self.init(decimal.coefficient.magnitude, scale: decimal.scale) }

  /// Reads decimal text of any length, as ``text`` writes it.
  init(text: String) {
    self.init(0)
    var isBehindPoint = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: ".") {
        isBehindPoint = true
        continue
      }
      let tens = self * WideDecimal(10, scale: isBehindPoint ? 1 : 0)
      self = tens + WideDecimal(UInt128(byte &- 48), scale: tens.scale)
    }
  }

  private init(words: [UInt64], scale: Int) {
    self.init(0, scale: scale)
    self.words = words
    while self.words.last == 0 { self.words.removeLast() }
    if self.words.count > 2 { return }
    for word in self.words.reversed() { small = small << 64 | UInt128(word) }
    self.words = []
  }

  private var allWords: [UInt64] {
    words.isEmpty
      ? [UInt64(truncatingIfNeeded: small), UInt64(truncatingIfNeeded: small >> 64)] : words
  }

  private func number(atScale target: Int) -> WideDecimal {
    var number = self
    while number.scale < target {
      let places = min(target - number.scale, ExactDecimal.digitLimit)
      let power = Int128.powerOfTen(places)?.magnitude ?? 1
      number = number * WideDecimal(power, scale: places)
    }
    return number
  }

  static func + (left: WideDecimal, right: WideDecimal) -> WideDecimal {
    let scale = max(left.scale, right.scale)
    let (left, right) = (left.number(atScale: scale), right.number(atScale: scale))
    let (small, overflow) = left.small.addingReportingOverflow(right.small)
    if !overflow, left.words.isEmpty, right.words.isEmpty {
      return WideDecimal(small, scale: scale)
    }
    var words = left.allWords
    let others = right.allWords
    words.append(contentsOf: repeatElement(0, count: max(0, others.count - words.count) + 1))
    var carry: UInt128 = 0
    for place in words.indices {
      carry += UInt128(words[place]) + UInt128(place < others.count ? others[place] : 0)
      words[place] = UInt64(truncatingIfNeeded: carry)
      carry >>= 64
    }
    return WideDecimal(words: words, scale: scale)
  }

  static func * (left: WideDecimal, right: WideDecimal) -> WideDecimal {
    let scale = left.scale + right.scale
    let (small, overflow) = left.small.multipliedReportingOverflow(by: right.small)
    if !overflow, left.words.isEmpty, right.words.isEmpty {
      return WideDecimal(small, scale: scale)
    }
    let (factors, others) = (left.allWords, right.allWords)
    var words = [UInt64](repeating: 0, count: factors.count + others.count)
    for (low, factor) in factors.enumerated() {
      var carry: UInt64 = 0
      for (high, other) in others.enumerated() {
        let sum = UInt128(factor) * UInt128(other) + UInt128(words[low + high]) + UInt128(carry)
        words[low + high] = UInt64(truncatingIfNeeded: sum)
        carry = UInt64(truncatingIfNeeded: sum >> 64)
      }
      words[low + others.count] = carry
    }
    return WideDecimal(words: words, scale: scale)
  }

  static func * (left: WideDecimal, right: ExactDecimal) -> WideDecimal {
    left * WideDecimal(right)
  }

  /// Returns the text of this number less another, with a minus sign if it is negative.
  func text(minus other: WideDecimal) -> String {
    let scale = max(scale, other.scale)
    var words = number(atScale: scale).allWords
    var others = other.number(atScale: scale).allWords
    others.append(contentsOf: repeatElement(0, count: max(0, words.count - others.count)))
    words.append(contentsOf: repeatElement(0, count: max(0, others.count - words.count)))
    var borrowed: UInt64 = 0
    for place in words.indices {
      let (rest, isBelow) = words[place].subtractingReportingOverflow(others[place])
      let (word, isBelowNow) = rest.subtractingReportingOverflow(borrowed)
      words[place] = word
      borrowed = isBelow || isBelowNow ? 1 : 0
    }
    if borrowed > 0 { return "-" + other.text(minus: self) }
    return WideDecimal(words: words, scale: scale).text
  }

  /// Divides in place by a number above 0.
  /// - Returns: the remainder.
  private mutating func divide(by divisor: UInt64) -> UInt64 {
    if words.isEmpty {
      let (quotient, rest) = small.quotientAndRemainder(dividingBy: UInt128(divisor))
      small = quotient
      return UInt64(truncatingIfNeeded: rest)
    }
    var remainder: UInt64 = 0
    for place in words.indices.reversed() {
      (words[place], remainder) = divisor.dividingFullWidth((remainder, words[place]))
    }
    self = WideDecimal(words: words, scale: scale)
    return remainder
  }

  var isZero: Bool { words.isEmpty && small == 0 }

  /// Returns this as units of `divisor` millionths, rounded up. Nil if that doesn't fit in `Int64`.
  func dividedRoundingUp(byMillionths divisor: Int64) -> Int64? {
    var quotient = number(atScale: 6)
    var isWhole = quotient.divide(by: divisor.magnitude) == 0
    for _ in 0..<(quotient.scale - 6) where quotient.divide(by: 10) != 0 { isWhole = false }
    guard quotient.words.isEmpty, let floor = Int64(exactly: quotient.small) else { return nil }
    return isWhole ? floor : floor == .max ? nil : floor + 1
  }

  /// Returns this in parts of 10^-`places`, rounded down. Nil if that doesn't fit in `Int128`.
  func parts(atScale places: Int) -> Int128? {
    var number = number(atScale: places)
    for _ in 0..<(number.scale - places) { _ = number.divide(by: 10) }
    return number.words.isEmpty ? Int128(exactly: number.small) : nil
  }

  /// The decimal text: no exponent, no trailing zeros.
  var text: String {
    guard words.isEmpty, small < 1_000_000_000_000_000_000, scale < 18 else {
      var text = fullText
      if scale > 0 {
        while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
        if text.utf8.last == UInt8(ascii: ".") { text.removeLast() }
      }
      return text
    }
    return DecimalDigits.text(UInt64(small), scale: scale)
  }

  var fullText: String {
    var digits: [UInt8] = []
    var rest = self
    while !rest.isZero || digits.count <= scale {
      if scale > 0, digits.count == scale { digits.append(UInt8(ascii: ".")) }
      digits.append(UInt8(rest.divide(by: 10)) + UInt8(ascii: "0"))
    }
    return String(decoding: digits.reversed(), as: UTF8.self)
  }
}

extension UInt128 {
  /// Returns the quotient rounded up; nil if it doesn't fit in `Int64`.
  func dividedRoundingUp(by divisor: UInt128) -> Int64? {
    let quotient: UInt128
    let remainder: UInt128
    if (self | divisor) >> 64 == 0 {
      // Most costs, by a division that the processor does itself.
      let (small, rest) = UInt64(truncatingIfNeeded: self).quotientAndRemainder(
        dividingBy: UInt64(truncatingIfNeeded: divisor))
      (quotient, remainder) = (UInt128(small), UInt128(rest))
    } else {
      (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    }
    guard let floor = Int64(exactly: quotient) else { return nil }
    return remainder == 0 ? floor : floor == .max ? nil : floor + 1
  }
}

public enum DecimalDigits {
  /// Returns the text of a number of at most 18 digits over 10^`scale`, which is below 18: no
  /// exponent, no trailing zeros.
  static func text(_ number: UInt64, scale: Int) -> String {
    var (digits, scale) = (number, scale)
    // Prices are given in millionths, and mostly whole.
    if scale >= 6, digits % 1_000_000 == 0 {
      digits /= 1_000_000
      scale -= 6
    }
    while scale > 0, digits % 10 == 0 {
      digits /= 10
      scale -= 1
    }
    var power: UInt64 = 1
    for _ in 0..<scale { power *= 10 }
    let (whole, fraction) = digits.quotientAndRemainder(dividingBy: power)
    let point = JSONDigits.digitCount(whole)
    return String(count: scale > 0 ? point + 1 + scale : point) { text in
      if scale > 0 {
        // The point takes the place of a 1 before the fraction, which keeps the fraction's zeros.
        _ = JSONDigits.write(power + fraction, to: text, at: point)
        text[point] = UInt8(ascii: ".")
      }
      _ = JSONDigits.write(whole, to: text, at: 0)
    }
  }

  /// Returns true if ``text(_:scale:)`` would write this text, however long.
  public static func isWritten(_ text: Bytes) -> Bool {
    var point: Int?
    for place in 0..<text.count where text[place] &- UInt8(ascii: "0") > 9 {
      if text[place] != UInt8(ascii: ".") || point != nil { return false }
      point = place
    }
    let whole = point ?? text.count
    if whole == 0 || whole > 1 && text[0] == UInt8(ascii: "0") { return false }
    return point == nil || whole < text.count - 1 && text[text.count - 1] != UInt8(ascii: "0")
  }
}
