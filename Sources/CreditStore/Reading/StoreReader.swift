internal import CreditJSON
package import CreditModel
internal import CreditSystem

/// Reads a store. Nothing of its books is written, and the lock is held only for look-ups: what they
/// find is read from the part of the journal that never changes again.
package final class StoreReader {
  private let store: LocalStore
  private let lock: StoreLock
  let journal: JournalFile
  private var finder: RecordFinder?
  private var index: IndexFile?
  /// How long the journal was when the finder was last right; nil while it may be wrong.
  private var foundLength: Int?
  /// The end of the journal as of which its last batch is known to be whole.
  private var wholeLength = 0
  /// The end of the books that was asked for last, by which they are known again.
  private var known = Bookmark.start
  /// Whether others have taken their place since.
  private var isReplaced = false
  private var reader = RecordReader()
  /// The accounts as of the end of the books that was asked for last.
  var names: AccountNames?

  /// - Throws: `permission_denied`, `io_error`, `corrupt_store`.
  package init(_ store: LocalStore) throws(CreditError) {
    self.store = store
    let directory = store.directory
    (lock, journal) = try reporting { () throws(StoreFault) in
      (try StoreLock(in: directory, .read), try JournalFile(in: directory, .read))
    }
  }

  // MARK: Under the lock

  /// Looks something up in the store as it is now, under the shared lock: the index is a writer's to
  /// change as soon as the lock is given up.
  /// - Throws: `store_locked`, `corrupt_store`, `io_error`.
  func locked<Result>(_ body: (RecordFinder) throws(StoreFault) -> Result) throws(CreditError)
    -> Result
  {
    try lockedJournal { () throws(StoreFault) -> Result in
      let finder = try caughtUp()
      do throws(StoreFault) {
        return try body(finder)
      } catch {
        guard case .indexUnusable = error else { throw error }
        return try body(try openWithoutIndex())
      }
    }
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
    foundLength = nil
    finder = nil
    index = nil
    names = nil
    wholeLength = 0
    if known == .start { return }
    isReplaced = try journal.anchor(at: Int(known.position.value)) != known.anchor
  }

  /// The journal's end, where its last batch is known to be whole. Under the lock.
  func wholeEnd() throws(StoreFault) -> Int {
    if journal.length != wholeLength { try journal.refreshLastBatch() }
    wholeLength = journal.length
    return wholeLength
  }

  private func caughtUp() throws(StoreFault) -> RecordFinder {
    let knownLength = foundLength
    foundLength = nil
    let finder = try catchUp(from: knownLength)
    foundLength = journal.length
    return finder
  }

  private func catchUp(from knownLength: Int?) throws(StoreFault) -> RecordFinder {
    if let finder, let knownLength, journal.length >= knownLength {
      if journal.length == knownLength { return finder }
      if index == nil {
        try replay(finder, from: knownLength)
        return finder
      }
    }
    do throws(StoreFault) {
      if index == nil { index = try IndexFile(readingIn: store.directory) }
      finder?.pending.removeAll()
      return try open(from: try index?.prepare(for: journal) ?? 0)
    } catch {
      switch error {
      case .indexUnusable: break
      case .system(let reason) where reason.isMissing: break
      default: throw error
      }
      return try openWithoutIndex()
    }
  }

  /// Has the journal alone answer from now on.
  private func openWithoutIndex() throws(StoreFault) -> RecordFinder {
    index = nil
    return try open(from: 0)
  }

  private func open(from start: Int) throws(StoreFault) -> RecordFinder {
    let finder = RecordFinder(
      journal: journal, pending: PendingIndex(over: index, store.system))
    self.finder = finder
    try replay(finder, from: start)
    return finder
  }

  /// Notes what the index lacks, but for a last batch that a power cut left incomplete.
  private func replay(_ finder: RecordFinder, from start: Int) throws(StoreFault) {
    let end = start < journal.length ? try wholeEnd() : start
    try finder.replay(from: min(start, end))
  }

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

  /// The record that stands at a position, before the end of the journal as it was found last.
  func record(at position: RecordPosition) throws(StoreFault) -> StoredRecord? {
    let offset = Int(position.value)
    // The first line is the header.
    if offset == 0 { return nil }
    return try journal.withLine(at: offset) { (line) throws(StoreFault) in
      try record(in: line, at: offset)
    }
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
