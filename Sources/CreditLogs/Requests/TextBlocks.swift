/// Texts in blocks that are never moved: what has been kept is not copied as more comes.
struct TextBlocks {
  /// The bytes of a block: also the most that one text may have.
  static let blockSize = 1 << 20

  private var blocks: [[UInt8]] = []

  /// Makes room for a text.
  /// - Returns: its place.
  mutating func room(for count: Int) -> Int {
    precondition(count <= Self.blockSize)
    if blocks.last.map({ $0.count + count > Self.blockSize }) ?? true {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(Self.blockSize)
    }
    let last = blocks.count - 1
    let place = last * Self.blockSize + blocks[last].count
    blocks[last].append(contentsOf: repeatElement(0, count: count))
    return place
  }

  /// Writes a text into its room.
  mutating func write(_ text: [UInt8], at place: Int) {
    let start = place % Self.blockSize
    blocks[place / Self.blockSize].replaceSubrange(start..<start + text.count, with: text)
  }

  /// Calls `body` with the text of a place.
  func withText(at place: Int, count: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    let start = place % Self.blockSize
    blocks[place / Self.blockSize].withUnsafeBytes { bytes in
      body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
    }
  }
}
