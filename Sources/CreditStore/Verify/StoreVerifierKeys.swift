internal import CreditSystem

/// Where the newest record of each id and key is, by their hashes: 64 bits tell as many of them
/// apart as a store ever has.
struct VerifierKeys: ~Copyable {
  private var memory: ZeroedMemory
  private var slots: UnsafeMutablePointer<IndexSlot>
  private var mask: Int
  private(set) var count = 0

  /// - Parameter expectedCount: how many keys there may be.
  init(expectedCount: Int) {
    var capacity = 1024
    while 3 * capacity < 4 * expectedCount { capacity *= 2 }
    mask = capacity - 1
    memory = Self.freeSlots(capacity)
    slots = Self.slots(in: memory)
  }

  private static func freeSlots(_ count: Int) -> ZeroedMemory {
    ZeroedMemory(byteCount: count * MemoryLayout<IndexSlot>.stride)
  }

  private static func slots(in memory: borrowing ZeroedMemory) -> UnsafeMutablePointer<IndexSlot> {
    memory.start.assumingMemoryBound(to: IndexSlot.self)
  }

  /// The offset of a key's newest record; nil where there is none.
  func offset(of hash: UInt64) -> Int? {
    let slot = slots[place(of: hash)]
    return slot.stored == 0 ? nil : Int(slot.stored - 1)
  }

  /// Sets the offset of a key's newest record.
  mutating func set(_ hash: UInt64, _ offset: Int) {
    var place = place(of: hash)
    if slots[place].stored == 0 {
      if 4 * (count + 1) > 3 * mask {
        grow()
        place = self.place(of: hash)
      }
      count += 1
    }
    slots[place] = IndexSlot(hash: hash, stored: UInt64(offset) + 1)
  }

  /// Forgets a key.
  mutating func remove(_ hash: UInt64) {
    var free = place(of: hash)
    guard slots[free].stored != 0 else { return }
    count -= 1
    // What comes after it moves up, unless it would come before the place it is looked for.
    var next = (free + 1) & mask
    while slots[next].stored != 0 {
      let distance = (next - Int(truncatingIfNeeded: slots[next].hash)) & mask
      if distance >= (next - free) & mask {
        slots[free] = slots[next]
        free = next
      }
      next = (next + 1) & mask
    }
    slots[free] = IndexSlot(hash: 0, stored: 0)
  }

  /// Fetches the places of hashes that come next.
  func prefetch(_ hashes: ContiguousArray<UInt64>) {
    let places = SlotPlaces(slots, mask: mask)
    for hash in hashes { places.prefetch(hash) }
  }

  /// Calls `body` with every key's hash and offset, in the order of the hashes' low bits: that in
  /// which the index has them.
  func visit(_ body: (UInt64, Int) -> Void) {
    for place in 0...mask where slots[place].stored != 0 {
      body(slots[place].hash, Int(slots[place].stored - 1))
    }
  }

  @inline(__always)
  private func place(of hash: UInt64) -> Int {
    var place = Int(truncatingIfNeeded: hash) & mask
    while slots[place].stored != 0 && slots[place].hash != hash { place = (place + 1) & mask }
    return place
  }

  private mutating func grow() {
    let old = slots
    let oldCount = mask + 1
    let newMemory = Self.freeSlots(2 * oldCount)
    slots = Self.slots(in: newMemory)
    mask = 2 * oldCount - 1
    for index in 0..<oldCount where old[index].stored != 0 {
      slots[place(of: old[index].hash)] = old[index]
    }
    memory = newMemory
  }
}
