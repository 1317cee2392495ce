package import CreditJSON

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
    case .askedTime: value.string.flatMap(AskedTime.init(text:)) != nil
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
  private static func isDecimal(_ text: Bytes) -> Bool {
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
    let fields = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return fields.count <= 2
      && fields.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
  }
}
