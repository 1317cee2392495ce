internal import CreditModel

/// What has been given of the newest records, to those who read them as they land. A transaction
/// that began earlier may end later, and its records stand before others that have been read: so
/// the newest are asked for again, for as long as a transaction may take, and repeats are dropped.
struct FollowedWindow {
  /// The places of records that were given and may be met again.
  private(set) var given: Set<Int64> = []

  /// For how long a transaction may take to end: twice what the server leaves it idle, in the
  /// thousandths of a microsecond that positions count.
  private static let length = 2 * LookUps.idleMilliseconds * 1_000_000

  /// Where to begin reading again.
  static func start(before position: Int64) -> Int64 { position - length }

  mutating func isNew(_ position: Int64) -> Bool { given.insert(position).inserted }

  /// Forgets what is too far back to be met again.
  mutating func trim(before start: Int64) {
    if given.count > 4096 { given = given.filter { $0 >= start } }
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

  /// Records that have landed since a bookmark.
  /// - Throws: `io_error` where another store has taken the place of that with the bookmark.
  func follow(after bookmark: Bookmark, limit: Int) throws(CreditError) -> RecordPage {
    session.endSnapshot()
    let start = FollowedWindow.start(before: bookmark.position.value)
    following.trim(before: start)
    var given = ParameterArray(.int)
    for position in following.given where position >= start { given.append(position) }
    let rows = try session.ask([
      Statement("SELECT id::text FROM credit.store"),
      Statement(
        "SELECT position, body FROM credit.record WHERE position >= $1 "
          + "AND position <> ALL ($2::int8[]) ORDER BY position LIMIT $3",
        [.int(start), .array(given), .int(Int64(limit))], isKept: true),
    ])
    guard rows[0].count == 1, Self.anchor(of: rows[0].text(0, 0) ?? "") == bookmark.anchor else {
      throw CreditError(.ioError, "another store has taken the place of the one that was followed")
    }
    var reader = RecordRows()
    var page = RecordPage(from: bookmark)
    page.records = try reader.records(rows[1]).filter { following.isNew($0.position.value) }
    let last = page.records.last?.position.value ?? 0
    page.next = Bookmark(
      position: RecordPosition(max(bookmark.position.value, last + 1)), anchor: bookmark.anchor)
    return page
  }
}
