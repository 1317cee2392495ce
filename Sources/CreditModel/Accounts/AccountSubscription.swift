// How a subscription sets an account's plan, and how that ends.
extension Account {
  /// When the plan ends that the subscription has set; nil where it has set none.
  var planEnd: Timestamp? {
    guard let subscription, subscription.state == .active, subscription.endsAt != .latest
    else { return nil }
    return subscription.endsAt
  }

  /// How far the plan is paid that the subscription has set; nil where it has set none.
  package var paidSubscription: Subscription? {
    subscription.flatMap { $0.state == .active ? $0 : nil }
  }

  /// Whether the policy no longer has the plan that the subscription has set.
  func isPlanRemoved(from policy: Policy) -> Bool {
    guard paidSubscription != nil, let plan else { return false }
    return policy.plan(plan) == nil
  }

  // MARK: Beginning and renewal

  /// Has the account's plan be what a transaction pays for, unless that has ended by now, or the
  /// subscription is paid further already.
  /// - Returns: whether that changes anything.
  /// - Throws: `amount_out_of_range`.
  mutating func subscribe(_ new: Subscription, to plan: Plan) throws(CreditError) -> Bool {
    guard isSubscribed(by: new) else { return false }
    try take(new, plan)
    return true
  }

  /// Whether a transaction changes the subscription.
  private func isSubscribed(by new: Subscription) -> Bool {
    new.until > updatedAt && subscription.map(new.follows) ?? true
  }

  /// Whether the quota goes on as it is under another plan: another product takes the place of one
  /// that is still paid.
  private func keepsUsed(under new: Subscription) -> Bool {
    paidSubscription.map { $0.product != new.product && new.since < $0.until } ?? false
  }

  /// Has what is left of a quota by the paid period expire, where a renewal begins another one.
  /// - Returns: how much that is.
  mutating func expireQuota(before new: Subscription, to plan: Plan) -> Credits {
    guard isSubscribed(by: new), !keepsUsed(under: new), plan.period == .subscription,
      let quota, quota.period == .subscription
    else { return 0 }
    self.quota?.used = max(quota.used, quota.limit)
    return quota.remaining
  }

  /// Has a transaction count again whose refund was reversed.
  mutating func reinstate(_ new: Subscription, to plan: Plan) throws(CreditError) -> Bool {
    if let old = subscription, old.state == .ended, old.product == new.product,
      old.until == new.until
    {
      subscription = nil
    }
    return try subscribe(new, to: plan)
  }

  /// Sets the plan of a subscription. A quota by the paid period begins again; where another
  /// product takes the place of one that is still paid, what was used of it is kept.
  mutating func take(_ new: Subscription, _ plan: Plan) throws(CreditError) {
    let used = keepsUsed(under: new) ? quota?.used ?? 0 : 0
    subscription = new
    guard plan.period == .subscription, let credits = plan.quota else { return try setPlan(plan) }
    removePlan()
    let granted = Quota(
      plan: plan.id, period: .subscription, limit: isClosed ? 0 : credits, used: used,
      resetsAt: new.until)
    _ = try balance.adding(granted.remaining)
    quota = granted
    settleDebtFromQuota()
  }

  // MARK: Ends

  /// Removes the account's plan with what is left of its quota.
  mutating func removePlan() {
    quota = nil
    planWithoutQuota = nil
  }

  /// Ends what a refunded transaction has paid for: nothing of its product that ends by then holds
  /// any more.
  /// - Returns: whether that changes anything.
  mutating func revoke(_ refunded: Subscription) -> Bool {
    guard let old = subscription else { return mark(refunded) }
    if old.product == refunded.product {
      // It may have been paid for again, for a shorter time.
      if old.state != .ended, old.since > refunded.since { return false }
      guard refunded.until >= old.until, refunded.until > old.until || old.state != .ended
      else { return false }
    } else if refunded.since <= old.since || refunded.until <= updatedAt {
      return false
    }
    if old.state == .active { removePlan() }
    subscription = nil
    _ = mark(refunded)
    return true
  }

  /// Ends the subscription that is paid no further than a time.
  mutating func endSubscription(through until: Timestamp) -> Bool {
    guard var ended = subscription, ended.until <= until else { return false }
    ended.until = until
    return revoke(ended)
  }

  /// Remembers that what ends by then is over, while anything could.
  private mutating func mark(_ ended: Subscription) -> Bool {
    if ended.until <= updatedAt { return false }
    var marked = ended
    marked.state = .ended
    marked.endedAt = updatedAt
    subscription = marked
    return true
  }

  /// Ends the plan whose subscription was not renewed.
  mutating func endPlan() -> LedgerRecord {
    let left = quota?.remaining ?? 0
    removePlan()
    subscription = nil
    return record(.settings(credits: 0 - left))
  }

  /// Takes what is left of a quota whose plan the policy no longer has, where a subscription has
  /// set it: it could not be renewed.
  mutating func dropRemovedQuota(under policy: Policy) -> LedgerRecord? {
    guard hasRareState, let quota, isPlanRemoved(from: policy) else { return nil }
    planWithoutQuota = quota.plan
    self.quota = nil
    return record(.settings(credits: 0 - quota.remaining))
  }

  // MARK: The clock

  /// Lets a quota by the paid period go on while the plan does, and forgets a subscription of which
  /// nothing more can come.
  mutating func passPaidPeriod() {
    guard let subscription else { return }
    if quota?.period == .subscription, let resetsAt = quota?.resetsAt, resetsAt <= updatedAt {
      quota?.resetsAt = subscription.endsAt
    }
    if subscription.state != .active, subscription.lapsesAt <= updatedAt {
      self.subscription = nil
    }
  }

  /// When a quota resets that begins at an instant: with one by the paid period when that ends.
  func reset(of period: QuotaPeriod, after instant: Timestamp) -> Timestamp {
    guard period == .subscription, let subscription = paidSubscription else {
      return period.turn(after: instant)
    }
    return subscription.until > instant ? subscription.until : subscription.endsAt
  }
}
