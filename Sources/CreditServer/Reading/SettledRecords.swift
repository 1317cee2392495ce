internal import CreditModel
internal import CreditSystem

/// Up to where a server's records are all there: no batch that is being written can come before.
///
/// A batch takes its positions from the server's clock while it holds a lock on the table of
/// accounts, and its records are seen when it ends. So what is older than the moment at which the
/// holders of such locks were noted is complete once all of them have ended.
struct SettledRecords {
  /// Records before this position are all there.
  private(set) var end: Int64 = 0
  /// Who was writing at earlier moments, whose ends are waited for.
  private var moments: [(microseconds: Int64, writers: Set<String>)] = []

  /// The most moments that are remembered: nobody writes for long.
  private static let momentLimit = 32

  /// Microseconds that a position may be behind the clock.
  ///
  /// A batch of one request presumes the server's time, and is refused if that is off by a second.
  /// See ``SingleRecord/presuming(added:)``.
  private static let presumedMicroseconds: Int64 = 1_500_000

  /// The server's clock, and who holds locks that writers take.
  static let question = Statement(
    """
    SELECT \(LookUps.clock), (SELECT string_agg(DISTINCT virtualtransaction, ' ') FROM pg_locks \
    WHERE locktype = 'relation' AND relation = to_regclass('credit.account') \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND mode IN ('RowShareLock', 'RowExclusiveLock') AND pid <> pg_backend_pid())
    """, isKept: true)

  /// - Parameter rows: the answer to ``question``.
  mutating func note(_ rows: any ServerRows) {
    guard let microseconds = rows.int(0, 0) else { return }
    let writers = Set((rows.text(0, 1) ?? "").split(separator: " ").map(String.init))
    if moments.count < Self.momentLimit { moments.append((microseconds, writers)) }
    // This moment's lock holders may have held their locks since an earlier one. If nobody holds a
    // lock, this moment itself is settled.
    for moment in moments where moment.writers.isDisjoint(with: writers) {
      end = max(end, (moment.microseconds - Self.presumedMicroseconds) * 1000)
    }
    moments.removeAll { $0.writers.isDisjoint(with: writers) }
  }
}

extension ServerReader {
  /// Records that have landed since a bookmark and that none can come before any more.
  /// - Throws: `io_error` where another store has taken the place of that with the bookmark.
  func follow(after bookmark: Bookmark, limit: Int) throws(CreditError) -> RecordPage {
    session.endSnapshot()
    var page = RecordPage(from: bookmark)
    // What is noted holds for what is read after it.
    for isLast in [false, true] {
      let records = try landed(since: bookmark, limit: limit)
      page.records = records.filter { $0.position.value < settled.end }
      if let last = page.records.last {
        page.next = try self.bookmark(before: RecordPosition(last.position.value + 1))
      }
      if !page.records.isEmpty || records.isEmpty || isLast { break }
      try noteWriters()
    }
    return page
  }

  private func landed(since bookmark: Bookmark, limit: Int) throws(CreditError) -> [StoredRecord] {
    let rows = try session.ask([
      Statement("SELECT id::text FROM credit.store"),
      Statement(
        "SELECT position, body FROM credit.record WHERE position >= $1 ORDER BY position LIMIT $2",
        [.int(bookmark.position.value), .int(Int64(limit))], isKept: true),
    ])
    let isSame = rows[0].count == 1 && Self.anchor(of: rows[0].text(0, 0) ?? "") == bookmark.anchor
    guard isSame || bookmark == .start else {
      throw CreditError(.ioError, "another store has taken the place of the one that was followed")
    }
    var reader = RecordRows()
    return try reader.records(rows[1])
  }

  private func noteWriters() throws(CreditError) {
    settled.note(try session.ask(SettledRecords.question))
  }

  /// Waits for as long as for a lock at most: then what is settled by then has to do.
  func settle() throws(CreditError) {
    session.endSnapshot()
    let end = try bookmark().position.value
    session.endSnapshot()
    let deadline = session.deadline()
    var pause = RetryPause()
    while true {
      try noteWriters()
      if settled.end >= end || deadline.isPast { return }
      pause.wait()
    }
  }
}
