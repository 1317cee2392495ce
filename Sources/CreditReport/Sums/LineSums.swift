package import CreditModel

/// What lines of one group sum to. Money of other currencies is in other groups.
struct LineSums {
  private(set) var count: Int64 = 0
  /// Signed.
  private(set) var credits: Int128 = 0
  /// What was paid for purchases; nil where there are none with a price.
  private(set) var price: DecimalSum?
  /// What was paid back of purchases, of these or of earlier ones.
  private(set) var refundedPrice: DecimalSum?
  private(set) var currency: String?
  /// What the usage cost, in dollars.
  private(set) var usd: DecimalSum?
  /// What the providers took, of the usage that says so.
  private(set) var costUSD: DecimalSum?
  /// What is left of the price of that usage.
  private(set) var marginUSD: DecimalSum?

  /// - Parameters:
  ///   - payment: the line's, where it is a purchase or a refund with a price.
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
