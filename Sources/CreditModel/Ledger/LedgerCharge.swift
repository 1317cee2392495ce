extension Ledger {
  /// Deducts what the work really cost, once.
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
    case .voided:
      throw Self.closed(entry)
    case .charged(let first), .refunded(let first, _):
      return try repeated(request, first, entry)
    case .open:
      let authorization = entry.authorization
      var open = try open(authorization.account, at: request.time)
      let quote = try quote(request, at: time(of: request.time))
      open.account.release(authorization.hold)
      let charge = try open.account.charge(
        quote, for: request, under: authorization, policy: policy)
      try record(.charge(charge), on: open)
      return .receipt(charge, isReplay: false)
    }
  }

  /// The pre-check and the charge in one. What costs nothing is never refused, and neither is work
  /// that is done and only has to be billed.
  private func chargeDirectly(_ request: ChargeRequest, account: Name, key: Name)
    throws(CreditError) -> GateResult
  {
    var open = try open(account, at: request.time)
    if !request.isArrears { try open.account.requireOpen() }
    let quote = try quote(request, at: time(of: request.time))
    let mayStart = quote.credits == 0 || open.account.mayStart
    if !mayStart, !request.isArrears { try open.account.requireCredits(for: nil) }
    let time = open.account.updatedAt
    let authorization = CreditAuthorization(
      id: try newID(for: open.account), account: account, timestamp: time)
    let charge = try open.account.charge(
      quote, for: request, under: authorization, key: key, isArrears: !mayStart, policy: policy)
    try record(.charge(charge), on: open)
    return .receipt(charge, isReplay: false)
  }

  /// The same work again gets the receipt again; other work is a conflict, or a correction. A
  /// charge that has been amended is known by what it was first, too.
  private func repeated(_ request: ChargeRequest, _ charge: Charge, _ entry: AuthorizationEntry)
    throws(CreditError) -> GateResult
  {
    let isRefunded = if case .refunded = entry.state { true } else { false }
    func replay() throws(CreditError) -> GateResult {
      try repeatCrossing(ofChargeIn: entry)
      return isRefunded ? .refundedReceipt(charge) : .receipt(charge, isReplay: true)
    }
    guard let difference = charge.work.difference(from: request) else { return try replay() }
    let conflict = CreditError(
      .idempotencyConflict,
      "\(request.reference.phrase) was charged for another \(difference)",
      [.account(charge.receipt.authorization.account), .receipt(charge.receipt)])
    if request.amends {
      if isRefunded { throw Self.closed(entry) }
      return try amend(charge, of: entry, request, conflict: conflict)
    }
    guard let first = charge.amendment?.first, first.difference(from: request) == nil else {
      throw conflict
    }
    return try replay()
  }
}

extension ChargeRequest.Reference {
  /// What a message calls the charge by: what the request does.
  fileprivate var phrase: String {
    switch self {
    case .authorization(let id, account: _): "authorization \(quoted(id.text))"
    case .key(let key, account: _): "key \(quoted(key.text))"
    }
  }
}

extension CreditAuthorization {
  /// As a charge under it names it, which has tags of its own.
  var untagged: CreditAuthorization {
    if tags == nil { return self }
    var copy = self
    copy.tags = nil
    return copy
  }
}

extension Account {
  /// The rule of the deduction; the charge's own hold must be released before.
  /// - Throws: `insufficient_credits` without overdraft, `spend_limit`, `amount_out_of_range`.
  mutating func charge(
    _ quote: PriceQuote, for request: ChargeRequest, under authorization: CreditAuthorization,
    key: Name? = nil, isArrears: Bool = false, policy: Policy
  ) throws(CreditError) -> Charge {
    let price = isExempt ? 0 : quote.credits
    if price > 0, !request.isArrears {
      try requireRoom(
        for: price, of: quote.model, isDirect: key != nil, under: policy)
    }
    let before = limitCounters
    let taken = try burn(price)
    var unreadUsage: String?
    if case .unreadable(let raw, _) = request.usage { unreadUsage = raw }
    // At the time of use it counts only where it is no more than billed: nobody can get around a
    // limit by saying when something was used.
    let countsAtUse = request.isArrears && request.usedAt != nil && !before.isEmpty
    let charge = Charge(
      receipt: CreditReceipt(
        authorization: authorization.untagged, model: request.model, usage: quote.usage,
        creditsCharged: price, newBalance: balance, timestamp: updatedAt, usd: quote.usd,
        details: .of(
          usedAt: request.usedAt, reportedUSD: request.reportedUSD, costUSD: quote.costUSD,
          tags: .filling(request.tags, from: authorization.tags),
          isArrears: isArrears || countsAtUse,
          catalogModel: catalogModel(quote.model, insteadOf: request.model)),
        creditsWaived: isExempt ? quote.credits : nil, isFallback: quote.isFallback,
        remarks: .of(request.remarks, unpriced: quote.unpriced)),
      key: key, taken: taken, unreadUsage: unreadUsage)
    if before.isEmpty { return charge }
    count(price, for: charge.receipt.pricedModel, at: charge.countedAt)
    return charge.telling(limitsCrossed(since: before, under: policy))
  }

  /// The catalog id of a model, where a record has to say it: limits go by it, and the request has
  /// another name of the model.
  func catalogModel(_ id: Name?, insteadOf model: Name) -> Name? {
    id != model && limitCounters.contains { $0.models != nil } ? id : nil
  }

  /// Refuses a price that does not fit where there is no overdraft, and a direct charge that may
  /// not begin.
  private func requireRoom(
    for price: Credits, of model: Name?, isDirect: Bool, under policy: Policy
  ) throws(CreditError) {
    if !policy.allowsOverdraft {
      try requirePrice(price)
    } else if !isDirect {
      return
    }
    let refusals = limitsRefusing(
      policy.allowsOverdraft ? .start : .fitting(price), for: model, under: policy)
    if !refusals.isEmpty { throw CreditError(spendLimitsOf: name, refusals, price: price) }
  }

  private func requirePrice(_ price: Credits) throws(CreditError) {
    if price <= available { return }
    throw CreditError(
      .insufficientCredits,
      "account \(quoted(name.text)) has \(available) credits available and the price is \(price); "
        + "top up to continue",
      [.account(name), .balance(balance), .available(available)])
  }
}
