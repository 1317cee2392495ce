internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// A writing process's open files of a store, for all of its batches.
final class WriteSession {
  private let store: LocalStore
  private let lock: StoreLock
  private let journal: JournalFile
  private let index: JournalIndex
  private let finder: RecordFinder
  private let batch: PendingBatch
  private let books: LocalBooks
  /// Length of the journal when the books were last up to date; nil if they may not be.
  private var booksLength: Int?

  /// How often a batch makes an unusable index again.
  private static let indexLimit = 3

  /// - Parameter aheadThread: see ``JournalFile``.
  init(
    _ store: LocalStore, ahead aheadThread: WorkerThread = WorkerThread()
  ) throws(CreditError) {
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
    batch = PendingBatch(of: journal, changing: index.changes, syncs: store.options.syncs)
    finder = RecordFinder(journal: journal, pending: index.changes, batch: batch)
    books = LocalBooks(finder, writing: batch)
  }

  /// Takes the lock, lets `body` append records, and syncs them.
  /// - Parameter body: gets the books, and the batch that they append to.
  /// - Throws: errors of `body`, if nothing was appended; or why the store cannot be written.
  func locked<Result>(_ body: (LocalBooks, PendingBatch) throws(CreditError) -> Result)
    throws(CreditError) -> Result
  {
    for _ in 0..<Self.indexLimit {
      let result = try lock.withLock(
        .exclusive, waitMilliseconds: store.options.waitMilliseconds
      ) { () throws(CreditError) -> Result? in
        try reporting { () throws(StoreFault) in try lock.checkMark() }
        return try serveWithIndex(body)
      }
      if let result { return result }
      try reporting { () throws(StoreFault) in try makeIndex() }
    }
    throw CreditError(StoreFault.indexUnusable("it is damaged again and again"))
  }

  /// - Returns: nil if the index has to be made first, outside of the lock.
  private func serveWithIndex<Result>(
    _ body: (LocalBooks, PendingBatch) throws(CreditError) -> Result
  ) throws(CreditError) -> Result? {
    do throws(CreditError) {
      guard try reporting({ () throws(StoreFault) in try catchUp() }) else { return nil }
      return try serve(body)
    } catch {
      // Damage to the index shows before anything is written: the journal has every record of it.
      guard index.isDamaged else { throw error }
    }
    let isCaughtUp = try reporting { () throws(StoreFault) in
      try index.bypass()
      return try catchUp()
    }
    return isCaughtUp ? try serve(body) : nil
  }

  private func makeIndex() throws(StoreFault) {
    try index.make { (end, progress) throws(StoreFault) in
      var catchUp = IndexCatchUp(finder)
      try catchUp.note(from: 0, to: end, progress: progress)
    }
  }

  /// Applies `body` to the books and commits the records.
  private func serve<Result>(_ body: (LocalBooks, PendingBatch) throws(CreditError) -> Result)
    throws(CreditError) -> Result
  {
    do {
      let result = try body(books, batch)
      try reporting { () throws(StoreFault) in try commit() }
      booksLength = journal.length
      return result
    } catch {
      batch.drop()
      books.forget()
      throw error
    }
  }

  /// Catches up with other processes' changes.
  /// - Returns: false if the index has to be made first, outside of the lock.
  private func catchUp() throws(StoreFault) -> Bool {
    let knownLength = booksLength
    booksLength = nil
    try journal.refresh()
    // Records in the index are never cut off: this throws first.
    var start = try index.prepare()
    try journal.cutTornTail()
    if journal.length == 0 {
      let time = Timestamp(milliseconds: store.system.currentMilliseconds())
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
    if store.options.syncs { try syncLastBatch() }
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
    try locked { _, _ in }
  }

  /// Makes room in the index, appends and syncs, and then updates the index.
  private func commit() throws(StoreFault) {
    guard batch.byteCount > 0 else { return }
    try index.reserve()
    do throws(StoreFault) {
      try batch.write()
    } catch {
      if case .syncFailed = error { mark(error) }
      throw error
    }
    books.batchEnded()
    // The journal has the batch: if the index cannot take it, the next process catches up.
    try? index.commit(to: journal.length, isSynced: store.options.syncs)
  }

  private func syncLastBatch() throws(StoreFault) {
    do throws(StoreFault) {
      try journal.syncLastBatch()
    } catch {
      if case .syncFailed = error { mark(error) }
      throw error
    }
  }

  /// Leaves the mark that makes later runs refuse. If even that fails, no more can be done.
  private func mark(_ fault: StoreFault) {
    try? lock.mark("\(fault)")
  }
}
