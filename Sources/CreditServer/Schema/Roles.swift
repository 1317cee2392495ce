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

  static func create(_ name: String) -> Statement { Statement("CREATE ROLE \(name) NOLOGIN") }

  /// A reader sees everything. A writer appends, and moves accounts and ids on to their newest
  /// records; it deletes nothing and edits no record. An admin sets policies, rebuilds, imports.
  static let grants = [
    "GRANT USAGE ON SCHEMA credit TO credit_reader, credit_writer, credit_admin",
    "GRANT SELECT ON ALL TABLES IN SCHEMA credit TO credit_reader, credit_writer, credit_admin",
    "GRANT INSERT ON credit.account, credit.record, credit.identity TO credit_writer, credit_admin",
    """
    GRANT UPDATE (seq, position, balance, newest) ON credit.account \
    TO credit_writer, credit_admin
    """,
    "GRANT UPDATE (account, seq) ON credit.identity TO credit_writer, credit_admin",
    "GRANT INSERT ON credit.policy, credit.policy_file TO credit_admin",
    "GRANT UPDATE (policy, created_at) ON credit.store TO credit_admin",
    "GRANT DELETE ON credit.account, credit.identity TO credit_admin",
  ].map { Statement($0) }
}
