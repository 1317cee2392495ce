internal import CreditModel

/// The JSON values that are allowed: an object's possible members, and their kinds.
///
/// The shapes of results (``ResultShapes``), requests, policies and records are tables of members.
/// `--get`, the policy's decoder, debug builds (which stop at a result that its table does not
/// allow) and `credit schema` all read them.
package indirect enum JSONShape: Sendable {
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
  package enum Kind: Sendable {
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
    /// A span of time: `15m`.
    case span
    case wholeOrDecimal
    /// Any number that is not negative, or decimal text; its digits are kept.
    case numberOrDecimal
    case null
  }
}

/// A member that an object may have. It is a class, as arrays of classes share one type: the
/// runtime need not make one for each table.
package final class JSONMember: Sendable {
  package let name: String
  /// Whether every object of the kind has it.
  package let isRequired: Bool
  /// The member's meaning, in a line without a full stop; may be empty.
  package let summary: String
  private let makeShape: @Sendable () -> JSONShape

  /// - Parameter shape: made when it is first used, as most runs use few members.
  package init(
    _ name: String, _ shape: @autoclosure @escaping @Sendable () -> JSONShape,
    isRequired: Bool = true, summary: String = ""
  ) {
    self.name = name
    self.isRequired = isRequired
    self.summary = summary
    makeShape = shape
  }

  package var shape: JSONShape { makeShape() }

  /// The same member, which an object may lack.
  package var optional: JSONMember {
    JSONMember(name, self.shape, isRequired: false, summary: summary)
  }

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

extension JSONShape {
  /// The members that an object of this shape may have by name. Nil if they are not known, or if
  /// this is not an object.
  package var members: [JSONMember]? {
    switch self {
    case .object(let members), .open(let members): members
    case .choice(let members, let others): members + others
    case .named(_, let shape): shape.members
    case .value, .list, .map, .anyOf, .any: nil
    }
  }

  /// Whether a value of this shape may have something at a path: names and indexes with periods
  /// between, as `--get` takes them.
  package func allows(_ path: String) -> Bool {
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
  package var paths: [String] {
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

extension JSONShape {
  /// Returns the first path of a value that this shape does not allow. Its member is not declared,
  /// is missing, or is of another kind; the path is empty for the value itself. Nil if all is
  /// allowed.
  package func firstMismatch(in value: JSONValue) -> String? {
    switch self {
    case .any: nil
    case .named(_, let shape): shape.firstMismatch(in: value)
    case .value(let kind): kind.allows(value) ? nil : ""
    case .anyOf(let shapes): Self.firstMismatch(of: shapes, in: value)
    case .list(let shape): value.kind == .array ? shape.firstMismatch(inElementsOf: value) : ""
    case .map(let shape):
      value.isObject
        ? Self.firstMismatch(inMembersOf: value) { name, member in
          shape.firstMismatch(in: member).map { Self.path(name, $0) }
        } : ""
    case .object(let members):
      Self.firstMismatch(of: members, isOpen: false, in: value)
    case .open(let members):
      Self.firstMismatch(of: members, isOpen: true, in: value)
    case .choice(let members, let others):
      others.count(where: { Self.has($0, value) }) == 1
        ? Self.firstMismatch(of: members, besides: others, isOpen: false, in: value) : ""
    }
  }

  /// - Returns: nil if one of the shapes allows the value, else the mismatch of the shape that
  ///   allows most of it.
  private static func firstMismatch(of shapes: [JSONShape], in value: JSONValue) -> String? {
    var longest = ""
    for shape in shapes {
      guard let path = shape.firstMismatch(in: value) else { return nil }
      if path.utf8.count > longest.utf8.count { longest = path }
    }
    return longest
  }

  private func firstMismatch(inElementsOf list: JSONValue) -> String? {
    for (place, element) in list.elements.enumerated() {
      if let path = firstMismatch(in: element) { return Self.path("\(place)", path) }
    }
    return nil
  }

  private static func firstMismatch(
    of members: [JSONMember], besides others: [JSONMember] = [], isOpen: Bool, in value: JSONValue
  ) -> String? {
    guard value.isObject else { return "" }
    if let missing = members.first(where: { $0.isRequired && !has($0, value) }) {
      return missing.name
    }
    return firstMismatch(inMembersOf: value) { name, member in
      let isNamed = { (member: JSONMember) in member.name == name }
      guard let declared = members.first(where: isNamed) ?? others.first(where: isNamed) else {
        return isOpen ? nil : name
      }
      return declared.shape.firstMismatch(in: member).map { path(name, $0) }
    }
  }

  private static func firstMismatch(
    inMembersOf object: JSONValue, _ find: (String, JSONValue) -> String?
  ) -> String? {
    for (name, member) in object.members {
      if let path = find(name.string ?? "", member) { return path }
    }
    return nil
  }

  private static func has(_ member: JSONMember, _ object: JSONValue) -> Bool {
    member.name.withUTF8Bytes { object.member(utf8: $0) != nil }
  }

  private static func path(_ name: String, _ rest: String) -> String {
    rest.isEmpty ? name : "\(name).\(rest)"
  }
}

extension JSONShape.Kind {
  fileprivate func allows(_ value: JSONValue) -> Bool {
    switch self {
    case .text: value.kind == .string
    case .integer: value.int64 != nil
    case .range(let range): value.int64.map(range.contains) ?? false
    case .truth: value.bool != nil
    case .yes: value.bool == true
    case .time, .timeOrDay: value.timestamp() != nil
    case .decimal: value.withUTF8(Self.isDecimal) ?? false
    case .amount: value.kind == .string && value.exactDecimal != nil
    case .words(let words): value.string.map(words.contains) ?? false
    case .span: value.string.flatMap(TimeSpan.init(text:)) != nil
    case .wholeOrDecimal:
      value.int64.map { $0 >= 0 } ?? (value.kind == .string && value.exactDecimal != nil)
    case .numberOrDecimal: value.exactDecimal != nil
    case .null: value.isNull
    }
  }
  /// Perhaps a minus, digits, and perhaps a point and more of them: as many as there are.
  private static func isDecimal(_ text: UnsafeRawBufferPointer) -> Bool {
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
    let fields = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return fields.count <= 2
      && fields.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
  }
}

/// The answers of the tools for stores.
extension JSONShape {
  package static var created: JSONShape { .object([.text("store"), .truth("created")]) }

  package static var storeInfo: JSONShape {
    .object([
      .text("store"), .integer("version"), .integer("records"), .integer("accounts"),
      .integer("bytes"), .time("lastTime").optional, .integer("lost").optional, torn,
    ])
  }

  package static var verified: JSONShape {
    .object([
      .truth("ok"), .integer("records"), .integer("accounts"), .integer("credits"),
      .integer("bytes"), .text("index").optional, torn,
    ])
  }

  /// Appends that did not finish: without a file if still in the journal.
  private static var torn: JSONMember {
    .list("torn", of: .object([.text("file").optional, .integer("records"), .integer("bytes")]))
      .optional
  }

  /// An answer of `credit-doctor` about one check.
  package static var examined: JSONShape {
    .object([
      .text("check"), .text("state"), .text("message"), .text("code").optional,
      JSONMember(
        "holder", .object([.integer("process"), .text("command"), .time("since")])
      ).optional,
      .text("store").optional, .integer("version").optional, .integer("records").optional,
      .integer("accounts").optional, .integer("bytes").optional, .time("lastTime").optional, torn,
      .list("exposed", of: .value(.text)).optional,
      .integer("freeBytes").optional, .integer("totalBytes").optional,
      .integer("behindSeconds").optional, .list("warnings", of: .value(.text)).optional,
      .integer("below").optional,
      .list("lowest", of: .object([.text("account"), .integer("balance")])).optional,
    ])
  }

  package static var policyChecked: JSONShape { .object([.truth("ok")]) }

  package static var policySet: JSONShape { .object([.truth("set")]) }

  package static var rebuilt: JSONShape {
    .object([.truth("rebuilt"), JSONMember("dropped", dropped).optional])
  }

  /// The dropped records of a damaged store.
  private static var dropped: JSONShape {
    .object([
      .text("file").optional, .integer("bytes"), .integer("places"), .integer("lost"),
      .list("accounts", of: .value(.text)),
    ])
  }

  /// The records that a store received.
  package static var moved: JSONShape {
    .object([.text("store"), .integer("records"), .integer("accounts")])
  }
}
