/// The name of a member that code asks for, with its hash. The compiler knows that of a literal.
public struct MemberName: ExpressibleByStringLiteral, Sendable {
  public let text: StaticString
  @usableFromInline let hash: UInt32

  @inlinable @inline(__always)
  public init(_ text: StaticString) {
    self.text = text
    hash = Bytes(text).nameHash
  }

  @inlinable @inline(__always)
  public init(stringLiteral text: StaticString) { self.init(text) }

  /// The name's bit among those of an object.
  @inlinable @inline(__always)
  public var bit: UInt64 { JSONValue.nameBit(hash) }
}

/// Names of members, compared with those of objects without making strings.
public struct MemberNames {
  private var bytes: [UInt8] = []
  /// The place of each name, at that of its hash or behind it. A slot has the name's start and, in
  /// the low 16 bits, its count of bytes. A free slot is 0.
  private var slots = [Int](repeating: 0, count: 64)
  private var count = 0

  public init(_ names: [String]) { for name in names { name.withUTF8Bytes { _ = insert($0) } } }

  /// Adds the first of an object's member names that is not there yet.
  /// - Returns: it; nil if all of them are there.
  public mutating func addFirst(of object: JSONValue) -> String? {
    for (name, _) in object.members {
      let isNew = name.withUTF8 { !contains($0) && insert($0) }
      if isNew == true { return name.string }
    }
    return nil
  }

  /// The slot of a name, or the free one where it belongs.
  @inline(__always)
  func slot(of name: Bytes) -> Int {
    let mask = slots.count &- 1
    var slot = Int(name.nameHash) & mask
    while slots[slot] != 0 {
      let isFound = bytes.withBytes {
        Bytes(rebasing: $0[Self.range(slots[slot])]).hasSameBytes(as: name)
      }
      if isFound { return slot }
      slot = (slot &+ 1) & mask
    }
    return slot
  }

  private static func range(_ slot: Int) -> Range<Int> {
    let start = slot >> 16
    return start..<start + (slot & 0xffff)
  }

  /// A name that is far too long for one counts as known.
  private func contains(_ name: Bytes) -> Bool {
    name.isEmpty || name.count > 0xffff || slots[slot(of: name)] != 0
  }

  /// - Returns: whether it was not there.
  private mutating func insert(_ name: Bytes) -> Bool {
    if contains(name) { return false }
    if count >= slots.count / 2 { grow() }
    let start = bytes.count
    bytes.append(contentsOf: name)
    slots[slot(of: name)] = start << 16 | name.count
    count += 1
    return true
  }

  private mutating func grow() {
    let places = slots.filter { $0 != 0 }
    slots = [Int](repeating: 0, count: slots.count * 2)
    let bytes = bytes
    bytes.withBytes {
      for place in places {
        slots[slot(of: Bytes(rebasing: $0[Self.range(place)]))] = place
      }
    }
  }
}
