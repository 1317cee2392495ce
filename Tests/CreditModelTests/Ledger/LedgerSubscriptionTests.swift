import Testing

@testable import CreditModel
@testable import TestSupport

/// Subscriptions: a plan until a paid end, renewed, extended, refunded, in any order.
@Suite struct LedgerSubscriptionTests {
  private static let day: Int64 = 86_400_000

  private func ledger() -> LedgerFixture {
    LedgerFixture(starter: 0) {
      $0.plans = [
        Plan(id: "paid", quota: 30, period: .subscription),
        Plan(id: "third", quota: 7, period: .month),
        Plan(id: "free", quota: 3, period: .day),
      ]
    }
  }

  /// Balance, plan and paid end in days from a time: `30 paid until 30`.
  private func state(_ ledger: LedgerFixture, from start: Timestamp) throws -> String {
    let account = try ledger.account()
    let until = account.subscriptions.active.map {
      " until \(($0.until.milliseconds - start.milliseconds) / Self.day)"
    }
    return "\(account.balance) \(account.plan?.text ?? "none")" + (until ?? "")
  }

  @Test func renewedInTimeLateAndInGrace() throws {
    let ledger = ledger()
    let start = ledger.now
    let first = try ledger.perform(ledger.payment("p1", days: 30))
    #expect(first.topUp?.transaction.kind == .subscription)
    #expect(first.topUp?.newBalance == 30)
    #expect(try state(ledger, from: start) == "30 paid until 30")
    _ = try ledger.perform(ledger.charge(key: "k", units(12)))
    #expect(try state(ledger, from: start) == "18 paid until 30")
    // In time.
    ledger.now = start.adding(.seconds(29 * 86_400)) ?? .latest
    _ = try ledger.perform(ledger.payment("p2", days: 31))
    #expect(try state(ledger, from: start) == "30 paid until 60")
    // In grace, with the rest until then.
    _ = try ledger.perform(ledger.charge(key: "k2", units(5)))
    ledger.now = start.adding(.seconds(60 * 86_400 + 3600)) ?? .latest
    #expect(try state(ledger, from: start) == "25 paid until 60")
    #expect(try ledger.account().quota?.resetsAt == start.adding(.seconds(61 * 86_400)))
    _ = try ledger.perform(ledger.payment("p3", days: 29))
    #expect(try state(ledger, from: start) == "30 paid until 89")
    // Late: the plan has ended, and begins again.
    ledger.now = start.adding(.seconds(120 * 86_400)) ?? .latest
    #expect(try state(ledger, from: start) == "0 none")
    _ = try ledger.perform(ledger.payment("p4", days: 30))
    #expect(try state(ledger, from: start) == "30 paid until 150")
    ledger.expectSound()
  }

  @Test func earlierEndsAndPastOnesHaveNoEffect() throws {
    let ledger = ledger()
    let start = ledger.now
    _ = try ledger.perform(ledger.payment("p2", days: 60))
    _ = try ledger.perform(ledger.charge(key: "k", units(10)))
    let count = ledger.books.records.count
    _ = try ledger.perform(ledger.payment("p1", days: 30))
    _ = try ledger.perform(ledger.payment("p0", days: -1))
    // The first is remembered, in case the other is refunded.
    #expect(ledger.books.records.count == count + 3)
    #expect(try state(ledger, from: start) == "20 paid until 60")
    #expect(try ledger.perform(ledger.payment("p2", days: 60)).isReplay)
    #expect(try ledger.perform(ledger.payment("p2", days: 59)).isReplay)
    ledger.expectSound()
  }

  @Test func sameTransactionIsExtended() throws {
    let ledger = ledger()
    let start = ledger.now
    _ = try ledger.perform(ledger.payment("p", days: 30))
    _ = try ledger.perform(ledger.charge(key: "k", units(10)))
    let extended = try ledger.perform(ledger.payment("p", days: 45))
    #expect(!extended.isReplay && extended.topUp?.creditsAdded == 0)
    #expect(try state(ledger, from: start) == "30 paid until 45")
    // A duration comes to a later end each time, and is one request all the same.
    let lasting = ledger.topUp(id: "q", .product("sub", quantity: 1)) {
      $0.terms.expiry = .after(.seconds(50 * 86_400))
    }
    _ = try ledger.perform(lasting)
    ledger.now = start.adding(.seconds(86_400)) ?? .latest
    let again = ledger.topUp(id: "q", .product("sub", quantity: 1)) {
      $0.terms.expiry = .after(.seconds(50 * 86_400))
    }
    #expect(try ledger.perform(again).isReplay)
    #expect(try state(ledger, from: start) == "30 paid until 50")
    ledger.expectSound()
  }

  @Test func refundEndsItAtOnceAndAnOldOneDoesNot() throws {
    let ledger = ledger()
    let start = ledger.now
    _ = try ledger.perform(ledger.payment("p1", days: 30))
    _ = try ledger.perform(ledger.payment("p2", days: 60))
    _ = try ledger.perform(ledger.refund(transaction: "p1"))
    #expect(try state(ledger, from: start) == "30 paid until 60")
    _ = try ledger.perform(ledger.refund(transaction: "p2"))
    #expect(try state(ledger, from: start) == "0 none")
    #expect(try ledger.perform(ledger.refund(transaction: "p2")).isReplay)
    // A later beginning is paid for separately, even if it ends before.
    _ = try ledger.perform(ledger.payment("p3", days: 50))
    #expect(try state(ledger, from: start) == "30 paid until 50")
    #expect(try ledger.perform(ledger.refund(transaction: "p2")).isReplay)
    #expect(try state(ledger, from: start) == "30 paid until 50")
    _ = try ledger.perform(ledger.payment("p4", days: 70))
    #expect(try state(ledger, from: start) == "30 paid until 70")
    ledger.expectSound()
  }

  @Test func plansSetByHandTakeItsPlaceUntilTheNextRenewal() throws {
    let ledger = ledger()
    let start = ledger.now
    _ = try ledger.perform(ledger.payment("p1", days: 30))
    _ = try ledger.perform(ledger.change(plan: .set("paid")))
    #expect(try state(ledger, from: start) == "30 paid until 30")
    _ = try ledger.perform(ledger.charge(key: "k", units(2)))
    _ = try ledger.perform(ledger.change(plan: .set("free")))
    #expect(try state(ledger, from: start) == "1 free")
    // The end of the subscription removes only the plan that it has set.
    ledger.now = start.adding(.seconds(40 * 86_400)) ?? .latest
    #expect(try state(ledger, from: start) == "3 free")
    _ = try ledger.perform(ledger.payment("p2", days: 30))
    #expect(try state(ledger, from: start) == "30 paid until 70")
    _ = try ledger.perform(ledger.change(plan: .remove))
    #expect(try state(ledger, from: start) == "0 none")
    // By hand there is no paid period, and so no quota.
    _ = try ledger.perform(ledger.change(plan: .set("paid")))
    #expect(try state(ledger, from: start) == "0 paid")
    ledger.expectSound()
  }

  @Test func anotherProductTakesItsPlace() throws {
    let ledger = ledger()
    let start = ledger.now
    _ = try ledger.perform(ledger.payment("p1", days: 60))
    _ = try ledger.perform(ledger.charge(key: "k", units(4)))
    let other = try ledger.perform(ledger.payment("o1", "other", days: 30))
    // Its quota is 7, of which 4 are used, and it gives 5 credits.
    #expect(other.topUp?.creditsAdded == 5)
    #expect(try state(ledger, from: start) == "8 third until 30")
    _ = try ledger.perform(ledger.refund(transaction: "p1"))
    #expect(try state(ledger, from: start) == "8 third until 30")
    _ = try ledger.perform(ledger.refund(transaction: "o1"))
    #expect(try state(ledger, from: start) == "0 none")
    ledger.expectSound()
  }

  @Test func planThatIsRemovedKeepsNoQuota() throws {
    let ledger = ledger()
    let start = ledger.now
    _ = try ledger.perform(ledger.payment("p1", days: 30))
    let plans = ledger.policy.plans
    ledger.policy.plans.removeFirst()
    #expect(try state(ledger, from: start) == "0 paid until 30")
    #expect(ledger.code(ledger.payment("p2", days: 60)) == .invalidPolicy)
    let view = try ledger.perform(ledger.change(isExempt: false)).accountView
    #expect(view?.isPlanRemoved == true)
    // It comes back with the next renewal.
    ledger.policy.plans = plans
    #expect(try state(ledger, from: start) == "0 paid until 30")
    _ = try ledger.perform(ledger.payment("p2", days: 60))
    #expect(try state(ledger, from: start) == "30 paid until 60")
    ledger.expectSound()
  }

  @Test func membersThatASubscriptionRefuses() throws {
    let ledger = ledger()
    func code(_ configure: (inout TopUpRequest) -> Void) -> CreditError.Code? {
      ledger.code(ledger.payment("p", days: 30, configure))
    }
    #expect(code { $0.terms.expiry = nil } == .invalidRequest)
    #expect(code { $0.terms.priority = 5 } == .invalidRequest)
    #expect(code { $0.terms.start = .after(.seconds(60)) } == .invalidRequest)
    #expect(code { $0.grant = .product("sub", quantity: 2) } == .invalidRequest)
    #expect(code { $0.grant = .target(500, product: "sub") } == .invalidRequest)
    #expect(code { $0.kind = .bonus } == .invalidRequest)
    #expect(
      code {
        $0.kind = .subscription
        $0.grant = .product("pack", quantity: 1)
      } == .invalidRequest)
    #expect(ledger.books.records.isEmpty)
    #expect(code { $0.kind = .subscription } == nil)
    ledger.expectSound()
  }

  @Test func pendingOnesSetNothingUntilTheyAreCompleted() throws {
    let ledger = ledger()
    let start = ledger.now
    _ = try ledger.perform(
      ledger.topUp(id: "p", .product("sub", quantity: 1)) { $0.status = .pending })
    #expect(try state(ledger, from: start) == "0 none")
    #expect(ledger.code(ledger.topUp(id: "p", .product("sub", quantity: 1))) == .invalidRequest)
    _ = try ledger.perform(ledger.payment("p", days: 30))
    #expect(try state(ledger, from: start) == "30 paid until 30")
    _ = try ledger.perform(
      ledger.topUp(id: "r", .product("sub", quantity: 1)) { $0.status = .pending })
    let prices = ledger.policy.prices
    ledger.policy.prices = KnownPrices(
      try PriceCatalog(
        models: [], products: [Product(id: "sub", name: "A month", credits: 0)]))
    #expect(ledger.code(ledger.payment("r", days: 30)) == .invalidPolicy)
    ledger.policy.prices = prices
    // A pending one that says its end has it when it is completed.
    _ = try ledger.perform(ledger.payment("q", days: 40) { $0.status = .pending })
    _ = try ledger.perform(ledger.topUp(id: "q", .product("sub", quantity: 1)))
    #expect(try state(ledger, from: start) == "30 paid until 40")
    ledger.expectSound()
  }

  /// Credits that expire, the end of a plan, the reset of a quota and the start of a grant at one
  /// instant, in this order.
  @Test func orderAtOneInstant() throws {
    let ledger = ledger()
    ledger.now = time("2026-02-01T00:00:00Z")
    let end = time("2026-03-01T00:00:00Z")
    _ = try ledger.perform(
      ledger.topUp(id: "o", .product("other", quantity: 1)) { $0.terms.expiry = .at(end) })
    _ = try ledger.perform(ledger.bonus(key: "b", 2, until: end))
    _ = try ledger.perform(
      ledger.topUp(id: "g", .credits(4)) { $0.terms.start = .at(end) })
    ledger.now = end
    _ = try ledger.perform(ledger.change(isExempt: true))
    let events = ledger.books.records.suffix(4).map { record in
      switch record.event {
      case .expiry(let kind, let credits, _): "\(kind) \(credits)"
      case .settings(let credits): "plan \(credits)"
      case .refill(let credits, _): "refill \(credits)"
      case .topUp(let topUp): "start \(topUp.creditsAdded)"
      default: "other"
      }
    }
    // The quota would have been reset at the same time: it went with its plan.
    #expect(events == ["bonus -2", "plan -7", "start 4", "plan 0"])
    #expect(try state(ledger, from: end) == "9 none")
    ledger.expectSound()
  }

  @Test func aPaymentGivesAClosedAccountItsQuota() throws {
    let ledger = ledger()
    let start = ledger.now
    _ = try ledger.perform(ledger.payment("p1", days: 30))
    _ = try ledger.perform(ledger.charge(key: "k", units(12)))
    _ = try ledger.perform(ledger.change(isClosed: true))
    #expect(ledger.code(ledger.payment("p2", days: 60)) == .accountClosed)
    let before = try ledger.account()
    _ = try ledger.perform(ledger.payment("p2", days: 60) { $0.isPaid = true })
    #expect(try state(ledger, from: start) == "30 paid until 60")
    _ = try ledger.perform(ledger.change(isClosed: false))
    #expect(try state(ledger, from: start) == "30 paid until 60")
    ledger.expectSound()
    // Earlier tools gave none.
    let place = try #require(ledger.books.records.lastIndex { $0.version == .seven })
    let expiry = ledger.books.records[place - 1]
    var record = ledger.books.records[place]
    #expect(expiry.event == .expiry(.quota, credits: -18, grant: nil))
    try expiry.check(after: before, earlier: nil)
    record.event = .settings(credits: 0)
    record.account.transactionCount -= 1
    record.account.quota?.limit = 0
    try record.check(after: expiry.account, earlier: nil)
    record.account.quota?.limit = 1
    #expect(throws: RecordFault.self) { try record.check(after: expiry.account, earlier: nil) }
  }

  /// Earlier tools gave no such quota, although none of it remains.
  @Test func theQuotaOfAClosedAccountMayOnlySettleDebt() throws {
    let ledger = ledger()
    let start = ledger.now
    _ = try ledger.perform(ledger.payment("p1", days: 30))
    _ = try ledger.perform(ledger.authorize(id: "a"))
    _ = try ledger.perform(ledger.charge("a", units(80)))
    _ = try ledger.perform(ledger.change(isClosed: true))
    let count = ledger.books.records.count
    _ = try ledger.perform(ledger.payment("p2", days: 60) { $0.isPaid = true })
    #expect(try state(ledger, from: start) == "-20 paid until 60")
    #expect(try ledger.account().quota?.remaining == 0)
    #expect(ledger.books.records[count...].contains { $0.version == .seven })
    ledger.expectSound()
  }

  /// A quota that was used up changes the balance by 0.
  @Test(arguments: [12, 30])
  func aDisputeWonWhileClosedGivesTheQuotaBack(used: Int64) throws {
    let ledger = ledger()
    let start = ledger.now
    try ledger.pay("p1", days: 30)
    _ = try ledger.perform(ledger.charge(key: "k", units(used)))
    try ledger.dispute("p1", isTaken: true)
    _ = try ledger.perform(ledger.change(isClosed: true))
    try ledger.dispute("p1", isTaken: false)
    #expect(ledger.books.records.filter { $0.version == .seven }.count == 1)
    _ = try ledger.perform(ledger.change(isClosed: false))
    #expect(try state(ledger, from: start) == "\(30 - used) paid until 30")
    ledger.expectSound()
  }
}
