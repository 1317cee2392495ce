/// An exact decimal number, `coefficient` / 10^`scale`. Nothing becomes floating point.
///
/// A price has no zeros at the end of its fraction. An amount of money keeps those that were
/// written, and a sum has the places of its most exact part: `9.90` and `0.10` are `10.00`.
public struct ExactDecimal: Sendable {
  public var coefficient: Int128 { Int128(high) << 64 | Int128(low) }
  /// In halves: memory for a class with a whole one costs three times as much.
  private let high: Int64
  private let low: UInt64
  /// Digits after the point.
  public let scale: Int

  /// The most significant digits, and the most digits after the point of a price.
  static let digitLimit = 38

  /// Makes an amount with all its places.
  public init(_ coefficient: Int128, places: Int) {
    high = Int64(truncatingIfNeeded: coefficient >> 64)
    low = UInt64(truncatingIfNeeded: coefficient)
    scale = places
  }

  /// Makes a price, without zeros at the end of a fraction.
  public init(coefficient: Int128, scale: Int = 0) {
    self = ExactDecimal(coefficient, places: scale).reduced(atLeast: 0)
  }

  public static let zero = ExactDecimal(0, places: 0)
  public static let one = ExactDecimal(1, places: 0)

  // MARK: Text

  /// Reads decimal text or the text of a JSON number: `0.003`, `3e-06`, `3750000.5`.
  /// - Returns: nil for a negative or malformed number, or more than 38 digits.
  public init?(text bytes: Bytes) {
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
      case UInt8(ascii: ".") where !seesPoint && digits > 0: seesPoint = true
      case UInt8(ascii: "e") where digits > 0, UInt8(ascii: "E") where digits > 0: break scan
      default: return nil
      }
      index += 1
    }
    if digits == 0 || (seesPoint && fractionDigits == 0) { return nil }
    guard let exponent = Self.exponent(bytes, from: index) else { return nil }
    self.init(coefficient, exponent: exponent - fractionDigits)
  }

  public init?(text: String) {
    guard let parsed = text.withUTF8Bytes({ ExactDecimal(text: $0) }) else { return nil }
    self = parsed
  }

  /// Reads an amount, which may be negative, with all its places: `-0.50`, `3e-06`.
  /// - Returns: nil for a malformed number, or more than 38 digits.
  public init?(amount bytes: Bytes) {
    let isNegative = bytes.first == UInt8(ascii: "-")
    let digits = Bytes(rebasing: bytes.dropFirst(isNegative ? 1 : 0))
    guard let number = ExactDecimal(text: digits) else { return nil }
    let places = max(number.scale, Self.writtenPlaces(digits))
    let written = number.coefficient(atScale: places).map { ExactDecimal($0, places: places) }
    self = isNegative ? (written ?? number).negated : written ?? number
  }

  /// Returns the number of digits after the point of a number's text; 0 for one with an exponent.
  public static func writtenPlaces(_ text: Bytes) -> Int {
    guard let point = text.firstIndex(of: UInt8(ascii: ".")) else { return 0 }
    let fraction = text[(point + 1)...]
    return fraction.allSatisfy { (48...57).contains($0) } ? fraction.count : 0
  }

  /// Makes `coefficient` × 10^`exponent`; nil if that takes more than 38 digits.
  private init?(_ coefficient: UInt128, exponent: Int) {
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
      guard let power = Int128.powerOfTen(-scale) else { return nil }
      let (product, overflow) = coefficient.multipliedReportingOverflow(by: power.magnitude)
      if overflow { return nil }
      coefficient = product
      scale = 0
    }
    guard scale <= Self.digitLimit, coefficient < Int128.tenToThe38th.magnitude else { return nil }
    self.init(Int128(coefficient), places: scale)
  }

  /// Reads the exponent that begins at `start` (`e-06`). Returns 0 if the text has ended, nil if
  /// the exponent is malformed.
  private static func exponent(_ bytes: Bytes, from start: Int) -> Int? {
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
  public var text: String { text(atLeast: 0) }

  /// The text with all its places: `499.50`.
  public var fullText: String {
    let text = WideDecimal(coefficient.magnitude, scale: scale).fullText
    return coefficient < 0 ? "-" + text : text
  }

  /// Returns the text with at least `places` places, and no zeros behind them: `9.90`.
  public func text(atLeast places: Int) -> String {
    let short = reduced(atLeast: places)
    let missing = places - short.scale
    if missing <= 0 { return short.fullText }
    return short.fullText + (short.scale == 0 ? "." : "") + String(repeating: "0", count: missing)
  }

  // MARK: Arithmetic

  public var isZero: Bool { high == 0 && low == 0 }

  public var negated: ExactDecimal { ExactDecimal(0 &- coefficient, places: scale) }

  public var size: ExactDecimal { high < 0 ? negated : self }

  /// The number, if it is whole and fits in 64 bits.
  public var whole: Int64? {
    let short = reduced(atLeast: 0)
    return short.scale == 0 ? Int64(exactly: short.coefficient) : nil
  }

  /// Returns the number without zeros at the end of its fraction, but with at least some places.
  private func reduced(atLeast places: Int) -> ExactDecimal {
    if scale <= places { return self }
    var (coefficient, scale) = (coefficient, scale)
    while scale > places, coefficient % 10 == 0 {
      coefficient /= 10
      scale -= 1
    }
    return ExactDecimal(coefficient, places: scale)
  }

  /// Returns the coefficient at a scale that is not smaller; nil if it overflows.
  public func coefficient(atScale target: Int) -> Int128? {
    guard let magnitude = magnitude(atScale: target), let value = Int128(exactly: magnitude)
    else { return nil }
    return coefficient < 0 ? -value : value
  }

  /// Returns the absolute value times 10^`target`; nil if that is no integer, or too large.
  func magnitude(atScale target: Int) -> UInt128? {
    if target < scale { return nil }
    if target == scale || isZero { return coefficient.magnitude }
    guard let power = Int128.powerOfTen(target - scale) else { return nil }
    let (product, overflow) = coefficient.magnitude.multipliedReportingOverflow(by: power.magnitude)
    return overflow ? nil : product
  }

  /// Returns the sum; nil if it takes more than 38 digits.
  public func adding(_ other: ExactDecimal) -> ExactDecimal? {
    let scale = max(scale, other.scale)
    guard let left = coefficient(atScale: scale), let right = other.coefficient(atScale: scale)
    else { return nil }
    let (sum, overflow) = left.addingReportingOverflow(right)
    let isLong = overflow || sum.magnitude >= Int128.tenToThe38th.magnitude
    return isLong ? nil : ExactDecimal(sum, places: scale)
  }

  /// - Throws: ``CreditError`` if the sum takes more than 38 digits.
  public mutating func add(_ other: ExactDecimal) throws(CreditError) {
    guard let sum = adding(other) else {
      throw CreditError(.amountOutOfRange, "a sum has more than 38 digits")
    }
    self = sum
  }

  /// Returns the difference. Nil if it is below 0, or the numbers are too far apart in size to
  /// compare.
  func subtracting(_ other: ExactDecimal) -> ExactDecimal? {
    adding(other.negated).flatMap { $0.high < 0 ? nil : $0 }
  }

  /// Returns the exact product with all its places; nil if it takes more than 38 digits.
  public func times(_ factor: ExactDecimal) -> ExactDecimal? {
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: factor.coefficient)
    let isLong = overflow || product.magnitude >= Int128.tenToThe38th.magnitude
    return isLong ? nil : ExactDecimal(product, places: scale + factor.scale)
  }

  public func times(_ factor: Int64) -> ExactDecimal? {
    times(ExactDecimal(Int128(factor), places: 0))
  }

  /// Returns the exact product of prices; nil if it takes more than 38 digits.
  public func multiplied(by factor: ExactDecimal) -> ExactDecimal? {
    guard let exact = times(factor)?.reduced(atLeast: 0) else { return nil }
    return exact.scale > Self.digitLimit ? nil : exact
  }

  /// Returns the quotient, rounded half away from 0.
  ///
  /// It has `morePlaces` more places than this number.
  /// - Returns: nil for a divisor of 0, or if the quotient takes more than 38 digits.
  public func divided(
    by divisor: Int64, morePlaces: Int
  ) -> (quotient: ExactDecimal, isExact: Bool)? {
    guard divisor != 0, let scaled = coefficient(atScale: scale + morePlaces) else { return nil }
    let divisor = Int128(divisor)
    let quotient = scaled.divided(halfAwayFromZeroBy: divisor)
    return (ExactDecimal(quotient, places: scale + morePlaces), scaled % divisor == 0)
  }

  /// Returns the quotient of prices, by one above 0. Nil if it takes more than 38 digits.
  public func divided(by divisor: ExactDecimal) -> ExactDecimal? {
    guard divisor.coefficient > 0 else { return nil }
    var digits = coefficient
    var scale = scale - divisor.scale
    while digits % divisor.coefficient != 0 || scale < 0 {
      let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
      if overflow || scale == Self.digitLimit { return nil }
      digits = product
      scale += 1
    }
    return ExactDecimal(coefficient: digits / divisor.coefficient, scale: scale)
  }

  /// Rounds the exact value once to at most these places, half away from 0.
  public func rounded(places target: Int) -> ExactDecimal {
    if scale <= target { return self }
    // A coefficient has less than 40 digits.
    guard let unit = Int128.powerOfTen(scale - target) else {
      return ExactDecimal(0, places: target)
    }
    return ExactDecimal(coefficient.divided(halfAwayFromZeroBy: unit), places: target)
  }

  /// Rounds the exact value once to at most these places; a half goes to the even digit.
  public func roundedHalfToEven(places target: Int) -> ExactDecimal {
    let rounded = rounded(places: target)
    guard scale > target, let unit = Int128.powerOfTen(scale - target),
      coefficient % unit == (coefficient < 0 ? -unit : unit) / 2,
      let digits = rounded.coefficient(atScale: target), digits % 2 != 0
    else { return rounded }
    return ExactDecimal(digits - (digits < 0 ? -1 : 1), places: target)
  }

  /// Returns the end of a message about a text that is almost a price: `$1.99`, `1,99`, `-1`.
  public static func advice(on text: String) -> String {
    let bare = text.filter { !"$€£¥ +".contains($0) }
    if text.utf8.count > 40 || bare == text && ExactDecimal(text: text) != nil { return "" }
    if bare.hasPrefix("-") { return "; it must not be negative" }
    if bare.hasSuffix("%") { return "; it is an amount, not a share" }
    let parts = bare.split(separator: ",", omittingEmptySubsequences: false)
    // A comma before one or two digits is a decimal point, and before three it may be one.
    var meant = [parts.joined()]
    if parts.count == 2, parts[1].utf8.count < 3 || !bare.contains(".") {
      let amount = "\(parts[0].filter { $0 != "." }).\(parts[1])"
      meant = parts[1].utf8.count == 3 && parts[0] != "0" ? meant + [amount] : [amount]
    }
    meant = meant.map { $0.hasPrefix(".") ? "0" + $0 : $0 }.filter { ExactDecimal(text: $0) != nil }
    return meant.isEmpty ? "" : "; did you mean \(meant.joined(separator: " or "))?"
  }

  /// The least whole number that is no less; nil if it is beyond Int64.
  public var roundedUp: Int64? {
    let nearest = rounded(places: 0)
    return Int64(exactly: nearest.coefficient + (nearest < self ? 1 : 0))
  }

  /// Returns this price × 10^-`places`: micro-dollars a million tokens become dollars a token.
  public func shifted(right places: Int) -> ExactDecimal? {
    scale + places <= Self.digitLimit
      ? ExactDecimal(coefficient: coefficient, scale: scale + places) : nil
  }

  /// Returns this amount × 10^-`places`, with all its places.
  public func moved(right places: Int) -> ExactDecimal {
    ExactDecimal(coefficient, places: scale + places)
  }

  /// Returns this price × 10^`places`; nil if that has more than 38 digits.
  public func shifted(left places: Int) -> ExactDecimal? {
    if scale >= places { return ExactDecimal(coefficient, places: scale - places) }
    guard let power = Int128.powerOfTen(places - scale) else { return nil }
    return ExactDecimal(coefficient, places: 0).times(ExactDecimal(power, places: 0))
  }
}

extension ExactDecimal: Comparable {
  public static func == (left: ExactDecimal, right: ExactDecimal) -> Bool {
    if left.scale == right.scale { return left.high == right.high && left.low == right.low }
    let (first, second) = (left.reduced(atLeast: 0), right.reduced(atLeast: 0))
    return first.scale == second.scale && first.coefficient == second.coefficient
  }

  public static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
    let scale = max(left.scale, right.scale)
    let (wide, other) = (left.product(scale: scale), right.product(scale: scale))
    return (wide.high, wide.low) < (other.high, other.low)
  }

  /// The coefficient at a larger scale: 10^38 × 10^38 fits in 256 bits.
  private func product(scale: Int) -> (high: Int128, low: UInt128) {
    coefficient.multipliedFullWidth(by: Int128.powerOfTen(scale - self.scale) ?? 0)
  }
}

extension ExactDecimal? {
  /// Adds a number to a sum that begins with the first one.
  public mutating func add(_ number: ExactDecimal?) throws(CreditError) {
    guard let number else { return }
    var sum = self ?? .zero
    try sum.add(number)
    self = sum
  }
}

extension Int128 {
  static let tenToThe38th: Int128 = 100_000_000_000_000_000_000_000_000_000_000_000_000

  /// 10^`exponent`, for 0 to 38.
  public static func powerOfTen(_ exponent: Int) -> Int128? {
    guard (0...38).contains(exponent) else { return nil }
    var power: Int128 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }

  /// Returns the quotient by a number other than 0, rounded half away from 0.
  public func divided(halfAwayFromZeroBy divisor: Int128) -> Int128 {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    if rest == 0 || rest.magnitude < divisor.magnitude - rest.magnitude { return quotient }
    return quotient + ((self < 0) == (divisor < 0) ? 1 : -1)
  }
}
