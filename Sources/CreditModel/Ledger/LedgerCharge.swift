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
      return try repeated(request, first)
    case .open:
      let authorization = entry.authorization
      var open = try open(authorization.account, at: request.time)
      let quote = try quote(request, at: time(of: request.time))
      open.account.release(authorization.hold)
      let charge = try open.account.charge(
        quote, for: request, under: authorization, allowsOverdraft: policy.allowsOverdraft)
      try record(.charge(charge), on: open)
      return .receipt(charge, isReplay: false)
    }
  }

  /// The pre-check and the charge in one. What costs nothing is never refused.
  private func chargeDirectly(_ request: ChargeRequest, account: Name, key: Name)
    throws(CreditError) -> GateResult
  {
    var open = try open(account, at: request.time)
    let quote = try quote(request, at: time(of: request.time))
    if quote.credits > 0 { try open.account.requireCredits(atLeast: 1) }
    let time = open.account.updatedAt
    let authorization = CreditAuthorization(
      id: try newID(for: open.account), account: account, timestamp: time)
    let charge = try open.account.charge(
      quote, for: request, under: authorization, key: key, allowsOverdraft: policy.allowsOverdraft)
    try record(.charge(charge), on: open)
    return .receipt(charge, isReplay: false)
  }

  /// The same usage again gets the first receipt; other usage is a conflict.
  private func repeated(_ request: ChargeRequest, _ first: Charge) throws(CreditError)
    -> GateResult
  {
    let receipt = first.receipt
    let isSame =
      switch request.usage {
      case .counts(let usage): usage == receipt.usage
      case .unreadable(let raw, _):
        // Byte by byte: strings are equal, too, where only their accents are put together
        // otherwise.
        first.unreadUsage.map { raw.utf8.elementsEqual($0.utf8) } ?? false
      }
    let isSameModel = request.model == receipt.model
    guard isSame, isSameModel, request.reportedUSD == receipt.details?.reportedUSD else {
      throw CreditError(
        .idempotencyConflict,
        "\(request.reference.phrase) was charged for another "
          + (isSameModel ? isSame ? "reported cost" : "usage" : "model"),
        [.account(receipt.authorization.account), .receipt(receipt)])
    }
    return .receipt(first, isReplay: true)
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
  /// - Throws: `insufficient_credits` without overdraft, `amount_out_of_range`.
  mutating func charge(
    _ quote: PriceQuote, for request: ChargeRequest, under authorization: CreditAuthorization,
    key: Name? = nil, allowsOverdraft: Bool
  ) throws(CreditError) -> Charge {
    let price = isExempt ? 0 : quote.credits
    if !allowsOverdraft && price > 0 { try requirePrice(price) }
    let taken = try burn(price)
    var unreadUsage: String?
    if case .unreadable(let raw, _) = request.usage { unreadUsage = raw }
    return Charge(
      receipt: CreditReceipt(
        authorization: authorization.untagged, model: request.model, usage: quote.usage,
        creditsCharged: price, newBalance: balance, timestamp: updatedAt, usd: quote.usd,
        details: .of(
          usedAt: request.usedAt, reportedUSD: request.reportedUSD, costUSD: quote.costUSD,
          tags: .filling(request.tags, from: authorization.tags)),
        creditsWaived: isExempt ? quote.credits : nil, isFallback: quote.isFallback,
        remarks: .of(request.remarks, unpriced: quote.unpriced)),
      key: key, taken: taken, unreadUsage: unreadUsage)
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
