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

/// The accounts that were looked up, found by their names. Not a ``NameTable``: to look into one
/// takes a retain and a release of each of its arrays.
struct KnownAccounts: ~Copyable {
  private var accounts: [KnownAccount] = []
  /// Their numbers in that list.
  private var numbers = ProbeTable()

  var count: Int { accounts.count }

  mutating func removeAll() {
    numbers.removeAll { accounts[$0].nameHash }
    accounts.removeAll(keepingCapacity: true)
  }

  func find(_ name: Name) -> KnownAccount? {
    let number = name.text.withUTF8Bytes { name in
      numbers.find(NameTable.hash(name)) { accounts[$0].name.text.hasSameBytes(as: name) }
    }
    return number.map { accounts[$0] }
  }

  mutating func append(_ account: KnownAccount) {
    numbers.append(account.nameHash) { accounts[$0].nameHash }
    accounts.append(account)
  }
}

extension KnownAccount {
  fileprivate var nameHash: UInt64 { name.text.withUTF8Bytes { NameTable.hash($0) } }
}
