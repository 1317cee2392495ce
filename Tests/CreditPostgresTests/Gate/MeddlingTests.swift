#if Postgres
  import CreditModel
  import CreditServer
  import CreditStore
  import Testing

  @testable import TestSupport

  /// Tables to which an administrator has added a trigger, rule or policy: no batch is written by
  /// halves, and no row is hidden.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct MeddlingTests {
    private let url: String
    private let link: any ServerLink
    private let client: ServerClient

    init() throws {
      let cluster = try Cluster.shared.get()
      url = try cluster.makeDatabase()
      link = try cluster.connect(to: url)
      client = try ServerClient(url)
      try client.create(
        policy: #"{"starterCredits":100,"models":[{"id":"unit","creditsPerUnit":1}]}"#)
      try link.rows(
        "CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql "
          + "AS 'BEGIN RETURN NULL; END'")
    }

    /// A receipt would have no record, or its account would stay as it was.
    @Test(
      arguments: [
        "INSERT ON credit.record", "UPDATE ON credit.account", "INSERT ON credit.account",
        "INSERT ON credit.identity", "UPDATE ON credit.identity",
      ], [1, 3])
    func aDroppedRowUndoesItsBatch(_ event: String, count: Int) throws {
      for number in 1...3 { #expect(try client.charge("alice", "k\(number)").credits == 1) }
      // A new account, ids that move on to another record, and enough records to be sent ahead.
      let amend = ServerClient.charging("alice", "k1", units: 2, amends: true)
      let new = (0..<count - 1).map { ServerClient.charging("bob", "b\($0)") }
      let many = (0..<60).map { ServerClient.charging("alice", "m\($0)") }
      let requests = count == 1 ? [amend] : many + [amend] + new
      let isMet =
        count > 1
        || !["INSERT ON credit.account", "INSERT ON credit.identity"].contains(event)

      try link.rows(
        "CREATE TRIGGER dropping BEFORE \(event) FOR EACH ROW EXECUTE FUNCTION public.nothing()")
      let before = try books()
      if isMet {
        let error = try #require(throws: CreditError.self) { try client.perform(requests) }
        #expect(error.code == .unavailable)
        #expect(error.message.contains("refused a row"))
        #expect(error.details.contains { if case .outcome("none") = $0 { true } else { false } })
        #expect(try books() == before)
      }
      let found = try client.store.tableAdditions()
      let table = event.split(separator: ".")[1]
      #expect(found == ["trigger dropping on \(table)"])

      try link.rows("DROP TRIGGER dropping ON credit.\(table)")
      let answers = try client.perform(requests)
      #expect(try answers.map { try $0.get() }.count == requests.count)
      #expect(try client.store.verify { _, _ in }.findings.map(\.message) == [])
      #expect(try client.store.tableAdditions() == [])
    }

    /// A rebuild makes all accounts again, or leaves everything as it is.
    @Test func aRebuildIsUndone() throws {
      for name in ["alice", "bob"] { #expect(try client.charge(name, "k1").credits == 1) }
      let before = try books()
      try link.rows(
        "CREATE TRIGGER dropping BEFORE INSERT ON credit.account FOR EACH ROW "
          + "WHEN (NEW.name = 'bob') EXECUTE FUNCTION public.nothing()")
      let error = try #require(throws: CreditError.self) {
        try client.store.rebuild { _, _ in }
      }
      #expect(error.code == .unavailable)
      #expect(try books() == before)
      try link.rows("DROP TRIGGER dropping ON credit.account")
      try client.store.rebuild { _, _ in }
      #expect(try client.store.verify { _, _ in }.findings.map(\.message) == [])
    }

    /// Batches of one request for a known account are a single statement.
    @Test(arguments: ["record", "identity"])
    func aPresumedChargeIsUndone(_ table: String) throws {
      for number in 1...5 { #expect(try client.charge("alice", "k\(number)").credits == 1) }
      let before = try books()
      try link.rows(
        "CREATE TRIGGER dropping BEFORE INSERT ON credit.\(table) FOR EACH ROW "
          + "EXECUTE FUNCTION public.nothing()")
      let error = try #require(throws: CreditError.self) { try client.charge("alice", "k6") }
      #expect(error.code == .unavailable)
      #expect(try books() == before)
      try link.rows("DROP TRIGGER dropping ON credit.\(table)")
      #expect(try client.charge("alice", "k6").credits == 1)
      #expect(try client.store.verify { _, _ in }.findings.map(\.message) == [])
    }

    /// The server itself refuses to count the rows of a rule.
    @Test(arguments: [("record", "INSTEAD NOTHING"), ("identity", "ALSO SELECT 1")])
    func aRuleIsAnError(_ table: String, _ action: String) throws {
      for number in 1...5 { #expect(try client.charge("alice", "k\(number)").credits == 1) }
      let before = try books()
      try link.rows("CREATE RULE silent AS ON INSERT TO credit.\(table) DO \(action)")
      let error = try #require(throws: CreditError.self) { try client.charge("alice", "k6") }
      #expect(error.code == .ioError && error.message.contains("(0A000)"))
      #expect(try books() == before)
      #expect(try client.store.tableAdditions() == ["rule silent on \(table)"])
      try link.rows("DROP RULE silent ON credit.\(table)")
      #expect(try client.charge("alice", "k6").credits == 1)
    }

    @Test(arguments: ["policy", "policy_file", "store"])
    func aDroppedPolicyLeavesTheOldOne(_ table: String) throws {
      let text = #"{"models":[{"id":"unit","creditsPerUnit":9}],"catalog":"list.json"}"#
      let draft = try client.store.policyDraft(
        text: Array(text.utf8), enclosed: ["list.json": Array(#"{"models":[]}"#.utf8)])
      try link.rows(
        "CREATE TRIGGER dropping BEFORE INSERT OR UPDATE ON credit.\(table) FOR EACH ROW "
          + "EXECUTE FUNCTION public.nothing()")
      let error = try #require(throws: CreditError.self) { try client.store.setPolicy(draft) }
      #expect(error.code == .unavailable)
      #expect(try link.text("SELECT count(*) FROM credit.policy") == "1")
      #expect(try client.charge("alice", "k1").credits == 1)
      try link.rows("DROP TRIGGER dropping ON credit.\(table)")
      try client.store.setPolicy(draft)
      #expect(try client.charge("alice", "k2").credits == 9)
    }

    /// A writer to whom rows are hidden would make the account anew, with new starter credits.
    @Test func hiddenRowsAreAnError() throws {
      #expect(try client.charge("alice", "k1").credits == 1)
      try client.store.makeRoles()
      let role = "writer_\(url.split(separator: "/")[2].split(separator: "?")[0])"
      try link.rows("CREATE ROLE \(role) LOGIN IN ROLE credit_writer")
      let name = url.split(separator: "@")[0]
      let writer = try ServerClient(url.replacing(name + "@", with: "postgres://\(role)@"))
      #expect(try writer.charge("alice", "k2").credits == 1)
      for table in ["account", "record", "identity"] {
        try link.rows("ALTER TABLE credit.\(table) ENABLE ROW LEVEL SECURITY")
        #expect(try client.store.tableAdditions() == ["row security on \(table)"])
        try link.rows(
          "CREATE POLICY \"some of it\" ON credit.\(table) USING (false) WITH CHECK (true)")
        #expect(
          try client.store.tableAdditions()
            == ["policy some of it on \(table)", "row security on \(table)"])
        let error = try #require(throws: CreditError.self) { try writer.charge("alice", "k3") }
        #expect(error.code == .permissionDenied)
        #expect(error.message.contains("row-level security"))
        let reading = try #require(throws: CreditError.self) {
          try writer.store.verify { _, _ in }
        }
        #expect(reading.code == .permissionDenied)
        try link.rows("DROP POLICY \"some of it\" ON credit.\(table)")
        try link.rows("ALTER TABLE credit.\(table) DISABLE ROW LEVEL SECURITY")
      }
      #expect(try writer.charge("alice", "k3").credits == 1)
      #expect(try writer.store.verify { _, _ in }.findings.map(\.message) == [])
    }

    /// All rows, as text.
    private func books() throws -> [String?] {
      try ["account", "record", "identity"].map {
        try link.text("SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM credit.\($0) AS t")
      }
    }
  }
#endif
