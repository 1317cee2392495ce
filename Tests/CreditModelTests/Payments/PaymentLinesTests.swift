import Testing

@testable import CreditModel
@testable import TestSupport

/// The money of a payment's refunds, shared by the lines of its invoice.
@Suite struct PaymentLinesTests {
  /// Returns the cents of each line after refunds of a payment.
  private func shares(of prices: [Int64], refunding amount: Int64) throws -> [Int128] {
    let bought = prices.indices.map { number in
      var line = Transaction(
        id: Name(trusted: "in/\(number + 100)"), account: "alice", kind: .purchase,
        status: .completed, credits: 1, timestamp: .earliest)
      line.price = ExactDecimal(coefficient: Int128(prices[number]), scale: 2).text
      line.currency = "USD"
      return (line.id, PurchasePrice(TopUp(transaction: line, creditsAdded: 1, newBalance: 1)))
    }
    let ids = bought.map(\.0)
    let lines = try #require(PaymentLines(bought))
    let whole = UInt64(prices.reduce(0, +))
    return try ids.map { id in
      let share = lines.refund(of: UInt64(amount), in: whole, to: id)
      return try #require(share?.coefficient(atScale: 2))
    }
  }

  @Test(
    arguments: [
      ([1900, 999], 1000, [655, 345]), ([1900, 999], 2000, [1311, 689]),
      ([1900, 999], 2899, [1900, 999]), ([1900, 999], 1, [1, 0]), ([0, 3, 0], 2, [0, 2, 0]),
      ([1, 1, 1], 1, [1, 0, 0]), ([1, 1, 1], 2, [1, 1, 0]),
    ] as [([Int64], Int64, [Int128])])
  func eachLineGetsItsNearestCent(prices: [Int64], amount: Int64, shares: [Int128]) throws {
    #expect(try self.shares(of: prices, refunding: amount) == shares)
  }

  /// Two lines are at most half a cent off, and no line ever falls as more is refunded.
  @Test(arguments: [[1900, 999], [333, 333, 334], [1, 70, 1, 2, 1, 90, 1], [0, 5, 250]])
  func laterRefundsOnlyAdd(prices: [Int64]) throws {
    let whole = prices.reduce(0, +)
    var known = [Int128](repeating: 0, count: prices.count)
    for amount in 0...whole {
      let shares = try shares(of: prices, refunding: amount)
      #expect(shares.reduce(0, +) == Int128(amount))
      #expect(zip(shares, known).allSatisfy { $0 >= $1 })
      if prices.count == 2 {
        for (share, price) in zip(shares, prices) {
          let off = share * Int128(whole) - Int128(price) * Int128(amount)
          #expect(2 * off.magnitude <= whole.magnitude)
        }
      }
      known = shares
    }
    #expect(known == prices.map { Int128($0) })
  }
}

/// Changes of plans with credits: each line of an invoice counts for its part of the period.
@Suite struct ProratedLinesTests {
  private static let products = [
    Product(id: "basic", name: "A month", credits: 500, plan: "third"),
    Product(id: "pro", name: "A month with more", credits: 2000, plan: "third"),
  ]

  private static func line(
    _ id: Name, _ product: Name, of days: ClosedRange<String>, unused: Bool = false
  ) -> PaymentChange {
    var change = PaymentChange(
      transaction: id, unused ? .unused : .purchase(.completed, reason: nil))
    (change.account, change.product, change.subscription) = ("alice", product, "sub_1")
    change.period = PaidPeriod(
      until: time("\(days.upperBound)T00:00:00Z"), since: time("\(days.lowerBound)T00:00:00Z"))
    (change.price, change.currency) = (unused ? nil : "0.00", unused ? nil : "USD")
    return change
  }

  /// A change of the plan at a day of a period that ends at another one.
  private static func change(
    _ number: Int, _ old: Name, _ new: Name, _ days: ClosedRange<String>
  ) -> PaymentRequest {
    var request = LedgerPaymentTests.event(
      "e\(number)", Int64(number), line(Name(trusted: "in_\(number)"), new, of: days))
    request.changes.append(line(Name(trusted: "in_\(number)/1"), old, of: days, unused: true))
    return request
  }

  private static func bought(_ product: Name, _ days: ClosedRange<String>) -> PaymentRequest {
    LedgerPaymentTests.event("e1", 1, line("in_1", product, of: days))
  }

  private func ledger() throws -> LedgerFixture {
    let ledger = LedgerFixture(starter: 0) { $0.plans = [Plan(id: "third", limits: [])] }
    ledger.policy.prices = KnownPrices(
      try PriceCatalog(models: LedgerFixture.models, products: Self.products))
    ledger.now = time("2026-10-20T00:00:00Z")
    return ledger
  }

  private func balance(_ events: [PaymentRequest]) throws -> Credits {
    let ledger = try ledger()
    for event in events { _ = try ledger.perform(.payment(event)) }
    ledger.expectSound()
    return try ledger.balance()
  }

  @Test func roundTripsAddNothing() throws {
    let events = [
      Self.bought("pro", "2026-10-01"..."2026-11-01"),
      Self.change(2, "pro", "basic", "2026-10-02"..."2026-11-01"),
      Self.change(3, "basic", "pro", "2026-10-03"..."2026-11-01"),
      Self.change(4, "pro", "basic", "2026-10-03"..."2026-11-01"),
    ]
    #expect(try balance(Array(events.prefix(2))) == 2000 - 1935 + 483)
    for order in orders(events) {
      #expect(try balance(order + order) == 548)
    }
  }

  @Test func lastHourIsWorthAnHour() throws {
    var late = Self.change(2, "basic", "pro", "2026-10-31"..."2026-11-01")
    for place in late.changes.indices {
      late.changes[place].period?.since = time("2026-10-31T23:00:00Z")
    }
    #expect(
      try balance([Self.bought("basic", "2026-10-01"..."2026-11-01"), late]) == 502)
  }

  @Test func partsOfOtherPeriods() throws {
    // The known payment is of a year, or of a quarter.
    let year = "2025-11-01"..."2026-11-01"
    let quarter = "2026-08-01"..."2026-11-01"
    let rest = Self.change(2, "basic", "pro", "2026-10-22"..."2026-11-01")
    #expect(try balance([Self.bought("basic", year), rest]) == 500 + 54 - 13)
    #expect(try balance([Self.bought("basic", quarter), rest]) == 500 + 217 - 54)
    // A longer line is of a year, if no payment is known.
    let long = Self.change(2, "basic", "pro", "2026-10-20"..."2027-10-20")
    #expect(try balance([long]) == 1500)
    // Credits for unused time alone, of a subscription that ends.
    var end = Self.change(3, "basic", "pro", "2026-10-22"..."2026-11-01")
    end.changes.removeFirst()
    #expect(try balance([Self.bought("basic", year), end, end]) == 500 - 13)
  }

  @Test func repeatsKeepTheFirstAnswer() throws {
    let ledger = try ledger()
    let down = Self.change(2, "pro", "basic", "2026-10-02"..."2026-11-01")
    _ = try ledger.perform(.payment(Self.bought("pro", "2026-10-01"..."2026-11-01")))
    _ = try ledger.perform(.payment(down))
    let balance = try ledger.balance()
    ledger.policy.prices = KnownPrices(
      try PriceCatalog(models: LedgerFixture.models, products: [Self.products[0]]))
    _ = try ledger.perform(.payment(down))
    #expect(try ledger.balance() == balance)
  }
}
