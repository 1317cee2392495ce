internal import CreditModel

/// What each account bought and spent.
struct AccountBook {
  private var numbers = NameTable()
  private(set) var accounts: [AccountSums] = []

  struct AccountSums {
    let name: String
    var spent: Int128 = 0
    var bought: Int128 = 0
    var purchaseCount = 0
    /// What was paid less what was paid back.
    var sales = MoneySums()
  }

  /// - Returns: the number of the line's account.
  mutating func add(_ line: ReportLine, _ payment: Payment?) throws(CreditError) -> Int {
    let name = line.account
    let key = Name(trusted: name)
    let (number, isNew) = numbers.enter(key)
    if isNew { accounts.append(AccountSums(name: name)) }
    guard line.counts else { return number }
    switch line.kind {
    case .usage: accounts[number].spent -= Int128(line.credits)
    case .purchase, .subscription:
      accounts[number].bought += Int128(line.credits)
      accounts[number].purchaseCount += 1
    default: break
    }
    if let payment { try accounts[number].sales.add(payment) }
    return number
  }
}
