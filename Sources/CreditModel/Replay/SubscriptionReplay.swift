// What subscriptions do to the plan, done again from records of settings.
extension Account {
  /// The end of a plan that was not renewed: it comes after credits that expire at that instant,
  /// and before all else.
  mutating func replayPlanEnd(_ credits: Credits, toward target: Account) throws(CreditError) {
    let now = target.updatedAt
    let isNext =
      buckets.nextExpiry.map { $0 > now } ?? true
      && scheduled.first.map { $0.startsAt >= now } ?? true
    try expect(isNext, "what came before the end of the plan is not recorded")
    if let quota, quota.period != .subscription, quota.resetsAt < now {
      try expect(quota.remaining == 0, "a quota that has turned is not recorded as such")
    }
    let before = balance
    removePlan()
    subscription = nil
    moveClock(to: now)
    let (change, overflow) = balance.subtractingReportingOverflow(before)
    try expect(!overflow && change == credits, "the balance changed by another amount")
  }

  /// A subscription that was begun, renewed, replaced or ended.
  /// - Returns: false where a plan was set by hand in its place, which is done again like any
  ///   other.
  mutating func replaySubscription(toward target: Account) throws(CreditError) -> Bool {
    guard let new = target.subscription else {
      // Ended while nothing more could be paid for it than its grace.
      try expect(
        subscription.map { $0.state != .ended && $0.until <= updatedAt } ?? false,
        "the subscription has not ended")
      // Where a plan was set by hand meanwhile, that stays.
      if paidSubscription != nil { removePlan() }
      subscription = nil
      return true
    }
    try expect(new.grace.milliseconds >= 0, "the grace period is negative")
    switch new.state {
    case .replaced:
      try expect(paidSubscription != nil, "no subscription was there to be replaced")
      replaceSubscription()
      return false
    case .ended:
      try expect(
        new.until > updatedAt && new.endedAt ?? updatedAt == updatedAt,
        "the subscription had ended before")
      if paidSubscription != nil { removePlan() }
      subscription = new
    case .active:
      try expect(new.until > updatedAt, "the paid period had ended before")
      guard let plan = target.plan else {
        throw CreditError(.corruptStore, "the subscription has set no plan")
      }
      let quota = target.quota
      try expect(quota?.limit ?? 0 >= 0, "the quota is negative")
      try take(new, Plan(id: plan, quota: quota?.limit, period: quota?.period ?? .month))
    }
    return true
  }

  /// Checks that a transaction that pays for a plan has been taken into account: the record of that
  /// comes before its own.
  func checkSubscribed(by transaction: Transaction) throws(CreditError) {
    guard let new = Subscription(transaction), new.until > updatedAt else { return }
    try expect(
      subscription.map { $0 == new || !new.follows($0) || $0.transaction == new.transaction }
        ?? false, "the plan that it pays for is not set")
  }

  /// Checks that a refunded transaction no longer pays for the plan.
  func checkRevoked(_ transaction: Transaction) throws(CreditError) {
    guard let refunded = Subscription(transaction), let active = paidSubscription,
      active.product == refunded.product
    else { return }
    try expect(
      active.until > refunded.until || active.since > refunded.since,
      "the plan that it paid for goes on")
  }
}
