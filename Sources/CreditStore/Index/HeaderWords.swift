/// Numbers of 64 bits in the header of an index file. No array of them: the runtime would make a
/// type for that at its first use, which is 12,000 instructions of each run.
struct HeaderWords {
  private let memory: UnsafeMutableRawBufferPointer

  /// - Parameter offset: where in the file's bytes the first of them is.
  init(_ memory: UnsafeMutableRawBufferPointer, from offset: Int = 0) {
    self.memory = UnsafeMutableRawBufferPointer(rebasing: memory[offset...])
  }

  subscript(place: Int) -> UInt64 {
    get { memory.load(fromByteOffset: 8 * place, as: UInt64.self) }
    nonmutating set { memory.storeBytes(of: newValue, toByteOffset: 8 * place, as: UInt64.self) }
  }

  /// The checksum of the first ones. Zeros do not have themselves as their checksum.
  func checksum(ofFirst count: Int) -> UInt64 {
    UInt64(CRC32C.checksum(UnsafeRawBufferPointer(rebasing: memory[..<(8 * count)])))
  }
}
