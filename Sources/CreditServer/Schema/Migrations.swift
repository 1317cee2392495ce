/// The tables of a store, as the numbered steps that have led to them. They go forward only: a step
/// that was ever released stays as it is.
enum Migrations {
  /// The schema that this tool knows: how many steps lead to it.
  static let newest = Int64(steps.count)

  /// The statements that lead there from an older schema; from none at all by default.
  static func statements(after schema: Int64 = 0) -> [Statement] {
    steps.dropFirst(Int(schema)).flatMap { $0 }.map { Statement($0) }
  }

  private static let steps = [first]

  /// `record` is the ledger; `account` and `identity` follow from it. `seq` numbers an account's
  /// records without a gap, so that two writers who go on from one record meet at its key.
  /// `position` orders the records of all accounts, and finds one. An `identity` leads to the
  /// newest record of an id (`kind` 1 transaction, 2 authorization) or of a request's key (3
  /// charge, 4 top-up, 5 transfer), which is its account's (`scope`). `body` is the journal's text.
  ///
  /// There is one `CHECK` on the way of a charge, as the server reads the text of each again for
  /// each statement. `identity` has none: `credit-store verify` holds it against the records.
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
}
