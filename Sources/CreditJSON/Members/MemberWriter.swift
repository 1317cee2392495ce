internal import CreditModel

/// Writes the members of the nouns that are known.
extension JSONWriter: MemberVisitor {
  static var reads: Bool { false }

  @discardableResult
  @inline(__always)
  mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type
  ) -> Form.Value? {
    guard let known else {
      assertionFailure("a member that every object has is missing: \(name)")
      return nil
    }
    key(name)
    Form.write(known, to: &self)
    return nil
  }

  @discardableResult
  @inline(__always)
  mutating func optional<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type
  ) -> Form.Value? {
    if let known {
      key(name)
      Form.write(known, to: &self)
    }
    return nil
  }

  @discardableResult
  @inline(__always)
  mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, if condition: Bool
  ) -> Form.Value? {
    optional(name, known, form)
  }

  @discardableResult
  @inline(__always)
  mutating func object<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?,
    _ members: (inout JSONWriter, Noun?) -> Noun?
  ) -> Noun? {
    key(name)
    beginObject()
    _ = members(&self, known)
    endObject()
    return nil
  }

  @discardableResult
  @inline(__always)
  mutating func optionalObject<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?,
    _ members: (inout JSONWriter, Noun?) -> Noun?
  ) -> Noun? {
    if known != nil { _ = object(name, known, shape: shape, members) }
    return nil
  }

  @discardableResult
  @inline(__always)
  mutating func list<Noun>(
    _ name: StaticString, _ known: [Noun]?, _ members: (inout JSONWriter, Noun?) -> Noun?
  ) -> [Noun] {
    guard let known, !known.isEmpty else { return [] }
    key(name)
    beginArray()
    for place in known.indices {
      beginObject()
      _ = members(&self, known[place])
      endObject()
    }
    endArray()
    return []
  }

  @discardableResult
  @inline(__always)
  mutating func rare<Noun>(
    if condition: Bool, before next: StaticString?, _ members: (inout JSONWriter) -> Noun?
  ) -> Noun? {
    if condition { _ = members(&self) }
    return nil
  }

  @inline(__always)
  mutating func require(_ condition: Bool) {}
}
