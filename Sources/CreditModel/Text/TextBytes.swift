extension String {
  /// Calls `body` with the text's UTF-8, without copying the text where it is a native string.
  @inlinable @inline(__always)
  package func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let result = utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
    if let result { return result }
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }

  /// Whether two strings are one value, bit by bit: the same short text, or the same storage.
  /// Strings that are not may still say the same.
  @inline(__always)
  func isSameValue(as other: String) -> Bool {
    withUnsafeBytes(of: self) { bytes in
      withUnsafeBytes(of: other) { otherBytes in bytes.isSameText(as: otherBytes) }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether two texts have the same bytes. Names are short: a word at a time, of which the last
  /// one may overlap the one before it.
  @inline(__always)
  func isSameText(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    if count >= 8 { return hasSameUnits(as: other, UInt64.self) }
    if count >= 4 { return hasSameUnits(as: other, UInt32.self) }
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  /// Compares at least one unit's bytes.
  @inline(__always)
  private func hasSameUnits<Unit: FixedWidthInteger & BitwiseCopyable>(
    as other: UnsafeRawBufferPointer, _ unit: Unit.Type
  ) -> Bool {
    let last = count &- MemoryLayout<Unit>.size
    var index = 0
    while index < last {
      if loadUnaligned(fromByteOffset: index, as: unit)
        != other.loadUnaligned(fromByteOffset: index, as: unit)
      {
        return false
      }
      index &+= MemoryLayout<Unit>.size
    }
    return loadUnaligned(fromByteOffset: last, as: unit)
      == other.loadUnaligned(fromByteOffset: last, as: unit)
  }
}
