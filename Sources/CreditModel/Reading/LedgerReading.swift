/// The books for readers, on this machine's disk or on a server.
///
/// Lists are read by the page, never by the record, so that a page can be one request to a server.
/// Records before the ``bookmark()`` of a moment never change: pages that end there are all as of
/// that moment.
public protocol LedgerReading: AnyObject {
  /// Returns the books' current end.
  func bookmark() throws(CreditError) -> Bookmark

  func bookmark(before position: RecordPosition) throws(CreditError) -> Bookmark

  /// Whether a bookmark belongs to these books.
  func holds(_ bookmark: Bookmark) throws(CreditError) -> Bool

  /// Waits until no batch being written can come before the existing records.
  func settle() throws(CreditError)

  /// Ends reading as of the last bookmark: a server need not keep that moment.
  func release()

  func summary(before end: RecordPosition) throws(CreditError) -> LedgerSummary

  func version(before end: RecordPosition) throws(CreditError) -> StoreVersion

  func newest(of key: RecordKey) throws(CreditError) -> StoredRecord?

  /// The same for each of some keys.
  func newest(of keys: [RecordKey]) throws(CreditError) -> [StoredRecord?]

  /// Returns the records at positions; nil for a position without a record.
  func records(at positions: [RecordPosition]) throws(CreditError) -> [StoredRecord?]

  /// Returns each account's newest record before `end`, in the order of names after `name`.
  /// - Parameter name: nil for the first page.
  /// - Returns: at most `limit` records; none after the last account.
  func accounts(after name: Name?, before end: RecordPosition, limit: Int) throws(CreditError)
    -> [StoredRecord]

  /// Returns every current account. Nil if the books only have them by page.
  func accountList() throws(CreditError) -> (any AccountList)?

  /// Returns records before a position, newest first.
  /// - Parameters:
  ///   - account: nil for all accounts.
  ///   - position: that of the previous page's last record, or the books' end.
  ///   - count: how many lines of the history to skip first.
  ///   - limit: the most records to return.
  /// - Returns: an empty list if there are no more.
  func records(of account: Name?, before position: RecordPosition, skipping count: Int, limit: Int)
    throws(CreditError) -> [StoredRecord]

  /// Returns records of all accounts from a place on, oldest first.
  /// - Parameters:
  ///   - end: the end of the page; nil for the books' current end, except for records that a batch
  ///     being written could still precede.
  ///   - limit: the most records to return.
  /// - Throws: `io_error` if other books have replaced those with the bookmark.
  func records(after bookmark: Bookmark, before end: RecordPosition?, limit: Int)
    throws(CreditError) -> RecordPage
}

/// Part of the books that is read at once.
public enum LedgerPage {
  /// The most records of a page.
  public static let count = 256
}

extension LedgerReading {
  public func release() {}

  public func settle() {}

  /// Returns the first that `find` finds in the accounts' newest records, in the order of names.
  public func searchAccounts<Found>(
    before end: RecordPosition, _ find: (StoredRecord) throws(CreditError) -> Found?
  ) throws(CreditError) -> Found? {
    var last: Name?
    while true {
      let page = try accounts(after: last, before: end, limit: LedgerPage.count)
      for stored in page {
        if let found = try find(stored) { return found }
      }
      last = page.last?.record.account.name
      if last == nil { return nil }
    }
  }

  /// Returns the first that `find` finds in an account's records before a position, newest first.
  public func search<Found>(
    _ account: Name, before end: RecordPosition, _ find: (StoredRecord) -> Found?
  ) throws(CreditError) -> Found? {
    var end = end
    while true {
      let page = try records(of: account, before: end, skipping: 0, limit: LedgerPage.count)
      for stored in page {
        if let found = find(stored) { return found }
      }
      guard let last = page.last else { return nil }
      end = last.position
    }
  }

  /// Returns the first that `find` finds in pages of all records, in the order of the journal.
  public func searchPages<Found>(
    before end: RecordPosition, limit: Int = LedgerPage.count,
    _ find: ([StoredRecord]) throws(CreditError) -> Found?
  ) throws(CreditError) -> Found? {
    var next = Bookmark.start
    while true {
      let page = try records(after: next, before: end, limit: limit)
      if page.records.isEmpty { return nil }
      if let found = try find(page.records) { return found }
      next = page.next
    }
  }

  /// Reads all records, for books that do not have it.
  public func version(before end: RecordPosition) throws(CreditError) -> StoreVersion {
    var version = StoreVersion.first
    return try searchPages(before: end, limit: 1000) { records in
      for stored in records { version = max(version, stored.record.version) }
      return version < .newest ? nil : version
    } ?? version
  }
}

public struct LedgerSummary: Sendable {
  /// The time when the store was made; nil if it does not exist.
  public var createdAt: Timestamp?
  public var recordCount = 0
  public var accountCount = 0
  /// The time of the newest record; nil if there are no records.
  public var lastTime: Timestamp?

  public init() {}
}

/// The books of a store that has not been made yet.
public final class EmptyLedger: LedgerReading {
  public init() {}

  public func bookmark() -> Bookmark { .start }

  public func bookmark(before position: RecordPosition) -> Bookmark { .start }

  public func holds(_ bookmark: Bookmark) -> Bool { bookmark == .start }

  public func summary(before end: RecordPosition) -> LedgerSummary { LedgerSummary() }

  public func newest(of key: RecordKey) -> StoredRecord? { nil }

  public func newest(of keys: [RecordKey]) -> [StoredRecord?] { keys.map { _ in nil } }

  public func records(at positions: [RecordPosition]) -> [StoredRecord?] {
    positions.map { _ in nil }
  }

  public func accounts(after name: Name?, before end: RecordPosition, limit: Int)
    -> [StoredRecord]
  {
    []
  }

  public func accountList() -> (any AccountList)? { nil }

  public func records(
    of account: Name?, before position: RecordPosition, skipping count: Int, limit: Int
  ) -> [StoredRecord] {
    []
  }

  public func records(after bookmark: Bookmark, before end: RecordPosition?, limit: Int)
    -> RecordPage
  {
    RecordPage(from: bookmark)
  }
}

/// A record with its place in the books. A class: a record is large, and a failed look-up then
/// returns nothing large.
public final class StoredRecord: Sendable {
  public let record: LedgerRecord
  public let position: RecordPosition
  /// Position of the account's previous record; nil for its first.
  public let previous: RecordPosition?

  public init(_ record: LedgerRecord, at position: RecordPosition, previous: RecordPosition?) {
    self.record = record
    self.position = position
    self.previous = previous
  }
}

/// A place between two records, to continue from later.
public struct Bookmark: Equatable, Sendable {
  /// All records before it have been read.
  public let position: RecordPosition
  /// Identifies the books up to there: books that replaced them differ in it.
  public let anchor: UInt32

  public init(position: RecordPosition, anchor: UInt32) {
    self.position = position
    self.anchor = anchor
  }

  /// Before the first record of any books.
  public static let start = Bookmark(position: RecordPosition(0), anchor: 0)
}

/// Records in their order, and the place of the next ones.
public struct RecordPage: Sendable {
  public var records: [StoredRecord] = []
  public var next: Bookmark

  public init(from bookmark: Bookmark) { next = bookmark }
}
