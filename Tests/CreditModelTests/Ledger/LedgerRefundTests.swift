import CreditModel
import Testing

@testable import TestSupport

@Suite struct LedgerRefundTests {
  private let march = time("2026-03-01T00:00:00Z")

  @Test func takesAPurchaseBackOnce() throws {
    let ledger = LedgerFixture(starter: 100)
    _ = try ledger.perform(ledger.topUp(id: "t1", .credits(1000)))
    _ = try ledger.perform(ledger.charge(key: "c", units(300)))
    let first = try ledger.perform(ledger.refund(transaction: "t1"))
    #expect(first.refund?.credits == 1000)
    #expect(first.refund?.newBalance == -200)
    _ = try ledger.perform(ledger.topUp(id: "t2", .credits(1)))
    let again = try ledger.perform(ledger.refund(transaction: "t1"))
    #expect(again.isReplay && again.refund == first.refund)
    let bought = try ledger.perform(ledger.topUp(id: "t1", .credits(1000)))
    #expect(bought.isReplay && bought.topUp?.transaction.status == .refunded)
    #expect(try ledger.balance() == -199)
  }

  /// From purchased credits, then in burn order, then as debt, with or without overdraft.
  @Test func takesPurchasedCreditsFirst() throws {
    let ledger = LedgerFixture(starter: 10) { $0.allowsOverdraft = false }
    _ = try ledger.perform(ledger.bonus(key: "b", 10))
    _ = try ledger.perform(ledger.topUp(id: "t1", .credits(30)))
    _ = try ledger.perform(ledger.topUp(id: "t2", .credits(5)))
    _ = try ledger.perform(ledger.charge(key: "c", units(40)))
    #expect(try ledger.buckets() == "purchased 15")
    _ = try ledger.perform(ledger.bonus(key: "b2", 10))
    _ = try ledger.perform(ledger.refund(transaction: "t2"))
    #expect(try ledger.buckets() == "bonus 10, purchased 10")
    _ = try ledger.perform(ledger.refund(transaction: "t1"))
    #expect(try ledger.buckets() == "purchased -10")
  }

  @Test func refusesAnAuthorizationOfAnotherAccount() throws {
    let ledger = LedgerFixture(starter: 10)
    let charge = try ledger.perform(ledger.charge(key: "c", units(4)))
    let id = try #require(charge.receipt).authorization.id
    let request = RefundRequest(reference: .authorization(id), account: "bob", time: ledger.now)
    #expect(ledger.code(.refund(request)) == .idempotencyConflict)
    #expect(try ledger.balance() == 6)
  }

  @Test func onlyCompletedOnesGoBack() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(5)) { $0.status = .pending })
    #expect(ledger.code(ledger.refund(transaction: "t")) == .transactionNotCompleted)
    #expect(ledger.code(ledger.refund(transaction: "u")) == .unknownTransaction)
    _ = try ledger.perform(ledger.authorize(id: "a"))
    #expect(ledger.code(ledger.refund(authorization: "a")) == .authorizationNotCharged)
    _ = try ledger.perform(ledger.void("a"))
    #expect(ledger.code(ledger.refund(authorization: "a")) == .authorizationNotCharged)
    #expect(ledger.code(ledger.refund(authorization: "b")) == .unknownAuthorization)
  }

  @Test func givesAChargeBackOnce() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a"))
    let charge = try ledger.perform(ledger.charge("a", units(30)))
    let first = try ledger.perform(ledger.refund(authorization: "a"))
    #expect(first.refund?.credits == 30)
    #expect(first.refund?.forfeited == 0)
    #expect(first.refund?.newBalance == 100)
    let again = try ledger.perform(ledger.refund(authorization: "a"))
    #expect(again.isReplay && again.refund == first.refund)
    // The charge stays done: its repeat is the first receipt.
    #expect(try ledger.perform(ledger.charge("a", units(30))).receipt == charge.receipt)
    #expect(ledger.code(ledger.authorize(id: "a")) == .authorizationClosed)
    #expect(try ledger.buckets() == "starter 100")
  }

  /// A refund right after a charge leaves every bucket as it was, debt included.
  @Test func undoesAChargeExactly() throws {
    let ledger = LedgerFixture(starter: 7) { $0.plans = [Plan(id: "p", quota: 9, period: .month)] }
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    _ = try ledger.perform(ledger.bonus(key: "b", 10, until: time("2026-02-25T00:00:00Z")))
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(5)))
    var before = try ledger.account()
    for (key, price) in [("1", 3), ("2", 12), ("3", 25), ("4", 31), ("5", 50)] as [(Name, Int64)] {
      let receipt = try ledger.perform(ledger.charge(key: key, units(price))).receipt
      let id = receipt?.authorization.id ?? ""
      #expect(try ledger.perform(ledger.refund(authorization: id)).refund?.credits == price)
      before.recordCount += 2
      before.transactionCount += 2
      #expect(try ledger.account() == before)
    }
  }

  @Test func creditsThatExpiredSinceAreForfeited() throws {
    let ledger = LedgerFixture { $0.plans = [Plan(id: "p", quota: 20, period: .day)] }
    _ = try ledger.perform(ledger.bonus(key: "b", 50, until: march))
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    _ = try ledger.perform(ledger.charge(key: "c1", units(30)))
    _ = try ledger.perform(ledger.charge(key: "c2", units(60)))
    ledger.now = march
    let second = try ledger.perform(ledger.refund(authorization: "id-3")).refund
    #expect(second?.credits == 20 && second?.forfeited == 40)
    let first = try ledger.perform(ledger.refund(authorization: "id-2")).refund
    #expect(first?.credits == 0 && first?.forfeited == 30)
    #expect(try ledger.buckets() == "quota 20, starter 100")
  }

  @Test func aQuotaTakesBackItsPeriodsCredits() throws {
    let ledger = LedgerFixture(starter: 0) {
      $0.plans = [
        Plan(id: "p", quota: 20, period: .month), Plan(id: "small", quota: 5, period: .month),
      ]
    }
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    _ = try ledger.perform(ledger.charge(key: "c1", units(12)))
    _ = try ledger.perform(ledger.change(plan: .set("small")))
    #expect(try ledger.account().quota?.remaining == 0)
    let refund = try ledger.perform(ledger.refund(authorization: "id-1")).refund
    // 12 were used of a quota that is 5 now.
    #expect(refund?.credits == 5 && refund?.forfeited == 7)
    #expect(try ledger.buckets() == "quota 5")
  }

  /// A change of plan moves the reset, but expires no credits.
  @Test func aQuotaTakesBackAnotherPlansCredits() throws {
    let ledger = LedgerFixture(starter: 0) {
      $0.plans = [
        Plan(id: "p", quota: 20, period: .month), Plan(id: "daily", quota: 30, period: .day),
        Plan(id: "q", quota: 9, period: .days(60)),
      ]
    }
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    for key in ["c1", "c2", "c3", "c4"] as [Name] {
      _ = try ledger.perform(ledger.charge(key: key, units(5)))
    }
    _ = try ledger.perform(ledger.change(plan: .set("daily")))
    let first = try ledger.perform(ledger.refund(authorization: "id-1")).refund
    #expect(first?.credits == 5 && first?.forfeited == 0)
    #expect(try ledger.account().quota?.used == 15)
    // A new period of the present quota, of which 2 are used; the one that paid has not ended.
    ledger.now = time("2026-02-21T00:00:00Z")
    _ = try ledger.perform(ledger.charge(key: "c5", units(2)))
    let second = try ledger.perform(ledger.refund(authorization: "id-2")).refund
    #expect(second?.credits == 2 && second?.forfeited == 3)
    #expect(try ledger.buckets() == "quota 30")
    _ = try ledger.perform(ledger.change(plan: .remove))
    let third = try ledger.perform(ledger.refund(authorization: "id-3")).refund
    #expect(third?.credits == 0 && third?.forfeited == 5)
    // The period that paid has ended, though the present one began before.
    _ = try ledger.perform(ledger.change(plan: .set("q")))
    _ = try ledger.perform(ledger.charge(key: "c6", units(9)))
    ledger.now = march
    let fourth = try ledger.perform(ledger.refund(authorization: "id-4")).refund
    #expect(fourth?.credits == 0 && fourth?.forfeited == 5)
    #expect(try ledger.account().quota?.used == 9)
  }

  @Test func refundThatWouldNotFitIsRefused() throws {
    let ledger = LedgerFixture(starter: 0) {
      $0.plans = [Plan(id: "p", quota: .largestGrant, period: .month)]
    }
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    _ = try ledger.perform(ledger.charge(key: "c1", units(.largestGrant)))
    for count in 1...1023 {
      let id = Name(trusted: "t\(count)")
      _ = try ledger.perform(ledger.topUp(id: id, .credits(.largestGrant)))
    }
    _ = try ledger.perform(ledger.bonus(key: "b", .largestGrant - 1))
    #expect(try ledger.balance() == .max)
    #expect(ledger.code(ledger.refund(authorization: "id-1")) == .amountOutOfRange)
    #expect(try ledger.balance() == .max)
    // Nor does the next month's quota fit.
    ledger.now = march
    #expect(ledger.code(ledger.charge(key: "c2", units(1))) == .amountOutOfRange)
  }

  // MARK: Parts

  @Test func aPurchaseIsRefundedInParts() throws {
    let ledger = LedgerFixture(starter: 10)
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(100)))
    #expect(try ledger.perform(ledger.refund(transaction: "t", 30)).refund?.credits == 30)
    #expect(try ledger.perform(ledger.refund(transaction: "t", 30)).isReplay)
    #expect(try ledger.perform(ledger.refund(transaction: "t", 50)).refund?.credits == 20)
    #expect(try ledger.balance() == 60)
    #expect(ledger.code(ledger.refund(transaction: "t", 30)) == .idempotencyConflict)
    #expect(ledger.code(ledger.refund(transaction: "t", 101)) == .invalidRequest)
    #expect(try ledger.perform(ledger.refund(transaction: "t")).refund?.credits == 50)
    #expect(try ledger.perform(ledger.refund(transaction: "t", 100)).isReplay)
    #expect(try ledger.balance() == 10)
    let ids = ledger.books.records.compactMap(\.historyLine?.id.text)
    #expect(ids == ["starter", "t", "refund:t", "refund:t:2", "refund:t:3"])
    #expect(ledger.books.records.last?.revision?.creditsRefunded == 100)
  }

  @Test func aNegativeAdjustmentTakesAsARefundDoes() throws {
    let ledger = LedgerFixture(starter: 10) {
      $0.topUpLimit = TopUpLimit(count: 1, period: .seconds(60))
      $0.allowsOverdraft = false
    }
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(5)))
    func adjust(_ key: Name, _ credits: Credits) -> GateRequest {
      ledger.topUp(key: key, .credits(credits)) {
        $0.kind = .adjustment
        $0.reason = "counted twice"
      }
    }
    #expect(try ledger.perform(adjust("a", -7)).topUp?.creditsAdded == -7)
    #expect(try ledger.buckets() == "starter 8")
    #expect(try ledger.perform(adjust("b", -20)).topUp?.newBalance == -12)
    #expect(try ledger.perform(adjust("b", -20)).isReplay)
    #expect(ledger.code(adjust("b", -21)) == .idempotencyConflict)
    #expect(ledger.code(adjust("c", 1)) == .rateLimited)
    #expect(ledger.code(ledger.refund(transaction: "id-1")) == .invalidRequest)
  }
}
