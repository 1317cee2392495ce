internal import CreditModel

/// What has been given of the newest records, to those who read them as they land. A transaction
/// that began earlier may end later, and its records stand before others that have been read: so
/// the newest are asked for again, for as long as a transaction may take, and repeats are dropped.
struct FollowedWindow {
  /// The places of records that were given and may be met again.
  private(set) var given: Set<Int64> = []

  /// For how long a transaction takes to end at most, unless a client waits longer than usual for
  /// the locks of others: twice what the server leaves it idle, in the thousandths of a microsecond
  /// that positions count.
  private static let length = 2 * LookUps.idleMilliseconds * 1_000_000

  /// Where to begin reading again.
  static func start(before position: Int64) -> Int64 { position - length }

  mutating func isNew(_ position: Int64) -> Bool { given.insert(position).inserted }

  /// Forgets what is too far back to be met again.
  mutating func trim(before start: Int64) {
    if given.count > 4096 { given = given.filter { $0 >= start } }
  }

  /// When late ones were asked for last, in milliseconds.
  private var askedAt: Int64 = 0

  /// Whether it is time to ask for late ones: that reads all the places of the window.
  mutating func isDue(at now: Int64) -> Bool {
    if now >= askedAt, now - askedAt < 1000 { return false }
    askedAt = now
    return true
  }
}

extension ServerReader {
  /// Notes what is there already of the newest records: others may yet land among them.
  func beginFollowing() throws(CreditError) -> Bookmark {
    let end = try bookmark()
    let start = FollowedWindow.start(before: end.position.value)
    let rows = try session.ask(
      Statement("SELECT position FROM credit.record WHERE position >= $1", [.int(start)]))
    for row in 0..<rows.count { rows.int(row, 0).map { _ = following.isNew($0) } }
    session.endSnapshot()
    return end
  }

  /// Records that have landed since a bookmark: first those that stand after it, and when there
  /// are no more, now and then those that have landed before it.
  /// - Throws: `io_error` where another store has taken the place of that with the bookmark.
  func follow(after bookmark: Bookmark, limit: Int) throws(CreditError) -> RecordPage {
    session.endSnapshot()
    let rows = try session.ask([
      Statement("SELECT id::text FROM credit.store"),
      Statement(
        "SELECT position, body FROM credit.record WHERE position >= $1 ORDER BY position LIMIT $2",
        [.int(bookmark.position.value), .int(Int64(limit))], isKept: true),
    ])
    guard rows[0].count == 1, Self.anchor(of: rows[0].text(0, 0) ?? "") == bookmark.anchor else {
      throw CreditError(.ioError, "another store has taken the place of the one that was followed")
    }
    var reader = RecordRows()
    var page = RecordPage(from: bookmark)
    let next = try reader.records(rows[1])
    if let last = next.last {
      page.next = Bookmark(
        position: RecordPosition(last.position.value + 1), anchor: bookmark.anchor)
      page.records = next.filter { following.isNew($0.position.value) }
      // A page without a record would say that there are no more.
      return page.records.isEmpty ? try follow(after: page.next, limit: limit) : page
    }
    page.records = try late(before: bookmark.position.value)
    return page
  }

  /// Records that have landed among those that were given.
  private func late(before end: Int64) throws(CreditError) -> [StoredRecord] {
    guard following.isDue(at: session.systemTime.milliseconds) else { return [] }
    let start = FollowedWindow.start(before: end)
    following.trim(before: start)
    let rows = try session.ask(
      Statement(
        "SELECT position FROM credit.record WHERE position >= $1 AND position < $2 "
          + "ORDER BY position", [.int(start), .int(end)], isKept: true))
    let positions = (0..<rows.count).compactMap { rows.int($0, 0) }.filter {
      following.isNew($0)
    }
    if positions.isEmpty { return [] }
    return try records(at: positions.map { RecordPosition($0) }).compactMap { $0 }
  }
}
