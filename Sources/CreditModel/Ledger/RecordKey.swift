/// What a record can be found by.
package enum RecordKey: Hashable, Sendable {
  case account(Name)
  case authorization(Name)
  case transaction(Name)
  /// A direct charge's key, within its account.
  case chargeKey(account: Name, Name)
  /// A top-up's key, within its account.
  case topUpKey(account: Name, Name)
}

extension LedgerEvent {
  /// The id of the authorization or transaction that the event is about.
  package var id: RecordKey? {
    switch self {
    case .registration, .settings, .expiry, .refill:
      nil
    case .authorization(let authorization), .void(let authorization):
      .authorization(authorization.id)
    case .charge(let charge), .chargeRefund(let charge, _):
      .authorization(charge.receipt.authorization.id)
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      .transaction(topUp.transaction.id)
    }
  }

  /// The key that its request had, within the account.
  package func key(of account: Name) -> RecordKey? {
    switch self {
    case .charge(let charge), .chargeRefund(let charge, _):
      charge.key.map { .chargeKey(account: account, $0) }
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      topUp.transaction.key.map { .topUpKey(account: account, $0) }
    case .registration, .settings, .expiry, .refill, .authorization, .void:
      nil
    }
  }
}

/// What a record is found by beside its account. Of several records that have a key the newest is.
package struct RecordKeys: Sendable {
  package let id: RecordKey?
  package let key: RecordKey?

  package func contains(_ key: RecordKey) -> Bool { id == key || self.key == key }
}

extension LedgerRecord {
  package var keys: RecordKeys { RecordKeys(id: event.id, key: event.key(of: account.name)) }
}
