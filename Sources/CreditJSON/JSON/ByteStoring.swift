extension UnsafeMutableRawPointer {
  /// Stores a byte, and goes on to the next place.
  @inline(__always)
  mutating func store(_ byte: UInt8) {
    storeBytes(of: byte, as: UInt8.self)
    self += 1
  }

  /// Stores bytes, of fewer than 8 a whole word, and goes on behind them.
  @inline(__always)
  mutating func store(_ text: UnsafeRawBufferPointer) {
    guard let source = text.baseAddress else { return }
    if text.count < 8 {
      storeBytes(
        of: ByteWord(source, count: text.count).bits.littleEndian, as: UInt64.self)
    } else if text.count <= 16 {
      // Two words that overlap.
      let last = text.count &- 8
      storeBytes(of: ByteWord(source).bits.littleEndian, as: UInt64.self)
      storeBytes(
        of: ByteWord(source + last).bits.littleEndian, toByteOffset: last, as: UInt64.self)
    } else {
      copyMemory(from: source, byteCount: text.count)
    }
    self += text.count
  }
}
