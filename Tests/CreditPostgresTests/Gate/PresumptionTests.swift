#if Postgres
  import CreditJSON
  import CreditModel
  import CreditServer
  import CreditStore
  import CreditSystem
  import Foundation
  import Testing

  @testable import TestSupport

  /// A process's known state of an account, and others' changes of it.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct PresumptionTests {
    private let url: String
    private let link: any ServerLink

    init() throws {
      let cluster = try Cluster.shared.get()
      url = try cluster.makeDatabase()
      link = try cluster.connect(to: url)
      try ServerClient(url).create(policy: Self.policy(1))
    }

    private static func policy(_ price: Int) -> String {
      """
      {"starterCredits":100000,"models":[{"id":"unit","creditsPerUnit":\(price)}],\
      "plans":[{"id":"daily","quota":5,"period":"day"}]}
      """
    }

    @Test func aRecordOfTheSameNumberIsAnother() throws {
      let client = try ServerClient(url)
      for number in 1...3 { _ = try client.charge("ann", "k\(number)") }
      // A server that has come back without its newest record, whose number another one takes.
      try link.rows(
        "DELETE FROM credit.identity AS i USING credit.account AS a WHERE i.seq = a.seq")
      try link.rows("DELETE FROM credit.record AS r USING credit.account AS a WHERE r.seq = a.seq")
      try link.rows(
        "UPDATE credit.account AS a SET seq = r.seq, position = r.position, "
          + "balance = r.balance FROM credit.record AS r WHERE r.seq = a.seq - 1")
      #expect(try ServerClient(url).charge("ann", "another", units: 7).credits == 7)
      #expect(try client.charge("ann", "k4").credits == 1)
      #expect(try link.text("SELECT balance FROM credit.account WHERE name = 'ann'") == "99990")
      #expect(try client.store.verify { _, _ in }.findings.map(\.message) == [])
    }

    @Test(arguments: [-30, 30] as [Int64])
    func aClockThatStepsDoesNotSetTheStores(days: Int64) throws {
      let client = try ServerClient(url)
      _ = try client.charge("ann", "k1")
      client.system.clockAdvance = days * 86_400_000
      #expect(try client.charge("ann", "k2").credits == 1)
      let isNow = "at BETWEEN clock_timestamp() - interval '1 min' AND clock_timestamp()"
      #expect(try link.text("SELECT count(*) FROM credit.record WHERE NOT \(isNow)") == "0")
    }

    /// Records of others behind the place that a record is to have.
    struct Later: CustomTestStringConvertible {
      let count: Int
      /// By how much their time is ahead.
      let seconds: Int
      /// Whether the record stands before them all the same.
      let areBehind: Bool
      var testDescription: String { "\(count), \(seconds) s" }
    }

    @Test(arguments: [
      Later(count: 1, seconds: 60, areBehind: true), Later(count: 9, seconds: 60, areBehind: true),
      Later(count: 30, seconds: 60, areBehind: false),
      Later(count: 1, seconds: -60, areBehind: false),
    ])
    func othersThatCameLaterStandBehindInOrderOfTime(_ others: Later) throws {
      let client = try ServerClient(url)
      _ = try client.charge("ann", "k1")
      try link.rows(
        """
        INSERT INTO credit.record (account, seq, position, at, before, credits, balance, body)
        SELECT 'bob', n, (SELECT position FROM credit.account WHERE name = 'ann')
        + 60000000000 + n, clock_timestamp() + $1 * interval '1 s', 0, 0, 0, 'none'
        FROM generate_series(1, $2) AS n
        """, .int(Int64(others.seconds)), .int(Int64(others.count)))
      #expect(try client.charge("ann", "k2").credits == 1)
      let isBefore = try link.text(
        "SELECT position < (SELECT min(position) FROM credit.record WHERE account = 'bob') "
          + "FROM credit.account WHERE name = 'ann'")
      #expect(isBefore == (others.areBehind ? "t" : "f"))
    }

    @Test func anAccountThatIsHeldIsWaitedForOnce() throws {
      let client = try ServerClient(url, lockTimeoutSeconds: 1)
      _ = try client.charge("ann", "k1")
      try link.last(
        Statement("BEGIN"), Statement("SELECT FROM credit.account WHERE name = 'ann' FOR UPDATE"))
      let start = ContinuousClock.now
      do {
        _ = try client.charge("ann", "k2")
        Issue.record("the account was held")
      } catch let error as CreditError {
        #expect(error.code == .storeLocked)
        #expect(error.details.contains { if case .outcome("none") = $0 { true } else { false } })
      }
      #expect(ContinuousClock.now - start >= .seconds(1))
      try link.rows("ROLLBACK")
      #expect(try client.charge("ann", "k2").credits == 1)
    }

    @Test func aTimeThatWentByWhileOthersHeldTheAccountIsNotWritten() throws {
      let client = try ServerClient(url)
      _ = try client.charge("ann", "k1")
      let start = try link.text("SELECT clock_timestamp()") ?? ""
      try link.last(
        Statement("BEGIN"), Statement("SELECT FROM credit.account WHERE name = 'ann' FOR UPDATE"))
      nonisolated(unsafe) let holder = link
      let end = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 1.5)
        _ = try? holder.rows("ROLLBACK")
        end.signal()
      }
      #expect(try client.charge("ann", "k2").credits == 1)
      end.wait()
      #expect(
        try link.text(
          "SELECT max(at) >= $1::text::timestamptz + interval '1.4 s' FROM credit.record",
          .text(start))
          == "t")
    }

    /// They are more than are written in one statement, and outside of a transaction.
    @Test func turnsOfAKnownAccountAreWrittenWithItsCharge() throws {
      let client = try ServerClient(url)
      let now = PosixSystem().currentMilliseconds()
      let plan = AccountRequest(
        account: "ann", plan: .set("daily"), time: Timestamp(milliseconds: now - 60 * 86_400_000))
      _ = try client.perform([.account(plan)])[0].get()
      #expect(try client.charge("ann", "k1", units: 7).credits == 7)
      #expect(try client.charge("ann", "k2").credits == 1)
      #expect(try link.text("SELECT balance FROM credit.account WHERE name = 'ann'") == "99997")
      #expect(try link.text("SELECT count(*) > 100 FROM credit.record") == "t")
      #expect(try client.store.verify { _, _ in }.findings.map(\.message) == [])
    }

    @Test func aPolicyThatTookTheNumberOfOneThatWasLostHolds() throws {
      let client = try ServerClient(url)
      _ = try client.charge("ann", "k1")
      try link.rows(
        "UPDATE credit.policy SET set_at = clock_timestamp(), body = $1", .text(Self.policy(9)))
      #expect(try client.charge("ann", "k2").credits == 1)
      // Another server is met over another connection.
      try link.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
          + "WHERE application_name = 'credit-tools' AND datname = current_database() "
          + "AND pid <> pg_backend_pid()")
      #expect(try client.charge("ann", "k3").credits == 9)
    }

    @Test func moreRequestsThanABatchHasAreOfOnePolicyEach() throws {
      let client = try ServerClient(url)
      let old = try client.store.policyOfBatch()
      try ServerClient(url).store.setPolicy(
        client.store.policyDraft(text: Array(Self.policy(2).utf8)))
      let requests = (1...4500).map { ServerClient.charging("ann", "k\($0)") }
      let gate = client.store.gate { _ in Name(trusted: UUID().uuidString.lowercased()) }
      // The policy that the batch was gathered by is handed on to each of its parts.
      var credits: Set<Int64> = []
      let batch = Batch(under: old)
      for request in requests { batch.add(request) }
      while batch.quoteMore() {}
      while !batch.unanswered.isEmpty { try gate.perform(batch) }
      for place in batch.answers.indices {
        guard case .success(.receipt(let charge, _)) = batch.answers[place] else { continue }
        credits.insert(charge.receipt.creditsCharged)
      }
      #expect(credits == [2])
    }
  }
#endif
