/// The JSON values that are allowed: an object's possible members, and their kinds.
///
/// A ``ShapeRecorder`` makes those of results and records; those of policies are tables.
/// `--get`, the policy's decoder and `credit schema` read them.
public indirect enum JSONShape: Sendable {
  case value(Kind)
  case list(JSONShape)
  /// An object with these members alone.
  case object([JSONMember])
  /// An object that may have other members, which are ignored.
  case open([JSONMember])
  /// An object with some members, and exactly one of others.
  case choice([JSONMember], oneOf: [JSONMember])
  /// An object with names of the user's own, such as tags.
  case map(JSONShape)
  case anyOf([JSONShape])
  /// A shape that a schema defines once, under a name.
  case named(String, JSONShape)
  /// Any JSON: a form defined elsewhere, such as a provider's response.
  case any

  /// A value without members.
  public enum Kind: Sendable {
    case text, integer, truth, time
    /// A number with a fraction, as decimal text; in a result it may be negative.
    case decimal
    /// Decimal text that is not negative.
    case amount
    /// A whole number within bounds.
    case range(ClosedRange<Int64>)
    /// Text that is one of a few words.
    case words([String])
    /// A truth value that is true wherever it is given.
    case yes
    /// A point in time, a day or a month.
    case timeOrDay
    /// The same, or a word such as `today`.
    case askedTime
    /// A span of time: `15m`.
    case span
    case wholeOrDecimal
    /// Any number that is not negative, or decimal text; its digits are kept.
    case numberOrDecimal
    case null
  }

  /// The members that an object of this shape may have by name. Nil if they are not known, or if
  /// this is not an object.
  public var members: [JSONMember]? {
    switch self {
    case .object(let members), .open(let members): members
    case .choice(let members, let others): members + others
    case .named(_, let shape): shape.members
    case .value, .list, .map, .anyOf, .any: nil
    }
  }

  /// Whether a value of this shape may have something at a path: names and indexes with periods
  /// between, as `--get` takes them.
  public func allows(_ path: String) -> Bool {
    var shapes = [self]
    for step in path.split(separator: ".", omittingEmptySubsequences: false) {
      shapes = shapes.flatMap { $0.shapes(at: step) }
    }
    return !shapes.isEmpty
  }

  /// Returns the shapes at a name or an index. Empty if it does not exist.
  private func shapes(at step: Substring) -> [JSONShape] {
    switch self {
    case .any: [.any]
    case .value: []
    case .map(let shape): [shape]
    case .named(_, let shape): shape.shapes(at: step)
    case .anyOf(let shapes): shapes.flatMap { $0.shapes(at: step) }
    case .list(let shape): step.utf8.allSatisfy { (0x30...0x39).contains($0) } ? [shape] : []
    case .object, .choice, .open:
      (members ?? []).filter { $0.name == step }.map(\.shape)
    }
  }

  /// Every path in a value of this shape, with lists' elements as the first.
  public var paths: [String] {
    switch self {
    case .any, .value, .map: []
    case .named(_, let shape): shape.paths
    case .anyOf(let shapes): shapes.flatMap(\.paths)
    case .list(let shape): ["0"] + shape.paths.map { "0." + $0 }
    case .object, .choice, .open:
      (members ?? []).flatMap { member in
        [member.name] + member.shape.paths.map { "\(member.name).\($0)" }
      }
    }
  }
}

/// A member that an object may have. It is a class, as arrays of classes share one type: the
/// runtime need not make one for each table.
public final class JSONMember: Sendable {
  public let name: String
  /// Whether every object of the kind has it.
  public let isRequired: Bool
  /// The member's meaning, in a line without a full stop; may be empty.
  public let summary: String
  private let makeShape: @Sendable () -> JSONShape

  /// - Parameter shape: made when it is first used, as most runs use few members.
  public convenience init(
    _ name: String, _ shape: @autoclosure @escaping @Sendable () -> JSONShape,
    isRequired: Bool = true, summary: String = ""
  ) {
    self.init(name, shape, isRequired, summary)
  }

  private init(
    _ name: String, _ makeShape: @escaping @Sendable () -> JSONShape, _ isRequired: Bool,
    _ summary: String
  ) {
    self.name = name
    self.isRequired = isRequired
    self.summary = summary
    self.makeShape = makeShape
  }

  public var shape: JSONShape { makeShape() }

  /// The same member, which an object may lack.
  public var optional: JSONMember { JSONMember(name, makeShape, false, summary) }

  static func text(_ name: String) -> JSONMember { JSONMember(name, .value(.text)) }
  static func integer(_ name: String) -> JSONMember { JSONMember(name, .value(.integer)) }
  static func integer(_ name: String, in range: ClosedRange<Int64>) -> JSONMember {
    JSONMember(name, .value(.range(range)))
  }
  static func truth(_ name: String) -> JSONMember { JSONMember(name, .value(.truth)) }
  static func time(_ name: String) -> JSONMember { JSONMember(name, .value(.time)) }
  static func decimal(_ name: String) -> JSONMember { JSONMember(name, .value(.decimal)) }
  static func amount(_ name: String) -> JSONMember { JSONMember(name, .value(.amount)) }
  static func words(_ name: String, _ words: @autoclosure @escaping @Sendable () -> [String])
    -> JSONMember
  {
    JSONMember(name, .value(.words(words())))
  }
  static func list(_ name: String, of shape: @autoclosure @escaping @Sendable () -> JSONShape)
    -> JSONMember
  {
    JSONMember(name, .list(shape()))
  }
}
