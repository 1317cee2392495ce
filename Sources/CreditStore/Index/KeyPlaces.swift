internal import CShims

/// Where in memory the search for a key begins, for the processor to fetch it before it is used.
///
/// Addresses and nothing that is counted: they may be of a table that has grown since, and then
/// what is fetched is of no use, and does no harm.
struct KeyPlaces {
  /// The new keys, and the slots of the index file.
  private let table: UnsafePointer<UInt64>
  private let tableMask: Int
  private var slots = SlotPlaces(nil, mask: 0)

  /// How many keys are fetched together, while the group before them is looked up or set. Each
  /// fetch waits for the processor to find the memory's page, in a large table longer than the
  /// look-up takes, and several find theirs at once; all of them would be more than it can fetch.
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

  /// Fetches what looking a key up will begin with.
  @inline(__always)
  func prefetch(_ hash: UInt64) {
    CShims.prefetch(table + (Int(truncatingIfNeeded: hash) & tableMask))
    slots.prefetch(hash)
  }
}

/// Where slots are: those of an index file, or of keys that are being verified.
struct SlotPlaces {
  private let slots: UnsafePointer<IndexSlot>?
  private let mask: Int
  /// The sums of the slots' pages; nil where they have none.
  private let sums: UnsafePointer<UInt64>?

  init(_ slots: UnsafePointer<IndexSlot>?, mask: Int, sums: UnsafePointer<UInt64>? = nil) {
    self.slots = slots
    self.mask = mask
    self.sums = sums
  }

  /// Fetches where a key's search will begin, and what comes next: a fifth of all searches go on
  /// behind the four slots that are fetched at once.
  @inline(__always)
  func prefetch(_ hash: UInt64) {
    guard let slots else { return }
    let slot = slots + (Int(truncatingIfNeeded: hash) & mask)
    CShims.prefetch(slot)
    CShims.prefetch(slot + 2)
  }

  /// Fetches what setting a key will begin with, and the sum that it will change.
  @inline(__always)
  func prefetchToSet(_ hash: UInt64) {
    prefetch(hash)
    guard let sums else { return }
    CShims.prefetch(sums + (Int(truncatingIfNeeded: hash) & mask) / IndexTables.slotsPerPage)
  }
}
