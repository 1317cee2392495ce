/// A key by which a record can be found.
public enum RecordKey: Hashable, Sendable {
  case account(Name)
  case authorization(Name)
  case transaction(Name)
  case chargeKey(account: Name, Name)
  case topUpKey(account: Name, Name)
  /// A transfer's key, within the giving account.
  case transferKey(account: Name, Name)
  /// A payment with news before its purchase.
  case payment(Name)

  /// The name in it if it is a key of the same kind, and of the same account, as another.
  public func name(like other: RecordKey) -> Name? {
    switch (self, other) {
    case (.transaction(let id), .transaction), (.authorization(let id), .authorization): id
    case (.chargeKey(let account, let key), .chargeKey(account: let owner, _))
    where account == owner: key
    default: nil
    }
  }
}

extension LedgerEvent {
  /// The id of the authorization or transaction that the event is about.
  public var id: RecordKey? {
    switch self {
    case .registration, .settings, .expiry, .refill, .transferOut, .transferIn, .share, .dropped:
      nil
    case .claim(let id): id
    case .payment(let id, _): .payment(id)
    case .authorization(let authorization), .void(let authorization):
      .authorization(authorization.id)
    case .charge(let charge), .amend(let charge), .chargeRefund(let charge, _):
      .authorization(charge.receipt.authorization.id)
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      .transaction(topUp.transaction.id)
    }
  }

  /// StoreKit's id of the event's purchase, if it differs from the purchase's own. It finds the
  /// purchase, and no other purchase may have it. All transactions of a subscription have theirs in
  /// common, so none has it as a key.
  public var originalID: RecordKey? {
    switch self {
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      let transaction = topUp.transaction
      guard transaction.kind != .subscription,
        let original = transaction.originalTransactionID, original != transaction.id
      else { return nil }
      return .transaction(original)
    default: return nil
    }
  }

  /// The key that its request had, within the account.
  public func key(of account: Name) -> RecordKey? {
    switch self {
    case .charge(let charge), .amend(let charge), .chargeRefund(let charge, _):
      charge.key.map { .chargeKey(account: account, $0) }
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      topUp.transaction.key.map { .topUpKey(account: account, $0) }
    case .transferOut(let transfer): .transferKey(account: account, transfer.key)
    case .registration, .settings, .expiry, .refill, .authorization, .void, .transferIn,
      .claim, .payment, .share, .dropped:
      nil
    }
  }
}

/// A record's keys beside its account. Of several records with the same key, the newest one is
/// found.
public struct RecordKeys: Sendable {
  public let id: RecordKey?
  public let key: RecordKey?
  /// The original id of a purchase that has another of its own.
  public let originalID: RecordKey?

  @inlinable @inline(__always)
  public func visit<Failure>(_ body: (RecordKey) throws(Failure) -> Void) throws(Failure) {
    if let id { try body(id) }
    if let key { try body(key) }
    if let originalID { try body(originalID) }
  }
}

extension LedgerRecord {
  public var keys: RecordKeys {
    RecordKeys(id: event.id, key: event.key(of: account.name), originalID: event.originalID)
  }

  public func isFound(by key: RecordKey) -> Bool {
    event.id == key || event.key(of: account.name) == key || event.originalID == key
  }
}
