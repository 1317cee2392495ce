internal import CreditModel

/// Writes or describes the members of results, which are never read back.
protocol ResultVisitor: MemberVisitor, ~Copyable {
  /// True if the visitor makes a schema. Then each member counts with any value.
  static var describes: Bool { get }

  /// Visits a member whose value is an object.
  /// - Parameter isRequired: true if every object has the member. A writer uses the known value.
  mutating func part<Noun>(
    _ name: StaticString, _ known: Noun?, isRequired: Bool,
    _ members: (inout Self, Noun?) -> Void)

  /// Visits a list whose objects the closure visits one by one.
  /// - Parameter condition: for a writer: whether the list is there.
  mutating func array(
    _ name: StaticString, if condition: Bool, _ elements: (inout Self) -> Void)

  /// Visits an object of a list.
  mutating func element(_ members: (inout Self) -> Void)

  /// Visits a list of objects.
  mutating func parts<Noun>(
    _ name: StaticString, _ known: [Noun]?, isRequired: Bool,
    _ members: (inout Self, Noun?) -> Void)
}

extension ResultVisitor where Self: ~Copyable {
  @inline(__always)
  mutating func part<Noun>(
    _ name: StaticString, _ known: Noun?, _ members: (inout Self, Noun?) -> Void
  ) {
    part(name, known, isRequired: true, members)
  }

  @inline(__always)
  mutating func optionalPart<Noun>(
    _ name: StaticString, _ known: Noun?, _ members: (inout Self, Noun?) -> Void
  ) {
    part(name, known, isRequired: false, members)
  }

  /// Visits members that few objects have.
  /// - Parameter condition: for a writer: whether the object has any of them.
  @inline(__always)
  mutating func members(if condition: Bool, _ visit: (inout Self) -> Void) {
    rare(if: condition, before: nil) { visitor -> Void? in
      visit(&visitor)
      return nil
    }
  }

  /// Visits a truth value that only some objects have, and then as true.
  @inline(__always)
  mutating func mark(_ name: StaticString, _ known: Bool?) {
    optional(name, known == true ? true : nil, Truth.self)
  }
}

extension JSONWriter: ResultVisitor {
  static var describes: Bool { false }

  @inline(__always)
  mutating func array(
    _ name: StaticString, if condition: Bool, _ elements: (inout JSONWriter) -> Void
  ) {
    guard condition else { return }
    key(name)
    beginArray()
    elements(&self)
    endArray()
  }

  @inline(__always)
  mutating func element(_ members: (inout JSONWriter) -> Void) {
    beginObject()
    members(&self)
    endObject()
  }

  @inline(__always)
  mutating func part<Noun>(
    _ name: StaticString, _ known: Noun?, isRequired: Bool,
    _ members: (inout JSONWriter, Noun?) -> Void
  ) {
    guard let known else { return }
    key(name)
    beginObject()
    members(&self, known)
    endObject()
  }

  @inline(__always)
  mutating func parts<Noun>(
    _ name: StaticString, _ known: [Noun]?, isRequired: Bool,
    _ members: (inout JSONWriter, Noun?) -> Void
  ) {
    guard let known else { return }
    key(name)
    beginArray()
    for noun in known {
      beginObject()
      members(&self, noun)
      endObject()
    }
    endArray()
  }
}

extension ShapeRecorder: ResultVisitor {
  static var describes: Bool { true }

  mutating func array(
    _ name: StaticString, if condition: Bool, _ elements: (inout ShapeRecorder) -> Void
  ) {
    let shape = Self.shape(elements)
    add(JSONMember("\(name)", .list(shape), isRequired: false))
  }

  mutating func element(_ members: (inout ShapeRecorder) -> Void) { members(&self) }

  mutating func part<Noun>(
    _ name: StaticString, _ known: Noun?, isRequired: Bool,
    _ members: (inout ShapeRecorder, Noun?) -> Void
  ) {
    let shape = Self.shape { members(&$0, nil) }
    add(JSONMember("\(name)", shape, isRequired: isRequired))
  }

  mutating func parts<Noun>(
    _ name: StaticString, _ known: [Noun]?, isRequired: Bool,
    _ members: (inout ShapeRecorder, Noun?) -> Void
  ) {
    let shape = Self.shape { members(&$0, nil) }
    add(JSONMember("\(name)", .list(shape), isRequired: isRequired))
  }
}
