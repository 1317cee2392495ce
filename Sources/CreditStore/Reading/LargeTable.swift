internal import CreditSystem

/// A table in large pieces of memory. Its elements are whatever is put there.
final class LargeTable<Element: BitwiseCopyable>: @unchecked Sendable {
  let elements: UnsafeMutableBufferPointer<Element>
  /// The table whose memory this is; nil where it is this one's own.
  private let owner: AnyObject?

  init(count: Int) {
    let memory = LargePages.allocate(byteCount: count * MemoryLayout<Element>.stride)
    elements = UnsafeMutableBufferPointer(
      start: memory.bindMemory(to: Element.self, capacity: count), count: count)
    owner = nil
  }

  /// A table in the memory of another, which nobody reads or writes from then on: the system takes
  /// time to provide new memory.
  /// - Parameter count: no more than fit there.
  init<Other>(count: Int, inPlaceOf other: LargeTable<Other>) {
    let place = UnsafeMutableRawBufferPointer(other.elements)
    precondition(count * MemoryLayout<Element>.stride <= place.count)
    elements = UnsafeMutableBufferPointer(
      rebasing: place.bindMemory(to: Element.self)[..<count])
    owner = other
  }

  deinit {
    if owner == nil { elements.deallocate() }
  }
}
