extension LedgerRecord {
  /// The changes by this record to the line at the place of its original.
  public var revision: HistoryRevision? {
    guard var revision = eventRevision else { return nil }
    // If the record has its own line, that has the crossed thresholds.
    if event.historyLineCount(isFirst: false) == 0 { revision.crossed = crossed }
    return revision
  }

  private var eventRevision: HistoryRevision? {
    guard original != nil else { return nil }
    switch event {
    case .topUp(let topUp): return HistoryRevision(topUp, at: account.updatedAt)
    case .topUpRefund(let topUp, let refund):
      return HistoryRevision(topUp, refund, at: account.updatedAt)
    case .topUpNews(let topUp, let refund):
      guard let paid = topUp.transaction.paid, paid.changedAt == account.updatedAt else {
        return nil
      }
      return HistoryRevision(topUp, refund, at: account.updatedAt)
    case .chargeRefund(_, let refund):
      var revision = HistoryRevision(status: .refunded, updatedAt: account.updatedAt)
      revision.creditsRefunded = refund.before + refund.credits
      return revision
    default: return nil
    }
  }

  /// Returns the changes that a transaction's records have made to its first line. This record is
  /// the transaction's newest. News changes nothing, and repeats the last change of the purchase.
  public func revision(since first: LedgerRecord) -> HistoryRevision? {
    guard case .topUpNews(let topUp, let refund) = event, eventRevision == nil else {
      return revision
    }
    let changed = topUp.transaction.paid?.changedAt
    if let time = [changed, refund?.timestamp].compactMap({ $0 }).max() {
      return HistoryRevision(topUp, refund, at: time)
    }
    let isChanged = first.historyLine?.status != topUp.transaction.status
    return isChanged ? HistoryRevision(topUp, at: topUp.transaction.timestamp) : nil
  }
}

/// The latest state of a transaction, to be shown where it was first recorded.
public struct HistoryRevision: Equatable, Sendable {
  public var status: Transaction.Status
  public var updatedAt: Timestamp
  /// The top-up as it is recorded now.
  public var transaction: Transaction?
  /// See ``HistoryLine/event``.
  public var event: PaymentEvent?
  /// The balance after it took effect, if that was after its first record.
  public var balance: Credits?
  public var crossed: [Credits]?
  public var creditsRefunded: Credits?
  /// Credits of a negative adjustment that was pending, if a grant was among the buckets.
  public var taken: [Bucket]?
  /// The states of its subscription with earlier ends, the latest first.
  fileprivate var shorter: [PaidPlan] = []

  /// Takes over the ends that its subscription had before, from an earlier change.
  mutating func note(earlier: HistoryRevision) {
    for case let paid? in [earlier.transaction?.paid] + earlier.shorter {
      if let known = shorter.last ?? transaction?.paid, paid.until < known.until {
        shorter.append(paid)
      }
    }
  }
}

extension HistoryRevision {
  fileprivate init(_ topUp: TopUp, _ refund: Refund? = nil, at time: Timestamp) {
    self.init(
      status: topUp.transaction.status, updatedAt: time, transaction: topUp.transaction,
      event: topUp.payment?.event, balance: topUp.creditsAdded != 0 ? topUp.newBalance : nil)
    if status == .refunded { creditsRefunded = refund?.total }
    if !topUp.taken.isEmpty { taken = topUp.taken }
  }
}

extension HistoryLine {
  /// Updates the line to the latest state of its transaction.
  public mutating func apply(_ revision: HistoryRevision) {
    status = revision.status
    updatedAt = revision.updatedAt
    creditsRefunded = revision.creditsRefunded
    for paid in revision.shorter.reversed() { take(paid) }
    if let transaction = revision.transaction {
      describe(transaction)
      let isGranted = status == .completed || status == .refunded
      if isGranted, transaction.timestamp != timestamp { completedAt = transaction.timestamp }
    }
    event = revision.event ?? event
    if let balance = revision.balance { self.balance = balance }
    if let crossed = revision.crossed { self.crossed = crossed }
    if let taken = revision.taken { self.taken = taken }
  }
}
