package import CreditModel

/// An exact decimal number with a sign, such as a sum of prices. It has as many places after the
/// point as its most exact summand: `499.50` stays `499.50`.
package struct DecimalSum: Hashable, Sendable {
  package private(set) var coefficient: Int128 = 0
  package private(set) var places = 0

  package init() {}

  package init(coefficient: Int128, places: Int) {
    self.coefficient = coefficient
    self.places = places
  }

  /// Reads decimal text: `-0.50`, `3e-06`.
  /// - Returns: nil for a malformed number, or more than 38 digits.
  package init?(text bytes: UnsafeRawBufferPointer) {
    let isNegative = bytes.first == UInt8(ascii: "-")
    let digits = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(isNegative ? 1 : 0))
    guard let number = ExactDecimal(text: digits) else { return nil }
    coefficient = Int128(number.coefficient) * (isNegative ? -1 : 1)
    places = number.scale
    let written = ExactDecimal.writtenPlaces(digits)
    if written > places, let coefficient = coefficient(places: written) {
      self.coefficient = coefficient
      places = written
    }
  }

  /// Returns the coefficient for at least `target` decimal places. Nil if it does not fit.
  package func coefficient(places target: Int) -> Int128? {
    var coefficient = coefficient
    for _ in min(places, target)..<target {
      let (product, overflow) = coefficient.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      coefficient = product
    }
    return coefficient
  }

  /// - Throws: ``CreditError`` if the sum takes more than 38 digits.
  package mutating func add(_ other: DecimalSum) throws(CreditError) {
    let target = max(places, other.places)
    guard let left = coefficient(places: target), let right = other.coefficient(places: target),
      case (let sum, let overflow) = left.addingReportingOverflow(right), !overflow
    else { throw CreditError(.amountOutOfRange, "a sum has more than 38 digits") }
    coefficient = sum
    places = target
  }

  package var isZero: Bool { coefficient == 0 }

  package var negated: DecimalSum {
    var negated = self
    // A coefficient has 38 digits at most: its opposite is a number, too.
    negated.coefficient = 0 - coefficient
    return negated
  }

  /// Rounds the exact value once to at most these places, half up in size.
  func rounded(places target: Int) -> DecimalSum {
    if places <= target { return self }
    // A coefficient has less than 40 digits.
    guard let unit = DecimalSum(coefficient: 1, places: 0).coefficient(places: places - target)
    else { return DecimalSum(coefficient: 0, places: target) }
    let (quotient, rest) = coefficient.quotientAndRemainder(dividingBy: unit)
    let isHalfOrMore = rest.magnitude >= unit.magnitude - rest.magnitude
    let step: Int128 = isHalfOrMore ? (coefficient < 0 ? -1 : 1) : 0
    return DecimalSum(coefficient: quotient + step, places: target)
  }

  /// All its places: `499.50`.
  package var text: String {
    let digits = coefficient.magnitude.padded(places + 1)
    let split = digits.index(digits.endIndex, offsetBy: -places)
    let fraction = digits[split...]
    return (coefficient < 0 ? "-" : "") + digits[..<split]
      + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// Without zeros at the end of a fraction, as the tools write dollars.
  package var shortText: String { text(atLeast: 0) }

  /// Returns the number's text without zeros at a fraction's end past `least` places.
  func text(atLeast least: Int) -> String {
    var short = self
    while short.places > least, short.coefficient % 10 == 0 {
      short.coefficient /= 10
      short.places -= 1
    }
    return short.text
  }
}

/// The sums of a group's lines. Money of other currencies is in other groups.
struct LineSums {
  private(set) var count: Int64 = 0
  /// Signed.
  private(set) var credits: Int128 = 0
  /// The money paid for purchases; nil if no purchase has a price.
  private(set) var price: DecimalSum?
  /// The money paid back for purchases, these or earlier ones.
  private(set) var refundedPrice: DecimalSum?
  private(set) var currency: String?
  /// The price of the usage, in dollars.
  private(set) var usd: DecimalSum?
  /// The providers' cost, of the usage that states it.
  private(set) var costUSD: DecimalSum?
  /// The rest of that usage's price.
  private(set) var marginUSD: DecimalSum?

  /// - Parameters:
  ///   - payment: the line's, if it is a purchase or a refund with a price.
  ///   - counts: false for a line that is a part of another one.
  mutating func add(
    _ line: ReportLine, _ payment: Payment?, counts: Bool = true
  ) throws(CreditError) {
    if counts { count += 1 }
    credits += Int128(line.credits)
    if let payment, payment.isBack {
      try payBack(payment)
    } else if let payment {
      currency = payment.currency
      try price.add(payment.amount)
    }
    if line.kind == .usage, let dollars = try line.amount("usd") {
      try usd.add(dollars)
      if let cost = try line.amount("costUSD") {
        try costUSD.add(cost)
        try marginUSD.add(dollars)
        try marginUSD.add(cost.negated)
      }
    }
  }

  /// Adds credits alone.
  mutating func add(credits: Int128) { self.credits += credits }

  /// Adds the money of a refund alone.
  mutating func payBack(_ payment: Payment) throws(CreditError) {
    currency = payment.currency
    try refundedPrice.add(payment.amount)
  }

  mutating func add(_ other: LineSums) throws(CreditError) {
    count += other.count
    credits += other.credits
    currency = currency ?? other.currency
    try price.add(other.price)
    try refundedPrice.add(other.refundedPrice)
    try usd.add(other.usd)
    try costUSD.add(other.costUSD)
    try marginUSD.add(other.marginUSD)
  }
}

extension DecimalSum? {
  /// Adds a number to a sum that begins with the first one.
  package mutating func add(_ number: DecimalSum?) throws(CreditError) {
    guard let number else { return }
    var sum = self ?? DecimalSum()
    try sum.add(number)
    self = sum
  }
}
