/// What a JSON value is.
package enum JSONKind: UInt8, Sendable {
  case object
  case array
  case string
  case number
  case `true`
  case `false`
  case null
}

/// One value or member name of a scanned text: 16 bytes, in the order of the text.
///
/// A container's node is followed by those of what it holds: in an object each name's node by its
/// value's. Offsets count from the first byte of the outermost value, so that the text may move.
struct JSONNode {
  let kind: JSONKind
  /// True if the text stands for itself. It is a string without escapes, or a number that is an
  /// integer's digits alone.
  var isPlain: Bool
  /// The value's first byte; of a string, the one after its opening quote.
  let start: UInt32
  /// After the value's last byte; of a string, the closing quote.
  var end: UInt32
  /// The index of the node after this value and all that it holds.
  var next: UInt32

  init(_ kind: JSONKind, start: Int, index: Int) {
    self.kind = kind
    isPlain = true
    // A value has at most `JSONScanner.offsetLimit` bytes, and no more nodes than bytes.
    self.start = UInt32(truncatingIfNeeded: start)
    end = self.start
    next = UInt32(truncatingIfNeeded: index &+ 1)
  }

  var range: Range<Int> { Int(start)..<Int(end) }
}

/// The nodes of one value, in storage that is kept for the next.
struct JSONNodes: ~Copyable {
  private(set) var base: UnsafeMutablePointer<JSONNode>
  private(set) var count = 0
  private var capacity = JSONNodes.initialCapacity

  private static let initialCapacity = 256
  /// Storage beyond this (1 MiB) is given back after the value that needed it.
  private static let keptCapacity = 1 << 16

  init() {
    base = .allocate(capacity: Self.initialCapacity)
  }

  deinit {
    base.deallocate()
  }

  subscript(index: Int) -> JSONNode {
    @inline(__always) _read { yield base[index] }
    @inline(__always) _modify { yield &base[index] }
  }

  @inline(__always)
  mutating func append(_ kind: JSONKind, start: Int) {
    if count == capacity { move(toCapacity: capacity * 2) }
    (base + count).initialize(to: JSONNode(kind, start: start, index: count))
    count &+= 1
  }

  mutating func removeAll() {
    count = 0
    if capacity > Self.keptCapacity { move(toCapacity: Self.initialCapacity) }
  }

  @inline(never)
  private mutating func move(toCapacity newCapacity: Int) {
    let moved = UnsafeMutablePointer<JSONNode>.allocate(capacity: newCapacity)
    moved.moveInitialize(from: base, count: count)
    base.deallocate()
    base = moved
    capacity = newCapacity
  }
}
