#if Postgres
  import CreditPostgres
  import CreditServer
  import Testing

  /// PgBouncer, which gives each transaction any of its connections.
  @Suite(.enabled(if: Cluster.hasPooler, "needs PostgreSQL and PgBouncer"))
  struct PoolerTests {
    @Test func statementsAreNoLongerKeptWhereAPoolerLosesThem() throws {
      let cluster = try Cluster()
      let url = try cluster.perform("pgbouncer", cluster.folder + "/pool")
      let connector = try PostgresConnector(url: url)
      let link = try connector.connect(until: .after(seconds: 30))
      let other = try connector.connect(until: .after(seconds: 30))
      let kept = Statement("SELECT $1", [.int(5)], isKept: true)
      for _ in 1...3 { try link.last(kept) }
      try other.last(Statement("BEGIN"), Statement("SELECT 1"))
      do throws(ServerFault) {
        try link.last(Statement("BEGIN"), kept, Statement("COMMIT"))
        Issue.record("the pooler keeps statements")
      } catch {
        guard case .refused(.noKeptStatement, _) = error else { throw error }
      }
      #expect(link.code("ROLLBACK") == nil)
      #expect(try link.last(kept).int(0, 0) == 5)
      let third = try connector.connect(until: .after(seconds: 30))
      for _ in 1...3 { #expect(try third.last(kept).int(0, 0) == 5) }
    }
  }
#endif
