/// Eight bytes of text, looked at together. The first byte is the lowest.
@usableFromInline struct ByteWord {
  @usableFromInline let bits: UInt64

  @usableFromInline static let ones: UInt64 = 0x0101_0101_0101_0101
  @usableFromInline static let highs: UInt64 = 0x8080_8080_8080_8080

  @inlinable @inline(__always)
  init(bits: UInt64) { self.bits = bits }

  /// Reads the eight bytes from `pointer` on.
  @inlinable @inline(__always)
  init(_ pointer: UnsafeRawPointer) {
    bits = UInt64(littleEndian: pointer.loadUnaligned(as: UInt64.self))
  }

  /// Reads the `count` bytes from `pointer` on, which are fewer than eight; zeros follow them.
  @inlinable @inline(__always)
  init(_ pointer: UnsafeRawPointer, count: Int) {
    if count >= 4 {
      // The two halves may overlap, with the same bytes.
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

  /// The high bit of each byte above `~`: the control character DEL, or not ASCII. Only the lowest
  /// bit set is exact.
  @inlinable @inline(__always)
  var aboveTilde: UInt64 { ((bits &+ Self.ones) | bits) & Self.highs }

  /// The high bit of each byte that ends printable text: a quote, a backslash, or one that is not
  /// printable ASCII. Only the lowest bit set is exact.
  @inlinable @inline(__always)
  var unprintable: UInt64 {
    // A quote or a backslash becomes 0, and 0 less 1 has the high bit.
    let quote = bits ^ (Self.ones &* UInt64(UInt8(ascii: "\"")))
    let backslash = bits ^ (Self.ones &* UInt64(UInt8(ascii: "\\")))
    return
      ((quote &- Self.ones) | (backslash &- Self.ones) | (bits &- Self.ones &* 0x20)
      | (bits &+ Self.ones) | bits) & Self.highs
  }

  /// The number of bytes before the first that is not a digit.
  @inlinable @inline(__always)
  var leadingDigitCount: Int {
    // Other bytes have a high half other than 3, or reach 16 with 6 added.
    let halves = bits ^ (Self.ones &* 0x30)
    let others = (halves | ((halves & ~Self.highs) &+ Self.ones &* 6)) & (Self.ones &* 0xF0)
    return others.trailingZeroBitCount &>> 3
  }

  @inlinable @inline(__always)
  var isPrintable: Bool {
    ((bits &- Self.ones &* 0x20) | (bits &+ Self.ones) | bits) & Self.highs == 0
  }

  /// The number that the leading digits make, and their count. All at once.
  @inlinable @inline(__always)
  var leadingDigits: (value: Int64, count: Int) {
    let count = leadingDigitCount
    if count == 0 { return (0, 0) }
    let halves = bits ^ (Self.ones &* 0x30)
    // The digits at the word's end, zeros before them: pairs, fours, all eight.
    var value = halves &<< UInt64(64 &- 8 &* count)
    value = (value &* 10 &+ value >> 8) & 0x00FF_00FF_00FF_00FF
    value = (value &* 100 &+ value >> 16) & 0x0000_FFFF_0000_FFFF
    value = (value &* 10_000 &+ value >> 32) & 0x0000_0000_FFFF_FFFF
    return (Int64(truncatingIfNeeded: value), count)
  }

  /// Returns the index of the byte whose high bit is the lowest set in `mask`; 8 if none is.
  @inlinable @inline(__always)
  static func firstIndex(in mask: UInt64) -> Int { mask.trailingZeroBitCount &>> 3 }
}

extension ByteWord {
  @usableFromInline static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The hash of a name's ends, eight bytes each, and of its length.
  @inlinable @inline(__always)
  static func hash(_ first: UInt64, _ last: UInt64, _ count: Int) -> UInt32 {
    let mixed = (first &* factor ^ last) &+ UInt64(truncatingIfNeeded: count)
    return UInt32(truncatingIfNeeded: (mixed &* factor) >> 32)
  }
}

extension Bytes {
  /// Whether all is printable ASCII. It looks at eight bytes at once.
  @inlinable
  public var isPrintable: Bool {
    guard let start = baseAddress else { return true }
    if count < 8 {
      // Spaces follow the bytes.
      let spaces = (ByteWord.ones &* 0x20) &<< UInt64(truncatingIfNeeded: 8 &* count)
      return ByteWord(bits: ByteWord(start, count: count).bits | spaces).isPrintable
    }
    var offset = 0
    while offset < count &- 8 {
      if !ByteWord(start + offset).isPrintable { return false }
      offset &+= 8
    }
    return ByteWord(start + (count &- 8)).isPrintable
  }

  /// The hash by which an object's members are found. The compiler knows that of a literal.
  @inlinable @inline(__always)
  public var nameHash: UInt32 {
    guard let start = baseAddress, count > 0 else { return ByteWord.hash(0, 0, 0) }
    if count < 8 { return ByteWord.hash(ByteWord(start, count: count).bits, 0, count) }
    let last = count &- 8
    var first = ByteWord(start).bits
    var offset = 8
    while offset < last {
      first = first &* ByteWord.factor ^ first >> 32 ^ ByteWord(start + offset).bits
      offset &+= 8
    }
    return ByteWord.hash(first, ByteWord(start + last).bits, count)
  }
}

extension UnsafeMutableRawPointer {
  /// Stores a byte, and moves to the next place.
  @inlinable @inline(__always)
  mutating func store(_ byte: UInt8) {
    storeBytes(of: byte, as: UInt8.self)
    self += 1
  }

  /// Stores bytes, a whole word if there are fewer than 8, and moves behind them.
  @inlinable @inline(__always)
  mutating func store(_ text: Bytes) {
    guard let source = text.baseAddress else { return }
    if text.count < 8 {
      storeBytes(of: ByteWord(source, count: text.count).bits.littleEndian, as: UInt64.self)
    } else if text.count <= 16 {
      // Two words that overlap.
      let last = text.count &- 8
      storeBytes(of: ByteWord(source).bits.littleEndian, as: UInt64.self)
      storeBytes(of: ByteWord(source + last).bits.littleEndian, toByteOffset: last, as: UInt64.self)
    } else {
      copyMemory(from: source, byteCount: text.count)
    }
    self += text.count
  }
}

/// The digits that a number is written with.
public enum JSONDigits {
  private static var pairs: StaticString {
    """
    00010203040506070809101112131415161718192021222324\
    25262728293031323334353637383940414243444546474849\
    50515253545556575859606162636465666768697071727374\
    75767778798081828384858687888990919293949596979899
    """
  }

  /// Writes an integer in decimal from a place on. There must be room for its digits.
  /// - Returns: the number of bytes written.
  public static func write(_ value: UInt64, to memory: MutableBytes, at place: Int) -> Int {
    guard let start = memory.baseAddress, place + digitCount(value) <= memory.count else {
      preconditionFailure("no room for an integer")
    }
    return write(value, to: start + place)
  }

  /// Writes an integer in decimal, two digits at a time.
  /// - Parameter pointer: has room for its digits.
  /// - Returns: the number of bytes written.
  @inline(__always)
  static func write(_ value: UInt64, to pointer: UnsafeMutableRawPointer) -> Int {
    let count = digitCount(value)
    var value = value
    var end = count
    let table = UnsafeRawPointer(pairs.utf8Start)
    while value >= 100 {
      let (quotient, pair) = value.quotientAndRemainder(dividingBy: 100)
      value = quotient
      end &-= 2
      (pointer + end).storeBytes(
        of: table.loadUnaligned(fromByteOffset: Int(pair) * 2, as: UInt16.self), as: UInt16.self)
    }
    if value >= 10 {
      pointer.storeBytes(
        of: table.loadUnaligned(fromByteOffset: Int(value) * 2, as: UInt16.self), as: UInt16.self)
    } else {
      pointer.storeBytes(of: UInt8(ascii: "0") + UInt8(value), as: UInt8.self)
    }
    return count
  }

  /// The hexadecimal digit for `value`, which is below 16.
  static func hexadecimal(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  @inline(__always)
  public static func digitCount(_ value: UInt64) -> Int {
    var count = 1
    var rest = value
    while rest >= 10_000 {
      rest /= 10_000
      count &+= 4
    }
    return count &+ (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
  }
}
