import CreditBytes

/// A file as processes see it, and as the disk has it.
///
/// A write changes the processes' view. The disk has it after a sync; before that any block of it
/// may reach the disk or not, in any order. Only blocks that the disk may lack are ever copied.
final class SimulatedFile {
  let inode: UInt64
  var changed: Int64 = 0
  private(set) var mappings = 0

  /// The processes' view.
  private var seen = SimulatedBytes()
  /// The disk's contents.
  private var stored = SimulatedBytes()
  /// Outside of it both are the same.
  private var unsynced = 0..<0
  /// A write through a mapping leaves no trace of its place.
  private var isUnsyncedAnywhere = false
  /// Blocks whose write failed: the system takes them for written, and does not try again.
  private var forgotten: Set<Int> = []
  private let blockByteCount: Int

  init(inode: UInt64, blockByteCount: Int) {
    self.inode = inode
    self.blockByteCount = blockByteCount
  }

  var count: Int { seen.count }

  /// The processes' current view.
  var bytes: [UInt8] { seen.copied() }

  func starts(with bytes: [UInt8]) -> Bool { seen.starts(with: bytes) }

  // MARK: Processes

  func read(into buffer: MutableBytes, at offset: Int) -> Int {
    let size = max(0, min(buffer.count, count - offset))
    if size > 0 {
      buffer.copyMemory(from: Bytes(rebasing: seen.memory[offset..<offset + size]))
    }
    return size
  }

  func write(_ bytes: Bytes, at offset: Int) {
    if bytes.isEmpty { return }
    if offset + bytes.count > count { setLength(offset + bytes.count) }
    seen.put(bytes, at: offset)
    note(offset..<offset + bytes.count)
  }

  func setLength(_ length: Int) {
    precondition(mappings == 0 || seen.hasRoom(for: length), "a mapped file must not move")
    let old = count
    seen.setLength(length)
    note(min(length, old)..<max(length, old))
  }

  /// Says that a range was written to.
  private func note(_ range: Range<Int>) {
    if range.isEmpty { return }
    unsynced = unsynced.isEmpty ? range : unsynced.extended(by: range)
    if forgotten.isEmpty { return }
    for block in blocks(of: range) { forgotten.remove(block) }
  }

  func map(_ byteCount: Int, writable: Bool) -> MutableBytes {
    mappings += 1
    if writable { isUnsyncedAnywhere = true }
    return MutableBytes(rebasing: seen.memory[..<byteCount])
  }

  func unmap() { mappings = max(0, mappings - 1) }

  func isMapped(at address: UnsafeMutableRawPointer?) -> Bool { seen.memory.baseAddress == address }

  // MARK: Blocks

  private var differing: Range<Int> {
    isUnsyncedAnywhere ? 0..<max(seen.count, stored.count) : unsynced
  }

  private func blocks(of range: Range<Int>) -> Range<Int> {
    range.lowerBound / blockByteCount..<(range.upperBound + blockByteCount - 1) / blockByteCount
  }

  private func range(_ block: Int, upTo end: Int) -> Range<Int> {
    let first = min(block * blockByteCount, end)
    return first..<min(first + blockByteCount, end)
  }

  private func writeBack(_ block: Int) {
    let range = range(block, upTo: count)
    if stored.count < range.upperBound { stored.setLength(range.upperBound) }
    stored.copy(range, from: seen)
  }

  // MARK: The disk

  /// Syncs everything, apart from blocks that the system forgot after an earlier failure.
  func sync() {
    if forgotten.isEmpty {
      stored.setLength(count)
      stored.copy(differing.clamped(to: 0..<count), from: seen)
      unsynced = 0..<0
    } else {
      for block in blocks(of: differing) where !forgotten.contains(block) { writeBack(block) }
      stored.setLength(count)
    }
  }

  /// Fails to bring some blocks to the disk, and forgets that they are not there.
  func failSync(_ random: inout SeededGenerator) {
    for block in blocks(of: differing) where !forgotten.contains(block) {
      if random.once(in: 2) { writeBack(block) } else { forgotten.insert(block) }
    }
  }

  /// Brings one block to the disk, as the system does in its own time.
  func writeBackSomeBlock(_ random: inout SeededGenerator) {
    let blocks = blocks(of: differing)
    if blocks.isEmpty { return }
    let block = blocks.lowerBound + random.number(below: blocks.count)
    if !forgotten.contains(block) { writeBack(block) }
  }

  /// Loses at random blocks that are not on the disk.
  func losePower(_ random: inout SeededGenerator) {
    mappings = 0
    let lost = differing
    let length = lengthAfterPowerCut(&random)
    let longest = max(seen.count, stored.count)
    seen.setLength(longest)
    stored.setLength(longest)
    let style = random.number(below: 3)
    for block in blocks(of: lost) {
      let keeps =
        switch style {
        case 0: random.once(in: 2)
        case 1: !random.once(in: 6)
        default: random.once(in: 6)
        }
      if keeps && !forgotten.contains(block) {
        stored.copy(range(block, upTo: longest), from: seen)
      }
    }
    stored.setLength(length)
    seen.setLength(length)
    seen.copy(lost.clamped(to: 0..<length), from: stored)
    forgotten = []
    unsynced = 0..<0
    isUnsyncedAnywhere = false
  }

  /// The length on the disk, or the one that processes saw, or any between them.
  private func lengthAfterPowerCut(_ random: inout SeededGenerator) -> Int {
    let (least, most) = (min(stored.count, seen.count), max(stored.count, seen.count))
    if least == most { return most }
    if !random.once(in: 3) { return random.once(in: 2) ? stored.count : seen.count }
    let first = least / blockByteCount
    let block = first + random.number(below: most / blockByteCount - first + 2)
    return min(max(least, block * blockByteCount), most)
  }
}

extension Range<Int> {
  /// The least range that has both.
  fileprivate func extended(by other: Range<Int>) -> Range<Int> {
    Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
  }
}
