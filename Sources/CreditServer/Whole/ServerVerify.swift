public import CreditModel
public import CreditStore
internal import CreditSystem

extension ServerStore {
  /// Checks the whole store, as of one moment: that each account's records follow one another, each
  /// repeated by the rules; and that accounts and identities follow from the records.
  /// - Parameter progress: called with the number of records checked, and the total.
  public func verify(progress: (Int, Int) -> Void) throws(CreditError) -> StoreSummary {
    try requireExists()
    let check = try ServerCheck(session, system, keepsAll: false)
    let summary = try check.run(progress)
    if check.isSure { return summary }
    return try ServerCheck(session, system, keepsAll: true).run(progress)
  }
}

/// One whole check of a server's store, in one of two ways.
///
/// The first compares sums of ids and keys, and takes no memory for those of charges. It cannot
/// name a fault: if there is any, the check begins again and keeps all ids and keys.
private final class ServerCheck {
  private let session: ServerSession
  private let reader: ServerReader
  private let check: RecordCheck
  private var summary = StoreSummary()
  private var rows = RecordRows()
  private let keepsAll: Bool
  private let hasher: KeyHasher
  /// The newest record of each account so far, by its columns and the hash of its name.
  private var newest: [UInt64: (sequence: Int64, balance: Int64)] = [:]
  private var targets: KeyTargets

  private static let pageCount: Int64 = 2000

  init(_ session: ServerSession, _ system: any SystemCalls, keepsAll: Bool) throws(CreditError) {
    self.session = session
    self.keepsAll = keepsAll
    check = try RecordCheck(session.options, system, keepsAll: keepsAll)
    hasher = KeyHasher(seed: (system.randomWord(), system.randomWord()))
    reader = ServerReader(session)
    targets = KeyTargets(hasher, keepsAll: keepsAll)
  }

  /// False if a fault is possible, and too little is kept to name it.
  var isSure: Bool { keepsAll || summary.findingCount == 0 && targets.agree }

  func run(_ progress: (Int, Int) -> Void) throws(CreditError) -> StoreSummary {
    let end = try reader.bookmark().position
    defer { session.endSnapshot() }
    // The checks between two questions take as long as they take.
    _ = try session.ask(Statement("SET LOCAL idle_in_transaction_session_timeout = 0"))
    let total = try reader.summary(before: end).recordCount
    try checkRecords(progress, total)
    if hasStopped { return summary }
    try compareIdentities()
    for sentence in check.unfinished { add(sentence) }
    for sentence in try check.brokenChains() { add(sentence) }
    for question in Self.questions {
      let rows = try session.ask(Statement(question.sql), until: .never)
      for row in 0..<rows.count {
        add("account \(quoted(rows.text(row, 0) ?? "")) \(question.finding)")
      }
    }
    // The rows of ids and keys that lead to no record that has them.
    for row in targets.misled {
      let found = try session.ask(LookUps.record(of: row.account, row.sequence))
      let stored = found.count == 0 ? nil : try? rows.record(found, 0)
      if stored.map({ $0.record.isFound(by: row.key.key) }) ?? false { continue }
      add("id \(quoted(row.key.id.text)) leads to no record that has it")
    }
    summary.records = check.recordCount
    summary.accounts = check.accountCount
    summary.credits = check.credits
    return summary
  }

  /// True if something is wrong, so that the check has to begin again.
  private var hasStopped: Bool { !keepsAll && summary.findingCount > 0 }

  private func add(_ finding: String) {
    summary.findingCount += 1
    guard summary.findings.count < StoreSummary.findingLimit else { return }
    summary.findings.append(CreditError(.corruptStore, finding))
  }

  // MARK: Records

  private func checkRecords(_ progress: (Int, Int) -> Void, _ total: Int) throws(CreditError) {
    var count = 0
    let pages = records
    defer { pages.stop() }
    while let page = try pages.next(), !hasStopped {
      let records = (0..<page.count).map { row in
        summary.bytes += page.withText(row, 1) { $0?.count ?? 0 }
        return Result { () throws(CreditError) in try rows.record(page, row) }
      }
      let earlier = try earlierCharges(of: records, pages)
      for row in 0..<page.count { try check(records[row], earlier, row, of: page) }
      count += page.count
      progress(count, max(count, total))
    }
  }

  /// Returns the charges of later records, which were not kept, by their positions.
  private func earlierCharges(
    of records: [Result<StoredRecord, CreditError>], _ pages: PagesAhead
  ) throws(CreditError) -> [RecordPosition: LedgerRecord] {
    if keepsAll { return [:] }
    let positions = records.compactMap { record -> RecordPosition? in
      guard let record = try? record.get().record, let id = record.event.id else { return nil }
      return targets.knows(KeyColumns(id)) ? nil : record.original
    }
    if positions.isEmpty { return [:] }
    pages.stop()
    var earlier: [RecordPosition: LedgerRecord] = [:]
    do throws(CreditError) {
      for stored in try reader.records(at: positions) {
        guard let stored, case .charge = stored.record.event else { continue }
        earlier[stored.position] = stored.record
      }
    } catch {
      guard error.code == .corruptStore else { throw error }
      add(error.message)
    }
    return earlier
  }

  /// All records in the order of their positions.
  private var records: PagesAhead {
    PagesAhead { [session] (previous) throws(CreditError) in
      try session.ask(
        Statement(
          """
          SELECT position, body, account, seq, before, balance, \
          (date_part('epoch', at) * 1000)::int8 FROM credit.record \
          WHERE position > $1 ORDER BY position LIMIT $2
          """,
          [.int(previous.map { $0.int($0.count - 1, 0) ?? .max } ?? -1), .int(Self.pageCount)],
          isKept: true))
    }
  }

  private func check(
    _ found: Result<StoredRecord, CreditError>, _ charges: [RecordPosition: LedgerRecord],
    _ row: Int, of page: any ServerRows
  ) throws(CreditError) {
    let sequence = page.int(row, 3) ?? 0
    let stored: StoredRecord
    do throws(CreditError) {
      stored = try found.get()
    } catch {
      add(error.message)
      follow(page.text(row, 2) ?? "", sequence, page, row)
      return
    }
    let record = stored.record
    if !agrees(stored, page, row, sequence) {
      add("the record at position \(stored.position.value) differs from its columns")
    }
    follow(record.account.name.text, sequence, page, row)
    var earlier = record.original.flatMap { charges[$0] }
    if earlier?.event.id != record.event.id { earlier = nil }
    if let finding = try check.finding(in: record, of: earlier) {
      add("position \(stored.position.value): \(finding)")
    }
    targets.lead(record, sequence, of: earlier)
  }

  /// Checks that a row follows its account's previous one.
  private func follow(_ name: String, _ sequence: Int64, _ page: any ServerRows, _ row: Int) {
    let hash = hasher.hash(domain: .max, name)
    let last = newest.updateValue((sequence, page.int(row, 5) ?? 0), forKey: hash) ?? (0, 0)
    if sequence == last.sequence &+ 1, page.int(row, 4) == last.balance { return }
    add("account \(quoted(name)) has records that do not follow one another")
  }

  private func agrees(
    _ stored: StoredRecord, _ page: any ServerRows, _ row: Int, _ sequence: Int64
  ) -> Bool {
    let account = stored.record.account
    let isOfAccount = page.withText(row, 2) { text in
      account.name.text.withUTF8Bytes { name in text.map { $0.hasSameBytes(as: name) } ?? false }
    }
    return isOfAccount && page.int(row, 5) == account.balance
      && page.int(row, 6) == account.updatedAt.milliseconds
      && (account.name == .nobody || sequence == account.recordCount)
  }

  // MARK: Ids and keys

  /// Checks that each id and key of the records leads to its newest one.
  private func compareIdentities() throws(CreditError) {
    let name = "credit_identities"
    _ = try session.ask(
      Statement(
        "DECLARE \(name) NO SCROLL CURSOR FOR SELECT kind, scope, id, account, seq "
          + "FROM credit.identity"))
    let pages = PagesAhead { [session] (_) throws(CreditError) in
      try session.ask(Statement("FETCH 5000 FROM \(name)", isKept: true), until: .never)
    }
    defer { pages.stop() }
    while let page = try pages.next() { targets.compare(page) }
    if !keepsAll { return }
    for row in targets.misled where row.isKnown { addMisled(row.key) }
    if !targets.hasOthers { return }
    // The keys of records that have no row.
    let all = records
    defer { all.stop() }
    while let page = try all.next() {
      for row in 0..<page.count {
        let stored = try? rows.record(page, row)
        stored?.record.keys.visit { key in
          if targets.takeOther(KeyColumns(key)) { addMisled(KeyColumns(key)) }
        }
      }
    }
  }

  private func addMisled(_ key: KeyColumns) {
    add("id \(quoted(key.id.text)) does not lead to its newest record")
  }

  // MARK: Tables that follow from the records

  /// Each with the fault of the rows that it finds.
  private static let questions = [
    (
      sql: """
      SELECT a.name FROM credit.account AS a LEFT JOIN LATERAL (SELECT seq, position, balance \
      FROM credit.record AS x WHERE x.account = a.name ORDER BY x.seq DESC LIMIT 1) AS r \
      ON true WHERE r.seq IS NULL OR a.seq <> r.seq OR a.position <> r.position \
      OR a.balance <> r.balance LIMIT 100
      """, finding: "differs from its newest record"
    ),
    (
      sql: """
      SELECT r.account FROM credit.record AS r WHERE r.seq = 1 AND NOT EXISTS \
      (SELECT FROM credit.account AS a WHERE a.name = r.account) LIMIT 100
      """, finding: "has records and no row of its own"
    ),
  ]
}

/// Fetches pages of rows one after another. Another thread fetches the next one while the caller
/// reads the last.
///
/// The session is that thread's from ``next()`` on; it is the caller's again after ``stop()``.
private final class PagesAhead {
  /// Fetches the page after another one; the first one after none.
  typealias Fetch = ((any ServerRows)?) throws(CreditError) -> any ServerRows

  private let thread = WorkerThread()
  private let fetch: Fetch
  private var last: (any ServerRows)?
  private var fetched: Result<any ServerRows, CreditError>?

  init(_ fetch: @escaping Fetch) { self.fetch = fetch }

  /// - Returns: nil after the last page that has rows.
  func next() throws(CreditError) -> (any ServerRows)? {
    thread.wait()
    if fetched == nil { fetchNext() }
    guard let page = try fetched?.get(), page.count > 0 else { return nil }
    last = page
    fetched = nil
    thread.start { [self] in fetchNext() }
    return page
  }

  /// Waits until no page is being fetched.
  func stop() { thread.wait() }

  private func fetchNext() {
    fetched = Result { () throws(CreditError) in try fetch(last) }
  }
}
