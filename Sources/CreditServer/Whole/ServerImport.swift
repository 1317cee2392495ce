public import CreditModel
public import CreditStore
internal import CreditSystem

extension ServerStore {
  public func importing() throws(CreditError) -> any StoreImporting { try ServerImport(self) }
}

/// Makes a store of an export: it is checked whole, its records gathered in a temporary file, and
/// then sent in one transaction.
private final class ServerImport: StoreImporting {
  private let store: ServerStore
  private let gathered: StoreImport

  private static let batchCount = 1000

  init(_ store: ServerStore) throws(CreditError) {
    self.store = store
    gathered = StoreImport(checkingBy: store.session.options, store.system)
    try requireEmpty()
  }

  func append(_ bytes: Bytes) throws(CreditError) { try gathered.append(bytes) }

  func abandon() { gathered.abandon() }

  func finish() throws(CreditError) -> StoreSummary {
    let summary = try gathered.finish()
    let policy = try store.policyDraft(text: gathered.policyText, enclosed: gathered.files)
    let createdAt = gathered.createdAt
    do throws(CreditError) {
      _ = try store.create(policy, at: createdAt)
    } catch {
      // A store that is there gets the policy with the records.
      if error.code != .cannotCreate { throw error }
    }
    try requireEmpty()
    try send(policy, createdAt)
    return summary
  }

  /// - Throws: `cannot_create`, `unavailable`.
  private func requireEmpty() throws(CreditError) {
    do throws(CreditError) {
      let rows = try store.session.ask(
        Statement("SELECT EXISTS (SELECT FROM credit.record)::int"))
      if rows.int(0, 0) == 0 { return }
    } catch {
      if error.code == .noStore { return }
      throw error
    }
    throw store.hasRecords
  }

  private func send(_ policy: PolicyDraft, _ createdAt: Timestamp?) throws(CreditError) {
    let session = store.session
    do throws(CreditError) {
      // Followers wait for those who hold the second lock.
      let rows = try store.runWhole(
        LookUps.begin(session.options, until: session.deadline()) + [
          Statement("SET LOCAL statement_timeout = 0"),
          Statement("SET LOCAL idle_in_transaction_session_timeout = 0"),
          Statement("SELECT policy FROM credit.store FOR UPDATE"),
          Statement("LOCK TABLE credit.account IN EXCLUSIVE MODE"),
          Statement("LOCK TABLE credit.account IN ROW EXCLUSIVE MODE"),
          Statement("SELECT \(LookUps.clock)"),
        ])
      try requireEmpty()
      let accounts = try sendRecords(at: rows[rows.count - 1].int(0, 0) ?? 0)
      for start in stride(from: 0, to: accounts.count, by: Self.batchCount) {
        try store.runWhole(
          RecordWrites.imported(Array(accounts[start...].prefix(Self.batchCount))))
      }
      let created = createdAt.map {
        Statement("UPDATE credit.store SET created_at = $1", [.time($0)])
      }
      try store.runWhole(
        ServerPolicy.insert(policy) + [created].compactMap { $0 } + [Statement("COMMIT")])
    } catch {
      session.rollBack(until: .never)
      throw error
    }
  }

  /// Writes the records and their ids, while the next ones are read. No look-up is needed in an
  /// empty store, and each account is only written once, at the end: the server would keep all of
  /// its versions until then.
  /// - Parameter microseconds: the server's time, from which on the records are placed as they are
  ///   in the gathered file.
  /// - Returns: the accounts as their newest records have left them.
  private func sendRecords(at microseconds: Int64) throws(CreditError) -> [ServerAccount] {
    let start = ServerBooks.firstPosition(at: microseconds, after: 0)
    var accounts: [Name: ServerAccount] = [:]
    var place = 0
    let sender = WorkerThread()
    var sent: Result<Void, CreditError> = .success(())
    while true {
      let page = try gathered.records(from: &place, limit: Self.batchCount)
      var writes = RecordWrites()
      var numbers: [RecordKey: Int?] = [:]
      for gathered in page {
        var record = gathered.record
        record.original = record.original.map { RecordPosition(start + $0.value) }
        let name = record.account.name
        let account = accounts[name] ?? ServerAccount(name)
        accounts[name] = account
        let stored = StoredRecord(
          record, at: RecordPosition(start + gathered.position.value), previous: account.position)
        try writes.add(stored, of: account)
        let mayFollow = mayFollow(record.event)
        record.keys.visit { key in
          writes.point(
            KeyColumns(key), to: account, isStored: mayFollow, number: &numbers[key, default: nil])
        }
      }
      sender.wait()
      try sent.get()
      if page.isEmpty { return Array(accounts.values) }
      sender.start { [store, statements = writes.imported] in
        sent = Result { () throws(CreditError) in _ = try store.runWhole(statements) }
      }
    }
  }

  /// Returns false if no earlier record can have the ids and keys of an event. To insert them takes
  /// the server half the time of looking for them first.
  private func mayFollow(_ event: LedgerEvent) -> Bool {
    switch event {
    case .authorization: false
    case .charge(let charge): charge.key == nil
    default: true
    }
  }
}
