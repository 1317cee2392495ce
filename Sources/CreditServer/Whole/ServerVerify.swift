internal import CreditBytes
public import CreditModel
public import CreditStore
internal import CreditSystem

extension ServerStore {
  /// Checks the whole store, as of one moment: that each account's records follow one another, each
  /// repeated by the rules; and that accounts and identities follow from the records.
  /// - Parameter progress: called with the number of records checked, and the total.
  public func verify(progress: (Int, Int) -> Void) throws(CreditError) -> StoreSummary {
    try requireExists()
    let check = try ServerCheck(session, RecordCheck(session.options, system), system)
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
  /// The newest record of each account so far, by its columns.
  private var newest: [Name: (sequence: Int64, balance: Int64)] = [:]
  private var targets: KeyTargets

  private static let pageCount: Int64 = 2000

  init(_ session: ServerSession, _ check: RecordCheck, _ system: any SystemCalls) {
    self.session = session
    self.check = check
    reader = ServerReader(session)
    targets = KeyTargets(KeyHasher(seed: (system.randomWord(), system.randomWord())))
  }

  func run(_ progress: (Int, Int) -> Void) throws(CreditError) -> StoreSummary {
    let end = try reader.bookmark().position
    defer { session.endSnapshot() }
    // The checks between two questions take as long as they take.
    _ = try session.ask(Statement("SET LOCAL idle_in_transaction_session_timeout = 0"))
    let total = try reader.summary(before: end).recordCount
    try checkRecords(progress, total)
    try compareIdentities()
    for sentence in check.unfinished { add(sentence) }
    for sentence in try check.brokenChains() { add(sentence) }
    for question in Self.questions { try ask(question) }
    try checkMisled()
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
    var count = 0
    let pages = records
    defer { pages.stop() }
    while let page = try pages.next() {
      for row in 0..<page.count { try checkRow(row, of: page) }
      count += page.count
      progress(count, max(count, total))
    }
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

  private func checkRow(_ row: Int, of page: any ServerRows) throws(CreditError) {
    summary.bytes += page.withText(row, 1) { $0?.count ?? 0 }
    let sequence = page.int(row, 3) ?? 0
    let stored: StoredRecord
    do throws(CreditError) {
      stored = try rows.record(page, row, position: 0, body: 1)
    } catch {
      add(error.message)
      follow(Name(trusted: page.text(row, 2) ?? ""), sequence, page, row)
      return
    }
    let record = stored.record
    let name = record.account.name
    if !agrees(stored, page, row, sequence) {
      add("the record at position \(stored.position.value) differs from its columns")
    }
    follow(name, sequence, page, row)
    if let finding = try check.finding(in: record) {
      add("position \(stored.position.value): \(finding)")
    }
    record.keys.visit { targets.lead(KeyColumns($0), to: name, sequence) }
  }

  /// Checks that a row follows its account's previous one.
  private func follow(_ name: Name, _ sequence: Int64, _ page: any ServerRows, _ row: Int) {
    let last = newest.updateValue((sequence, page.int(row, 5) ?? 0), forKey: name) ?? (0, 0)
    if sequence == last.sequence &+ 1, page.int(row, 4) == last.balance { return }
    add("account \(quoted(name.text)) has records that do not follow one another")
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
    for row in targets.misled where row.isKnown { addMisled(row.key) }
    if targets.hasOthers { try findOthers() }
  }

  private func addMisled(_ key: KeyColumns) {
    add("id \(quoted(key.id.text)) does not lead to its newest record")
  }

  /// Finds the keys of records that have no row.
  private func findOthers() throws(CreditError) {
    let pages = records
    defer { pages.stop() }
    while let page = try pages.next() {
      for row in 0..<page.count {
        let stored = try? rows.record(page, row, position: 0, body: 1)
        stored?.record.keys.visit { key in
          if targets.takeOther(KeyColumns(key)) { addMisled(KeyColumns(key)) }
        }
      }
    }
  }

  /// Finds the rows of ids and keys that lead to no record that has them.
  private func checkMisled() throws(CreditError) {
    for row in targets.misled {
      let found = try session.ask(LookUps.record(of: row.account, row.sequence))
      let stored = found.count == 0 ? nil : try? rows.record(found, 0, position: 0, body: 1)
      if stored.map({ $0.record.isFound(by: row.key.key) }) ?? false { continue }
      add("id \(quoted(row.key.id.text)) leads to no record that has it")
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
        SELECT a.name FROM credit.account AS a LEFT JOIN LATERAL (SELECT seq, position, balance \
        FROM credit.record AS x WHERE x.account = a.name ORDER BY x.seq DESC LIMIT 1) AS r \
        ON true WHERE r.seq IS NULL OR a.seq <> r.seq OR a.position <> r.position \
        OR a.balance <> r.balance LIMIT 100
        """, finding: "differs from its newest record"),
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
    do throws(CreditError) {
      fetched = .success(try fetch(last))
    } catch {
      fetched = .failure(error)
    }
  }
}

/// The records that ids and keys lead to, and the rows of `credit.identity` that differ.
///
/// Two hashes a key, of random seeds, stand for all that is known of it: no other row can be made
/// that has the same ones.
private struct KeyTargets {
  private let hasher: KeyHasher
  private var targets: [UInt64: UInt64] = [:]
  /// The first rows that lead to another record. A known key is one of a record's.
  private(set) var misled: [(key: KeyColumns, account: Name, sequence: Int64, isKnown: Bool)] = []

  init(_ hasher: KeyHasher) { self.hasher = hasher }

  /// Has a key lead to a record, which is newer than the one before.
  mutating func lead(_ key: KeyColumns, to account: Name, _ sequence: Int64) {
    targets[hash(key)] = account.text.withUTF8Bytes { target($0, sequence) }
  }

  /// Compares rows: their kind, scope, id, account and number. The keys without a row remain.
  mutating func compare(_ rows: any ServerRows) {
    for row in 0..<rows.count {
      let kind = rows.int(row, 0) ?? -1
      let hash: UInt64 = rows.withText(row, 1) { scope -> UInt64 in
        rows.withText(row, 2) { self.hash(kind, scope ?? Bytes(), $0 ?? Bytes()) }
      }
      let sequence = rows.int(row, 4) ?? 0
      let led = rows.withText(row, 3) { target($0 ?? Bytes(), sequence) }
      let known = targets.removeValue(forKey: hash)
      if known == led || misled.count == StoreSummary.findingLimit { continue }
      let names = (1...3).map { Name(trusted: rows.text(row, $0) ?? "") }
      misled.append(
        (
          KeyColumns(kind: kind, scope: names[0], id: names[1]), names[2], sequence, known != nil
        ))
    }
  }

  /// Whether keys of records have no row.
  var hasOthers: Bool { !targets.isEmpty }

  mutating func takeOther(_ key: KeyColumns) -> Bool {
    targets.removeValue(forKey: hash(key)) != nil
  }

  private func hash(_ key: KeyColumns) -> UInt64 {
    key.scope.text.withUTF8Bytes { scope in
      key.id.text.withUTF8Bytes { hash(key.kind, scope, $0) }
    }
  }

  private func hash(_ kind: Int64, _ scope: Bytes, _ id: Bytes) -> UInt64 {
    // No kind is 255.
    hasher.hash(domain: UInt8(exactly: kind) ?? .max, scope, id)
  }

  private func target(_ account: Bytes, _ sequence: Int64) -> UInt64 {
    hasher.hash(domain: .max, account) &+ UInt64(bitPattern: sequence) &* 0x9E37_79B9_7F4A_7C15
  }
}
