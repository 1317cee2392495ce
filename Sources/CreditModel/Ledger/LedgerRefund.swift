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
    var topUp = entry.topUp
    if let account = request.account, account != topUp.transaction.account {
      throw CreditError(
        .idempotencyConflict, "transaction \(quoted(id.text)) belongs to another account")
    }
    if topUp.transaction.status == .refunded {
      let refund = entry.refund ?? Refund(ofNothing: topUp)
      crossing.note(entry.crossed)
      return .transactionRefund(topUp.transaction, refund, isReplay: true)
    }
    guard topUp.transaction.status == .completed else {
      throw CreditError(
        .transactionNotCompleted,
        "transaction \(quoted(id.text)) is \(topUp.transaction.status.rawValue); "
          + "only a completed one can be refunded",
        [.account(topUp.transaction.account), .transaction(topUp.transaction)])
    }
    var open = try open(topUp.transaction.account, at: request.time)
    try open.account.burnPurchasedFirst(topUp.creditsAdded)
    topUp.transaction.status = .refunded
    let refund = Refund(
      credits: topUp.creditsAdded, newBalance: open.account.balance,
      timestamp: open.account.updatedAt, reason: request.reason)
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
