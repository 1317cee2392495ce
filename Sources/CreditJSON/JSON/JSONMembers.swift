package import CreditModel

/// Members of the kinds that results and records are made of.
extension JSONWriter {
  @inline(__always)
  package mutating func member(_ key: StaticString, _ value: Int64) {
    self.key(key)
    integer(value)
  }

  @inline(__always)
  package mutating func member(_ key: StaticString, _ value: Bool) {
    self.key(key)
    bool(value)
  }

  @inline(__always)
  package mutating func member(_ key: StaticString, _ value: String) {
    self.key(key)
    string(value)
  }

  @inline(__always)
  package mutating func member(_ key: StaticString, _ value: Name) {
    self.key(key)
    string(value.text)
  }

  @inline(__always)
  package mutating func member(_ key: StaticString, _ value: Timestamp) {
    self.key(key)
    timestamp(value)
  }

  package mutating func member(_ key: StaticString, _ tags: Tags) {
    self.key(key)
    beginObject()
    tags.forEachTag { name, value in
      name.withUTF8Bytes { self.key(utf8: $0) }
      string(value)
    }
    endObject()
  }

  package mutating func member(_ key: StaticString, _ numbers: [Int64]) {
    self.key(key)
    beginArray()
    for number in numbers { integer(number) }
    endArray()
  }

  package mutating func member(_ key: StaticString, _ texts: [String]) {
    self.key(key)
    beginArray()
    for text in texts { string(text) }
    endArray()
  }

  /// Writes a sum, of any size.
  package mutating func member(_ key: StaticString, _ sum: Int128) {
    self.key(key)
    Sum.write(sum, to: &self)
  }
}
