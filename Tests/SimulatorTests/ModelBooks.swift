import CreditModel

@testable import TestSupport

/// The books that a store has to agree with: every record in a list, and the newest of each key.
final class ModelBooks: LedgerBooks {
  private enum Key: Hashable {
    case account(Name)
    case authorization(Name)
    case chargeKey(account: Name, Name)
    case transaction(Name)
    case topUpKey(account: Name, Name)
  }

  private(set) var records: [LedgerRecord] = []
  private var newest: [Key: Int] = [:]

  private func record(_ key: Key) -> LedgerRecord? { newest[key].map { records[$0] } }

  var latestTime: Timestamp? { records.last?.account.updatedAt }

  func account(_ name: Name) -> Account? { record(.account(name))?.account }

  func authorization(_ id: Name) -> AuthorizationEntry? {
    record(.authorization(id))?.authorizationEntry
  }

  func directCharge(account: Name, key: Name) -> AuthorizationEntry? {
    record(.chargeKey(account: account, key))?.authorizationEntry
  }

  func transaction(_ id: Name) -> TransactionEntry? { record(.transaction(id))?.transactionEntry }

  func topUp(account: Name, key: Name) -> TransactionEntry? {
    record(.topUpKey(account: account, key))?.transactionEntry
  }

  func append(_ record: LedgerRecord) {
    let account = record.account.name
    newest[.account(account)] = records.count
    switch record.event {
    case .registration, .settings, .expiry, .refill: break
    case .authorization(let authorization), .void(let authorization):
      newest[.authorization(authorization.id)] = records.count
    case .charge(let charge), .chargeRefund(let charge, _):
      newest[.authorization(charge.receipt.authorization.id)] = records.count
      if let key = charge.key { newest[.chargeKey(account: account, key)] = records.count }
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      newest[.transaction(topUp.transaction.id)] = records.count
      if let key = topUp.transaction.key {
        newest[.topUpKey(account: account, key)] = records.count
      }
    }
    // Where a record stands is the journal's affair.
    var record = record
    record.original = nil
    records.append(record)
  }
}

extension LedgerRecord {
  var authorizationEntry: AuthorizationEntry? {
    switch event {
    case .authorization(let authorization): entry(authorization, .open)
    case .void(let authorization): entry(authorization, .voided)
    case .charge(let charge): entry(charge.receipt.authorization, .charged(charge))
    case .chargeRefund(let charge, let refund):
      entry(charge.receipt.authorization, .refunded(charge, refund))
    default: nil
    }
  }

  private func entry(_ authorization: CreditAuthorization, _ state: AuthorizationEntry.State)
    -> AuthorizationEntry
  {
    AuthorizationEntry(
      authorization: authorization, state: state, position: RecordPosition(0))
  }

  var transactionEntry: TransactionEntry? {
    switch event {
    case .topUp(let topUp):
      TransactionEntry(topUp: topUp, refund: nil, position: RecordPosition(0))
    case .topUpRefund(let topUp, let refund):
      TransactionEntry(topUp: topUp, refund: refund, position: RecordPosition(0))
    case .topUpNews(let topUp, let refund):
      TransactionEntry(topUp: topUp, refund: refund, position: RecordPosition(0))
    default: nil
    }
  }

  /// The record without what depends on where it stands.
  var withoutPosition: LedgerRecord {
    var record = self
    record.original = nil
    return record
  }
}
