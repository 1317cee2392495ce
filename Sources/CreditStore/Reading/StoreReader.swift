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

/// Where a store is and how large.
package struct StoreInfo {
  package let version: Int64
  package let bytes: Int
  package let summary: LedgerSummary
  /// How many acknowledged records are missing at the journal's end, where some are.
  package var lost: Int?
  /// What there is of appends that did not end.
  package var tornTails: [TornTail] = []

  package init(version: Int64, bytes: Int, summary: LedgerSummary) {
    self.version = version
    self.bytes = bytes
    self.summary = summary
  }
}

extension LocalStore {
  /// - Throws: `no_store`, `store_locked`, `corrupt_store`, `io_error`.
  package func info() throws(CreditError) -> StoreInfo {
    try requireExists()
    var info: StoreInfo
    do throws(CreditError) {
      info = try StoreReader(self).info()
    } catch {
      guard let lost = error.lost else { throw error }
      info = try infoOfShortened()
      info.lost = lost
    }
    info.tornTails = try reporting { () throws(StoreFault) in try tornTails() } + info.tornTails
    return info
  }

  /// What can be said of a journal that is shorter than its index knows: by reading all of it.
  private func infoOfShortened() throws(CreditError) -> StoreInfo {
    let verified = try verify()
    var summary = LedgerSummary()
    summary.recordCount = verified.records
    summary.accountCount = verified.accounts
    return StoreInfo(
      version: verified.version.rawValue, bytes: verified.bytes, summary: summary)
  }
}

extension CreditError {
  /// How many records it says are missing; nil unless it says so.
  var lost: Int? {
    for case .lost(let count) in details { return count }
    return nil
  }
}

extension StoreReader {
  func info() throws(CreditError) -> StoreInfo {
    let end = try bookmark().position
    var info = StoreInfo(
      version: try version(before: end).rawValue, bytes: journal.length,
      summary: try summary(before: end))
    if let tail = try reading({ () throws(StoreFault) in try journal.tornTail() }) {
      info.tornTails = [tail]
    }
    return info
  }

  package func version(before end: RecordPosition) throws(CreditError) -> StoreVersion {
    try reading { () throws(StoreFault) in try journal.version() }
  }

  package func summary(before end: RecordPosition) throws(CreditError) -> LedgerSummary {
    var summary = LedgerSummary()
    // Claims are nobody's, who is no account.
    let nobodyCount = try newest(of: .account(.nobody)) == nil ? 0 : 1
    (summary.recordCount, summary.accountCount) = try locked { (finder) throws(StoreFault) in
      // Those that have come since are counted, too.
      let later = try journal.lineCount(from: Int(end.value), to: journal.length)
      return (max(0, recordCount - later), finder.pending.accountCount - nobodyCount)
    }
    let last = try records(of: nil, before: end, skipping: 0, limit: 1)
    summary.lastTime = last.first?.record.account.updatedAt
    summary.createdAt = try reading { () throws(StoreFault) in try journal.createdAt() }
    return summary
  }
}
