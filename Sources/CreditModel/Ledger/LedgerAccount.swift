extension Ledger {
  /// Registers an account where it isn't yet, sets its plan and group, exempts it, closes it. What
  /// is so already is left alone; but what the clock has done since the last record is recorded, so
  /// that no later edit of the policy changes a quota that was seen to turn.
  func changeAccount(_ request: AccountRequest) throws(CreditError) -> GateResult {
    let stored = try books.account(request.account)
    let above = try parents(for: request, of: stored)
    let time = sharedTime(request.time, stored, above?.first)
    var open =
      stored == nil
      ? try register(request.account, at: time, isMember: above?.isEmpty == false)
      : try open(request.account, at: time)
    let before = open.account
    if let isExempt = request.isExempt { open.account.isExempt = isExempt }
    if let isClosed = request.isClosed { open.account.isClosed = isClosed }
    switch request.plan {
    case nil: break
    case .remove:
      open.account.subscriptions.replace()
      open.account.removePlan()
    case .set(let id): try open.account.setByHand(try plan(id))
    }
    switch request.group {
    case nil: break
    case .remove: open.account.group = nil
    case .set(let group): open.account.group = group
    }
    if let above { open.account.parent = above.first?.name }
    if !request.limits.isEmpty {
      try open.account.setLimits(request.limits, until: request.limitUntil, under: policy)
    }
    _ = open.account.takeUpLimits(under: policy, last: stored?.updatedAt)
    if let parent = above?.first, !parent.hasChildren {
      try recordFirstChild(of: parent, at: time)
    }
    // A quota that turns from nothing to nothing has turned without a record. The record of a turn
    // has the turn's time: a record of the write's own time follows it, or a later request could
    // say an earlier time.
    let after = open.account
    let hasTurned = stored.map { $0.quota != before.quota || $0.buckets != before.buckets } ?? false
    let isOfPast = open.preceding.last.map { $0.account.updatedAt < after.updatedAt } ?? false
    if after != before || hasTurned || isOfPast {
      let (credits, overflow) = after.balance.subtractingReportingOverflow(before.balance)
      if overflow { throw .amountOutOfRange("the change would not fit in 64 bits") }
      try record(.settings(credits: credits), on: open)
    } else if let stored, open.preceding.isEmpty {
      // Nothing is recorded.
      var shown = after
      shown.updatedAt = stored.updatedAt
      return .account(try view(of: after, shown: shown))
    } else {
      try recordPreceding(open)
    }
    return .account(try view(of: after, shown: after))
  }

  /// - Parameter shown: the account with the time of its last record.
  private func view(of account: Account, shown: Account) throws(CreditError) -> AccountView {
    var parents = try ancestors(of: account)
    for place in parents.indices {
      _ = try parents[place].advance(to: account.updatedAt, under: policy)
    }
    return AccountView(
      shown, limits: account.limitViews(under: policy),
      funds: .of(account, below: parents, under: policy),
      isPlanRemoved: account.isPlanRemoved(from: policy))
  }

  private func plan(_ id: Name) throws(CreditError) -> Plan {
    if let plan = policy.plan(id) { return plan }
    let plans = policy.plans.map(\.id)
    let nearest = NearestNames.find(id, among: plans)
    let hint = nearest.isEmpty ? Self.list(of: plans) : NearestNames.hint(nearest)
    throw CreditError(.unknownPlan, "no plan \(quoted(id.text)) in the policy\(hint)")
  }

  /// Lists the policy's plans for a message, the first ten by name.
  private static func list(of plans: [Name]) -> String {
    if plans.isEmpty { return ", which has no plans" }
    let names = plans.prefix(10).map { quoted($0.text) }.joined(separator: ", ")
    let rest = plans.count > 10 ? " and \(plans.count - 10) more" : ""
    return "; the \(plans.count == 1 ? "plan is" : "plans are") \(names)\(rest)"
  }
}

extension Account {
  /// Refuses a closed account: nothing new begins for it. What has begun goes on, and what is owed
  /// or paid is taken.
  func requireOpen() throws(CreditError) {
    if !isClosed { return }
    throw CreditError(
      .accountClosed, "account \(quoted(name.text)) is closed",
      [.account(name), .balance(balance)])
  }

  /// Sets a plan in the place of what a subscription has set.
  fileprivate mutating func setByHand(_ plan: Plan) throws(CreditError) {
    if self.plan != plan.id { subscriptions.replace() }
    try setPlan(plan)
  }

  /// Sets a plan: its quota comes in, less what was used of another plan's in this period, and
  /// settles debt first. The plan that the account has already does nothing. Of a plan by the
  /// paid period only a subscription has the quota.
  /// - Parameter payment: what is paid for again after its refund: its quota goes on in its turn.
  /// - Throws: `amount_out_of_range`.
  mutating func setPlan(_ plan: Plan, resuming payment: Subscription? = nil) throws(CreditError) {
    if let quota, quota.plan == plan.id,
      quota.period != .subscription || plan.period == .subscription
    {
      return
    }
    guard let credits = plan.quota, plan.period != .subscription else {
      quota = nil
      planWithoutQuota = plan.id
      return
    }
    var granted = Quota(
      plan: plan.id, period: plan.period, limit: credits, used: quota?.used ?? 0,
      resetsAt: plan.period.turn(after: updatedAt))
    if quota == nil, let payment { granted.resume(payment, at: updatedAt) }
    quota = nil
    planWithoutQuota = nil
    _ = try balance.adding(granted.remaining)
    quota = granted
    settleDebtFromQuota()
  }
}

extension Quota {
  /// Goes on in the turn in which a payment was refunded, if that has not ended.
  fileprivate mutating func resume(_ payment: Subscription, at time: Timestamp) {
    guard let turn = payment.turn, turn.resetsAt > time, turn.resetsAt <= resetsAt else { return }
    (limit, used, resetsAt) = (turn.limit, payment.used, turn.resetsAt)
  }
}
