internal import CLibrary

/// Large tables in large pieces: the system provides one of 2 MiB in a fifth of the time, at most,
/// that the 512 pages of it take one by one, each when it is first written.
package enum LargePages {
  /// How large such a piece is.
  package static let byteCount = 2 << 20

  /// What is less takes fewer pages than are worth a piece.
  private static let leastByteCount = 1 << 19

  /// Memory of so many bytes at least, in such pieces where it is large: it begins and ends with
  /// one then. It is the caller's to deallocate.
  package static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    guard byteCount >= leastByteCount else {
      return .allocate(byteCount: byteCount, alignment: 16)
    }
    let wholeCount = (byteCount + Self.byteCount - 1) / Self.byteCount * Self.byteCount
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: wholeCount, alignment: Self.byteCount)
    prefer(for: UnsafeMutableRawBufferPointer(start: memory, count: wholeCount))
    return memory
  }

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
