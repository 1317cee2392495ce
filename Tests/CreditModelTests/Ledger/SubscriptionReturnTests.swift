import Testing

@testable import CreditModel
@testable import TestSupport

/// What comes back after a refund that is reversed, and what begins later than it was recorded.
@Suite struct SubscriptionReturnTests {
  /// `sub` has the plan `paid`, and `other` the plan `third`, whose quota is by the calendar.
  private func ledger(_ period: QuotaPeriod = .month, rolloverMax: Credits = 0) -> LedgerFixture {
    LedgerFixture(starter: 0) {
      $0.plans = [
        Plan(id: "paid", quota: 30, period: .subscription),
        Plan(id: "third", quota: 50, period: period, rolloverMax: rolloverMax),
        Plan(id: "free", quota: 3, period: .day),
      ]
    }
  }

  private func pay(
    _ ledger: LedgerFixture, _ id: Name, _ product: Name, days: Int64,
    _ configure: (inout TopUpRequest) -> Void = { _ in }
  ) throws {
    _ = try ledger.perform(
      ledger.topUp(id: id, .product(product, quantity: 1)) {
        $0.terms.expiry = .at(ledger.now.adding(.seconds(days * 86_400)) ?? .latest)
        configure(&$0)
      })
  }

  private func pass(_ ledger: LedgerFixture, hours: Int64) {
    ledger.now = ledger.now.adding(.seconds(hours * 3600)) ?? .latest
  }

  /// A dispute of a payment is lost, or won.
  private func dispute(_ ledger: LedgerFixture, _ id: Name, isTaken: Bool) throws {
    let at = Timestamp(milliseconds: isTaken ? 1000 : 2000)
    var change = PaymentChange(
      transaction: id, .dispute(PaymentDispute(id: "d", isTaken: isTaken, at: at)))
    change.paid = 999
    let event = LedgerPaymentTests.event("\(id.text) \(isTaken)", at.milliseconds / 1000, change)
    _ = try ledger.perform(.payment(event))
  }

  private func quota(_ ledger: LedgerFixture) throws -> String {
    let quota = try #require(try ledger.account().quota)
    return "\(quota.used) of \(quota.limit) until \(quota.resetsAt.text.prefix(10))"
  }

  private func expectSound(_ ledger: LedgerFixture, _ line: SourceLocation = #_sourceLocation) {
    var audit = BooksAudit(clockIsReal: false)
    #expect(audit.fault(in: ledger.books) == nil, sourceLocation: line)
  }

  @Test(arguments: [
    (QuotaPeriod.month, "40 of 50 until 2026-03-01"), (.day, "40 of 50 until 2026-02-20"),
    (.days(10), "40 of 50 until 2026-03-01"),
  ])
  func aWonDisputeBringsTheQuotaBackAsItWas(period: QuotaPeriod, known: String) throws {
    let ledger = ledger(period)
    try pay(ledger, "o1", "other", days: 60)
    _ = try ledger.perform(ledger.charge(key: "k", units(40)))
    #expect(try quota(ledger) == known)
    pass(ledger, hours: 2)
    try dispute(ledger, "o1", isTaken: true)
    #expect(try ledger.account().quota == nil)
    pass(ledger, hours: 2)
    try dispute(ledger, "o1", isTaken: false)
    #expect(try quota(ledger) == known)
    _ = try ledger.perform(ledger.refund(key: "k"))
    #expect(try ledger.account().quota?.used == 0)
    expectSound(ledger)
  }

  @Test func aDisputeThatIsWonInAnotherPeriodBringsAWholeQuota() throws {
    let ledger = ledger()
    try pay(ledger, "o1", "other", days: 60)
    _ = try ledger.perform(ledger.charge(key: "k", units(40)))
    try dispute(ledger, "o1", isTaken: true)
    pass(ledger, hours: 20 * 24)
    try dispute(ledger, "o1", isTaken: false)
    #expect(try quota(ledger) == "0 of 50 until 2026-04-01")
    expectSound(ledger)
  }

  @Test func whatWasCarriedOverComesBack() throws {
    let ledger = ledger(.day, rolloverMax: 20)
    try pay(ledger, "o1", "other", days: 60)
    pass(ledger, hours: 24)
    _ = try ledger.perform(ledger.charge(key: "k", units(5)))
    for isTaken in [true, false] { try dispute(ledger, "o1", isTaken: isTaken) }
    #expect(try quota(ledger) == "5 of 70 until 2026-02-21")
    pass(ledger, hours: 24)
    #expect(try quota(ledger) == "0 of 70 until 2026-02-22")
    expectSound(ledger)
  }

  @Test(arguments: ["sub", "other"] as [Name], [true, false])
  func aReversedRefundLeavesAPlanThatWasSetByHand(_ product: Name, isSetFirst: Bool) throws {
    let ledger = ledger()
    try pay(ledger, "p1", product, days: 30)
    if isSetFirst { _ = try ledger.perform(ledger.change(plan: .set("free"))) }
    try dispute(ledger, "p1", isTaken: true)
    if !isSetFirst { _ = try ledger.perform(ledger.change(plan: .set("free"))) }
    pass(ledger, hours: 1)
    try dispute(ledger, "p1", isTaken: false)
    #expect(try ledger.account().plan == "free")
    expectSound(ledger)
    // The next renewal sets the plan that is paid for.
    try pay(ledger, "p2", product, days: 60)
    #expect(try ledger.account().plan == (product == "sub" ? "paid" : "third"))
    expectSound(ledger)
  }

  /// The quota of a closed account turns to nothing, which no record says.
  @Test func aQuotaThatTurnedWhileTheAccountWasClosed() throws {
    let ledger = ledger()
    try pay(ledger, "o1", "other", days: 60)
    _ = try ledger.perform(ledger.change(isClosed: true))
    pass(ledger, hours: 20 * 24)
    try dispute(ledger, "o1", isTaken: true)
    expectSound(ledger)
    try dispute(ledger, "o1", isTaken: false)
    #expect(try quota(ledger) == "0 of 50 until 2026-04-01")
    expectSound(ledger)
  }

  @Test func aPlanThatEndsAfterItsQuotaHasTurnedToNothing() throws {
    let ledger = ledger()
    try pay(ledger, "p1", "sub", days: 40)
    _ = try ledger.perform(ledger.charge(key: "k", units(12)))
    pass(ledger, hours: 24)
    try pay(ledger, "o1", "other", days: 33)
    try pay(ledger, "o2", "other", days: 20)
    try dispute(ledger, "o1", isTaken: true)
    #expect(try quota(ledger) == "12 of 50 until 2026-03-01")
    _ = try ledger.perform(ledger.change(isClosed: true))
    pass(ledger, hours: 25 * 24)
    _ = try ledger.perform(ledger.change(isClosed: false))
    #expect(try ledger.account().plan == nil)
    expectSound(ledger)
  }

  @Test func whatWasPendingBeginsWhenItGoesThrough() throws {
    let ledger = ledger()
    try pay(ledger, "o1", "other", days: 60) { $0.status = .pending }
    pass(ledger, hours: 24)
    try pay(ledger, "p1", "sub", days: 30)
    pass(ledger, hours: 24)
    _ = try ledger.perform(ledger.topUp(id: "o1", .product("other", quantity: 1)))
    #expect(try ledger.account().plan == "third")
    expectSound(ledger)
  }

  /// Who repeats what was pending repeats its duration, too.
  @Test func whatWasPendingIsRepeatedWithItsDuration() throws {
    let ledger = ledger()
    func lasting(_ status: Transaction.Status) -> GateRequest {
      ledger.topUp(id: "p1", .product("sub", quantity: 1)) {
        ($0.status, $0.terms.expiry) = (status, .after(.seconds(30 * 86_400)))
      }
    }
    let start = ledger.now
    _ = try ledger.perform(lasting(.pending))
    pass(ledger, hours: 24)
    _ = try ledger.perform(ledger.topUp(id: "p1", .product("sub", quantity: 1)))
    for status in [Transaction.Status.pending, .completed] {
      #expect(try ledger.perform(lasting(status)).isReplay)
    }
    #expect(
      try ledger.account().subscriptions.active?.until == start.adding(.seconds(30 * 86_400)))
    expectSound(ledger)
  }
}
