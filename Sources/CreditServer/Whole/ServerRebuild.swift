public import CreditModel

extension ServerStore {
  /// Makes accounts and identities again from the records. Writers wait for that transaction.
  public func rebuild(progress: (Int, Int) -> Void) throws(CreditError) {
    let end = try ServerReader(session).bookmark().position
    let total = try ServerReader(session).summary(before: end).recordCount
    session.endSnapshot()
    do throws(CreditError) {
      try runWhole(
        LookUps.begin(session.options, until: session.deadline()) + [
          Statement("SET LOCAL statement_timeout = 0"),
          Statement("LOCK TABLE credit.account, credit.identity IN EXCLUSIVE MODE"),
          Statement("DELETE FROM credit.identity"),
          Statement("DELETE FROM credit.account"),
          Self.insertAccounts,
        ])
      try insertIdentities(progress, total)
      try runWhole([Statement("COMMIT")])
    } catch {
      session.rollBack(until: .never)
      throw error
    }
  }

  private func insertIdentities(
    _ progress: (Int, Int) -> Void, _ total: Int
  ) throws(CreditError) {
    var position: Int64 = -1
    var count = 0
    while true {
      let page = try runWhole(
        [
          Statement(
            "SELECT position, body, account, seq FROM credit.record WHERE position > $1 "
              + "ORDER BY position LIMIT 1000", [.int(position)], isKept: true)
        ])[0]
      if page.count == 0 { return }
      try insertIdentities(of: page)
      position = page.int(page.count - 1, 0) ?? .max
      count += page.count
      progress(count, max(count, total))
    }
  }

  /// Leads the keys of a page's records to these. A later record of the same key follows later.
  private func insertIdentities(of page: any ServerRows) throws(CreditError) {
    var reader = RecordRows()
    var newest: [RecordKey: Int] = [:]
    for row in 0..<page.count {
      try reader.record(page, row).record.keys.visit { newest[$0] = row }
    }
    let rows = newest.values
    let parameters =
      KeyColumns.arrays(newest.keys.map { KeyColumns($0) })
      + [
        .texts(rows.map { page.text($0, 2) ?? "" }), .ints(rows.map { page.int($0, 3) ?? 0 }),
      ]
    try runWhole([Statement(RecordWrites.upsertIdentities, parameters, isKept: true)])
  }

  static let insertAccounts = Statement(
    Statement.counted(
      """
      INSERT INTO credit.account (name, seq, position, balance) \
      SELECT DISTINCT ON (account) account, seq, position, balance \
      FROM credit.record ORDER BY account DESC, seq DESC
      """, rows: "(SELECT count(*) FROM credit.record WHERE seq = 1)"))

  /// Runs statements of a transaction that takes as long as it takes.
  @discardableResult
  func runWhole(_ statements: [Statement]) throws(CreditError) -> [any ServerRows] {
    do throws(ServerFault) {
      return try session.run(statements, until: .never)
    } catch {
      throw session.error(of: error, outcome: error.endsConnection ? "unknown" : "none")
    }
  }
}
