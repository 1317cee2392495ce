internal import CreditModel

/// The books of a server while the rows of a batch's accounts are locked: fetched records, and
/// those that the batch appends.
final class ServerBooks: LedgerBooks {
  /// State when the accounts were locked.
  let now: LookUps.Now
  private let fetched: [RecordKey: StoredRecord]
  private let fetchedKeys: [RecordKey]
  /// The records that the statements of rules have found.
  private var found: [Statement: [StoredRecord]]
  /// Others that the rules have asked for. Until the server answers, they find no record.
  private(set) var missingKeys: [RecordKey] = []
  private var missing: [Statement] = []
  let lockedAccounts: [ServerAccount]
  private let accounts: [Name: ServerAccount]
  private var known: [RecordKey: KnownKey] = [:]
  /// Further keys of the records found.
  private var storedKeys: Set<RecordKey> = []
  /// One behind the other from the first position on.
  private var appended: [StoredRecord] = []
  private let firstPosition: Int64
  private let hasNewAccounts: Bool
  private(set) var writes = RecordWrites()
  /// Accounts that the rules have asked for and that are not locked.
  private(set) var unlocked: Set<Name> = []
  private let lockedPayments: Set<Name>
  /// Payments that the rules have asked for, likewise.
  private(set) var unlockedPayments: Set<Name> = []

  let systemTime: Timestamp

  /// The time of the newest record, and no earlier than those of the locked accounts. A record that
  /// others commit meanwhile may be later: the batch does not wait for it.
  private(set) var latestTime: Timestamp?

  /// The time of requests without their own.
  var time: Timestamp { max(systemTime, latestTime ?? systemTime) }

  /// The target of an id or a key.
  private struct KnownKey {
    var newest: StoredRecord?
    /// Whether the server has a row of it.
    let isStored: Bool
    /// Which of those that the batch writes it is.
    var number: Int?

    init(_ newest: StoredRecord?, isStored: Bool? = nil) {
      self.newest = newest
      self.isStored = isStored ?? (newest != nil)
    }
  }

  /// - Parameters:
  ///   - accounts: those that are locked.
  ///   - newest: the newest records of `keys`.
  ///   - payments: those that are locked.
  ///   - found: the records that the statements of rules have found.
  init(
    _ accounts: [ServerAccount], newest: [RecordKey: StoredRecord],
    of keys: [RecordKey], payments: Set<Name> = [], now: LookUps.Now,
    found: [Statement: [StoredRecord]] = [:]
  ) {
    self.now = now
    self.found = found
    (fetched, fetchedKeys) = (newest, keys)
    lockedPayments = payments
    latestTime = now.latestTime
    systemTime = Timestamp(milliseconds: now.microseconds / 1000)
    var lastPosition = now.newestPosition ?? 0
    lockedAccounts = accounts
    self.accounts = Dictionary(accounts.lazy.map { ($0.name, $0) }) { first, _ in first }
    for account in accounts {
      lastPosition = max(lastPosition, account.position?.value ?? 0)
      guard let time = account.account?.updatedAt else { continue }
      latestTime = max(latestTime ?? time, time)
    }
    hasNewAccounts = accounts.contains { !$0.isStored }
    firstPosition = Self.firstPosition(at: now.microseconds, after: lastPosition)
    // Most records have an id and a key, of which one was looked up.
    known.reserveCapacity(2 * keys.count)
    for key in keys { known[key] = KnownKey(newest[key]) }
  }

  /// Begins again without the batch's records, and with the rows of ``questions``.
  convenience init(again books: ServerBooks, _ rows: [any ServerRows]) throws(CreditError) {
    for account in books.lockedAccounts { account.reset() }
    let newest = try LookUps.newest(in: rows[0], of: books.missingKeys)
    var found = books.found
    for (question, rows) in zip(books.missing, rows[1...]) {
      found[question] = try RecordRows.records(rows)
    }
    self.init(
      books.lockedAccounts, newest: books.fetched.merging(newest) { _, new in new },
      of: books.fetchedKeys + books.missingKeys, payments: books.lockedPayments, now: books.now,
      found: found)
  }

  /// Returns the position of a batch's first record, at a whole microsecond.
  ///
  /// So two batches whose records would be between one another's begin at one place, or within one
  /// another's, and the one that comes second is refused.
  static func firstPosition(at microseconds: Int64, after last: Int64) -> Int64 {
    let perMicrosecond: Int64 = 1000
    let limit = RecordRows.positionLimit / perMicrosecond
    return min(limit, max(microseconds, min(limit, last / perMicrosecond) + 1)) * perMicrosecond
  }

  // MARK: Look-ups

  /// The statements that find all that is missing.
  var questions: [Statement] { [LookUps.newest(of: missingKeys)] + missing }

  /// Whether everything is here that the rules have asked for.
  var isComplete: Bool { missingKeys.isEmpty && missing.isEmpty && hasAllLocks }
  var hasAllLocks: Bool { unlocked.isEmpty && unlockedPayments.isEmpty }

  private func find(_ question: Statement) -> [StoredRecord] {
    if let records = found[question] { return records }
    missing.append(question)
    found[question] = []
    return []
  }

  func account(_ name: Name) throws(CreditError) -> Account? { try locked(name).account }

  /// An account gets no children while its row is locked.
  func children(of parents: Set<Name>) throws(CreditError) -> [Name: Bool] {
    var children: [Name: Bool] = [:]
    for parent in parents {
      for stored in find(LookUps.children(of: parent)) {
        children[stored.record.account.name] = stored.record.account.hasChildren
      }
    }
    for locked in lockedAccounts {
      children[locked.name] = locked.account.flatMap { $0.isBelow(parents) ? $0.hasChildren : nil }
    }
    return children
  }

  func hasPurchase(_ account: Name) throws(CreditError) -> Bool {
    if appended.contains(where: { $0.record.account.name == account && $0.record.isOfPurchase }) {
      return true
    }
    if try !locked(account).isStored { return false }
    return !find(LookUps.purchase(of: account)).isEmpty
  }

  func expired(of grant: Name, in account: Name, at time: Timestamp) throws(CreditError)
    -> Credits
  {
    let own = appended.filter { $0.record.account.name == account }
    let stored =
      try locked(account).isStored ? find(LookUps.expiries(of: grant, in: account, from: time)) : []
    return (own + stored).reduce(0) { $0 &+ ($1.record.expired(of: grant) ?? 0) }
  }

  private func locked(_ name: Name) throws(CreditError) -> ServerAccount {
    if let account = accounts[name] { return account }
    unlocked.insert(name)
    // The batch begins again: other accounts of it may have parents that are not locked, either.
    let parents = accounts.values.compactMap { $0.account?.parent }
    unlocked.formUnion(parents.filter { accounts[$0] == nil })
    throw CreditError(.unavailable, "an account is not locked", [.outcome("none")])
  }

  func record(at position: RecordPosition) throws(CreditError) -> LedgerRecord? {
    let number = position.value - firstPosition
    if number >= 0 && number < appended.count { return appended[Int(number)].record }
    return find(LookUps.record(at: position)).first?.record
  }

  func newest(of key: RecordKey) throws(CreditError) -> StoredRecord? {
    // Others might record the payment's purchase meanwhile.
    if case .payment(let id) = key, !lockedPayments.contains(id) {
      unlockedPayments.insert(id)
      return nil
    }
    if known[key] == nil {
      missingKeys.append(key)
      known[key] = KnownKey(nil)
    }
    guard let newest = known[key]?.newest else { return nil }
    newest.record.keys.visit { storedKeys.insert($0) }
    // The account's state is only valid while its row is locked.
    let owner = newest.record.account.name
    if owner != .nobody { _ = try locked(owner) }
    return newest
  }

  func sent(_ key: RecordKey) -> StoredRecord? { known[key]?.newest }

  /// Whether the batch adds each key that was looked for: the server does not check others.
  var addsAllKeys: Bool { known.values.allSatisfy { $0.number != nil } }

  // MARK: Appending

  /// Whether there are records to send ahead. The row of a new account comes before all of them,
  /// and is only known when the batch is done.
  var hasAhead: Bool { !hasNewAccounts && writes.hasAhead }

  /// Gives the statements that write the records that are not at the server yet.
  func takeAhead() -> [Statement] { writes.takeAhead() }

  func append(_ record: consuming LedgerRecord) throws(CreditError) {
    let account = try locked(record.account.name)
    let position = RecordPosition(firstPosition + Int64(appended.count))
    let stored = StoredRecord(record, at: position, previous: account.position)
    appended.append(stored)
    try writes.add(stored, of: account)
    stored.record.keys.visit { key in
      func lead(_ found: inout KnownKey) {
        writes.point(KeyColumns(key), to: account, isStored: found.isStored, number: &found.number)
        found.newest = stored
      }
      // An id that no look-up has found is new.
      lead(&known[key, default: KnownKey(nil, isStored: storedKeys.contains(key))])
    }
    latestTime = stored.record.account.updatedAt
  }
}
