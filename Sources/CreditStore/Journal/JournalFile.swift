public import CreditBytes
internal import CreditJSON
public import CreditSystem

/// The journal, `journal.jsonl`: an append-only file of sealed lines (see ``JournalLine``).
///
/// It holds all that the store knows. A process uses it under the store's lock. Only bytes before
/// ``length`` may be read without it: they never change, except for the version in the first line.
public final class JournalFile {
  public static let name = "journal.jsonl"

  private let directory: StoreDirectory
  private let mode: OpenMode
  private(set) var file: FileDescriptor
  private var identity: FileStatus.Identity { file.opened.identity }
  let window = ReadWindow()
  /// Window for accounts' newest lines, which mostly lie in an order of their own.
  let accountWindow = ReadWindow()
  var isReading = false

  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  /// End of the last whole batch in bytes, as of the last ``refresh()`` or append.
  @exclusivity(unchecked) public private(set) var length = 0

  /// Time of the last record before an offset, if it was read.
  private var lastKnownTime: (offset: Int, time: Timestamp?) = (0, nil)

  /// The end of the last batch that this process has read or written.
  private(set) var knownEnd: JournalEnd?

  /// Number of bytes after ``length``: a torn append that is not cut off yet.
  public private(set) var tornByteCount = 0

  /// The first line, once read and found sound. Another process may have raised its version.
  var header: JournalHeader?

  /// Whether this process has overwritten the first line: see ``raise(to:sync:)``.
  var hasWrittenHeader = false

  /// Start of the last batch, as of the last ``refreshLastBatch()``.
  private(set) var lastBatchStart = 0

  /// Called for each torn tail that is cut off.
  var onTornTail: ((TornTail) -> Void)?

  private let aheadThread: WorkerThread

  /// Number of bytes of the current batch that are being written, or are written.
  private var aheadByteCount = 0

  /// The fault that kept them from being written.
  private var aheadFault: StoreFault?

  /// Opens the journal of a store.
  /// - Parameters:
  ///   - mode: `.update`, or `.read` for a process that only reads.
  ///   - name: name of the file, if it is not the journal but a torn tail.
  ///   - aheadThread: writes the first part of a long batch while the rest is being made.
  /// - Throws: ``StoreFault/system(_:)``, ``StoreFault/unexpectedFile(name:kind:)``.
  public init(
    in directory: StoreDirectory, _ mode: OpenMode, named name: String = JournalFile.name,
    ahead aheadThread: WorkerThread = .init()
  ) throws(StoreFault) {
    self.directory = directory
    self.mode = mode
    self.aheadThread = aheadThread
    file = try directory.open(name, mode)
  }

  /// Length of the file with any contents.
  func byteCount() throws(StoreFault) -> Int { try file.status().byteCount }

  /// Makes an empty journal and syncs it.
  /// - Throws: ``StoreFault/system(_:)``, also if there is one.
  public static func create(in directory: StoreDirectory) throws(StoreFault) {
    let file = try directory.open(name, .create)
    try file.sync()
    try directory.sync()
  }

  /// Finds the journal's current length. Requires the lock; comes before any other use.
  ///
  /// Reads only the last line, and nothing if no other process has written since.
  /// - Returns: true if the journal is another file than before, so that no cached part is valid.
  /// - Throws: ``StoreFault/system(_:)``; ``StoreFault/damaged(_:)`` by the rule of
  ///   ``JournalTail``; ``StoreFault/version(_:)``.
  @discardableResult
  public func refresh() throws(StoreFault) -> Bool {
    var status = try directory.status(of: Self.name)
    let isReplaced = status?.identity != identity
    if isReplaced {
      try reopen()
      status = file.opened
    }
    let end = status?.byteCount ?? 0
    if end > 0 { try readHeader() }
    if end != length || tornByteCount != 0 {
      if end < length { forgetWindows() }
      let sound = try soundLength(before: end)
      length = sound
      tornByteCount = end - sound
    }
    return isReplaced
  }

  /// Does ``refresh()``, and cuts off a torn append. Requires the exclusive lock.
  /// - Throws: errors of ``refresh()``; the journal is unchanged then.
  public func recover() throws(StoreFault) {
    try refresh()
    try cutTornTail()
  }

  /// Checks that the last batch is complete. ``refresh()`` reads only its last line.
  ///
  /// A power cut can lose any block of a batch that was not on disk yet. Requires the lock; comes
  /// after ``refresh()``, before reading lines that the index does not have. The rest of an
  /// incomplete batch becomes the torn tail.
  /// - Returns: true if it was incomplete.
  /// - Throws: ``StoreFault/system(_:)``; ``StoreFault/damaged(_:)`` by the rule of
  ///   ``JournalTail``.
  @discardableResult
  public func refreshLastBatch() throws(StoreFault) -> Bool {
    lastBatchStart = length
    guard length > 0 else { return false }
    // The length may be older than damage to the last line: a damaged line is never torn.
    _ = try soundLength(before: length)
    // Without its last newline the batch is torn, and begins at the end of the previous one.
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

  /// Finds the journal's current length by all of its last batch. Requires the lock.
  ///
  /// For readers that have no index with that batch.
  /// - Throws: errors of ``refresh()``.
  public func refreshWhole() throws(StoreFault) {
    try refresh()
    try refreshLastBatch()
  }

  /// Does ``refreshWhole()``, for readers that go on in spite of damage at the end.
  /// - Returns: false if there is some: ``length`` is then that of the part before it.
  func refreshIsSound() throws(StoreFault) -> Bool {
    do throws(StoreFault) {
      try refreshWhole()
      return true
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      length = max(length, damage.offset)
      return false
    }
  }

  /// Cuts off a torn append that ``refresh()`` or ``refreshLastBatch()`` found.
  ///
  /// Requires the exclusive lock. Keeps the bytes in a file beside the journal (see ``TornTail``).
  /// - Throws: ``StoreFault/system(_:)``; ``StoreFault/damaged(_:)`` if the file is not a journal.
  ///   It is unchanged then.
  func cutTornTail() throws(StoreFault) {
    guard var tail = try tornTail() else { return }
    if length == 0 { try checkBeginning() }
    tail.file = try createTornFile { copy throws(StoreFault) in
      try copyBytes(from: length, to: length + tornByteCount, into: copy)
      try copy.sync()
    }
    try directory.sync()
    try file.setLength(length)
    try file.sync()
    tornByteCount = 0
    onTornTail?(tail)
  }

  var isWritingAhead: Bool { aheadThread.isBusy }

  /// Whether writing a piece ahead has failed. Read only while none is being written.
  var hasFailedAhead: Bool { aheadFault != nil }

  /// Waits until all pieces are written, or have failed.
  func finishAhead() { aheadThread.wait() }

  /// Begins to append a batch while more of it is being made.
  ///
  /// Seals and writes the pieces on another thread as a rule. They are a torn append until
  /// ``append(_:sync:)`` adds the rest. Requires the exclusive lock, after ``recover()``.
  /// - Parameter sync: true if they will be synced.
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
        // The disk writes them while the rest is made: the final sync takes half as long.
        if sync { file.beginSync(from: start, byteCount: position - start) }
      } catch {
        aheadFault = error
      }
    }
  }

  /// Removes the bytes that ``writeAhead(_:sync:)`` wrote, if the batch is dropped.
  public func dropAhead() { if aheadByteCount > 0 { _ = undo(aheadByteCount) } }

  /// Appends whole sealed lines: a batch, or the rest of one that was written ahead.
  ///
  /// Requires the exclusive lock, after ``recover()``.
  /// - Parameters:
  ///   - lines: at least one.
  ///   - sync: true to return only once they are on disk.
  /// - Throws: ``StoreFault/appendFailed(_:undone:)``; ``StoreFault/syncFailed(_:)``, after which
  ///   nothing may be appended before ``rewrite()``.
  public func append(_ lines: Bytes, sync: Bool) throws(StoreFault) {
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
    knownEnd = JournalEnd(at: length, behind: lines)
  }

  func writeOver(_ line: borrowing JSONWriter) throws(StoreFault) {
    do throws(StoreFault) {
      try line.withBytes { (bytes) throws(StoreFault) in try file.write(bytes, at: 0) }
    } catch {
      guard case .system(let reason) = error else { throw error }
      throw .appendFailed(reason, undone: true)
    }
    forgetWindows()
  }

  /// Cuts off the bytes that may have been written of a batch.
  /// - Returns: false if that failed: the next refresh has to read the end again.
  private func undo(_ byteCount: Int) -> Bool {
    aheadThread.wait()
    aheadByteCount = 0
    aheadFault = nil
    let isUndone = (try? file.setLength(length)) != nil
    if !isUndone { tornByteCount = byteCount }
    return isUndone
  }

  /// Syncs the last batch, whose process may have been killed before its sync.
  ///
  /// Requires the exclusive lock, after ``refreshLastBatch()``. If that sync failed, the system
  /// takes the pages for synced. So the same bytes are written again before the sync.
  /// - Throws: ``StoreFault/system(_:)``; ``StoreFault/syncFailed(_:)``.
  public func syncLastBatch() throws(StoreFault) {
    try copyBytes(from: lastBatchStart, to: length, into: file, at: lastBatchStart)
    try sync()
  }

  /// - Throws: ``StoreFault/syncFailed(_:)``.
  func sync() throws(StoreFault) {
    do throws(StoreFault) {
      try file.syncData()
    } catch {
      guard case .system(let reason) = error else { throw error }
      throw .syncFailed(reason)
    }
  }

  /// Writes the journal again as the system shows it now, and syncs it: recovers from a failed
  /// sync. Requires the exclusive lock, after ``recover()``.
  /// - Throws: ``StoreFault/system(_:)``; the journal is unchanged then.
  public func rewrite() throws(StoreFault) {
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

  private func reopen() throws(StoreFault) {
    file = try directory.open(Self.name, mode)
    length = 0
    knownEnd = nil
    tornByteCount = 0
    header = nil
    hasWrittenHeader = false
    forgetWindows()
  }

  /// Returns the end of the last whole batch within the first `end` bytes.
  private func soundLength(before end: Int) throws(StoreFault) -> Int {
    var count = 4096
    while true {
      count = min(count, end)
      let start = end - count
      let bytes = MutableBytes.allocate(byteCount: count, alignment: 8)
      defer { bytes.deallocate() }
      let filled = try file.read(into: bytes, at: start)
      let known = Bytes(rebasing: Bytes(bytes)[..<filled])
      switch JournalTail.of(known, at: start) {
      case .sound(let lastLine):
        return noteEnd(at: start + filled, lastLine.map { known[$0...] })
      case .torn(let offset, let lastLine):
        return noteEnd(at: start + offset, lastLine.map { known[$0..<offset] })
      case .damaged(let offset): throw damage(at: start + offset)
      case .undecided where count < JournalTail.searchLimit:
        count = min(16 * count, JournalTail.searchLimit)
      case .undecided: throw damage(at: start, "begins 64 MiB without the end of a batch")
      }
    }
  }

  /// Notes the time and the checksum of the line that ends at an offset.
  private func noteEnd(at offset: Int, _ line: Slice<Bytes>?) -> Int {
    let line = line.map { Bytes(rebasing: $0) }
    lastKnownTime = (offset, line.flatMap { RecordReader.time(of: $0) })
    knownEnd = line.flatMap { JournalEnd(at: offset, behind: $0) }
    return offset
  }

  /// Returns the time of the last record before ``length``, or nil.
  /// - Throws: ``StoreFault/system(_:)``; ``StoreFault/damaged(_:)`` by the rule of
  ///   ``JournalTail``.
  func lastTime() throws(StoreFault) -> Timestamp? {
    if lastKnownTime.offset != length { _ = try soundLength(before: length) }
    return lastKnownTime.time
  }

  /// Makes a file for a torn tail, under the first free name.
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
    from start: Int, to end: Int, into copy: borrowing FileDescriptor, at place: Int = 0
  ) throws(StoreFault) {
    var position = place
    try eachBlock(from: start, to: end) { (block) throws(StoreFault) in
      try copy.write(block, at: position)
      position += block.count
    }
  }
}
