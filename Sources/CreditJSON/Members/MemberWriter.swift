internal import CreditModel

/// Writes the members of the nouns that are known.
extension JSONWriter: MemberVisitor {
  static var reads: Bool { false }

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

  @inline(__always)
  mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, if condition: Bool
  ) -> Form.Value? {
    optional(name, known, form)
  }

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

  @inline(__always)
  mutating func optionalObject<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?,
    _ members: (inout JSONWriter, Noun?) -> Noun?
  ) -> Noun? {
    if known != nil { _ = object(name, known, shape: shape, members) }
    return nil
  }

  @inline(__always)
  mutating func list<Noun>(
    _ name: StaticString, _ known: [Noun]?, _ members: (inout JSONWriter, Noun?) -> Noun?
  ) -> [Noun] {
    guard let known, !known.isEmpty else { return [] }
    key(name)
    beginArray()
    for noun in known {
      beginObject()
      _ = members(&self, noun)
      endObject()
    }
    endArray()
    return []
  }

  @inline(__always)
  mutating func rare<Noun>(
    _ known: Noun?, before next: StaticString?, _ members: (inout JSONWriter, Noun?) -> Noun?
  ) -> Noun? {
    if known != nil { _ = members(&self, known) }
    return nil
  }

  @inline(__always)
  mutating func require(_ condition: Bool) {}
}
