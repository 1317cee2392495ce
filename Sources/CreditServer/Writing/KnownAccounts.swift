internal import CreditModel

/// Accounts as a process's last batches have left them. Others may have gone on since: what is done
/// by this is held against the row, in the statement that does it.
final class KnownAccounts {
  private var accounts: [Name: ServerAccount] = [:]

  private static let limit = 1000

  /// An account for a batch to change.
  func account(_ name: Name) -> ServerAccount? { accounts[name]?.stored }

  func remember(_ batch: [ServerAccount]) {
    if accounts.count + batch.count > Self.limit { accounts.removeAll() }
    for account in batch.prefix(Self.limit) { accounts[account.name] = account.stored }
  }

  func forget(_ names: some Sequence<Name>) {
    for name in names { accounts[name] = nil }
  }
}
