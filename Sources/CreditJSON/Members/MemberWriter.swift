public import CreditModel

/// Writes the members of the nouns that are known.
extension JSONWriter: ResultVisitor {
  public static var reads: Bool { false }
  public static var describes: Bool { false }

  @discardableResult
  @inline(__always)
  public mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, isRequired: Bool
  ) -> Form.Value? {
    guard let known else {
      assert(!isRequired, "a member that every object has is missing: \(name)")
      return nil
    }
    key(name)
    Form.write(known, to: &self)
    return nil
  }

  @discardableResult
  @inline(__always)
  public mutating func object<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?, isRequired: Bool,
    _ members: (inout JSONWriter, Noun?) -> Noun?
  ) -> Noun? {
    if known == nil, !isRequired { return nil }
    key(name)
    element { _ = members(&$0, known) }
    return nil
  }

  @inline(__always)
  public mutating func list<Nouns: RandomAccessCollection>(
    _ name: StaticString, _ known: Nouns?, isRequired: Bool,
    _ members: (inout JSONWriter, Nouns.Element?) -> Nouns.Element?
  ) -> [Nouns.Element] {
    guard let known else { return [] }
    array(name, if: true) { writer in
      for place in known.indices { writer.element { _ = members(&$0, known[place]) } }
    }
    return []
  }

  @discardableResult
  @inline(__always)
  public mutating func rare<Noun>(
    if condition: Bool, before next: StaticString?, _ members: (inout JSONWriter) -> Noun?
  ) -> Noun? {
    if condition { _ = members(&self) }
    return nil
  }

  @inline(__always)
  public mutating func require(_ condition: Bool) {}

  @inline(__always)
  public mutating func array(
    _ name: StaticString, if condition: Bool, _ elements: (inout JSONWriter) -> Void
  ) {
    guard condition else { return }
    key(name)
    beginArray()
    elements(&self)
    endArray()
  }

  @inline(__always)
  public mutating func element(_ members: (inout JSONWriter) -> Void) {
    beginObject()
    members(&self)
    endObject()
  }
}

extension JSONWriter {
  /// Writes a member whose value is text.
  @inline(__always)
  public mutating func member(_ key: StaticString, _ value: String) {
    self.key(key)
    string(value)
  }
}
