/// Eight bytes of text, looked at together. The first byte is the lowest.
struct ByteWord {
  let bits: UInt64

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// Reads the eight bytes from `pointer` on.
  @inline(__always)
  init(_ pointer: UnsafeRawPointer) {
    bits = UInt64(littleEndian: pointer.loadUnaligned(as: UInt64.self))
  }

  /// Reads the `count` bytes from `pointer` on, which are fewer than eight; zeros follow them.
  @inline(__always)
  init(_ pointer: UnsafeRawPointer, count: Int) {
    if count >= 4 {
      // The two halves may overlap, where they are the same.
      let low = UInt32(littleEndian: pointer.loadUnaligned(as: UInt32.self))
      let high = UInt32(
        littleEndian: pointer.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
      bits = UInt64(low) | UInt64(high) &<< UInt64(8 &* (count &- 4))
    } else if count > 0 {
      let middle = count &>> 1
      bits =
        UInt64(pointer.load(as: UInt8.self))
        | UInt64(pointer.load(fromByteOffset: middle, as: UInt8.self)) &<< UInt64(8 &* middle)
        | UInt64(pointer.load(fromByteOffset: count &- 1, as: UInt8.self))
        &<< UInt64(8 &* (count &- 1))
    } else {
      bits = 0
    }
  }

  /// The high bit of each byte that a JSON string cannot hold as it is: a quote, a backslash, a
  /// control character. Only the lowest bit set is exact; above it a borrow may have set others.
  @inline(__always)
  var escapable: UInt64 {
    let quote = bits ^ (Self.ones &* UInt64(UInt8(ascii: "\"")))
    let backslash = bits ^ (Self.ones &* UInt64(UInt8(ascii: "\\")))
    let found =
      ((quote &- Self.ones) & ~quote) | ((backslash &- Self.ones) & ~backslash)
      | ((bits &- Self.ones &* 0x20) & ~bits)
    return found & Self.highs
  }

  /// The high bit of each byte above `~`: the control character DEL, or not ASCII. Only the lowest
  /// bit set is exact.
  @inline(__always)
  var aboveTilde: UInt64 { ((bits &+ Self.ones) | bits) & Self.highs }

  /// The high bit of each byte that is not ASCII.
  @inline(__always)
  var nonASCII: UInt64 { bits & Self.highs }

  /// The number that the digits among the first bytes say, and how many they are. All at once.
  @inline(__always)
  var leadingDigits: (value: Int64, count: Int) {
    // What is no digit has a high half other than 3, or reaches 16 with 6 added.
    let halves = bits ^ (Self.ones &* 0x30)
    let others = (halves | ((halves & ~Self.highs) &+ Self.ones &* 6)) & (Self.ones &* 0xF0)
    let count = others.trailingZeroBitCount &>> 3
    if count == 0 { return (0, 0) }
    // The digits at the word's end, zeros before them: pairs, fours, all eight.
    var value = halves &<< UInt64(64 &- 8 &* count)
    value = (value &* 10 &+ value >> 8) & 0x00FF_00FF_00FF_00FF
    value = (value &* 100 &+ value >> 16) & 0x0000_FFFF_0000_FFFF
    value = (value &* 10_000 &+ value >> 32) & 0x0000_0000_FFFF_FFFF
    return (Int64(truncatingIfNeeded: value), count)
  }

  /// The index of the byte whose high bit is the lowest set in `mask`; 8 where none is.
  @inline(__always)
  static func firstIndex(in mask: UInt64) -> Int { mask.trailingZeroBitCount &>> 3 }
}

extension UnsafeRawBufferPointer {
  /// The bytes of text written in the source.
  init(_ text: StaticString) {
    self.init(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }
}
