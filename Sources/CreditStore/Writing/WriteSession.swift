internal import CreditModel
internal import CreditSystem

/// A writing process's open files of a store, for all of its batches.
final class WriteSession {
  private let store: LocalStore
  private let lock: StoreLock
  private let journal: JournalFile
  private let index: JournalIndex
  private let finder: RecordFinder
  private let lines: PendingLines
  private let books: LocalBooks
  /// Length of the journal when the books were last up to date; nil if they may not be.
  private var booksLength: Int?

  /// How often a batch makes an unusable index again.
  private static let indexLimit = 3
  /// Number of requests whose look-ups are prefetched at a time.
  private static let expectedCount = 64

  /// - Parameter aheadThread: see ``JournalFile``.
  init(_ store: LocalStore, ahead aheadThread: WorkerThread = WorkerThread()) throws(CreditError) {
    self.store = store
    let directory = store.directory
    (lock, journal) = try reporting { () throws(StoreFault) in
      (
        try StoreLock(in: directory, .updateOrCreate),
        try JournalFile(in: directory, .update, ahead: aheadThread)
      )
    }
    journal.onTornTail = store.options.onTornTail
    index = JournalIndex(of: journal, in: store, .update)
    lines = PendingLines(of: journal, changing: index.changes, syncs: store.options.syncs)
    finder = RecordFinder(journal: journal, pending: index.changes, writing: lines)
    books = LocalBooks(finder, writing: lines)
  }

  /// Takes the lock, serves a batch by the rules, and brings its records to disk.
  /// - Parameters:
  ///   - batch: nil to catch up with the journal alone.
  ///   - makeID: makes a new, unique id for an event at a time.
  /// Answers the batch's first requests, or all that fit into one append.
  /// - Throws: why the store can't be written; then no record was appended, and none answered.
  func perform(_ batch: Batch?, makeID: @escaping (Timestamp) -> Name) throws(CreditError) {
    for _ in 0..<Self.indexLimit {
      let isDone = try lock.withLock(
        .exclusive, waitMilliseconds: store.options.waitMilliseconds
      ) { () throws(CreditError) -> Bool in
        try reporting { () throws(StoreFault) in try lock.checkMark() }
        return try serveWithIndex(batch, makeID)
      }
      if isDone { return }
      try reporting { () throws(StoreFault) in try index.make(finder) }
    }
    throw CreditError(StoreFault.indexUnusable("it is damaged again and again"))
  }

  /// - Returns: false if the index has to be made first, outside of the lock.
  private func serveWithIndex(
    _ batch: Batch?, _ makeID: @escaping (Timestamp) -> Name
  ) throws(CreditError) -> Bool {
    do throws(CreditError) {
      guard try reporting({ () throws(StoreFault) in try catchUp() }) else { return false }
      try serve(batch, makeID)
      return true
    } catch {
      // Damage to the index shows before anything is written: the journal has every record of it.
      guard index.isDamaged else { throw error }
    }
    let isCaughtUp = try reporting { () throws(StoreFault) in
      try index.bypass()
      return try catchUp()
    }
    if isCaughtUp { try serve(batch, makeID) }
    return isCaughtUp
  }

  /// Applies the rules to the books and commits their records.
  private func serve(_ batch: Batch?, _ makeID: @escaping (Timestamp) -> Name) throws(CreditError) {
    let answered = batch?.answers.count ?? 0
    do throws(CreditError) {
      let registered = if let batch { try answer(batch, makeID) } else { [Name]() }
      try reporting { () throws(StoreFault) in try commit() }
      batch?.add(registered: registered)
      booksLength = journal.length
    } catch {
      batch?.removeAnswers(from: answered)
      lines.drop()
      books.forget()
      throw error
    }
  }

  /// - Returns: the accounts that it has registered first.
  private func answer(
    _ batch: Batch, _ makeID: @escaping (Timestamp) -> Name
  ) throws(CreditError) -> [Name] {
    // Read under the lock, so that no record gets an earlier time than one already written.
    let ledger = Ledger(
      books: books, policy: batch.policy.ofGate, systemTime: store.systemTime, makeID: makeID)
    let places = batch.unanswered
    var expected = places.lowerBound
    do throws(CreditError) {
      for place in places {
        if lines.isFull { break }
        if place == expected {
          expected = min(place + Self.expectedCount, places.upperBound)
          books.expect(batch, place..<expected)
        }
        books.beginRequest()
        batch.add(try ledger.answer(to: batch.requests[place]))
      }
      batch.lookUpNoted { key throws(CreditError) in
        // It is not the key of the request.
        books.beginRequest()
        return try books.newest(of: key)
      }
      return ledger.registered
    } catch {
      // No record of the batch is on disk, and none will be.
      throw error.with(.outcome("none"))
    }
  }

  /// Catches up with other processes.
  /// - Returns: false if the index has to be made first, outside of the lock.
  private func catchUp() throws(StoreFault) -> Bool {
    let knownLength = booksLength
    booksLength = nil
    try journal.refresh()
    // Records in the index are never cut off: this throws first.
    var start = try index.prepare()
    try journal.cutTornTail()
    if journal.length == 0 {
      let time = store.systemTime
      try journal.writeHeader(at: time, in: store.directory)
    }
    // If the index lacks the last batch, a power cut may have left it incomplete.
    if start < journal.length, try journal.refreshLastBatch() {
      start = try index.prepare()
      try journal.cutTornTail()
    }
    if journal.length != knownLength || start < journal.length {
      books.forget()
      books.latestTime = try journal.lastTime()
    }
    if start == journal.length { return true }
    if index.needsBuild(from: start) { return false }
    // A process that was killed before its sync may have left lines that are not on disk.
    if store.options.syncs {
      try lock.markingFailedSync { () throws(StoreFault) in try journal.syncLastBatch() }
    }
    var catchUp = IndexCatchUp(finder)
    try catchUp.note(from: start, to: journal.length) { (length) throws(StoreFault) in
      try index.commit(to: length, isSynced: store.options.syncs)
    }
    return true
  }

  /// Makes the index again from the journal, after rewriting a journal whose sync failed. It
  /// repairs everything but damage.
  func rebuild(_ progress: (Int, Int) -> Void) throws(CreditError) {
    try reporting { () throws(StoreFault) in
      try lock.withLock(.exclusive, waitMilliseconds: store.options.waitMilliseconds) {
        () throws(StoreFault) in
        try journal.refreshWhole()
        // Records in the index are never cut off: this throws first.
        _ = try index.prepare()
        try journal.recover()
        if try lock.isMarked {
          try journal.rewrite()
          // It may belong to a journal that was replaced before the mark was cleared.
          try store.directory.removeFile(IndexFile.name)
        }
        // Also if an earlier rebuild was killed before the mark's removal was on disk.
        try lock.clearMark()
      }
      try IndexBuild(of: store).run(replacing: true, progress)
    }
    // Adds the last batch, and records that were appended meanwhile.
    index.sparesMemory = true
    defer { index.sparesMemory = false }
    try perform(nil) { Name(trusted: $0.text) }
  }

  /// Makes room in the index, appends and syncs, and then updates the index.
  private func commit() throws(StoreFault) {
    guard lines.byteCount > 0 else { return }
    try index.reserve()
    try lock.markingFailedSync { () throws(StoreFault) in try lines.write() }
    books.batchEnded()
    // The journal has the batch: if the index cannot take it, the next process catches up.
    try? index.commit(to: journal.length, isSynced: store.options.syncs)
  }
}
