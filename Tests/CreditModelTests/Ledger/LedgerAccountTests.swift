import CreditModel
import Testing

@testable import TestSupport

@Suite struct LedgerAccountTests {
  @Test func theFirstWriteRegistersOnce() throws {
    let ledger = LedgerFixture(starter: 100)
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(1)))
    ledger.policy.starterCredits = 5000
    _ = try ledger.perform(ledger.topUp(id: "t2", .credits(1)))
    #expect(try ledger.balance() == 102)
    #expect(ledger.books.records.first?.event == .registration(starter: 100))
    #expect(ledger.books.records.count == 3)
    #expect(try ledger.account().registeredAt == ledger.now)
  }

  @Test func explicitRegistration() throws {
    let ledger = LedgerFixture { $0.registersAutomatically = false }
    #expect(ledger.code(ledger.authorize()) == .unknownAccount)
    #expect(ledger.code(ledger.charge(key: "k", units(1))) == .unknownAccount)
    #expect(ledger.code(ledger.topUp(id: "t", .credits(1))) == .unknownAccount)
    #expect(ledger.books.records.isEmpty)
    #expect(try ledger.perform(ledger.change()).account?.balance == 100)
    #expect(ledger.books.records.count == 1)
    _ = try ledger.perform(ledger.authorize())
  }

  @Test func whatIsSoAlreadyIsLeftAlone() throws {
    let ledger = LedgerFixture { $0.plans = [Plan(id: "p", quota: 10, period: .month)] }
    _ = try ledger.perform(ledger.change(plan: .set("p"), isExempt: false))
    let events = ledger.books.records.map(\.event)
    #expect(events == [.registration(starter: 100), .settings(credits: 10)])
    _ = try ledger.perform(ledger.change())
    _ = try ledger.perform(ledger.change(plan: .set("p"), isExempt: false))
    #expect(ledger.books.records.count == 2)
    #expect(ledger.code(ledger.change(plan: .set("q"))) == .unknownPlan)
    #expect(ledger.code(ledger.change("bob", plan: .set("q"))) == .unknownPlan)
    #expect(ledger.books.account("bob") == nil)
    _ = try ledger.perform(ledger.change(plan: .remove))
    #expect(ledger.books.records.last?.event == .settings(credits: -10))
    #expect(try ledger.buckets() == "starter 100")
  }

  /// What an account was seen to have stays so when the policy is edited, though nothing was set.
  @Test(arguments: [10, 0] as [Credits])
  func aTurnThatWasSeenIsRecorded(quota: Credits) throws {
    let ledger = LedgerFixture(starter: 0) {
      $0.plans = [Plan(id: "p", quota: quota, period: .month)]
    }
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    let count = ledger.books.records.count
    let turn: [LedgerEvent] = [.expiry(.quota, credits: -quota), .refill(credits: quota)]
    ledger.now = time("2026-03-10T00:00:00Z")
    for _ in 1...2 {
      #expect(try ledger.perform(ledger.change()).account?.quota?.limit == quota)
      #expect(
        ledger.books.records[count...].map(\.event) == (quota > 0 ? turn : []) + [
          .settings(credits: 0)
        ])
    }
    ledger.policy.plans = [Plan(id: "p", quota: 70, period: .day)]
    #expect(try ledger.account().quota?.limit == quota)
    ledger.now = time("2026-04-01T00:00:00Z")
    #expect(try ledger.account().quota?.limit == 70)
  }

  @Test func anExpiryThatWasSeenIsRecorded() throws {
    let ledger = LedgerFixture()
    let expiry = time("2026-03-01T00:00:00Z")
    _ = try ledger.perform(ledger.bonus(key: "b", 5, until: expiry))
    ledger.now = expiry
    _ = try ledger.perform(ledger.change(isExempt: false))
    #expect(
      ledger.books.records.map(\.event).suffix(2) == [
        .expiry(.bonus, credits: -5), .settings(credits: 0),
      ])
  }

  @Test func theClockNeverRunsBackwards() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(1)))
    let first = ledger.now
    ledger.now = time("2026-01-01T00:00:00Z")
    let receipt = try ledger.perform(ledger.charge(key: "k", units(1))).receipt
    #expect(receipt?.timestamp == first)
    #expect(ledger.books.account("alice")?.updatedAt == first)
    // Another account has its own clock.
    #expect(
      try ledger.perform(ledger.charge("bob", key: "k", units(1))).receipt?.timestamp == ledger.now)
  }

  @Test func fiveMinutesAheadOfTheSystemAtMost() throws {
    let ledger = LedgerFixture()
    ledger.systemTime = ledger.now
    ledger.now = time("2026-02-19T10:05:00Z")
    _ = try ledger.perform(ledger.topUp(id: "t1", .credits(1)))
    ledger.now = time("2026-02-19T10:05:00.001Z")
    #expect(ledger.code(ledger.topUp(id: "t2", .credits(1))) == .invalidRequest)
    #expect(ledger.code(ledger.change("bob")) == .invalidRequest)
    #expect(ledger.books.account("bob") == nil)
    ledger.policy.clockIsSimulated = true
    _ = try ledger.perform(ledger.topUp(id: "t2", .credits(1)))
    ledger.now = .latest
    ledger.systemTime = .latest
    ledger.policy.clockIsSimulated = false
    _ = try ledger.perform(ledger.topUp(id: "t3", .credits(1)))
    #expect(try ledger.balance() == 103)
  }
  /// A replay writes nothing, so any clock will do.
  @Test func repeatsAreAnsweredAtAnyTime() throws {
    let ledger = LedgerFixture()
    ledger.systemTime = ledger.now
    let requests = [
      { ledger.authorize(id: "a1") }, { ledger.charge(key: "k", units(5)) },
      { ledger.topUp(id: "t1", .credits(1)) }, { ledger.authorize(id: "a2") },
      { ledger.void("a2") }, { ledger.topUp(id: "t2", .credits(1)) },
      { ledger.refund(transaction: "t2") },
    ]
    for request in requests { #expect(try !ledger.perform(request()).isReplay) }
    let count = ledger.books.records.count
    ledger.now = time("2999-01-01T00:00:00Z")
    for request in requests.enumerated() where request.offset != 3 {
      #expect(try ledger.perform(request.element()).isReplay)
    }
    #expect(ledger.code(ledger.authorize(id: "a2")) == .authorizationClosed)
    #expect(try ledger.perform(ledger.change()).account?.balance == 96)
    let skipped = ledger.topUp(id: "t3", .credits(1)) { $0.below = 1 }
    guard case .skipped = try ledger.perform(skipped) else {
      Issue.record("96 is not below 1")
      return
    }
    #expect(ledger.books.records.count == count)
    #expect(ledger.code(ledger.charge("a1", units(1))) == .invalidRequest)
    #expect(ledger.code(ledger.charge("bob", key: "k", units(1))) == .invalidRequest)
    #expect(ledger.books.records.count == count)
  }
}
