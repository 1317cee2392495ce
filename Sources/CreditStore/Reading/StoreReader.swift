internal import CreditJSON
public import CreditModel
internal import CreditSystem

/// Reads a store. It never writes its books, and holds the lock only for look-ups: the records
/// found are read from the part of the journal that never changes again.
public final class StoreReader {
  private let store: LocalStore
  private let lock: StoreLock
  let journal: JournalFile
  private let index: JournalIndex
  let finder: RecordFinder
  /// End of the journal up to which its last batch is known to be whole.
  private var wholeLength = 0
  /// The last end of the books that was returned, which identifies them.
  private var known = Bookmark.start
  /// Whether other books have replaced them since.
  private var isReplaced = false
  /// The accounts as of that end.
  var names: AccountNames?

  /// How often an unusable index is rebuilt for one look-up.
  private static let indexLimit = 3

  /// - Throws: `permission_denied`, `io_error`, `corrupt_store`.
  public init(_ store: LocalStore) throws(CreditError) {
    self.store = store
    let directory = store.directory
    (lock, journal) = try reporting { () throws(StoreFault) in
      (try StoreLock(in: directory, .read), try JournalFile(in: directory, .read))
    }
    index = JournalIndex(of: journal, in: store, .read)
    finder = RecordFinder(journal: journal, pending: index.changes)
  }

  // MARK: Under the lock

  /// Runs a look-up in the current store under the shared lock. The result must not use the index:
  /// a writer may change it once the lock is released.
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
        // It no longer confirms the journal's last batch.
        wholeLength = 0
        return try catchUp() ? try body(finder) : nil
      }
      if let result { return result }
      try reporting { () throws(StoreFault) in
        if store.options.isHasty { throw StoreFault.indexUnusable("it has to be made") }
        try index.make(finder)
      }
    }
    throw CreditError(StoreFault.indexUnusable("it is damaged again and again"))
  }

  /// Runs `body` on the journal up to its current end, under the shared lock.
  /// - Parameter toleratesDamage: true for an end before damage at the journal's own.
  /// - Throws: `store_locked`, `corrupt_store`, `io_error`.
  func lockedJournal<Result>(
    toleratesDamage: Bool = false, _ body: () throws(StoreFault) -> Result
  ) throws(CreditError) -> Result {
    try reporting { () throws(StoreFault) -> Result in
      try lock.withLock(.shared, waitMilliseconds: store.options.waitMilliseconds) {
        () throws(StoreFault) -> Result in
        try lock.checkMark()
        if toleratesDamage {
          _ = try journal.refreshIsSound()
        } else if try journal.refresh() {
          // A new journal file may have other books.
          names = nil
          wholeLength = 0
          if known != .start {
            isReplaced = try journal.anchor(at: Int(known.position.value)) != known.anchor
          }
        }
        return try body()
      }
    }
  }

  /// Notes the lines that the index lacks, except for an incomplete last batch.
  /// - Returns: false if the index has to be made first, outside of the lock.
  private func catchUp() throws(StoreFault) -> Bool {
    let start = try index.prepare()
    if start == journal.length {
      wholeLength = start
      return true
    }
    let end = try wholeEnd()
    if start >= end { return true }
    if index.needsBuild(from: start) { return false }
    // Otherwise each look-up would take as long.
    let isFar = end - start > store.options.lockedByteCount
    if isFar && store.options.isHasty { return false }
    var catchUp = IndexCatchUp(finder)
    try catchUp.note(from: start, to: end)
    try index.commit(to: end, isSynced: false)
    return true
  }

  /// Returns the journal's end, after a check that its last batch is whole. Requires the lock.
  func wholeEnd() throws(StoreFault) -> Int {
    if journal.length != wholeLength {
      try journal.refreshLastBatch()
      // A record in the index is damaged, not incomplete: this throws then.
      if journal.tornByteCount > 0 { _ = try index.prepare() }
    }
    wholeLength = journal.length
    return wholeLength
  }

  /// Refuses a journal that lacks records of the index. Requires the lock.
  func checkEnd() throws(StoreFault) { _ = try index.prepare() }

  /// Number of records up to the journal's end as of the last look-up.
  var recordCount: Int { index.recordCount }

  /// Returns the books' current end. Requires the lock.
  func newBookmark() throws(StoreFault) -> Bookmark {
    known = try bookmark(at: try wholeEnd())
    isReplaced = false
    return known
  }

  // MARK: Without the lock

  /// Reads from the books whose end was returned last.
  /// - Throws: `corrupt_store`; `io_error`, also if other books have replaced them.
  func reading<Result>(_ body: () throws(StoreFault) -> Result) throws(CreditError) -> Result {
    try reporting { () throws(StoreFault) in
      if isReplaced { throw StoreFault.journalReplaced }
      return try body()
    }
  }

  /// Returns a bookmark that identifies the books up to an offset.
  func bookmark(at end: Int) throws(StoreFault) -> Bookmark {
    // A header alone is the same in any store without records.
    if end <= (try journal.headerByteCount()) { return .start }
    guard let anchor = try journal.anchor(at: end) else {
      throw journal.damage(at: end, "is not the start of a line")
    }
    return Bookmark(position: RecordPosition(Int64(end)), anchor: anchor)
  }

  /// Returns the record at a position from the index or another record.
  ///
  /// The position lies before the journal's last known end.
  /// - Throws: ``StoreFault/damaged(_:)``, also if no record is there.
  func record(at position: RecordPosition) throws(StoreFault) -> StoredRecord {
    try finder.record(at: Int(position.value))
  }

  /// Returns the same account's previous record; nil for the account's first.
  func previous(of stored: StoredRecord) throws(StoreFault) -> StoredRecord? {
    guard let position = stored.previous else {
      // Records of `nobody` are counted by no account.
      if stored.record.account.recordCount <= 1 || stored.record.account.name == .nobody {
        return nil
      }
      throw journal.damage(
        at: Int(stored.position.value), "names no record of its account before it")
    }
    return try record(at: position, by: 1, before: stored)
  }

  /// Returns the record of the same account `count` records before another.
  func record(at position: RecordPosition, by count: Int64, before later: StoredRecord)
    throws(StoreFault) -> StoredRecord
  {
    let stored = try record(at: position)
    let (account, laterAccount) = (stored.record.account, later.record.account)
    guard account.name == laterAccount.name, stored.position < later.position,
      account.name == .nobody || account.recordCount == laterAccount.recordCount - count
    else {
      throw journal.damage(
        at: Int(position.value), "is a record of another account")
    }
    return stored
  }

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

  public func version(before end: RecordPosition) throws(CreditError) -> StoreVersion {
    try reading { () throws(StoreFault) in try journal.version() }
  }

  public func summary(before end: RecordPosition) throws(CreditError) -> LedgerSummary {
    var summary = LedgerSummary()
    // Claims belong to `nobody`, which is not an account.
    let nobodyCount = try newest(of: .account(.nobody)) == nil ? 0 : 1
    (summary.recordCount, summary.accountCount) = try locked { (finder) throws(StoreFault) in
      // The index also counts records added since.
      let later = try journal.lineCount(from: Int(end.value), to: journal.length)
      return (max(0, recordCount - later), finder.pending.accountCount - nobodyCount)
    }
    let last = try records(of: nil, before: end, skipping: 0, limit: 1)
    summary.lastTime = last.first?.record.account.updatedAt
    summary.createdAt = try reading { () throws(StoreFault) in try journal.createdAt() }
    return summary
  }
}

/// Finds records by their keys in the index and its pending changes. Each find is checked with the
/// line in the journal, or in the batch being written.
final class RecordFinder {
  let journal: JournalFile
  let pending: PendingIndex
  /// The batch being written; nil for a process that only reads.
  private let lines: PendingLines?
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private var reader = RecordReader()

  init(journal: JournalFile, pending: PendingIndex, writing lines: PendingLines? = nil) {
    self.journal = journal
    self.pending = pending
    self.lines = lines
  }

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

  /// Returns the positions of accounts' newest records, in the order of registration.
  /// - Parameter limit: the most accounts to return, those registered last.
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

  /// Whether an offset in the index is that of an older record of a changed key.
  func isOlder(_ offset: Int, _ change: PendingIndex.KeyChange) throws(StoreFault) -> Bool {
    let older = try record(at: offset).record
    var isFound = false
    try record(at: change.value).record.keys.visit { key in
      if key.hash(pending.hasher) == change.hash && older.isFound(by: key) { isFound = true }
    }
    return isFound
  }

  /// - Throws: ``StoreFault/indexUnusable(_:)`` if a look-up has found damage.
  private func checkIndex() throws(StoreFault) {
    if pending.isDamaged { throw .indexUnusable("it is damaged") }
  }

  /// Returns the record at an offset from the index or another record.
  /// - Throws: ``StoreFault/damaged(_:)`` if no line starts there, or a sound line is not a record.
  func record(at offset: Int, ofAccount: Bool = false) throws(StoreFault) -> StoredRecord {
    if offset >= journal.length, let lines {
      let found = try lines.withLine(at: offset) {
        reader.read($0, at: RecordPosition(Int64(offset)))
      }
      if let found { return found }
    }
    return try journal.withRecordLine(at: offset, ofAccount: ofAccount) {
      (line) throws(StoreFault) in try read(line, at: offset)
    }
  }

  /// - Throws: ``StoreFault/damaged(_:)`` if a sound line is not a record.
  func read(_ line: Bytes, at offset: Int) throws(StoreFault) -> StoredRecord {
    if let stored = reader.read(line, at: RecordPosition(Int64(offset))) { return stored }
    throw journal.damage(at: offset, RecordFault.unreadable.reason)
  }
}

/// The place and size of a store.
public struct StoreInfo {
  public let version: Int64
  public let bytes: Int
  public let summary: LedgerSummary
  /// Number of acknowledged records that are missing at the journal's end, if any.
  public var lost: Int?
  /// Appends that did not finish.
  public var tornTails: [TornTail] = []

  public init(version: Int64, bytes: Int, summary: LedgerSummary) {
    self.version = version
    self.bytes = bytes
    self.summary = summary
  }
}

extension LocalStore {
  /// - Throws: `no_store`, `store_locked`, `corrupt_store`, `io_error`.
  public func info() throws(CreditError) -> StoreInfo {
    try requireExists()
    var info: StoreInfo
    do throws(CreditError) {
      info = try StoreReader(self).info()
    } catch {
      guard let lost = error.lost else { throw error }
      // All of a shortened journal is read.
      let verified = try verify()
      var summary = LedgerSummary()
      summary.recordCount = verified.records
      summary.accountCount = verified.accounts
      info = StoreInfo(
        version: verified.version.rawValue, bytes: verified.bytes, summary: summary)
      info.lost = lost
    }
    info.tornTails = try reporting { () throws(StoreFault) in try tornTails() } + info.tornTails
    return info
  }
}

extension CreditError {
  /// Number of missing records in the error's details, if any.
  var lost: Int? {
    for case .lost(let count) in details { return count }
    return nil
  }
}
