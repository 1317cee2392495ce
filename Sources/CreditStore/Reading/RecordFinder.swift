internal import CreditJSON
internal import CreditModel

/// Finds records by their keys: in the index and what is pending over it, each find held against
/// the journal's line, or that of the batch which is being written.
final class RecordFinder {
  let journal: JournalFile
  let pending: PendingIndex
  /// What is being written; nil for a process that only reads.
  private let batch: PendingBatch?
  private var reader = RecordReader()

  init(journal: JournalFile, pending: PendingIndex, batch: PendingBatch? = nil) {
    self.journal = journal
    self.pending = pending
    self.batch = batch
  }

  /// The number of an account, and its newest record; nil where it isn't registered.
  func newest(of account: Name) throws(StoreFault) -> (number: Int, newest: StoredRecord)? {
    var newest: StoredRecord?
    let hash = RecordKey.account(account).hash(pending.hasher)
    let number = try pending.lookup(hash) { (number) throws(StoreFault) in
      newest = try pending.accountOffset(number).flatMap { (offset) throws(StoreFault) in
        try record(at: offset, ofAccount: true)
      }
      return newest?.record.account.name == account
    }
    try checkIndex()
    guard let number, let newest else { return nil }
    return (number, newest)
  }

  /// Where the newest records of accounts are, in the order of registration.
  /// - Parameter limit: how many are wanted of those that were registered last.
  func newestPositions(ofLast limit: Int = .max) throws(StoreFault) -> LargeTable<RecordPosition> {
    let first = max(0, pending.accountCount - limit)
    let positions = LargeTable<RecordPosition>(count: pending.accountCount - first)
    var count = 0
    pending.forEachAccountOffset(from: first) { offset in
      positions.elements[count] = RecordPosition(Int64(offset))
      count += 1
    }
    try checkIndex()
    guard count == positions.elements.count else {
      throw .indexUnusable("an account has no record")
    }
    return positions
  }

  /// The newest record of a key other than an account.
  func newest(of key: RecordKey) throws(StoreFault) -> StoredRecord? {
    try newest(of: key, key.hash(pending.hasher))
  }

  /// The same, by a key whose hash is known.
  func newest(of key: RecordKey, _ hash: UInt64) throws(StoreFault) -> StoredRecord? {
    var newest: StoredRecord?
    let offset = try pending.lookup(hash) { (offset) throws(StoreFault) in
      newest = try record(at: offset)
      return newest?.record.isFound(by: key) ?? false
    }
    try checkIndex()
    return offset == nil ? nil : newest
  }

  /// - Throws: ``StoreFault/indexUnusable(_:)`` where a look-up has met with damage.
  private func checkIndex() throws(StoreFault) {
    if pending.isDamaged { throw .indexUnusable("it is damaged") }
  }

  /// The record at an offset that the index has, or a record.
  /// - Throws: ``StoreFault/damaged(_:)`` where no line starts, or a sound one is no record.
  func record(at offset: Int, ofAccount: Bool = false) throws(StoreFault) -> StoredRecord {
    if offset >= journal.length, let batch {
      let found = try batch.withLine(at: offset) {
        reader.read($0, at: RecordPosition(Int64(offset)))
      }
      if let found { return found }
    }
    return try journal.withRecordLine(at: offset, ofAccount: ofAccount) {
      (line) throws(StoreFault) in try read(line, at: offset)
    }
  }

  private func read(_ line: UnsafeRawBufferPointer, at offset: Int) throws(StoreFault)
    -> StoredRecord
  {
    do throws(ReplayFault) {
      return try reader.sealed(line, at: offset)
    } catch {
      throw journal.damage(at: offset, error.reason)
    }
  }
}
