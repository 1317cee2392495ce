#if Postgres
  import CreditPostgres
  import CreditServer
  import Foundation
  import Testing

  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct LostLinkTests {
    let large = Statement("SELECT $1", [.text(String(repeating: "x", count: 5_000_000))])

    @Test func aConnectionThatIsTerminatedIsLost() throws {
      let link = try Cluster.shared.get().connect()
      let end = Statement("SELECT pg_terminate_backend(pg_backend_pid())")
      expectLost { () throws(ServerFault) in try link.last(large, end, large, large) }
      expectLost { () throws(ServerFault) in try link.last(Statement("SELECT 1")) }
    }

    @Test func aConnectionThatIsTerminatedAtRestIsLost() throws {
      let (link, other) = try (Cluster.shared.get().connect(), Cluster.shared.get().connect())
      let id = try #require(try link.rows("SELECT pg_backend_pid()").int(0, 0))
      try other.rows("SELECT pg_terminate_backend($1::int, 5000)", .int(id))
      expectLost { () throws(ServerFault) in try link.last(large, large) }
    }

    @Test func aServerThatIsKilledIsLostAndThenUnreachable() throws {
      let cluster = try Cluster()
      let link = try cluster.connect()
      try cluster.perform("kill")
      expectLost { () throws(ServerFault) in try link.last(large, large) }
      #expect(throws: ServerFault.self) { try cluster.connect() }
      try cluster.perform("start")
      #expect(try cluster.connect().text("SELECT 1") == "1")
    }

    @Test func aServerThatDoesNotAnswerIsGivenUp() throws {
      let cluster = try Cluster.shared.get()
      for statements in [[Statement("SELECT 1")], [Statement](repeating: large, count: 5)] {
        let link = try cluster.connect()
        let id = try #require(try link.rows("SELECT pg_backend_pid()").int(0, 0))
        kill(pid_t(id), SIGSTOP)
        defer { kill(pid_t(id), SIGCONT) }
        #expect(throws: ServerFault.timedOut) {
          _ = try link.run(statements, until: .after(milliseconds: 100))
        }
        expectLost { () throws(ServerFault) in try link.last(Statement("SELECT 1")) }
      }
    }

    @Test func aServerThatDoesNotTakeConnectionsIsGivenUp() throws {
      let cluster = try Cluster()
      let id = try #require(pid_t(try cluster.perform("pid")))
      kill(id, SIGSTOP)
      defer { kill(id, SIGCONT) }
      #expect(throws: ServerFault.timedOut) {
        _ = try PostgresConnector(url: cluster.url).connect(until: .after(milliseconds: 100))
      }
    }

    private func expectLost(_ body: () throws(ServerFault) -> any ServerRows) {
      do {
        _ = try body()
        Issue.record("it is not lost")
      } catch {
        guard case .lost(let message) = error else {
          Issue.record("\(error)")
          return
        }
        #expect(!message.isEmpty && !message.contains("\n"))
      }
    }
  }
#endif
