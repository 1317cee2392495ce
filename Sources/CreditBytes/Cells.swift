public import CShims

/// A fixed number of elements in another owner's memory. Each index is checked.
public struct Cells<Element: BitwiseCopyable>: RandomAccessCollection, MutableCollection,
  @unchecked Sendable
{
  @usableFromInline let memory: UnsafeMutableBufferPointer<Element>

  @inlinable @inline(__always)
  public init(_ memory: UnsafeMutableBufferPointer<Element>) { self.memory = memory }

  @inlinable @inline(__always)
  public init(rebasing part: Slice<Cells<Element>>) {
    memory = UnsafeMutableBufferPointer(rebasing: part.base.memory[part.startIndex..<part.endIndex])
  }

  @inlinable @inline(__always)
  public var startIndex: Int { 0 }

  @inlinable @inline(__always)
  public var endIndex: Int { memory.count }

  @inlinable @inline(__always)
  public var count: Int { memory.count }

  @inlinable @inline(__always)
  public subscript(place: Int) -> Element {
    get {
      precondition(UInt(bitPattern: place) < UInt(bitPattern: memory.count))
      return memory[place]
    }
    nonmutating _modify {
      precondition(UInt(bitPattern: place) < UInt(bitPattern: memory.count))
      yield &memory[place]
    }
  }

  @inlinable @inline(__always)
  public mutating func withContiguousMutableStorageIfAvailable<Result>(
    _ body: (inout UnsafeMutableBufferPointer<Element>) throws -> Result
  ) rethrows -> Result? {
    var memory = memory
    return try body(&memory)
  }

  @inlinable @inline(__always)
  public func fill(_ element: Element) { memory.update(repeating: element) }

  /// Returns true if the elements of 256 bytes have no bit set.
  @inlinable @inline(__always)
  public func areZero(from place: Int) -> Bool {
    let count = 256 / MemoryLayout<Element>.stride
    precondition(place >= 0 && count <= memory.count - place)
    guard let start = memory.baseAddress else { return true }
    let blocks = UnsafeRawPointer(start + place)
    var bits = blocks.loadUnaligned(as: SIMD4<UInt64>.self)
    var offset = 32
    while offset < 256 {
      bits |= blocks.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
      offset &+= 32
    }
    return bits == SIMD4<UInt64>()
  }

  /// Lets the processor fetch an element that will soon be used.
  @inlinable @inline(__always)
  public func prefetch(_ place: Int) {
    guard place < memory.count, let start = memory.baseAddress else { return }
    CShims.prefetch(start + place)
  }
}
