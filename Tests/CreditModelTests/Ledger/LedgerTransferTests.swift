import CreditModel
import Testing

@testable import TestSupport

/// Credits that go from one account to another.
@Suite struct LedgerTransferTests {
  /// Alice with 100 purchased credits beside 100 starter credits, and Bob with 100 starter credits.
  private func ledger(_ configure: (inout Policy) -> Void = { _ in }) throws -> LedgerFixture {
    let ledger = LedgerFixture(configure)
    _ = try ledger.perform(ledger.topUp(key: "t", .credits(100)))
    _ = try ledger.perform(ledger.change("bob"))
    return ledger
  }

  @Test func movesPurchasedCreditsOnce() throws {
    let ledger = try ledger()
    let transfer = try #require(try ledger.perform(ledger.transfer(40)).transfer)
    #expect(transfer.fromBalance == 160 && transfer.toBalance == 140)
    #expect(try ledger.buckets() == "starter 100, purchased 60")
    #expect(try ledger.buckets("bob") == "starter 100, purchased 40")
    let count = ledger.books.records.count
    let again = try ledger.perform(ledger.transfer(40))
    #expect(again.isReplay && again.transfer == transfer)
    #expect(ledger.code(ledger.transfer(41)) == .idempotencyConflict)
    #expect(ledger.code(ledger.transfer(40, to: "carol")) == .idempotencyConflict)
    #expect(ledger.books.records.count == count)
    let lines = ledger.books.records.suffix(2).compactMap(\.historyLine)
    #expect(lines.map(\.kind) == [.transfer, .transfer] && lines.map(\.credits) == [-40, 40])
    #expect(lines.map(\.id) == [transfer.id, transfer.id])
    #expect(lines.map(\.counterparty) == ["bob", "alice"] && lines.map(\.key) == ["k", nil])
  }

  @Test func givesOnlyFreePurchasedCredits() throws {
    let ledger = try ledger()
    #expect(ledger.code(ledger.transfer(101)) == .insufficientCredits)
    _ = try ledger.perform(ledger.authorize(hold: 150))
    #expect(ledger.code(ledger.transfer(51)) == .insufficientCredits)
    _ = try ledger.perform(ledger.transfer(50))
    // Starter credits alone can't be given; nor is the giver registered by trying.
    #expect(ledger.code(ledger.transfer(1, from: "carol")) == .insufficientCredits)
    #expect(ledger.books.account("carol") == nil)
  }

  @Test func goesToAnotherRegisteredAccount() throws {
    let ledger = try ledger()
    #expect(ledger.code(ledger.transfer(1, to: "bbo")) == .unknownAccount)
    #expect(ledger.books.account("bbo") == nil)
    #expect(ledger.code(ledger.transfer(1, to: "alice")) == .invalidRequest)
  }

  @Test func settlesTheReceiversDebt() throws {
    let ledger = try ledger()
    _ = try ledger.perform(ledger.charge("bob", key: "c", .counts(.units(130))))
    _ = try ledger.perform(ledger.transfer(40))
    #expect(try ledger.buckets("bob") == "purchased 10")
  }

  /// The key of a transfer differs from keys of charges and top-ups, and each account has its own.
  @Test func hasKeysOfItsOwn() throws {
    let ledger = try ledger()
    _ = try ledger.perform(ledger.charge(key: "k", .counts(.units(1))))
    _ = try ledger.perform(ledger.topUp(key: "k", .credits(1)))
    _ = try ledger.perform(ledger.transfer(10, key: "k"))
    _ = try ledger.perform(ledger.transfer(10, from: "bob", to: "alice", key: "k"))
    #expect(try ledger.balance("bob") == 100)
  }

  @Test(arguments: [true, false]) func happensAtTheLaterClock(receiverIsAhead: Bool) throws {
    let ledger = try ledger { $0.clockIsSimulated = true }
    let start = ledger.now
    ledger.now = time("2026-03-01T00:00:00Z")
    let ahead: Name = receiverIsAhead ? "bob" : "alice"
    _ = try ledger.perform(ledger.authorize(ahead))
    ledger.now = start
    let transfer = try #require(try ledger.perform(ledger.transfer(10)).transfer)
    #expect(transfer.timestamp == time("2026-03-01T00:00:00Z"))
    let both = ledger.books.records.suffix(2)
    #expect(both.allSatisfy { $0.account.updatedAt == transfer.timestamp })
  }

  /// A request whose own time is too far ahead is refused as any other is.
  @Test func checksTheClock() throws {
    let ledger = try ledger()
    ledger.systemTime = ledger.now
    ledger.now = time("2026-02-19T10:06:00Z")
    #expect(ledger.code(ledger.transfer(10)) == .invalidRequest)
  }
}
