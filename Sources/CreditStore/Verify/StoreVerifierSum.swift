internal import CreditModel

/// What an index holds, or has to hold, as one number: the sum of a mixture of each hash and what
/// it leads to. Two that differ in anything have the same sum once in 2^64 times; nobody who does
/// not know the index's seed knows the hashes.
struct IndexSum: Equatable {
  private var sum: UInt64 = 0
  private var count = 0

  mutating func add(_ hash: UInt64, _ value: Int) {
    sum &+= IndexTables.mixed(hash, value &+ 1)
    count += 1
  }

  mutating func remove(_ hash: UInt64, _ value: Int) {
    sum &-= IndexTables.mixed(hash, value &+ 1)
    count -= 1
  }
}

// What is done where not all ids and keys are kept.
extension VerifierBooks {
  /// Keeps what a record is found by, and forgets what no record can follow any more.
  func keep(_ context: Context, _ event: LedgerEvent, at offset: Int) {
    let hashes = context.hashes
    if let id = hashes.id { keep(id, offset, replacing: context.earlier) }
    // Whatever has a key has it from its first record on.
    if let key = hashes.key { keep(key, offset, replacing: context.earlier) }
    if let original = hashes.originalID { keep(original, offset, replacing: nil) }
    if keepsAll { return }
    switch event {
    case .charge, .void:
      if let id = hashes.id { keys.remove(id) }
      if let key = hashes.key { keys.remove(key) }
    default: break
    }
  }

  private func keep(_ hash: UInt64, _ offset: Int, replacing earlier: Int?) {
    if let old = keys.offset(of: hash) ?? earlier { keySum.remove(hash, old) }
    keySum.add(hash, offset)
    keys.set(hash, offset)
  }

  /// The context of a record, whose id may be that of a charge that was not kept: the record says
  /// where that is.
  func context(of stored: StoredRecord, _ hashes: Hashes) throws(StoreFault) -> Context {
    let context = context(hashes)
    guard !keepsAll, context.earlier == nil, let original = stored.record.original,
      let first = try read(Int(original.value)), case .charge = first.event,
      first.event.id == stored.record.event.id
    else { return context }
    return Context(
      hashes: hashes, number: context.number, previous: context.previous,
      earlier: Int(original.value))
  }
}

extension VerifierIndex {
  /// Whether the index holds exactly what it has to, each where it is looked for.
  func holds(_ books: VerifierBooks) -> Bool {
    guard index.accountCount == books.accounts.entries.count,
      index.recordCount == books.recordCount
    else { return false }
    for (number, entry) in books.accounts.entries.enumerated()
    where index.accountOffset(number) != entry.offset { return false }
    return index.contents() == books.keySum
  }
}

extension IndexFile {
  /// How many slots are looked at before their memory is given back: 4 MiB of them.
  private static let blockSlotCount = 1 << 18

  /// The sum of all slots; nil where a page is damaged, a slot is where it is not found, or two
  /// have one hash.
  fileprivate func contents() -> IndexSum? {
    let mask = tables.mask
    guard tables.checkAccounts(), let start = (0...mask).first(where: isFree) else { return nil }
    var sum = IndexSum()
    var free = start
    for step in 1...mask {
      let place = (start + step) & mask
      if place % Self.blockSlotCount == 0 && place > 0 {
        release(slots: place - Self.blockSlotCount..<place)
      }
      guard let slot = tables.slot(place) else { return nil }
      if slot.stored == 0 {
        free = place
        continue
      }
      // All places from the one that its hash leads to are taken, none by the same hash.
      let distance = (place - Int(truncatingIfNeeded: slot.hash)) & mask
      guard distance < (place - free) & mask else { return nil }
      for back in 0..<distance where tables.rawSlot((place - 1 - back) & mask).hash == slot.hash {
        return nil
      }
      sum.add(slot.hash, Int(truncatingIfNeeded: slot.stored &- 1))
    }
    return sum
  }

  private func isFree(_ place: Int) -> Bool { tables.slot(place).map { $0.stored == 0 } ?? false }
}
