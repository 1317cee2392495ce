import CreditStore

/// A file as processes see it, and as the disk has it.
///
/// A write changes what processes see. The disk has it after a sync; before that any block of it may
/// reach the disk or not, in any order.
final class SimulatedFile {
  let inode: UInt64
  private(set) var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8192, alignment: 8)
  private(set) var count = 0
  /// What the disk has.
  private(set) var stored: [UInt8] = []
  /// Blocks whose write failed: the system takes them for written, and does not try again.
  private var forgotten: Set<Int> = []
  private let blockByteCount: Int
  var changed: Int64 = 0
  var mappings = 0

  init(inode: UInt64, blockByteCount: Int) {
    self.inode = inode
    self.blockByteCount = blockByteCount
  }

  deinit {
    memory.deallocate()
  }

  var bytes: ArraySlice<UInt8> { Array(memory[..<count])[...] }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let size = max(0, min(buffer.count, count - offset))
    if size > 0 {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[offset..<offset + size]))
    }
    return size
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    if bytes.isEmpty { return }
    if offset + bytes.count > count { setLength(offset + bytes.count) }
    UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).copyMemory(from: bytes)
    remember(offset..<offset + bytes.count)
  }

  func setLength(_ length: Int) {
    if length > memory.count {
      precondition(mappings == 0, "a mapped file must not move")
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(length, 2 * memory.count), alignment: 8)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
      memory.deallocate()
      memory = larger
    }
    if length > count {
      UnsafeMutableRawBufferPointer(rebasing: memory[count..<length]).initializeMemory(
        as: UInt8.self, repeating: 0)
    }
    remember(min(length, count)..<max(length, count))
    count = length
  }

  private func remember(_ range: Range<Int>) {
    if forgotten.isEmpty { return }
    for block in range.lowerBound / blockByteCount...range.upperBound / blockByteCount {
      forgotten.remove(block)
    }
  }

  private var blockCount: Int { (max(count, stored.count) + blockByteCount - 1) / blockByteCount }

  private func range(_ block: Int, upTo end: Int) -> Range<Int> {
    let first = min(block * blockByteCount, end)
    return first..<min(first + blockByteCount, end)
  }

  /// Brings everything to the disk, apart from what an earlier failure made the system forget.
  func sync() {
    if forgotten.isEmpty {
      stored = Array(memory[..<count])
      return
    }
    for block in 0..<blockCount where !forgotten.contains(block) { writeBack(block) }
    fitStored()
  }

  private func fitStored() {
    if stored.count > count { stored.removeSubrange(count...) }
    stored += [UInt8](repeating: 0, count: count - stored.count)
  }

  /// Fails to bring some blocks to the disk, and forgets that they are not there.
  func failSync(_ random: inout SeededGenerator) {
    for block in 0..<blockCount where !forgotten.contains(block) {
      if random.once(in: 2) { writeBack(block) } else { forgotten.insert(block) }
    }
  }

  /// Brings one block to the disk, as the system does in its own time.
  func writeBackSomeBlock(_ random: inout SeededGenerator) {
    guard blockCount > 0 else { return }
    let block = random.number(below: blockCount)
    if !forgotten.contains(block) { writeBack(block) }
  }

  private func writeBack(_ block: Int) {
    let range = range(block, upTo: count)
    guard !range.isEmpty else { return }
    if stored.count < range.upperBound {
      stored += [UInt8](repeating: 0, count: range.upperBound - stored.count)
    }
    stored.replaceSubrange(range, with: memory[range])
  }

  /// Loses at random what is not on the disk.
  func losePower(_ random: inout SeededGenerator) {
    let seen = Array(memory[..<count])
    var length = random.pick(stored.count, seen.count)
    if random.once(in: 3) {
      let block = random.number(below: blockCount + 1)
      let least = min(stored.count, seen.count)
      length = min(max(least, block * blockByteCount), max(stored.count, seen.count))
    }
    var left = [UInt8](repeating: 0, count: length)
    let style = random.number(below: 3)
    for block in 0..<blockCount {
      let keeps =
        switch style {
        case 0: random.once(in: 2)
        case 1: !random.once(in: 6)
        default: random.once(in: 6)
        }
      let source = keeps && !forgotten.contains(block) ? seen : stored
      let range = range(block, upTo: min(length, source.count))
      left.replaceSubrange(range, with: source[range])
    }
    forgotten = []
    stored = left
    replace(left)
  }

  /// Puts other bytes in place of those that processes see.
  func replace(_ bytes: [UInt8]) {
    mappings = 0
    count = 0
    bytes.withUnsafeBytes { buffer in
      setLength(buffer.count)
      memory.copyMemory(from: buffer)
    }
  }
}
