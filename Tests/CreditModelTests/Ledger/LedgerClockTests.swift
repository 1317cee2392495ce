import CreditModel
import Testing

@testable import TestSupport

/// Which time records carry. (Contract, section 2, Time.)
@Suite struct LedgerClockTests {
  private let noon = TestSupport.time("2026-02-19T12:00:00Z")

  private func authorize(_ account: Name, at time: Timestamp? = nil) -> GateRequest {
    .authorize(AuthorizeRequest(account: account, time: time))
  }

  private func recorded(_ ledger: LedgerFixture, _ request: GateRequest) throws -> Timestamp? {
    let made = try ledger.perform(request).authorization?.timestamp
    #expect(made == ledger.books.latestTime)
    return made
  }

  @Test func aRequestWithoutATimeIsOfTheGates() throws {
    let ledger = LedgerFixture()
    ledger.now = noon
    #expect(try recorded(ledger, authorize("alice")) == noon)
  }

  @Test func onARealClockNoRecordIsEarlierThanTheOneBefore() throws {
    let ledger = LedgerFixture()
    ledger.now = noon
    _ = try ledger.perform(authorize("alice"))
    ledger.now = time("2026-02-19T11:59:00Z")
    #expect(try recorded(ledger, authorize("bob")) == noon)
    #expect(try recorded(ledger, authorize("carol", at: ledger.now)) == noon)
    // An account that was there keeps to the store's time as well.
    ledger.now = time("2026-02-19T12:30:00Z")
    #expect(try recorded(ledger, authorize("bob")) == ledger.now)
    #expect(try recorded(ledger, authorize("alice", at: noon)) == ledger.now)
  }

  @Test func onASimulatedClockEachAccountHasItsOwn() throws {
    let ledger = LedgerFixture { $0.clockIsSimulated = true }
    ledger.now = noon
    _ = try ledger.perform(authorize("alice"))
    let morning = time("2026-02-19T08:00:00Z")
    #expect(try recorded(ledger, authorize("bob", at: morning)) == morning)
    #expect(try recorded(ledger, authorize("alice", at: morning)) == noon)
    ledger.now = morning
    #expect(try recorded(ledger, authorize("bob")) == morning)
    let farAhead = time("2030-01-01T00:00:00Z")
    #expect(try recorded(ledger, authorize("bob", at: farAhead)) == farAhead)
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

  /// A replay writes no record, so any clock will do.
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

  /// Changes by time alone have the time of their effect, and move no clock back.
  @Test func turnsAreOfWhenTheyTookEffect() throws {
    let ledger = LedgerFixture()
    ledger.now = noon
    let expiry = time("2026-02-19T13:00:00Z")
    _ = try ledger.perform(ledger.bonus(key: "b", 5, until: expiry))
    ledger.now = time("2026-02-19T14:00:00Z")
    _ = try ledger.perform(authorize("bob"))
    _ = try ledger.perform(authorize("alice"))
    let times = ledger.books.records.suffix(2).map(\.account.updatedAt)
    #expect(times == [expiry, ledger.now])
  }
}
