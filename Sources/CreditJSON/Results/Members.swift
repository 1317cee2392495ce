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
}
