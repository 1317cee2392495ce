#if Postgres
  import CreditServer
  import Testing

  /// Conflicts of two clients, and the server's errors.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"), .serialized)
  struct SQLStateTests {
    let first: any ServerLink
    let second: any ServerLink

    init() throws {
      first = try Cluster.shared.get().connect()
      second = try Cluster.shared.get().connect()
      try first.last(
        Statement("DROP TABLE IF EXISTS state"),
        Statement("CREATE TABLE state (a int PRIMARY KEY, b int)"),
        Statement("INSERT INTO state VALUES (1, 1)"))
    }

    @Test func aKeyThatIsThereIsAUniqueViolation() {
      #expect(first.code("INSERT INTO state VALUES (1, 2)") == SQLState.uniqueViolation.code)
    }

    @Test func aRowThatWasChangedIsASerializationFailure() {
      let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ"
      let change = "UPDATE state SET b = b + 1"
      #expect(first.code(begin, "SELECT FROM state") == nil)
      #expect(second.code(change) == nil)
      #expect(first.code(change) == SQLState.serializationFailure.code)
    }

    @Test func aRowThatIsLockedIsNotAvailable() {
      #expect(first.code("BEGIN", "SELECT FROM state FOR UPDATE") == nil)
      let state = SQLState.lockNotAvailable.code
      #expect(second.code("SELECT FROM state FOR UPDATE NOWAIT") == state)
      #expect(second.code("SET lock_timeout = 10", "SELECT FROM state FOR UPDATE") == state)
    }

    @Test func aRoleWithoutTheRightIsRefused() {
      let statements = ["DROP ROLE IF EXISTS nobody_much", "CREATE ROLE nobody_much"]
      for statement in statements { #expect(first.code(statement) == nil) }
      #expect(
        first.code("SET LOCAL ROLE nobody_much", "SELECT FROM state")
          == SQLState.insufficientPrivilege.code)
    }

    @Test func aMissingTableIsUndefined() {
      #expect(first.code("SELECT FROM missing") == SQLState.undefinedTable.code)
      #expect(first.code("SELECT FROM missing.missing") == SQLState.undefinedTable.code)
      #expect(first.code("CREATE TABLE missing.t ()") == SQLState.undefinedSchema.code)
    }

    /// The rows that it is about stand in its details.
    @Test func messagesShowNoRows() throws {
      try first.rows("CREATE TEMP TABLE t (a text PRIMARY KEY)")
      let insertion = Statement("INSERT INTO t VALUES ($1)", [.text("very secret")])
      do throws(ServerFault) {
        try first.last(insertion, insertion)
      } catch {
        guard case .refused(.uniqueViolation, let message) = error else { throw error }
        #expect(message.contains("t_pkey"))
        #expect(!message.contains("secret"))
      }
    }
  }
#endif
