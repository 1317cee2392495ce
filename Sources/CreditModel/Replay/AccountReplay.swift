/// Refuses a record unless a condition holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String)
  throws(CreditError)
{
  if !condition { throw CreditError(.corruptStore, otherwise()) }
}

/// Settings, done again from a record. Whatever is done again changes the account as its event did,
/// or throws.
extension Account {
  mutating func replaySettings(_ credits: Credits, toward target: Account)
    throws(CreditError)
  {
    let before = balance
    isExempt = target.isExempt
    isClosed = target.isClosed
    if target.subscriptions != subscriptions, try replaySubscriptions(toward: target) {
      // What was paid for has set the plan, or removed its own.
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

  /// Takes over the limits that a record says, whose counters go on or are new.
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
