internal import CreditModel
internal import CreditStore

/// The books that a command reads, and the policy that it shows them by, as of the last refresh.
final class OpenBooks {
  private let store: any Store
  private var lastPolicy: Policy?
  private(set) var ledger: any LedgerReading = EmptyLedger()
  private var isMade = false

  init(_ store: any Store) {
    self.store = store
  }

  /// Goes over to the policy as it is now, and to the store once it has been made.
  func refresh() throws(CreditError) {
    lastPolicy = try store.policy()
    if isMade { return }
    isMade = try store.exists()
    ledger = try store.books()
  }

  /// The time by the clock of the books, or another one that was asked for.
  func now(or time: Timestamp?) -> Timestamp { time ?? store.systemTime }

  /// The accounts as they are now, or at another time.
  func accounts(now: Timestamp, at viewTime: Timestamp? = nil) throws(CreditError)
    -> AccountProjection
  {
    AccountProjection(ledger, policy: try policy, now: now, at: viewTime)
  }

  /// The history of an account, or of all, up to now.
  func history(of account: Name?, now: Timestamp) throws(CreditError) -> LedgerHistory {
    try LedgerHistory(of: account, in: ledger, policy: try policy, now: now)
  }

  var policy: Policy {
    get throws(CreditError) {
      if lastPolicy == nil { try refresh() }
      guard let lastPolicy else { throw CreditError(.invalidPolicy, "there is no policy") }
      return lastPolicy
    }
  }
}
