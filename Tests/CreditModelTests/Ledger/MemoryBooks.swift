import CreditModel

/// Books in memory: all records in order, and what the look-ups find. A key finds the newest record
/// that has it, like the index of a store.
final class MemoryBooks: LedgerBooks {
  private(set) var records: [LedgerRecord] = []
  private var accounts: [Name: Account] = [:]
  private var authorizations: [Name: AuthorizationEntry] = [:]
  private var transactions: [Name: TransactionEntry] = [:]
  private var chargeKeys: [AccountKey: Name] = [:]
  private var topUpKeys: [AccountKey: TransactionEntry] = [:]

  private struct AccountKey: Hashable {
    var account: Name
    var key: Name
  }

  var latestTime: Timestamp? { records.last?.account.updatedAt }

  func account(_ name: Name) -> Account? { accounts[name] }

  func authorization(_ id: Name) -> AuthorizationEntry? { authorizations[id] }

  func directCharge(account: Name, key: Name) -> AuthorizationEntry? {
    chargeKeys[AccountKey(account: account, key: key)].flatMap { authorizations[$0] }
  }

  func transaction(_ id: Name) -> TransactionEntry? { transactions[id] }

  func topUp(account: Name, key: Name) -> TransactionEntry? {
    topUpKeys[AccountKey(account: account, key: key)]
  }

  func append(_ record: LedgerRecord) {
    let position = RecordPosition(Int64(records.count))
    records.append(record)
    accounts[record.account.name] = record.account
    switch record.event {
    case .registration, .settings, .expiry, .refill:
      break
    case .authorization(let authorization):
      enter(authorization, .open, position)
    case .void(let authorization):
      enter(authorization, .voided, position)
    case .charge(let charge):
      enter(charge.receipt.authorization, .charged(charge), position)
      if let key = charge.key {
        let key = AccountKey(account: record.account.name, key: key)
        chargeKeys[key] = charge.receipt.authorization.id
      }
    case .chargeRefund(let charge, let refund):
      enter(
        charge.receipt.authorization, .refunded(charge, refund), record.original ?? position)
    case .topUp(let topUp):
      enter(topUp, nil, record.original ?? position)
    case .topUpRefund(let topUp, let refund):
      enter(topUp, refund, record.original ?? position)
    case .topUpNews(let topUp, let refund):
      enter(topUp, refund, record.original ?? position)
    }
  }

  private func enter(
    _ authorization: CreditAuthorization, _ state: AuthorizationEntry.State,
    _ position: RecordPosition
  ) {
    authorizations[authorization.id] = AuthorizationEntry(
      authorization: authorization, state: state, position: position)
  }

  private func enter(_ topUp: TopUp, _ refund: Refund?, _ position: RecordPosition) {
    let transaction = topUp.transaction
    let entry = TransactionEntry(topUp: topUp, refund: refund, position: position)
    transactions[transaction.id] = entry
    if let key = transaction.key {
      topUpKeys[AccountKey(account: transaction.account, key: key)] = entry
    }
  }
}
