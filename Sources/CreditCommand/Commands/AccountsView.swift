internal import CreditJSON
internal import CreditModel
internal import CreditStore

/// Accounts as they stand at a time: recorded, or projected from the last record. Reading them
/// writes nothing.
final class AccountsView {
  private let store: LocalStore
  private var reader: StoreReader?
  private var policy: Policy?
  private var now = Timestamp.earliest
  /// The time of a view into the past or the future.
  private var viewTime: Timestamp?

  init(_ store: LocalStore) {
    self.store = store
  }

  /// Goes over to the store as it is now.
  func refresh(now: Timestamp, at viewTime: Timestamp?) throws(CreditError) {
    self.now = now
    self.viewTime = viewTime
    policy = try store.policy()
    guard try store.exists() else { return }
    if reader == nil { reader = try StoreReader(store) }
  }

  /// An account; one that isn't registered is shown as it would start.
  func account(_ name: Name) throws(CreditError) -> AccountView {
    guard let policy else { throw CreditError(.invalidPolicy, "there is no policy") }
    guard let stored = try reader?.newest(of: name) else {
      return AccountView(
        viewTime == nil
          ? try Account(registering: name, at: now, under: policy)
          : Account(name: name, registeredAt: now), isRegistered: false)
    }
    return try view(of: stored, under: policy)
  }

  /// An account as its record left it, moved to the time of the view.
  private func view(of newest: StoredRecord, under policy: Policy) throws(CreditError)
    -> AccountView
  {
    var stored = newest
    if let viewTime {
      while stored.record.account.updatedAt > viewTime {
        guard let previous = stored.previous, let earlier = try reader?.record(at: previous) else {
          let name = stored.record.account.name
          return AccountView(Account(name: name, registeredAt: viewTime), isRegistered: false)
        }
        stored = earlier
      }
    }
    var account = stored.record.account
    _ = try account.advance(to: viewTime ?? now, under: policy)
    return AccountView(account)
  }

  /// Calls `body` with every account that is registered at the time of the view, in the order of
  /// names, all as of one moment, until it returns false. An account that can't be shown as of that
  /// time is its error.
  func forEachAccount(_ body: (Result<AccountView, CreditError>) -> Bool) throws(CreditError) {
    guard let reader, let policy else { return }
    var entries: [(name: Name, position: RecordPosition)] = []
    for position in try reader.newestPositions() {
      guard let stored = try reader.record(at: position) else { continue }
      entries.append((stored.record.account.name, position))
    }
    entries.sort { $0.name < $1.name }
    for entry in entries {
      guard let stored = try reader.record(at: entry.position) else { continue }
      let isWanted: Bool
      do throws(CreditError) {
        let view = try view(of: stored, under: policy)
        isWanted = !view.isRegistered || body(.success(view))
      } catch {
        if error.code.endsRun { throw error }
        isWanted = body(.failure(error))
      }
      if !isWanted { return }
    }
  }
}
