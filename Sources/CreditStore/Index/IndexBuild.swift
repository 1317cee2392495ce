internal import CreditSystem

/// Rebuilds the index of a store beside the one that is there, while other processes go on with
/// that.
///
/// It reads the part of the journal that never changes again, up to where the last batch begins;
/// what comes after that is for whoever takes the lock next, as always. Others are locked out only
/// while the finished file takes the index's name.
final class IndexBuild {
  private static let name = "index.build"

  /// How many keys are put into the file at once; into a large one more, as that goes through all
  /// of it: 32 MiB of memory until then.
  private static let commitKeyCount = 20_000
  private static let largeCommitKeyCount = 500_000
  private static let largeKeyCount = 3_000_000

  /// How much the journal may have grown meanwhile for the file to be finished.
  private static let restByteCount = 4 << 20
  /// How often the file is brought up to a journal that grows.
  private static let roundLimit = 16

  /// How long another process that makes an index is given, at least, to show that it goes on.
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

  /// Makes the index and puts it in place. Without the lock.
  /// - Parameters:
  ///   - isReplacing: whether one that is there, and seems to be usable, is replaced too.
  ///   - progress: told how many bytes of the journal the index has, and how many there are.
  /// - Throws: ``StoreFault/locked(by:)`` where others keep the lock, or begin to make the index
  ///   and do not go on; what keeps the journal from being read or the index from being written,
  ///   which is as it was then.
  func run(replacing isReplacing: Bool, _ progress: (Int, Int) -> Void = { _, _ in })
    throws(StoreFault)
  {
    // Those who make an index take turns by a lock of the journal's, which nothing else takes.
    let turn = try store.directory.open(JournalFile.name, .read)
    try take(turn)
    if !isReplacing, try isThere() { return }
    let file: IndexFile
    do throws(StoreFault) {
      file = try IndexFile(making: Self.name, in: store.directory)
      try fill(file, progress)
      try publish(file)
    } catch {
      try? store.directory.removeFile(Self.name)
      throw error
    }
    // Who waits for an index need not wait for the disk.
    turn.unlock()
    if store.options.syncs { try bringToDisk(file) }
  }

  /// Waits for the turn: for as long as another process goes on with the index that it makes, since
  /// that takes as long as the journal is large, while nobody keeps the store's lock.
  private func take(_ turn: borrowing FileDescriptor) throws(StoreFault) {
    let wait = max(store.options.waitMilliseconds, Self.waitMilliseconds)
    var seen: IndexFile.Version?
    while true {
      if try turn.lock(.exclusive, waitMilliseconds: wait) { return }
      let made = try? IndexFile(readingIn: store.directory, named: Self.name).version
      if made == seen {
        throw .locked(by: store.system.lockHolder(of: try turn.status().identity))
      }
      seen = made
    }
  }

  /// Whether another process has made it while this one waited for its turn.
  private func isThere() throws(StoreFault) -> Bool {
    try locked(.shared) { () throws(StoreFault) in
      try journal.refresh()
      do throws(StoreFault) {
        return try IndexFile(readingIn: store.directory).prepare(for: journal) > 0
      } catch {
        guard error.isPassedOver else { throw error }
        return false
      }
    }
  }

  private func fill(_ file: IndexFile, _ progress: (Int, Int) -> Void) throws(StoreFault) {
    let changes = PendingIndex(over: file, store.system)
    var catchUp = IndexCatchUp(RecordFinder(journal: journal, pending: changes))
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
        if length < end && changes.keys.count < Self.commitKeyCount { return }
        if file.recordCount == 0 { try reserve(in: file, for: changes, upTo: length, of: end) }
        let isEnough = !file.sparesMemory || changes.keys.count >= Self.largeCommitKeyCount
        if length < end && !isEnough { return }
        try file.commit(changes, of: journal, to: length, isSynced: false)
      }
      done = end
    }
  }

  /// Makes the file nearly as large as it will be, by its first part: to grow step by step takes
  /// half as long as all else, and the memory of two files.
  private func reserve(
    in file: IndexFile, for changes: PendingIndex, upTo length: Int, of end: Int
  ) throws(StoreFault) {
    if length == 0 { return }
    let factor = Double(end) / Double(length)
    let keyCount = 0.95 * factor * Double(changes.keys.count)
    file.sparesMemory = keyCount > Double(Self.largeKeyCount)
    try file.reserve(
      // Most accounts come early.
      accountCount: changes.appendedAccounts.count * Int(min(4, factor)),
      slotCount: Int(keyCount))
  }

  /// Has the index hold after a start of the machine, for which the journal must be on disk. Most
  /// of it gets there without the lock, and what has come meanwhile under it.
  private func bringToDisk(_ file: IndexFile) throws(StoreFault) {
    try syncJournal()
    try? file.flush()
    try locked(.exclusive) { () throws(StoreFault) in
      try journal.refresh()
      guard try file.isNamed else { return }
      try syncJournal()
      // Without its checkpoint the index works, too.
      guard let length = try? file.prepare(for: journal), length > 0 else { return }
      try? file.bringToDisk()
    }
  }

  private func syncJournal() throws(StoreFault) {
    do throws(StoreFault) {
      try journal.sync()
    } catch {
      if case .syncFailed = error { try? lock.mark("\(error)") }
      throw error
    }
  }

  private func publish(_ file: IndexFile) throws(StoreFault) {
    try locked(.exclusive) { () throws(StoreFault) in
      try journal.refresh()
      // Another journal may have come, and another process that makes its index.
      guard try file.isNamed, try file.covers(journal) else { throw .journalReplaced }
      try file.rename(to: IndexFile.name)
    }
  }

  private func locked<Result>(_ mode: LockMode, _ body: () throws(StoreFault) -> Result)
    throws(StoreFault) -> Result
  {
    try lock.withLock(mode, waitMilliseconds: store.options.waitMilliseconds, body)
  }
}
