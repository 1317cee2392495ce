extension JournalFile {
  /// How much is read at once.
  private static let backByteCount = 1 << 17

  /// Gives `body` the lines of a range, the last one first, each with its offset, without its
  /// newline, until it returns false.
  ///
  /// The bytes are valid until `body` returns.
  /// - Parameters:
  ///   - end: where a line ends, at most ``length``.
  ///   - start: where a line starts.
  /// - Throws: ``StoreFault/damaged(_:)`` at the first line that is not sound,
  ///   ``StoreFault/system(_:)``, what `body` throws.
  func forEachLineBack(
    from end: Int, to start: Int,
    _ body: (Int, UnsafeRawBufferPointer) throws(StoreFault) -> Bool
  ) throws(StoreFault) {
    var buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.backByteCount, alignment: 8)
    defer { buffer.deallocate() }
    var end = end
    while end > start {
      let first = max(start, end - buffer.count)
      let block = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(end - first)])
      let count = try read(into: block, at: first)
      guard count == block.count, block.last == newline else {
        throw damage(at: first, "does not end where it has to")
      }
      let bytes = UnsafeRawBufferPointer(block)
      // The bytes up to the newline of the line that comes next.
      var used = count
      while used > 0 {
        let before = bytes.lastIndex(of: newline, before: used - 1)
        guard before != nil || first == start else { break }
        let lineStart = before.map { $0 + 1 } ?? 0
        let line = UnsafeRawBufferPointer(rebasing: bytes[lineStart..<used - 1])
        guard JournalLine.isSound(line) else { throw damage(at: first + lineStart) }
        guard try body(first + lineStart, line) else { return }
        used = lineStart
      }
      if used == count {
        guard count <= JournalLine.limit else { throw damage(at: first, "is longer than 1 MiB") }
        buffer.deallocate()
        buffer = .allocate(byteCount: 4 * buffer.count, alignment: 8)
      }
      end = first + used
    }
  }
}
