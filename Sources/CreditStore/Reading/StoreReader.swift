internal import CreditJSON
package import CreditModel
internal import CreditSystem

/// Reads a store. Nothing is written, and the lock is held only for look-ups: what they find is read
/// from the part of the journal that never changes again.
package final class StoreReader {
  private let store: LocalStore
  private let lock: StoreLock
  let journal: JournalFile
  private var finder: RecordFinder?
  private var index: IndexFile?
  /// How long the journal was when the finder was last right; nil while it may be wrong.
  private var foundLength: Int?

  /// - Throws: `permission_denied`, `io_error`, `corrupt_store`.
  package init(_ store: LocalStore) throws(CreditError) {
    self.store = store
    let directory = store.directory
    (lock, journal) = try reporting { () throws(StoreFault) in
      (try StoreLock(in: directory, .read), try JournalFile(in: directory, .read))
    }
  }

  /// Looks something up in the store as it is now, under the shared lock: the index is a writer's to
  /// change as soon as the lock is given up.
  /// - Throws: `store_locked`, `corrupt_store`, `io_error`.
  private func locked<Result>(_ body: (RecordFinder) throws(StoreFault) -> Result?)
    throws(CreditError) -> Result?
  {
    try reporting { () throws(StoreFault) -> Result? in
      try lock.withLock(.shared, waitMilliseconds: store.options.waitMilliseconds) {
        () throws(StoreFault) -> Result? in
        try lock.checkMark()
        try catchUp()
        guard let finder else { return nil }
        do throws(StoreFault) {
          return try body(finder)
        } catch {
          guard case .indexUnusable = error else { throw error }
          return try body(try openWithoutIndex())
        }
      }
    }
  }

  private func catchUp() throws(StoreFault) {
    let knownLength = foundLength
    foundLength = nil
    try catchUp(from: knownLength)
    foundLength = journal.length
  }

  private func catchUp(from knownLength: Int?) throws(StoreFault) {
    let isReplaced = try journal.refresh()
    if let finder, let knownLength, !isReplaced, journal.length >= knownLength {
      if journal.length == knownLength { return }
      if index == nil { return try replay(finder, from: knownLength) }
    }
    do throws(StoreFault) {
      if index == nil { index = try IndexFile(readingIn: store.directory) }
      finder?.pending.removeAll()
      let start = try index?.prepare(for: journal) ?? 0
      try open(from: start)
    } catch {
      switch error {
      case .indexUnusable: break
      case .system(let reason) where reason.isMissing: break
      default: throw error
      }
      _ = try openWithoutIndex()
    }
  }

  /// Has the journal alone answer from now on.
  private func openWithoutIndex() throws(StoreFault) -> RecordFinder {
    index = nil
    return try open(from: 0)
  }

  @discardableResult
  private func open(from start: Int) throws(StoreFault) -> RecordFinder {
    let finder = RecordFinder(
      journal: journal, pending: PendingIndex(over: index, store.system))
    self.finder = finder
    try replay(finder, from: start)
    return finder
  }

  /// Notes what the index lacks, but for a last batch that a power cut left incomplete.
  private func replay(_ finder: RecordFinder, from start: Int) throws(StoreFault) {
    if start < journal.length { try journal.refreshLastBatch() }
    try finder.replay(from: min(start, journal.length))
  }

  /// The newest record of an account; nil where it isn't registered.
  package func newest(of account: Name) throws(CreditError) -> StoredRecord? {
    try locked { finder throws(StoreFault) in
      try finder.newest(of: account).map { StoredRecord($0.record, at: $0.position) }
    }
  }

  /// What the store knows of an authorization; nil where there is none.
  package func authorization(_ id: Name) throws(CreditError) -> AuthorizationEntry? {
    try locked { finder throws(StoreFault) in
      try finder.newest(of: .authorization(id)).flatMap {
        AuthorizationEntry($0.0.record, at: $0.1)
      }
    }
  }

  /// Where the newest record of every account stands, in the order of registration, all as of one
  /// moment.
  package func newestPositions() throws(CreditError) -> [RecordPosition] {
    let positions = try locked { finder throws(StoreFault) in
      try finder.newestPositions()
    }
    return positions ?? []
  }

  /// How many bytes the journal has now.
  package func currentLength() throws(CreditError) -> Int {
    try locked { _ in journal.length } ?? 0
  }

  /// The record at a position: what stands there never changes, so no lock is needed.
  package func record(at position: RecordPosition) throws(CreditError) -> StoredRecord? {
    guard let finder else { return nil }
    return try reporting { () throws(StoreFault) in
      try finder.record(at: Int(position.value)).map { StoredRecord($0, at: position) }
    }
  }
}

/// A record with its place in the books.
package struct StoredRecord {
  package let record: LedgerRecord
  package let position: RecordPosition
  /// Where the account's record before it stands.
  package let previous: RecordPosition?

  init(_ stored: JournalRecord, at position: RecordPosition) {
    record = stored.record
    previous = stored.previous
    self.position = position
  }
}
