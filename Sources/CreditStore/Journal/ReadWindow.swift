internal import CreditSystem

/// The part of the journal that was read last, so that a line costs one small read, and lines that
/// are asked for in their order, or the other way round, cost hardly any.
final class ReadWindow {
  /// What is read for a line that is not near the last one: most lines are shorter.
  private static let smallByteCount = 1024

  /// What is read ahead once lines are asked for in order, or behind where that is the reverse.
  private static let largeByteCount = 65_536

  /// What is read of it from a line on whose order is the reverse: all of most lines.
  private static let lineByteCount = 4096

  /// As large as what was read: a short run that gets no more takes fewer pages from the system.
  private var buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ReadWindow.smallByteCount, alignment: 8)
  private var start = 0
  private var count = 0

  deinit {
    buffer.deallocate()
  }

  /// Forgets what was read, because the file has changed.
  func forget() {
    start = 0
    count = 0
  }

  /// Reads the line that starts at an offset.
  /// - Parameter limit: the end of what may be read.
  /// - Returns: the line without its newline, valid until the next call; its first MiB where it is
  ///   longer; nil where no line starts at the offset or none ends before the limit.
  func line(
    at offset: Int, of file: borrowing FileDescriptor, limit: Int
  ) throws(StoreFault) -> UnsafeRawBufferPointer? {
    if let line = knownLine(at: offset) { return line }
    // The byte before shows whether a line starts here.
    let before = max(0, offset - 1)
    var (first, wanted) = part(for: before)
    while true {
      try fill(from: first, wanted, file, limit)
      if offset > 0 && before < start + count && buffer[before - start] != newline { return nil }
      if let line = knownLine(at: offset) { return line }
      if start + count - offset >= JournalLine.limit {
        return UnsafeRawBufferPointer(
          rebasing: UnsafeRawBufferPointer(buffer)[(offset - start)..<count])
      }
      if count < wanted { return nil }
      wanted = first == before ? 4 * wanted : Self.largeByteCount
      first = before
    }
  }

  /// What to read for a line that is not known: more where it is near to what was read last.
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

  /// The line at an offset if the window has all of it.
  private func knownLine(at offset: Int) -> UnsafeRawBufferPointer? {
    let index = offset - start
    let known = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
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
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(wanted, limit - first)])
    count = try file.read(into: part, at: first)
    start = first
  }
}

extension UnsafeRawBufferPointer {
  /// The whole line that starts behind a newline, without its own; nil where there is no newline at
  /// that place, or no whole line behind it.
  func line(behindNewlineAt place: Int) -> UnsafeRawBufferPointer? {
    guard indices.contains(place), self[place] == newline else { return nil }
    return UnsafeRawBufferPointer(rebasing: self[(place + 1)...]).firstLine()
  }

  /// The line that the bytes begin with, without its newline; nil where that is missing.
  func firstLine() -> UnsafeRawBufferPointer? {
    firstNewline().map { UnsafeRawBufferPointer(rebasing: self[..<$0]) }
  }

  /// The place of the first newline; nil where there is none.
  func firstNewline() -> Int? { firstPlace(of: newline) }
}
