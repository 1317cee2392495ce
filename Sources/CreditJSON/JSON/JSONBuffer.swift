/// The bytes of an input that have been read and not yet used: a queue in one piece of memory.
package struct JSONBuffer: ~Copyable {
  private var base: UnsafeMutableRawPointer
  private var capacity = 0
  private var start = 0
  private var end = 0

  private static let initialCapacity = 1 << 20

  /// A queue without memory, which it gets with its first bytes: a run by flags alone reads none.
  package init() {
    base = .allocate(byteCount: 0, alignment: 16)
  }

  deinit {
    base.deallocate()
  }

  /// What has not been used yet. Valid until bytes are added; using them does not move any.
  @inline(__always)
  package var unread: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + start, count: end &- start)
  }

  /// Marks the first `count` unread bytes as used.
  @inline(__always)
  package mutating func advance(by count: Int) {
    assert(count <= end - start)
    start &+= count
  }

  /// Adds bytes: `fill` is given `minimum` bytes of room or more, and says how many it filled.
  package mutating func withFreeSpace<Failure: Error>(
    minimum: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    makeRoom(for: minimum)
    let space = UnsafeMutableRawBufferPointer(start: base + end, count: capacity - end)
    let count = try fill(space)
    precondition(count >= 0 && count <= space.count)
    end += count
    return count
  }

  private mutating func makeRoom(for minimum: Int) {
    let used = end - start
    if start == end { (start, end) = (0, 0) }
    let needed = max(used + minimum, Self.initialCapacity)
    let isFarTooLarge = capacity / 8 > needed
    if capacity - end >= minimum, !isFarTooLarge { return }
    if capacity < needed || isFarTooLarge {
      // At least doubled, so that a long value is not copied more often than it doubles.
      let newCapacity = isFarTooLarge ? needed : max(needed, capacity * 2)
      let moved = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
      moved.copyMemory(from: base + start, byteCount: used)
      base.deallocate()
      base = moved
      capacity = newCapacity
    } else {
      base.copyMemory(from: base + start, byteCount: used)
    }
    (start, end) = (0, used)
  }
}
