#if Postgres
  import CreditPostgres
  import CreditServer
  import Testing

  @testable import TestSupport

  /// PgBouncer, which gives each transaction any of its sessions.
  @Suite(.enabled(if: Cluster.hasPooler, "needs PostgreSQL and PgBouncer"))
  struct PoolerTests {
    @Test func statementsAreNotKeptInSessionsThatAreShared() throws {
      let cluster = try Cluster()
      let url = try cluster.perform("pgbouncer", cluster.folder + "/pool")
      let connector = try PostgresConnector(url: url)
      let link = try connector.connect(until: .after(seconds: 30))
      let other = try connector.connect(until: .after(seconds: 30))
      let kept = Statement("SELECT $1", [.int(5)], isKept: true)
      for _ in 1...3 { #expect(try link.last(kept).int(0, 0) == 5) }
      // It takes the session of before.
      try other.last(Statement("BEGIN"), kept, kept)
      for _ in 1...3 {
        #expect(try link.last(Statement("BEGIN"), kept, Statement("COMMIT"), kept).int(0, 0) == 5)
      }
      for link in [link, other] {
        #expect(try link.text("SELECT count(*) FROM pg_prepared_statements") == "0")
      }
    }
  }
#endif
