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
