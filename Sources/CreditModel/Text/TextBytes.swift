extension String {
  /// Calls `body` with the text's UTF-8; a native string is not copied.
  @inlinable @inline(__always)
  package func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let result = utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
    if let result { return result }
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }

  /// Whether two texts have the same bytes. By `==` texts with differently composed accents are
  /// equal, too.
  @inline(__always)
  package func hasSameBytes(as other: String) -> Bool {
    isSameValue(as: other) || utf8.count == other.utf8.count && hasSameUTF8(as: other)
  }

  /// Whether the text has these bytes.
  @inline(__always)
  package func hasSameBytes(as bytes: UnsafeRawBufferPointer) -> Bool {
    withUTF8Bytes { $0.hasSameBytes(as: bytes) }
  }

  package func hasSameBytes(as text: StaticString) -> Bool {
    hasSameBytes(
      as: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Returns true if two strings are one value, bit by bit: they share a short text or the storage.
  /// Other strings may still have the same text.
  @inline(__always)
  private func isSameValue(as other: String) -> Bool {
    withUnsafeBytes(of: self) { bytes in
      withUnsafeBytes(of: other) { otherBytes in bytes.hasSameBytes(as: otherBytes) }
    }
  }

  private func hasSameUTF8(as other: String) -> Bool {
    withUTF8Bytes { bytes in other.withUTF8Bytes { bytes.hasSameBytes(as: $0) } }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether two texts have the same bytes.
  @inlinable @inline(__always)
  package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
    return bytesAreEqual(base, otherBase, count: count)
  }
}

/// Whether `count` bytes at two places are the same. Names are short: a word at a time.
@inlinable @inline(__always)
package func bytesAreEqual(
  _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int
) -> Bool {
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
package func unitsAreEqual<Unit: FixedWidthInteger & BitwiseCopyable>(
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
