/// The books as the rules see them: looked up by id, written to by appending. A gate implements it
/// over its store; what a batch has appended so far is seen by the look-ups that follow.
package protocol LedgerBooks: AnyObject {
  /// Returns the account as its newest record left it; nil if it isn't registered.
  func account(_ name: Name) throws(CreditError) -> Account?
  /// Returns the newest record of a key other than an account. Nil if no record has the key.
  func newest(of key: RecordKey) throws(CreditError) -> StoredRecord?
  /// Returns the record at a position; nil if the position has no record.
  func record(at position: RecordPosition) throws(CreditError) -> LedgerRecord?
  /// The accounts whose parent an account is.
  func children(of name: Name) throws(CreditError) -> [Name]
  /// Whether an account has a record of a completed purchase; see ``LedgerRecord/isOfPurchase``.
  func hasPurchase(_ account: Name) throws(CreditError) -> Bool
  /// Time of the record that was appended last; nil if there are no records.
  var latestTime: Timestamp? { get }
  func append(_ record: consuming LedgerRecord) throws(CreditError)
}

extension LedgerBooks {
  package func authorization(_ id: Name) throws(CreditError) -> AuthorizationEntry? {
    try newest(of: .authorization(id)).flatMap(AuthorizationEntry.init)
  }

  /// The direct charge that used this key of the account.
  package func directCharge(account: Name, key: Name) throws(CreditError) -> AuthorizationEntry? {
    try newest(of: .chargeKey(account: account, key)).flatMap(AuthorizationEntry.init)
  }

  package func transaction(_ id: Name) throws(CreditError) -> TransactionEntry? {
    try newest(of: .transaction(id)).flatMap(TransactionEntry.init)
  }

  /// The top-up that used this key of the account.
  package func topUp(account: Name, key: Name) throws(CreditError) -> TransactionEntry? {
    try newest(of: .topUpKey(account: account, key)).flatMap(TransactionEntry.init)
  }

  /// The transfer from the account that used this key, and what it has crossed.
  package func transfer(account: Name, key: Name) throws(CreditError)
    -> (Transfer, crossed: [Credits]?)?
  {
    try newest(of: .transferKey(account: account, key)).flatMap(\.transfer)
  }
}

/// What the books know of an authorization.
package struct AuthorizationEntry: Sendable {
  package enum State: Sendable {
    case open
    case voided
    case charged(Charge)
    indirect case refunded(Charge, Refund)
  }

  package var authorization: CreditAuthorization
  package var state: State
  /// Position where its charge was first recorded, or else of its newest record.
  package var position: RecordPosition
  /// What its newest record has crossed.
  package var crossed: [Credits]?

  package init(authorization: CreditAuthorization, state: State, position: RecordPosition) {
    self.authorization = authorization
    self.state = state
    self.position = position
  }
}

/// What the books know of a top-up.
package struct TransactionEntry: Sendable {
  package var topUp: TopUp
  package var refund: Refund?
  /// Where it was first recorded.
  package var position: RecordPosition
  /// What its newest record has crossed.
  package var crossed: [Credits]?

  package init(topUp: TopUp, refund: Refund?, position: RecordPosition) {
    self.topUp = topUp
    self.refund = refund
    self.position = position
  }
}
