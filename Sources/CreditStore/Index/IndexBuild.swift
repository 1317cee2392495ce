internal import CreditModel
internal import CreditSystem

/// Rebuilds a store's index in another file, while other processes use the current one.
///
/// It reads the part of the journal that never changes again, up to the start of the last batch.
/// The next process that takes the lock adds the rest, as always. Others are locked out only while
/// the finished file takes the index's name.
final class IndexBuild {
  private static let name = "index.build"

  /// How much the journal may grow meanwhile for the file to be finished.
  private static let restByteCount = 4 << 20
  /// How often the file catches up with a growing journal.
  private static let roundLimit = 16

  /// The least time that another process gets to show progress with its index.
  private static let waitMilliseconds = 1000

  private let store: LocalStore
  private let lock: StoreLock
  private let journal: JournalFile

  /// - Throws: ``StoreFault/system(_:)``, ``StoreFault/unexpectedFile(name:kind:)``.
  init(of store: LocalStore) throws(StoreFault) {
    self.store = store
    lock = try StoreLock(in: store.directory, .updateOrCreate)
    journal = try JournalFile(in: store.directory, .read)
  }

  /// Makes the index and puts it in place. Must not hold the lock.
  /// - Parameters:
  ///   - isReplacing: true to replace an existing index that seems usable, too.
  ///   - progress: called with the bytes of the journal that the index has, and the total.
  /// - Throws: ``StoreFault/locked(by:)`` if others keep the lock, or make the index without
  ///   progress; faults of reading the journal or writing the index, which is unchanged then.
  func run(replacing isReplacing: Bool, _ progress: (Int, Int) -> Void = { _, _ in })
    throws(StoreFault)
  {
    // Processes that make an index take turns by a lock on the journal, which has no other use.
    let turn = try store.directory.open(JournalFile.name, .read)
    try take(turn)
    if !isReplacing, try isThere() { return }
    let file: IndexFile
    do throws(StoreFault) {
      file = try IndexFile(making: Self.name, in: store.directory)
      try fill(file, progress)
      try locked(.exclusive) { () throws(StoreFault) in
        try journal.refresh()
        // The journal may have been replaced, and another process may make the new one's index.
        guard try file.isNamed(), try file.header.covered.isOf(journal) else {
          throw .journalReplaced
        }
        try file.rename(to: IndexFile.name)
      }
    } catch {
      try? store.directory.removeFile(Self.name)
      throw error
    }
    // Processes that wait for an index need not wait for the disk.
    turn.unlock()
    if store.options.syncs { try syncToDisk(file) }
  }

  /// Waits for the turn as long as another process makes progress with its index. That takes time
  /// in proportion to the journal, while no process keeps the store's lock.
  private func take(_ turn: borrowing FileDescriptor) throws(StoreFault) {
    let wait = max(store.options.waitMilliseconds, Self.waitMilliseconds)
    var seen: IndexFile.Version?
    while true {
      if try turn.lock(.exclusive, waitMilliseconds: wait) { return }
      let made = try? IndexFile(readingIn: store.directory, named: Self.name).version
      if made == seen { throw .locked(by: store.system.lockHolder(of: turn.opened.identity)) }
      seen = made
    }
  }

  /// Whether another process has made the index while this one waited for its turn.
  private func isThere() throws(StoreFault) -> Bool {
    try locked(.shared) { () throws(StoreFault) in
      try journal.refresh()
      do throws(StoreFault) {
        return try IndexFile(readingIn: store.directory).prepare(for: journal) > 0
      } catch {
        guard error.isIgnorable else { throw error }
        return false
      }
    }
  }

  private func fill(_ file: IndexFile, _ progress: (Int, Int) -> Void) throws(StoreFault) {
    file.sparesMemory = true
    let changes = PendingIndex(over: file, store.system)
    let finder = RecordFinder(journal: journal, pending: changes)
    var catchUp = IndexCatchUp(finder, looksUpLate: true)
    var done = 0
    for _ in 0..<Self.roundLimit {
      let end = try locked(.shared) { () throws(StoreFault) in
        try lock.checkMark()
        try journal.refreshWhole()
        return journal.lastBatchStart
      }
      if done > 0 && end - done < Self.restByteCount { break }
      try catchUp.note(from: done, to: end) { (length) throws(StoreFault) in
        progress(length, end)
        // Each time goes through all slots, so that a large file gets more keys: up to 32 MiB.
        let keyCount = min(max(20_000, file.layout.slotCapacity / 64), 500_000)
        if length < end && changes.keys.count < keyCount { return }
        if file.recordCount == 0 { try reserve(in: file, for: changes, upTo: length, of: end) }
        try file.commit(changes, of: journal, to: length, isSynced: false, isOlder: finder.isOlder)
      }
      done = end
    }
  }

  /// Estimates the file's final size from its first part, and reserves that. To grow step by step
  /// takes half as long as all else, and the memory of two files.
  private func reserve(
    in file: IndexFile, for changes: PendingIndex, upTo length: Int, of end: Int
  ) throws(StoreFault) {
    if length == 0 { return }
    let factor = Double(end) / Double(length)
    try file.reserve(
      // Most accounts come early.
      accountCount: changes.appendedAccounts.count * Int(min(4, factor)),
      slotCount: Int(0.95 * factor * Double(changes.keys.count)))
  }

  /// Syncs the index, so that it remains usable after the machine restarts. The journal must be on
  /// disk for that. Most of it is synced without the lock, the rest under it.
  private func syncToDisk(_ file: IndexFile) throws(StoreFault) {
    try syncJournal()
    try? file.flush()
    try locked(.exclusive) { () throws(StoreFault) in
      try journal.refresh()
      guard try file.isNamed() else { return }
      try syncJournal()
      // Without its checkpoint the index works, too.
      guard let length = try? file.prepare(for: journal), length > 0 else { return }
      try? file.syncToDisk()
    }
  }

  private func syncJournal() throws(StoreFault) {
    try lock.markingFailedSync { () throws(StoreFault) in try journal.sync() }
  }

  private func locked<Result>(_ mode: LockMode, _ body: () throws(StoreFault) -> Result)
    throws(StoreFault) -> Result
  {
    try lock.withLock(mode, waitMilliseconds: store.options.waitMilliseconds, body)
  }
}
