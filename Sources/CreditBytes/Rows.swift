/// Values one after another, in memory of their own.
///
/// It is an array of one owner. The runtime makes a type
/// for each kind of array at its first use, at 7,000 instructions; this needs none. Removing all
/// keeps the memory.
public struct Rows<Element>: ~Copyable {
  @usableFromInline var memory: UnsafeMutablePointer<Element>?
  @usableFromInline var capacity = 0
  /// The number of values.
  @usableFromInline var used = 0

  @inlinable @inline(__always)
  public init() {}

  deinit {
    memory?.deinitialize(count: used)
    memory?.deallocate()
  }

  @inlinable @inline(__always)
  var first: UnsafeMutablePointer<Element> { memory.unsafelyUnwrapped }

  @inlinable @inline(__always)
  public var count: Int { used }

  @inlinable @inline(__always)
  public var isEmpty: Bool { used == 0 }

  @inlinable @inline(__always)
  public var indices: Range<Int> { 0..<used }

  @inlinable
  public subscript(place: Int) -> Element {
    @inline(__always)
    _read {
      precondition(UInt(bitPattern: place) < UInt(bitPattern: used))
      yield first[place]
    }
    @inline(__always)
    _modify {
      precondition(UInt(bitPattern: place) < UInt(bitPattern: used))
      yield &first[place]
    }
  }

  @inlinable @inline(__always)
  public mutating func append(_ element: consuming Element) {
    if used == capacity { grow(to: Swift.max(4, 2 * capacity)) }
    (first + used).initialize(to: element)
    used &+= 1
  }

  /// Makes room for a number of values in all.
  @inlinable
  public mutating func reserve(_ count: Int) { if count > capacity { grow(to: count) } }

  @inlinable
  public mutating func removeAll(from place: Int = 0) {
    precondition(place >= 0 && place <= used)
    if let memory { (memory + place).deinitialize(count: used - place) }
    used = place
  }

  @inlinable @inline(never)
  mutating func grow(to count: Int) {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: count)
    if let memory {
      larger.moveInitialize(from: memory, count: used)
      memory.deallocate()
    }
    memory = larger
    capacity = count
  }

  /// Returns the place of the first value of a kind; nil if no value is of it.
  @inlinable @inline(__always)
  public func firstIndex(where matches: (borrowing Element) -> Bool) -> Int? {
    for place in 0..<used where matches(first[place]) { return place }
    return nil
  }
}

extension Rows where Element == UInt8 {
  public mutating func append(_ bytes: Bytes) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    if capacity - used < bytes.count { grow(to: Swift.max(2 * capacity, used + bytes.count)) }
    UnsafeMutableRawPointer(first + used).copyMemory(from: source, byteCount: bytes.count)
    used &+= bytes.count
  }

  public func withBytes<Result>(_ body: (Bytes) -> Result) -> Result {
    body(Bytes(start: memory, count: used))
  }
}
