extension String {
  /// Makes a text of ASCII: one of at most 15 bytes needs no memory of its own.
  /// - Parameter fill: writes all `count` bytes.
  @inlinable @inline(__always)
  public init(count: Int, _ fill: (MutableBytes) -> Void) {
    self = withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { memory in
      fill(MutableBytes(memory))
      return String(printable: Bytes(MutableBytes(memory)))
    }
  }

  /// Takes bytes that are known to be ASCII.
  @inlinable @inline(__always)
  init(printable bytes: Bytes) {
    let bytes = UnsafeBufferPointer<UInt8>(
      start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    self.init(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: true))
  }

  /// Calls `body` with the text's UTF-8; a native string is not copied.
  @inlinable @inline(__always)
  public func withUTF8Bytes<Result>(_ body: (Bytes) -> Result) -> Result {
    let result = utf8.withContiguousStorageIfAvailable { body(Bytes($0)) }
    if let result { return result }
    var copy = self
    return copy.withUTF8 { body(Bytes($0)) }
  }

  /// Whether two texts have the same bytes. By `==` texts with differently composed accents are
  /// equal, too.
  @inlinable @inline(__always)
  public func hasSameBytes(as other: String) -> Bool {
    isSameValue(as: other) || utf8.count == other.utf8.count && hasSameUTF8(as: other)
  }

  @inlinable @inline(__always)
  public func hasSameBytes(as bytes: Bytes) -> Bool { withUTF8Bytes { $0.hasSameBytes(as: bytes) } }

  public func hasSameBytes(as text: StaticString) -> Bool { hasSameBytes(as: Bytes(text)) }

  /// Returns true if two strings are one value, bit by bit: they share a short text or the storage.
  /// Other strings may still have the same text.
  @inlinable @inline(__always)
  func isSameValue(as other: String) -> Bool {
    withUnsafeBytes(of: self) { bytes in
      withUnsafeBytes(of: other) { Bytes(bytes).hasSameBytes(as: Bytes($0)) }
    }
  }

  @usableFromInline func hasSameUTF8(as other: String) -> Bool {
    withUTF8Bytes { bytes in other.withUTF8Bytes { bytes.hasSameBytes(as: $0) } }
  }
}

extension Bytes {
  /// Whether it begins as images and sounds do; a text does not.
  public var isMedia: Bool {
    let marks: [[UInt8]] = [[0x1F, 0x8B], [0x50, 0x4B], [0xFF, 0xFE], [0xFE, 0xFF]]
    let isUTF16 = count > 1 && (self[0] == 0) != (self[1] == 0)
    if isUTF16 || marks.contains(where: { starts(with: $0) }) { return false }
    return prefix(16).contains { $0 < 0x09 || (0x0E...0x1A).contains($0) || $0 >= 0xF8 }
  }

  @inlinable @inline(__always)
  public func hasSameBytes(as other: Bytes) -> Bool {
    guard count == other.count else { return false }
    guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
    return bytesAreEqual(base, otherBase, count: count)
  }

  public func lastIndex(of value: UInt8, before end: Int) -> Int? {
    precondition(end <= count)
    var index = end
    // Eight at once until the value is among them: saves 3 ms for a large batch.
    let ones: UInt64 = 0x0101_0101_0101_0101
    while index >= 8 {
      let word = memory.loadUnaligned(fromByteOffset: index - 8, as: UInt64.self)
      let others = word ^ ones &* UInt64(value)
      if (others &- ones) & ~others & ones << 7 != 0 { break }
      index -= 8
    }
    while index > 0 {
      index -= 1
      if memory[index] == value { return index }
    }
    return nil
  }
}

/// Whether `count` bytes at two places are the same. Names are short: a word at a time.
@inlinable @inline(__always)
public func bytesAreEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
  if count >= 8 { return unitsAreEqual(left, right, count: count, as: UInt64.self) }
  if count >= 4 { return unitsAreEqual(left, right, count: count, as: UInt32.self) }
  for index in 0..<count {
    let byte = left.load(fromByteOffset: index, as: UInt8.self)
    if byte != right.load(fromByteOffset: index, as: UInt8.self) { return false }
  }
  return true
}

/// Compares at least one unit's bytes, a unit at a time.
@inlinable @inline(__always)
public func unitsAreEqual<Unit: FixedWidthInteger & BitwiseCopyable>(
  _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int, as unit: Unit.Type
) -> Bool {
  // The last unit may overlap the one before it.
  let last = count &- MemoryLayout<Unit>.size
  var index = 0
  while index < last {
    if left.loadUnaligned(fromByteOffset: index, as: unit)
      != right.loadUnaligned(fromByteOffset: index, as: unit)
    {
      return false
    }
    index &+= MemoryLayout<Unit>.size
  }
  return left.loadUnaligned(fromByteOffset: last, as: unit)
    == right.loadUnaligned(fromByteOffset: last, as: unit)
}

public enum Hexadecimal {
  /// Returns the value of a digit of either case; nil otherwise.
  public static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Returns the bytes that pairs of digits state; nil if the text has anything else.
  public static func bytes(_ digits: Bytes) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(of: digits[start]), let low = value(of: digits[start + 1])
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Returns the eight lowercase digits of 32 bits at once, the first one in the highest byte.
  public static func digits(_ bits: UInt32) -> UInt64 {
    // Each half byte moves into a byte of its own.
    var digits = UInt64(bits)
    digits = (digits << 16 | digits) & 0x0000_ffff_0000_ffff
    digits = (digits << 8 | digits) & 0x00ff_00ff_00ff_00ff
    digits = (digits << 4 | digits) & 0x0f0f_0f0f_0f0f_0f0f
    // The letters are 39 places further than digits would be.
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ 0x3030_3030_3030_3030 &+ letters &* 39
  }
}
