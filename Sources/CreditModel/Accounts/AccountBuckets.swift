/// How credits enter and leave an account's buckets.
extension Account {
  /// Adds plain credits of a kind: a debt is settled first.
  /// - Throws: `amount_out_of_range`.
  mutating func deposit(_ credits: Credits, kind: Bucket.Kind) throws(CreditError) {
    try deposit(credits, to: Bucket(kind: kind, credits: credits))
  }

  /// Adds credits to a bucket. A debt is settled first, but not by credits that are for some models
  /// only.
  /// - Throws: `amount_out_of_range`, or `limit_exceeded` for one bucket with terms too many.
  mutating func deposit(_ credits: Credits, to bucket: Bucket) throws(CreditError) {
    precondition(credits >= 0 && bucket.kind != .quota)
    _ = try balance.adding(credits)
    let settled = bucket.isScoped ? 0 : min(credits, debt)
    if settled > 0 {
      noteSettled(settled, by: bucket)
      buckets.add(settled, to: .plainPurchased)
    }
    if credits == settled { return }
    buckets.add(credits - settled, to: bucket)
    if buckets.listedCount > Self.entryLimit { throw tooManyExpiries("credits") }
  }

  /// Takes credits in the order of use, and what is missing as debt.
  /// - Parameter model: the catalog id of the model that they pay for; nil if only credits for all
  ///   models may pay.
  /// - Returns: what came from which bucket, in that order.
  /// - Throws: `amount_out_of_range`.
  mutating func burn(_ credits: Credits, for model: Name? = nil) throws(CreditError)
    -> BucketShares
  {
    precondition(credits >= 0)
    _ = try balance.subtracting(credits)
    if credits == 0 { return [] }
    if let first = firstBucket, first.credits >= credits, first.pays(for: model) {
      // Most accounts, most of the time.
      take(credits, from: first)
      return BucketShares(first.with(credits))
    }
    var missing = credits
    var taken = BucketShares()
    for bucket in bucketsInBurnOrder
    where missing > 0 && bucket.credits > 0 && bucket.pays(for: model) {
      let share = min(missing, bucket.credits)
      take(share, from: bucket)
      taken.append(bucket.with(share))
      missing -= share
    }
    if missing > 0 {
      buckets.add(-missing, to: .plainPurchased)
      // Where purchased credits are used last, a share of them and the debt are one entry.
      if let last = taken.last, last.isSame(as: .plainPurchased) {
        _ = taken.popLast()
        missing += last.credits
      }
      taken.append(Bucket(kind: .purchased, credits: missing))
    }
    return taken
  }

  /// Takes a plain purchase back: from plain purchased credits first, then from others for all
  /// models in the order of use, then as debt.
  /// - Returns: what came from which bucket.
  /// - Throws: `amount_out_of_range`.
  @discardableResult
  mutating func burnPurchasedFirst(_ credits: Credits) throws(CreditError) -> BucketShares {
    try burn(credits, first: Bucket(kind: .purchased, credits: buckets.undated.purchased))
  }

  /// Takes credits from one bucket first, as far as it has any, then from others for all models in
  /// the order of use, then as debt.
  /// - Throws: `amount_out_of_range`.
  mutating func burn(_ credits: Credits, first bucket: Bucket) throws(CreditError) -> BucketShares {
    _ = try balance.subtracting(credits)
    var taken = BucketShares()
    let share = min(credits, max(0, bucket.credits))
    if share > 0 {
      take(share, from: bucket)
      taken.append(bucket.with(share))
    }
    for other in try burn(credits - share) { taken.add(other) }
    return taken
  }

  private mutating func take(_ credits: Credits, from bucket: Bucket) {
    if bucket.kind == .quota {
      quota?.used += credits
    } else {
      buckets.add(-credits, to: bucket)
    }
  }

  /// A debt is paid from what remains of the quota.
  mutating func settleDebtFromQuota() {
    guard let old = quota else { return }
    let settled = min(debt, old.remaining)
    if settled == 0 { return }
    quota?.used = old.used + settled
    buckets.add(settled, to: .plainPurchased)
  }
}

extension Bucket {
  /// The bucket of purchased credits without terms, whose credits below 0 are debt.
  static var plainPurchased: Bucket { Bucket(kind: .purchased, credits: 0) }
}
