// How payments set an account's plan, and how that ends.
extension Account {
  /// End of the paid plan; nil if no plan was paid for, or it never ends.
  var planEnd: Timestamp? {
    guard hasSubscriptions, let active = subscriptions.active, active.endsAt != .latest else {
      return nil
    }
    return active.endsAt
  }

  /// Whether the policy no longer has the paid plan.
  func isPlanRemoved(from policy: Policy) -> Bool {
    guard subscriptions.active != nil, let plan else { return false }
    return policy.plan(plan) == nil
  }

  // MARK: Payments, refunds and early ends

  /// Returns the payments after a transaction.
  /// - Parameter isSetByHand: see ``Subscriptions/add(_:isSetByHand:at:)``; nil to look.
  func subscriptions(with new: Subscription, isSetByHand: Bool? = nil) -> Subscriptions {
    var next = subscriptions
    let hasOwn = plan != nil && subscriptions.active == nil
    next.add(new, isSetByHand: isSetByHand ?? hasOwn, at: updatedAt)
    return next
  }

  func subscriptions(without payment: Subscription) -> Subscriptions {
    var next = subscriptions
    let isActive = next.active?.transaction == payment.transaction
    next.refund(
      payment, used: isActive ? quota?.used ?? 0 : 0, turn: isActive ? turn : nil,
      at: updatedAt)
    return next
  }

  /// Returns the payments after a provider reports that a subscription is over.
  func subscriptions(endedBy end: SubscriptionEnd) -> Subscriptions {
    var next = subscriptions
    next.end(end, at: updatedAt)
    return next
  }

  /// Sets the account's plan to the one that is now paid for.
  ///
  /// If another period begins, a quota by the paid period starts again; else its use is kept.
  /// - Parameter plan: the plan of the current transaction.
  /// - Throws: `amount_out_of_range`, `unavailable`.
  mutating func take(_ next: Subscriptions, _ plan: Plan?, by clock: WindowClock)
    throws(CreditError)
  {
    let (old, new) = (subscriptions.active, next.active)
    let known = new.flatMap { subscriptions[$0.transaction] }
    subscriptions = next
    if old == new { return }
    guard let new, let plan else { return removePlan() }
    subscriptions.clearUsed(of: new.transaction)
    var used = known?.turn == nil ? known?.used ?? 0 : 0
    if let old, !new.renews(old), let quota, quota.period == .subscription {
      used = max(used, quota.used)
      subscriptions.share(old.until)
      subscriptions.share(quota.resetsAt)
    } else if used == 0 {
      subscriptions.shared.removeAll()
    }
    guard plan.period == .subscription, let credits = plan.quota else {
      return try setPlan(plan, by: clock, resuming: known)
    }
    removePlan()
    let granted = Quota(
      plan: plan.id, period: .subscription, limit: credits, used: used, resetsAt: new.until)
    _ = try balance.adding(granted.remaining)
    quota = granted
    settleDebtFromQuota()
  }

  /// The quota's current turn; nil if its period is the paid one, or if its limit and use are 0.
  private var turn: Subscription.Turn? {
    guard let quota, quota.period != .subscription, quota.limit != 0 || quota.used != 0 else {
      return nil
    }
    return Subscription.Turn(
      limit: quota.limit, resetsAt: quota.resetsAt, start: quota.period.start,
      carried: rollover?.parts ?? [])
  }

  // MARK: The end of the plan

  mutating func removePlan() {
    quota = nil
    rollover = nil
    planWithoutQuota = nil
  }

  /// Ends the plan whose payment was not renewed.
  mutating func endPlan() -> LedgerEvent {
    let left = quota?.remaining ?? 0
    removePlan()
    subscriptions.lapse(at: updatedAt)
    return .settings(credits: 0 - left)
  }

  /// Keeps the plan without its quota.
  mutating func dropQuota() {
    planWithoutQuota = plan
    quota = nil
    rollover = nil
  }

  // MARK: The clock

  /// True if the quota resets in the days of grace, unless the plan is renewed: without that no
  /// period begins in them.
  var isQuotaHeld: Bool {
    guard hasSubscriptions, let quota, quota.period != .subscription else { return false }
    return subscriptions.active.map { quota.resetsAt >= $0.until } ?? false
  }

  /// True if the quota's period is over, and its rest may be used in the days of grace.
  var isQuotaOverdue: Bool { isQuotaHeld && quota.map { $0.resetsAt <= updatedAt } ?? false }

  /// The account with the end of the days of grace as that of an overdue quota.
  var showingGrace: Account {
    var account = self
    if isQuotaOverdue, let planEnd { account.quota?.resetsAt = planEnd }
    return account
  }

  /// Continues a quota by the paid period with its plan, and forgets ended payments.
  mutating func passPaidPeriod() {
    if !hasSubscriptions { return }
    let active = subscriptions.active
    if let active, quota?.period == .subscription, let resetsAt = quota?.resetsAt,
      resetsAt <= updatedAt
    {
      quota?.resetsAt = active.endsAt
    }
    // The end of a paid plan is recorded.
    if active.map({ $0.endsAt > updatedAt }) ?? true { subscriptions.lapse(at: updatedAt) }
  }

  /// Sets when a quota that begins at an instant resets; one by the paid period when that ends.
  /// - Throws: `unavailable` if a zone is needed, and cannot be read.
  func setReset(of quota: inout Quota, after instant: Timestamp, by clock: WindowClock)
    throws(CreditError)
  {
    guard quota.period == .subscription, let active = subscriptions.active else {
      return try clock.setEnd(of: &quota, after: instant)
    }
    quota.resetsAt = active.until > instant ? active.until : active.endsAt
    quota.isByWallClock = false
  }
}
