extension AuthorizationEntry {
  /// What a record says of its authorization; nil for a record without one.
  package init?(_ stored: StoredRecord) {
    self.init(stored.record, at: stored.position)
  }

  /// What a record says of its authorization; nil for a record without one.
  package init?(_ record: LedgerRecord, at position: RecordPosition) {
    let position = record.original ?? position
    switch record.event {
    case .authorization(let authorization):
      self.init(authorization: authorization, state: .open, position: position)
    case .void(let authorization):
      self.init(authorization: authorization, state: .voided, position: position)
    case .charge(let charge):
      self.init(
        authorization: charge.receipt.authorization, state: .charged(charge), position: position)
    case .chargeRefund(let charge, let refund):
      self.init(
        authorization: charge.receipt.authorization, state: .refunded(charge, refund),
        position: position)
    case .registration, .settings, .topUp, .topUpRefund, .topUpNews, .expiry, .refill:
      return nil
    }
  }
}

extension TransactionEntry {
  /// What a record says of its top-up; nil for a record without one.
  package init?(_ record: LedgerRecord, at position: RecordPosition) {
    let position = record.original ?? position
    switch record.event {
    case .topUp(let topUp):
      self.init(topUp: topUp, refund: nil, position: position)
    case .topUpRefund(let topUp, let refund):
      self.init(topUp: topUp, refund: refund, position: position)
    case .topUpNews(let topUp, let refund):
      self.init(topUp: topUp, refund: refund, position: position)
    default:
      return nil
    }
  }
}
