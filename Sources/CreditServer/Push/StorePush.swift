public import CreditModel
public import CreditStore

extension ServerStore {
  public func receive(
    _ books: any LedgerReading, progress: (Int, Int) -> Void, conflict: (CreditError) -> Void
  ) throws(CreditError) -> StoreSummary {
    try StorePush(books, to: self).run(progress: progress, conflict: conflict)
  }
}

/// Sends books' accounts and records to a server's store, under their own ids.
///
/// An account must be unknown there, or have just the first of these records: the rest is appended.
/// Any other account stays as it is there, and so do those with a transfer to send with it, as a
/// transfer is sent whole or not at all. An interrupted push continues; a repeated one moves
/// nothing, and reads no histories there.
///
/// Records of an account follow one another, and each has its id and the account after it: if the
/// newest record there equals the one of that number here, all previous ones are the same.
final class StorePush {
  private let books: any LedgerReading
  private let store: ServerStore
  private let end: RecordPosition
  /// Why an account is not sent.
  private struct Refusal {
    var code = CreditError.Code.idempotencyConflict
    let reason: String
    /// Whether another account of its chain reports the refusal.
    var isOfChain = false
  }

  private var conflicts: [Name: Refusal] = [:]
  /// The parents of accounts that are not sent for a reason of their own.
  private var parents: Set<[Name]> = []
  /// Number of each account's records that are there already.
  private var present: [Name: Int64] = [:]

  /// The most accounts or records of a page.
  private static let pageCount = 1000

  /// - Parameter books: those to send, as they are now.
  init(_ books: any LedgerReading, to store: ServerStore) throws(CreditError) {
    self.books = books
    self.store = store
    end = try books.bookmark().position
  }

  /// Sends the records that the server lacks.
  /// - Parameters:
  ///   - progress: called with the number of records checked, and the total.
  ///   - conflict: called with the error of each account that is not sent.
  /// - Throws: if the server fails; the records already sent stay.
  /// - Returns: how many records were sent, and of how many accounts.
  func run(progress: (Int, Int) -> Void, conflict: (CreditError) -> Void)
    throws(CreditError) -> StoreSummary
  {
    try store.requireExists()
    try store.requireAdmin()
    try compareAccounts()
    try compareNewRecords()
    try followTransfers()
    let summary = try send(progress)
    for (account, refusal) in conflicts.sorted(by: { $0.key < $1.key })
    where !refusal.isOfChain {
      conflict(
        CreditError(
          refusal.code, "account \(quoted(account.text)): \(refusal.reason); it is not sent",
          [.account(account)]))
    }
    return summary
  }

  // MARK: Which accounts

  private func compareAccounts() throws(CreditError) {
    var last: Name?
    while true {
      let page = try books.accounts(after: last, before: end, limit: Self.pageCount)
      guard let name = page.last?.record.account.name else { return }
      last = name
      let there = try ServerReader(store.session).newest(
        of: page.map { .account($0.record.account.name) })
      for (here, there) in zip(page, there) {
        guard let there else { continue }
        present[there.record.account.name] = there.record.account.recordCount
        if let reason = try difference(here, there) {
          let account = here.record.account
          conflicts[account.name] = Refusal(reason: reason)
          if let parent = account.parent { parents.insert([account.name, parent]) }
        }
      }
    }
  }

  /// Returns the reason why the records there are not the first of those here.
  ///
  /// It is nil if they are.
  private func difference(_ here: StoredRecord, _ there: StoredRecord) throws(CreditError)
    -> String?
  {
    let account = here.record.account.name
    let count = there.record.account.recordCount
    guard count <= here.record.account.recordCount else {
      return "the store there has records of its own"
    }
    let isSame = try books.search(account, before: end) { stored in
      stored.record.account.recordCount > count ? nil : stored.record.isSame(as: there.record)
    }
    if isSame == true { return nil }
    return "the store there has other records"
  }

  /// Whether the server has to be asked about a record. Claimed ids have no account.
  private func isNew(_ record: LedgerRecord) -> Bool {
    record.account.name == .nobody || record.account.recordCount > present[record.account.name] ?? 0
  }

  /// Holds back accounts whose ids belong to others there, before anything is sent. Also those with
  /// a record later than the server's clock.
  private func compareNewRecords() throws(CreditError) {
    // No clock of another machine moves the time of a store.
    let clockEnd = store.systemTime.adding(Ledger.clockTolerance) ?? .latest
    let latest = try store.policy().clockIsSimulated ? .latest : clockEnd
    try forEachPage { page throws(CreditError) in
      var (keys, owners): ([RecordKey], [Name]) = ([], [])
      for record in page where record.account.name != .nobody && isNew(record) {
        if record.account.updatedAt > latest, conflicts[record.account.name] == nil {
          conflicts[record.account.name] = Refusal(
            code: .invalidRequest,
            reason:
              "a record of \(record.account.updatedAt.text) is more than 5 minutes ahead of the "
              + "clock there")
        }
        record.keys.visit { key in
          guard KeyColumns(key).scope == .nobody else { return }
          keys.append(key)
          owners.append(record.account.name)
        }
      }
      if keys.isEmpty { return }
      let rows = try store.session.ask(LookUps.ids(keys.map { KeyColumns($0) }, notOf: owners))
      for row in 0..<rows.count {
        let index = Int(rows.int(row, 0) ?? 0) - 1
        guard keys.indices.contains(index) else { continue }
        let (key, owner) = (keys[index], owners[index])
        if conflicts[owner] != nil { continue }
        conflicts[owner] = Refusal(reason: "\(key.phrase) belongs to another account there")
      }
    }
  }

  /// Holds back accounts that share a transfer or a chain with one that is not sent.
  private func followTransfers() throws(CreditError) {
    if conflicts.isEmpty { return }
    var transfers: [(own: Name, other: Name)] = []
    var chains: Set<[Name]> = []
    try forEachPage { page throws(CreditError) in
      for record in page where isNew(record) {
        switch record.event {
        case .transferOut(let transfer): transfers.append((transfer.from, transfer.to))
        case .transferIn(let transfer): transfers.append((transfer.to, transfer.from))
        case .share(let share): chains.insert([record.account.name, share.member])
        default: break
        }
        if let parent = record.account.parent { chains.insert([record.account.name, parent]) }
      }
    }
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for (own, other) in transfers where conflicts[other] != nil && conflicts[own] == nil {
        conflicts[own] = Refusal(
          reason: "account \(quoted(other.text)), the other side of a transfer, is not sent")
        isGrowing = true
      }
      for pair in chains where (conflicts[pair[0]] == nil) != (conflicts[pair[1]] == nil) {
        let follower = conflicts[pair[0]] == nil ? pair[0] : pair[1]
        conflicts[follower] = Refusal(reason: "another account of its chain", isOfChain: true)
        isGrowing = true
      }
    }
    reportOnce(of: chains.union(parents))
  }

  /// Makes one account of each chain report why none of it is sent: the first by name of those that
  /// are refused for a reason of their own.
  private func reportOnce(of chains: Set<[Name]>) {
    var neighbors: [Name: [Name]] = [:]
    for pair in chains {
      neighbors[pair[0], default: []].append(pair[1])
      neighbors[pair[1], default: []].append(pair[0])
    }
    var told: Set<Name> = []
    let own = conflicts.filter { !$0.value.isOfChain }.keys.sorted()
    for name in own where !told.contains(name) {
      var next = [name]
      while let member = next.popLast() {
        guard told.insert(member).inserted else { continue }
        if member != name { conflicts[member]?.isOfChain = true }
        next += neighbors[member] ?? []
      }
    }
  }

  // MARK: Sending

  private func send(_ progress: (Int, Int) -> Void) throws(CreditError) -> StoreSummary {
    let total = try books.summary(before: end).recordCount
    var summary = StoreSummary()
    var accounts: Set<Name> = []
    var done = 0
    try forEachPage { page throws(CreditError) in
      done += page.count
      var rest = page.filter { isNew($0) && conflicts[$0.account.name] == nil }
      while !rest.isEmpty {
        if let sent = try send(rest) {
          summary.records += sent.count
          accounts.formUnion(sent.accounts)
          rest = []
        } else {
          try followTransfers()
          rest.removeAll { conflicts[$0.account.name] != nil }
        }
      }
      progress(done, max(done, total))
    }
    summary.accounts = accounts.count
    return summary
  }

  /// Sends a page in one transaction, again if its commit was not answered: existing records are
  /// skipped.
  /// - Returns: nil after a conflict.
  private func send(_ records: [LedgerRecord]) throws(CreditError) -> RecordSending.Sent? {
    let session = store.session
    let deadline = session.deadline()
    var pause = RetryPause()
    while true {
      do throws(RecordSending.Failure) {
        return try RecordSending(session: session, deadline: deadline).transact(records)
      } catch {
        session.rollBack(until: deadline)
        switch error {
        case .conflict(let account, let reason):
          conflicts[account] = Refusal(reason: reason)
          return nil
        case .store(let error): throw error
        case .server(let fault):
          guard session.mayPass(fault), !deadline.isPast else {
            throw session.error(of: fault, outcome: "unknown")
          }
          pause.wait()
        }
      }
    }
  }

  /// Returns the number of records before those that belong to later ones: the beginning of a
  /// group, and notes of dropped records, which precede the account's next one.
  private static func completeCount(of records: [LedgerRecord]) -> Int {
    var count = records.count
    let start = records.lastIndex { if case .share = $0.event { false } else { true } }
    if let start, records[start].beginsGroup { count = start }
    while count > 0, records[count - 1].isOfBonus { count -= 1 }
    while count > 0, case .dropped = records[count - 1].event { count -= 1 }
    return count
  }

  /// Calls `body` with pages of records, each group in one page.
  private func forEachPage(_ body: ([LedgerRecord]) throws(CreditError) -> Void)
    throws(CreditError)
  {
    var records: [LedgerRecord] = []
    _ = try books.searchPages(before: end, limit: Self.pageCount) {
      page throws(CreditError) -> Never? in
      records += page.map(\.record)
      let held = Array(records[Self.completeCount(of: records)...])
      records.removeLast(held.count)
      try body(records)
      records = held
      return nil
    }
    if !records.isEmpty { try body(records) }
  }
}

extension LedgerRecord {
  /// Returns true if two records are equal apart from their places in their books.
  func isSame(as other: LedgerRecord) -> Bool {
    var (own, other) = (self, other)
    (own.original, other.original) = (nil, nil)
    return own == other
  }
}
