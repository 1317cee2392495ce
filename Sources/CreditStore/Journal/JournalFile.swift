internal import CreditJSON
internal import CreditModel
package import CreditSystem

/// The journal, `journal.jsonl`: an append-only file of sealed lines (see ``JournalLine``), and all
/// that the store knows.
///
/// A process uses it under the store's lock, apart from reading what is before ``length``: that
/// part never changes again, but for the version that its first line says.
package final class JournalFile {
  package static let name = "journal.jsonl"

  private let directory: StoreDirectory
  private let mode: OpenMode
  private(set) var file: FileDescriptor
  private var identity: FileStatus.Identity
  let window = ReadWindow()
  /// Where accounts' newest lines are read, which mostly lie in an order of their own.
  private let accountWindow = ReadWindow()
  var isReading = false

  /// The end of the last whole batch, in bytes, as of the last ``refresh()`` or append.
  package private(set) var length = 0

  /// The time of the last record before an offset, as far as that is known.
  private var lastTimeKnown: (offset: Int, time: Timestamp?) = (0, nil)

  /// The bytes after ``length``: a torn append that nobody has cut off yet.
  package private(set) var tornByteCount = 0

  /// The first line, once it was read and is sound. Another process may have raised its version.
  var header: JournalHeader?

  /// Whether this process has written the first line over: see ``raise(to:sync:)``.
  var hasWrittenHeader = false

  /// Where the last batch begins, as of the last ``refreshLastBatch()``.
  private(set) var lastBatchStart = 0

  /// Is told of each torn tail that is cut off.
  var tellOfTornTail: ((TornTail) -> Void)?

  private let aheadThread: WorkerThread

  /// The bytes of the current batch that are being written, or have been.
  private var aheadByteCount = 0

  /// Why they are not.
  private var aheadFault: StoreFault?

  /// Opens the journal of a store.
  /// - Parameters:
  ///   - mode: `.update`, or `.read` for a process that only reads.
  ///   - aheadThread: what writes the first part of a long batch while the rest is being made.
  /// - Throws: ``StoreFault/system(_:)``, ``StoreFault/unexpectedFile(name:kind:)``.
  ///   - name: the file's, where it is not the journal itself but a part of it.
  package init(
    in directory: StoreDirectory, _ mode: OpenMode, named name: String = JournalFile.name,
    ahead aheadThread: WorkerThread = .init()
  ) throws(StoreFault) {
    self.directory = directory
    self.mode = mode
    self.aheadThread = aheadThread
    file = try directory.open(name, mode)
    identity = try file.status().identity
  }

  /// The length of the file, whatever is in it.
  func byteCount() throws(StoreFault) -> Int { try file.status().byteCount }

  /// Makes an empty journal and brings it to stable storage.
  /// - Throws: ``StoreFault/system(_:)``, also where there is one.
  package static func create(in directory: StoreDirectory) throws(StoreFault) {
    let file = try directory.open(name, .create)
    try file.sync()
    try directory.sync()
  }

  /// Finds out how long the journal is now. Under the lock, before anything else.
  ///
  /// Looks at the last line only, and at nothing where no other process has written since.
  /// - Returns: whether the journal is another file than before, so that nothing remembered of it
  ///   holds.
  /// - Throws: ``StoreFault/system(_:)``; ``StoreFault/damaged(_:)`` by the rule of
  ///   ``JournalTail``; ``StoreFault/version(_:)``.
  @discardableResult
  package func refresh() throws(StoreFault) -> Bool {
    let isReplaced = try directory.status(of: Self.name)?.identity != identity
    if isReplaced { try reopen() }
    let end = try file.status().byteCount
    if end > 0 { try readHeader() }
    if end != length || tornByteCount != 0 {
      if end < length { forgetWindows() }
      let sound = try soundLength(before: end)
      length = sound
      tornByteCount = end - sound
    }
    return isReplaced
  }

  /// Does what ``refresh()`` does, and cuts a torn append off. Under the exclusive lock.
  ///
  /// - Returns: whether the journal is another file than before.
  /// - Throws: what ``refresh()`` throws; the journal is unchanged then.
  @discardableResult
  package func recover() throws(StoreFault) -> Bool {
    let isReplaced = try refresh()
    try cutTornTail()
    return isReplaced
  }

  /// Finds out whether all of the last batch is there. ``refresh()`` looks at its last line only,
  /// while a power cut can have lost any block of a batch that was not on disk yet. Under the lock,
  /// after ``refresh()``, and before lines are read that the index does not vouch for.
  ///
  /// What is left of an incomplete batch becomes the torn tail.
  /// - Returns: whether it was incomplete.
  /// - Throws: ``StoreFault/system(_:)``; ``StoreFault/damaged(_:)`` by the rule of
  ///   ``JournalTail``.
  @discardableResult
  package func refreshLastBatch() throws(StoreFault) -> Bool {
    lastBatchStart = length
    guard length > 0 else { return false }
    // The length may have been known before the last line was damaged: that is never torn.
    _ = try soundLength(before: length)
    // Without its last newline the batch is a torn one, which begins where the one before it ends.
    let start = try soundLength(before: length - 1)
    var isWhole = true
    try scan(from: start, to: length) { (_, _, isSound) in
      if !isSound { isWhole = false }
    }
    lastBatchStart = start
    if isWhole { return false }
    forgetWindows()
    tornByteCount += length - start
    length = start
    return true
  }

  /// Finds out how long the journal is now, by all of its last batch: for what reads the journal
  /// without an index that vouches for that batch. Under the lock.
  /// - Throws: what ``refresh()`` throws.
  package func refreshWhole() throws(StoreFault) {
    try refresh()
    try refreshLastBatch()
  }

  /// Cuts a torn append off, as of the last ``refresh()`` or ``refreshLastBatch()``. Under the
  /// exclusive lock.
  ///
  /// The bytes cut off are kept in a file beside the journal (see ``TornTail``).
  /// - Throws: ``StoreFault/system(_:)``; ``StoreFault/damaged(_:)`` where the file is no journal.
  ///   It is unchanged then.
  func cutTornTail() throws(StoreFault) {
    if tornByteCount == 0 { return }
    if length == 0 { try checkBeginning() }
    let tail = TornTail(
      file: try createTornFile { copy throws(StoreFault) in
        try copyBytes(from: length, to: length + tornByteCount, into: copy)
        try copy.sync()
      },
      records: try soundLineCount(from: length, to: length + tornByteCount), bytes: tornByteCount)
    try directory.sync()
    try file.setLength(length)
    try file.sync()
    tornByteCount = 0
    tellOfTornTail?(tail)
  }

  /// Whether pieces are being written ahead.
  var isWritingAhead: Bool { aheadThread.isBusy }

  /// Whether one that was given could not be written. It is asked while none is being written.
  var hasFailedAhead: Bool { aheadFault != nil }

  /// Waits until the pieces that were given have been written, or could not be.
  func finishAhead() { aheadThread.wait() }

  /// Begins to append a batch, while more of it is being made: the next pieces of it are sealed and
  /// written on another thread as a rule. They are a torn append until ``append(_:sync:)`` has
  /// added the rest. Under the exclusive lock, after ``recover()``.
  /// - Parameter sync: whether they will be brought to stable storage.
  func writeAhead(_ pieces: [JournalPiece], sync: Bool) {
    aheadThread.wait()
    let start = length + aheadByteCount
    for piece in pieces { aheadByteCount += piece.text.count }
    aheadThread.start { [self] in
      if aheadFault != nil { return }
      do throws(StoreFault) {
        var position = start
        for piece in pieces {
          piece.text.withMutableBytes(from: 0) { JournalLine.seal($0) }
          try piece.text.withBytes { (lines) throws(StoreFault) in
            try file.write(lines, at: position)
          }
          position += piece.text.count
        }
        // The disk takes them while the rest is made: the sync in the end waits half as long.
        if sync { file.beginSync(from: start, byteCount: position - start) }
      } catch {
        aheadFault = error
      }
    }
  }

  /// Takes back what ``writeAhead(_:sync:)`` wrote of a batch that is not to be.
  package func dropAhead() {
    if aheadByteCount > 0 { _ = undo(aheadByteCount) }
  }

  /// Appends whole sealed lines: a batch, or the rest of one that has been written ahead. Under the
  /// exclusive lock, after ``recover()``.
  /// - Parameters:
  ///   - lines: one at least.
  ///   - sync: whether to return only once they are on disk.
  /// - Throws: ``StoreFault/appendFailed(_:undone:)``; ``StoreFault/syncFailed(_:)``, after which
  ///   the journal must not be appended to before ``rewrite()``.
  package func append(_ lines: UnsafeRawBufferPointer, sync: Bool) throws(StoreFault) {
    if lines.isEmpty { return }
    let byteCount = aheadByteCount + lines.count
    do throws(StoreFault) {
      aheadThread.wait()
      if let aheadFault { throw aheadFault }
      try file.write(lines, at: length + aheadByteCount)
    } catch {
      guard case .system(let reason) = error else { throw error }
      throw .appendFailed(reason, undone: undo(byteCount))
    }
    aheadByteCount = 0
    if sync { try self.sync() }
    length += byteCount
  }

  /// Writes another first line over the first line.
  func writeOver(_ line: borrowing JSONWriter) throws(StoreFault) {
    do throws(StoreFault) {
      try line.withBytes { (bytes) throws(StoreFault) in try file.write(bytes, at: 0) }
    } catch {
      guard case .system(let reason) = error else { throw error }
      throw .appendFailed(reason, undone: true)
    }
    forgetWindows()
  }

  /// Cuts off what may have been written of a batch.
  /// - Returns: whether that could be done; if not, the next refresh has to look at what is there.
  private func undo(_ byteCount: Int) -> Bool {
    aheadThread.wait()
    aheadByteCount = 0
    aheadFault = nil
    let isUndone = (try? file.setLength(length)) != nil
    if !isUndone { tornByteCount = byteCount }
    return isUndone
  }

  /// Brings a batch to stable storage that may not be there, because the process that appended it
  /// was killed before its sync. Under the exclusive lock, after ``refreshLastBatch()``.
  ///
  /// Its sync may also have failed, and then the system believes that the pages are on disk. The
  /// same bytes are written over them, so that they are brought there once more.
  /// - Throws: ``StoreFault/system(_:)``; ``StoreFault/syncFailed(_:)``.
  package func syncLastBatch() throws(StoreFault) {
    var position = lastBatchStart
    try eachBlock(from: lastBatchStart, to: length) { (block) throws(StoreFault) in
      try file.write(block, at: position)
      position += block.count
    }
    try sync()
  }

  /// Brings the journal to stable storage.
  /// - Throws: ``StoreFault/syncFailed(_:)``.
  func sync() throws(StoreFault) {
    do throws(StoreFault) {
      try file.syncData()
    } catch {
      guard case .system(let reason) = error else { throw error }
      throw .syncFailed(reason)
    }
  }

  /// Writes the journal again, as the system shows it now, and brings it to stable storage: the way
  /// back from a failed sync. Under the exclusive lock, after ``recover()``.
  /// - Throws: ``StoreFault/system(_:)``; the journal is unchanged then.
  package func rewrite() throws(StoreFault) {
    let temporary = Self.name + ".new"
    try directory.removeFile(temporary)
    do throws(StoreFault) {
      let copy = try directory.open(temporary, .create)
      try copyBytes(from: 0, to: length, into: copy)
      try copy.sync()
      try directory.rename(temporary, to: Self.name)
    } catch {
      try? directory.removeFile(temporary)
      throw error
    }
    try directory.sync()
    try refresh()
  }

  private func forgetWindows() {
    window.forget()
    accountWindow.forget()
  }

  /// What was read of the lines of a kind.
  func window(ofAccounts: Bool) -> ReadWindow { ofAccounts ? accountWindow : window }

  private func reopen() throws(StoreFault) {
    file = try directory.open(Self.name, mode)
    identity = try file.status().identity
    length = 0
    tornByteCount = 0
    header = nil
    hasWrittenHeader = false
    forgetWindows()
  }
}

extension JournalFile {
  /// The end of the last whole batch of the first `end` bytes.
  private func soundLength(before end: Int) throws(StoreFault) -> Int {
    var count = 4096
    while true {
      count = min(count, end)
      let start = end - count
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
      defer { bytes.deallocate() }
      let filled = try file.read(into: bytes, at: start)
      let known = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<filled])
      switch JournalTail(of: known, at: start) {
      case .sound(let lastLine):
        return noteEnd(at: start + filled, lastLine.map { known[$0...] })
      case .torn(let offset, let lastLine):
        return noteEnd(at: start + offset, lastLine.map { known[$0...] })
      case .damaged(let offset): throw damage(at: start + offset)
      case .undecided where count < JournalTail.searchLimit:
        count = min(16 * count, JournalTail.searchLimit)
      case .undecided: throw damage(at: start, "begins 64 MiB without the end of a batch")
      }
    }
  }

  /// Notes the time of the line that ends at an offset.
  private func noteEnd(at offset: Int, _ line: Slice<UnsafeRawBufferPointer>?) -> Int {
    lastTimeKnown = (offset, line.flatMap { RecordReader.time(of: .init(rebasing: $0)) })
    return offset
  }

  /// The time of the last record before ``length``; nil where there is none.
  /// - Throws: ``StoreFault/system(_:)``; ``StoreFault/damaged(_:)`` by the rule of
  ///   ``JournalTail``.
  func lastTime() throws(StoreFault) -> Timestamp? {
    if lastTimeKnown.offset != length { _ = try soundLength(before: length) }
    return lastTimeKnown.time
  }

  /// Makes a file for a torn tail, under the first name that is free.
  /// - Returns: its name.
  private func createTornFile(
    _ fill: (borrowing FileDescriptor) throws(StoreFault) -> Void
  ) throws(StoreFault) -> String {
    let name = TornTail.namePrefix + String(length)
    for copy in 1..<1000 {
      let numbered = copy == 1 ? name : "\(name).\(copy)"
      do throws(StoreFault) {
        try fill(try directory.open(numbered, .create))
        return numbered
      } catch {
        guard case .system(let reason) = error, reason.isPresent else { throw error }
      }
    }
    try fill(try directory.open(name, .create))
    return name
  }

  private func copyBytes(
    from start: Int, to end: Int, into copy: borrowing FileDescriptor
  ) throws(StoreFault) {
    var position = 0
    try eachBlock(from: start, to: end) { (block) throws(StoreFault) in
      try copy.write(block, at: position)
      position += block.count
    }
  }
}
