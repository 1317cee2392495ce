internal import CreditJSON
package import CreditModel
internal import CreditSystem

/// Reads a store. Nothing of its books is written, and the lock is held only for look-ups: what
/// they find is read from the part of the journal that never changes again.
package final class StoreReader {
  private let store: LocalStore
  private let lock: StoreLock
  let journal: JournalFile
  private let index: JournalIndex
  private let finder: RecordFinder
  /// The end of the journal as of which its last batch is known to be whole.
  private var wholeLength = 0
  /// The end of the books that was asked for last, by which they are known again.
  private var known = Bookmark.start
  /// Whether others have taken their place since.
  private var isReplaced = false
  private var reader = RecordReader()
  /// The accounts as of the end of the books that was asked for last.
  var names: AccountNames?

  /// How often an index that is of no use is rebuilt for one look-up.
  private static let indexLimit = 3

  /// - Throws: `permission_denied`, `io_error`, `corrupt_store`.
  package init(_ store: LocalStore) throws(CreditError) {
    self.store = store
    let directory = store.directory
    (lock, journal) = try reporting { () throws(StoreFault) in
      (try StoreLock(in: directory, .read), try JournalFile(in: directory, .read))
    }
    index = JournalIndex(of: journal, in: store, .read)
    finder = RecordFinder(journal: journal, pending: index.changes)
  }

  // MARK: Under the lock

  /// Looks something up in the store as it is now, under the shared lock: the index is a writer's
  /// to change as soon as the lock is given up.
  /// - Throws: `store_locked`, `corrupt_store`, `io_error`.
  func locked<Result>(_ body: (RecordFinder) throws(StoreFault) -> Result) throws(CreditError)
    -> Result
  {
    for _ in 0..<Self.indexLimit {
      let result = try lockedJournal { () throws(StoreFault) -> Result? in
        do throws(StoreFault) {
          return try catchUp() ? try body(finder) : nil
        } catch {
          guard index.isDamaged else { throw error }
        }
        try index.bypass()
        // It no longer vouches for the journal's last batch.
        wholeLength = 0
        return try catchUp() ? try body(finder) : nil
      }
      if let result { return result }
      try reporting { () throws(StoreFault) in
        if store.options.isHasty { throw StoreFault.indexUnusable("it has to be made") }
        try index.make { (end, progress) throws(StoreFault) in
          var catchUp = IndexCatchUp(finder)
          try catchUp.note(from: 0, to: end, progress: progress)
        }
      }
    }
    throw CreditError(StoreFault.indexUnusable("it is damaged again and again"))
  }

  /// Has the journal read up to its end as it is now, under the shared lock.
  /// - Throws: `store_locked`, `corrupt_store`, `io_error`.
  func lockedJournal<Result>(_ body: () throws(StoreFault) -> Result) throws(CreditError) -> Result
  {
    try reporting { () throws(StoreFault) -> Result in
      try lock.withLock(.shared, waitMilliseconds: store.options.waitMilliseconds) {
        () throws(StoreFault) -> Result in
        try lock.checkMark()
        if try journal.refresh() { try recognise() }
        return try body()
      }
    }
  }

  /// Goes over to another file in the journal's place, and finds out whether it is the same books.
  private func recognise() throws(StoreFault) {
    names = nil
    wholeLength = 0
    if known == .start { return }
    isReplaced = try journal.anchor(at: Int(known.position.value)) != known.anchor
  }

  /// Notes what the index lacks, but for a last batch that a power cut left incomplete.
  /// - Returns: false where the index has to be made first, outside of the lock.
  private func catchUp() throws(StoreFault) -> Bool {
    let start = try index.prepare()
    if start == journal.length {
      wholeLength = start
      return true
    }
    let end = try wholeEnd()
    if start >= end { return true }
    if index.hasToBeMade(from: start) { return false }
    // Nobody would have the next look-up take less.
    let isFar = end - start > store.options.lockedByteCount
    if isFar && store.options.isHasty { return false }
    var catchUp = IndexCatchUp(finder)
    try catchUp.note(from: start, to: end)
    try index.commit(to: end, isSynced: false)
    return true
  }

  /// The journal's end, where its last batch is known to be whole. Under the lock.
  func wholeEnd() throws(StoreFault) -> Int {
    if journal.length != wholeLength, try journal.refreshLastBatch() {
      // What the index knows is damaged, not incomplete: this throws then.
      _ = try index.prepare()
    }
    wholeLength = journal.length
    return wholeLength
  }

  /// How many records there are up to the journal's end as of the last look-up.
  var recordCount: Int { index.recordCount }

  /// Where the books end now. Under the lock.
  func newBookmark() throws(StoreFault) -> Bookmark {
    known = try bookmark(at: try wholeEnd())
    isReplaced = false
    return known
  }

  // MARK: Without the lock

  /// Reads from the books whose end was asked for last.
  /// - Throws: `corrupt_store`; `io_error`, also where other books have taken their place.
  func reading<Result>(_ body: () throws(StoreFault) -> Result) throws(CreditError) -> Result {
    try reporting { () throws(StoreFault) in
      if isReplaced { throw StoreFault.journalReplaced }
      return try body()
    }
  }

  /// By what the books up to an offset are to be known again.
  func bookmark(at end: Int) throws(StoreFault) -> Bookmark {
    // A header alone is that of any store which has no records.
    if end <= (try journal.headerByteCount()) { return .start }
    guard let anchor = try journal.anchor(at: end) else {
      throw journal.damage(at: end, "does not start where it has to")
    }
    return Bookmark(position: RecordPosition(Int64(end)), anchor: anchor)
  }

  /// The record that the index or another record says is at a position, before the end of the
  /// journal as it was found last.
  /// - Throws: ``StoreFault/damaged(_:)`` also where no record is.
  func record(at position: RecordPosition) throws(StoreFault) -> StoredRecord {
    let offset = Int(position.value)
    return try journal.withRecordLine(at: offset) { (line) throws(StoreFault) in
      try record(in: line, at: offset)
    }
  }

  /// The record that starts at any place; nil where none does.
  func record(ifAnyAt position: RecordPosition) throws(StoreFault) -> StoredRecord? {
    let offset = Int(position.value)
    if offset == 0 { return nil }
    return try journal.withLine(at: offset) { (line) throws(StoreFault) in
      try record(in: line, at: offset)
    }
  }

  /// The record of the same account before one; nil for the account's first.
  func previous(of stored: StoredRecord) throws(StoreFault) -> StoredRecord? {
    guard let position = stored.previous else {
      // What nobody has is counted by no account.
      if stored.record.account.recordCount <= 1 || stored.record.account.name == .nobody {
        return nil
      }
      throw journal.damage(
        at: Int(stored.position.value), "says that it is the first record of its account")
    }
    return try record(at: position, by: 1, before: stored)
  }

  /// The record of the same account that comes so many records before another.
  func record(at position: RecordPosition, by count: Int64, before later: StoredRecord)
    throws(StoreFault) -> StoredRecord
  {
    let stored = try record(at: position)
    let (account, laterAccount) = (stored.record.account, later.record.account)
    guard account.name == laterAccount.name, stored.position < later.position,
      account.name == .nobody || account.recordCount == laterAccount.recordCount - count
    else {
      throw journal.damage(
        at: Int(position.value), "is no record of the account whose it has to be")
    }
    return stored
  }

  /// The record in a sound line.
  func record(in line: UnsafeRawBufferPointer, at offset: Int) throws(StoreFault) -> StoredRecord {
    do throws(ReplayFault) {
      return try reader.sealed(line, at: offset)
    } catch {
      throw journal.damage(at: offset, error.reason)
    }
  }
}
