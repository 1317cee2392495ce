internal import CreditModel

/// The position up to which a server's records are complete: no batch being written can come before
/// it.
///
/// A batch takes its positions from the server's clock while it holds a lock on the table of
/// accounts, and its records become visible when it ends. So records older than the moment at which
/// the lock's holders were noted are complete once all of them have ended. A standby does not show
/// the locks of its primary.
struct SettledRecords {
  /// Records before this position are complete.
  private(set) var end: Int64 = 0
  /// The writers at earlier moments that have not ended yet.
  private var moments: [(microseconds: Int64, writers: Set<String>)] = []

  /// The most moments that are kept: no batch takes long.
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
    // This moment's lock holders may have held their locks since an earlier one. Without lock
    // holders, this moment itself is settled.
    for moment in moments where moment.writers.isDisjoint(with: writers) {
      end = max(end, (moment.microseconds - Self.presumedMicroseconds) * 1000)
    }
    moments.removeAll { $0.writers.isDisjoint(with: writers) }
  }
}

extension ServerReader {
  /// Returns records since a bookmark that no later record can precede.
  /// - Throws: `io_error` if another store has replaced the bookmark's; `unavailable` on a standby.
  func follow(after bookmark: Bookmark, limit: Int) throws(CreditError) -> RecordPage {
    session.endSnapshot()
    var page = RecordPage(from: bookmark)
    // The notes apply to records that are read after them.
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
      Statement("SELECT id::text, pg_is_in_recovery()::int FROM credit.store"),
      Statement(
        "SELECT position, body FROM credit.record WHERE position >= $1 ORDER BY position LIMIT $2",
        [.int(bookmark.position.value), .int(Int64(limit))], isKept: true),
    ])
    if rows[0].count == 1, rows[0].int(0, 1) == 1 {
      throw CreditError(
        .unavailable,
        "this server is a standby, which does not show what its primary is writing: lines could be "
          + "missed; read them from the primary (target_session_attrs=read-write in the address)")
    }
    let isSame = rows[0].count == 1 && Self.anchor(of: rows[0].text(0, 0) ?? "") == bookmark.anchor
    guard isSame || bookmark == .start else {
      throw CreditError(.ioError, "another store has taken the place of the one that was followed")
    }
    return try RecordRows.records(rows[1])
  }

  private func noteWriters() throws(CreditError) {
    settled.note(try session.ask(SettledRecords.question))
  }

  /// Waits at most as long as for a lock: then the records settled by then have to do.
  /// - Throws: `unavailable` on a standby.
  func settle() throws(CreditError) {
    session.endSnapshot()
    _ = try landed(since: .start, limit: 0)
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
