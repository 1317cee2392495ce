extension Ledger {
  /// Adds what was bought or granted, once. Checks in order: replay, `below`, rate limit, grant.
  ///
  /// Source: "must use transaction_id for idempotency" (Echo), "top-up increases balance
  /// atomically" (Murmur's plan, US-08).
  func topUp(_ request: TopUpRequest) throws(CreditError) -> GateResult {
    let entry = try earlier(request)
    if let entry {
      try checkSame(request, entry)
      if let replay = try replay(request, entry) { return replay }
    }
    var open = try open(request.account, at: request.time)
    if entry == nil, !request.isPaid, !request.grant.takes { try open.account.requireOpen() }
    let completes = request.status == .completed
    if let below = request.below, open.account.balance >= below {
      return .skipped(
        account: request.account, key: request.key, balance: open.account.balance)
    }
    if completes, !request.grant.takes {
      try open.account.countTopUp(against: policy.topUpLimit)
    }
    let transaction = try transaction(request, entry: entry, of: open.account)
    if completes, transaction.credits < 0 {
      try open.account.burnPurchasedFirst(-transaction.credits)
    } else if completes {
      try open.account.deposit(
        transaction.credits, kind: transaction.bucketKind, expiresAt: transaction.expiresAt)
    }
    var topUp = TopUp(
      transaction: transaction, creditsAdded: completes ? transaction.credits : 0,
      newBalance: open.account.balance)
    topUp.news = request.news ?? entry?.topUp.news
    try record(.topUp(topUp), on: open, original: entry?.position)
    return .topUp(topUp, isReplay: false)
  }

  private func earlier(_ request: TopUpRequest) throws(CreditError) -> TransactionEntry? {
    switch request.reference {
    case .transaction(let id): return try books.transaction(id)
    case .key(let key): return try books.topUp(account: request.account, key: key)
    }
  }

  /// The same id must mean the same account, type and amount.
  private func checkSame(_ request: TopUpRequest, _ entry: TransactionEntry) throws(CreditError) {
    let first = entry.topUp.transaction
    guard first.account == request.account else {
      throw CreditError(
        .idempotencyConflict,
        "\(request.reference.phrase) belongs to another account; nothing was credited")
    }
    let isSame =
      switch request.grant {
      case .product(let id, let quantity): first.productID == id && first.quantity == quantity
      case .credits(let credits): first.productID == nil && first.credits == credits
      }
    guard isSame, first.kind == request.kind else {
      throw CreditError(
        .idempotencyConflict,
        "\(request.reference.phrase) was recorded with another "
          + "\(isSame ? "type" : "product or amount"); nothing was credited",
        [.account(first.account), .transaction(first)])
    }
  }

  /// The first result again; nil where the request moves a pending or failed purchase on.
  private func replay(_ request: TopUpRequest, _ entry: TransactionEntry) throws(CreditError)
    -> GateResult?
  {
    let first = entry.topUp.transaction
    switch first.status {
    case .pending, .failed:
      if request.status != first.status { return nil }
    case .refunded:
      if request.reversesRefund { return nil }
    case .completed:
      break
    }
    if request.isStrict {
      throw CreditError(
        .duplicateTransaction,
        "\(request.reference.phrase) has been processed already",
        [.account(first.account), .transaction(first)])
    }
    try repeatCrossing(ofTopUpIn: entry)
    return .topUp(entry.topUp, isReplay: true)
  }
}

extension TopUpRequest.Grant {
  /// Whether it is a negative adjustment, which takes as a refund of a purchase does.
  fileprivate var takes: Bool {
    if case .credits(let credits) = self { credits < 0 } else { false }
  }
}

extension TopUpRequest.Reference {
  /// What a message calls the top-up by: what the request does.
  fileprivate var phrase: String {
    switch self {
    case .transaction(let id): "transaction \(quoted(id.text))"
    case .key(let key): "key \(quoted(key.text))"
    }
  }
}

extension Account {
  /// Counts a completed top-up in the policy's sliding window.
  /// - Throws: `rate_limited`, with the seconds until the window has room.
  mutating func countTopUp(against limit: TopUpLimit?) throws(CreditError) {
    guard let limit else {
      if !recentTopUps.isEmpty { recentTopUps = [] }
      return
    }
    let start = updatedAt.milliseconds - limit.period.milliseconds
    recentTopUps.removeAll { $0.milliseconds <= start }
    // A limit that was lowered since may leave more in the window than it now allows.
    if recentTopUps.count >= limit.count {
      let freeing = recentTopUps[recentTopUps.count - limit.count]
      let wait = freeing.milliseconds - start
      throw CreditError(
        .rateLimited,
        "account \(quoted(name.text)) has had \(limit.count) top-ups in the last "
          + "\(limit.period.text); try again later",
        [.account(name), .retryAfter(max(1, (wait + 999) / 1000))])
    }
    recentTopUps.append(updatedAt)
  }
}
