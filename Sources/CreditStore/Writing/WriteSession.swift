internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// A process's open files of a store that it writes to, from the first batch to the last.
final class WriteSession {
  private let store: LocalStore
  private let lock: StoreLock
  private let journal: JournalFile
  private var index: IndexFile?
  private var finder: RecordFinder?
  private var books: LocalBooks?
  /// How long the journal was when the books were last right; nil while they may be wrong.
  private var booksLength: Int?

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
  /// - Throws: what `body` throws, and then nothing was appended; or why the store can't be written.
  func locked<Result>(_ body: (LocalBooks) throws(CreditError) -> Result) throws(CreditError)
    -> Result
  {
    try begin()
    defer { lock.release() }
    do {
      return try serve(body)
    } catch {
      // Damage to the index shows before anything is written: the journal has all that it had.
      guard let index, index.isDamaged else { throw error }
      try reporting { () throws(StoreFault) in
        try index.reset()
        try catchUp()
      }
      return try serve(body)
    }
  }

  /// Applies `body` to the books and commits what it did.
  private func serve<Result>(_ body: (LocalBooks) throws(CreditError) -> Result)
    throws(CreditError) -> Result
  {
    let books = try reporting { () throws(StoreFault) in try openBooks().books }
    do {
      let result = try body(books)
      try reporting { () throws(StoreFault) in try commit(books) }
      booksLength = journal.length
      return result
    } catch {
      books.batchDropped()
      throw error
    }
  }

  /// Takes the lock and catches up with what other processes have done.
  private func begin() throws(CreditError) {
    try reporting { () throws(StoreFault) in
      try lock.acquire(.exclusive, waitMilliseconds: store.options.waitMilliseconds)
    }
    do throws(CreditError) {
      try reporting { () throws(StoreFault) in
        try lock.checkMark()
        try catchUp()
      }
    } catch {
      lock.release()
      throw error
    }
  }

  private func catchUp() throws(StoreFault) {
    let knownLength = booksLength
    booksLength = nil
    try journal.recover()
    if journal.length == 0 {
      let time = Timestamp(milliseconds: store.system.currentMilliseconds())
      try journal.writeHeader(at: time, in: store.directory)
    }
    let (finder, books) = try openBooks()
    guard let index else { return }
    finder.pending.removeAll()
    var start = try index.prepare(for: journal)
    // The index has the last batch, or else it may be one that a power cut left incomplete.
    if start < journal.length, try journal.recoverLastBatch() {
      start = try index.prepare(for: journal)
    }
    if journal.length != knownLength || start < journal.length { books.forget() }
    if start == journal.length { return }
    // A process that was killed before its sync may have left lines that are not on disk.
    if store.options.syncs { try syncLastBatch() }
    do {
      try replay(from: start, finder, index)
    } catch {
      guard index.isDamaged else { throw error }
      try index.reset()
      finder.pending.removeAll()
      books.forget()
      try replay(from: 0, finder, index)
    }
  }

  /// Adds the journal's lines from an offset on to the index.
  private func replay(from start: Int, _ finder: RecordFinder, _ index: IndexFile)
    throws(StoreFault)
  {
    try finder.replay(from: start) { (length) throws(StoreFault) in
      try index.commit(finder.pending, of: journal, to: length, isSynced: store.options.syncs)
    }
  }

  /// Makes the index anew from the journal; where a sync of the journal had failed, first writes the
  /// journal anew. The way back from every doubt but damage.
  func rebuild() throws(CreditError) {
    try reporting { () throws(StoreFault) in
      try lock.acquire(.exclusive, waitMilliseconds: store.options.waitMilliseconds)
      defer { lock.release() }
      try journal.recover()
      if try lock.isMarked { try journal.rewrite() }
      // Also where an earlier rebuild was killed before the mark's end was on disk.
      try lock.clearMark()
      try store.directory.removeFile(IndexFile.name)
      index = nil
      finder = nil
      books = nil
      try catchUp()
    }
  }

  private func openBooks() throws(StoreFault) -> (finder: RecordFinder, books: LocalBooks) {
    if let finder, let books { return (finder, books) }
    let index = try IndexFile(updatingIn: store.directory)
    let finder = RecordFinder(
      journal: journal, pending: PendingIndex(over: index, store.system))
    let books = LocalBooks(finder: finder)
    self.index = index
    self.finder = finder
    self.books = books
    return (finder, books)
  }

  /// Room in the index, then the append and its sync, then the index.
  private func commit(_ books: LocalBooks) throws(StoreFault) {
    guard let index, let finder, finder.batch.count > 0 else { return }
    try index.reserve(for: finder.pending)
    finder.batch.endBatch(sealingFrom: journal.aheadByteCount)
    do throws(StoreFault) {
      try finder.batch.withBytes { (lines) throws(StoreFault) in
        try journal.append(lines, sync: store.options.syncs)
      }
    } catch {
      if case .syncFailed = error { mark(error) }
      throw error
    }
    books.batchEnded()
    // The journal has the batch: an index that can't take it is caught up by the next process.
    try? index.commit(
      finder.pending, of: journal, to: journal.length, isSynced: store.options.syncs)
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
