internal import CShims

/// Finds entries of an array by their hashes: open addressing, with linear probing.
struct ProbeTable: ~Copyable {
  /// Each word has the hash's upper half, and the entry's number plus one; 0 if it is free.
  private var words: UnsafeMutablePointer<UInt64>
  private var mask: Int
  private var count = 0

  init() {
    mask = 63
    words = Self.freeWords(64)
  }

  deinit {
    words.deallocate()
  }

  private static func freeWords(_ count: Int) -> UnsafeMutablePointer<UInt64> {
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
    words.initialize(repeating: 0, count: count)
    return words
  }

  /// Returns the number of the first entry of a hash that `matches` accepts.
  @inline(__always)
  func find<Failure>(
    _ hash: UInt64, where matches: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int? {
    let tag = hash & ~0xFFFF_FFFF
    var index = Int(truncatingIfNeeded: hash) & mask
    while true {
      let word = words[index]
      if word == 0 { return nil }
      if word & ~0xFFFF_FFFF == tag {
        let entry = Int(truncatingIfNeeded: word & 0xFFFF_FFFF) - 1
        if try matches(entry) { return entry }
      }
      index = (index + 1) & mask
    }
  }

  /// Addresses at which entries are searched.
  var places: KeyPlaces { KeyPlaces(words, mask: mask) }

  /// Adds the next entry, whose number is the current count.
  /// - Parameter hash: the hash of a previous entry by its number.
  @inline(__always)
  mutating func append(_ newHash: UInt64, _ hash: (Int) -> UInt64) {
    if 2 * count > mask { grow(hash) }
    insert(newHash, count)
    count += 1
  }

  @inline(__always)
  private func insert(_ hash: UInt64, _ entry: Int) {
    var index = Int(truncatingIfNeeded: hash) & mask
    while words[index] != 0 { index = (index + 1) & mask }
    words[index] = hash & ~0xFFFF_FFFF | UInt64(entry + 1)
  }

  private mutating func grow(_ hash: (Int) -> UInt64) {
    words.deallocate()
    let capacity = 4 * (mask + 1)
    words = Self.freeWords(capacity)
    mask = capacity - 1
    for entry in 0..<count { insert(hash(entry), entry) }
  }

  /// Removes all entries, and keeps the memory.
  /// - Parameter hash: the hash of an entry by its number.
  mutating func removeAll(_ hash: (Int) -> UInt64) {
    if 8 * count > mask {
      words.update(repeating: 0, count: mask + 1)
    } else {
      for entry in 0..<count { clearRun(at: Int(truncatingIfNeeded: hash(entry)) & mask) }
    }
    count = 0
  }

  /// Frees the places from one on up to the next free one. All are to be freed in the end.
  private func clearRun(at start: Int) {
    var index = start
    while words[index] != 0 {
      words[index] = 0
      index = (index + 1) & mask
    }
  }
}

/// Addresses at which searches for keys begin, for prefetching.
///
/// They are not counted references: they may belong to a table that has grown since. Then the
/// prefetch is useless, but harmless.
struct KeyPlaces {
  /// The new keys, and the slots of the index file.
  private let table: UnsafePointer<UInt64>
  private let tableMask: Int
  private var slots = SlotPlaces(nil, mask: 0)

  /// Number of keys that are prefetched together, during look-ups of the previous group. Each fetch
  /// waits for the processor to find the memory's page, in a large table longer than the look-up
  /// takes. Several find theirs at once; all of them would be too many.
  static let groupCount = 16

  init(_ table: UnsafePointer<UInt64>, mask: Int) {
    self.table = table
    tableMask = mask
  }

  func with(_ slots: SlotPlaces) -> KeyPlaces {
    var places = self
    places.slots = slots
    return places
  }

  /// Prefetches the beginning of a key's look-up.
  @inline(__always)
  func prefetch(_ hash: UInt64) {
    CShims.prefetch(table + (Int(truncatingIfNeeded: hash) & tableMask))
    slots.prefetch(hash)
  }
}

/// Addresses of slots: those of an index file, or of keys that are being verified.
struct SlotPlaces {
  private let slots: UnsafePointer<IndexSlot>?
  private let mask: Int
  /// The sums of the slots' pages, if they have any.
  private let sums: UnsafePointer<UInt64>?

  init(_ slots: UnsafePointer<IndexSlot>?, mask: Int, sums: UnsafePointer<UInt64>? = nil) {
    self.slots = slots
    self.mask = mask
    self.sums = sums
  }

  /// Prefetches the start of a key's search, and the next slots: a fifth of all searches go on
  /// behind the four slots that are fetched at once.
  @inline(__always)
  func prefetch(_ hash: UInt64) {
    guard let slots else { return }
    let slot = slots + (Int(truncatingIfNeeded: hash) & mask)
    CShims.prefetch(slot)
    CShims.prefetch(slot + 2)
  }

  /// Prefetches the slots for setting a key, and the sum that will change.
  @inline(__always)
  func prefetchToSet(_ hash: UInt64) {
    prefetch(hash)
    guard let sums else { return }
    CShims.prefetch(sums + (Int(truncatingIfNeeded: hash) & mask) / IndexTables.slotsPerPage)
  }
}
