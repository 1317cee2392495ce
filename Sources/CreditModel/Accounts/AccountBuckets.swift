/// How credits enter and leave an account's buckets.
extension Account {
  /// Adds credits: a debt is settled first, the rest goes to the bucket of that kind and expiry.
  /// - Throws: `amount_out_of_range`, or `limit_exceeded` for one dated bucket too many.
  mutating func deposit(_ credits: Credits, kind: Bucket.Kind, expiresAt: Timestamp? = nil)
    throws(CreditError)
  {
    precondition(credits >= 0 && kind != .quota)
    _ = try balance.adding(credits)
    let settled = min(credits, debt)
    if settled > 0 { buckets.add(settled, kind: .purchased, expiresAt: nil) }
    if credits == settled { return }
    buckets.add(credits - settled, kind: kind, expiresAt: expiresAt)
    if expiresAt != nil, buckets.datedCount > Self.entryLimit {
      throw tooManyExpiries("credits")
    }
  }

  /// Takes credits in burn order, and what is missing as debt.
  /// - Returns: what came from which bucket, in that order.
  /// - Throws: `amount_out_of_range`.
  mutating func burn(_ credits: Credits) throws(CreditError) -> BucketShares {
    precondition(credits >= 0)
    _ = try balance.subtracting(credits)
    if credits == 0 { return [] }
    if let first = firstBucket, first.credits >= credits {
      // Most accounts, most of the time.
      take(credits, kind: first.kind, expiresAt: first.expiresAt)
      return BucketShares(
        Bucket(kind: first.kind, credits: credits, expiresAt: first.expiresAt))
    }
    var missing = credits
    var taken = BucketShares()
    for bucket in bucketsInBurnOrder where missing > 0 && bucket.credits > 0 {
      let share = min(missing, bucket.credits)
      take(share, kind: bucket.kind, expiresAt: bucket.expiresAt)
      taken.append(Bucket(kind: bucket.kind, credits: share, expiresAt: bucket.expiresAt))
      missing -= share
    }
    if missing > 0 {
      buckets.add(-missing, kind: .purchased, expiresAt: nil)
      // Purchased credits burn last, so a share of them and the debt are one entry.
      if let last = taken.last, last.kind == .purchased, last.expiresAt == nil {
        _ = taken.popLast()
        missing += last.credits
      }
      taken.append(Bucket(kind: .purchased, credits: missing))
    }
    return taken
  }

  /// Takes a purchase back: from purchased credits first, then in burn order, then as debt.
  /// - Throws: `amount_out_of_range`.
  mutating func burnPurchasedFirst(_ credits: Credits) throws(CreditError) {
    _ = try balance.subtracting(credits)
    var missing = credits
    let purchased = buckets.undated.purchased
    if purchased > 0 {
      let share = min(missing, purchased)
      take(share, kind: .purchased, expiresAt: nil)
      missing -= share
    }
    _ = try burn(missing)
  }

  /// Gives a charge's credits back to the buckets they came from, the last taken first: so a debt
  /// that the charge made is settled before anything else, and all is as it was.
  /// - Returns: what was given back; the rest came from buckets that have expired since.
  /// - Throws: `amount_out_of_range`, or `limit_exceeded` for one dated bucket too many.
  mutating func restore(_ taken: BucketShares) throws(CreditError) -> Credits {
    var restored: Credits = 0
    for bucket in taken.reversed() {
      if bucket.kind == .quota {
        restored += try restoreToQuota(bucket)
      } else if bucket.expiresAt.map({ $0 > updatedAt }) ?? true {
        try deposit(bucket.credits, kind: bucket.kind, expiresAt: bucket.expiresAt)
        restored += bucket.credits
      }
    }
    return restored
  }

  /// The present quota takes back what has been used, also where it is of another plan by now or
  /// turns at another time; not what came from a period that has ended.
  private mutating func restoreToQuota(_ bucket: Bucket) throws(CreditError) -> Credits {
    guard let old = quota, bucket.expiresAt.map({ $0 > updatedAt }) ?? false else { return 0 }
    var quota = old
    quota.used -= min(old.used, bucket.credits)
    let restored = quota.remaining - old.remaining
    _ = try balance.adding(restored)
    self.quota = quota
    settleDebtFromQuota()
    return restored
  }

  /// A debt is paid from what remains of the quota.
  mutating func settleDebtFromQuota() {
    guard let old = quota else { return }
    let settled = min(debt, old.remaining)
    if settled == 0 { return }
    quota?.used = old.used + settled
    buckets.add(settled, kind: .purchased, expiresAt: nil)
  }

  private mutating func take(_ credits: Credits, kind: Bucket.Kind, expiresAt: Timestamp?) {
    if kind == .quota {
      quota?.used += credits
    } else {
      buckets.add(-credits, kind: kind, expiresAt: expiresAt)
    }
  }
}
