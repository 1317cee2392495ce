/// The changes that time alone makes to an account.
///
/// Credits and holds expire, plans that are not renewed end, quotas reset, grants start.
extension Account {
  /// How many turns in a row are recorded one by one after a long absence.
  ///
  /// Of further turns, those without a change (nothing used, the same limit again) are skipped up
  /// to the last one. Turns of a limit of 0 are always skipped.
  static let turnLimit = 366

  /// The most turns that are computed at once, with or without a change.
  static let turnMaximum = 100_000

  /// Moves the account's clock to `now`, but never back.
  ///
  /// At one instant credits expire first, then a subscription's plan ends, then the quota resets,
  /// then grants start.
  /// - Parameter topUp: looks up the recorded top-up of a grant that starts; nil if no records of
  ///   starts are wanted.
  /// - Returns: the records of the changes by time alone, in order, each with the time at which it
  ///   took effect.
  /// - Throws: `amount_out_of_range` if a refill or a start doesn't fit, `limit_exceeded` if more
  ///   turns lie before the time than are computed at once, `unavailable` if a window begins by a
  ///   zone that cannot be read.
  public mutating func advance(
    to now: Timestamp, under policy: Policy, topUp: TransactionEntry.LookUp? = nil
  ) throws(CreditError) -> [LedgerRecord] {
    let last = updatedAt
    var turns = try pass(until: now, under: policy, topUp)
    try adopt(policy, last: last, into: &turns)
    return turns
  }

  /// Makes the changes that only the policy causes. They are of the write that records them.
  mutating func adopt(
    _ policy: Policy, last: Timestamp, into turns: inout [LedgerRecord]
  ) throws(CreditError) {
    if hasRareState, let quota, isPlanRemoved(from: policy) {
      // A paid plan that the policy no longer has cannot be renewed: the rest is taken.
      dropQuota()
      turns.append(record(.settings(credits: 0 - quota.remaining)))
    }
    // A change of limits has its own record, so that a charge's record only counts.
    if try adoptLimits(under: policy, last: last) { turns.append(record(.settings(credits: 0))) }
  }

  /// Makes the changes that time causes, each at its own time.
  mutating func pass(
    until now: Timestamp, under policy: Policy, _ topUp: TransactionEntry.LookUp?
  ) throws(CreditError) -> [LedgerRecord] {
    var turns: [LedgerRecord] = []
    if now <= updatedAt { return turns }
    while let (next, turn) = nextTurn(until: now) {
      try moveClock(to: next, by: policy.clock)
      guard turns.count < Self.turnMaximum else {
        throw CreditError(
          .limitExceeded, "the quota resets more than \(Self.turnMaximum) times until then",
          [.account(name)])
      }
      switch turn {
      case .expiry: if let expiry = expireNextBucket() { turns.append(record(expiry)) }
      case .planEnd: turns.append(record(endPlan()))
      case .quota:
        if turns.count > Self.turnLimit || quota?.limit == 0 {
          try skipIdleTurns(until: now, under: policy)
        }
        try turnQuota(under: policy, into: &turns)
      case .start: try startNextGrant(topUp, into: &turns)
      }
    }
    try moveClock(to: now, by: policy.clock)
    return turns
  }

  /// A change by time alone. Those of one instant come in this order.
  enum Turn: Int { case expiry, planEnd, quota, start }

  /// Returns the earliest due turn. A quota no longer turns at the end of time, and one by the paid
  /// period ends with its plan.
  /// - Parameter turnsQuota: false if turns of the quota are not looked for.
  func nextTurn(until now: Timestamp, turnsQuota: Bool = true) -> (time: Timestamp, turn: Turn)? {
    var next = (time: Timestamp.latest, turn: Turn?.none)
    func note(_ time: Timestamp?, _ turn: Turn) {
      if let time, time <= now, next.turn == nil || time < next.time { next = (time, turn) }
    }
    note(buckets.nextExpiry, .expiry)
    if hasRareState {
      note(planEnd, .planEnd)
      if turnsQuota, let quota, quota.period != .subscription, quota.resetsAt != .latest,
        !isQuotaHeld
      {
        note(quota.resetsAt, .quota)
      }
      note(scheduled.first?.startsAt, .start)
    }
    return next.turn.map { (next.time, $0) }
  }

  mutating func expireNextBucket() -> LedgerEvent? {
    guard let bucket = buckets.removeFirst(expiringAt: updatedAt) else { return nil }
    return .expiry(bucket.kind, credits: -bucket.credits, grant: bucket.grant?.id)
  }

  /// Expires the rest of the quota; nil if it has none.
  mutating func expireQuota() -> LedgerEvent? {
    guard let quota, quota.remaining > 0 else { return nil }
    self.quota?.used = quota.limit
    rollover?.expire(quota)
    return .expiry(.quota, credits: -quota.remaining, grant: nil)
  }

  /// Begins the next period of the quota, which settles debt first.
  /// - Returns: nil for a quota of 0.
  /// - Throws: `amount_out_of_range`.
  mutating func refill(_ next: Quota, _ carried: Rollover?, carriedOver: Credits)
    throws(CreditError) -> LedgerEvent?
  {
    _ = try balance.adding(next.limit)
    quota = next
    rollover = carried
    settleDebtFromQuota()
    return next.limit > 0 ? .refill(credits: next.limit, carriedOver: carriedOver) : nil
  }

  private mutating func startNextGrant(
    _ topUp: TransactionEntry.LookUp?, into turns: inout [LedgerRecord]
  ) throws(CreditError) {
    let grant = try startFirstGrant()
    guard let id = grant?.id, let starting = try topUp?(id) else { return }
    count(.topUp(starting.topUp), isFirst: false)
    turns.append(
      LedgerRecord(
        event: .topUp(starting.topUp.started(in: self)), account: self,
        original: starting.position))
  }

  /// Adds the first scheduled grant to the balance.
  /// - Returns: the grant; nil if no grant is scheduled.
  /// - Throws: `amount_out_of_range`, `limit_exceeded`.
  mutating func startFirstGrant() throws(CreditError) -> Grant? {
    guard let first = scheduled.first else { return nil }
    scheduled.removeFirst()
    try deposit(first.bucket.credits, to: first.bucket)
    return first.bucket.grant
  }

  /// Moves the clock alone, never back. Expired holds become free, and limits whose windows have
  /// ended count from 0.
  /// - Throws: `unavailable` if a zone is needed, and cannot be read.
  mutating func moveClock(to time: Timestamp, by clock: WindowClock) throws(CreditError) {
    updatedAt = max(updatedAt, time)
    if !hasRareState { return }
    releaseExpired()
    try resetLimits(by: clock)
    passPaidPeriod()
  }

  /// Ends one period and begins the next. The rest expires, and the plan's quota, with credits
  /// carried over, comes in and settles debt first. A plan that the policy no longer has gives no
  /// quota.
  private mutating func turnQuota(under policy: Policy, into turns: inout [LedgerRecord])
    throws(CreditError)
  {
    guard let old = quota else { return }
    let (refilled, carried, carriedOver) = try refilled(old, under: policy)
    if let expiry = expireQuota() { turns.append(record(expiry)) }
    if refilled.period == .subscription, subscriptions.active == nil {
      // The plan has a quota by the paid period now, but no payment.
      dropQuota()
      return turns.append(record(.settings(credits: 0)))
    }
    if let refill = try refill(refilled, carried, carriedOver: carriedOver) {
      turns.append(record(refill))
    }
  }

  /// Begins the period that the days of grace have held back, as the plan is paid further.
  mutating func turnHeldQuota(under policy: Policy, into turns: inout [LedgerRecord])
    throws(CreditError)
  {
    if !isQuotaOverdue { return }
    let now = updatedAt
    quota?.resetsAt = now
    try turnQuota(under: policy, into: &turns)
  }

  /// Returns the next period's quota: the plan's, and credits carried over. It is 0 if the policy
  /// no longer has the plan, or the account is closed.
  private func refilled(_ old: Quota, under policy: Policy) throws(CreditError)
    -> (quota: Quota, carried: Rollover?, carriedOver: Credits)
  {
    let plan = policy.plan(old.plan)
    let most = isClosed ? 0 : plan?.rolloverMax ?? 0
    var carried = plan?.rollover
    carried?.carry(rollover?.left(of: old) ?? [old.remaining], atMost: most)
    var next = old
    let carriedOver = carried?.total ?? min(old.remaining, most)
    next.limit = isClosed ? 0 : try (plan?.quota ?? 0).adding(carriedOver)
    next.used = 0
    next.period =
      plan?.period.beginning(at: old.resetsAt).following(old.period) ?? old.period
    try setReset(of: &next, after: old.resetsAt, by: policy.clock)
    return (next, carried, carriedOver)
  }

  /// Skips to the last due turn if each turn would repeat the previous one.
  private mutating func skipIdleTurns(until now: Timestamp, under policy: Policy)
    throws(CreditError)
  {
    guard var quota, quota.used == 0 else { return }
    var (next, carried, _) = try refilled(quota, under: policy)
    guard next.limit == quota.limit, next.period == quota.period, carried == rollover else {
      return
    }
    let other = min(
      buckets.nextExpiry ?? .latest, subscriptions.active?.until ?? .latest,
      scheduled.first?.startsAt ?? .latest)
    while next.resetsAt <= now, next.resetsAt < other {
      quota = next
      try policy.clock.setEnd(of: &next, after: next.resetsAt)
    }
    self.quota = quota
    try moveClock(to: quota.resetsAt, by: policy.clock)
  }
}

extension TopUp {
  func started(in account: Account) -> TopUp {
    var topUp = self
    topUp.transaction.status = .completed
    topUp.transaction.timestamp = account.updatedAt
    topUp.creditsAdded = transaction.credits
    topUp.newBalance = account.balance
    return topUp
  }
}
