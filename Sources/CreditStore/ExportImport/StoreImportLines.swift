/// Takes text in any pieces and gives its lines.
final class ImportLines {
  private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 19, alignment: 8)
  /// What is in use of the buffer: from the next line on to the end of what has come.
  private var start = 0
  private var end = 0
  /// Up to where there is no newline.
  private var searched = 0
  /// Where the buffer starts in the text.
  private var offset = 0

  /// Where the line that was given last starts, in bytes from the text's start.
  private(set) var lineOffset = 0

  deinit {
    buffer.deallocate()
  }

  /// How many bytes have come of lines that were not given yet.
  var count: Int { end - start }

  /// Adds text; lines that were given are not valid any more.
  func append(_ bytes: UnsafeRawBufferPointer) {
    let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start..<end])
    if rest.count + bytes.count > buffer.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 2 * (rest.count + bytes.count), alignment: 8)
      larger.copyMemory(from: rest)
      buffer.deallocate()
      buffer = larger
    } else if start > 0 {
      buffer.copyMemory(from: rest)
    }
    searched -= start
    offset += start
    start = 0
    end = rest.count
    UnsafeMutableRawBufferPointer(rebasing: buffer[end...]).copyMemory(from: bytes)
    end += bytes.count
  }

  /// The next whole line, without its newline; nil where it has not come yet.
  func next() -> UnsafeRawBufferPointer? {
    let unread = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[searched..<end])
    guard let length = unread.firstNewline() else {
      searched = end
      return nil
    }
    return take(to: searched + length)
  }

  /// The last line, where it doesn't end with a newline.
  func last() -> UnsafeRawBufferPointer? { count == 0 ? nil : take(to: end) }

  private func take(to lineEnd: Int) -> UnsafeRawBufferPointer {
    let line = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start..<lineEnd])
    lineOffset = offset + start
    start = min(lineEnd + 1, end)
    searched = start
    return line
  }
}
