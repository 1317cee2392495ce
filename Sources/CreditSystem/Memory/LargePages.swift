internal import CLibrary

/// Large tables in large pieces: the system provides one of 2 MiB in a fifth of the time, at most,
/// that the 512 pages of it take one by one, each when it is first written.
package enum LargePages {
  /// How large such a piece is.
  package static let byteCount = 2 << 20

  /// What is less takes fewer pages than are worth a piece.
  private static let leastByteCount = 1 << 19

  /// Allocates at least `byteCount` bytes, which the caller must deallocate.
  ///
  /// Large memory consists of such pieces if the system has some; it then begins and ends with one.
  package static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    guard byteCount >= leastByteCount else {
      return .allocate(byteCount: byteCount, alignment: 16)
    }
    let wholeCount = (byteCount + Self.byteCount - 1) / Self.byteCount * Self.byteCount
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: wholeCount, alignment: Self.byteCount)
    #if os(Linux)
      // MADV_HUGEPAGE, which few modules of C libraries have.
      _ = madvise(memory, wholeCount, 14)
    #endif
    return memory
  }
}
