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
    prefetchNew(hash)
    slots.prefetch(hash)
  }

  /// Fetches what noting a key will begin with that is certain to be new.
  @inline(__always)
  func prefetchNew(_ hash: UInt64) {
    CShims.prefetch(table + (Int(truncatingIfNeeded: hash) & tableMask))
  }
}

/// Where slots are: those of an index file, or of keys that are being verified.
struct SlotPlaces {
  private let slots: UnsafePointer<IndexSlot>?
  private let mask: Int

  init(_ slots: UnsafePointer<IndexSlot>?, mask: Int) {
    self.slots = slots
    self.mask = mask
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
}
