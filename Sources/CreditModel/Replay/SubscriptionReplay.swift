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
    moveClock(to: now)
    removePlan()
    subscriptions.lapse(at: now)
    let (change, overflow) = balance.subtractingReportingOverflow(before)
    try expect(!overflow && change == credits, "the balance changed by another amount")
  }

  /// A change of what was paid for: a transaction or its refund, or a subscription's early end.
  /// - Returns: false where a plan was set by hand, which is done again like any other.
  mutating func replaySubscriptions(toward target: Account) throws(CreditError) -> Bool {
    let next = target.subscriptions
    try expect(next.isSound, "what was paid for is not in order")
    var byHand = subscriptions
    byHand.replace()
    if next == byHand {
      subscriptions = next
      return false
    }
    if next.active != nil { try expect(target.plan != nil, "what was paid for has set no plan") }
    try expect(target.quota?.limit ?? 0 >= 0, "the quota is negative")
    let plan = target.plan.map {
      Plan(id: $0, quota: target.quota?.limit, period: target.quota?.period ?? .month)
    }
    try take(subscriptions(changedLike: next), plan)
    return true
  }

  /// The subscriptions after the one change that they differ by from those of a record.
  private func subscriptions(changedLike next: Subscriptions) -> Subscriptions {
    if let end = next.ends.first(where: { !subscriptions.ends.contains($0) }) {
      return subscriptions(endedBy: end)
    }
    let changed = next.paid.first { $0 != subscriptions[$0.transaction] }
    if var changed, changed.state != .refunded {
      // Earlier tools had what counts again after a refund replace a plan that was set by hand.
      let leavesPlan = changed.state == .replaced
      changed.state = .paid
      return subscriptions(with: changed, isSetByHand: leavesPlan)
    }
    // What is refunded or over in its days of grace is forgotten at once.
    let refunded = changed ?? subscriptions.paid.last { next[$0.transaction] == nil }
    guard let refunded else { return subscriptions }
    var made = subscriptions(without: refunded)
    // Records of earlier tools do not say what was used of a quota by the calendar.
    let isForgotten = next[refunded.transaction].map { $0.turn == nil } ?? false
    if isForgotten, made[refunded.transaction]?.turn != nil {
      made.clearUsed(of: refunded.transaction)
    }
    return made
  }

  /// Checks that a transaction that pays for a plan has been taken into account: the record of that
  /// comes before its own.
  func checkSubscribed(by transaction: Transaction) throws(CreditError) {
    guard let new = Subscription(transaction), new.until > updatedAt else { return }
    let known = subscriptions[new.transaction]
    try expect(
      known.map { $0.isPaid || $0.state == .over } ?? (subscriptions(with: new) == subscriptions),
      "the plan that it pays for is not set")
  }

  /// Checks that a refunded transaction no longer pays for the plan.
  func checkRevoked(_ transaction: Transaction) throws(CreditError) {
    try expect(
      subscriptions[transaction.id].map { !$0.isPaid } ?? true, "the plan that it paid for goes on")
  }
}
