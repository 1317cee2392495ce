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

  @Test func unchangedValuesAreLeftAlone() throws {
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

  /// Children without children of their own are not searched for some.
  @Test func aParentOfManyGetsAParentByOneSearch() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.change("head"))
    _ = try ledger.perform(ledger.change("top"))
    for number in 0..<50 {
      _ = try ledger.perform(ledger.change(Name(trusted: "m\(number)"), parent: "head"))
    }
    #expect(try ledger.perform(ledger.change("head", parent: "top")).account?.parent == "top")
    #expect(ledger.books.searchCount == 1)
  }

  /// An account's visible state survives an edit of the policy, even if nothing was set.
  @Test(arguments: [10, 0] as [Credits])
  func aTurnThatWasSeenIsRecorded(quota: Credits) throws {
    let ledger = LedgerFixture(starter: 0) {
      $0.plans = [Plan(id: "p", quota: quota, period: .month)]
    }
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    let count = ledger.books.records.count
    let turn: [LedgerEvent] = [
      .expiry(.quota, credits: -quota, grant: nil), .refill(credits: quota, carriedOver: 0),
    ]
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
        .expiry(.bonus, credits: -5, grant: "id-1"), .settings(credits: 0),
      ])
  }
}
