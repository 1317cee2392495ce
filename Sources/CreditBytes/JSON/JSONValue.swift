/// A value of a scanned text: a view, as cheap to copy as a few pointers.
///
/// It is valid as long as the text and nodes that it was taken from: until its scanner scans the
/// next value, or its stream returns the next one or gets more bytes.
public struct JSONValue {
  let bytes: UnsafeRawPointer
  let nodes: UnsafePointer<JSONNode>
  public let index: Int

  @inline(__always)
  public var node: JSONNode { nodes[index] }

  public var kind: JSONKind { node.kind }

  public var isNull: Bool { node.kind == .null }

  public var isObject: Bool { node.kind == .object }

  /// The truth value; nil for anything else.
  public var bool: Bool? {
    switch node.kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The exact integer; nil for anything else, also a number with a fraction or an exponent, or one
  /// out of range. `-0` is 0.
  public var int64: Int64? {
    let node = node
    guard node.kind == .number, node.isPlain else { return nil }
    // Eight bytes of the outermost value can be read at once.
    if Int(node.start) &+ 8 <= Int(nodes.pointee.end) {
      let (number, count) = ByteWord(bytes + Int(node.start)).leadingDigits
      if count == Int(node.end &- node.start) { return number }
    }
    return Int64(digits: slice(node))
  }

  /// A number's text, all digits kept; nil for anything else.
  public var numberText: Bytes? { node.kind == .number ? slice(node) : nil }

  /// A string with its escapes resolved; nil for anything else.
  public var string: String? {
    let node = node
    guard node.kind == .string else { return nil }
    if node.form == .printable { return String(printable: slice(node)) }
    return JSONText(bytes: slice(node), isPlain: node.isPlain).string
  }

  /// A string that is plain; nil for anything else. Plain text is printable ASCII, of 1 to `limit`
  /// bytes, with no space around it.
  public func plainText(limit: Int) -> String? {
    let node = node
    let text = slice(node)
    guard node.kind == .string, node.form == .printable, 1...limit ~= text.count,
      text[0] != 0x20, text[text.count &- 1] != 0x20
    else { return nil }
    return String(printable: text)
  }

  public func isName(_ name: MemberName) -> Bool { nameHash == name.hash && utf8Equals(name.text) }

  /// The hash of a member's name, if this is one.
  @inline(__always)
  public var nameHash: UInt32 { node.nameHash }

  /// Whether the value is the string `text`.
  @inlinable @inline(__always)
  public func utf8Equals(_ text: StaticString) -> Bool { utf8Equals(Bytes(text)) }

  /// Whether the value is a string and its UTF-8 is `utf8`.
  @inline(never)
  public func utf8Equals(_ utf8: Bytes) -> Bool {
    let node = node
    if node.kind == .string, node.isPlain { return slice(node).hasSameBytes(as: utf8) }
    return text?.equals(utf8) ?? false
  }

  /// Calls `body` with the UTF-8 of a string, its escapes resolved; nil for anything else.
  @inlinable public func withUTF8<Result>(_ body: (Bytes) -> Result) -> Result? {
    text?.withDecoded(body)
  }

  /// The text of the value as it was written: a string with its quotes and escapes, a container
  /// with its white space.
  public var raw: Bytes {
    let node = node
    let quotes = node.kind == .string ? 1 : 0
    return Bytes(start: bytes + Int(node.start) - quotes, count: node.range.count + 2 * quotes)
  }

  /// Returns the value of the first member of that name. Nil if there is no such member, or if this
  /// is not an object.
  @inlinable @inline(__always)
  public func member(_ name: StaticString) -> JSONValue? { member(named: MemberName(name)) }

  @inlinable @inline(__always)
  public func member(named name: MemberName) -> JSONValue? {
    member(utf8: Bytes(name.text), name.hash)
  }

  /// Returns the value of the first member whose name's UTF-8 is `utf8`. Nil if there is no such
  /// member, or if this is not an object.
  public func member(utf8: Bytes) -> JSONValue? { member(utf8: utf8, utf8.nameHash) }

  /// - Parameter hash: the `nameHash` of `utf8`.
  public func member(utf8: Bytes, _ hash: UInt32) -> JSONValue? {
    let object = node
    guard object.kind == .object, let text = utf8.baseAddress else { return nil }
    let end = nodes + Int(object.next)
    var name = nodes + (index &+ 1)
    while name < end {
      if name.pointee.nameHash == hash {
        let start = bytes + Int(name.pointee.start)
        let count = Int(name.pointee.end &- name.pointee.start)
        let isFound =
          name.pointee.isPlain
          ? count == utf8.count && bytesAreEqual(start, text, count: count)
          : at(name - nodes).utf8Equals(utf8)
        if isFound { return at((name - nodes) &+ 1) }
      }
      name = nodes + Int(name[1].next)
    }
    return nil
  }

  /// Whether an object has a member.
  public func hasMember(_ name: String) -> Bool { name.withUTF8Bytes { member(utf8: $0) } != nil }

  /// A hash of the names of an object's members, in their order: requests mostly have the same
  /// ones as the request before.
  public var namesHash: UInt64 {
    var hash: UInt64 = 0
    forEachNameHash { hash = (hash ^ UInt64($0)) &* ByteWord.factor }
    return hash
  }

  /// The names that an object's members may have, a bit for each. It saves the search for members
  /// that most requests lack.
  public var nameBits: UInt64 {
    var bits: UInt64 = 0
    forEachNameHash { bits |= Self.nameBit($0) }
    return bits
  }

  /// The name bits of an object, and those of the objects that are its members.
  public var nameBitsOfTwoLevels: (outer: UInt64, inner: UInt64) {
    var (outer, inner): (UInt64, UInt64) = (0, 0)
    let object = node
    guard object.kind == .object else { return (0, 0) }
    var name = index &+ 1
    while name < Int(object.next) {
      outer |= Self.nameBit(nodes[name].nameHash)
      let value = at(name &+ 1)
      if value.kind == .object { inner |= value.nameBits }
      name = Int(value.node.next)
    }
    return (outer, inner)
  }

  @inline(__always)
  private func forEachNameHash(_ body: (UInt32) -> Void) {
    let object = node
    guard object.kind == .object else { return }
    var name = index &+ 1
    while name < Int(object.next) {
      body(nodes[name].nameHash)
      name = Int(nodes[name &+ 1].next)
    }
  }

  /// The bit of a name, by its hash.
  @inlinable @inline(__always)
  public static func nameBit(_ hash: UInt32) -> UInt64 { 1 &<< UInt64(hash) }

  /// The members of an object in their written order; empty for other values.
  public var members: JSONMembers { JSONMembers(of: self) }

  /// The elements of an array; empty for other values.
  public var elements: JSONElements { JSONElements(of: self) }

  @inline(__always)
  func slice(_ node: JSONNode) -> Bytes {
    Bytes(start: bytes + Int(node.start), count: Int(node.end &- node.start))
  }

  /// The text between a string's quotes, escapes and all.
  @usableFromInline var text: JSONText? {
    let node = node
    guard node.kind == .string else { return nil }
    return JSONText(bytes: slice(node), isPlain: node.isPlain)
  }

  @inline(__always)
  func at(_ index: Int) -> JSONValue { JSONValue(bytes: bytes, nodes: nodes, index: index) }
}

/// The members of an object in the order of its text; valid as long as the value.
public struct JSONMembers: Sequence, IteratorProtocol {
  private let object: JSONValue
  private var name: Int
  private let end: Int

  public init(of value: JSONValue) {
    object = value
    name = value.index + 1
    end = value.kind == .object ? Int(value.node.next) : name
  }

  /// The next member. Its name is a string.
  public mutating func next() -> (name: JSONValue, value: JSONValue)? {
    guard name < end else { return nil }
    let member = (name: object.at(name), value: object.at(name + 1))
    name = Int(member.value.node.next)
    return member
  }
}

/// The elements of an array in the order of its text; valid as long as the value.
public struct JSONElements: Sequence, IteratorProtocol {
  private let array: JSONValue
  private var element: Int
  private let end: Int

  public init(of value: JSONValue) {
    array = value
    element = value.index + 1
    end = value.kind == .array ? Int(value.node.next) : element
  }

  public mutating func next() -> JSONValue? {
    guard element < end else { return nil }
    let value = array.at(element)
    element = Int(value.node.next)
    return value
  }
}

public enum JSONKind: UInt8, Sendable {
  case object
  case array
  case string
  case number
  case `true`
  case `false`
  case null
}

enum JSONForm: UInt8 {
  /// A string with escapes, or a number with a fraction or an exponent.
  case escaped
  /// The text is its own value: a string without escapes, or an integer's digits alone.
  case plain
  /// A string that is all printable ASCII, and has no escapes.
  case printable
}
