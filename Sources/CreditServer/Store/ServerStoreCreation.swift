internal import CreditJSON
public import CreditModel
public import CreditStore

extension ServerStore {
  /// Makes the tables, and a store in them with a policy.
  ///
  /// A store of an older schema is brought up to this tool's.
  public func create(_ policy: PolicyDraft?, at time: Timestamp?) throws(CreditError) -> Bool {
    let rows = try session.ask(Statement("SELECT current_setting('server_encoding')"))
    let encoding = rows.text(0, 0)
    if encoding != "UTF8" {
      throw CreditError(
        .cannotCreate,
        "the database has the encoding \(encoding ?? ""), but a store needs UTF8",
        [.path(location.path)])
    }
    try migrate()
    do throws(CreditError) {
      let present = try policies.folder()
      guard let policy, try !policy.isIn(present) else { return false }
      throw CreditError(
        .cannotCreate,
        "\(quoted(location.path)) has another policy; credit-store policy --set changes that",
        [.path(location.path)])
    } catch {
      if error.code != .noStore { throw error }
    }
    let first =
      if let policy { policy } else { try policyDraft(text: PolicyText.standard) }
    do throws(CreditError) {
      try session.transact(Migrations.statements() + [store(at: time)] + ServerPolicy.insert(first))
      return true
    } catch {
      // Another process may have made it meanwhile.
      guard (try? exists()) == true else { throw error }
      return false
    }
  }

  private func migrate() throws(CreditError) {
    let schema: Int64?
    do throws(CreditError) {
      let rows = try session.ask(Statement("SELECT schema FROM credit.store"))
      schema = rows.count == 1 ? rows.int(0, 0) : nil
    } catch {
      if error.code == .noStore { return }
      throw error
    }
    guard let schema, 0..<Migrations.newest ~= schema else { return }
    try session.transact(
      [Statement("SELECT schema FROM credit.store FOR UPDATE")]
        + Migrations.statements(after: schema)
        + [
          Statement(
            "UPDATE credit.store SET schema = $1 WHERE schema < $1", [.int(Migrations.newest)])
        ])
  }

  private func store(at time: Timestamp?) -> Statement {
    let createdAt = time == nil ? "date_trunc('milliseconds', clock_timestamp())" : "$2"
    return Statement(
      "INSERT INTO credit.store (id, schema, policy, created_at) "
        + "VALUES (gen_random_uuid(), $1, 0, \(createdAt))",
      [.int(Migrations.newest)] + (time.map { [.time($0)] } ?? []))
  }

  /// Makes missing roles of the server, and grants them their rights on this store.
  /// - Throws: `permission_denied` if this role may not. (The server itself would only warn.)
  public func makeRoles() throws(CreditError) {
    guard try session.ask(Roles.isOwner).int(0, 0) == 1 else {
      throw CreditError(
        .permissionDenied, "only the owner of the store's tables can give roles their rights",
        [.outcome("none")])
    }
    let rows = try session.ask(Roles.present)
    let present = (0..<rows.count).compactMap { rows.text($0, 0) }
    try session.transact(
      Roles.names.filter { !present.contains($0) }.map { Statement("CREATE ROLE \($0) NOLOGIN") }
        + Roles.grants)
  }

  /// - Throws: `permission_denied` if this role has fewer rights than `credit_admin`.
  func requireAdmin() throws(CreditError) {
    if try session.ask(Roles.isAdmin).int(0, 0) == 1 { return }
    throw CreditError(
      .permissionDenied, "only members of credit_admin can push records",
      [.outcome("none")])
  }

  public func info() throws(CreditError) -> StoreInfo {
    try requireExists()
    let reader = ServerReader(session)
    let end = try reader.bookmark().position
    let summary = try reader.summary(before: end)
    let rows = try session.ask(
      Statement(
        """
        SELECT s.schema, (SELECT sum(pg_total_relation_size(c.oid))::int8 FROM pg_class AS c \
        JOIN pg_namespace AS n ON n.oid = c.relnamespace \
        WHERE n.nspname = 'credit' AND c.relkind = 'r') FROM credit.store AS s
        """))
    session.endSnapshot()
    return StoreInfo(
      version: rows.int(0, 0) ?? 0, bytes: Int(rows.int(0, 1) ?? 0), summary: summary)
  }
}

/// The tables of a store, as the numbered steps that have led to them. They go forward only: a step
/// that was ever released stays as it is.
enum Migrations {
  /// The newest schema of this tool: its number of steps.
  static let newest = Int64(steps.count)

  /// Returns the statements to the newest schema from an older one; from none by default.
  static func statements(after schema: Int64 = 0) -> [Statement] {
    steps.dropFirst(Int(schema)).flatMap { $0 }.map { Statement($0) }
  }

  private static let steps = [first, second]

  /// `record` is the ledger; `account` and `identity` follow from it. `seq` numbers an account's
  /// records without a gap, so that two writers after the same record collide at its key.
  /// `position` orders the records of all accounts, and finds one. An `identity` leads to the
  /// newest record of an id (`kind` 1 transaction, 2 authorization) or of a request's key (3
  /// charge, 4 top-up, 5 transfer), which is its account's (`scope`). `body` is the journal's text.
  ///
  /// A charge meets only one `CHECK`, as the server reads the text of each again for each
  /// statement. `identity` has none: `credit-store verify` compares it with the records.
  private static let first = [
    "CREATE SCHEMA IF NOT EXISTS credit",
    """
    CREATE TABLE credit.store (one boolean PRIMARY KEY DEFAULT true CHECK (one), \
    id uuid NOT NULL, schema bigint NOT NULL, policy bigint NOT NULL, \
    created_at timestamptz NOT NULL)
    """,
    """
    CREATE TABLE credit.policy (version bigint PRIMARY KEY, set_at timestamptz NOT NULL, \
    set_by text NOT NULL, body text NOT NULL)
    """,
    """
    CREATE TABLE credit.policy_file (version bigint REFERENCES credit.policy, name text, \
    body bytea NOT NULL, PRIMARY KEY (version, name))
    """,
    """
    CREATE TABLE credit.account (name text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL, \
    position bigint NOT NULL, balance bigint NOT NULL, newest text NOT NULL) \
    WITH (fillfactor = 50)
    """,
    """
    CREATE TABLE credit.record (account text COLLATE "C" NOT NULL, seq bigint NOT NULL, \
    position bigint NOT NULL, at timestamptz NOT NULL, before bigint NOT NULL, \
    credits bigint NOT NULL, balance bigint NOT NULL, body text NOT NULL, \
    PRIMARY KEY (account, seq), CHECK (seq > 0 AND before + credits = balance))
    """,
    "CREATE UNIQUE INDEX record_position ON credit.record (position)",
    """
    CREATE TABLE credit.identity (kind smallint NOT NULL, scope text COLLATE "C" NOT NULL, \
    id text COLLATE "C" NOT NULL, account text COLLATE "C" NOT NULL, seq bigint NOT NULL, \
    PRIMARY KEY (id, scope, kind)) WITH (fillfactor = 90)
    """,
  ]

  /// Each write of an account wrote the text of its newest record, which `position` finds.
  private static let second = ["ALTER TABLE credit.account DROP COLUMN IF EXISTS newest"]
}

/// The roles that `credit-store init --roles` makes. None of them can log in: people and programs
/// are made members.
enum Roles {
  static let names = ["credit_reader", "credit_writer", "credit_admin"]

  /// The names of those that the server has.
  static let present = Statement(
    """
    SELECT rolname FROM pg_roles \
    WHERE rolname IN ('credit_reader', 'credit_writer', 'credit_admin')
    """)

  /// Returns 1 if this role owns the tables, or may act as their owner.
  static let isOwner = Statement(
    "SELECT pg_has_role(nspowner, 'USAGE')::int FROM pg_namespace WHERE nspname = 'credit'")

  /// Whether this role has the rights of `credit_admin`: 1 if so.
  static let isAdmin = Statement(
    "SELECT has_column_privilege('credit.store', 'policy', 'UPDATE')::int")

  /// A reader sees everything. A writer appends, and points accounts and ids to their newest
  /// records; it deletes nothing and edits no record. An admin sets policies, rebuilds, imports.
  static let grants = [
    "GRANT USAGE ON SCHEMA credit TO credit_reader, credit_writer, credit_admin",
    "GRANT SELECT ON ALL TABLES IN SCHEMA credit TO credit_reader, credit_writer, credit_admin",
    "GRANT INSERT ON credit.account, credit.record, credit.identity TO credit_writer, credit_admin",
    """
    GRANT UPDATE (seq, position, balance) ON credit.account \
    TO credit_writer, credit_admin
    """,
    "GRANT UPDATE (seq) ON credit.identity TO credit_writer, credit_admin",
    // Writers had it once; a rebuild needs it.
    "REVOKE UPDATE (account) ON credit.identity FROM credit_writer",
    "GRANT UPDATE (account) ON credit.identity TO credit_admin",
    "GRANT INSERT ON credit.policy, credit.policy_file TO credit_admin",
    "GRANT UPDATE (policy, created_at) ON credit.store TO credit_admin",
    "GRANT DELETE ON credit.account, credit.identity TO credit_admin",
  ].map { Statement($0) }
}
