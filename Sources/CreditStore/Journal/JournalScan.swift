extension JournalFile {
  /// Gives `body` the lines of a range in order, each with its offset, without its newline.
  ///
  /// The bytes are valid until `body` returns. Other lines may be read meanwhile.
  /// - Parameters:
  ///   - start: where a line starts.
  ///   - end: where a line ends, at most ``length``.
  /// - Throws: ``StoreFault/damaged(_:)`` at the first line that is not sound,
  ///   ``StoreFault/system(_:)``, what `body` throws.
  package func forEachLine(
    from start: Int, to end: Int,
    _ body: (Int, UnsafeRawBufferPointer) throws(StoreFault) -> Void
  ) throws(StoreFault) {
    try scan(from: start, to: end) { (offset, line, isSound) throws(StoreFault) in
      guard isSound else { throw damage(at: offset) }
      try body(offset, line)
    }
  }

  /// Does what ``forEachLine(from:to:_:)`` does and goes on after lines that are not sound, saying
  /// of each whether it is. A line of over 1 MiB comes in several pieces, none of them sound.
  package func scan(
    from start: Int, to end: Int,
    _ body: (Int, UnsafeRawBufferPointer, Bool) throws(StoreFault) -> Void
  ) throws(StoreFault) {
    // A whole line always fits behind a block.
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: JournalLine.limit + Self.blockByteCount, alignment: 8)
    defer { buffer.deallocate() }
    var offset = start
    var kept = 0
    while offset + kept < end {
      let filled = try readBlock(into: buffer, after: kept, at: offset + kept, end: end)
      let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<filled])
      var used = 0
      while let line = nextLine(of: bytes, from: used) {
        try body(offset + used, line, JournalLine.isSound(line))
        used += line.count + 1
      }
      if filled == kept || offset + filled >= end || filled - used >= JournalLine.limit {
        if filled > used {
          try body(offset + used, UnsafeRawBufferPointer(rebasing: bytes[used...]), false)
        }
        if filled == kept { return }
        used = filled
      }
      kept = filled - used
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[used...]))
      offset += used
    }
  }

  /// What fits into the processor's cache: half of the time that blocks of a megabyte take.
  private static let blockByteCount = 1 << 18

  /// Reads the next block behind the bytes kept of the last one.
  /// - Returns: the number of bytes in the buffer now.
  private func readBlock(
    into buffer: UnsafeMutableRawBufferPointer, after kept: Int, at offset: Int, end: Int
  ) throws(StoreFault) -> Int {
    let wanted = min(Self.blockByteCount, end - offset)
    let block = UnsafeMutableRawBufferPointer(rebasing: buffer[kept..<kept + wanted])
    return kept + (try read(into: block, at: offset))
  }

  private func nextLine(
    of bytes: UnsafeRawBufferPointer, from start: Int
  ) -> UnsafeRawBufferPointer? {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
    guard let end = rest.firstNewline() else { return nil }
    return UnsafeRawBufferPointer(rebasing: rest[..<end])
  }
}
