import CreditModel
import Testing

@testable import TestSupport

/// Amounts that refunds of a purchase pay back.
@Suite struct RefundPriceTests {
  private let ledger = LedgerFixture()

  private func buy(_ credits: Credits, for price: String, _ currency: String = "USD") throws {
    _ = try ledger.perform(
      ledger.topUp(id: "t", .credits(credits)) {
        $0.price = price
        $0.currency = currency
      })
  }

  private func refund(_ total: Credits? = nil, price: String? = nil) throws -> String? {
    let result = try ledger.perform(request(total, price: price))
    return result.refund?.price?.text
  }

  private func request(_ total: Credits? = nil, price: String? = nil) -> GateRequest {
    .refund(
      RefundRequest(
        reference: .transaction("t"), credits: total, price: price.map(decimal), time: ledger.now))
  }

  @Test(arguments: [
    ("9.99", "USD", 100, 50, "5"), ("10.01", "USD", 100, 50, "5"),
    ("10.03", "USD", 100, 50, "5.02"),
    ("1000", "JPY", 3, 1, "333"), ("1", "KWD", 3, 2, "0.667"), ("1", "UYW", 3, 2, "0.6667"),
    ("0.126", "USD", 1000, 999, "0.126"), ("0.125", "USD", 2, 1, "0.06"), ("0", "USD", 2, 1, "0"),
    ("99999999999999999999999999999999999", "USD", 1 << 53, 1, "11102230246251565404.24"),
  ])
  func partsPayTheirShare(
    price: String, currency: String, granted: Credits, total: Credits, share: String
  ) throws {
    try buy(granted, for: price, currency)
    #expect(try refund(total) == share)
  }

  @Test func partsComeToTheWholePrice() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let ledger = LedgerFixture()
      let granted = Credits.random(in: 1...40, using: &random)
      let cents = Int.random(in: 0...99_999, using: &random)
      let price = decimal("\(cents / 1000).\(String(cents % 1000 + 1000).dropFirst())")
      _ = try ledger.perform(
        ledger.topUp(id: "t", .credits(granted)) {
          $0.price = price.text
          $0.currency = ["USD", "JPY", "KWD"].randomElement(using: &random)
        })
      var total: Credits = 0
      var paid: Int128 = 0
      while total < granted {
        total = Credits.random(in: (total + 1)...granted, using: &random)
        let result = try ledger.perform(
          .refund(RefundRequest(reference: .transaction("t"), credits: total, time: ledger.now)))
        paid += OraclePrice.thousandths(try #require(result.refund?.price).text)
      }
      #expect(paid == Int128(cents))
    }
  }

  @Test func aStatedPriceBelongsToItsRefund() throws {
    try buy(100, for: "9.99")
    #expect(try refund(50, price: "0") == "0")
    #expect(try refund(100) == "4.99")
  }

  @Test func noMoreThanThePriceIsPaidBack() throws {
    try buy(100, for: "9.99")
    #expect(ledger.code(request(50, price: "10")) == .invalidRequest)
    #expect(try refund(50, price: "9.5") == "9.5")
    #expect(ledger.code(request(100, price: "0.5")) == .invalidRequest)
    #expect(try refund(60) == "0.49")
    #expect(try refund() == "0")
  }

  @Test func aRepeatMustHaveTheSamePrice() throws {
    try buy(100, for: "9.99")
    #expect(try refund(50) == "5")
    #expect(try ledger.perform(request(50, price: "5.00")).isReplay)
    #expect(try ledger.perform(request(50)).isReplay)
    #expect(ledger.code(request(50, price: "4")) == .idempotencyConflict)
  }

  @Test func aPurchaseWithoutAPricePaysNothingBack() throws {
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(10)))
    #expect(ledger.code(request(price: "1")) == .invalidRequest)
    #expect(try refund() == nil)
  }

  /// A person's refund and the provider's event of the same money are one refund, although the
  /// event's share of the credits is rounded up.
  @Test func anEventOfARefundByHandTakesNoMore() throws {
    let ledger = LedgerFixture(starter: 0)
    _ = try ledger.perform(.payment(LedgerPaymentTests.bought()))
    _ = try ledger.perform(
      .refund(RefundRequest(reference: .transaction("pi"), credits: 33, time: ledger.now)))
    _ = try ledger.perform(.payment(LedgerPaymentTests.refunded(330, 20)))
    let refunds = { ledger.books.records.compactMap(\.historyLine).filter { $0.kind == .refund } }
    #expect(refunds().map(\.credits) == [-33])
    // Further money is another refund; a dispute takes all.
    _ = try ledger.perform(.payment(LedgerPaymentTests.refunded(600, 30)))
    #expect(refunds().map(\.price) == ["3.30", "2.70"])
    #expect(try ledger.balance() == 39)
    _ = try ledger.perform(.payment(LedgerPaymentTests.dispute(40, taken: true)))
    #expect(try ledger.balance() == 0)
    ledger.expectSound()
  }
}
