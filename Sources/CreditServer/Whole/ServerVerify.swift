internal import CreditBytes
public import CreditModel
public import CreditStore

extension ServerStore {
  /// Checks the whole store, as of one moment: that each account's records follow one another, each
  /// repeated by the rules; and that accounts and identities follow from the records.
  /// - Parameter progress: called with the number of records checked, and the total.
  public func verify(progress: (Int, Int) -> Void) throws(CreditError) -> StoreSummary {
    try requireExists()
    let check = try ServerCheck(
      session, RecordCheck(session.options, system))
    return try check.run(progress)
  }
}

/// One whole check of a server's store.
private final class ServerCheck {
  private let session: ServerSession
  private let reader: ServerReader
  private let check: RecordCheck
  private var summary = StoreSummary()
  private var rows = RecordRows()
  /// Number of the rows of ids and keys that lead to a record that has them.
  private var foundCount = 0

  private static let pageCount: Int64 = 1000

  init(_ session: ServerSession, _ check: RecordCheck) {
    self.session = session
    self.check = check
    reader = ServerReader(session)
  }

  func run(_ progress: (Int, Int) -> Void) throws(CreditError) -> StoreSummary {
    let end = try reader.bookmark().position
    defer { session.endSnapshot() }
    let total = try reader.summary(before: end).recordCount
    try checkRecords(progress, total)
    for sentence in check.unfinished { add(sentence) }
    for sentence in try check.brokenChains() { add(sentence) }
    for question in Self.questions { try ask(question) }
    try checkIdentities()
    summary.records = check.recordCount
    summary.accounts = check.accountCount
    summary.credits = check.credits
    return summary
  }

  private func add(_ finding: String) {
    summary.findingCount += 1
    guard summary.findings.count < StoreSummary.findingLimit else { return }
    summary.findings.append(CreditError(.corruptStore, finding))
  }

  // MARK: Records

  private func checkRecords(_ progress: (Int, Int) -> Void, _ total: Int) throws(CreditError) {
    var position: Int64 = -1
    var count = 0
    while true {
      let page = try session.ask(
        Statement(
          """
          SELECT position, body, account, seq, credits, balance, \
          (date_part('epoch', at) * 1000)::int8 FROM credit.record \
          WHERE position > $1 ORDER BY position LIMIT $2
          """, [.int(position), .int(Self.pageCount)], isKept: true))
      if page.count == 0 { return }
      try checkPage(page)
      position = page.int(page.count - 1, 0) ?? .max
      count += page.count
      progress(count, max(count, total))
    }
  }

  private func checkPage(_ page: any ServerRows) throws(CreditError) {
    var keys: [(columns: KeyColumns, account: Name, sequence: Int64)] = []
    for row in 0..<page.count {
      summary.bytes += page.withText(row, 1) { $0?.count ?? 0 }
      let stored: StoredRecord
      do throws(CreditError) {
        stored = try rows.record(page, row, position: 0, body: 1)
      } catch {
        add(error.message)
        continue
      }
      let record = stored.record
      let sequence = page.int(row, 3) ?? 0
      if !agrees(stored, page, row, sequence) {
        add("the record at position \(stored.position.value) says other than its columns")
      }
      if let finding = try check.finding(in: record) {
        add("position \(stored.position.value): \(finding)")
      }
      record.keys.visit { key in
        keys.append((KeyColumns(key), record.account.name, sequence))
      }
    }
    try checkKeys(keys)
  }

  private func agrees(
    _ stored: StoredRecord, _ page: any ServerRows, _ row: Int, _ sequence: Int64
  ) -> Bool {
    let account = stored.record.account
    return page.text(row, 2) == account.name.text && page.int(row, 5) == account.balance
      && page.int(row, 6) == account.updatedAt.milliseconds
      && (account.name == .nobody || sequence == account.recordCount)
  }

  /// Checks that each id and key leads to its record or a later one.
  private func checkKeys(_ keys: [(columns: KeyColumns, account: Name, sequence: Int64)])
    throws(CreditError)
  {
    if keys.isEmpty { return }
    var accounts = ParameterArray(.text)
    var sequences = ParameterArray(.int)
    for key in keys {
      accounts.append(key.account.text)
      sequences.append(key.sequence)
    }
    let others = try session.ask(
      Statement(
        """
        SELECT k.id, i.account = k.account AND i.seq > k.seq \
        FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::int8[]) \
        AS k (kind, scope, id, account, seq) LEFT JOIN LATERAL (SELECT account, seq \
        FROM credit.identity AS x WHERE x.id = k.id AND x.scope = k.scope AND x.kind = k.kind \
        LIMIT 1) AS i ON true WHERE (i.account = k.account AND i.seq = k.seq) IS NOT TRUE
        """,
        KeyArrays(keys.map(\.columns)).parameters + [.array(accounts), .array(sequences)],
        isKept: true))
    foundCount += keys.count - others.count
    for row in 0..<others.count where others.text(row, 1) != "t" {
      add("id \(quoted(others.text(row, 0) ?? "")) does not lead to its newest record")
    }
  }

  // MARK: Tables that follow from the records

  private struct Question {
    let sql: String
    /// The fault of the rows that the question finds.
    let finding: String
  }

  private static let questions = [
    Question(
      sql: """
        SELECT account FROM (SELECT account, seq, position, before, lag(seq, 1, 0::int8) OVER w \
        AS last, lag(balance, 1, 0::int8) OVER w AS rest, lag(position, 1, -1::int8) OVER w \
        AS place \
        FROM credit.record WINDOW w AS (PARTITION BY account ORDER BY seq)) AS r \
        WHERE seq <> last + 1 OR before <> rest OR position <= place LIMIT 100
        """, finding: "has records that do not follow one another"),
    Question(
      sql: """
        SELECT a.name FROM credit.account AS a LEFT JOIN LATERAL (SELECT seq, position, balance \
        FROM credit.record AS x WHERE x.account = a.name ORDER BY x.seq DESC LIMIT 1) AS r \
        ON true WHERE r.seq IS NULL OR a.seq <> r.seq OR a.position <> r.position \
        OR a.balance <> r.balance LIMIT 100
        """, finding: "is not as its newest record says"),
    Question(
      sql: """
        SELECT r.account FROM credit.record AS r WHERE r.seq = 1 AND NOT EXISTS \
        (SELECT FROM credit.account AS a WHERE a.name = r.account) LIMIT 100
        """, finding: "has records and no row of its own"),
  ]

  private func ask(_ question: Question) throws(CreditError) {
    let rows = try session.ask(Statement(question.sql), until: .never)
    for row in 0..<rows.count {
      add("account \(quoted(rows.text(row, 0) ?? "")) \(question.finding)")
    }
  }

  /// Each row of an id or key leads to a record that has it. If as many records were found by them
  /// as there are rows, this is so.
  private func checkIdentities() throws(CreditError) {
    let count = try session.ask(Statement("SELECT count(*) FROM credit.identity"), until: .never)
    if count.int(0, 0) == Int64(foundCount) { return }
    var last = KeyColumns(kind: 0, scope: .nobody, id: .nobody)
    while true {
      let page = try session.ask(
        Statement(
          """
          SELECT r.position, r.body, i.kind, i.scope, i.id FROM (SELECT * FROM credit.identity \
          WHERE (id, scope, kind) > ($1, $2, $3) ORDER BY id, scope, kind LIMIT $4) AS i \
          LEFT JOIN credit.record AS r ON r.account = i.account AND r.seq = i.seq \
          ORDER BY i.id, i.scope, i.kind
          """,
          [
            .text(last.id.text), .text(last.scope.text), .int(last.kind), .int(Self.pageCount),
          ], isKept: true))
      if page.count == 0 { return }
      for row in 0..<page.count {
        last = KeyColumns(
          kind: page.int(row, 2) ?? 0, scope: Name(trusted: page.text(row, 3) ?? ""),
          id: Name(trusted: page.text(row, 4) ?? ""))
        let stored = try? rows.record(page, row, position: 0, body: 1)
        if stored.map({ $0.record.isFound(by: last.key) }) ?? false { continue }
        add("id \(quoted(last.id.text)) leads to no record that has it")
      }
    }
  }
}
