internal import CreditSystem

extension IndexFile {
  /// Into how many parts the slots are divided.
  private static let partBits = 12
  /// How many slots are passed before their memory is given back: 16 MiB of them.
  private static let blockSlotCount = 1 << 20

  /// Sets many keys, part by part of the slots, those of one part in their order.
  func setInOrder(_ keys: ContiguousArray<PendingIndex.KeyChange>) throws(StoreFault) {
    let mask = UInt64(tables.mask)
    let shift = UInt64(max(0, mask.bitWidth - mask.leadingZeroBitCount - Self.partBits))
    let order = PartOrder.numbers(of: keys.count, partCount: 1 << Self.partBits) {
      Int((keys[$0].hash & mask) >> shift)
    }
    var released = 0
    for number in order {
      let key = keys[Int(number)]
      let place = Int(key.hash & mask)
      if place - released >= 2 * Self.blockSlotCount {
        release(slots: released..<released + Self.blockSlotCount)
        released += Self.blockSlotCount
      }
      guard tables.set(key) else { throw .indexUnusable("it is full") }
    }
  }

  /// Gives back the memory of look-ups, each of which can have the system map 2 MiB.
  func spareMemory() {
    if sparesMemory { release(slots: 0..<layout.slotCapacity) }
  }

  /// Gives back the memory of slots, which counts as this process's while they are mapped.
  func release(slots: Range<Int>) {
    let start = layout.slotsOffset + MemoryLayout<IndexSlot>.stride * slots.lowerBound
    let end = start + MemoryLayout<IndexSlot>.stride * slots.count
    mapping.file.system.release(
      UnsafeMutableRawBufferPointer(rebasing: mapping.memory[start..<end]))
  }
}
