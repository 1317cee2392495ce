extension Ledger {
  /// Takes a purchase back, or gives a charge back; once each.
  func refund(_ request: RefundRequest) throws(CreditError) -> GateResult {
    switch request.reference {
    case .transaction(let id):
      return try refundTransaction(id, request)
    case .authorization(let id):
      guard let entry = try books.authorization(id) else { throw Self.unknownAuthorization(id) }
      return try refundCharge(entry, request)
    case .key(let key, let account):
      guard let entry = try books.directCharge(account: account, key: key) else {
        throw CreditError(
          .unknownAuthorization, "nothing was charged with the key \(quoted(key.text))",
          [.account(account)])
      }
      return try refundCharge(entry, request)
    }
  }

  private func refundTransaction(_ id: Name, _ request: RefundRequest) throws(CreditError)
    -> GateResult
  {
    guard let entry = try books.transaction(id) else {
      throw CreditError(.unknownTransaction, "no transaction \(quoted(id.text)) in the store")
    }
    let topUp = entry.topUp
    if let account = request.account, account != topUp.transaction.account {
      throw CreditError(
        .idempotencyConflict, "transaction \(quoted(id.text)) belongs to another account")
    }
    if topUp.transaction.credits < 0 {
      throw CreditError(.invalidRequest, "a negative adjustment cannot be refunded")
    }
    switch topUp.transaction.status {
    case .completed, .refunded: break
    case .pending, .failed:
      throw CreditError(
        .transactionNotCompleted,
        "transaction \(quoted(id.text)) is \(topUp.transaction.status.rawValue); "
          + "only a completed one can be refunded",
        [.account(topUp.transaction.account), .transaction(topUp.transaction)])
    }
    let total = request.credits ?? topUp.creditsAdded
    if total > topUp.creditsAdded {
      throw CreditError(
        .invalidRequest,
        "transaction \(quoted(id.text)) has granted \(topUp.creditsAdded) credits, and no more "
          + "can be refunded",
        [.account(topUp.transaction.account), .transaction(topUp.transaction)])
    }
    if let refund = entry.lastRefund, total <= refund.total {
      if total == refund.total {
        crossing.note(entry.crossed)
        return .transactionRefund(topUp.transaction, refund, isReplay: true)
      }
      throw CreditError(
        .idempotencyConflict,
        "of transaction \(quoted(id.text)) \(refund.total) credits have been refunded already",
        [.account(topUp.transaction.account), .transaction(topUp.transaction)])
    }
    return try takeBack(total, of: entry, reason: request.reason, at: request.time)
  }

  /// Takes as much of a purchase back as makes it so many credits in all.
  /// - Parameter news: what the App Store has said about it; nil where it has said nothing new.
  func takeBack(
    _ total: Credits, of entry: TransactionEntry, reason: String?, news: AppStoreNews? = nil,
    at time: Timestamp?
  ) throws(CreditError) -> GateResult {
    var topUp = entry.topUp
    var open = try open(topUp.transaction.account, at: time)
    let last = entry.lastRefund
    let credits = total - (last?.total ?? 0)
    try open.account.burnPurchasedFirst(credits)
    topUp.transaction.status = .refunded
    if let news { topUp.news = news }
    var refund = Refund(
      credits: credits, newBalance: open.account.balance, timestamp: open.account.updatedAt,
      reason: reason)
    if let last {
      refund.number = last.number + 1
      refund.before = last.total
    }
    try record(.topUpRefund(topUp, refund), on: open, original: entry.position)
    return .transactionRefund(topUp.transaction, refund, isReplay: false)
  }

  private func refundCharge(_ entry: AuthorizationEntry, _ request: RefundRequest)
    throws(CreditError) -> GateResult
  {
    try checkAccount(request.account, of: entry)
    let charge: Charge
    switch entry.state {
    case .refunded(let first, let refund):
      crossing.note(entry.crossed)
      return .chargeRefund(first.receipt.authorization, refund, isReplay: true)
    case .open, .voided:
      throw CreditError(notCharged: entry.authorization)
    case .charged(let first):
      charge = first
    }
    var open = try open(entry.authorization.account, at: request.time)
    let restored = try open.account.restore(charge.taken)
    let refund = Refund(
      credits: restored, forfeited: charge.receipt.creditsCharged - restored,
      newBalance: open.account.balance, timestamp: open.account.updatedAt,
      reason: request.reason)
    try record(.chargeRefund(charge, refund), on: open, original: entry.position)
    return .chargeRefund(entry.authorization, refund, isReplay: false)
  }
}

extension CreditError {
  /// An authorization without a charge, where one is needed.
  package init(notCharged authorization: CreditAuthorization) {
    self.init(
      .authorizationNotCharged,
      "authorization \(quoted(authorization.id.text)) has not been charged",
      [.account(authorization.account), .authorization(authorization)])
  }
}

extension TransactionEntry {
  /// The last refund of a purchase that stands refunded.
  var lastRefund: Refund? {
    topUp.transaction.status == .refunded ? refund ?? Refund(ofNothing: topUp) : nil
  }
}

extension Refund {
  /// What has been taken of the purchase in all; nothing where a refund was reversed.
  package var total: Credits { before &+ credits }
}
