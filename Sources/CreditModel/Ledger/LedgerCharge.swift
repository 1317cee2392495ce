extension Ledger {
  /// Deducts the actual cost of work, once.
  ///
  /// Source: "post-deduct with pre-check" and "repeated charge(auth) must be safe" (Murmur's plan,
  /// sections 2 and 4).
  func charge(_ request: ChargeRequest) throws(CreditError) -> GateResult {
    switch request.reference {
    case .authorization(let id, let account):
      guard let entry = try books.authorization(id) else { throw Self.unknownAuthorization(id) }
      try checkAccount(account, of: entry)
      return try charge(request, entry)
    case .key(let key, let account):
      if let entry = try books.directCharge(account: account, key: key) {
        return try charge(request, entry)
      }
      return try chargeDirectly(request, account: account, key: key)
    }
  }

  private func charge(_ request: ChargeRequest, _ entry: AuthorizationEntry)
    throws(CreditError) -> GateResult
  {
    switch entry.state {
    case .voided: throw Self.closed(entry, for: request.reference)
    case .charged(let first), .refunded(let first, _): return try repeated(request, first, entry)
    case .open:
      let authorization = entry.authorization
      var chain = try openChain(
        authorization.account, at: request.time, with: authorization.heldAbove.map(\.account))
      let quote = try quote(request, at: time(of: request.time))
      chain.release(authorization)
      chain.model = quote.model
      let charge = try chain.charge(quote.price, for: request, under: authorization, policy: policy)
      try record(.charge(charge), on: &chain.own, with: chain.above)
      return .receipt(charge, isReplay: false)
    }
  }

  /// Does the pre-check and the charge in one. Never refuses work without a price, or work that is
  /// done and only has to be billed.
  private func chargeDirectly(_ request: ChargeRequest, account: Name, key: Name)
    throws(CreditError) -> GateResult
  {
    var chain = try openChain(account, at: request.time)
    if !request.isArrears { try chain.requireOpen() }
    let quote = try quote(request, at: time(of: request.time))
    chain.model = quote.model
    let mayStart = quote.price.credits == 0 || chain.isWaived || chain.available() >= 1
    if !mayStart, !request.isArrears { try chain.requireCredits(for: nil) }
    let authorization = CreditAuthorization(
      id: try newID(for: chain.own.account), account: account,
      timestamp: chain.own.account.updatedAt)
    let charge = try chain.charge(
      quote.price, for: request, under: authorization, key: key, isArrears: !mayStart,
      policy: policy)
    try record(.charge(charge), on: &chain.own, with: chain.above)
    return .receipt(charge, isReplay: false)
  }

  /// Returns the receipt again for the same work; other work is a conflict, or a correction. An
  /// amended charge also matches the work of its first charge.
  private func repeated(_ request: ChargeRequest, _ charge: Charge, _ entry: AuthorizationEntry)
    throws(CreditError) -> GateResult
  {
    let isRefunded = if case .refunded = entry.state { true } else { false }
    func replay() throws(CreditError) -> GateResult {
      try repeatCrossing(ofChargeIn: entry)
      if isRefunded { return .refundedReceipt(charge, partLeft: entry.partLeft?.text) }
      return .receipt(charge, isReplay: true)
    }
    guard let difference = charge.work.difference(from: request) else { return try replay() }
    func conflict() -> CreditError {
      let correction = request.amends ? " by a complete usage that can be read" : ""
      return CreditError(
        .idempotencyConflict,
        "\(request.reference.phrase) was charged for another \(difference)"
          + (isRefunded ? " and refunded" : "; --amend corrects it\(correction)")
          + (entry.partLeft?.text ?? request.reference.advice),
        [.account(entry.authorization.account), .receipt(charge)]
          + (isRefunded
            ? [entry.partLeft?.hint ?? request.reference.hint(in: entry.authorization.account)]
            : []))
    }
    if request.amends {
      if isRefunded { throw Self.closed(entry, for: request.reference) }
      return try amend(charge, of: entry, request, conflict: conflict)
    }
    guard let first = charge.amendment?.first, first.difference(from: request) == nil else {
      throw conflict()
    }
    return try replay()
  }
}

extension ChargeRequest.Reference {
  /// The charge's name in messages: the request's action.
  var phrase: String {
    switch self {
    case .authorization(let id, account: _): "authorization \(quoted(id.text))"
    case .key(let key, account: _): "key \(quoted(key.text))"
    }
  }

  /// The end of a message about a conflict.
  var advice: String {
    if case .key = self { "; a new charge needs a new key" } else { "" }
  }

  /// The end after that for people if the charge was undone.
  func hint(in account: Name) -> CreditError.Detail {
    switch self {
    case .key(let key, account: _): .hint(": \(shellFlag("key", key.again.text))")
    case .authorization(let id, account: _):
      .hint(
        "; a new charge needs a new key: \(shellFlag("account", account.text)) "
          + shellFlag("key", id.again.text))
    }
  }
}

extension Charge {
  /// The flags that name it in requests.
  public var reference: String {
    let made = receipt.authorization
    return key.map { "\(shellFlag("account", made.account.text)) \(shellFlag("key", $0.text))" }
      ?? shellFlag("authorization", made.id.text)
  }
}

extension CreditAuthorization {
  /// Without tags and model, as a charge under it has its own.
  var untagged: CreditAuthorization {
    if tags == nil && model == nil { return self }
    return CreditAuthorization(id: id, account: account, timestamp: timestamp, hold: hold)
  }
}

extension Account {
  var goesByModel: Bool { hasScopedCredits || limitCounters.contains { $0.models != nil } }

  /// Refuses a price above the account's available credits for a model. The account pays for
  /// itself.
  func requirePrice(_ price: Credits, of model: Name?) throws(CreditError) {
    let available = available(for: model)
    if price <= available { return }
    throw CreditError(
      .insufficientCredits,
      "account \(quoted(name.text)) has \(available) credits available and the price is \(price); "
        + "top up to continue",
      [.account(name), .balance(balance), .available(available)])
  }
}
