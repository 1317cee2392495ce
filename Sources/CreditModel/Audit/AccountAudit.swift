/// Refuses a record unless a condition holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws(CreditError) {
  if !condition { throw CreditError(.corruptStore, otherwise()) }
}

/// Settings, changed from a record by the request that makes the state after it.
extension Account {
  mutating func apply(_ event: LedgerEvent, toward target: Account) throws(CreditError) {
    let before = balance
    try expect(target.isSound, "the state after it is impossible")
    let counters = target.limitCounters
    try expect(Set(counters.map(\.id)).count == counters.count, "limits has an id twice")
    if let group = target.group {
      try expect(
        ProductGroup.problem(with: group.text) == nil && group.text != ProductGroup.none,
        "group is not a valid name")
    }
    try expect(target.parent != name, "parent is the account itself")
    // The plan of the time has the record's quota, and its limits are those that it counts.
    var plan = target.plan.map {
      Plan(
        id: $0, quota: target.quota?.limit, period: target.quota?.period ?? .month,
        rolloverFor: target.rollover?.periods)
    }
    plan?.limits = counters.map {
      SpendLimit(id: $0.id, period: $0.period, models: $0.models, unit: $0.unit, amount: nil)
    }
    var policy = Policy(prices: PriceCatalog())
    policy.plans = plan.map { [$0] } ?? []
    policy.clock = target.recordedClock
    var request = AccountRequest(
      account: name, isExempt: target.isExempt, isClosed: target.isClosed)
    (request.parent, request.group) = (.init(to: target.parent), .init(to: target.group))
    let set = target.limitsSet.filter { !limitsSet.contains($0) }
    let removed = limitsSet.filter { old in !target.limitsSet.contains { $0.id == old.id } }
    request.limits =
      removed.map { LimitChange(id: $0.id, .plan) } + set.map { LimitChange($0) }
    request.limitUntil = set.first?.until
    if let payments = payments(changedLike: target.subscriptions) {
      try take(payments, plan, by: policy.clock)
      if let quota, target.quota == nil, quota.plan == target.plan { dropQuota() }
      // A payment changes no other settings.
      request = AccountRequest(account: name)
    } else if let quota, target.quota == nil, quota.plan == target.plan {
      dropQuota()
    } else if target.plan ?? self.plan != nil || target.subscriptions != subscriptions {
      request.plan = .init(to: target.plan)
    }
    let isAfter = counters.contains { $0.after > 0 && !limitCounters.contains($0) }
    try change(request, under: policy, last: isAfter ? updatedAt : nil)
    if target.hasChildren { hasChildren = true }
    try expect(try settings(since: before) == event, "the change of balance is not as expected")
  }
}

/// Shares in other accounts' records, applied from their own.
extension Account {
  mutating func apply(_ share: Share, _ purchase: GrantPurchase.LookUp) throws(CreditError) {
    try expect(share.member != name, "member of the share is the account itself")
    try expect(share.isSound, "an amount of the share is impossible")
    try expect(share.countedAt.time <= updatedAt, "the share is counted at a time after the record")
    let account = ChainAccount(self)
    if let part = share.released { account.release(part) }
    if let part = share.held {
      try expect(
        share.step == .hold && HoldStep.isExpiry(part.expiresAt, from: updatedAt),
        "the held part is not of a hold, or its expiresAt is wrong")
      try account.hold(part)
    }
    switch share.step {
    case .hold, .void: break
    case .charge, .amend:
      // A smaller share gives none back if all of it has expired.
      if case .amend = share.step, share.credits >= 0, share.credits > 0 || !share.buckets.isEmpty {
        fallthrough
      }
      try expect(share.credits <= 0 && share.credits > .min, "credits is above 0, but it pays")
      _ = try account.pay(0 - share.credits, for: share.model)
    case .refund:
      for bucket in share.buckets { _ = try account.getBack(bucket, purchase) }
    }
    account.count(share.counted, share.countedWork, for: share.model, at: share.countedAt)
    self = account.account
    let made = account.share(
      of: share.member, in: share.authorization, share.step, model: share.model,
      at: share.countedAt.time, share.work)
    try expect(made == share, "credits or taken of the share is not as expected")
  }
}

// Changes of the plan by subscriptions, applied from records of settings.
extension Account {
  /// Returns the payments after the one change that distinguishes them from a record's: a
  /// transaction or its refund, or a subscription's early end. Nil for a plan that was set by hand.
  private func payments(changedLike next: Subscriptions) -> Subscriptions? {
    var byHand = subscriptions
    byHand.replace()
    if next == subscriptions || next == byHand { return nil }
    if let end = next.ends.first(where: { !subscriptions.ends.contains($0) }) {
      return subscriptions(endedBy: end)
    }
    let changed = next.paid.first { $0 != subscriptions[$0.transaction] }
    if var changed, changed.state != .refunded {
      // In earlier tools a payment that counts again after a refund replaced a plan that was set by
      // hand.
      let leavesPlan = changed.state == .replaced
      changed.state = .paid
      return subscriptions(with: changed, isSetByHand: leavesPlan)
    }
    // A payment that is refunded or over in its days of grace is forgotten at once.
    let refunded = changed ?? subscriptions.paid.last { next[$0.transaction] == nil }
    guard let refunded else { return subscriptions }
    var made = subscriptions(without: refunded)
    // Records of earlier tools lack the use of a quota by the calendar.
    let isForgotten = next[refunded.transaction].map { $0.turn == nil } ?? false
    if isForgotten, made[refunded.transaction]?.turn != nil {
      made.clearUsed(of: refunded.transaction)
    }
    return made
  }

  /// Checks that a transaction that pays for a plan has been added: that record comes before its
  /// own.
  func checkSubscribed(by transaction: Transaction) throws(CreditError) {
    guard let new = Subscription(transaction), new.until > updatedAt else { return }
    let known = subscriptions[new.transaction]
    try expect(
      known.map { $0.isPaid || $0.state == .over } ?? (subscriptions(with: new) == subscriptions),
      "the plan that it pays for is not among the subscriptions")
  }
}

extension Transfer {
  func isSound(at time: Timestamp) -> Bool { from != to && timestamp == time && credits > 0 }
}
