internal import CLibrary

extension UnsafeRawBufferPointer {
  /// The place of the first byte of a value; nil where there is none. The C library looks at many
  /// bytes at once.
  package func firstPlace(of byte: UInt8) -> Int? {
    guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - start
  }
}
