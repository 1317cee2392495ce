internal import CreditJSON
public import CreditModel
internal import CreditSystem

/// The records that were dropped from a store whose journal is damaged.
public struct DroppedRecords: Equatable, Sendable {
  /// The file with the bytes that could not be read; nil if there were none.
  public var file: String?
  public var bytes = 0
  /// Number of places of the journal that they are from.
  public var places = 0
  /// Number of acknowledged records missing at the journal's end, by the index.
  public var lost = 0
  /// The accounts known to lack records, by name.
  public var accounts: [Name] = []
}

extension LocalStore {
  /// Drops the unreadable records, and makes the index from the rest.
  ///
  /// If all can be read, this does the same as ``rebuild(progress:)``. The journal is replaced in
  /// one step, once the dropped bytes are on disk in a file of their own: a killed process leaves
  /// the old journal or the new one.
  /// - Parameter path: a new file for the unreadable bytes.
  /// - Returns: nil if all records could be read.
  /// - Throws: `cannot_create` if the file exists; `corrupt_store` if a readable record breaks a
  ///   rule; errors of ``rebuild(progress:)``.
  public func rebuild(droppingDamagedInto path: String, progress: (Int, Int) -> Void)
    throws(CreditError) -> DroppedRecords?
  {
    try requireExists()
    let dropped = try withWriteLock { (lock) throws(CreditError) in
      try StoreSalvage(self, lock, into: path).run(progress)
    }
    try rebuild(progress: progress)
    return dropped
  }
}

/// Writes a damaged journal again from its readable records. Requires the lock.
///
/// Each record is repeated, as an import does it. If records of its account are missing before it,
/// a record that states this comes first (``LedgerEvent/dropped(credits:)``).
private final class StoreSalvage {
  private static let temporaryName = "journal.rebuild"

  private let store: LocalStore
  private let lock: StoreLock
  private let path: String
  private let journal: JournalFile
  private var dropped = DroppedRecords()
  private var damage: DamagedBytes?
  private var kept: ImportedJournal
  private var reader = RecordReader()
  private var firstTime: Timestamp?
  /// Number of records of each account in the damaged journal, by name.
  private var counts: [Name: Int64] = [:]
  private var concerned: Set<Name> = []
  private var accounts: SalvagedAccounts
  /// Whether the previous line cannot be read.
  private var followsDamage = false
  private var lastTime = Timestamp.earliest
  /// The accounts whose newest record states already that records are missing.
  private var endsWithDrop: Set<Name> = []
  /// The first records of an incomplete group: a transfer has two sides, and a charge the shares of
  /// other accounts.
  private var group: [LedgerRecord] = []
  /// Why the salvage fails: a readable record is wrong.
  private var refusal: CreditError?

  init(_ store: LocalStore, _ lock: StoreLock, into path: String) throws(CreditError) {
    self.store = store
    self.lock = lock
    self.path = path
    (journal, kept) = try reporting { () throws(StoreFault) in
      let journal = try JournalFile(in: store.directory, .update)
      journal.onTornTail = store.options.onTornTail
      let kept = try ImportedJournal(
        Self.temporaryName, in: store.directory, createdAt: Timestamp(milliseconds: 0))
      return (journal, kept)
    }
    accounts = SalvagedAccounts(store.directory)
  }

  func run(_ progress: (Int, Int) -> Void) throws(CreditError) -> DroppedRecords? {
    do throws(CreditError) {
      let damage = try DamagedBytes(of: journal, into: path, store.system)
      self.damage = damage
      try reporting { () throws(StoreFault) in try readAll(to: try findEnd(), progress) }
      if let refusal { throw refusal }
      let isWhole = damage.count == 0 && dropped.lost == 0 && concerned.isEmpty
      // Its first line may be missing.
      if isWhole, journal.header != nil || firstTime == nil {
        try? store.directory.removeFile(Self.temporaryName)
        return nil
      }
      try reporting { () throws(StoreFault) in try putInPlace(damage) }
      if isWhole { return nil }
    } catch {
      damage?.abandon()
      try? store.directory.removeFile(Self.temporaryName)
      throw error
    }
    dropped.accounts = concerned.sorted()
    return dropped
  }

  /// Returns the end of the acknowledged journal. A torn tail is cut off, as always.
  private func findEnd() throws(StoreFault) -> Int {
    let isSound = try journal.refreshIsSound()
    do throws(StoreFault) {
      _ = try VerifierIndex(of: journal, in: store.directory)
    } catch {
      guard case .shortened(let shortened) = error else { throw error }
      dropped.lost = shortened.lost
      return try journal.byteCount()
    }
    if !isSound { return try journal.byteCount() }
    try journal.cutTornTail()
    return journal.length
  }

  private func readAll(to end: Int, _ progress: (Int, Int) -> Void) throws(StoreFault) {
    var lineCount = 0
    try journal.scan(from: 0, to: end) { (offset, line, isSound) throws(StoreFault) in
      lineCount += 1
      if lineCount & 0xFFF == 0 { progress(offset, end) }
      if offset == 0, journal.header != nil { return }
      guard isSound, let stored = reader.read(line, at: RecordPosition(Int64(offset))) else {
        followsDamage = true
        try endGroup()
        accounts.damaged.formUnion(DamagedBytes.accounts(in: Array(line)))
        damage?.begin(at: offset)
        return
      }
      try damage?.end(at: offset)
      accounts.note(stored.record, at: offset)
      if refusal == nil { try take(stored.record) }
      followsDamage = false
    }
    try damage?.end(at: end)
    followsDamage = followsDamage || dropped.lost > 0
    try endGroup()
    concerned.formUnion(try accounts.concerned(in: journal))
    if refusal != nil { return }
    // Parents of which no record is left: their children cannot be charged without them.
    for broken in try kept.books.brokenChains() where broken.fault == .missing {
      // Another account may have had the same parent.
      if counts.updateValue(1, forKey: broken.parent) != nil { continue }
      concerned.insert(broken.parent)
      let drop = LedgerRecord.dropped(parent: broken.parent, at: lastTime)
      if let fault = try kept.append(drop) { refuse(drop, fault) }
    }
  }

  // MARK: Records

  /// Takes a record: those of a group are side by side, or each is alone.
  private func take(_ record: LedgerRecord) throws(StoreFault) {
    firstTime = firstTime ?? record.account.updatedAt
    lastTime = max(lastTime, record.account.updatedAt)
    if record.follows(group) {
      group.append(record)
      if record.isLast(of: group) { try addGroup() }
      return
    }
    try endGroup()
    if record.beginsGroup {
      group = [record]
    } else {
      if followsDamage, let first = record.groupOwner { concerned.insert(first) }
      try add(record, isAlone: record.continuesGroup)
    }
  }

  private func addGroup() throws(StoreFault) {
    var names: Set<Name> = []
    for record in group where names.insert(record.account.name).inserted {
      try noteMissing(before: record)
    }
    for record in group { try add(record) }
    group = []
  }

  /// Ends a group whose rest is missing.
  private func endGroup() throws(StoreFault) {
    if followsDamage, let first = group.first {
      concerned.formUnion(first.others.dropFirst(group.count - 1))
    }
    for record in group { try add(record, isAlone: true) }
    group = []
  }

  /// - Parameter isAlone: true if the others of its group are missing.
  private func add(_ record: LedgerRecord, isAlone: Bool = false) throws(StoreFault) {
    let name = record.account.name
    let followsDrop = endsWithDrop.remove(name) != nil
    if case .dropped = record.event { endsWithDrop.insert(name) }
    let isNext = record.account.recordCount == (counts[name] ?? 0) + 1
    if isAlone && !(followsDrop && isNext) {
      try insert(before: record)
    } else {
      try noteMissing(before: record)
    }
    counts[name] = record.account.recordCount
    var fault = try kept.append(record, isRenumbered: true)
    if fault != nil, record.event.mayFollowAnother, damage?.count ?? 0 > 0 || dropped.lost > 0 {
      // A record that it depends on is missing, but not the account's previous one.
      try insert(before: record)
      fault = try kept.append(record, isRenumbered: true)
    }
    if let fault { refuse(record, fault) }
  }

  /// States it if the account's record before this one is missing.
  private func noteMissing(before record: LedgerRecord) throws(StoreFault) {
    let name = record.account.name
    if name == .nobody { return }
    let count = counts[name] ?? 0
    if record.account.recordCount == count + 1 { return }
    counts[name] = record.account.recordCount - 1
    try insert(before: record)
  }

  /// Adds a record of missing records before another one of the account.
  private func insert(before record: LedgerRecord) throws(StoreFault) {
    concerned.insert(record.account.name)
    let footing = kept.books.footing(of: record.account.name)
    guard let drop = LedgerRecord.dropped(before: record, after: footing) else {
      return refuse(record, RecordFault("has an impossible balance"))
    }
    if let fault = try kept.append(drop) { refuse(record, fault) }
  }

  private func refuse(_ record: LedgerRecord, _ fault: RecordFault) {
    refusal =
      refusal
      ?? CreditError(
        .corruptStore,
        "\(record.title) can be read, and \(fault.reason); restore the store from a backup",
        [.account(record.account.name)])
  }

  // MARK: The end

  private func putInPlace(_ damage: DamagedBytes) throws(StoreFault) {
    kept.createdAt = journal.header?.createdAt ?? firstTime ?? store.systemTime
    try kept.finish()
    try damage.finish()
    dropped.file = damage.count > 0 ? path : nil
    dropped.bytes = damage.count
    dropped.places = damage.placeCount
    // The index has records that a shortened journal lost, and does not fit the new one. If this
    // process is killed in between, the next one finds the mark, and a rebuild has to come first.
    try lock.mark("rebuild --drop-damaged has not ended")
    try store.directory.rename(Self.temporaryName, to: JournalFile.name)
    // The only copy of the dropped bytes.
    self.damage = nil
    try store.directory.sync()
    try store.directory.removeFile(IndexFile.name)
    try store.directory.sync()
    try lock.clearMark()
  }
}

extension LedgerRecord {
  /// Whether it is the next record of an incomplete group.
  fileprivate func follows(_ group: [LedgerRecord]) -> Bool {
    guard let first = group.first else { return false }
    if case .transferIn(let transfer) = event { return first.event == .transferOut(transfer) }
    if case .topUp(let topUp) = event {
      guard first.isOfBonus, case .topUp(let bonus) = first.event else { return false }
      return bonus.transaction.purchase == topUp.transaction.purchase ?? topUp.transaction.id
    }
    let expected = first.expectedShares
    return expected.count >= group.count && expected[group.count - 1].isRecorded(by: self)
  }

  /// The other accounts whose records follow the first one of a group, in their order.
  fileprivate var others: [Name] {
    if case .transferOut(let transfer) = event { return [transfer.to] }
    return expectedShares.map(\.account)
  }

  /// The account whose record begins the group that this record continues, if any.
  fileprivate var groupOwner: Name? {
    guard continuesGroup else { return nil }
    switch event {
    case .transferIn(let transfer): return transfer.from
    case .share(let share): return share.member
    default: return nil
    }
  }

  /// Whether a group that it belongs to is complete.
  fileprivate func isLast(of group: [LedgerRecord]) -> Bool {
    if case .topUp = event { return !isOfBonus }
    return group.count > max(1, group.first?.expectedShares.count ?? 0)
  }
}
