internal import CreditModel

/// The sums of a group's lines. Money of other currencies is in other groups.
struct LineSums {
  private(set) var count: Int64 = 0
  /// Signed.
  private(set) var credits: Int128 = 0
  /// The money paid for purchases; nil if no purchase has a price.
  private(set) var price: ExactDecimal?
  /// The money paid back for purchases, these or earlier ones.
  private(set) var refundedPrice: ExactDecimal?
  private(set) var currency: String?
  /// The price of the usage, in dollars.
  private(set) var usd: ExactDecimal?
  /// The providers' cost, of the usage that states it.
  private(set) var costUSD: ExactDecimal?
  /// The rest of that usage's price.
  private(set) var marginUSD: ExactDecimal?

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
