/// The books as readers see them, on this machine's disk or on a server.
///
/// Lists are read by the page, never by the record, so that a page can be one request to a server.
/// Records before the ``bookmark()`` of a moment never change: pages that end there are all as of
/// that moment.
package protocol LedgerReading: AnyObject {
  /// Where the books end now.
  func bookmark() throws(CreditError) -> Bookmark

  /// The place before a record.
  func bookmark(before position: RecordPosition) throws(CreditError) -> Bookmark

  /// Whether a bookmark is of these books.
  func holds(_ bookmark: Bookmark) throws(CreditError) -> Bool

  /// Waits until no batch that is being written can come before the records that are there now.
  func settle() throws(CreditError)

  /// Says that nothing more is asked as of the last bookmark: a server need not keep that moment.
  func release()

  /// What the books before a position come to.
  func summary(before end: RecordPosition) throws(CreditError) -> LedgerSummary

  /// The version in which the records before a position are written.
  func version(before end: RecordPosition) throws(CreditError) -> StoreVersion

  /// The newest record of a key; nil for a key that no record has.
  func newest(of key: RecordKey) throws(CreditError) -> StoredRecord?

  /// The same for each of some keys.
  func newest(of keys: [RecordKey]) throws(CreditError) -> [StoredRecord?]

  /// Returns the records at positions; nil for a position without a record.
  func records(at positions: [RecordPosition]) throws(CreditError) -> [StoredRecord?]

  /// Of each account the newest record before `end`, in the order of names after `name`.
  /// - Parameter name: nil for the first page.
  /// - Returns: at most `limit` records; none after the last account.
  func accounts(after name: Name?, before end: RecordPosition, limit: Int) throws(CreditError)
    -> [StoredRecord]

  /// Returns every account as it is now. Nil if the books have them by the page only.
  func accountList() throws(CreditError) -> (any AccountList)?

  /// Records before a position, newest first.
  /// - Parameters:
  ///   - account: whose; nil for those of all accounts.
  ///   - position: where the last record of the previous page is, or where the books ended.
  ///   - count: how many lines of the history to pass over first.
  ///   - limit: the most records that are wanted.
  /// - Returns: none where there are no more.
  func records(of account: Name?, before position: RecordPosition, skipping count: Int, limit: Int)
    throws(CreditError) -> [StoredRecord]

  /// Records of all accounts from a place on, oldest first.
  /// - Parameters:
  ///   - end: where to stop; nil for where the books end now, but for records that a batch which is
  ///     being written could still come before.
  ///   - limit: the most records that are wanted.
  /// - Throws: `io_error` where other books have taken the place of those with the bookmark.
  func records(after bookmark: Bookmark, before end: RecordPosition?, limit: Int)
    throws(CreditError) -> RecordPage
}

extension LedgerReading {
  package func release() {}

  package func settle() {}

  package func beginFollowing() throws(CreditError) -> Bookmark { try bookmark() }

  /// Reads all records, for books that do not say it.
  package func version(before end: RecordPosition) throws(CreditError) -> StoreVersion {
    var version = StoreVersion.first
    var next = Bookmark.start
    while version < .newest {
      let page = try records(after: next, before: end, limit: 1000)
      guard let highest = page.records.map(\.record.version).max() else { break }
      version = max(version, highest)
      next = page.next
    }
    return version
  }
}

/// What books come to.
package struct LedgerSummary: Sendable {
  /// The time when the store was made; nil if it does not exist.
  package var createdAt: Timestamp?
  package var recordCount = 0
  package var accountCount = 0
  /// The time of the newest record; nil if there are no records.
  package var lastTime: Timestamp?

  package init() {}
}

/// The books of a store that has not been made yet.
package final class EmptyLedger: LedgerReading {
  package init() {}

  package func bookmark() -> Bookmark { .start }

  package func bookmark(before position: RecordPosition) -> Bookmark { .start }

  package func holds(_ bookmark: Bookmark) -> Bool { bookmark == .start }

  package func summary(before end: RecordPosition) -> LedgerSummary { LedgerSummary() }

  package func newest(of key: RecordKey) -> StoredRecord? { nil }

  package func newest(of keys: [RecordKey]) -> [StoredRecord?] { keys.map { _ in nil } }

  package func records(at positions: [RecordPosition]) -> [StoredRecord?] {
    positions.map { _ in nil }
  }

  package func accounts(after name: Name?, before end: RecordPosition, limit: Int)
    -> [StoredRecord]
  {
    []
  }

  package func accountList() -> (any AccountList)? { nil }

  package func records(
    of account: Name?, before position: RecordPosition, skipping count: Int, limit: Int
  ) -> [StoredRecord] {
    []
  }

  package func records(after bookmark: Bookmark, before end: RecordPosition?, limit: Int)
    -> RecordPage
  {
    RecordPage(from: bookmark)
  }
}

/// A record with its place in the books. A class: a record is large, and a look-up that finds none
/// hands on nothing.
package final class StoredRecord: Sendable {
  package let record: LedgerRecord
  package let position: RecordPosition
  /// Where the account's previous record is; nil for its first.
  package let previous: RecordPosition?

  package init(_ record: LedgerRecord, at position: RecordPosition, previous: RecordPosition?) {
    self.record = record
    self.position = position
    self.previous = previous
  }
}

/// A place between two records, to go on from later.
package struct Bookmark: Hashable, Sendable {
  /// The records before it have been read.
  package let position: RecordPosition
  /// What the books are known by up to there: books that took their place differ in it.
  package let anchor: UInt32

  package init(position: RecordPosition, anchor: UInt32) {
    self.position = position
    self.anchor = anchor
  }

  /// Before the first record of any books.
  package static let start = Bookmark(position: RecordPosition(0), anchor: 0)
}

/// Records in their order, and where the next ones will be.
package struct RecordPage: Sendable {
  package var records: [StoredRecord] = []
  package var next: Bookmark

  package init(from bookmark: Bookmark) {
    next = bookmark
  }
}
