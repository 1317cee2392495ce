import CreditBytes
import Foundation

/// Bytes that grow with zeros, and whose memory a process may have mapped.
struct SimulatedBytes: ~Copyable {
  private(set) var memory = MutableBytes.allocate(byteCount: 8192, alignment: 8)
  private(set) var count = 0

  deinit {
    memory.deallocate()
  }

  /// Whether `length` bytes have room without moving.
  func hasRoom(for length: Int) -> Bool { length <= memory.count }

  mutating func setLength(_ length: Int) {
    if !hasRoom(for: length) {
      let larger = MutableBytes.allocate(
        byteCount: max(length, 2 * memory.count), alignment: 8)
      larger.copyMemory(from: Bytes(rebasing: memory[..<count]))
      memory.deallocate()
      memory = larger
    }
    if length > count, let start = memory.baseAddress {
      memset(start + count, 0, length - count)
    }
    count = length
  }

  /// Puts bytes in place of those at an offset; they must be within `count`.
  func put(_ bytes: Bytes, at offset: Int) {
    MutableBytes(rebasing: memory[offset..<count]).copyMemory(from: bytes)
  }

  func copy(_ range: Range<Int>, from other: borrowing SimulatedBytes) {
    if range.isEmpty { return }
    put(Bytes(rebasing: other.memory[range]), at: range.lowerBound)
  }

  /// All of them, as they are now.
  func copied() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      MutableBytes(buffer).copyMemory(
        from: Bytes(rebasing: memory[..<count]))
      used = count
    }
  }

  /// Whether they begin with these.
  func starts(with bytes: [UInt8]) -> Bool {
    guard bytes.count <= count, let start = memory.baseAddress else { return false }
    return bytes.withBytes { other in
      other.baseAddress.map { memcmp(start, $0, other.count) == 0 } ?? true
    }
  }
}
