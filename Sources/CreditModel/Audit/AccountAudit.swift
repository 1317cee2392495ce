internal import CreditBytes

/// Refuses a record unless a condition holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String)
  throws(CreditError)
{
  if !condition { throw CreditError(.corruptStore, otherwise()) }
}

/// Settings, applied from a record. Each changes the account as its event did, or throws.
extension Account {
  mutating func applySettings(_ credits: Credits, toward target: Account)
    throws(CreditError)
  {
    let before = balance
    try expect(target.isSound, "no rule makes the state after it")
    isExempt = target.isExempt
    isClosed = target.isClosed
    if target.subscriptions != subscriptions, try applySubscriptions(toward: target) {
      // A payment has set the plan, or removed its own.
    } else if let wanted = target.quota,
      wanted.plan != quota?.plan || quota?.period == .subscription && wanted.period != .subscription
    {
      try setPlan(
        Plan(id: wanted.plan, quota: wanted.limit, period: wanted.period, rolloverMax: 0))
    } else if target.quota == nil {
      quota = nil
      planWithoutQuota = target.planWithoutQuota
    }
    if let group = target.group {
      try expect(
        ProductGroup.problem(with: group.text) == nil && group.text != ProductGroup.none,
        "the group has a name that none can have")
    }
    group = target.group
    try expect(target.parent != name, "the account is its own parent")
    try expect(target.hasChildren || !hasChildren, "the account has had no children")
    parent = target.parent
    hasChildren = target.hasChildren
    try applyLimits(toward: target)
    let (change, overflow) = balance.subtractingReportingOverflow(before)
    try expect(!overflow && change == credits, "the balance changed by another amount")
  }

  /// Takes over a record's limits, whose counters continue or are new.
  private mutating func applyLimits(toward target: Account) throws(CreditError) {
    for (place, counter) in target.limitCounters.enumerated() {
      try expect(
        !target.limitCounters[..<place].contains { $0.id == counter.id }, "a limit is there twice")
      if let before = limitCounters.first(where: { $0.isSame(as: counter) }) {
        try expect(before == counter, "a limit has counted another amount")
      } else {
        try expect(
          counter.since == updatedAt && counter.used == 0
            && [0, recordCount].contains(counter.after), "a new limit does not count from 0")
      }
    }
    limitCounters = target.limitCounters
    try expect(
      target.limitsSet.allSatisfy { $0.until ?? .latest > updatedAt }
        && zip(target.limitsSet, target.limitsSet.dropFirst()).allSatisfy { $0.id < $1.id },
      "the account's own limits are not as they are set")
    limitsSet = target.limitsSet
  }
}

/// Shares in other accounts' records, applied from their own.
extension Account {
  mutating func apply(_ share: Share, _ purchase: GrantPurchase.LookUp) throws(CreditError) {
    try expect(share.member != name, "it is a share of its own record")
    try expect(share.isSound, "it has an amount that no rule makes")
    try expect(share.countedAt.time <= updatedAt, "it counts ahead of its time")
    let account = ChainAccount(self)
    if let part = share.released { account.release(part) }
    if let part = share.held {
      try expect(
        share.step == .hold && HoldStep.isExpiry(part.expiresAt, from: updatedAt),
        "it holds what was not held")
      try account.hold(part)
    }
    switch share.step {
    case .hold, .void: break
    case .charge, .amend:
      if share.givesBack { fallthrough }
      try expect(
        share.credits <= 0 && share.credits > .min, "it was given what it has to pay")
      _ = try account.pay(0 - share.credits, for: share.model)
    case .refund:
      for bucket in share.buckets { _ = try account.getBack(bucket, purchase) }
    }
    account.count(share.counted, for: share.model, at: share.countedAt)
    self = account.account
    let made = account.share(
      of: share.member, in: share.authorization, share.step, model: share.model,
      at: share.countedAt.time, share.work)
    try expect(made == share, "it was paid by other buckets, or got back another amount")
  }
}

extension Share {
  /// Whether a corrected charge gives credits back. A smaller share gives none if all of it has
  /// expired.
  fileprivate var givesBack: Bool {
    guard case .amend = step else { return false }
    return credits > 0 || credits == 0 && !buckets.isEmpty
  }
}

// Changes of the plan by subscriptions, applied from records of settings.
extension Account {
  /// Applies a change of payments: a transaction or its refund, or a subscription's early end.
  /// - Returns: false if a plan was set by hand, which is applied like any other.
  mutating func applySubscriptions(toward target: Account) throws(CreditError) -> Bool {
    let next = target.subscriptions
    var byHand = subscriptions
    byHand.replace()
    if next == byHand {
      subscriptions = next
      return false
    }
    let plan = target.plan.map {
      Plan(id: $0, quota: target.quota?.limit, period: target.quota?.period ?? .month)
    }
    try take(subscriptions(changedLike: next), plan)
    return true
  }

  /// Returns the subscriptions after the one change that distinguishes them from a record's.
  private func subscriptions(changedLike next: Subscriptions) -> Subscriptions {
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
      "the plan that it pays for is not set")
  }

  /// Checks that a refunded transaction no longer pays for the plan.
  func checkRevoked(_ transaction: Transaction) throws(CreditError) {
    try expect(
      subscriptions[transaction.id].map { !$0.isPaid } ?? true, "the plan that it paid for goes on")
  }
}

extension Transfer {
  /// Whether it moves credits at a time from one account to another.
  func isSound(at time: Timestamp) -> Bool { from != to && timestamp == time && credits > 0 }
}
