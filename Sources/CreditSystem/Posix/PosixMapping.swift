internal import CLibrary

extension PosixSystem {
  public func allocate(_ file: Int32, _ byteCount: Int) throws(SystemError) {
    #if canImport(Darwin)
      try writeZeros(file, from: status(of: file).byteCount, to: byteCount)
    #else
      do {
        try repeating("allocate") {
          // Returns its error, and leaves errno alone.
          errno = posix_fallocate(file, 0, off_t(byteCount))
          return errno == 0 ? 0 : -1
        }
      } catch {
        // Some C libraries leave a file system without this call to the caller.
        guard error.code == EOPNOTSUPP else { throw error }
        try writeZeros(file, from: status(of: file).byteCount, to: byteCount)
      }
    #endif
  }

  /// Writes zeros to a file from one offset to another: in large pieces if possible, from a few
  /// pages that stay in the processor's cache.
  private func writeZeros(_ file: Int32, from start: Int, to end: Int) throws(SystemError) {
    let zeros = MutableBytes.allocate(byteCount: 1 << 16, alignment: 4096)
    defer { zeros.deallocate() }
    zeros.fill(0)
    let largePiece = [iovec](
      repeating: iovec(iov_base: zeros.baseAddress, iov_len: zeros.count),
      count: LargePages.byteCount / zeros.count)
    var offset = start
    while offset < end {
      if offset % LargePages.byteCount == 0, end - offset >= LargePages.byteCount {
        offset += try repeating("write") {
          pwritev(file, largePiece, Int32(largePiece.count), off_t(offset))
        }
      } else {
        let rest = Bytes(rebasing: zeros[..<min(zeros.count, end - offset)])
        offset += try writeBytes(file, rest, at: offset)
      }
    }
  }

  public func map(
    _ file: Int32, _ byteCount: Int, writable: Bool
  ) throws(SystemError) -> MutableBytes {
    let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
    guard let start = mmap(nil, byteCount, protection, MAP_SHARED, file, 0), start != MAP_FAILED
    else { throw SystemError(call: "map", code: errno) }
    return MutableBytes(start: start, count: byteCount)
  }

  public func syncMapping(_ memory: MutableBytes) throws(SystemError) {
    try repeating("sync") { msync(memory.baseAddress, memory.count, Int32(MS_SYNC)) }
  }

  public func prepareToWrite(_ file: Int32, _ memory: MutableBytes) {
    #if os(Linux)
      // A page of a new file takes 4 µs at its first write in memory, a quarter of that if zeros
      // have been written to the file. The system keeps large pieces in one page if it can, and
      // maps it whole: changing all of a large index then has 500 times fewer page faults. Failures
      // show when the page is used.
      try? writeZeros(file, from: 0, to: memory.count)
      // MADV_POPULATE_WRITE, since Linux 5.14; older ones refuse it.
      _ = madvise(memory.baseAddress, memory.count, 23)
    #endif
  }

  public func release(_ memory: MutableBytes) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    guard let start = memory.baseAddress, page > 0 else { return }
    // Whole pages only.
    let first = (UInt(bitPattern: start) + UInt(page) - 1) / UInt(page) * UInt(page)
    let end = (UInt(bitPattern: start) + UInt(memory.count)) / UInt(page) * UInt(page)
    guard first < end, let pages = UnsafeMutableRawPointer(bitPattern: first) else { return }
    _ = madvise(pages, Int(end - first), MADV_DONTNEED)
  }

  public func unmap(_ memory: MutableBytes) {
    guard let start = memory.baseAddress else { return }
    _ = munmap(start, memory.count)
  }
}

/// Large tables in large pages: the system provides one of 2 MiB in at most a fifth of the time of
/// its 512 small pages, each at its first write.
public enum LargePages {
  /// How large such a piece is.
  public static let byteCount = 2 << 20

  /// Smaller tables take fewer pages than are worth a large one.
  private static let leastByteCount = 1 << 19

  /// Allocates at least `byteCount` bytes, which the caller must deallocate.
  ///
  /// Large memory consists of such pieces if the system has some; it then begins and ends with one.
  public static func allocate(byteCount: Int) -> MutableBytes {
    guard byteCount >= leastByteCount else { return .allocate(byteCount: byteCount, alignment: 16) }
    let wholeCount = (byteCount + Self.byteCount - 1) / Self.byteCount * Self.byteCount
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: wholeCount, alignment: Self.byteCount)
    #if os(Linux)
      // MADV_HUGEPAGE, which few modules of C libraries have.
      _ = madvise(memory, wholeCount, 14)
    #endif
    return MutableBytes(start: memory, count: wholeCount)
  }
}
