/// The books for the rules: look-ups by id, and appending. A gate implements it over its store;
/// look-ups include the records that the batch has appended so far.
public protocol LedgerBooks: AnyObject {
  /// Returns the account as its newest record left it; nil if it isn't registered.
  func account(_ name: Name) throws(CreditError) -> Account?
  /// Returns an account for a rule to change and record.
  ///
  /// The books may give away their only copy, so that changes copy no state. They read the account
  /// again if the request then does not record it.
  func take(_ name: Name) throws(CreditError) -> Account?
  /// Drops the books' copy of an account that ``account(_:)`` has returned, as ``take(_:)`` does.
  func drop(_ name: Name)
  /// Returns the newest record of a key other than an account. Nil if no record has the key.
  func newest(of key: RecordKey) throws(CreditError) -> StoredRecord?
  func record(at position: RecordPosition) throws(CreditError) -> LedgerRecord?
  /// Returns the accounts whose parent is one of these, each with whether it has children.
  func children(of parents: Set<Name>) throws(CreditError) -> [Name: Bool]
  /// Whether an account has a completed purchase; see ``LedgerRecord/isOfPurchase``.
  func hasPurchase(_ account: Name) throws(CreditError) -> Bool
  /// Returns the credits of an account's grant that have expired, by the records of that.
  /// - Parameter time: the grant's expiry: the records are no earlier.
  func expired(of grant: Name, in account: Name, at time: Timestamp) throws(CreditError) -> Credits
  /// Time of the newest record; nil if there are no records.
  var latestTime: Timestamp? { get }
  func append(_ record: consuming LedgerRecord) throws(CreditError)
}

/// Books whose look-ups of an account's past search its records.
public protocol SearchedBooks: LedgerBooks {
  /// Returns the first that `find` finds in an account's records, the newest first.
  ///
  /// Few requests need it, and no account twice.
  func search<Found>(_ account: Name, _ find: (LedgerRecord) -> Found?) throws(CreditError)
    -> Found?
}

extension SearchedBooks {
  public func hasPurchase(_ account: Name) throws(CreditError) -> Bool {
    try search(account) { $0.isOfPurchase ? true : nil } ?? false
  }

  public func expired(of grant: Name, in account: Name, at time: Timestamp) throws(CreditError)
    -> Credits
  {
    var expired: Credits = 0
    _ = try search(account) { $0.addExpired(of: grant, at: time, to: &expired) }
    return expired
  }
}

extension LedgerBooks {
  public func take(_ name: Name) throws(CreditError) -> Account? { try account(name) }

  public func drop(_ name: Name) {}

  public func authorization(_ id: Name) throws(CreditError) -> AuthorizationEntry? {
    try newest(of: .authorization(id)).flatMap(AuthorizationEntry.init)
  }

  public func directCharge(account: Name, key: Name) throws(CreditError) -> AuthorizationEntry? {
    try newest(of: .chargeKey(account: account, key)).flatMap(AuthorizationEntry.init)
  }

  public func transaction(_ id: Name) throws(CreditError) -> TransactionEntry? {
    try newest(of: .transaction(id)).flatMap(TransactionEntry.init)
  }

  public func topUp(account: Name, key: Name) throws(CreditError) -> TransactionEntry? {
    try newest(of: .topUpKey(account: account, key)).flatMap(TransactionEntry.init)
  }
}

public struct AuthorizationEntry: Sendable {
  public enum State: Sendable {
    case open
    case voided
    case charged(Charge)
    indirect case refunded(Charge, Refund)
  }

  public var authorization: CreditAuthorization
  public var state: State
  /// Position where its charge was first recorded, or else of its newest record.
  public var position: RecordPosition
  /// The thresholds that its newest record crossed.
  public var crossed: [Credits]?
}

/// A class, as most top-ups have no earlier record, and it is passed on often.
public final class TransactionEntry: Sendable {
  public let topUp: TopUp
  public let refund: Refund?
  /// Position of its first record.
  public let position: RecordPosition
  /// The thresholds that its newest record crossed.
  public let crossed: [Credits]?

  public typealias LookUp = (Name) throws(CreditError) -> TransactionEntry?

  init(topUp: TopUp, refund: Refund?, position: RecordPosition, crossed: [Credits]? = nil) {
    self.topUp = topUp
    self.refund = refund
    self.position = position
    self.crossed = crossed
  }
}

// An authorization or a top-up from its newest record.

extension AuthorizationEntry {
  /// Nil if the record is not of an authorization.
  /// - Throws: `authorization_closed` if it was removed with its account.
  public init?(_ stored: StoredRecord) throws(CreditError) {
    let position = stored.record.original ?? stored.position
    switch stored.record.event {
    case .authorization(let authorization):
      self.init(authorization: authorization, state: .open, position: position)
    case .void(let authorization):
      self.init(authorization: authorization, state: .voided, position: position)
    case .charge(let charge), .amend(let charge):
      self.init(
        authorization: charge.receipt.authorization, state: .charged(charge), position: position)
    case .chargeRefund(let charge, let refund):
      self.init(
        authorization: charge.receipt.authorization, state: .refunded(charge, refund),
        position: position)
    case .claim(.authorization(let id)):
      throw CreditError(
        .authorizationClosed,
        "authorization \(quoted(id.text)) belonged to an account that has been removed")
    case .claim, .payment, .registration, .settings, .topUp, .topUpRefund, .topUpNews, .expiry,
      .refill, .transferOut, .transferIn, .share, .dropped:
      return nil
    }
    crossed = stored.record.crossed
  }
}

extension TransactionEntry {
  /// Nil if the record is not of a top-up.
  /// - Throws: `idempotency_conflict` if it was removed with its account.
  public convenience init?(_ stored: StoredRecord) throws(CreditError) {
    let record = stored.record
    if case .claim(.transaction(let id)) = record.event {
      throw CreditError(
        .idempotencyConflict,
        "transaction \(quoted(id.text)) belonged to an account that has been removed")
    }
    let (topUp, refund) = record.event.topUp
    guard let topUp else { return nil }
    self.init(
      topUp: topUp, refund: refund, position: record.original ?? stored.position,
      crossed: record.crossed)
  }
}

// Ids made by the tools.
extension Ledger {
  /// Returns a new id for the next record of an account.
  ///
  /// Under a simulated clock it follows from the account's name, the number of its records and the
  /// time alone, so that a script always prints the same transcript.
  func newID(for account: Account) throws(CreditError) -> Name {
    if !policy.clockIsSimulated { return makeID(account.updatedAt) }
    var name = FNV1a()
    account.name.text.withUTF8Bytes { name.append($0) }
    // A user may have chosen that id, or an account may have been renamed with its records.
    var attempt: UInt64 = 0
    while true {
      var hash = name.value
      for number in [UInt64(bitPattern: account.recordCount), attempt] {
        hash = (hash ^ number.scattered).scattered
      }
      let id = UUIDText.name(at: account.updatedAt, hash.scattered, hash)
      if try !isTaken(id) { return id }
      attempt += 1
    }
  }

  private func isTaken(_ id: Name) throws(CreditError) -> Bool {
    do {
      if try books.authorization(id) != nil { return true }
      return try books.transaction(id) != nil
    } catch {
      // It belonged to an account that was removed.
      if error.code == .idempotencyConflict { return true }
      throw error
    }
  }
}

extension UInt64 {
  /// Another number, in which each bit changes all others (SplitMix64's step: Steele, Lea and
  /// Flood). No two have the same.
  public var scattered: UInt64 {
    var word = self &+ 0x9e37_79b9_7f4a_7c15
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }
}
