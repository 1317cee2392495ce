internal import CreditJSON
package import CreditModel
package import CreditStore

extension ServerStore {
  /// Makes the tables, and a store in them with a policy.
  ///
  /// A store of an older schema is brought up to this tool's.
  package func create(_ policy: PolicyDraft?, at time: Timestamp?) throws(CreditError) -> Bool {
    try checkEncoding()
    try migrate()
    do throws(CreditError) {
      let present = try self.policyText()
      guard let policy, try !isInForce(policy, present) else { return false }
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
      // Somebody else may have made it meanwhile.
      guard (try? exists()) == true else { throw error }
      return false
    }
  }

  private func checkEncoding() throws(CreditError) {
    let encoding = try session.ask(Statement("SELECT current_setting('server_encoding')"))
    if encoding.text(0, 0) == "UTF8" { return }
    throw CreditError(
      .cannotCreate,
      "the database has the encoding \(encoding.text(0, 0) ?? "") where a store needs "
        + "UTF8", [.path(location.path)])
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
        + [Statement("UPDATE credit.store SET schema = $1", [.int(Migrations.newest)])])
  }

  private func store(at time: Timestamp?) -> Statement {
    let columns = "INSERT INTO credit.store (id, schema, policy, created_at) VALUES "
    guard let time else {
      return Statement(
        columns + "(gen_random_uuid(), $1, 0, date_trunc('milliseconds', clock_timestamp()))",
        [.int(Migrations.newest)])
    }
    return Statement(
      columns + "(gen_random_uuid(), $1, 0, $2)", [.int(Migrations.newest), .time(time)])
  }

  /// Returns true if the policy in force is this one, with the same files.
  private func isInForce(_ policy: PolicyDraft, _ present: [UInt8]) throws(CreditError) -> Bool {
    guard policy.text == present else { return false }
    let files = try policyWithFiles().files
    return policy.files.allSatisfy { file in
      files.contains { $0.name == file.name && $0.bytes == file.bytes }
    }
  }

  /// Makes the roles that the server lacks, and gives them their rights on this store.
  /// - Throws: `permission_denied` where this role may not. (The server itself would only warn.)
  package func makeRoles() throws(CreditError) {
    guard try session.ask(Roles.isOwner).int(0, 0) == 1 else {
      throw CreditError(
        .permissionDenied, "only the owner of the store's tables gives roles their rights",
        [.outcome("none")])
    }
    let rows = try session.ask(Roles.present)
    let present = (0..<rows.count).compactMap { rows.text($0, 0) }
    try session.transact(
      Roles.names.filter { !present.contains($0) }.map(Roles.create) + Roles.grants)
  }

  /// - Throws: `permission_denied` where this role has fewer rights than `credit_admin`.
  func requireAdmin() throws(CreditError) {
    if try session.ask(Roles.isAdmin).int(0, 0) == 1 { return }
    throw CreditError(
      .permissionDenied, "records are taken as they are from members of credit_admin only",
      [.outcome("none")])
  }

  package func info() throws(CreditError) -> StoreInfo {
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
