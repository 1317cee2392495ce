internal import CreditModel

/// The books after the records so far, which check each next record.
final class VerifierBooks {
  let hasher: KeyHasher
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) var accounts = VerifierAccounts()
  @exclusivity(unchecked) private(set) var chains = VerifierChains()
  /// Offsets of the newest record of each id and key, by their hashes. 64 bits distinguish as many
  /// of them as a store ever has.
  @exclusivity(unchecked) var keys: HashTable
  /// Credits of grants that have expired, by the hashes of the grants' ids.
  private var expiries = HashTable()
  @exclusivity(unchecked) private(set) var recordCount = 0
  /// The sum of all balances, and its expected value: all grants less all charges.
  @exclusivity(unchecked) private(set) var credits: Int128 = 0
  @exclusivity(unchecked) private(set) var movedCredits: Int128 = 0

  /// Whether all ids and keys are kept. Otherwise charges' ids and keys are not, and only those
  /// that later records may use are; ``keySum`` is of all.
  let keepsAll: Bool
  /// The sum of all ids, keys and accounts with their entries in the index.
  @exclusivity(unchecked) var keySum = IndexSum()

  let read: (Int) throws(StoreFault) -> LedgerRecord?
  /// Unreliable lines: records that depend on one of them cannot be checked.
  private(set) var gaps: Set<Int> = []
  private var gappedAccounts: Set<Int> = []
  @exclusivity(unchecked) private(set) var groups = RecordGroups()
  /// Differences of offsets due to missing or extra lines, each reported once.
  private var shifts: Set<Int64> = []

  /// The hashes that find a record: of its account, and maybe of an id and an idempotency key.
  struct Hashes {
    let account: UInt64
    let id: UInt64?
    let key: UInt64?
    let originalID: UInt64?
  }

  /// A record's place among the previous ones.
  struct Context {
    let hashes: Hashes
    /// The account's number; nil if this is its first record.
    let number: Int?
    let previous: Int?
    /// Offset of the newest record of the same id.
    var earlier: Int?
  }

  private enum State {
    case unregistered
    case known(Account)
    /// Records are missing after the last one.
    case dropped(AccountFooting)
    case unknown

    var isDropped: Bool { if case .dropped = self { true } else { false } }
  }

  /// - Parameters:
  ///   - expectedCount: an estimate of the ids and keys.
  ///   - read: reads the record at an offset.
  init(
    hasher: KeyHasher, expectedCount: Int, keepsAll: Bool = true,
    read: @escaping (Int) throws(StoreFault) -> LedgerRecord?
  ) {
    self.hasher = hasher
    self.keepsAll = keepsAll
    self.read = read
    keys = HashTable(expecting: expectedCount)
  }

  /// Notes that the line at an offset cannot be read.
  func addGap(at offset: Int) {
    gaps.insert(offset)
    groups.addGap()
  }

  var accountCount: Int {
    let hasClaims = accounts.number(of: RecordKey.account(.nobody).hash(hasher)) != nil
    return accounts.entries.count - (hasClaims ? 1 : 0)
  }

  func hashes(of event: LedgerEvent, account: Name) -> Hashes {
    Hashes(
      account: RecordKey.account(account).hash(hasher), id: event.id?.hash(hasher),
      key: event.key(of: account)?.hash(hasher), originalID: event.originalID?.hash(hasher))
  }

  /// Finds the records before the one of these hashes.
  func context(_ hashes: Hashes) -> Context {
    let number = accounts.number(of: hashes.account)
    return Context(
      hashes: hashes, number: number, previous: number.map { accounts.entries[$0].offset },
      earlier: hashes.id.flatMap { keys[$0] })
  }

  /// Returns the newest record of the same id.
  func earlier(_ context: Context) throws(StoreFault) -> LedgerRecord? {
    guard let offset = context.earlier else { return nil }
    return try read(offset)
  }

  /// Returns the state from which an account's next record continues; records may be missing.
  func footing(of account: Name) -> AccountFooting {
    let number = accounts.number(of: RecordKey.account(account).hash(hasher))
    return number.map { accounts.entries[$0].footing } ?? .none
  }

  private func state(of account: Name, _ context: Context) throws(StoreFault) -> State {
    guard let number = context.number, let previous = context.previous else { return .unregistered }
    switch accounts.entries[number].form {
    case .unknown: return .unknown
    case .dropped: return .dropped(accounts.entries[number].footing)
    case .simple, .simpleAndExempt, .other: break
    }
    if let account = accounts.account(number, named: account) { return .known(account) }
    guard let record = try read(previous) else { return .unknown }
    return .known(record.account)
  }

  /// Checks the next record of a journal, and continues from it.
  /// - Returns: the fault found, if any.
  func add(_ stored: StoredRecord, _ hashes: Hashes) throws(StoreFault) -> RecordFault? {
    let offset = Int(stored.position.value)
    let context = try context(of: stored, hashes)
    let earlier = try earlier(context)
    var state = try state(of: stored.record.account.name, context)
    var hasGap = context.number.map(gappedAccounts.contains) ?? false
    var fault: RecordFault?
    do throws(RecordFault) {
      try addToGroup(stored.record, state)
      if try !checkPrevious(stored, context) {
        state = .unknown
        hasGap = true
      }
      if hasGap && stored.record.event.mayFollowAnother { state = .unknown }
      try check(stored.record, context, consume state, earlier)
      if !hasGap { try checkOriginal(stored, context, earlier) }
    } catch {
      fault = error
      hasGap = true
    }
    let number = take(stored.record, context, at: offset)
    if hasGap { gappedAccounts.insert(number) }
    if fault != nil {
      // Trusts as little of the record as possible.
      gaps.insert(offset)
      if !stored.record.account.isSound { accounts.mark(number, as: .unknown) }
    }
    return fault
  }

  /// Checks a record that will be appended, and continues from it.
  /// - Throws: ``StoreFault``; the result is the record's fault, if any.
  func append(
    _ record: LedgerRecord, _ context: Context, _ earlier: LedgerRecord?, at offset: Int
  ) throws(StoreFault) -> RecordFault? {
    let state = try state(of: record.account.name, context)
    let groups = groups
    do throws(RecordFault) {
      try addToGroup(record, state)
      try check(record, context, state, earlier)
    } catch {
      // Another record may come in its place.
      self.groups = groups
      return error
    }
    take(record, context, at: offset)
    return nil
  }

  /// Checks that a record follows by its event from the previous state.
  private func check(
    _ record: LedgerRecord, _ context: Context, _ state: consuming State, _ earlier: LedgerRecord?
  ) throws(RecordFault) {
    if let earlier {
      if earlier.event.id != record.event.id {
        throw RecordFault("has an id that another purchase claims")
      }
    } else {
      if let key = context.hashes.key, let other = keys[key] {
        throw RecordFault("uses a key that the record at byte \(other) has used")
      }
      if let original = context.hashes.originalID, let other = keys[original] {
        throw RecordFault("is of the purchase of the record at byte \(other)")
      }
    }
    switch consume state {
    case .known(let before):
      try record.check(after: before, earlier: earlier, purchase: purchase)
    case .unregistered: try record.check(after: nil, earlier: earlier)
    case .dropped(let footing): try record.check(on: footing)
    // Facts that are unknown after damage are not checked.
    case .unknown:
      if !record.account.isSound { throw RecordFault("has an impossible state") }
    }
  }

  /// Returns the purchase of a grant's top-up, for credits that return to it or are refunded.
  private func purchase(_ id: Name) throws(CreditError) -> GrantPurchase? {
    let hash = RecordKey.transaction(id).hash(hasher)
    guard let offset = keys[hash] else { return nil }
    do throws(StoreFault) {
      var purchase = try read(offset)?.purchase
      purchase?.expired = Credits(expiries[hash] ?? 0)
      return purchase
    } catch {
      throw CreditError(.corruptStore, "the top-up of a grant can't be read")
    }
  }

  private func addToGroup(_ record: LedgerRecord, _ state: borrowing State) throws(RecordFault) {
    try groups.add(
      record, mayBeAlone: state.isDropped, isSure: gaps.isEmpty && !state.isDropped)
  }

  /// - Returns: false if the record depends on an unreadable one.
  private func checkPrevious(_ stored: StoredRecord, _ context: Context) throws(RecordFault)
    -> Bool
  {
    let previous = context.previous.map(Int64.init)
    if stored.previous?.value == previous { return true }
    guard let recorded = stored.previous?.value else {
      throw RecordFault(
        "has no record of its account before it; there is one at byte \(previous ?? 0)")
    }
    if gaps.contains(Int(recorded)) { return false }
    let shift = recorded &- (previous ?? -1)
    if previous != nil && shifts.contains(shift) { return true }
    shifts.insert(shift)
    let place = previous.map { "it is at byte \($0)" } ?? "there is none"
    throw RecordFault("names byte \(recorded) as its account's record before it; \(place)")
  }

  private func checkOriginal(
    _ stored: StoredRecord, _ context: Context, _ earlier: LedgerRecord?
  ) throws(RecordFault) {
    let position = context.earlier.map { RecordPosition(Int64($0)) }
    let original = stored.record.original(after: earlier, at: position)
    if stored.record.original == original { return }
    guard let original else {
      throw RecordFault("points to an earlier record though it is the first of its id")
    }
    let recorded = stored.record.original?.value ?? -1
    if shifts.contains(recorded &- original.value) { return }
    throw RecordFault(
      "names byte \(recorded) as its first record; it is at byte \(original.value)")
  }

  /// - Returns: the account's number.
  @discardableResult
  private func take(_ record: LedgerRecord, _ context: Context, at offset: Int) -> Int {
    recordCount += 1
    if let number = context.number { credits -= Int128(accounts.entries[number].credits.balance) }
    credits += Int128(record.account.balance)
    movedCredits += Int128(record.event.movedCredits)
    let number = context.number ?? accounts.entries.count
    if context.number == nil { keySum.add(context.hashes.account, number) }
    accounts.set(record.account, context.number, context.hashes.account, at: offset)
    chains.set(record.account.parent.map { RecordKey.account($0).hash(hasher) }, of: number)
    if case .dropped = record.event { accounts.mark(number, as: .dropped) }
    if let (grant, expired) = record.expired, expired > 0 {
      let hash = RecordKey.transaction(grant).hash(hasher)
      expiries[hash] = min(.max / 2, expiries[hash] ?? 0) + min(.max / 2, Int(expired))
    }
    keep(context, record.event, at: offset)
    return number
  }
}
