internal import CreditModel

extension JournalFile {
  /// How many bytes the first line has, with its newline; 0 where there is none yet.
  /// - Throws: ``StoreFault/damaged(_:)`` where it is no header of this version.
  func headerByteCount() throws(StoreFault) -> Int {
    if let knownHeaderByteCount { return knownHeaderByteCount }
    if length == 0 { return 0 }
    let count = try withHeader { line, _ in line.count + 1 }
    knownHeaderByteCount = count
    return count
  }

  /// When the journal was begun; nil where it has no first line yet.
  /// - Throws: ``StoreFault/damaged(_:)`` where that is no header of this version.
  func createdAt() throws(StoreFault) -> Timestamp? {
    length == 0 ? nil : try withHeader { _, time in time }
  }

  private func withHeader<Result>(_ body: (UnsafeRawBufferPointer, Timestamp) -> Result)
    throws(StoreFault) -> Result
  {
    let result = try withLine(at: 0) { line in
      JournalHeader.createdAt(line).map { body(line, $0) }
    }
    guard let result = result ?? nil else { throw damage(at: 0, "is no header of this version") }
    return result
  }

  /// Refuses a journal of another version. The first line alone says it, and is looked at once.
  /// - Throws: ``StoreFault/version(_:)``; ``StoreFault/system(_:)``.
  func checkVersion() throws(StoreFault) {
    if isVersionKnown || length == 0 { return }
    let beginning = UnsafeRawBufferPointer(
      start: JournalHeader.presentBeginning.utf8Start,
      count: JournalHeader.presentBeginning.utf8CodeUnitCount)
    let isOurs = try withUnsafeTemporaryAllocation(byteCount: beginning.count, alignment: 8) {
      (buffer) throws(StoreFault) in
      let count = try read(into: buffer, at: 0)
      return UnsafeRawBufferPointer(rebasing: buffer[..<count]).hasSameBytes(as: beginning)
    }
    // What is no header at all is damage, which shows where it is read.
    if !isOurs, let other = try withLine(at: 0, JournalHeader.version(of:)) ?? nil,
      other != JournalHeader.version
    {
      throw .version(other)
    }
    isVersionKnown = true
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
