internal import CreditSystem

/// A table in large pieces of memory. Its elements are whatever is put there.
final class LargeTable<Element: BitwiseCopyable>: @unchecked Sendable {
  let elements: UnsafeMutableBufferPointer<Element>

  init(count: Int) {
    let memory = LargePages.allocate(byteCount: count * MemoryLayout<Element>.stride)
    elements = UnsafeMutableBufferPointer(
      start: memory.bindMemory(to: Element.self, capacity: count), count: count)
  }

  deinit {
    elements.deallocate()
  }
}
