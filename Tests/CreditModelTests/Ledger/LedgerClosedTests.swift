import CreditModel
import Testing

@testable import TestSupport

/// Accounts that are closed to new work.
@Suite struct LedgerClosedTests {
  @Test func refusesNewWork() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.topUp("bob", key: "t", .credits(10)))
    #expect(try ledger.perform(ledger.change(isClosed: true)).account?.isClosed == true)
    for request in [
      ledger.authorize(), ledger.charge(key: "k", .counts(.units(1))),
      ledger.charge(key: "k", .counts(.units(1)), model: "free"),
      ledger.topUp(key: "t", .credits(1)),
      ledger.topUp(id: "t", .credits(1)) {
        $0.status = .pending
      },
      ledger.transfer(1, from: "bob", to: "alice"),
    ] {
      #expect(ledger.code(request) == .accountClosed)
    }
    #expect(try ledger.balance() == 100)
    _ = try ledger.perform(ledger.change(isClosed: false))
    _ = try ledger.perform(ledger.authorize())
  }

  @Test func finishesWorkThatHasBegun() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.change("bob"))
    _ = try ledger.perform(ledger.authorize(id: "a"))
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(50)) { $0.status = .pending })
    _ = try ledger.perform(ledger.charge(key: "k", .counts(.units(5))))
    let id = try #require(ledger.books.records.last?.event.id)
    _ = try ledger.perform(ledger.change(isClosed: true))
    _ = try ledger.perform(ledger.charge("a", .counts(.units(10))))
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(50)))
    _ = try ledger.perform(ledger.transfer(20))
    if case .authorization(let name) = id {
      _ = try ledger.perform(ledger.refund(authorization: name))
    }
    _ = try ledger.perform(ledger.refund(transaction: "t"))
    #expect(try ledger.balance() == 70)
    // Earlier answers are repeated.
    #expect(try ledger.perform(ledger.charge(key: "k", .counts(.units(5)))).isReplay)
  }

  @Test func itsQuotaDoesNotRefill() throws {
    let plan = Plan(id: "daily", quota: 10, period: .day, rolloverMax: 10)
    let ledger = LedgerFixture(starter: 0) { $0.plans = [plan] }
    _ = try ledger.perform(ledger.change(plan: .set("daily")))
    _ = try ledger.perform(ledger.change(isClosed: true))
    ledger.now = time("2026-02-25T00:00:00Z")
    #expect(try ledger.balance() == 0)
    _ = try ledger.perform(ledger.change(isClosed: false))
    #expect(try ledger.balance() == 0)
    ledger.now = time("2026-02-26T00:00:00Z")
    #expect(try ledger.balance() == 10)
  }
}
