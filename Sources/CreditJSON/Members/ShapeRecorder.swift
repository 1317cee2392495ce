internal import CreditModel

/// Collects which members objects have, for a schema.
struct ShapeRecorder: ~Copyable, MemberVisitor {
  private(set) var members: [JSONMember] = []

  static var reads: Bool { false }

  /// The shape of an object whose members a function visits.
  static func shape(_ visit: (inout ShapeRecorder) -> Void) -> JSONShape {
    var recorder = ShapeRecorder()
    visit(&recorder)
    return .object(recorder.members)
  }

  mutating func add(_ member: JSONMember) { members.append(member) }

  @discardableResult
  mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type
  ) -> Form.Value? {
    let shape = Form.shape
    add(JSONMember("\(name)", shape))
    return nil
  }

  @discardableResult
  mutating func optional<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type
  ) -> Form.Value? {
    let shape = Form.shape
    add(JSONMember("\(name)", shape, isRequired: false))
    return nil
  }

  @discardableResult
  mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, if condition: Bool
  ) -> Form.Value? {
    optional(name, known, form)
  }

  @discardableResult
  mutating func object<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?,
    _ members: (inout ShapeRecorder, Noun?) -> Noun?
  ) -> Noun? {
    add(member(name, shape, members))
    return nil
  }

  @discardableResult
  mutating func optionalObject<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?,
    _ members: (inout ShapeRecorder, Noun?) -> Noun?
  ) -> Noun? {
    add(member(name, shape, members).optional)
    return nil
  }

  @discardableResult
  mutating func list<Noun>(
    _ name: StaticString, _ known: [Noun]?, _ members: (inout ShapeRecorder, Noun?) -> Noun?
  ) -> [Noun] {
    let shape = Self.shape { _ = members(&$0, nil) }
    add(JSONMember("\(name)", .list(shape)).optional)
    return []
  }

  @discardableResult
  mutating func rare<Noun>(
    if condition: Bool, before next: StaticString?, _ members: (inout ShapeRecorder) -> Noun?
  ) -> Noun? {
    members(&self)
  }

  mutating func require(_ condition: Bool) {}

  private func member<Noun>(
    _ name: StaticString, _ shapeName: String?,
    _ members: (inout ShapeRecorder, Noun?) -> Noun?
  ) -> JSONMember {
    let shape = Self.shape { _ = members(&$0, nil) }
    return JSONMember("\(name)", shapeName.map { .named($0, shape) } ?? shape)
  }
}
