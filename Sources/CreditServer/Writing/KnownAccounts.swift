internal import CreditModel

/// Accounts as a process's last batches have left them. Others may have changed them since: the
/// statement that uses this checks the row.
final class KnownAccounts {
  private var accounts: [Name: ServerAccount] = [:]
  /// Number of full batches before anything is presumed again.
  ///
  /// A refusal costs a round trip: if others write to the same accounts, nearly all would be
  /// refused.
  private var pause = 0
  private var nextPause = 1

  private static let limit = 1000
  private static let longestPause = 64

  /// Gives away an account for a batch to change: it is not known any more until it is remembered.
  func take(_ name: Name) -> ServerAccount? { accounts.removeValue(forKey: name) }

  /// Remembers accounts as a batch that is on disk has left them.
  func remember(_ batch: [ServerAccount]) {
    if accounts.count + batch.count > Self.limit { accounts.removeAll() }
    for account in batch.prefix(Self.limit) where account.position != nil {
      account.settle()
      accounts[account.name] = account
    }
  }

  /// Returns the known accounts above some.
  func ancestors(of names: [Name]) -> Set<Name> {
    var ancestors: Set<Name> = []
    for name in names {
      var next = accounts[name]?.account?.parent
      while let parent = next, ancestors.insert(parent).inserted {
        next = accounts[parent]?.account?.parent
      }
    }
    return ancestors
  }

  func forget(_ names: some Sequence<Name>) {
    for name in names { accounts[name] = nil }
  }

  /// Number of requests from which a batch's first try presumes that its keys are new. If one
  /// exists, its new row is refused, which undoes them all.
  static let keysMinimum = 100

  /// Returns true if the next batch may use known accounts. Otherwise it counts the batch against
  /// the pause, which applies to all accounts.
  func takeTurn() -> Bool {
    if pause == 0 { return true }
    pause -= 1
    return false
  }

  /// Notes whether the known accounts were current.
  func notePresumption(held: Bool) {
    if held {
      nextPause = max(1, nextPause / 2)
    } else {
      pause = nextPause
      nextPause = min(Self.longestPause, 2 * nextPause)
    }
  }
}
