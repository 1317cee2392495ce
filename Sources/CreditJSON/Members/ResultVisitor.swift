/// Writes or describes the members of results, which are never read back.
public protocol ResultVisitor: MemberVisitor, ~Copyable {
  /// True if the visitor makes a schema. Then each member counts with any value.
  static var describes: Bool { get }

  /// Visits a list whose objects the closure visits one by one.
  /// - Parameter condition: for a writer: whether the list is there.
  mutating func array(
    _ name: StaticString, if condition: Bool, _ elements: (inout Self) -> Void)

  /// Visits an object that has no name: a result, or an element of a list.
  mutating func element(_ members: (inout Self) -> Void)
}

extension ResultVisitor where Self: ~Copyable {
  /// Visits a member whose value is an object.
  /// - Parameter isRequired: true if every object has the member. A writer uses the known value.
  @inline(__always)
  public mutating func part<Noun>(
    _ name: StaticString, _ known: Noun?, isRequired: Bool = true,
    _ members: (inout Self, Noun?) -> Void
  ) {
    object(name, known, shape: nil, isRequired: isRequired) { visitor, known -> Noun? in
      members(&visitor, known)
      return nil
    }
  }

  /// Visits a member whose value is an object that is known.
  @inline(__always)
  mutating func part(
    _ name: StaticString, isRequired: Bool = true, _ members: (inout Self) -> Void
  ) {
    part(name, (), isRequired: isRequired) { visitor, _ in members(&visitor) }
  }

  /// Visits a list of objects. An object lacks the member if there is no list.
  @inline(__always)
  public mutating func parts<Nouns: RandomAccessCollection>(
    _ name: StaticString, _ known: Nouns?, isRequired: Bool = false,
    _ members: (inout Self, Nouns.Element?) -> Void
  ) {
    _ = list(name, known, isRequired: isRequired) { visitor, known -> Nouns.Element? in
      members(&visitor, known)
      return nil
    }
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
  public mutating func mark(_ name: StaticString, _ known: Bool?) {
    optional(name, known == true ? true : nil, Truth.self)
  }
}

/// Collects which members objects have, for a schema.
public struct ShapeRecorder: ~Copyable, ResultVisitor {
  private(set) var members: [JSONMember] = []

  public static var reads: Bool { false }
  public static var describes: Bool { true }

  /// The shape of an object whose members a function visits.
  public static func shape(_ visit: (inout ShapeRecorder) -> Void) -> JSONShape {
    var recorder = ShapeRecorder()
    visit(&recorder)
    return .object(recorder.members)
  }

  mutating func add(_ member: JSONMember) {
    guard let place = members.firstIndex(where: { $0.name == member.name }) else {
      return members.append(member)
    }
    let (first, second) = (members[place].shape, member.shape)
    members[place] = JSONMember(
      member.name, .anyOf([first, second]), isRequired: member.isRequired)
  }

  @discardableResult
  public mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, isRequired: Bool
  ) -> Form.Value? {
    let shape = Form.shape
    add(JSONMember("\(name)", shape, isRequired: isRequired))
    return nil
  }

  @discardableResult
  public mutating func object<Noun>(
    _ name: StaticString, _ known: Noun?, shape shapeName: String?, isRequired: Bool,
    _ members: (inout ShapeRecorder, Noun?) -> Noun?
  ) -> Noun? {
    let shape = Self.shape { _ = members(&$0, nil) }
    let named = shapeName.map { JSONShape.named($0, shape) } ?? shape
    add(JSONMember("\(name)", named, isRequired: isRequired))
    return nil
  }

  public mutating func list<Nouns: RandomAccessCollection>(
    _ name: StaticString, _ known: Nouns?, isRequired: Bool,
    _ members: (inout ShapeRecorder, Nouns.Element?) -> Nouns.Element?
  ) -> [Nouns.Element] {
    let shape = Self.shape { _ = members(&$0, nil) }
    add(JSONMember("\(name)", .list(shape), isRequired: isRequired))
    return []
  }

  @discardableResult
  public mutating func rare<Noun>(
    if condition: Bool, before next: StaticString?, _ members: (inout ShapeRecorder) -> Noun?
  ) -> Noun? {
    members(&self)
  }

  public mutating func require(_ condition: Bool) {}

  public mutating func array(
    _ name: StaticString, if condition: Bool, _ elements: (inout ShapeRecorder) -> Void
  ) {
    let shape = Self.shape(elements)
    add(JSONMember("\(name)", .list(shape), isRequired: false))
  }

  public mutating func element(_ members: (inout ShapeRecorder) -> Void) { members(&self) }
}
