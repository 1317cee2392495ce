/// What the top-up of a grant says of credits that are to go back to it.
package struct GrantPurchase: Sendable {
  /// The credits that it has granted, less those that have been refunded.
  package var rest: Credits
  /// True if its rest was taken back, so that no credits go back to it.
  package var isVoided: Bool

  package init(rest: Credits, isVoided: Bool) {
    self.rest = rest
    self.isVoided = isVoided
  }

  package typealias LookUp = (Name) throws(CreditError) -> GrantPurchase?
}

/// How a charge's credits go back.
extension Account {
  /// Gives a charge's credits back to the buckets they came from, the last taken first: so a debt
  /// that the charge made is settled before anything else, and all is as it was.
  /// - Returns: what was given back, in the order given; the rest came from buckets that have
  ///   expired or were voided since.
  /// - Throws: `amount_out_of_range`, or `limit_exceeded` for one bucket with terms too many.
  mutating func restore(_ taken: BucketShares, _ purchase: GrantPurchase.LookUp)
    throws(CreditError) -> BucketShares
  {
    var restored = BucketShares()
    for bucket in taken.reversed() {
      if bucket.kind == .quota {
        restored.add(bucket.with(try restoreToQuota(bucket)))
      } else if bucket.expiresAt.map({ $0 > updatedAt }) ?? true {
        for share in try shares(of: bucket, purchase) {
          try deposit(share.credits, to: share)
          restored.add(share)
        }
      }
    }
    return restored
  }

  /// What of a share goes where. A grant takes back no more than has been used of it: the refund of
  /// a grant takes from others what it no longer has, and that is where the rest goes.
  private func shares(of bucket: Bucket, _ purchase: GrantPurchase.LookUp) throws(CreditError)
    -> BucketShares
  {
    guard let grant = bucket.grant else { return [bucket] }
    guard let purchase = try purchase(grant.id), !purchase.isVoided else { return [] }
    let used = purchase.rest - (buckets.bucket(of: grant.id)?.credits ?? 0)
    let own = min(bucket.credits, max(0, used))
    var shares = BucketShares()
    shares.add(bucket.with(own))
    shares.add(Bucket.plainPurchased.with(bucket.credits - own))
    return shares
  }

  /// Gives credits back to the present quota, at most those used of it.
  ///
  /// The quota may be of another plan by now, or reset at another time. Credits from a period that
  /// has ended do not go back.
  private mutating func restoreToQuota(_ bucket: Bucket) throws(CreditError) -> Credits {
    guard let old = quota, isOfPresentPeriod(bucket, of: old) else { return 0 }
    var quota = old
    quota.used -= min(old.used, bucket.credits)
    let restored = quota.remaining - old.remaining
    _ = try balance.adding(restored)
    self.quota = quota
    settleDebtFromQuota()
    return restored
  }

  /// A paid period ends when it is renewed, be that early; in its days of grace it goes on, and
  /// under another plan that takes over what was used.
  private func isOfPresentPeriod(_ bucket: Bucket, of quota: Quota) -> Bool {
    guard let expiry = bucket.expiresAt else { return false }
    if quota.period != .subscription { return expiry > updatedAt }
    return expiry == quota.resetsAt || expiry == subscriptions.active?.until
      || subscriptions.shared.contains(expiry)
  }
}
