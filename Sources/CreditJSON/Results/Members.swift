package import CreditModel

/// Members of the kinds that results and records are made of.
extension JSONWriter {
  package mutating func member(_ key: StaticString, _ value: Int64) {
    self.key(key)
    integer(value)
  }

  package mutating func member(_ key: StaticString, _ value: Bool) {
    self.key(key)
    bool(value)
  }

  package mutating func member(_ key: StaticString, _ value: String) {
    self.key(key)
    string(value)
  }

  package mutating func member(_ key: StaticString, _ value: Name) {
    self.key(key)
    string(value.text)
  }

  package mutating func member(_ key: StaticString, _ value: Timestamp) {
    self.key(key)
    timestamp(value)
  }

  /// A time, as text.
  package mutating func timestamp(_ value: Timestamp) {
    withUnsafeTemporaryAllocation(byteCount: Timestamp.textLength + 2, alignment: 1) { buffer in
      buffer[0] = UInt8(ascii: "\"")
      value.encode(into: UnsafeMutableRawBufferPointer(rebasing: buffer[1...]))
      buffer[Timestamp.textLength + 1] = UInt8(ascii: "\"")
      raw(UnsafeRawBufferPointer(buffer))
    }
  }
}
