/// Refuses a record unless a condition holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String)
  throws(CreditError)
{
  if !condition { throw CreditError(.corruptStore, otherwise()) }
}

/// Settings, replayed from a record. Each replay changes the account as its event did, or throws.
extension Account {
  mutating func replaySettings(_ credits: Credits, toward target: Account)
    throws(CreditError)
  {
    let before = balance
    isExempt = target.isExempt
    isClosed = target.isClosed
    if target.subscriptions != subscriptions, try replaySubscriptions(toward: target) {
      // A payment has set the plan, or removed its own.
    } else if let wanted = target.quota,
      wanted.plan != quota?.plan || quota?.period == .subscription && wanted.period != .subscription
    {
      try expect(wanted.limit >= 0, "the quota is negative")
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
    try replayLimits(toward: target)
    let (change, overflow) = balance.subtractingReportingOverflow(before)
    try expect(!overflow && change == credits, "the balance changed by another amount")
  }

  /// Takes over a record's limits, whose counters continue or are new.
  private mutating func replayLimits(toward target: Account) throws(CreditError) {
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
      target.limitsSet.allSatisfy { ($0.credits ?? 0) >= 0 && $0.until ?? .latest > updatedAt }
        && zip(target.limitsSet, target.limitsSet.dropFirst()).allSatisfy { $0.id < $1.id },
      "the account's own limits are not as they are set")
    limitsSet = target.limitsSet
  }
}

/// Shares in other accounts' records, replayed from their own.
extension Account {
  mutating func replay(_ share: Share, _ purchase: GrantPurchase.LookUp) throws(CreditError) {
    try expect(share.member != name, "it is a share of its own record")
    if let part = share.released {
      try expect(part.credits >= 0 && part.passed >= 0, "the hold holds nothing")
      release(part)
    }
    if let part = share.held {
      try expect(share.step == .hold, "it holds what was not held")
      try expect(
        part.credits >= 0 && part.passed >= 0 && HoldStep.isExpiry(part.expiresAt, from: updatedAt),
        "the hold expires at another time")
      try setAside(part)
    }
    switch share.step {
    case .hold, .void: try expect(share.credits == 0, "it moved credits")
    case .charge: try replayPaying(share)
    case .amend:
      if share.credits > 0 {
        try replayReturn(share, purchase)
      } else {
        try replayChange(share, purchase)
      }
    case .refund: try replayReturn(share, purchase)
    }
    try expect(share.countedAt.time <= updatedAt, "it counts ahead of its time")
    count(share.counted, for: share.model, at: share.countedAt)
  }

  private mutating func replayPaying(_ share: Share) throws(CreditError) {
    try expect(share.credits <= 0, "it was given what it has to pay")
    try expect(
      try burn(0 - share.credits, for: share.model) == share.buckets, "it was paid by other buckets"
    )
  }

  private mutating func replayReturn(_ share: Share, _ purchase: GrantPurchase.LookUp)
    throws(CreditError)
  {
    try expect(
      try restore(share.buckets.reversedOrder, purchase).total == share.credits,
      "it got back another amount")
  }

  /// Replays a changed share. One that falls may give nothing back, if all of it has expired.
  private mutating func replayChange(_ share: Share, _ purchase: GrantPurchase.LookUp)
    throws(CreditError)
  {
    if share.credits == 0, !share.buckets.isEmpty {
      return try replayReturn(share, purchase)
    }
    try replayPaying(share)
  }
}

extension BucketShares {
  /// As they were taken: they are given back from the end on.
  fileprivate var reversedOrder: BucketShares { BucketShares(reversed()) }
}

// Changes of the plan by subscriptions, replayed from records of settings.
extension Account {
  /// Replays the end of a plan that was not renewed: it comes after credits that expire at that
  /// instant, and before everything else.
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

  /// Replays a change of payments: a transaction or its refund, or a subscription's early end.
  /// - Returns: false if a plan was set by hand, which is replayed like any other.
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

/// Transfers, replayed from the records of either side.
extension Account {
  mutating func replayGiving(of transfer: Transfer) throws(CreditError) {
    try expect(
      transfer.from == name && transfer.to != name && transfer.timestamp == updatedAt,
      "the transfer is another's")
    try expect(transfer.credits > 0, "it gives nothing")
    try give(transfer.credits)
  }

  mutating func replayReceiving(of transfer: Transfer) throws(CreditError) {
    try expect(
      transfer.to == name && transfer.from != name && transfer.timestamp == updatedAt,
      "the transfer is another's")
    try expect(transfer.credits > 0, "it gives nothing")
    try requireOpen()
    try deposit(transfer.credits, kind: .purchased)
  }
}
