/// Use of a grant's credits: the granted ones are left, used, expired or refunded.
public struct GrantUse: Equatable, Sendable {
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
    guard transaction.terms != nil, !transaction.status.isUnpaid,
      let newest = try books.newest(of: .account(transaction.account))
    else { return nil }
    var account = newest.record.account
    let turns = try account.advance(to: now, under: policy.forReading)
    let scheduled = account.scheduled.first { $0.bucket.grant?.id == transaction.id }
    let left =
      scheduled?.bucket.credits ?? account.buckets.bucket(of: transaction.id)?.credits ?? 0
    var expired = turns.compactMap { $0.expired(of: transaction.id) }.first ?? 0
    if expired == 0, let expiresAt = transaction.expiresAt, expiresAt <= now {
      let end = RecordPosition(newest.position.value + 1)
      _ = try books.search(transaction.account, before: end) {
        $0.record.addExpired(of: transaction.id, at: expiresAt, to: &expired)
      }
    }
    // A refund takes the rest first, then used credits; those of earlier tools took expired ones,
    // too. The part paid by other credits is theirs, not the grant's.
    let rest = entry.topUp.refundable - (entry.lastRefund?.total ?? 0) - left
    let used = max(0, rest - expired)
    return GrantUse(left: left, used: used, expired: rest - used)
  }
}

extension LedgerRecord {
  /// The credits of a grant that it states as expired: when that expired, or, if a refund had them
  /// then, when that was reversed.
  public var expired: (grant: Name, credits: Credits)? {
    switch event {
    case .expiry(_, let credits, let grant?): (grant, 0 &- credits)
    case .topUpRefund(let topUp, let refund)
    where topUp.transaction.status == .completed && refund.forfeited > 0:
      (topUp.transaction.id, refund.forfeited)
    default: nil
    }
  }

  public func expired(of grant: Name) -> Credits? {
    expired.flatMap { $0.grant == grant ? $0.credits : nil }
  }

  /// Adds the credits of a grant that it states as expired, in a search of the newest records.
  /// - Returns: true to end the search: older records are of the time before its expiry.
  func addExpired(of grant: Name, at expiry: Timestamp, to sum: inout Credits) -> Bool? {
    sum &+= expired(of: grant) ?? 0
    return account.updatedAt < expiry ? true : nil
  }
}
