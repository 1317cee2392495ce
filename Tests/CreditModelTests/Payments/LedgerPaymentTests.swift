import CreditModel
import Testing

@testable import TestSupport

/// Payment events: each may come any number of times, and in any order.
@Suite struct LedgerPaymentTests {
  static func event(_ id: String, _ seconds: Int64, _ change: PaymentChange) -> PaymentRequest {
    PaymentRequest(
      PaymentEvent(
        format: .stripe, id: Name(trusted: id), type: "test",
        at: Timestamp(milliseconds: seconds * 1000)), [change])
  }

  static func bought(
    _ seconds: Int64 = 10, _ status: Transaction.Status = .completed, alias: Name? = nil,
    id: Name = "pi"
  ) -> PaymentRequest {
    var change = PaymentChange(transaction: id, .purchase(status, reason: nil))
    (change.alias, change.others) = (alias, [alias].compactMap { $0 })
    change.account = "alice"
    change.product = "pack"
    change.quantity = 10
    change.price = "9.99"
    change.currency = "USD"
    if status == .completed { change.paid = 999 }
    return event("bought-\(status)-\(seconds)", seconds, change)
  }

  /// An invoice of two lines, 100 credits for 999 and 50 for 501; it may name its payment.
  static func invoice(_ seconds: Int64, of payment: Name? = nil) -> PaymentRequest {
    let others = ["in"] + [payment].compactMap { $0 }
    var request = event("in", seconds, PaymentChange(transaction: "in", .linked))
    request.changes = []
    let lines: [(Name, Int64, String)] = [("in/1", 10, "9.99"), ("in/2", 5, "5.01")]
    for (id, quantity, price) in lines {
      var change = PaymentChange(transaction: id, .purchase(.completed, reason: nil))
      (change.account, change.product, change.quantity) = ("alice", "pack", quantity)
      (change.price, change.currency, change.paid, change.others) = (price, "USD", 1500, others)
      request.changes.append(change)
    }
    return request
  }

  static func linked(_ id: Name, _ others: [Name]) -> PaymentChange {
    var change = PaymentChange(transaction: id, .linked)
    change.others = others
    return change
  }

  /// Which payment an invoice is of.
  static func link(_ seconds: Int64) -> PaymentRequest {
    event("inpay", seconds, linked("pi", ["in"]))
  }

  static func refunded(_ amount: Int64, _ seconds: Int64) -> PaymentRequest {
    var change = PaymentChange(transaction: "pi", .refunded(amount))
    change.paid = 999
    return event("refunded-\(amount)", seconds, change)
  }

  static func refund(_ id: Name, _ amount: Int64, _ seconds: Int64, failed: Bool = false)
    -> PaymentRequest
  {
    let refund = PaymentRefund(
      id: id, amount: amount, isFailed: failed, at: Timestamp(milliseconds: seconds * 1000))
    return event(
      "\(id.text)-\(seconds)", seconds, PaymentChange(transaction: "pi", .refund(refund)))
  }

  static func dispute(_ seconds: Int64, taken: Bool) -> PaymentRequest {
    let dispute = PaymentDispute(
      id: "dp", isTaken: taken, at: Timestamp(milliseconds: seconds * 1000))
    return event(
      "dp-\(seconds)", seconds, PaymentChange(transaction: "pi", .dispute(dispute)))
  }

  /// A payment's life, and how many of its 100 credits are left in the end.
  struct Life: Sendable, CustomStringConvertible {
    let description: String
    let events: [PaymentRequest]
    let left: Credits
  }

  static let lives = [
    Life(
      description: "bought",
      events: [bought(1, .pending), bought(2, .failed), bought()], left: 100),
    Life(description: "refunded", events: [bought(), refunded(999, 20)], left: 0),
    Life(
      description: "refunded in parts",
      events: [bought(1, .pending), bought(), refunded(333, 20), refunded(500, 30)], left: 49),
    Life(
      description: "single refunds beside the sum of them",
      events: [bought(), refund("re1", 333, 20), refunded(333, 20), refund("re2", 300, 30)],
      left: 36),
    Life(
      description: "a refund that fails later",
      events: [
        bought(), refund("re1", 500, 20), refunded(500, 20),
        refund("re1", 500, 40, failed: true),
      ],
      left: 100),
    Life(
      description: "a dispute that is lost",
      events: [bought(), refunded(333, 20), dispute(30, taken: true), dispute(40, taken: true)],
      left: 0),
    Life(
      description: "a dispute that is won",
      events: [bought(), refunded(333, 20), dispute(30, taken: true), dispute(40, taken: false)],
      left: 66),
    Life(
      description: "an invoice of two lines",
      events: [invoice(10, of: "pi"), refund("re1", 500, 20), refund("re2", 250, 30)], left: 75),
    Life(
      description: "an invoice of two lines, which do not say their payment",
      events: [invoice(10), link(11), refund("re1", 500, 20)], left: 99),
    Life(
      description: "an invoice of two lines in a dispute",
      events: [
        invoice(10), link(11), refund("re1", 750, 20), dispute(30, taken: true),
        dispute(40, taken: false),
      ],
      left: 75),
    Life(
      description: "an invoice whose payment is known by its own id, too",
      events: [bought(10, alias: "pi", id: "in"), link(11), refunded(333, 20)], left: 66),
    Life(
      description: "an invoice of one line, which does not say its payment",
      events: [bought(10, id: "in"), link(11), refunded(333, 20)], left: 66),
  ]

  @Test(arguments: lives) func anyOrderComesToTheSame(_ life: Life) throws {
    for order in orders(life.events) {
      let ledger = LedgerFixture(starter: 0)
      for request in order { _ = try ledger.perform(.payment(request)) }
      #expect(try ledger.balance() == life.left, "\(order.map(\.event.id.text))")
      ledger.expectSound()
    }
  }

  @Test(arguments: lives) func anyNumberOfTimesComesToTheSame(_ life: Life) throws {
    for order in orders(life.events) {
      let ledger = LedgerFixture(starter: 0)
      for request in order + order + order.reversed() {
        _ = try ledger.perform(.payment(request))
      }
      #expect(try ledger.balance() == life.left, "\(order.map(\.event.id.text))")
      let count = ledger.books.records.count
      for request in order { _ = try ledger.perform(.payment(request)) }
      #expect(ledger.books.records.count == count)
      ledger.expectSound()
    }
  }

  @Test func anInvoiceAndItsPaymentGrantOnce() throws {
    for order in orders([Self.bought(10, alias: "pi", id: "in"), Self.refunded(999, 20)]) {
      let ledger = LedgerFixture(starter: 0)
      for request in order { _ = try ledger.perform(.payment(request)) }
      #expect(try ledger.balance() == 0)
      _ = try ledger.perform(.payment(Self.bought()))
      #expect(try ledger.balance() == 0)
      #expect(ledger.books.records.count { $0.event.id == .transaction("pi") } == 0)
    }
  }

  @Test func anInvoiceOfSeveralLinesAndItsPaymentGrantOnce() throws {
    for order in orders([Self.invoice(10, of: "pi"), Self.bought(), Self.refunded(999, 20)]) {
      let ledger = LedgerFixture(starter: 0)
      for request in order + order { _ = try ledger.perform(.payment(request)) }
      let isInvoiceFirst = order.first { $0.event.id != "refunded-999" }?.event.id == "in"
      // Of 1500 or of 999, in the two cases.
      #expect(try ledger.balance() == (isInvoiceFirst ? 49 : 0))
      ledger.expectSound()
    }
  }

  /// Hostile or faulty events that are signed nevertheless.
  @Test func aPaymentMayBeAPartOfItself() throws {
    let ledger = LedgerFixture(starter: 0)
    let loop = Self.event("loop", 5, Self.linked("pi", ["pi", "in"]))
    let back = Self.event("back", 6, Self.linked("in", ["pi"]))
    let events = [loop, back, Self.refunded(333, 20), loop, Self.bought(), Self.bought(id: "in")]
    for request in events {
      _ = try ledger.perform(.payment(request))
    }
    #expect(try ledger.balance() == 66)
    ledger.expectSound()
  }

  /// The lines' amounts add up to the refund in any order of events.
  @Test func linesShareTheMoneyOfARefundExactly() throws {
    var bought = Self.event("in", 10, PaymentChange(transaction: "in", .linked))
    bought.changes = []
    for (id, price) in [("in/a" as Name, "3.33"), ("in/b", "3.33"), ("in/c", "3.34")] {
      var change = PaymentChange(transaction: id, .purchase(.completed, reason: nil))
      (change.account, change.product, change.paid) = ("alice", "pack", 1000)
      (change.price, change.currency, change.others) = (price, "USD", ["in", "pi"])
      bought.changes.append(change)
    }
    for amount in stride(from: 1 as Int64, to: 1000, by: 37) {
      let refunds = [Self.refund("re1", amount, 20), Self.refund("re2", (1000 - amount) / 2, 30)]
      for order in orders([bought] + refunds) {
        let ledger = LedgerFixture(starter: 0)
        for request in order { _ = try ledger.perform(.payment(request)) }
        let paidBack = ledger.books.records.compactMap { $0.historyLine }
          .filter { $0.id.text.hasPrefix("refund:") }
          .reduce(0) { $0 + (ExactDecimal(text: $1.price ?? "0")?.coefficient(atScale: 2) ?? 0) }
        #expect(paidBack == amount + (1000 - amount) / 2)
        ledger.expectSound()
      }
    }
  }

  @Test func aRefundFailsInTheSecondOfTheTotal() throws {
    let events = [
      Self.bought(), Self.refunded(500, 20), Self.refund("re1", 500, 20),
      Self.refund("re1", 500, 20, failed: true),
    ]
    for order in orders(events) {
      let ledger = LedgerFixture(starter: 0)
      for request in order { _ = try ledger.perform(.payment(request)) }
      #expect(try ledger.balance() == 100, "\(order.map(\.event.id.text))")
      ledger.expectSound()
    }
  }

  @Test func refundsByHandStay() throws {
    let ledger = LedgerFixture(starter: 0)
    _ = try ledger.perform(.payment(Self.bought()))
    _ = try ledger.perform(
      .refund(RefundRequest(reference: .transaction("pi"), credits: 60, time: ledger.now)))
    _ = try ledger.perform(.payment(Self.refunded(333, 20)))
    #expect(try ledger.balance() == 40)
    _ = try ledger.perform(.payment(Self.refunded(999, 30)))
    #expect(try ledger.balance() == 0)
  }

  @Test func anEventOfAnotherAccountHasNoEffect() throws {
    let ledger = LedgerFixture(starter: 0)
    _ = try ledger.perform(.payment(Self.bought()))
    var other = Self.bought(20)
    other.changes[0].account = "bob"
    #expect(ledger.code(.payment(other)) == .idempotencyConflict)
    other.changes[0].transaction = "pi-2"
    other.changes[0].account = nil
    #expect(ledger.code(.payment(other)) == .invalidRequest)
    other.changes[0].account = "bob"
    other.changes[0].product = "none"
    #expect(ledger.code(.payment(other)) == .unknownProduct)
    #expect(try ledger.balance() == 100)
    #expect(ledger.books.account("bob") == nil)
  }

  @Test func onlyPurchasesArePaidFor() throws {
    let ledger = LedgerFixture(starter: 0)
    let later = StatedTerms(start: .after(.seconds(60)))
    for configure: (inout TopUpRequest) -> Void in [
      { $0.kind = .bonus }, { ($0.kind, $0.grant) = (.adjustment, .credits(-7)) },
      { $0.terms = later },
    ] {
      let ledger = LedgerFixture(starter: 0)
      _ = try ledger.perform(ledger.topUp(id: "pi", .credits(50), configure))
      let count = ledger.books.records.count
      #expect(ledger.code(.payment(Self.refunded(500, 20))) == .idempotencyConflict)
      #expect(ledger.code(.payment(Self.bought())) == .idempotencyConflict)
      #expect(ledger.books.records.count == count)
    }
    // A purchase by hand under the payment's id is taken back like an event's.
    _ = try ledger.perform(ledger.topUp(id: "pi", .product("pack", quantity: 10)))
    _ = try ledger.perform(.payment(Self.refunded(333, 20)))
    #expect(try ledger.balance() == 66)
  }

  @Test func refundsKeepTheirIDsAfterAReversal() throws {
    let ledger = LedgerFixture(starter: 0)
    let events = [
      Self.bought(), Self.refunded(333, 20), Self.dispute(30, taken: true),
      Self.dispute(40, taken: false), Self.dispute(50, taken: true), Self.dispute(60, taken: false),
    ]
    for request in events { _ = try ledger.perform(.payment(request)) }
    let ids = ledger.books.records.compactMap(\.historyLine?.id.text)
    #expect(
      ids == [
        "pi", "refund:pi", "refund:pi:2", "reversal:pi", "refund:pi:3", "refund:pi:4",
        "reversal:pi:2", "refund:pi:5",
      ])
    #expect(try ledger.balance() == 66)
    ledger.expectSound()
    // A refund by hand since a reversal pays back the whole rest of the price.
    _ = try ledger.perform(.payment(Self.refund("re", 333, 70, failed: true)))
    _ = try ledger.perform(
      .refund(RefundRequest(reference: .transaction("pi"), time: ledger.now)))
    #expect(ledger.books.records.last?.historyLine?.id == "refund:pi:6")
    #expect(ledger.books.records.last?.historyLine?.price == "9.99")
    ledger.expectSound()
  }

  /// Earlier tools counted refunds from 1 again after each reversal.
  @Test func refundsGoOnInOldBooks() throws {
    let ledger = LedgerFixture(starter: 0)
    for request in [
      Self.bought(), Self.dispute(30, taken: true), Self.dispute(40, taken: false),
      Self.dispute(50, taken: true),
    ] { _ = try ledger.perform(.payment(request)) }
    guard let last = ledger.books.records.last,
      case .topUpRefund(let topUp, var refund) = last.event
    else { return #expect(Bool(false), "there is no refund") }
    #expect((refund.number, refund.reversals, refund.priceBefore?.text) == (2, 1, "0"))
    (refund.number, refund.reversals, refund.priceBefore) = (1, 0, nil)
    var old = last
    old.event = .topUpRefund(topUp, refund)
    var books = ledger.books.records
    books[books.count - 1] = old
    let before = books[books.count - 2]
    #expect(throws: Never.self) {
      try old.check(after: before.account, earlier: before)
    }
    (refund.number, refund.reversals) = (3, 1)
    old.event = .topUpRefund(topUp, refund)
    #expect(throws: RecordFault.self) { try old.check(after: before.account, earlier: before) }
  }

  @Test func otherSalesHaveNoEffect() throws {
    let ledger = LedgerFixture(starter: 0)
    var source = PaymentSource(format: .stripe, secretFile: "secret")
    source.products = ["plink_1": "gone"]
    ledger.policy.payments = [source]
    func answer(_ account: Name?, _ product: Name?) -> String {
      var request = Self.bought()
      request.productPaths = ["metadata.product"]
      (request.changes[0].account, request.changes[0].product) = (account, product)
      do throws(CreditError) {
        let result = try ledger.perform(.payment(request))
        guard case .event(_, let reason, _) = result.plain else { return "granted" }
        return reason ?? "nothing"
      } catch {
        return "\(error.code.rawValue): \(error.message)"
      }
    }
    #expect(answer(nil, nil) == "not_ours")
    #expect(answer(nil, "plink_other") == "not_ours")
    let prefix = "event bought-completed-10 (payment pi"
    #expect(
      answer("dan", "plink_other")
        == "unknown_product: \(prefix) of \"dan\", 9.99 USD): no product \"plink_other\"; "
        + "add it to \"products\" of the policy's events")
    #expect(
      answer("dan", nil)
        == "unknown_product: \(prefix) of \"dan\", 9.99 USD): the event does not say what was "
        + "bought: there is nothing at metadata.product")
    let both = answer(nil, "gone")
    #expect(both.hasPrefix("unknown_product: \(prefix), 9.99 USD): the event does not say which"))
    #expect(both.contains("; and no product \"gone\" in the catalog"))
    #expect(answer(nil, "pack").hasPrefix("invalid_request: \(prefix), 9.99 USD): the event does"))
    #expect(ledger.books.records.isEmpty)
    ledger.policy.payments[0].requiresKnownProducts = true
    #expect(answer(nil, nil).hasPrefix("unknown_product: "))
    #expect(answer(nil, "plink_other").hasPrefix("unknown_product: "))
    #expect(answer("dan", "pack") == "granted")
    ledger.policy.payments[0].requiresKnownProducts = false
    // A grant is repeated, regardless of the event's contents.
    #expect(answer(nil, "pack") == "granted")
  }

  @Test func refundsOfAPaymentAreLimited() throws {
    let ledger = LedgerFixture(starter: 0)
    _ = try ledger.perform(.payment(Self.bought()))
    for number in 0..<PaymentNews.limit {
      _ = try ledger.perform(.payment(Self.refund(Name(trusted: "re\(number)"), 1, 20)))
    }
    #expect(ledger.code(.payment(Self.refund("one more", 1, 20))) == .limitExceeded)
  }
}
