#if Postgres
  import CreditModel
  import CreditServer
  import CreditStore
  import Testing

  @testable import TestSupport

  /// Batches whose first records the server writes while the rules go on.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct SentAheadTests {
    private let url: String
    private let link: any ServerLink
    private let faults = LinkFaults(seed: 1)
    private let client: ServerClient

    init() throws {
      let cluster = try Cluster.shared.get()
      url = try cluster.makeDatabase()
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

    @Test(arguments: [(249, 0), (250, 1), (251, 1), (499, 1), (500, 2), (501, 2)])
    func aBatchOfAnySizeIsWhole(size: Int, sent: Int) throws {
      let answers = try client.perform(charges("ann", 1...size))
      #expect(answers.count == size)
      #expect(faults.sentAhead == sent)
      #expect(try balance("ann") == "\(99_999 - size)")
      #expect(try findings() == [])
      // None of them moves anything the second time.
      #expect(try client.perform(charges("ann", 1...size)).count == size)
      #expect(!faults.refused.contains(.uniqueViolation))
      #expect(try balance("ann") == "\(99_999 - size)")
    }

    /// The keys and ids of a large batch are not looked up at first. One of them exists, and its
    /// row is refused. If it were new, the rules would refuse the large hold, and no row would be.
    @Test(arguments: [1, 60_000] as [Credits])
    func anIDThatExistsIsFoundAllTheSame(hold: Credits) throws {
      let again = GateRequest.authorize(AuthorizeRequest(account: "bob", id: "hold", hold: hold))
      _ = try client.perform([again])[0].get()
      let answers = try client.perform(charges("ann", 1...150) + [again])
      #expect(answers.count == 151)
      for answer in answers { _ = try answer.get() }
      #expect(faults.refused.contains(.uniqueViolation) == (hold == 1))
      #expect(try balance("ann") == "99849")
      #expect(
        try link.text("SELECT count(*) FROM credit.record WHERE account = 'bob'") == "3")
      #expect(try findings() == [])
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
      #expect(try client.perform(charges("ann", 1...520)).count == 520)
      #expect(faults.refused.count { $0 == .uniqueViolation } == 1)
      #expect(faults.sentAhead == 4)
      #expect(try link.text("SELECT count(*) FROM credit.record WHERE account = 'ann'") == "522")
      #expect(try findings() == [])
    }

    /// Its key and id are at the server already when the second one of them comes.
    @Test func anIDThatWasSentAheadLeadsToItsNewestRecord() throws {
      let hold = GateRequest.authorize(AuthorizeRequest(account: "ann", id: "hold", hold: 5))
      let spent = GateRequest.charge(
        ChargeRequest(
          reference: .authorization("hold", account: "ann"), model: "unit",
          usage: .counts(.units(3))))
      let answers = try client.perform([hold] + charges("ann", 1...300) + [spent])
      for answer in answers { _ = try answer.get() }
      #expect(faults.sentAhead == 1)
      #expect(try balance("ann") == "99696")
      #expect(try findings() == [])
      // It was charged: once more is a replay.
      #expect(try client.perform([spent]).count == 1)
      #expect(try balance("ann") == "99696")
    }

    /// Others change one of the accounts that a process knows from its last batch.
    @Test func aKnownAccountOfABatchIsReadAgainIfItHasChanged() throws {
      _ = try client.perform(charges("ann", 1...2) + charges("bob", 1...2))
      let other = try ServerClient(url)
      _ = try other.charge("ann", "other", units: 5)
      _ = try client.perform(charges("ann", 3...4) + charges("bob", 3...4))
      #expect(try balance("ann") == "99990")
      #expect(try balance("bob") == "99995")
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
      let answers = try client.perform(
        charges("ann", 1...260) + [spent] + charges("ann", 261...270))
      #expect(answers.count == 271)
      #expect(throws: CreditError.self) { try answers[260].get() }
      #expect(faults.sentAhead == 2)
      #expect(try balance("ann") == "99729")
      #expect(try balance("bob") == "99999")
      #expect(try findings() == [])
    }
  }
#endif
