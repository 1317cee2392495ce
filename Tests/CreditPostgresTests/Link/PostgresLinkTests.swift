#if Postgres
  import CreditServer
  import Foundation
  import Testing

  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct PostgresLinkTests {
    let link: any ServerLink

    init() throws { link = try Cluster.shared.get().connect() }

    /// Neither side has room for all of it, so that either must read while it writes.
    @Test func aPipelineMayExceedTheBuffers() throws {
      let text = String(repeating: "x", count: 50_000)
      let statements = (1...1000).map { Statement("SELECT $1, $2", [.int($0), .text(text)]) }
      let results = try link.run(statements, until: .after(seconds: 60))
      #expect(results.count == 1000)
      for (index, rows) in results.enumerated() {
        #expect(rows.int(0, 0) == Int64(index) + 1)
        #expect(rows.withText(0, 1) { $0?.count } == 50_000)
      }
    }

    @Test func aFailedPipelineHasNoEffect() throws {
      try link.rows("CREATE TEMP TABLE t (a int)")
      let insertion = "INSERT INTO t VALUES (1)"
      #expect(link.code(insertion, "SELECT 1 / 0", insertion) == "22012")
      #expect(try link.text("SELECT count(*) FROM t") == "0")
    }

    @Test func aTransactionThatFailsIsEndedByItsSender() throws {
      try link.rows("CREATE TEMP TABLE t (a int)")
      try link.last(Statement("BEGIN"), Statement("INSERT INTO t VALUES (1)"))
      #expect(link.code("SELECT nothing FROM t") == "42703")
      #expect(link.code("SELECT 1") == "25P02")
      #expect(link.code("ROLLBACK") == nil)
      #expect(try link.text("SELECT count(*) FROM t") == "0")
    }

    /// The error is of no statement but of the pipeline's end.
    @Test func aConstraintMayFailAtTheEnd() throws {
      try link.rows("CREATE TEMP TABLE t (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
      let insertion = "INSERT INTO t VALUES (1)"
      #expect(link.code(insertion, insertion) == "23505")
      #expect(link.code("BEGIN", insertion, insertion, "COMMIT") == "23505")
      #expect(try link.text("SELECT count(*) FROM t") == "0")
    }

    @Test func statementsThatGiveNothingHaveNoRows() throws {
      let results = try link.run(
        [
          Statement("BEGIN"), Statement("SELECT 1 WHERE false"), Statement("COMMIT"), Statement(""),
        ],
        until: .after(seconds: 60))
      #expect(results.map(\.count) == [0, 0, 0, 0])
      #expect(try link.run([], until: .never).isEmpty)
    }

    @Test func statementsMayBeSentAhead() throws {
      try link.rows("CREATE TEMP TABLE t (a int)")
      try link.last(Statement("BEGIN"))
      let kept = Statement("INSERT INTO t VALUES ($1) RETURNING a", [.int(1)], isKept: true)
      for count in [3, 6, 9] {
        for _ in 1...3 { try link.send([kept]) }
        #expect(try link.text("SELECT count(*) FROM t") == "\(count)")
      }
      try link.send([kept, kept])
      #expect(try link.run([], until: .after(seconds: 60)).isEmpty)
      #expect(try link.text("SELECT count(*) FROM t") == "11")
    }

    /// Neither side has room for all of it, and it is not read before rows are waited for.
    @Test func statementsSentAheadMayExceedTheBuffers() throws {
      let text = String(repeating: "x", count: 50_000)
      try link.last(Statement("BEGIN"))
      for _ in 1...200 { try link.send([Statement("SELECT $1", [.text(text)])]) }
      #expect(try link.text("SELECT 'done'") == "done")
    }

    /// Else one that goes away meanwhile would hold up others for ever.
    @Test func theServerWaitsForLaterStatementsEquallyLong() throws {
      try link.rows("SET idle_in_transaction_session_timeout = 100")
      try link.last(Statement("BEGIN"))
      try link.send([Statement("SELECT 1")])
      usleep(500_000)
      #expect(link.code("COMMIT")?.contains("idle-in-transaction timeout") == true)
    }

    /// `COMMIT` ends a transaction that has failed, and the server says no more of it then.
    @Test(arguments: ["COMMIT", "ROLLBACK"])
    func aTransactionThatFailedAheadHasNoEffect(_ end: String) throws {
      try link.rows("CREATE TEMP TABLE t (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
      try link.last(Statement("BEGIN"))
      try link.send([Statement("INSERT INTO t VALUES (1)"), Statement("SELECT 1 / 0")])
      try link.send([Statement("INSERT INTO t VALUES (2)")])
      #expect(link.code(end) == "22012")
      #expect(try link.text("SELECT count(*) FROM t") == "0")
      #expect(link.code("INSERT INTO t VALUES (3)") == nil)
    }

    /// It would be committed alone, before any later statement.
    @Test(arguments: [["SELECT 1"], ["BEGIN", "ROLLBACK"], ["BEGIN", "SELECT 1", "COMMIT"]])
    func noStatementIsSentAheadOutsideOfATransaction(_ before: [String]) throws {
      let table = "ahead_\(UUID().uuidString.prefix(8))"
      let other = try Cluster.shared.get().connect()
      try other.rows("CREATE TABLE \"\(table)\" (a int)")
      _ = try link.run(before.map { Statement($0) }, until: .after(seconds: 60))
      let insertion = Statement("INSERT INTO \"\(table)\" VALUES (1)")
      #expect(throws: ServerFault.lost("no transaction is open")) { try link.send([insertion]) }
      #expect(throws: ServerFault.lost("the connection is closed")) { try link.send([insertion]) }
      #expect(try other.text("SELECT count(*) FROM \"\(table)\"") == "0")
    }

    @Test func textThatIsTwoStatementsIsRefused() {
      #expect(link.code("SELECT 1; SELECT 2") == "42601")
    }

    @Test func statementsAreKeptFromTheSecondTimeOn() throws {
      let first = Statement("SELECT $1 + 1", [.int(1)], isKept: true)
      let second = Statement("SELECT $1 + 2", [.int(1)], isKept: true)
      func keptCount() throws -> Int64? {
        try link.rows("SELECT count(*) FROM pg_prepared_statements").int(0, 0)
      }
      // The second time of the first one, it becomes known that the session is the link's own.
      for count in [0, 0, 1, 1] as [Int64] {
        #expect(try link.last(first).int(0, 0) == 2)
        #expect(try keptCount() == count)
      }
      for count in [1, 2, 2] as [Int64] {
        #expect(try link.last(second).int(0, 0) == 3)
        #expect(try keptCount() == count)
      }
    }

    @Test func aStatementMayBeKeptAndUsedInOnePipeline() throws {
      let kept = Statement("SELECT $1", [.int(7)], isKept: true)
      for _ in 1...3 {
        let results = try link.run([kept, kept, kept], until: .after(seconds: 60))
        #expect(results.map { $0.int(0, 0) } == [7, 7, 7])
      }
    }

    @Test func aStatementThatCouldNotBeKeptIsKeptTheNextTime() throws {
      let kept = Statement("SELECT $1", [.int(7)], isKept: true)
      try link.last(kept, kept)
      #expect(throws: ServerFault.self) { try link.last(Statement("SELECT 1 / 0"), kept) }
      #expect(try link.last(kept, kept, kept).int(0, 0) == 7)
    }

    /// As after another process's migration, or its end of prepared statements.
    @Test(arguments: ["ALTER TABLE t ADD b int", "DEALLOCATE ALL"])
    func aKeptStatementMayBeNoMore(_ change: String) throws {
      try link.rows("CREATE TEMP TABLE t (a int)")
      let kept = Statement("SELECT * FROM t", isKept: true)
      for _ in 1...3 { try link.last(kept) }
      try link.rows(change)
      do throws(ServerFault) {
        try link.last(Statement("BEGIN"), kept)
        Issue.record("it is still there")
      } catch {
        guard case .refused(.unknownPreparedStatement, _) = error else { throw error }
      }
      #expect(link.code("ROLLBACK") == nil)
      #expect(try link.last(kept, kept).count == 0)
    }
  }
#endif
