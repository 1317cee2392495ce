public import CreditBytes
internal import CreditJSON
internal import CreditModel
internal import CreditSystem

extension JournalFile {
  /// Calls `body` with the line that starts at an offset, without its newline.
  ///
  /// The bytes are valid until `body` returns. `body` must not read another line meanwhile.
  /// - Parameter ofAccount: true if it is looked up as an account's newest line.
  /// - Returns: nil if no line starts at the offset, or if it lies beyond ``length``.
  /// - Throws: ``StoreFault/damaged(_:)``, ``StoreFault/system(_:)``, errors of `body`.
  public func withLine<Result>(
    at offset: Int, ofAccount: Bool = false,
    _ body: (Bytes) throws(StoreFault) -> Result
  ) throws(StoreFault) -> Result? {
    precondition(!isReading, "one line at a time")
    isReading = true
    defer { isReading = false }
    guard offset >= 0, offset < length,
      let line = try (ofAccount ? accountWindow : window).line(at: offset, of: file, limit: length)
    else { return nil }
    guard JournalLine.isSound(line) else { throw damage(at: offset) }
    return try body(line)
  }

  /// Calls `body` with a record's line at an offset.
  ///
  /// An offset without a record is damage here: it never means the beginning of a history or an
  /// unregistered account.
  /// - Throws: ``StoreFault/damaged(_:)``, ``StoreFault/system(_:)``, errors of `body`.
  func withRecordLine<Result>(
    at offset: Int, ofAccount: Bool = false,
    _ body: (Bytes) throws(StoreFault) -> Result
  ) throws(StoreFault) -> Result {
    // The first line is the header.
    if offset > 0, let result = try withLine(at: offset, ofAccount: ofAccount, body) {
      return result
    }
    throw noLine(at: offset)
  }

  /// Calls `body` with a line that was written ahead. It is not cached, as it may be undone.
  /// - Parameter byteCount: number of bytes written after ``length``, the line included.
  /// - Throws: ``StoreFault/damaged(_:)`` if no sound line starts at the offset,
  ///   ``StoreFault/system(_:)``.
  func withLine<Result>(
    at offset: Int, ofFirstAhead byteCount: Int, _ body: (Bytes) -> Result?
  ) throws(StoreFault) -> Result? {
    let window = ReadWindow()
    guard let line = try window.line(at: offset, of: file, limit: length + byteCount) else {
      throw noLine(at: offset)
    }
    guard JournalLine.isSound(line) else { throw damage(at: offset) }
    return body(line)
  }

  /// Returns the offset of the account's previous record that a line contains, or nil. Does not
  /// check the line's checksum.
  /// - Throws: ``StoreFault/damaged(_:)`` if no line starts there, ``StoreFault/system(_:)``.
  func previous(of offset: Int) throws(StoreFault) -> Int? {
    guard offset > 0, offset < length,
      let line = try window.line(at: offset, of: file, limit: length)
    else { throw noLine(at: offset) }
    let content = line.dropLast(JournalLine.sealByteCount - 1)
    return RecordReader.previous(before: Bytes(rebasing: content))
      .map { Int($0.value) }
  }

  /// Returns the checksum of the line that ends at an offset: it identifies the journal up to
  /// there. Returns 0 at the start, and nil if no line ends there.
  public func anchor(at offset: Int) throws(StoreFault) -> UInt32? {
    if offset == 0 { return 0 }
    if let knownEnd, knownEnd.length == offset { return knownEnd.anchor }
    let start = offset - JournalLine.sealByteCount - 1
    guard start >= 0, offset <= length else { return nil }
    return try withTemporaryBytes(byteCount: offset - start, alignment: 1) {
      (bytes) throws(StoreFault) in
      guard try file.read(into: bytes, at: start) == bytes.count, bytes.last == newline
      else { return nil }
      return JournalLine.writtenChecksum(Bytes(rebasing: bytes.dropLast()))
    }
  }

  /// Reads a range in blocks of up to 1 MiB.
  func eachBlock(
    from start: Int, to end: Int, _ body: (Bytes) throws(StoreFault) -> Void
  ) throws(StoreFault) {
    let block = MutableBytes.allocate(byteCount: 1 << 20, alignment: 8)
    defer { block.deallocate() }
    var position = start
    while position < end {
      let wanted = block[..<min(block.count, end - position)]
      let count = try file.read(into: MutableBytes(rebasing: wanted), at: position)
      if count == 0 { return }
      try body(Bytes(rebasing: block[..<count]))
      position += count
    }
  }

  /// Returns the identity, reading the first record; nil if the first line is unreadable.
  func fullIdentity() throws(StoreFault) -> JournalIdentity? {
    guard let header else { return nil }
    var first: UInt32?
    do throws(StoreFault) {
      first =
        try withLine(at: JournalHeader.byteCount) { JournalLine.writtenChecksum($0) } ?? nil
    } catch {
      guard case .damaged = error else { throw error }
    }
    return JournalIdentity(createdAt: header.createdAt, first: first)
  }
}

/// Distinguishes a torn append at the end of a journal from damage.
///
/// An append adds a batch of whole lines, and is acknowledged once they are on disk. If it is
/// interrupted, some of its bytes remain. A killed process or a full disk leaves the first ones. A
/// power cut leaves any of them, with NULs in place of lost blocks. A batch counts as a whole or
/// not at all, so that no request is half done. The next batch is appended only after a torn one
/// was cut off. So only the end of the journal can be torn, and the rule is:
///
/// - The *torn tail* is everything after the last line that ends a batch, if each line in it that
///   has a newline is sound or has lost a block. Bytes after the last newline are always torn: no
///   line is acknowledged before its newline is on disk.
/// - A line with a newline that is not sound and has not lost a block is *damage*, also as the last
///   line: no append leaves one behind. So is a sound line with another byte in place of its
///   newline.
/// - An unsound line that shows the end of a batch, and that is followed by other bytes, is damage:
///   the batch behind it began after this one was acknowledged. So is a line whose beginning shows
///   that end, and that continues behind the place of its newline: it is two lines whose newline is
///   lost.
/// - An unsound line before the end of the last batch is damage, unless that batch itself is
///   incomplete (see ``JournalFile/refreshLastBatch()``). Such a line is found when it is read, not
///   when the journal is opened.
///
/// Bytes that the index has as acknowledged are never torn (see ``StoreFault/shortened(_:)``).
enum JournalTail: Equatable {
  /// The bytes are empty or end with a batch, whose last line starts at `lastLine`.
  case sound(lastLine: Int?)

  /// Everything from `offset` on is torn. The batch before it, if any, has its last line at
  /// `lastLine`.
  case torn(offset: Int, lastLine: Int?)

  case damaged(offset: Int)

  /// The last batch, if any, ends before these bytes.
  case undecided

  /// Size of a journal's end that is searched for its last batch.
  static let searchLimit = 64 << 20

  /// The most bytes of one append; the line before it is still found.
  static let batchLimit = searchLimit - 2 * JournalLine.limit

  /// Disks keep or lose this many bytes at once, or a multiple.
  private static let sectorByteCount = 512

  /// Judges the end of a journal.
  /// - Parameters:
  ///   - bytes: the journal's last bytes; the offsets returned count from their start.
  ///   - start: their offset in the journal; at 0 they are all of it.
  static func of(_ bytes: Bytes, at start: Int) -> JournalTail {
    var end = bytes.lastIndex(of: newline, before: bytes.count).map { $0 + 1 } ?? 0
    if end < bytes.count, end > 0 || start == 0 {
      let rest = Bytes(rebasing: bytes[end...])
      if JournalLine.hasChangedNewline(rest) { return .damaged(offset: end) }
    }
    var lastLine: Int?
    // Everything from `end` on is torn; `end` is the end of a line.
    while end > 0 {
      let previous = bytes.lastIndex(of: newline, before: end - 1)
      guard previous != nil || start == 0 else { return .undecided }
      let first = previous.map { $0 + 1 } ?? 0
      let line = Bytes(rebasing: bytes[first..<end - 1])
      if JournalLine.isSound(line) {
        if !JournalLine.isContinued(line) {
          lastLine = first
          break
        }
      } else {
        // A block that was lost leaves a NUL at the end of a sector. No record contains one.
        let lacksBlock = line.enumerated().contains {
          $1 == 0 && (start + first + $0 + 1) % sectorByteCount == 0
        }
        guard lacksBlock, !(end < bytes.count && JournalLine.showsEndOfBatch(line)),
          !JournalLine.continuesAfterBatchEnd(line)
        else { return .damaged(offset: first) }
      }
      end = first
    }
    if end == 0 && start > 0 { return .undecided }
    return end == bytes.count
      ? .sound(lastLine: lastLine) : .torn(offset: end, lastLine: lastLine)
  }
}

/// The part of the journal that was read last.
///
/// A line costs one small read; lines read in order, or in reverse order, cost almost none.
final class ReadWindow {
  /// Bytes read for a line that is not near the last one: most lines are shorter.
  private static let smallByteCount = 1024

  /// Bytes read once lines are asked for in order or in reverse order.
  private static let largeByteCount = 65_536

  /// Bytes read from the line on, if the order is the reverse: most lines are shorter.
  private static let lineByteCount = 4096

  /// As large as the last read: a short run that needs no more uses fewer pages.
  private var buffer = MutableBytes.allocate(byteCount: ReadWindow.smallByteCount, alignment: 8)
  private var start = 0
  private var count = 0

  deinit {
    buffer.deallocate()
  }

  /// Forgets the bytes read, because the file has changed.
  func forget() {
    start = 0
    count = 0
  }

  /// Reads the line that starts at an offset.
  /// - Parameter limit: the end of the bytes that may be read.
  /// - Returns: the line without its newline, valid until the next call, or its first MiB if it is
  ///   longer; nil if no line starts at the offset or none ends before the limit.
  func line(
    at offset: Int, of file: borrowing FileDescriptor, limit: Int
  ) throws(StoreFault) -> Bytes? {
    if let line = knownLine(at: offset) { return line }
    // The byte before shows whether a line starts here.
    let before = max(0, offset - 1)
    var (first, wanted) = part(for: before)
    while true {
      try fill(from: first, wanted, file, limit)
      if offset > 0 && before < start + count && buffer[before - start] != newline { return nil }
      if let line = knownLine(at: offset) { return line }
      if start + count - offset >= JournalLine.limit {
        return Bytes(rebasing: Bytes(buffer)[(offset - start)..<count])
      }
      if count < wanted { return nil }
      wanted = first == before ? 4 * wanted : Self.largeByteCount
      first = before
    }
  }

  /// Returns the part to read for a line outside the window: a larger one near the last read.
  private func part(for offset: Int) -> (first: Int, byteCount: Int) {
    if count > 0, offset >= start, offset <= start + count + Self.smallByteCount {
      return (offset, Self.largeByteCount)
    }
    if count > 0, offset < start, start - offset < 2 * Self.lineByteCount {
      let first = max(0, offset - Self.largeByteCount + Self.lineByteCount)
      return (first, offset - first + Self.lineByteCount)
    }
    return (offset, Self.smallByteCount)
  }

  /// Returns the line at an offset if the window has all of it.
  private func knownLine(at offset: Int) -> Bytes? {
    let index = offset - start
    let known = Bytes(rebasing: Bytes(buffer)[..<count])
    return index == 0 && offset == 0 ? known.firstLine() : known.line(behindNewlineAt: index - 1)
  }

  private func fill(
    from first: Int, _ wanted: Int, _ file: borrowing FileDescriptor, _ limit: Int
  ) throws(StoreFault) {
    if buffer.count < wanted {
      buffer.deallocate()
      buffer = .allocate(byteCount: wanted, alignment: 8)
    }
    forget()
    let part = MutableBytes(rebasing: buffer[..<min(wanted, limit - first)])
    count = try file.read(into: part, at: first)
    start = first
  }
}

extension Bytes {
  /// Returns the whole line that starts behind a newline, without its own newline. Returns nil if
  /// that place has no newline, or no whole line follows.
  func line(behindNewlineAt place: Int) -> Bytes? {
    guard indices.contains(place), self[place] == newline else { return nil }
    return Bytes(rebasing: self[(place + 1)...]).firstLine()
  }

  /// Returns the line that the bytes begin with, without its newline; nil if that is missing.
  func firstLine() -> Bytes? { firstNewline().map { Bytes(rebasing: self[..<$0]) } }

  func firstNewline() -> Int? { firstPlace(of: newline) }
}

/// Identifies a journal, even if its end is lost: it never changes.
struct JournalIdentity: Equatable {
  /// Time in its first line: a store and the import of its export share it.
  let createdAt: Timestamp
  /// Checksum of its first record; nil if it has no readable record.
  let first: UInt32?
}
