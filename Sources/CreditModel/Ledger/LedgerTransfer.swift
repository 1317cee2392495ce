extension Ledger {
  /// Moves credits to another account, once. Both sides are one record group, all or nothing.
  ///
  /// Source: "Allow users to gift recording time" (Echo).
  func transfer(_ request: TransferRequest) throws(CreditError) -> GateResult {
    let key = RecordKey.transferKey(account: request.from, request.key)
    if let record = try books.newest(of: key)?.record, case .transferOut(let first) = record.event {
      note(record.crossed)
      return try repeated(request, first)
    }
    guard request.from != request.to else {
      throw CreditError(
        .invalidRequest, "a transfer goes to another account", [.account(request.from)])
    }
    // A typo registers no account.
    guard let receiver = try books.account(request.to) else {
      throw Self.unknownAccount(request.to)
    }
    let giver = try books.account(request.from)
    let time = sharedTime(request.time, giver, receiver)
    var from = try open(request.from, at: time)
    var to = try open(request.to, at: time)
    try to.account.requireOpen()
    do {
      try from.account.give(request.credits)
    } catch {
      guard giver == nil else { throw error }
      let message = "account \(quoted(request.from.text)) has no credits to give"
      throw CreditError(error.code, message, error.details + [.unknown(.account(request.from))])
    }
    try to.account.deposit(request.credits, kind: .purchased)
    let transfer = Transfer(
      id: try newID(for: from.account), from: request.from, to: request.to,
      credits: request.credits, timestamp: from.account.updatedAt, key: request.key,
      reason: request.reason, fromBalance: from.account.balance, toBalance: to.account.balance)
    try recordPreceding(&from)
    try recordPreceding(&to)
    let crossed = from.crossed(under: policy)
    note(crossed)
    try books.append(from.closed(by: .transferOut(transfer), crossed: crossed))
    do {
      // Its credits may have expired before these came.
      try books.append(to.closed(by: .transferIn(transfer), crossed: to.crossed(under: policy)))
    } catch {
      // A transfer must not be recorded by half: an error that ends the run drops the batch.
      throw error.with(.outcome("none"))
    }
    return .transfer(transfer, isReplay: false)
  }

  private func repeated(_ request: TransferRequest, _ first: Transfer) throws(CreditError)
    -> GateResult
  {
    guard request.to == first.to, request.credits == first.credits else {
      let known = TopUpRequest.Grant.credits(first.credits).phrase
      let new = shellFlag("key", request.key.again.text)
      let advice = "; a new transfer needs \(new); if the first was wrong, \(first.undo) undoes it"
      let asked = TopUpRequest.Grant.credits(request.credits).phrase
      throw CreditError(
        .idempotencyConflict,
        "key \(quoted(request.key.text)) was used for \(known) to \(quoted(first.to.text)), not "
          + "\(asked) to \(quoted(request.to.text)); nothing was transferred",
        [.account(first.from), .transfer(first), .hint(advice)])
    }
    return .transfer(first, isReplay: true)
  }
}

extension Account {
  /// Credits that may be given away: bought ones that are not held. Starter credits could be
  /// collected from many accounts, and a quota's would never expire.
  var givable: Credits { max(0, min(buckets.undated.purchased, available)) }

  /// Takes credits for another account.
  /// - Throws: `insufficient_credits`.
  mutating func give(_ credits: Credits) throws(CreditError) {
    guard credits <= givable else {
      throw CreditError(
        .insufficientCredits,
        "account \(quoted(name.text)) has \(givable) credits to give; only purchased ones that are "
          + "not held can be given",
        [.account(name), .balance(balance), .available(available)])
    }
    try burnPurchasedFirst(credits)
  }
}

/// Credits that went from one account to another.
public struct Transfer: Equatable, Sendable {
  public var id: Name
  public var from: Name
  public var to: Name
  public var credits: Credits
  public var timestamp: Timestamp
  /// Key that makes it unique within the giving account.
  public var key: Name
  public var reason: String?
  /// The balance of the giving account right after it.
  public var fromBalance: Credits
  /// The balance of the receiving account right after it.
  public var toBalance: Credits

  public init(
    id: Name, from: Name, to: Name, credits: Credits, timestamp: Timestamp, key: Name,
    reason: String? = nil, fromBalance: Credits = 0, toBalance: Credits = 0
  ) {
    self.id = id
    self.from = from
    self.to = to
    self.credits = credits
    self.timestamp = timestamp
    self.key = key
    self.reason = reason
    self.fromBalance = fromBalance
    self.toBalance = toBalance
  }

  /// The command that gives its credits back.
  public var undo: String {
    "credit-transfer \(shellFlag("from", to.text)) \(shellFlag("to", from.text)) "
      + "--credits \(credits) \(shellFlag("key", Name.back(of: key).text))"
  }
}

/// Moves credits from one account to another.
public struct TransferRequest: Sendable {
  public var from: Name
  public var to: Name
  public var credits: Credits
  /// Unique within the giving account, apart from its other keys.
  public var key: Name
  public var reason: String?
  public var time: Timestamp?

  public init(
    from: Name, to: Name, credits: Credits, key: Name, reason: String? = nil,
    time: Timestamp? = nil
  ) {
    self.from = from
    self.to = to
    self.credits = credits
    self.key = key
    self.reason = reason
    self.time = time
  }
}
