#if Postgres
  import CreditModel
  import CreditServer
  import CreditStore
  import Testing

  @testable import TestSupport

  /// Batches whose first records the server writes while the rules go on.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct SentAheadTests {
    private let link: any ServerLink
    private let faults = LinkFaults(seed: 1)
    private let client: ServerClient

    init() throws {
      let cluster = try Cluster.shared.get()
      let url = try cluster.makeDatabase()
      link = try cluster.connect(to: url)
      client = try ServerClient(url, faults: faults)
      try client.create(
        policy: #"{"starterCredits":100000,"models":[{"id":"unit","creditsPerUnit":1}]}"#)
      // The first record of an account is its starter credits.
      for account in ["ann", "bob"] { _ = try client.charge(account, "first") }
    }

    private func charges(_ account: String, _ numbers: ClosedRange<Int>) -> [GateRequest] {
      numbers.map { ServerClient.charging(account, "k\($0)") }
    }

    private func balance(_ account: String) throws -> String? {
      try link.text("SELECT balance FROM credit.account WHERE name = $1", .text(account))
    }

    private func findings() throws -> [String] {
      try client.store.verify { _, _ in }.findings.map(\.message)
    }

    @Test(arguments: [(49, 0), (50, 1), (51, 1), (99, 1), (100, 2), (101, 2)])
    func aBatchOfAnySizeIsWhole(size: Int, sent: Int) throws {
      let answers = try client.perform(charges("ann", 1...size))
      #expect(answers.count == size)
      #expect(faults.sentAhead == sent)
      #expect(try balance("ann") == "\(99_999 - size)")
      #expect(try findings() == [])
      // None of them moves anything the second time.
      #expect(try client.perform(charges("ann", 1...size)).count == size)
      #expect(try balance("ann") == "\(99_999 - size)")
    }

    /// Another process has written one of the same number.
    @Test func aRefusedRecordUndoesItsBatch() throws {
      try link.rows(
        """
        INSERT INTO credit.record (account, seq, position, at, before, credits, balance, body)
        SELECT 'ann', 10, 1, clock_timestamp() - interval '1 day', 0, 0, 0, 'none'
        """)
      faults.onRefusal = { [link] in
        _ = try? link.rows("DELETE FROM credit.record WHERE body = 'none'")
      }
      #expect(try client.perform(charges("ann", 1...120)).count == 120)
      #expect(faults.refused.count { $0 == .uniqueViolation } == 1)
      #expect(faults.sentAhead == 4)
      #expect(try link.text("SELECT count(*) FROM credit.record WHERE account = 'ann'") == "122")
      #expect(try findings() == [])
    }

    /// An id turns out to be of another account than it says, when others of its batch are at the
    /// server already.
    @Test func anAccountThatWasNotLockedIsLockedTheNextTime() throws {
      _ = try client.perform([
        .authorize(AuthorizeRequest(account: "bob", id: "hold", hold: 5))
      ])[0].get()
      let spent = GateRequest.charge(
        ChargeRequest(
          reference: .authorization("hold", account: "ann"), model: "unit",
          usage: .counts(.units(3))))
      let answers = try client.perform(charges("ann", 1...60) + [spent] + charges("ann", 61...70))
      #expect(answers.count == 71)
      #expect(throws: CreditError.self) { try answers[60].get() }
      #expect(faults.sentAhead == 2)
      #expect(try balance("ann") == "99929")
      #expect(try balance("bob") == "99999")
      #expect(try findings() == [])
    }
  }
#endif
