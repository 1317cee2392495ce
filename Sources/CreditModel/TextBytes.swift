extension String {
  /// Calls `body` with the text's UTF-8, without copying the text where it is a native string.
  @inlinable @inline(__always)
  package func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let result = utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
    if let result { return result }
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether two texts have the same bytes.
  func isSameText(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var index = 0
    while index &+ 8 <= count {
      let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word != other.loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
      index &+= 8
    }
    while index < count {
      if self[index] != other[index] { return false }
      index &+= 1
    }
    return true
  }
}
