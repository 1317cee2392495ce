internal import CLibrary

/// Large tables in large pieces: the system clears one of 2 MiB in a fifth of the time that the 512
/// pages of it take one by one, each when it is first written.
package enum LargePages {
  /// How large such a piece is.
  package static let byteCount = 2 << 20

  /// What is less has no whole piece in it, or hardly one.
  private static let leastByteCount = 3 << 20

  /// Asks the system to provide memory in such pieces. Where it has none, or memory is too small,
  /// nothing changes.
  package static func prefer(for memory: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
      guard memory.count >= leastByteCount, let start = memory.baseAddress else { return }
      // Memory of this size is a mapping of its own, which begins a few bytes before.
      let offset = Int(UInt(bitPattern: start) % 4096)
      // MADV_HUGEPAGE, which few modules of C libraries have.
      _ = madvise(start - offset, memory.count + offset, 14)
    #endif
  }
}

extension ContiguousArray {
  /// Makes room for so many elements in large pieces. There are none yet.
  package mutating func reserveInLargePages(_ capacity: Int) {
    reserveCapacity(capacity)
    withUnsafeMutableBufferPointer { elements in
      LargePages.prefer(
        for: UnsafeMutableRawBufferPointer(
          start: elements.baseAddress, count: capacity * MemoryLayout<Element>.stride))
    }
  }
}
