import CreditModel

/// The books that a store has to agree with: every record in a list, found by looking at all of them.
final class ModelBooks: LedgerBooks {
  var records: [LedgerRecord] = []

  private func newest<Entry>(_ entry: (LedgerRecord) -> Entry?) -> Entry? {
    for record in records.reversed() {
      if let entry = entry(record) { return entry }
    }
    return nil
  }

  func account(_ name: Name) -> Account? {
    newest { $0.account.name == name ? $0.account : nil }
  }

  func authorization(_ id: Name) -> AuthorizationEntry? {
    newest { record in
      guard let entry = record.authorizationEntry, entry.authorization.id == id else { return nil }
      return entry
    }
  }

  func directCharge(account: Name, key: Name) -> AuthorizationEntry? {
    newest { record in
      guard record.account.name == account, record.chargeKey == key else { return nil }
      return record.authorizationEntry
    }
  }

  func transaction(_ id: Name) -> TransactionEntry? {
    newest { record in
      guard let entry = record.transactionEntry, entry.topUp.transaction.id == id else {
        return nil
      }
      return entry
    }
  }

  func topUp(account: Name, key: Name) -> TransactionEntry? {
    newest { record in
      guard let entry = record.transactionEntry, entry.topUp.transaction.account == account,
        entry.topUp.transaction.key == key
      else { return nil }
      return entry
    }
  }

  func append(_ record: LedgerRecord) { records.append(record) }
}

extension LedgerRecord {
  fileprivate var chargeKey: Name? {
    switch event {
    case .charge(let charge), .chargeRefund(let charge, _): charge.key
    default: nil
    }
  }

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
