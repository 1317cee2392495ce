public import CreditBytes

/// Use of a grant's credits: the granted ones are left, used, expired or refunded.
public struct GrantUse: Hashable, Sendable {
  public let left: Credits
  public let used: Credits
  public let expired: Credits

  /// - Parameters:
  ///   - entry: the grant's top-up.
  ///   - now: the time up to which the clock's changes count, recorded or not.
  /// - Returns: nil for a top-up without terms, or one that is not granted.
  public static func of(
    _ entry: TransactionEntry, in books: any LedgerReading, policy: Policy, now: Timestamp
  ) throws(CreditError) -> GrantUse? {
    let transaction = entry.topUp.transaction
    guard transaction.terms != nil,
      let newest = try books.newest(of: .account(transaction.account))
    else { return nil }
    switch transaction.status {
    case .pending, .failed: return nil
    case .completed, .scheduled, .refunded: break
    }
    var account = newest.record.account
    let turns = try account.advance(to: now, under: policy.forReading)
    let scheduled = account.scheduled.first { $0.bucket.grant?.id == transaction.id }
    let left =
      scheduled?.bucket.credits ?? account.buckets.bucket(of: transaction.id)?.credits ?? 0
    var expired = turns.compactMap { $0.expired(of: transaction.id) }.first
    if expired == nil, let expiresAt = transaction.expiresAt, expiresAt <= now {
      expired = try recordedExpiry(of: transaction, at: expiresAt, before: newest, in: books)
    }
    return GrantUse(entry, left: left, expired: expired ?? 0)
  }

  /// A refund takes the rest first, then used credits; those of earlier tools took expired ones,
  /// too. The part paid by other credits is theirs, not the grant's.
  private init(_ entry: TransactionEntry, left: Credits, expired: Credits) {
    let rest = entry.topUp.refundable - (entry.lastRefund?.total ?? 0) - left
    self.left = left
    used = max(0, rest - expired)
    self.expired = rest - used
  }

  private static func recordedExpiry(
    of transaction: Transaction, at time: Timestamp, before newest: StoredRecord,
    in books: any LedgerReading
  ) throws(CreditError) -> Credits? {
    var position = RecordPosition(newest.position.value + 1)
    while true {
      let page = try books.records(
        of: transaction.account, before: position, skipping: 0, limit: 256)
      for stored in page {
        if let expired = stored.record.expired(of: transaction.id) { return expired }
        if stored.record.account.updatedAt < time { return nil }
      }
      guard let last = page.last else { return nil }
      position = last.position
    }
  }
}

extension LedgerRecord {
  /// The credits of a grant that it states as expired.
  public func expired(of grant: Name) -> Credits? {
    guard case .expiry(_, let credits, grant) = event else { return nil }
    return -credits
  }
}
