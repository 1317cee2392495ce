import Testing

@testable import CreditModel
@testable import TestSupport

/// The money of a payment's refunds, shared by the lines of its invoice.
@Suite struct PaymentLinesTests {
  /// Returns the cents of each line after refunds of a payment.
  private func shares(of prices: [Int64], refunding amount: Int64) throws -> [Int128] {
    let ids = prices.indices.map { Name(trusted: "line-\($0 + 100)") }
    var bought = LedgerPaymentTests.event("in", 10, PaymentChange(transaction: "in", .parts(ids)))
    for (id, price) in zip(ids, prices).reversed() {
      var change = PaymentChange(transaction: id, .purchase(.completed, reason: nil))
      (change.account, change.product) = ("alice", "pack")
      change.price = ExactDecimal(coefficient: Int128(price), scale: 2).text
      (change.currency, change.wholePayments) = ("USD", ["in"])
      bought.changes.insert(change, at: 0)
    }
    let lines = try #require(PaymentLines(of: bought.changes[0], in: bought))
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
