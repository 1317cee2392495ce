import CreditModel

/// Reads the numbers of a usage by the meaning of each path in its shape's table.
struct UsageWalk: ~Copyable {
  private let shape: UsageShape
  private var counts = RawCounts()
  /// The path of the current member, without its name if that is in `name`.
  private var path = Rows<UInt8>()
  /// The current member's name, until the path is needed.
  private var name: JSONValue?
  /// The place in the table behind the member found last: members mostly come in its order.
  private var next = 0

  /// Endings of names that may be billed, in any case.
  private static let countingNames: [StaticString] = [
    "tokens", "requests", "queries", "seconds", "calls", "characters", "pixels", "images",
    "pages",
  ]

  /// - Parameter path: the path of the next value, as in the table.
  init(_ shape: UsageShape, at path: StaticString = "") {
    self.shape = shape
    self.path.append(Bytes(path))
  }

  /// Returns the numbers that were read.
  consuming func end() -> RawCounts { counts }

  /// Reads the members of an object, at any depth.
  /// - Throws: if a number known by name is not a count.
  mutating func read(_ object: JSONValue) throws(UsageProblem) {
    let parent = path.count
    for (name, value) in object.members {
      self.name = name
      try readMember(value)
      path.removeAll(from: parent)
    }
  }

  /// Adds the current member's name to the path.
  private mutating func endPath() {
    guard let name else { return }
    self.name = nil
    // Room for most paths, so that none is moved as it grows.
    path.reserve(96)
    _ = name.withUTF8 { path.append($0) }
  }

  private var pathText: String {
    mutating get {
      endPath()
      return path.withBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Reads the value at the path.
  /// - Throws: if a number known by name is not a count.
  mutating func readMember(_ value: JSONValue) throws(UsageProblem) {
    let meaning: UsageField.Meaning?
    if let name, path.isEmpty {
      meaning = shape.meaning(of: name, from: &next)
    } else {
      endPath()
      meaning = path.withBytes { shape.meaning(of: $0, from: &next) }
    }
    if let meaning { try read(value, as: meaning) } else { try readUnknown(value) }
  }

  private mutating func read(_ value: JSONValue, as meaning: UsageField.Meaning)
    throws(UsageProblem)
  {
    switch meaning {
    case .known: break
    case .unread: note(value)
    case .condition(let condition): try read(value, as: condition)
    case .callsInAll:
      if let number = try count(value), number > 0 {
        counts.callsPath = pathText
      }
    default:
      if let number = try count(value) { counts.take(number, as: meaning) }
    }
  }

  private mutating func readUnknown(_ value: JSONValue) throws(UsageProblem) {
    endPath()
    switch value.kind {
    case .object where !shape.isInlined || path.withBytes(shape.hasField(beginning:)):
      path.append(UInt8(ascii: "."))
      try read(value)
      path.removeAll(from: path.count - 1)
    case .array:
      for list in shape.lists where path.withBytes({ $0.equals(list.path) }) {
        for element in value.elements { try read(element, of: list) }
      }
    case .number where shape.isOwnForm:
      if value.hasDigitAboveZero { try refuseMisspelt() }
      note(value)
    case .string where !shape.isInlined: try readUnknown(text: value.string ?? "")
    case .number where !shape.isInlined && nameCounts: note(value)
    default: break
    }
  }

  /// Notes a condition whose name is misspelt, or is of our own form in another one.
  /// - Throws: if it is a misspelt count in quotes.
  private mutating func readUnknown(text: String) throws(UsageProblem) {
    let name = pathText
    if shape.isOwnForm, Int64(text) ?? 0 > 0 { try refuseMisspelt() }
    let names = UsageCondition.allCases.map { "\($0.member)" }
    let isMisspelt =
      shape.isOwnForm && (name == "tier" || NearestNames.misspelt(name, among: names) != nil)
    if isMisspelt || names.contains(name), UsageCondition.kept(text) != nil {
      counts.note(unread: name)
    }
  }

  /// - Throws: if the current member is almost a count.
  private mutating func refuseMisspelt() throws(UsageProblem) {
    let known = UsageCount.allCases.map { $0.row.member.description }
    guard let meant = NearestNames.misspelt(pathText, among: known) else { return }
    throw UsageProblem("\(quoted(pathText)) is not a count; did you mean \(quoted(meant))?")
  }

  private mutating func read(_ element: JSONValue, of list: UsageList) throws(UsageProblem) {
    guard let (name, meaning) = list.meaning(of: element) else { return }
    var number: Int64 = 1
    if let place = list.count {
      guard let value = place.value(in: element), let count = try count(value) else { return }
      number = count
    }
    if case .unread = meaning {
      counts.note(unread: pathText + ".\(name)")
    } else {
      try counts.add(number, as: meaning)
    }
  }

  /// True if the current member's name may be billed: a number of things, not a limit.
  private var nameCounts: Bool {
    path.withBytes { path in
      let name = path.split(separator: UInt8(ascii: ".")).last ?? path[...]
      return !name.starts(with: "max".utf8)
        && Self.countingNames.contains {
          Bytes(rebasing: path.suffix($0.utf8CodeUnitCount)).equalsInAnyCase($0)
        }
    }
  }

  /// Notes a number above 0 as one that is not read.
  private mutating func note(_ value: JSONValue) {
    guard value.hasDigitAboveZero, !value.isBelowZero else { return }
    counts.note(unread: pathText)
  }

  /// Reads a count; nil for a provider's `null`.
  private mutating func count(_ value: JSONValue) throws(UsageProblem) -> Int64? {
    if value.isNull {
      endPath()
      if path.withBytes(shape.allowsNull) { return nil }
    }
    // A provider's unit that has begun is billed.
    if shape.isUnits, !shape.isOwnForm, let whole = value.exactDecimal?.roundedUp { return whole }
    if shape.writesPoints, value.kind == .number, let count = value.exactDecimal?.whole {
      return count
    }
    guard let count = value.int64, count >= 0 else { throw problem(with: value) }
    return count
  }

  private mutating func problem(with value: JSONValue) -> UsageProblem {
    if value.int64 != nil {
      return UsageProblem("\(pathText) must be 0 or more, not \(value.phrase)")
    }
    let isQuoted = value.string.map { Int64($0) != nil } ?? false
    return UsageProblem(
      "\(pathText) must be a whole number from 0 to \(Int64.max), not \(value.phrase)"
        + (isQuoted ? ": without quotes" : ""))
  }

  private mutating func read(_ value: JSONValue, as condition: UsageCondition)
    throws(UsageProblem)
  {
    if value.isNull, !shape.isOwnForm { return }
    let text = value.string ?? (shape.isOwnForm ? nil : value.int64.map { String($0) })
    let name = pathText
    guard let text else { throw UsageProblem("\(name) must be text, not \(value.phrase)") }
    // Snowflake Cortex writes an empty text for an absent tier.
    if text.isEmpty, !shape.isOwnForm { return }
    if let problem = Name.problem(with: text, limit: UsageCondition.valueLimit) {
      throw UsageProblem("\(name) \(problem)")
    }
    counts.others[condition] = UsageShape.plainCondition(
      text, of: condition, isOwnForm: shape.isOwnForm)
  }
}

extension JSONValue {
  /// True for a number other than 0.
  fileprivate var hasDigitAboveZero: Bool {
    guard let text = numberText else { return false }
    return text.prefix(while: { $0 | 0x20 != UInt8(ascii: "e") }).contains {
      $0 > UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
    }
  }

  var isBelowZero: Bool { hasDigitAboveZero && numberText?.first == UInt8(ascii: "-") }

  /// Number of the value's nodes: an object of two plain members has five.
  var nodeCount: Int { Int(node.next) - index }

  /// A message's words for an unexpected value: a number in full, else its kind.
  public var phrase: String {
    switch kind {
    case .object: "an object"
    case .array: "an array"
    case .string: "text"
    case .number: String(decoding: raw.prefix(40), as: UTF8.self)
    case .true, .false: "a truth value"
    case .null: "null"
    }
  }
}
