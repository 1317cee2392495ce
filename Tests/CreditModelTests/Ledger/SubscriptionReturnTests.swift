import Testing

@testable import CreditModel
@testable import TestSupport

/// Plans after a refund is reversed, and plans that begin later than their record.
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

  private func quota(_ ledger: LedgerFixture) throws -> String {
    let quota = try #require(try ledger.account().quota)
    return "\(quota.used) of \(quota.limit) until \(quota.resetsAt.text.prefix(10))"
  }

  @Test(arguments: [
    (QuotaPeriod.month, "40 of 50 until 2026-03-01"), (.day, "40 of 50 until 2026-02-20"),
    (.days(10), "40 of 50 until 2026-03-01"),
  ])
  func aWonDisputeBringsTheQuotaBackAsItWas(period: QuotaPeriod, known: String) throws {
    let ledger = ledger(period)
    try ledger.pay("o1", "other", days: 60)
    _ = try ledger.perform(ledger.charge(key: "k", units(40)))
    #expect(try quota(ledger) == known)
    ledger.pass(hours: 2)
    try ledger.dispute("o1", isTaken: true)
    #expect(try ledger.account().quota == nil)
    ledger.pass(hours: 2)
    try ledger.dispute("o1", isTaken: false)
    #expect(try quota(ledger) == known)
    _ = try ledger.perform(ledger.refund(key: "k"))
    #expect(try ledger.account().quota?.used == 0)
    ledger.expectSound()
  }

  @Test func aDisputeThatIsWonInAnotherPeriodBringsAWholeQuota() throws {
    let ledger = ledger()
    try ledger.pay("o1", "other", days: 60)
    _ = try ledger.perform(ledger.charge(key: "k", units(40)))
    try ledger.dispute("o1", isTaken: true)
    ledger.pass(hours: 20 * 24)
    try ledger.dispute("o1", isTaken: false)
    #expect(try quota(ledger) == "0 of 50 until 2026-04-01")
    ledger.expectSound()
  }

  @Test func carriedCreditsComeBack() throws {
    let ledger = ledger(.day, rolloverMax: 20)
    try ledger.pay("o1", "other", days: 60)
    ledger.pass(hours: 24)
    _ = try ledger.perform(ledger.charge(key: "k", units(5)))
    for isTaken in [true, false] { try ledger.dispute("o1", isTaken: isTaken) }
    #expect(try quota(ledger) == "5 of 70 until 2026-02-21")
    ledger.pass(hours: 24)
    #expect(try quota(ledger) == "0 of 70 until 2026-02-22")
    ledger.expectSound()
  }

  @Test(arguments: ["sub", "other"] as [Name], [true, false])
  func aReversedRefundLeavesAPlanThatWasSetByHand(_ product: Name, isSetFirst: Bool) throws {
    let ledger = ledger()
    try ledger.pay("p1", product, days: 30)
    if isSetFirst { _ = try ledger.perform(ledger.change(plan: .set("free"))) }
    try ledger.dispute("p1", isTaken: true)
    if !isSetFirst { _ = try ledger.perform(ledger.change(plan: .set("free"))) }
    ledger.pass(hours: 1)
    try ledger.dispute("p1", isTaken: false)
    #expect(try ledger.account().plan == "free")
    ledger.expectSound()
    // The next renewal sets the plan that is paid for.
    try ledger.pay("p2", product, days: 60)
    #expect(try ledger.account().plan == (product == "sub" ? "paid" : "third"))
    ledger.expectSound()
  }

  /// The quota of a closed account turns to 0, without a record.
  @Test func aQuotaThatTurnedWhileTheAccountWasClosed() throws {
    let ledger = ledger()
    try ledger.pay("o1", "other", days: 60)
    _ = try ledger.perform(ledger.change(isClosed: true))
    ledger.pass(hours: 20 * 24)
    try ledger.dispute("o1", isTaken: true)
    ledger.expectSound()
    try ledger.dispute("o1", isTaken: false)
    #expect(try quota(ledger) == "0 of 50 until 2026-04-01")
    ledger.expectSound()
  }

  @Test func aPlanThatEndsAfterItsQuotaHasTurnedToZero() throws {
    let ledger = ledger()
    try ledger.pay("p1", "sub", days: 40)
    _ = try ledger.perform(ledger.charge(key: "k", units(12)))
    ledger.pass(hours: 24)
    try ledger.pay("o1", "other", days: 33)
    try ledger.pay("o2", "other", days: 20)
    try ledger.dispute("o1", isTaken: true)
    #expect(try quota(ledger) == "12 of 50 until 2026-03-01")
    _ = try ledger.perform(ledger.change(isClosed: true))
    ledger.pass(hours: 25 * 24)
    _ = try ledger.perform(ledger.change(isClosed: false))
    #expect(try ledger.account().plan == nil)
    ledger.expectSound()
  }

  @Test func aPendingPlanBeginsWhenCompleted() throws {
    let ledger = ledger()
    try ledger.pay("o1", "other", days: 60) { $0.status = .pending }
    ledger.pass(hours: 24)
    try ledger.pay("p1", "sub", days: 30)
    ledger.pass(hours: 24)
    _ = try ledger.perform(ledger.topUp(id: "o1", .product("other", quantity: 1)))
    #expect(try ledger.account().plan == "third")
    ledger.expectSound()
  }

  /// A repeat of a pending purchase repeats its duration, too.
  @Test func aPendingPlanIsRepeatedWithItsDuration() throws {
    let ledger = ledger()
    func lasting(_ status: Transaction.Status) -> GateRequest {
      ledger.topUp(id: "p1", .product("sub", quantity: 1)) {
        ($0.status, $0.terms.expiry) = (status, .after(.seconds(30 * 86_400)))
      }
    }
    let start = ledger.now
    _ = try ledger.perform(lasting(.pending))
    ledger.pass(hours: 24)
    _ = try ledger.perform(ledger.topUp(id: "p1", .product("sub", quantity: 1)))
    for status in [Transaction.Status.pending, .completed] {
      #expect(try ledger.perform(lasting(status)).isReplay)
    }
    #expect(
      try ledger.account().subscriptions.active?.until == start.adding(.seconds(30 * 86_400)))
    ledger.expectSound()
  }
}
