public import CShims

/// A view of another owner's bytes. It is valid as long as they are.
///
/// Reading outside the view traps, in a release too.
public struct Bytes: RandomAccessCollection, @unchecked Sendable {
  @usableFromInline let memory: UnsafeRawBufferPointer

  /// No bytes.
  @inlinable @inline(__always)
  public init() { memory = UnsafeRawBufferPointer(start: nil, count: 0) }

  @inlinable @inline(__always)
  public init(_ memory: UnsafeRawBufferPointer) { self.memory = memory }

  @inlinable @inline(__always)
  public init(_ memory: UnsafeBufferPointer<UInt8>) { self.memory = UnsafeRawBufferPointer(memory) }

  @inlinable @inline(__always)
  public init(start: UnsafeRawPointer?, count: Int) {
    memory = UnsafeRawBufferPointer(start: start, count: count)
  }

  @inlinable @inline(__always)
  public init(_ bytes: MutableBytes) { memory = UnsafeRawBufferPointer(bytes.memory) }

  /// The bytes of a part of a view, which then begins at 0.
  @inlinable @inline(__always)
  public init(rebasing part: Slice<Bytes>) {
    memory = UnsafeRawBufferPointer(rebasing: part.base.memory[part.startIndex..<part.endIndex])
  }

  @inlinable @inline(__always)
  public init(rebasing part: Slice<MutableBytes>) { self.init(MutableBytes(rebasing: part)) }

  /// The UTF-8 of a text of the program.
  @inlinable @inline(__always)
  public init(_ text: StaticString) {
    memory = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// The address of the first byte, for calls of the system and of C.
  @inlinable @inline(__always)
  public var baseAddress: UnsafeRawPointer? { memory.baseAddress }

  @inlinable @inline(__always)
  public var startIndex: Int { 0 }

  @inlinable @inline(__always)
  public var endIndex: Int { memory.count }

  @inlinable @inline(__always)
  public var count: Int { memory.count }

  @inlinable @inline(__always)
  public subscript(place: Int) -> UInt8 {
    precondition(UInt(bitPattern: place) < UInt(bitPattern: memory.count))
    return memory[place]
  }

  @inlinable @inline(__always)
  public subscript(bounds: Range<Int>) -> Slice<Bytes> {
    precondition(bounds.lowerBound >= 0 && bounds.upperBound <= memory.count)
    return Slice(base: self, bounds: bounds)
  }

  @inlinable @inline(__always)
  public func makeIterator() -> UnsafeRawBufferPointer.Iterator { memory.makeIterator() }

  /// Copies all at once, as `Array.append(contentsOf:)` does with what it knows to be memory.
  @inlinable @inline(__always)
  public func _copyContents(
    initializing target: UnsafeMutableBufferPointer<UInt8>
  ) -> (UnsafeRawBufferPointer.Iterator, Int) {
    memory._copyContents(initializing: target)
  }

  @inlinable @inline(__always)
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try memory.withContiguousStorageIfAvailable(body)
  }

  /// Lets the processor fetch a byte that will soon be read.
  @inlinable @inline(__always)
  public func prefetch(_ place: Int) {
    guard place < memory.count, let start = memory.baseAddress else { return }
    CShims.prefetch(start + place)
  }

  /// A value of some bytes at any place.
  @inlinable @inline(__always)
  public func loadUnaligned<Value: BitwiseCopyable>(
    fromByteOffset offset: Int = 0, as type: Value.Type
  ) -> Value {
    precondition(offset >= 0 && MemoryLayout<Value>.size <= memory.count - offset)
    return memory.loadUnaligned(fromByteOffset: offset, as: type)
  }

  /// How far the first byte of this view is behind the one of another view of the same memory.
  @inlinable @inline(__always)
  public func offset(in other: Bytes) -> Int {
    guard let start = memory.baseAddress, let otherStart = other.memory.baseAddress else {
      return 0
    }
    return start - otherStart
  }
}

/// A view of bytes that may be changed. Reaching outside the view traps, in a release too.
public struct MutableBytes: RandomAccessCollection, @unchecked Sendable {
  @usableFromInline let memory: UnsafeMutableRawBufferPointer

  @inlinable @inline(__always)
  public init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

  @inlinable @inline(__always)
  public init(_ memory: UnsafeMutableBufferPointer<UInt8>) {
    self.memory = UnsafeMutableRawBufferPointer(memory)
  }

  @inlinable @inline(__always)
  public init(start: UnsafeMutableRawPointer?, count: Int) {
    memory = UnsafeMutableRawBufferPointer(start: start, count: count)
  }

  @inlinable @inline(__always)
  public init(rebasing part: Slice<MutableBytes>) {
    memory = UnsafeMutableRawBufferPointer(
      rebasing: part.base.memory[part.startIndex..<part.endIndex])
  }

  @inlinable @inline(__always)
  public init<Element>(_ cells: Cells<Element>) {
    memory = UnsafeMutableRawBufferPointer(cells.memory)
  }

  /// New memory, which the caller gives back by `deallocate`.
  @inlinable @inline(__always)
  public static func allocate(byteCount: Int, alignment: Int) -> MutableBytes {
    MutableBytes(.allocate(byteCount: byteCount, alignment: alignment))
  }

  @inlinable @inline(__always)
  public func deallocate() { memory.deallocate() }

  /// The address of the first byte, for calls of the system and of C.
  @inlinable @inline(__always)
  public var baseAddress: UnsafeMutableRawPointer? { memory.baseAddress }

  @inlinable @inline(__always)
  public var startIndex: Int { 0 }

  @inlinable @inline(__always)
  public var endIndex: Int { memory.count }

  @inlinable @inline(__always)
  public var count: Int { memory.count }

  @inlinable @inline(__always)
  public subscript(place: Int) -> UInt8 {
    get {
      precondition(UInt(bitPattern: place) < UInt(bitPattern: memory.count))
      return memory[place]
    }
    nonmutating set {
      precondition(UInt(bitPattern: place) < UInt(bitPattern: memory.count))
      memory[place] = newValue
    }
  }

  @inlinable @inline(__always)
  public subscript(bounds: Range<Int>) -> Slice<MutableBytes> {
    precondition(bounds.lowerBound >= 0 && bounds.upperBound <= memory.count)
    return Slice(base: self, bounds: bounds)
  }

  @inlinable @inline(__always)
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try Bytes(self).withContiguousStorageIfAvailable(body)
  }

  /// Lets the processor fetch a byte that will soon be read.
  @inlinable @inline(__always)
  public func prefetch(_ place: Int) { Bytes(self).prefetch(place) }

  @inlinable @inline(__always)
  public func storeBytes<Value: BitwiseCopyable>(
    of value: Value, toByteOffset offset: Int = 0, as type: Value.Type
  ) {
    precondition(offset >= 0 && MemoryLayout<Value>.size <= memory.count - offset)
    memory.storeBytes(of: value, toByteOffset: offset, as: type)
  }

  /// Copies other bytes to the beginning. The two may overlap.
  @inlinable @inline(__always)
  public func copyMemory(from bytes: Bytes) {
    precondition(bytes.count <= memory.count)
    memory.copyMemory(from: bytes.memory)
  }

  /// Copies bytes of any kind to the beginning.
  @inlinable @inline(__always)
  public func copyBytes(from bytes: some Collection<UInt8>) { memory.copyBytes(from: bytes) }

  /// Sets every byte.
  @inlinable @inline(__always)
  public func fill(_ byte: UInt8) { _ = memory.initializeMemory(as: UInt8.self, repeating: byte) }

  /// The elements of some type in these bytes, from an aligned offset on.
  @inlinable @inline(__always)
  public func cells<Element: BitwiseCopyable>(
    of type: Element.Type, from offset: Int = 0, count: Int
  ) -> Cells<Element> {
    precondition(offset >= 0 && count >= 0 && offset <= memory.count)
    let part = UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).bindMemory(to: type)
    precondition(count <= part.count)
    return Cells(UnsafeMutableBufferPointer(rebasing: part[..<count]))
  }
}

extension Array where Element: BitwiseCopyable {
  /// Calls `body` with the bytes of the elements.
  @inlinable @inline(__always)
  public func withBytes<Result, Failure>(
    _ body: (Bytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try span.withBytes(body)
  }

  /// Calls `body` with the bytes of the elements, which it may change.
  @inlinable @inline(__always)
  public mutating func withMutableBytes<Result, Failure>(
    _ body: (MutableBytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var span = mutableSpan
    return try span.withUnsafeMutableBytes { (bytes) throws(Failure) in
      try body(MutableBytes(bytes))
    }
  }
}

extension [UInt8] {
  /// Makes an array of bytes that `fill` writes into a memory of the capacity; it returns how many.
  @inlinable
  public init<Failure>(
    capacity: Int, filledBy fill: (MutableBytes) throws(Failure) -> Int
  ) throws(Failure) {
    var failure: Failure?
    self.init(unsafeUninitializedCapacity: capacity) { memory, count in
      do throws(Failure) {
        count = try fill(MutableBytes(UnsafeMutableRawBufferPointer(memory)))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}

extension ArraySlice where Element: BitwiseCopyable {
  /// Calls `body` with the bytes of the elements.
  @inlinable @inline(__always)
  public func withBytes<Result, Failure>(
    _ body: (Bytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try span.withBytes(body)
  }
}

extension Span where Element: BitwiseCopyable {
  /// Calls `body` with the bytes of the elements.
  @inlinable @inline(__always)
  public func withBytes<Result, Failure>(
    _ body: (Bytes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes { (bytes) throws(Failure) in try body(Bytes(bytes)) }
  }
}

/// Calls `body` with the bytes of a value.
@inlinable @inline(__always)
public func withBytes<Value: BitwiseCopyable, Result>(
  of value: Value, _ body: (Bytes) -> Result
) -> Result {
  withUnsafeBytes(of: value) { body(Bytes($0)) }
}

/// Calls `body` with memory that is there for the call alone.
@inlinable @inline(__always)
public func withTemporaryBytes<Result, Failure>(
  byteCount: Int, alignment: Int = 8, _ body: (MutableBytes) throws(Failure) -> Result
) throws(Failure) -> Result {
  try withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: alignment) {
    (memory) throws(Failure) in
    try body(MutableBytes(memory))
  }
}

extension Hasher {
  /// Adds bytes to the hash.
  @inlinable @inline(__always)
  public mutating func combine(bytes: Bytes) { combine(bytes: bytes.memory) }
}
