internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// A process's open files of a store that it writes to, from the first batch to the last.
final class WriteSession {
  private let store: LocalStore
  private let lock: StoreLock
  private let journal: JournalFile
  private var openBooks: OpenBooks?
  /// How long the journal was when the books were last right; nil while they may be wrong.
  private var booksLength: Int?

  /// The books, and what they work on.
  private struct OpenBooks {
    let index: IndexFile
    let finder: RecordFinder
    let batch: PendingBatch
    let books: LocalBooks
  }

  init(_ store: LocalStore) throws(CreditError) {
    self.store = store
    let directory = store.directory
    (lock, journal) = try reporting { () throws(StoreFault) in
      (
        try StoreLock(in: directory, .updateOrCreate), try JournalFile(in: directory, .update)
      )
    }
  }

  /// Takes the lock, lets `body` append to the books, and brings what it appended to disk.
  /// - Parameter body: gets the books, and the batch that they append to.
  /// - Throws: what `body` throws, and then nothing was appended; or why the store can't be written.
  func locked<Result>(_ body: (LocalBooks, PendingBatch) throws(CreditError) -> Result)
    throws(CreditError) -> Result
  {
    try lock.withLock(.exclusive, waitMilliseconds: store.options.waitMilliseconds) {
      () throws(CreditError) in
      try reporting { () throws(StoreFault) in
        try lock.checkMark()
        try catchUp()
      }
      do throws(CreditError) {
        return try serve(body)
      } catch {
        // Damage to the index shows before anything is written: the journal has all that it had.
        guard let index = openBooks?.index, index.isDamaged else { throw error }
        try reporting { () throws(StoreFault) in
          try index.reset()
          try catchUp()
        }
        return try serve(body)
      }
    }
  }

  /// Applies `body` to the books and commits what it did.
  private func serve<Result>(_ body: (LocalBooks, PendingBatch) throws(CreditError) -> Result)
    throws(CreditError) -> Result
  {
    let open = try reporting { () throws(StoreFault) in try openedBooks() }
    do {
      let result = try body(open.books, open.batch)
      try reporting { () throws(StoreFault) in try commit(open) }
      booksLength = journal.length
      return result
    } catch {
      open.batch.drop()
      open.books.forget()
      throw error
    }
  }

  /// Catches up with what other processes have done.
  private func catchUp() throws(StoreFault) {
    let knownLength = booksLength
    booksLength = nil
    try journal.recover()
    if journal.length == 0 {
      let time = Timestamp(milliseconds: store.system.currentMilliseconds())
      try journal.writeHeader(at: time, in: store.directory)
    }
    let open = try openedBooks()
    open.batch.changes.removeAll()
    var start = try open.index.prepare(for: journal)
    // The index has the last batch, or else it may be one that a power cut left incomplete.
    if start < journal.length, try journal.recoverLastBatch() {
      start = try open.index.prepare(for: journal)
    }
    if journal.length != knownLength || start < journal.length {
      open.books.forget()
      open.books.latestTime = try journal.lastTime()
    }
    if start == journal.length { return }
    // A process that was killed before its sync may have left lines that are not on disk.
    if store.options.syncs { try syncLastBatch() }
    do {
      try replay(from: start, open)
    } catch {
      guard open.index.isDamaged else { throw error }
      try open.index.reset()
      open.batch.changes.removeAll()
      open.books.forget()
      try replay(from: 0, open)
    }
  }

  /// Adds the journal's lines from an offset on to the index.
  private func replay(from start: Int, _ open: OpenBooks) throws(StoreFault) {
    try open.finder.replay(from: start) { (length) throws(StoreFault) in
      try commitIndex(open, to: length)
    }
  }

  /// Makes the index anew from the journal; where a sync of the journal had failed, first writes the
  /// journal anew. The way back from every doubt but damage.
  func rebuild() throws(CreditError) {
    try reporting { () throws(StoreFault) in
      try lock.withLock(.exclusive, waitMilliseconds: store.options.waitMilliseconds) {
        () throws(StoreFault) in
        try journal.recover()
        if try lock.isMarked { try journal.rewrite() }
        // Also where an earlier rebuild was killed before the mark's end was on disk.
        try lock.clearMark()
        try store.directory.removeFile(IndexFile.name)
        openBooks = nil
        try catchUp()
      }
    }
  }

  private func openedBooks() throws(StoreFault) -> OpenBooks {
    if let openBooks { return openBooks }
    let index = try IndexFile(updatingIn: store.directory)
    let changes = PendingIndex(over: index, store.system)
    let batch = PendingBatch(of: journal, changing: changes)
    let finder = RecordFinder(journal: journal, pending: changes, batch: batch)
    let made = OpenBooks(
      index: index, finder: finder, batch: batch, books: LocalBooks(finder, writing: batch))
    openBooks = made
    return made
  }

  /// Room in the index, then the append and its sync, then the index.
  private func commit(_ open: OpenBooks) throws(StoreFault) {
    guard open.batch.byteCount > 0 else { return }
    try open.index.reserve(for: open.batch.changes)
    do throws(StoreFault) {
      try open.batch.write(sync: store.options.syncs)
    } catch {
      if case .syncFailed = error { mark(error) }
      throw error
    }
    open.books.batchEnded()
    // The journal has the batch: an index that can't take it is caught up by the next process.
    try? commitIndex(open, to: journal.length)
  }

  private func commitIndex(_ open: OpenBooks, to length: Int) throws(StoreFault) {
    try open.index.commit(
      open.batch.changes, of: journal, to: length, isSynced: store.options.syncs)
  }

  private func syncLastBatch() throws(StoreFault) {
    do throws(StoreFault) {
      try journal.syncLastBatch()
    } catch {
      if case .syncFailed = error { mark(error) }
      throw error
    }
  }

  /// Leaves the mark that makes later runs refuse; where even that fails there is nothing more to do.
  private func mark(_ fault: StoreFault) {
    try? lock.mark("\(fault)")
  }
}
