public import CreditModel
internal import CreditStore

extension ServerStore {
  /// Makes accounts and identities again from the records. Writers wait for that transaction.
  public func rebuild(progress: (Int, Int) -> Void) throws(CreditError) {
    let end = try ServerReader(session).bookmark().position
    let total = try ServerReader(session).summary(before: end).recordCount
    session.endSnapshot()
    let deadline = Deadline.never
    do throws(CreditError) {
      try run(
        LookUps.begin(session.options, until: session.deadline()) + [
          Statement("SET LOCAL statement_timeout = 0"),
          Statement("LOCK TABLE credit.account, credit.identity IN EXCLUSIVE MODE"),
          Statement("DELETE FROM credit.identity"),
          Statement("DELETE FROM credit.account"),
          Statement(
            """
            INSERT INTO credit.account (name, seq, position, balance, newest) \
            SELECT DISTINCT ON (account) account, seq, position, balance, body \
            FROM credit.record ORDER BY account, seq DESC
            """),
        ], until: deadline)
      try insertIdentities(progress, total, until: deadline)
      try run([Statement("COMMIT")], until: deadline)
    } catch {
      session.rollBack(until: deadline)
      throw error
    }
  }

  private func insertIdentities(
    _ progress: (Int, Int) -> Void, _ total: Int, until deadline: Deadline
  ) throws(CreditError) {
    var position: Int64 = -1
    var count = 0
    while true {
      let page = try run(
        [
          Statement(
            "SELECT position, body, account, seq FROM credit.record WHERE position > $1 "
              + "ORDER BY position LIMIT 1000", [.int(position)], isKept: true)
        ], until: deadline)[0]
      if page.count == 0 { return }
      try insertIdentities(of: page, until: deadline)
      position = page.int(page.count - 1, 0) ?? .max
      count += page.count
      progress(count, max(count, total))
    }
  }

  /// Leads the keys of a page's records to these. A later record of the same key follows later.
  private func insertIdentities(of page: any ServerRows, until deadline: Deadline)
    throws(CreditError)
  {
    var reader = RecordRows()
    var newest: [RecordKey: Int] = [:]
    for row in 0..<page.count {
      try reader.record(page, row, position: 0, body: 1).record.keys.visit { newest[$0] = row }
    }
    var keys = KeyArrays()
    var accounts = ParameterArray(.text)
    var sequences = ParameterArray(.int)
    for (key, row) in newest {
      guard let columns = KeyColumns(key) else { continue }
      keys.append(columns)
      accounts.append(page.text(row, 2) ?? "")
      sequences.append(page.int(row, 3) ?? 0)
    }
    try run(
      [
        Statement(
          """
          INSERT INTO credit.identity (kind, scope, id, account, seq) \
          SELECT * FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::int8[]) \
          ON CONFLICT (id, scope, kind) DO UPDATE SET account = excluded.account, \
          seq = excluded.seq
          """, keys.parameters + [.array(accounts), .array(sequences)], isKept: true)
      ], until: deadline)
  }

  @discardableResult
  private func run(_ statements: [Statement], until deadline: Deadline) throws(CreditError)
    -> [any ServerRows]
  {
    do throws(ServerFault) {
      return try session.run(statements, until: deadline)
    } catch {
      throw session.error(of: error, outcome: error.endsConnection ? "unknown" : "none")
    }
  }
}
