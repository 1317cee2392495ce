internal import CreditModel

/// The contents of an index as one number: the sum of a mixture of each hash and its value.
///
/// Two different indexes have the same sum once in 2^64 times. The hashes are secret without the
/// index's seed.
public struct IndexSum: Equatable {
  private var sum: UInt64 = 0
  private var count = 0

  public init() {}

  public mutating func add(_ hash: UInt64, _ value: Int) {
    sum &+= IndexTables.mixed(hash, value &+ 1)
    count += 1
  }

  public mutating func remove(_ hash: UInt64, _ value: Int) {
    sum &-= IndexTables.mixed(hash, value &+ 1)
    count -= 1
  }
}

// Checks without keeping all ids and keys.
extension VerifierBooks {
  /// Keeps a record's ids and keys, and forgets those that no later record can use.
  func keep(_ context: Context, _ event: LedgerEvent, at offset: Int) {
    let hashes = context.hashes
    if let id = hashes.id { keep(id, offset, replacing: context.earlier) }
    // A key belongs to an event from its first record on.
    if let key = hashes.key { keep(key, offset, replacing: context.earlier) }
    if let original = hashes.originalID { keep(original, offset, replacing: nil) }
    if keepsAll { return }
    switch event {
    case .charge, .void:
      if let id = hashes.id { keys[id] = nil }
      if let key = hashes.key { keys[key] = nil }
    default: break
    }
  }

  private func keep(_ hash: UInt64, _ offset: Int, replacing earlier: Int?) {
    if let old = keys[hash] ?? earlier { keySum.remove(hash, old) }
    keySum.add(hash, offset)
    keys[hash] = offset
  }

  /// Returns the context of a record that may belong to a charge that was not kept. The record has
  /// the charge's offset.
  func context(of stored: StoredRecord, _ hashes: Hashes) throws(StoreFault) -> Context {
    var context = context(hashes)
    guard !keepsAll, context.earlier == nil, let original = stored.record.original,
      let first = try read(Int(original.value)), case .charge = first.event,
      first.event.id == stored.record.event.id
    else { return context }
    context.earlier = Int(original.value)
    return context
  }
}

extension IndexFile {
  /// Number of slots after which their memory is released: 4 MiB of them.
  private static let blockSlotCount = 1 << 18

  /// Returns the sum of all slots; nil if a page is damaged, a slot is in a wrong place, or two
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
      // All places from the hash's first one on are taken by other hashes.
      let distance = (place - Int(truncatingIfNeeded: slot.hash)) & mask
      guard distance < (place - free) & mask else { return nil }
      for back in 0..<distance where tables.slots[(place - 1 - back) & mask].hash == slot.hash {
        return nil
      }
      sum.add(slot.hash, Int(truncatingIfNeeded: slot.stored &- 1))
    }
    return sum
  }

  private func isFree(_ place: Int) -> Bool { tables.slot(place).map { $0.stored == 0 } ?? false }
}

/// Checks an index against the journal that it was made from.
struct VerifierIndex {
  let index: IndexFile
  /// Length of the journal in the index when it was opened. Later writers, or one that was killed,
  /// may make it point beyond that: this is not a fault.
  let coverage: Int

  /// Opens the index of a store. Requires the lock and a refreshed journal.
  /// - Returns: nil if there is no usable one: the journal alone answers then.
  init?(of journal: JournalFile, in directory: StoreDirectory) throws(StoreFault) {
    do throws(StoreFault) {
      index = try IndexFile(readingIn: directory)
      coverage = try index.prepare(for: journal)
    } catch {
      guard case .indexUnusable = error else { throw error }
      return nil
    }
  }

  var hasher: KeyHasher { index.hasher }

  /// Whether the index has exactly the right entries in their places.
  func holds(_ books: VerifierBooks) -> Bool {
    guard index.accountCount == books.accounts.entries.count,
      index.recordCount == books.recordCount
    else { return false }
    for (number, entry) in books.accounts.entries.enumerated()
    where index.accountOffset(number) != entry.offset { return false }
    return index.contents() == books.keySum
  }

  /// Forgets damage found before. Requires the lock.
  func recheck() { index.recheck() }

  /// Looks up all keys of the journal, if the index covers all of it.
  /// - Returns: the fault found, if any.
  func finding(against books: VerifierBooks) -> CreditError? {
    var wrong = 0
    var firstOffset: Int?
    func note(_ isRight: Bool, _ offset: Int) {
      if isRight { return }
      wrong += 1
      firstOffset = min(firstOffset ?? offset, offset)
    }
    for number in 0..<books.accounts.entries.count {
      let entry = books.accounts.entries[number]
      note(isRight(entry, number), entry.offset)
    }
    books.keys.visit { hash, offset in note(leads(hash, to: offset), offset) }
    let isCountRight =
      index.accountCount == books.accounts.entries.count && index.recordCount == books.recordCount
    let isSound = index.tables.checkAll()
    guard wrong > 0 || !isCountRight || !isSound else { return nil }
    let what =
      !isSound
      ? "is damaged"
      : wrong == 0
        ? "has \(index.accountCount) accounts and \(index.recordCount) records, but the journal "
          + "has \(books.accounts.entries.count) and \(books.recordCount)"
        : "does not lead to \(wrong) of the accounts and keys in the journal"
    return CreditError(
      .corruptStore, "the index \(what); run credit-store rebuild",
      firstOffset.map { [.offset($0)] } ?? [])
  }

  private func isRight(_ entry: VerifierAccounts.VerifiedAccount, _ number: Int) -> Bool {
    guard let offset = index.accountOffset(number), offset == entry.offset || offset >= coverage
    else { return false }
    return index.lookup(entry.hash) { _ in true } == number
  }

  private func leads(_ hash: UInt64, to offset: Int) -> Bool {
    var isNewer = false
    let found = index.lookup(hash) { value in
      if value >= coverage { isNewer = true }
      return value < coverage
    }
    return found.map { $0 == offset } ?? isNewer
  }
}
