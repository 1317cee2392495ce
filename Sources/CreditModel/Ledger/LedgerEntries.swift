// What the newest record of an authorization, a top-up or a transfer says of it.

extension AuthorizationEntry {
  /// Nil for a record that is of no authorization.
  /// - Throws: `authorization_closed` for one that went with its account.
  package init?(_ stored: StoredRecord) throws(CreditError) {
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
        "authorization \(quoted(id.text)) was that of an account that has been removed")
    case .claim, .payment, .registration, .settings, .topUp, .topUpRefund, .topUpNews, .expiry,
      .refill, .transferOut, .transferIn, .share, .dropped:
      return nil
    }
    crossed = stored.record.crossed
  }
}

extension TransactionEntry {
  /// Nil for a record that is of no top-up.
  /// - Throws: `idempotency_conflict` for one that went with its account.
  package init?(_ stored: StoredRecord) throws(CreditError) {
    let position = stored.record.original ?? stored.position
    switch stored.record.event {
    case .topUp(let topUp):
      self.init(topUp: topUp, refund: nil, position: position)
    case .topUpRefund(let topUp, let refund):
      self.init(topUp: topUp, refund: refund, position: position)
    case .topUpNews(let topUp, let refund):
      self.init(topUp: topUp, refund: refund, position: position)
    case .claim(.transaction(let id)):
      throw CreditError(
        .idempotencyConflict,
        "transaction \(quoted(id.text)) was that of an account that has been removed")
    case .claim, .payment, .registration, .settings, .authorization, .void, .charge, .amend,
      .chargeRefund, .expiry, .refill, .transferOut, .transferIn, .share, .dropped:
      return nil
    }
    crossed = stored.record.crossed
  }
}

extension StoredRecord {
  /// What it gives to another account; nil for a record that gives nothing.
  package var transfer: (Transfer, crossed: [Credits]?)? {
    guard case .transferOut(let transfer) = record.event else { return nil }
    return (transfer, record.crossed)
  }
}
