import CreditModel
import Testing

@testable import TestSupport

/// Ids that follow from the account under a simulated clock.
@Suite struct LedgerIDTests {
  private func ids(account: Name = "alice", _ configure: (LedgerFixture) throws -> Void = { _ in })
    throws -> [Name]
  {
    let ledger = LedgerFixture { $0.clockIsSimulated = true }
    try configure(ledger)
    let requests = [
      ledger.authorize(account),
      ledger.charge(account, key: "k", .counts(.units(1))),
      ledger.topUp(account, key: "k", .credits(5)),
    ]
    return try requests.compactMap { try ledger.perform($0).id }
  }

  @Test func followFromTheAccountItsRecordsAndTheTime() throws {
    let first = try ids()
    #expect(try ids() == first)
    #expect(Set(first).count == 3)
    #expect(Set(try ids(account: "bob")).isDisjoint(with: first))
    #expect(try Set(ids { $0.now = time("2026-02-19T10:00:00.001Z") }).isDisjoint(with: first))
    let afterOneMore = try ids { _ = try $0.perform($0.authorize()) }
    #expect(afterOneMore[0] == (try idAfterOneRecord()))
    #expect(!afterOneMore.contains(first[0]))
  }

  private func idAfterOneRecord() throws -> Name {
    let ledger = LedgerFixture { $0.clockIsSimulated = true }
    _ = try ledger.perform(ledger.authorize(id: "chosen"))
    return try #require(try ledger.perform(ledger.authorize()).id)
  }

  @Test func areUUIDsOfVersion7() throws {
    for id in try ids() {
      #expect(id.text.utf8.count == 36 && id.text.hasPrefix("019c"))
      let groups = id.text.split(separator: "-")
      #expect(groups.map(\.utf8.count) == [8, 4, 4, 4, 12])
      #expect(groups[2].hasPrefix("7") && "89ab".contains(groups[3].prefix(1)))
    }
  }

  /// The next id follows from the account; a user who takes it must not damage the books.
  @Test func avoidIdsThatAreTaken() throws {
    let next = try ids()[0]
    let ledger = LedgerFixture { $0.clockIsSimulated = true }
    _ = try ledger.perform(ledger.authorize("bob", id: next))
    let made = try #require(try ledger.perform(ledger.authorize()).id)
    #expect(made != next)
    #expect(try ledger.perform(ledger.void(made)).authorization?.account == "alice")
  }

  @Test func areMadeAtRandomOnARealClock() throws {
    let ledger = LedgerFixture()
    #expect(try ledger.perform(ledger.authorize()).id == "id-1")
  }
}
