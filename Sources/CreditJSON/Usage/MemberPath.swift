internal import CreditBytes
internal import CreditModel

/// The path of a member within an object. Names go from the outermost on, with dots between them; a
/// number is an element of an array. The empty path is the object itself.
public struct MemberPath: ExpressibleByStringLiteral, Sendable {
  public let text: StaticString
  /// The bytes of the first name. Found once, as most paths have no other.
  private let headCount: Int
  /// The bit of the first name among those that an object may have.
  fileprivate let headBit: UInt64

  public init(stringLiteral text: StaticString) {
    self.text = text
    let bytes = Bytes(text)
    headCount = bytes.firstIndex(of: UInt8(ascii: ".")) ?? bytes.count
    headBit = headCount == 0 ? .max : JSONValue.nameBit(Bytes(rebasing: bytes[..<headCount]))
  }

  /// Returns the value at the path; nil if it is absent.
  func value(in object: JSONValue) -> JSONValue? {
    let bytes = Bytes(text)
    if bytes.isEmpty { return object }
    let head = object.member(utf8: Bytes(rebasing: bytes[..<headCount]))
    if headCount == bytes.count { return head }
    return head.flatMap { Self.value(at: bytes[(headCount + 1)...], in: $0) }
  }

  /// Whether there is a value at the path that is not `null`.
  func isPresent(in object: JSONValue) -> Bool {
    value(in: object).map { !$0.isNull } ?? false
  }

  private static func value(at path: Slice<Bytes>, in object: JSONValue)
    -> JSONValue?
  {
    var value = object
    for name in path.split(separator: UInt8(ascii: ".")) {
      let name = Bytes(rebasing: name)
      guard let next = value.member(utf8: name) ?? element(name, of: value) else { return nil }
      value = next
    }
    return value
  }

  private static func element(_ index: Bytes, of array: JSONValue) -> JSONValue? {
    guard array.kind == .array, index.allSatisfy(\.isDigit), let index = Int64(digits: index)
    else { return nil }
    return array.elements.dropFirst(Int(index)).first { _ in true }
  }
}

/// An object that is searched for many more members than it has. Its possible names are collected
/// once, which saves half of reading a response.
struct SearchedObject {
  let value: JSONValue
  private let nameBits: UInt64

  init(_ value: JSONValue) {
    self.value = value
    nameBits = value.nameBits
  }

  func member(_ name: StaticString) -> JSONValue? {
    let bit = JSONValue.nameBit(Bytes(name))
    return nameBits & bit == 0 ? nil : value.member(name)
  }

  func string(_ name: StaticString) -> String? { member(name)?.string }

  fileprivate func mayHave(_ path: MemberPath) -> Bool {
    path.headBit == .max || nameBits & path.headBit != 0
  }
}

extension MemberPath {
  /// Returns the value at the path; nil if it is absent.
  func value(in object: SearchedObject) -> JSONValue? {
    object.mayHave(self) ? value(in: object.value) : nil
  }

  /// Whether there is a value at the path that is not `null`.
  func isPresent(in object: SearchedObject) -> Bool {
    object.mayHave(self) && isPresent(in: object.value)
  }
}
