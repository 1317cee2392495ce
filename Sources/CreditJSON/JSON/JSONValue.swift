package import CreditModel

/// A value of a scanned text: a view, as cheap to copy as a few pointers.
///
/// It is valid as long as the text and nodes that it was taken from: until its scanner scans the
/// next value, or its stream returns the next one or gets more bytes.
package struct JSONValue {
  let bytes: UnsafeRawPointer
  let nodes: UnsafePointer<JSONNode>
  let index: Int

  init(bytes: UnsafeRawPointer, nodes: UnsafePointer<JSONNode>, index: Int) {
    self.bytes = bytes
    self.nodes = nodes
    self.index = index
  }

  @inline(__always)
  var node: JSONNode { nodes[index] }

  package var kind: JSONKind { node.kind }

  /// Whether the value is `null`.
  package var isNull: Bool { node.kind == .null }

  package var isObject: Bool { node.kind == .object }

  /// The truth value; nil for anything else.
  package var bool: Bool? {
    switch node.kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The exact integer; nil for anything else, also a number with a fraction or an exponent, or one
  /// out of range. `-0` is 0.
  package var int64: Int64? {
    let node = node
    guard node.kind == .number, node.isPlain else { return nil }
    return Int64(digits: slice(node))
  }

  /// A number's text, all digits kept; nil for anything else.
  package var numberText: UnsafeRawBufferPointer? {
    node.kind == .number ? slice(node) : nil
  }

  /// A string with its escapes resolved; nil for anything else.
  package var string: String? { text?.string }

  /// Whether the value is the string `text`.
  package func utf8Equals(_ text: StaticString) -> Bool {
    self.text?.equals(UnsafeRawBufferPointer(text)) ?? false
  }

  /// Whether the value is a string and its UTF-8 is `utf8`.
  package func utf8Equals(_ utf8: UnsafeRawBufferPointer) -> Bool {
    text?.equals(utf8) ?? false
  }

  /// Calls `body` with the UTF-8 of a string, its escapes resolved; nil for anything else.
  package func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    text?.withDecoded(body)
  }

  /// The text of the value as it was written: a string with its quotes and escapes, a container
  /// with its white space.
  package var raw: UnsafeRawBufferPointer {
    let node = node
    let quotes = node.kind == .string ? 1 : 0
    return UnsafeRawBufferPointer(
      start: bytes + Int(node.start) - quotes, count: node.range.count + 2 * quotes)
  }

  /// Returns the value of the first member of that name. Nil if there is no such member, or if this
  /// is not an object.
  package func member(_ name: StaticString) -> JSONValue? {
    member(utf8: UnsafeRawBufferPointer(name))
  }

  /// Returns the value of the first member whose name's UTF-8 is `utf8`. Nil if there is no such
  /// member, or if this is not an object.
  package func member(utf8: UnsafeRawBufferPointer) -> JSONValue? {
    let object = node
    guard object.kind == .object, let name = utf8.baseAddress else { return nil }
    var candidate = index &+ 1
    while candidate < Int(object.next) {
      let node = nodes[candidate]
      let isFound =
        if node.isPlain {
          Int(node.end &- node.start) == utf8.count
            && bytesAreEqual(bytes + Int(node.start), name, count: utf8.count)
        } else {
          JSONText(bytes: slice(node), isPlain: false).equals(utf8)
        }
      if isFound { return at(candidate &+ 1) }
      candidate = Int(nodes[candidate &+ 1].next)
    }
    return nil
  }

  /// Whether an object has a member.
  package func hasMember(_ name: String) -> Bool {
    name.withUTF8Bytes { member(utf8: $0) } != nil
  }

  /// A hash of the names of an object's members, in their order: requests mostly have the same
  /// ones as the request before.
  package var namesHash: UInt64 {
    var hash: UInt64 = 0
    var candidate = index &+ 1
    let end = node.kind == .object ? Int(node.next) : candidate
    while candidate < end {
      let name = nodes[candidate]
      let text = bytes + Int(name.start)
      let count = Int(name.end &- name.start)
      hash = (hash ^ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15
      var offset = 0
      while offset &+ 8 <= count {
        let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        hash = (hash ^ hash >> 32 ^ word) &* 0x9E37_79B9_7F4A_7C15
        offset &+= 8
      }
      while offset < count {
        let byte = text.load(fromByteOffset: offset, as: UInt8.self)
        hash = (hash ^ hash >> 32 ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
        offset &+= 1
      }
      candidate = Int(nodes[candidate &+ 1].next)
    }
    return hash
  }

  /// The names that an object's members may have, a bit for each. It saves the search for members
  /// that most requests lack, four of them in a charge.
  package var nameBits: UInt64 {
    let object = node
    guard object.kind == .object else { return 0 }
    var bits: UInt64 = 0
    var candidate = index &+ 1
    while candidate < Int(object.next) {
      let name = nodes[candidate]
      if !name.isPlain { return .max }
      bits |= Self.nameBit(bytes + Int(name.start), count: Int(name.end &- name.start))
      candidate = Int(nodes[candidate &+ 1].next)
    }
    return bits
  }

  /// The bit of a name, by its length and its ends.
  @inlinable @inline(__always)
  package static func nameBit(_ name: UnsafeRawPointer, count: Int) -> UInt64 {
    if count == 0 { return 1 }
    let first = UInt64(name.load(as: UInt8.self))
    let last = UInt64(name.load(fromByteOffset: count &- 1, as: UInt8.self))
    return 1 &<< (first &* 5 &+ last &+ UInt64(truncatingIfNeeded: count) &* 11)
  }

  /// The members of an object in their written order; empty for other values.
  package var members: JSONMembers { JSONMembers(of: self) }

  /// The elements of an array; empty for other values.
  package var elements: JSONElements { JSONElements(of: self) }

  @inline(__always)
  private func slice(_ node: JSONNode) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: bytes + Int(node.start), count: Int(node.end &- node.start))
  }

  /// The text between a string's quotes, escapes and all.
  private var text: JSONText? {
    let node = node
    guard node.kind == .string else { return nil }
    return JSONText(bytes: slice(node), isPlain: node.isPlain)
  }

  @inline(__always)
  func at(_ index: Int) -> JSONValue { JSONValue(bytes: bytes, nodes: nodes, index: index) }
}

/// The members of an object in the order of its text; valid as long as the value.
package struct JSONMembers: Sequence, IteratorProtocol {
  private let object: JSONValue
  private var name: Int
  private let end: Int

  init(of value: JSONValue) {
    object = value
    name = value.index + 1
    end = value.kind == .object ? Int(value.node.next) : name
  }

  /// The next member. Its name is a string.
  package mutating func next() -> (name: JSONValue, value: JSONValue)? {
    guard name < end else { return nil }
    let member = (name: object.at(name), value: object.at(name + 1))
    name = Int(member.value.node.next)
    return member
  }
}

/// The elements of an array in the order of its text; valid as long as the value.
package struct JSONElements: Sequence, IteratorProtocol {
  private let array: JSONValue
  private var element: Int
  private let end: Int

  init(of value: JSONValue) {
    array = value
    element = value.index + 1
    end = value.kind == .array ? Int(value.node.next) : element
  }

  package mutating func next() -> JSONValue? {
    guard element < end else { return nil }
    let value = array.at(element)
    element = Int(value.node.next)
    return value
  }
}

/// Members of the kinds that records and policies are made of. Each is nil if it is absent or of
/// another kind.
extension JSONValue {
  package func string(_ key: StaticString) -> String? { member(key)?.string }

  package func int64(_ key: StaticString) -> Int64? { member(key)?.int64 }

  package func name(_ key: StaticString) -> Name? { string(key).map(Name.init(trusted:)) }

  package func timestamp(_ key: StaticString) -> Timestamp? { member(key)?.timestamp() }

  /// Returns the elements of a list. There are no elements if it is absent or not a list.
  func elements(_ key: StaticString) -> JSONElements { JSONElements(of: member(key) ?? self) }

  /// The exact number in a number's or a string's text; nil for other values.
  package var exactDecimal: ExactDecimal? {
    if let numberText { return ExactDecimal(text: numberText) }
    return withUTF8(ExactDecimal.init(text:)) ?? nil
  }

  /// The exact amount of a number's or a string's text; nil for anything else.
  package var amount: ExactDecimal? {
    if let numberText { return ExactDecimal(amount: numberText) }
    return withUTF8(ExactDecimal.init(amount:)) ?? nil
  }

  /// A time, from text: an instant, or a day or month, whose beginning in UTC is meant.
  package func timestamp() -> Timestamp? {
    if let time = withUTF8(Timestamp.parse) ?? nil { return time }
    return string.flatMap(Timestamp.init(dateText:))
  }
}
