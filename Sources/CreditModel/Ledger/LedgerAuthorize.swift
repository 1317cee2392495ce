extension Ledger {
  /// May this account start? Refused where the balance less open holds is 0 or less; never deducts.
  ///
  /// Source: "authorize() fails when balance <= 0" (Murmur's plan, section 4).
  func authorize(_ request: AuthorizeRequest) throws(CreditError) -> GateResult {
    if let id = request.id, let entry = try books.authorization(id) {
      return try repeated(request, entry)
    }
    var open = try open(request.account, at: request.time)
    let model =
      if let model = request.model { try self.model(model, at: time(of: request.time)).id } else {
        Name?.none
      }
    let id = if let id = request.id { id } else { try newID(for: open.account) }
    try open.account.requireOpen()
    try open.account.requireCredits(for: request.hold)
    try open.account.requireLimits(for: request.hold, of: model, under: policy)
    var authorization = try open.account.authorize(
      id: id, hold: request.hold,
      expiresIn: request.expiresIn ?? policy.holdExpiresIn)
    authorization.tags = request.tags
    let balance = open.account.balance
    try record(.authorization(authorization), on: open)
    return .authorization(authorization, balance: balance, isReplay: false)
  }

  private func repeated(_ request: AuthorizeRequest, _ entry: AuthorizationEntry)
    throws(CreditError) -> GateResult
  {
    let first = entry.authorization
    try checkAccount(request.account, of: entry)
    guard first.hold?.credits == request.hold else {
      throw CreditError(
        .idempotencyConflict,
        "authorization \(quoted(first.id.text)) exists already with another hold",
        [.account(first.account), .authorization(first)])
    }
    guard case .open = entry.state else { throw Self.closed(entry) }
    let balance = try open(request.account, at: request.time).account.balance
    crossing.note(entry.crossed)
    return .authorization(first, balance: balance, isReplay: true)
  }

  /// Closes an open authorization without a charge; its hold is free again.
  func void(_ request: VoidRequest) throws(CreditError) -> GateResult {
    guard let entry = try books.authorization(request.id) else {
      throw Self.unknownAuthorization(request.id)
    }
    try checkAccount(request.account, of: entry)
    switch entry.state {
    case .voided:
      crossing.note(entry.crossed)
      return .voided(entry.authorization, isReplay: true)
    case .charged, .refunded: throw Self.closed(entry)
    case .open: break
    }
    var open = try open(entry.authorization.account, at: request.time)
    open.account.release(entry.authorization.hold)
    try record(.void(entry.authorization), on: open)
    return .voided(entry.authorization, isReplay: false)
  }

  static func unknownAuthorization(_ id: Name) -> CreditError {
    CreditError(.unknownAuthorization, "no authorization \(quoted(id.text)) in the store")
  }

  /// An account that is given must be the authorization's. The refusal says nothing of whose it is.
  func checkAccount(_ account: Name?, of entry: AuthorizationEntry) throws(CreditError) {
    if let account, account != entry.authorization.account {
      throw CreditError(ofAnotherAccount: entry.authorization.id)
    }
  }

  static func closed(_ entry: AuthorizationEntry) -> CreditError {
    let id = quoted(entry.authorization.id.text)
    var details: [CreditError.Detail] = [
      .account(entry.authorization.account), .authorization(entry.authorization),
    ]
    switch entry.state {
    case .charged(let charge):
      details.append(.receipt(charge.receipt))
      return CreditError(.authorizationClosed, "authorization \(id) has been charged", details)
    case .refunded(let charge, _):
      details.append(.receipt(charge.receipt))
      return CreditError(
        .authorizationClosed, "authorization \(id) has been charged and refunded", details)
    case .open, .voided:
      return CreditError(.authorizationClosed, "authorization \(id) has been voided", details)
    }
  }
}

extension CreditError {
  /// An authorization is not the account's that a request names.
  package init(ofAnotherAccount id: Name) {
    self.init(
      .idempotencyConflict, "authorization \(quoted(id.text)) belongs to another account")
  }
}

extension Account {
  /// An authorization, and its hold.
  /// - Throws: `invalid_request`, `limit_exceeded`, `amount_out_of_range`.
  mutating func authorize(id: Name, hold credits: Credits?, expiresIn: TimeSpan)
    throws(CreditError) -> CreditAuthorization
  {
    var hold: CreditAuthorization.Hold?
    if let credits {
      guard let expiresAt = HoldStep.expiry(after: expiresIn, from: updatedAt) else {
        throw CreditError(.invalidRequest, "the hold would expire after the year 9999")
      }
      try setAside(credits, until: expiresAt)
      hold = CreditAuthorization.Hold(credits: credits, expiresAt: expiresAt)
    }
    return CreditAuthorization(id: id, account: name, timestamp: updatedAt, hold: hold)
  }

  /// Refuses what a limit has no room for: without a model those of all models alone, as nobody
  /// knows yet what the work will use.
  func requireLimits(for hold: Credits?, of model: Name?, under policy: Policy)
    throws(CreditError)
  {
    let refusals = limitsRefusing(
      hold.map(LimitDemand.fitting) ?? .start, for: model, under: policy)
    if !refusals.isEmpty { throw CreditError(spendLimitsOf: name, refusals, hold: hold) }
  }

  /// Whether the pre-check lets it start.
  var mayStart: Bool { isExempt || available >= 1 }

  /// Refuses an account that has not as many credits free of holds as a new hold takes, or none
  /// where there is no hold; unless it is exempt.
  func requireCredits(for hold: Credits?) throws(CreditError) {
    if isExempt || available >= hold ?? 1 { return }
    var what = "account \(quoted(name.text)) has \(balance) credits"
    if held > 0 { what += ", and \(held) are held already" }
    if let hold { what += ", too few for a hold of \(hold)" }
    throw CreditError(
      .insufficientCredits, what + "; top up to continue",
      [.account(name), .balance(balance), .available(available)])
  }
}
