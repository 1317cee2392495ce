internal import CreditBytes
public import CreditModel
public import CreditStore

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
    throw CreditError(
      .cannotCreate,
      "the store at \(quoted(store.location.path)) has records already; an import takes an empty "
        + "one", [.path(store.location.path)])
  }

  private func send(_ policy: PolicyDraft, _ createdAt: Timestamp?) throws(CreditError) {
    let session = store.session
    let deadline = Deadline.never
    let sending = RecordSending(session, until: deadline)
    do throws(RecordSending.Failure) {
      try sending.run(
        LookUps.begin(session.options, until: session.deadline()) + [
          Statement("SET LOCAL statement_timeout = 0"),
          Statement("SET LOCAL idle_in_transaction_session_timeout = 0"),
          Statement("SELECT policy FROM credit.store FOR UPDATE"),
          Statement("LOCK TABLE credit.account IN EXCLUSIVE MODE"),
        ])
      do throws(CreditError) {
        try requireEmpty()
      } catch {
        throw .store(error)
      }
      try sendRecords(by: sending)
      let created = createdAt.map {
        Statement("UPDATE credit.store SET created_at = $1", [.time($0)])
      }
      try sending.run(
        ServerPolicy.insert(policy) + [created].compactMap { $0 } + [Statement("COMMIT")])
    } catch {
      session.rollBack(until: deadline)
      switch error {
      case .server(let fault):
        throw session.error(of: fault, outcome: fault.endsConnection ? "unknown" : "none")
      case .store(let error): throw error
      case .conflict:
        throw CreditError(.cannotCreate, "somebody else has written to the store meanwhile")
      }
    }
  }

  private func sendRecords(by sending: RecordSending) throws(RecordSending.Failure) {
    var place = 0
    while true {
      let records: [LedgerRecord]
      do throws(CreditError) {
        records = try gathered.records(from: &place, limit: Self.batchCount)
      } catch {
        throw .store(error)
      }
      if records.isEmpty { return }
      _ = try sending.append(records)
    }
  }
}
