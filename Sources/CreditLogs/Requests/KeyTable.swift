internal import CreditModel

/// The hashes of the keys that were seen, in the order in which they were: all that grows with a
/// log. A key takes 24 bytes of it, or up to 48 while it has just grown.
struct KeyTable {
  /// A key's hash of 128 bits: two of a billion billion keys have different ones.
  struct Hash: Equatable {
    let low: UInt64
    let high: UInt64
  }

  private let seed: (UInt64, UInt64)
  private var hashes: [Hash] = []
  /// For each slot, the number of a hash plus one; 0 if free.
  private var slots = [UInt32](repeating: 0, count: 1024)

  /// - Parameter seed: random bits, so that users cannot choose keys with the same hash.
  init(seed: (UInt64, UInt64)) {
    self.seed = seed
  }

  /// Number of keys that were seen.
  var count: Int { hashes.count }

  /// The number of a key, from 0 in the order in which keys were first seen.
  mutating func number(of key: String) -> (number: Int, isNew: Bool) {
    number(of: key.withUTF8Bytes(hash))
  }

  /// Returns the number of a key; nil if it was not seen.
  func find(_ key: String) -> Int? {
    let number = slots[slot(of: key.withUTF8Bytes(hash))]
    return number == 0 ? nil : Int(number) - 1
  }

  private mutating func number(of hash: Hash) -> (number: Int, isNew: Bool) {
    let slot = slot(of: hash)
    if slots[slot] != 0 { return (Int(slots[slot]) - 1, false) }
    precondition(hashes.count < UInt32.max, "A log has more messages than can be told apart")
    hashes.append(hash)
    slots[slot] = UInt32(hashes.count)
    if hashes.count * 4 > slots.count * 3 { grow() }
    return (hashes.count - 1, true)
  }

  /// Returns the slot of a hash, or the free one for it.
  private func slot(of hash: Hash) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash.low) & mask
    while slots[slot] != 0, hashes[Int(slots[slot]) - 1] != hash { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    let mask = slots.count - 1
    for (number, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash.low) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number + 1)
    }
  }

  /// Multiplies words into two lanes, and folds each product.
  private func hash(_ bytes: UnsafeRawBufferPointer) -> Hash {
    var low = seed.0 ^ UInt64(truncatingIfNeeded: bytes.count)
    var high = seed.1
    var offset = 0
    while offset < bytes.count {
      var word: UInt64 = 0
      let end = min(offset + 8, bytes.count)
      for index in offset..<end { word = word << 8 | UInt64(bytes[index]) }
      low = Self.folded(low ^ word, 0x9E37_79B9_7F4A_7C15)
      high = Self.folded(high &+ word, 0xD6E8_FEB8_6659_FD93)
      offset = end
    }
    return Hash(
      low: Self.folded(low ^ high, 0xA076_1D64_78BD_642F),
      high: Self.folded(high ^ seed.0, 0xE703_7ED1_A0B4_28DB) &+ low)
  }

  private static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
