internal import CreditJSON
internal import CreditModel

extension JournalFile {
  /// How many bytes the first line has, with its newline; 0 where there is none yet.
  /// - Throws: ``StoreFault/damaged(_:)`` where it is no header.
  func headerByteCount() throws(StoreFault) -> Int {
    if length == 0 { return 0 }
    try requireHeader()
    return JournalHeader.byteCount
  }

  /// When the journal was begun; nil where it has no first line yet.
  /// - Throws: ``StoreFault/damaged(_:)`` where that is no header.
  func createdAt() throws(StoreFault) -> Timestamp? {
    length == 0 ? nil : try requireHeader().createdAt
  }

  /// What the journal is written in.
  /// - Throws: ``StoreFault/damaged(_:)`` where its first line is no header.
  func version() throws(StoreFault) -> StoreVersion {
    length == 0 ? .first : try requireHeader().version
  }

  @discardableResult
  private func requireHeader() throws(StoreFault) -> JournalHeader {
    guard let header else { throw damage(at: 0, "is no header of a store") }
    return header
  }

  /// Reads the first line, unless that was done. Under the lock.
  /// - Throws: ``StoreFault/version(_:)`` for a version that this tool does not know;
  ///   ``StoreFault/system(_:)``. What is no header at all is damage, which shows where it is asked
  ///   for.
  func readHeader() throws(StoreFault) {
    if header != nil { return }
    let (known, other) = try withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) {
      (buffer) throws(StoreFault) -> (JournalHeader?, Int64?) in
      let count = try read(into: buffer, at: 0)
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if let header = JournalHeader(bytes) { return (header, nil) }
      guard let line = bytes.firstLine(), JournalLine.isSound(line) else { return (nil, nil) }
      return (nil, JournalHeader.anyVersion(of: line))
    }
    header = known
    if let other, StoreVersion(rawValue: other) == nil { throw .version(other) }
  }

  /// Writes the first line of a journal that has none: a new one, or one whose making was
  /// interrupted, perhaps before its name was on disk. Under the exclusive lock.
  func writeHeader(at time: Timestamp, in directory: StoreDirectory) throws(StoreFault) {
    try directory.sync()
    let header = JournalHeader(version: .first, createdAt: time)
    try header.line.withBytes { (bytes) throws(StoreFault) in try append(bytes, sync: true) }
    self.header = header
  }

  /// Has the journal continue in a version, where it is written in an earlier one. Under the
  /// exclusive lock, before the first record that needs it is appended.
  ///
  /// The first line is written over in its place: a disk writes its sector as one, so that it says
  /// one version or the other after a power cut, and either is right for the records there are.
  /// Another process may have done that, and been killed as its sync failed: the system then
  /// believes that the line is on disk. So each process writes it once, to be brought there with
  /// its first batch that needs it.
  /// - Throws: ``StoreFault/appendFailed(_:undone:)``, ``StoreFault/syncFailed(_:)``,
  ///   ``StoreFault/damaged(_:)``.
  func raise(to version: StoreVersion, sync: Bool) throws(StoreFault) {
    if version == .first || hasWrittenHeader && version <= header?.version ?? .first { return }
    // Another process may have done it.
    header = nil
    try readHeader()
    let known = try requireHeader()
    let raised = JournalHeader(version: max(version, known.version), createdAt: known.createdAt)
    try writeOver(raised.line)
    if sync && raised != known { try self.sync() }
    header = raised
    hasWrittenHeader = true
  }

  /// Checks that a file without a whole line is the beginning of a journal, or has lost the block
  /// that it was in. Any other text is somebody else's, and not to be cut off.
  /// - Throws: ``StoreFault/damaged(_:)``.
  func checkBeginning() throws(StoreFault) {
    let expected = UnsafeRawBufferPointer(
      start: JournalHeader.beginning.utf8Start, count: JournalHeader.beginning.utf8CodeUnitCount)
    try withUnsafeTemporaryAllocation(byteCount: expected.count, alignment: 8) {
      (buffer) throws(StoreFault) in
      let count = try read(into: buffer, at: 0)
      guard zip(buffer[..<count], expected).allSatisfy({ $0 == $1 || $0 == 0 }) else {
        throw damage(at: 0, "is no header of a store")
      }
    }
  }

  /// How many lines a range has.
  func lineCount(from start: Int, to end: Int) throws(StoreFault) -> Int {
    var count = 0
    try eachBlock(from: start, to: end) { block in
      var rest = block
      while let end = rest.firstNewline() {
        count += 1
        rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      }
    }
    return count
  }

  /// The damage of the line at an offset, with its number.
  func damage(at offset: Int, _ reason: String = "has a wrong checksum") -> StoreFault {
    do throws(StoreFault) {
      let line = try lineCount(from: 0, to: offset) + 1
      return .damaged(JournalDamage(line: line, offset: offset, reason: reason))
    } catch {
      return error
    }
  }

  /// The damage where a line should start at an offset, and none does.
  func noLine(at offset: Int) -> StoreFault { damage(at: offset, "starts no line") }
}
