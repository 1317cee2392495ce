/// The path of a member within an object. Names go from the outermost on, with dots between them; a
/// number is an element of an array. The empty path is the object itself.
public struct MemberPath: ExpressibleByStringLiteral, Sendable {
  public let text: StaticString
  /// The bytes of the first name. Found once, as most paths have no other.
  private let headCount: Int
  private let headHash: UInt32
  /// The bytes of the second name; 0 without one, or if it is a number.
  private let innerCount: Int
  private let innerHash: UInt32
  /// The bit of the first name among those that an object may have.
  let headBit: UInt64
  /// That of the second one; all bits if the path has no second name, or a number.
  let innerBit: UInt64

  public init(stringLiteral text: StaticString) {
    self.text = text
    let bytes = Bytes(text)
    headCount = bytes.firstIndex(of: UInt8(ascii: ".")) ?? bytes.count
    headHash = Bytes(rebasing: bytes[..<headCount]).nameHash
    headBit = headCount == 0 ? .max : JSONValue.nameBit(headHash)
    guard headCount < bytes.count, !bytes[headCount + 1].isDigit else {
      (innerCount, innerHash, innerBit) = (0, 0, .max)
      return
    }
    let rest = Bytes(rebasing: bytes[(headCount + 1)...])
    innerCount = rest.firstIndex(of: UInt8(ascii: ".")) ?? rest.count
    innerHash = Bytes(rebasing: rest[..<innerCount]).nameHash
    innerBit = JSONValue.nameBit(innerHash)
  }

  func value(in object: JSONValue) -> JSONValue? {
    let bytes = Bytes(text)
    if bytes.isEmpty { return object }
    let head = object.member(utf8: Bytes(rebasing: bytes[..<headCount]), headHash)
    guard let head, headCount < bytes.count else { return head }
    let rest = Bytes(rebasing: bytes[(headCount + 1)...])
    if innerCount == 0 { return Self.value(at: rest, in: head) }
    let inner = head.member(utf8: Bytes(rebasing: rest[..<innerCount]), innerHash)
    guard let inner, innerCount < rest.count else { return inner }
    return Self.value(at: Bytes(rebasing: rest[(innerCount + 1)...]), in: inner)
  }

  /// Whether there is a value at the path that is not `null`.
  func isPresent(in object: JSONValue) -> Bool { value(in: object).map { !$0.isNull } ?? false }

  fileprivate static func value(at path: Bytes, in object: JSONValue) -> JSONValue? {
    let end = path.firstIndex(of: UInt8(ascii: ".")) ?? path.count
    let name = Bytes(rebasing: path[..<end])
    guard let value = object.member(utf8: name) ?? element(name, of: object) else { return nil }
    return end == path.count
      ? value : Self.value(at: Bytes(rebasing: path[(end + 1)...]), in: value)
  }

  private static func element(_ index: Bytes, of array: JSONValue) -> JSONValue? {
    guard array.kind == .array, !index.isEmpty, index.allSatisfy(\.isDigit),
      let index = Int64(digits: index)
    else { return nil }
    return array.elements.dropFirst(Int(index)).first { _ in true }
  }

  func value(in object: SearchedObject) -> JSONValue? {
    if headCount == 0 { return object.value }
    guard object.nameBits & headBit != 0, innerBit == .max || object.innerBits & innerBit != 0
    else { return nil }
    return value(in: object.value)
  }

  /// Whether there is a value at the path that is not `null`.
  func isPresent(in object: SearchedObject) -> Bool {
    value(in: object).map { !$0.isNull } ?? false
  }
}

/// Paths of members that most objects lack: one look at an object's names shows that for all.
public struct MemberPaths: ExpressibleByArrayLiteral, Sendable {
  public let all: [MemberPath]
  private let headBits: UInt64

  public init(arrayLiteral paths: MemberPath...) {
    all = paths
    headBits = paths.reduce(0) { $0 | $1.headBit }
  }

  /// Returns the first that `find` finds in the values at the paths; nil if it finds none.
  func first<Found>(in object: SearchedObject, _ find: (JSONValue) -> Found?) -> Found? {
    if object.nameBits & headBits == 0 { return nil }
    for path in all { if let found = path.value(in: object).flatMap(find) { return found } }
    return nil
  }

  func first(in object: SearchedObject, where isWanted: (JSONValue) -> Bool) -> JSONValue? {
    first(in: object) { isWanted($0) ? $0 : nil }
  }
}

extension JSONValue {
  /// A string that is not empty; nil for anything else.
  public var word: String? { string.flatMap { $0.isEmpty ? nil : $0 } }

  /// The value that a path leads to: names and indexes with periods between.
  public func descendant(_ path: String) -> JSONValue? {
    path.withUTF8Bytes { MemberPath.value(at: $0, in: self) }
  }
}

/// An object that is searched for many more members than it has. Its possible names are collected
/// once, which saves half of reading a response.
struct SearchedObject {
  let value: JSONValue
  let nameBits: UInt64
  let innerBits: UInt64

  init(_ value: JSONValue) {
    self.value = value
    (nameBits, innerBits) = value.nameBitsOfTwoLevels
  }

  @inline(__always)
  func member(_ name: MemberName) -> JSONValue? {
    nameBits & name.bit == 0 ? nil : value.member(named: name)
  }

  func string(_ name: MemberName) -> String? { member(name)?.string }
}
