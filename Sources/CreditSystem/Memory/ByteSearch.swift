internal import CLibrary

extension Bytes {
  /// Returns the place of the first byte of a value. Nil if no byte has it.
  ///
  /// The C library looks at many bytes at once.
  public func firstPlace(of byte: UInt8) -> Int? {
    guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - start
  }

  /// Whether a text of two bytes or more is somewhere in the bytes. Eight places at once are
  /// looked at for its first byte and its last.
  public func contains(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard let baseAddress, count >= length else { return false }
    let ones: UInt64 = 0x0101_0101_0101_0101
    let firsts = ones &* UInt64(text.utf8Start[0])
    let lasts = ones &* UInt64(text.utf8Start[length - 1])
    let end = count - length + 1
    var place = 0
    while place &+ 8 <= end {
      let candidate = baseAddress + place
      let others =
        (candidate.loadUnaligned(as: UInt64.self) ^ firsts)
        | (candidate.loadUnaligned(fromByteOffset: length &- 1, as: UInt64.self) ^ lasts)
      // A byte of it is 0 if both match.
      if (others &- ones) & ~others & (ones << 7) != 0 {
        for offset in 0..<8 where memcmp(candidate + offset, text.utf8Start, length) == 0 {
          return true
        }
      }
      place &+= 8
    }
    while place < end {
      if memcmp(baseAddress + place, text.utf8Start, length) == 0 { return true }
      place += 1
    }
    return false
  }
}
