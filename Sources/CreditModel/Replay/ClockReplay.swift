/// Expiries and turns of a quota, done again from their records, and the clock of all others.
extension Account {
  /// Moves the clock to a record's time, before which whatever expired has records of its own. A
  /// quota that turns from nothing to nothing has none: what it became is taken from the record.
  /// - Parameter isTurn: whether time alone made the record, so that others of the same instant may
  ///   follow it.
  mutating func replayClock(toward target: Account, isTurn: Bool = false) throws(CreditError) {
    let now = target.updatedAt
    if let start = scheduled.first?.startsAt, start < now || start == now && !isTurn {
      throw CreditError(.corruptStore, "a grant that has started is not recorded as such")
    }
    if let expiry = buckets.nextExpiry, expiry <= now {
      throw CreditError(.corruptStore, "credits that have expired are not recorded as such")
    }
    if let planEnd, planEnd <= now {
      throw CreditError(.corruptStore, "a subscription that has ended is not recorded as such")
    }
    if let quota, quota.period != .subscription, quota.resetsAt <= now, quota.resetsAt != .latest {
      try turnEmptyQuota(toward: target)
    }
    moveClock(to: now)
  }

  private mutating func turnEmptyQuota(toward target: Account) throws(CreditError) {
    guard let old = quota else { return }
    try expect(old.remaining == 0, "a quota that has turned is not recorded as such")
    var next = old
    next.limit = 0
    next.used = 0
    if let quota = target.quota, quota.plan == old.plan, quota.limit == 0, quota.used == 0 {
      next.period = quota.period
      next.resetsAt = quota.resetsAt
    }
    quota = next
  }

  mutating func replayExpiry(
    _ kind: Bucket.Kind, _ credits: Credits, of grant: Name?, toward target: Account
  ) throws(CreditError) {
    if kind == .quota { return try replayQuotaExpiry(credits, toward: target) }
    let now = target.updatedAt
    guard let next = buckets.nextExpiry, next == now,
      let first = buckets.removeFirst(expiringAt: now), first.kind == kind,
      first.grant?.id == grant, -first.credits == credits,
      scheduled.first.map({ $0.startsAt >= now }) ?? true, planEnd.map({ $0 >= now }) ?? true
    else { throw CreditError(.corruptStore, "no such credits expired at that time") }
    // A quota that turns at the same instant does so after this.
    if let quota, quota.period != .subscription, quota.resetsAt < now {
      try turnEmptyQuota(toward: target)
    }
    moveClock(to: now)
  }

  private mutating func replayQuotaExpiry(_ credits: Credits, toward target: Account)
    throws(CreditError)
  {
    // A quota by the paid period expires at the renewal, not at `resetsAt`.
    let isRenewed = quota?.period == .subscription
    guard var turned = quota, isRenewed || turned.resetsAt <= target.updatedAt else {
      throw CreditError(.corruptStore, "the account has no quota that turned")
    }
    try expect(turned.remaining > 0 && credits == -turned.remaining, "the quota had other credits")
    if !isRenewed, turned.resetsAt < target.updatedAt {
      // Turns that repeat one another have no records, up to the last of them.
      try expect(turned.used == 0, "a quota that has turned is not recorded as such")
      turned.resetsAt = target.updatedAt
    }
    turned.used = turned.limit
    quota = nil
    try replayClock(toward: target, isTurn: true)
    quota = turned
    if isRenewed { passPaidPeriod() }
  }

  mutating func replayRefill(_ credits: Credits, toward target: Account)
    throws(CreditError)
  {
    guard let old = quota, var next = target.quota else {
      throw CreditError(.corruptStore, "the account has no quota")
    }
    try requireOpen()
    try expect(
      old.remaining == 0 && old.plan == next.plan && old.resetsAt <= target.updatedAt,
      "the quota had not turned")
    try expect(
      next.resetsAt == reset(of: next.period, after: target.updatedAt),
      "the next turn is at another time")
    try expect(credits > 0, "a refill has at least one credit")
    next.limit = credits
    next.used = 0
    quota = nil
    try replayClock(toward: target, isTurn: true)
    _ = try balance.adding(credits)
    quota = next
    settleDebtFromQuota()
  }
}
