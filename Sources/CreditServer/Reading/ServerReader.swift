internal import CreditJSON
internal import CreditModel

/// Reads the books of a server. A bookmark begins a snapshot, so that all pages up to it are as of
/// one moment; earlier queries return the current state.
final class ServerReader: LedgerReading {
  let session: ServerSession
  var settled = SettledRecords()
  private var knownAnchor: UInt32?
  /// The number of the record that ended the last page of an account.
  private var lastOfPage: (account: Name, position: RecordPosition, sequence: Int64)?

  init(_ session: ServerSession) { self.session = session }

  func bookmark() throws(CreditError) -> Bookmark {
    try session.beginSnapshot()
    let rows = try session.ask(
      Statement("SELECT max(position), (SELECT id::text FROM credit.store) FROM credit.record"))
    let last = rows.int(0, 0) ?? -1
    guard -1..<RecordRows.positionLimit ~= last else {
      throw RecordRows.corrupt(at: RecordPosition(last))
    }
    return Bookmark(
      position: RecordPosition(last + 1),
      anchor: Self.anchor(of: rows.text(0, 1) ?? ""))
  }

  func bookmark(before position: RecordPosition) throws(CreditError) -> Bookmark {
    Bookmark(position: position, anchor: try storeAnchor())
  }

  func holds(_ bookmark: Bookmark) throws(CreditError) -> Bool {
    if bookmark == .start { return true }
    return bookmark.anchor == (try storeAnchor())
  }

  private func storeAnchor() throws(CreditError) -> UInt32 {
    if let knownAnchor { return knownAnchor }
    let rows = try session.ask(Statement("SELECT id::text FROM credit.store"))
    let anchor = Self.anchor(of: rows.count == 0 ? "" : rows.text(0, 0) ?? "")
    knownAnchor = anchor
    return anchor
  }

  func release() { session.endSnapshot() }

  /// Returns the books' identity by the id of their store.
  static func anchor(of id: String) -> UInt32 {
    // FNV-1a; it need only differ from another store's.
    id.utf8.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }

  func summary(before end: RecordPosition) throws(CreditError) -> LedgerSummary {
    let statements = [
      Statement("SELECT (extract(epoch FROM created_at) * 1000)::int8 FROM credit.store"),
      Statement(
        "SELECT count(*), coalesce(sum(seq), 0)::int8 FROM credit.account WHERE name <> ''"),
      Statement(
        """
        SELECT count(*), (SELECT (extract(epoch FROM at) * 1000)::int8 FROM credit.record \
        WHERE position < $1 ORDER BY position DESC LIMIT 1) FROM credit.record \
        WHERE position >= $1 OR account = ''
        """, [.int(end.value)]),
      Statement(
        "SELECT count(*) FROM credit.record WHERE account = '' AND position < $1",
        [.int(end.value)]),
    ]
    // A large store takes its time.
    let rows = try session.ask(statements, until: .never)
    var summary = LedgerSummary()
    summary.createdAt = rows[0].count == 0 ? nil : rows[0].int(0, 0).map(Timestamp.init)
    summary.accountCount = Int(rows[1].int(0, 0) ?? 0)
    let later = (rows[2].int(0, 0) ?? 0) - (rows[3].int(0, 0) ?? 0)
    summary.recordCount = Int((rows[1].int(0, 1) ?? 0) + (rows[3].int(0, 0) ?? 0) - later)
    summary.lastTime = rows[2].int(0, 1).map(Timestamp.init)
    return summary
  }

  // MARK: By keys and positions

  func newest(of key: RecordKey) throws(CreditError) -> StoredRecord? {
    try newest(of: [key])[0]
  }

  func newest(of keys: [RecordKey]) throws(CreditError) -> [StoredRecord?] {
    let rows = try session.ask(LookUps.newest(of: keys))
    let found = try LookUps.newest(in: rows, of: keys)
    return keys.map { found[$0] }
  }

  func records(at positions: [RecordPosition]) throws(CreditError) -> [StoredRecord?] {
    let rows = try session.ask(
      Statement(
        "SELECT position, body FROM credit.record WHERE position = ANY ($1::int8[])",
        [.ints(positions.map(\.value))], isKept: true))
    var found: [RecordPosition: StoredRecord] = [:]
    for record in try RecordRows.records(rows) { found[record.position] = record }
    return positions.map { found[$0] }
  }

  // MARK: Accounts

  func accounts(after name: Name?, before end: RecordPosition, limit: Int) throws(CreditError)
    -> [StoredRecord]
  {
    let rows = try session.ask(
      Statement(
        """
        SELECT r.position, r.body FROM (SELECT name FROM credit.account WHERE name > $1 \
        ORDER BY name LIMIT $3) AS a CROSS JOIN LATERAL (SELECT position, body \
        FROM credit.record AS x WHERE x.account = a.name AND x.position < $2 \
        ORDER BY x.seq DESC LIMIT 1) AS r ORDER BY a.name
        """,
        [.text(name?.text ?? ""), .int(end.value), .int(Int64(limit))], isKept: true))
    return try RecordRows.records(rows)
  }

  func accountList() -> (any AccountList)? { nil }

  // MARK: Newest first

  func records(
    of account: Name?, before position: RecordPosition, skipping count: Int, limit: Int
  ) throws(CreditError) -> [StoredRecord] {
    var page: [StoredRecord] = []
    var toSkip = count
    var end = position
    while page.count < limit {
      let next = try records(of: account, before: end, limit: max(limit, min(toSkip, 4096)))
      for stored in next {
        if toSkip > 0 {
          if stored.record.historyLine != nil { toSkip -= 1 }
        } else if page.count < limit {
          page.append(stored)
        }
      }
      guard count > 0, page.count < limit, let last = next.last else { break }
      end = last.position
    }
    return page
  }

  private func records(of account: Name?, before position: RecordPosition, limit: Int)
    throws(CreditError) -> [StoredRecord]
  {
    guard let account else {
      let rows = try session.ask(
        Statement(
          "SELECT position, body FROM credit.record WHERE position < $1 "
            + "ORDER BY position DESC LIMIT $2", [.int(position.value), .int(Int64(limit))],
          isKept: true))
      return try RecordRows.records(rows)
    }
    // The previous page's end is known by number: the server need not skip later rows.
    var least = Int64.max
    if let lastOfPage, lastOfPage.account == account, lastOfPage.position == position {
      least = lastOfPage.sequence
    }
    let rows = try session.ask(
      Statement(
        "SELECT position, body, seq FROM credit.record WHERE account = $1 AND seq < $2 "
          + "AND position < $3 ORDER BY seq DESC LIMIT $4",
        [.text(account.text), .int(least), .int(position.value), .int(Int64(limit))],
        isKept: true))
    let page = try RecordRows.records(rows)
    if let last = page.last, let sequence = rows.int(rows.count - 1, 2) {
      lastOfPage = (account, last.position, sequence)
    }
    return page
  }

  // MARK: Oldest first

  func records(after bookmark: Bookmark, before end: RecordPosition?, limit: Int)
    throws(CreditError) -> RecordPage
  {
    guard let end else { return try follow(after: bookmark, limit: limit) }
    let rows = try session.ask(
      Statement(
        "SELECT position, body FROM credit.record WHERE position >= $1 AND position < $2 "
          + "ORDER BY position LIMIT $3",
        [.int(bookmark.position.value), .int(end.value), .int(Int64(limit))], isKept: true))
    var page = RecordPage(from: bookmark)
    page.records = try RecordRows.records(rows)
    if let last = page.records.last {
      page.next = Bookmark(
        position: RecordPosition(last.position.value + 1), anchor: bookmark.anchor)
    }
    return page
  }
}

struct RecordRows: ~Copyable {
  private var reader = RecordReader()

  /// Returns the record whose position and text are the first two columns of a row.
  /// - Throws: `corrupt_store` if the text is not a record of this version.
  mutating func record(_ rows: any ServerRows, _ row: Int) throws(CreditError) -> StoredRecord {
    let place = RecordPosition(rows.int(row, 0) ?? -1)
    guard 0..<Self.positionLimit ~= place.value else { throw Self.corrupt(at: place) }
    let stored = rows.withText(row, 1) { text in
      text.flatMap { reader.readStored($0, at: place) }
    }
    guard let stored else { throw Self.corrupt(at: place) }
    return stored
  }

  /// No position or number is as large: microseconds in thousandths come there in the year 2255.
  static let positionLimit: Int64 = 9_000_000_000_000_000_000

  static func corrupt(at position: RecordPosition) -> CreditError {
    CreditError(
      .corruptStore, "the record at position \(position.value) was not written by this tool")
  }

  static func records(_ rows: any ServerRows) throws(CreditError) -> [StoredRecord] {
    var reader = RecordRows()
    return try (0..<rows.count).map { (row) throws(CreditError) in try reader.record(rows, row) }
  }
}
