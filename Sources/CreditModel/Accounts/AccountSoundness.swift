extension Account {
  /// True if the account is in a state that the rules can produce and process.
  public var isSound: Bool {
    var sum: Int128 = 0
    var previous: Bucket?
    for bucket in buckets {
      if bucket.credits == 0 || bucket.kind == .quota { return false }
      if bucket.credits < 0, !bucket.isSame(as: .plainPurchased) { return false }
      if let previous, !previous.burnsBefore(bucket) { return false }
      previous = bucket
      sum += Int128(bucket.credits)
    }
    let hasDebt = debt > 0
    if hasDebt, buckets.contains(where: { $0.credits > 0 && !$0.isScoped }) { return false }
    if let quota {
      if quota.limit < 0 || quota.used < 0 || hasDebt && quota.remaining > 0 { return false }
      if quota.period == .subscription, subscriptions.active == nil { return false }
      if let rollover, !rollover.isSound(for: quota) { return false }
      sum += Int128(quota.remaining)
    } else if rollover != nil {
      return false
    }
    if !subscriptions.isSound || subscriptions.active != nil && plan == nil { return false }
    for (place, grant) in scheduled.enumerated() {
      if grant.bucket.grant == nil || grant.bucket.credits <= 0 { return false }
      if place > 0, !scheduled[place - 1].startsBefore(grant) { return false }
      sum += Int128(grant.bucket.credits)
    }
    var held: Int128 = 0
    for (index, hold) in holds.enumerated() {
      if hold.credits <= 0 || index > 0 && holds[index - 1].expiresAt >= hold.expiresAt {
        return false
      }
      held += Int128(hold.credits)
    }
    let settled = settledDebts
    if settled.count > SettledDebt.countLimit || !settled.allSatisfy(\.isSound) { return false }
    return abs(sum) <= Int128(Credits.max) && held <= Int128(Credits.max) && hasSoundLimits
  }

  private var hasSoundLimits: Bool {
    limitCounters.allSatisfy {
      (0...$0.unit.mostUsed).contains($0.used) && $0.since <= updatedAt
        && $0.resetsAt.map { $0 > updatedAt || $0 == .latest } ?? true
    }
      && limitsSet.allSatisfy { $0.amount ?? 0 >= 0 && $0.then?.amount ?? 0 >= 0 }
      && passedHolds.allSatisfy { $0.credits > 0 } && (planWithoutQuota == nil || quota == nil)
  }
}

extension Charge {
  /// True if the buckets that paid add up to the charge's credits.
  ///
  /// Their sum with the forfeited credits must fit, too.
  var isSound: Bool {
    var sum: Int128 = 0
    for bucket in taken {
      if bucket.credits <= 0 { return false }
      sum += Int128(bucket.credits)
    }
    if !hasSoundShares || sum != Int128(receipt.ownCredits) { return false }
    for bucket in amendment?.forfeited ?? [] {
      if bucket.credits <= 0 { return false }
      sum += Int128(bucket.credits)
    }
    return sum <= Int128(Credits.max)
  }

  /// Whether the buckets of each account above add up to the credits that it paid.
  var hasSoundShares: Bool {
    for share in receipt.paidBy {
      if share.credits < 0 || share.waived < 0 || share.way < 0 { return false }
      for bucket in share.taken where bucket.credits <= 0 { return false }
      let taken = share.taken.reduce(0 as Int128) { $0 + Int128($1.credits) }
      if taken != Int128(share.credits) { return false }
      for bucket in share.forfeited where bucket.credits <= 0 { return false }
    }
    let paid = receipt.paidBy.reduce(0 as Int128) { $0 + Int128($1.credits) }
    if paid > Int128(receipt.creditsCharged) { return false }
    let waived = Int128(receipt.creditsWaived ?? 0)
    return receipt.paidBy.reduce(0) { $0 + Int128($1.waived) } <= waived
      && Int128(receipt.creditsCharged) + waived <= Int128(Credits.max)
  }
}

extension Share {
  /// True if the rules can process each of its amounts.
  var isSound: Bool {
    buckets.allSatisfy { $0.credits > 0 }
      && buckets.reduce(0 as Int128) { $0 + Int128($1.credits) } <= Int128(Credits.max)
      && [held, released].allSatisfy { $0.map { $0.credits >= 0 && $0.passed >= 0 } ?? true }
  }
}
