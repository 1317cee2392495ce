internal import CreditModel

/// An account that was looked up, with its number in the index and its newest record's position;
/// nil before it has one.
final class KnownAccount {
  let name: Name
  var account: Account
  /// Negative before it has one.
  private(set) var number: Int
  var position: RecordPosition?
  /// Where the index's changes have it.
  var changedPlace = PendingIndex.ChangedPlace()

  init(account: Account, number: Int, position: RecordPosition?) {
    name = account.name
    self.account = account
    self.number = number
    self.position = position
  }

  /// An account that is not in the books yet.
  convenience init(new account: Account) {
    self.init(account: account, number: -1, position: nil)
  }

  func enter(as number: Int) { self.number = number }
}
