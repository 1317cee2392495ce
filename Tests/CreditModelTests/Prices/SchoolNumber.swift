/// A whole number of any size as its decimal digits, reckoned as at school: slow, and plain to see.
struct SchoolNumber: Equatable, CustomStringConvertible {
  /// The units first; no zeros at the end.
  private var digits: [Int]

  init(_ text: String) {
    digits = text.compactMap(\.wholeNumberValue).reversed()
    trim()
  }

  init(_ number: Int64) {
    self.init(String(number))
  }

  static let zero = SchoolNumber("0")

  var isZero: Bool { digits.isEmpty }

  var description: String { isZero ? "0" : digits.reversed().map(String.init).joined() }

  private mutating func trim() {
    while digits.last == 0 { digits.removeLast() }
  }

  /// The number with zeros written after it.
  func appending(zeros count: Int) -> SchoolNumber {
    SchoolNumber(description + String(repeating: "0", count: count))
  }

  static func + (left: SchoolNumber, right: SchoolNumber) -> SchoolNumber {
    var sum = SchoolNumber.zero
    var carry = 0
    for place in 0...max(left.digits.count, right.digits.count) {
      carry += place < left.digits.count ? left.digits[place] : 0
      carry += place < right.digits.count ? right.digits[place] : 0
      sum.digits.append(carry % 10)
      carry /= 10
    }
    sum.trim()
    return sum
  }

  static func - (left: SchoolNumber, right: SchoolNumber) -> SchoolNumber {
    var difference = left
    for place in 0..<right.digits.count { difference.digits[place] -= right.digits[place] }
    for place in 0..<difference.digits.count where difference.digits[place] < 0 {
      difference.digits[place] += 10
      difference.digits[place + 1] -= 1
    }
    difference.trim()
    return difference
  }

  static func * (left: SchoolNumber, right: SchoolNumber) -> SchoolNumber {
    var product = SchoolNumber.zero
    product.digits = [Int](repeating: 0, count: left.digits.count + right.digits.count)
    for (place, digit) in left.digits.enumerated() {
      for (other, otherDigit) in right.digits.enumerated() {
        product.digits[place + other] += digit * otherDigit
      }
    }
    for place in product.digits.indices.dropLast() {
      product.digits[place + 1] += product.digits[place] / 10
      product.digits[place] %= 10
    }
    product.trim()
    return product
  }

  static func <= (left: SchoolNumber, right: SchoolNumber) -> Bool {
    if left.digits.count != right.digits.count { return left.digits.count < right.digits.count }
    for (a, b) in zip(left.digits.reversed(), right.digits.reversed()) where a != b { return a < b }
    return true
  }

  /// Long division, rounded up.
  func dividedRoundingUp(by divisor: SchoolNumber) -> SchoolNumber {
    var quotient = ""
    var rest = SchoolNumber.zero
    for digit in digits.reversed() {
      rest = rest.appending(zeros: 1) + SchoolNumber(String(digit))
      var times = 0
      while divisor <= rest {
        rest = rest - divisor
        times += 1
      }
      quotient += String(times)
    }
    return SchoolNumber(quotient) + SchoolNumber(rest.isZero ? "0" : "1")
  }
}

/// A decimal as written: the digits, and how many of them stand after the point.
struct SchoolDecimal {
  var digits: SchoolNumber
  var places: Int

  init(digits: SchoolNumber, places: Int) {
    self.digits = digits
    self.places = places
  }

  init(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let fraction = parts.count > 1 ? String(parts[1]) : ""
    digits = SchoolNumber(String(parts[0]) + fraction)
    places = fraction.count
  }

  static func + (left: SchoolDecimal, right: SchoolDecimal) -> SchoolDecimal {
    let places = max(left.places, right.places)
    return SchoolDecimal(
      digits: left.digits.appending(zeros: places - left.places)
        + right.digits.appending(zeros: places - right.places), places: places)
  }

  static func * (count: Int64, price: SchoolDecimal) -> SchoolDecimal {
    SchoolDecimal(digits: SchoolNumber(count) * price.digits, places: price.places)
  }

  static func * (left: SchoolDecimal, right: SchoolDecimal) -> SchoolDecimal {
    SchoolDecimal(digits: left.digits * right.digits, places: left.places + right.places)
  }

  /// How often `unit` goes into this, rounded up.
  func count(of unit: SchoolDecimal) -> SchoolNumber {
    let places = max(places, unit.places)
    return digits.appending(zeros: places - self.places)
      .dividedRoundingUp(by: unit.digits.appending(zeros: places - unit.places))
  }

  /// No exponent, no zeros at the end.
  var text: String {
    var text = digits.description
    if places == 0 { return text }
    text = String(repeating: "0", count: max(0, places + 1 - text.count)) + text
    text.insert(".", at: text.index(text.endIndex, offsetBy: -places))
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }
}
