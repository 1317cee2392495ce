#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension PosixSystem {
  package func allocate(_ file: Int32, _ byteCount: Int) throws(SystemError) {
    #if canImport(Darwin)
      try writeZeros(file, byteCount)
    #else
      while true {
        // Returns the error, and leaves errno alone.
        let code = posix_fallocate(file, 0, off_t(byteCount))
        if code == 0 { return }
        // Some C libraries leave a file system without this call to the caller.
        if code == EOPNOTSUPP { return try writeZeros(file, byteCount) }
        if code != EINTR { throw SystemError(call: "allocate", code: code) }
      }
    #endif
  }

  /// Extends a file to a length by writing zeros where it ends.
  private func writeZeros(_ file: Int32, _ byteCount: Int) throws(SystemError) {
    let zeros = [UInt8](repeating: 0, count: 65_536)
    var end = try status(of: file).byteCount
    while end < byteCount {
      let count = min(zeros.count, byteCount - end)
      end += try zeros.span.withUnsafeBytes { (bytes) throws(SystemError) -> Int in
        try writeBytes(file, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: end)
      }
    }
  }

  package func map(
    _ file: Int32, _ byteCount: Int, writable: Bool
  ) throws(SystemError) -> UnsafeMutableRawBufferPointer {
    let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
    guard let start = mmap(nil, byteCount, protection, MAP_SHARED, file, 0), start != MAP_FAILED
    else { throw SystemError(call: "map", code: errno) }
    return UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  package func syncMapping(_ memory: UnsafeMutableRawBufferPointer) throws(SystemError) {
    try repeating("sync") { msync(memory.baseAddress, memory.count, Int32(MS_SYNC)) }
  }

  package func unmap(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    _ = munmap(start, memory.count)
  }
}
