internal import CreditModel

extension JournalFile {
  /// How much of the journal is read at once for lines that are near one another.
  private static let partByteCount = 1 << 16
  /// How much is read for the last line of a part: most lines are shorter.
  private static let lastLineByteCount = 1024

  /// Calls `body` with the lines at positions, which are in the order of the journal's parts.
  ///
  /// Several threads may do this at once. The bytes, without their newline, are valid until `body`
  /// returns. A line that is nil is to be read by itself: it is damaged, or was not read with the
  /// others.
  /// - Throws: ``StoreFault/system(_:)``, what `body` throws.
  func forEachLine(
    at sorted: Slice<UnsafeMutableBufferPointer<RecordPosition>>,
    _ body: (RecordPosition, UnsafeRawBufferPointer?) throws(StoreFault) -> Void
  ) throws(StoreFault) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.partByteCount + Self.lastLineByteCount, alignment: 8)
    defer { buffer.deallocate() }
    var first = sorted.startIndex
    while first < sorted.endIndex {
      let part = sorted[first].value / Int64(Self.partByteCount)
      var end = first
      var range = (low: Int64.max, high: Int64.min)
      while end < sorted.endIndex, sorted[end].value / Int64(Self.partByteCount) == part {
        range = (min(range.low, sorted[end].value), max(range.high, sorted[end].value))
        end += 1
      }
      // The byte before shows whether a line starts there.
      let start = max(0, Int(range.low) - 1)
      let wanted = min(Int(range.high) - start + Self.lastLineByteCount, length - start)
      let count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<max(0, wanted)]), at: start)
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      for position in sorted[first..<end] {
        try body(position, Self.soundLine(in: bytes, at: Int(position.value) - start))
      }
      first = end
    }
  }

  /// The sound line that starts at a place behind a newline; nil where there is none.
  private static func soundLine(in bytes: UnsafeRawBufferPointer, at place: Int)
    -> UnsafeRawBufferPointer?
  {
    guard let line = bytes.line(behindNewlineAt: place - 1) else { return nil }
    return JournalLine.isSound(line) ? line : nil
  }

  /// Positions in the order of the parts of the journal that they are in.
  func byParts(_ positions: LargeTable<RecordPosition>) -> LargeTable<RecordPosition> {
    let sorted = LargeTable<RecordPosition>(count: positions.elements.count)
    let partCount = length / Self.partByteCount + 1
    PartOrder.forEach(of: positions.elements.count, partCount: partCount) { number in
      max(0, min(Int(positions.elements[number].value), length)) / Self.partByteCount
    } _: { number, place in
      sorted.elements[place] = positions.elements[number]
    }
    return sorted
  }
}
