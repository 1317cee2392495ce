// Members are read from bytes, and written as such.
@_exported public import CreditBytes
internal import CreditModel

/// Writes, reads or describes the members of objects.
///
/// A noun lists its members once, in their order, in a function over any visitor. The function
/// passes each known member of the noun to the visitor, and makes the noun from the returned
/// values. A writer and a shape recorder return no values: a function returns nil for them.
///
/// ```
/// mutating func dispute(_ known: PaymentDispute?) -> PaymentDispute? {
///   let id = member("id", known?.id, ID.self)
///   let isTaken = flag("taken", known?.isTaken)
///   let at = member("at", known?.at, Time.self)
///   guard let id, let at else { return nil }
///   return PaymentDispute(id: id, isTaken: isTaken, at: at)
/// }
/// ```
public protocol MemberVisitor: ~Copyable {
  /// Whether the visitor returns values.
  static var reads: Bool { get }

  /// Visits a member.
  /// - Parameter isRequired: whether every object of the kind has it.
  /// - Returns: nil unless the visitor reads.
  @discardableResult
  mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, isRequired: Bool
  ) -> Form.Value?

  /// Visits a member whose value is an object.
  /// - Parameter shape: the name under which a schema has the object's shape.
  @discardableResult
  mutating func object<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?, isRequired: Bool,
    _ members: (inout Self, Noun?) -> Noun?
  ) -> Noun?

  /// Visits a list of objects.
  /// - Returns: an empty list unless the visitor reads.
  mutating func list<Nouns: RandomAccessCollection>(
    _ name: StaticString, _ known: Nouns?, isRequired: Bool,
    _ members: (inout Self, Nouns.Element?) -> Nouns.Element?
  ) -> [Nouns.Element]

  /// Visits members that few objects have.
  /// - Parameters:
  ///   - condition: for a writer: whether the object has any of them.
  ///   - next: the member behind them; nil if the object ends there.
  @discardableResult
  mutating func rare<Noun>(
    if condition: Bool, before next: StaticString?, _ members: (inout Self) -> Noun?
  ) -> Noun?

  /// Rejects the object being read unless a condition holds.
  mutating func require(_ condition: Bool)
}

/// The form of a value in JSON: its one text, and its shape in a schema.
public protocol MemberForm {
  associatedtype Value

  static func write(_ value: borrowing Value, to writer: inout JSONWriter)
  /// - Returns: nil if the text is not of this form.
  static func read(_ reader: inout RecordReader) -> Value?
  static var shape: JSONShape { get }
}

extension MemberVisitor where Self: ~Copyable {
  /// Visits a member that every object of the kind has.
  @discardableResult
  @inline(__always)
  public mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type
  ) -> Form.Value? {
    member(name, known, form, isRequired: true)
  }

  /// Visits a member that an object may lack.
  @discardableResult
  @inline(__always)
  public mutating func optional<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type
  ) -> Form.Value? {
    member(name, known, form, isRequired: false)
  }

  /// Visits a member that requires another one.
  /// - Parameter condition: for a reader: true if the object has the other one. A writer uses the
  ///   known value.
  @discardableResult
  @inline(__always)
  mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, if condition: Bool
  ) -> Form.Value? {
    if Self.reads, !condition { return nil }
    return member(name, known, form, isRequired: Self.reads)
  }

  /// Visits a member that an object lacks if it has the usual value.
  @discardableResult
  @inline(__always)
  mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, unless usual: Form.Value
  ) -> Form.Value where Form.Value: Equatable {
    let said = optional(name, known == usual ? nil : known, form)
    require(said != usual)
    return said ?? usual
  }

  @discardableResult
  @inline(__always)
  mutating func flag(_ name: StaticString, _ known: Bool?) -> Bool {
    optional(name, known == true ? () : nil, Yes.self) != nil
  }

  /// Visits which buckets had some credits. An object without any lacks the member.
  @discardableResult
  @inline(__always)
  mutating func shares(_ name: StaticString, _ known: BucketShares?) -> BucketShares {
    let said = optional(name, known.flatMap { $0.isEmpty ? nil : $0 }, Shares.self)
    if Self.reads { require(said.map { !$0.isEmpty } ?? true) }
    return said ?? BucketShares()
  }

  @discardableResult
  @inline(__always)
  mutating func object<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String? = nil, isOptional: Bool = false,
    _ members: (inout Self, Noun?) -> Noun?
  ) -> Noun? {
    object(name, known, shape: shape, isRequired: !isOptional, members)
  }

  /// Visits a list of objects. An object lacks the member if the list is empty.
  @discardableResult
  @inline(__always)
  mutating func list<Noun>(
    _ name: StaticString, _ known: [Noun]?, _ members: (inout Self, Noun?) -> Noun?
  ) -> [Noun] {
    list(name, known?.nonEmpty, isRequired: false, members)
  }
}
