/// One limit of an account as it is at a time, with its number and its counter.
package struct LimitView: Hashable, Sendable {
  package let limit: SpendLimit
  package let used: Credits
  /// What open holds set aside against it; 0 for a limit with `models`, as holds name none.
  package let held: Credits
  /// When its window ends; nil for one that never does.
  package let resetsAt: Timestamp?

  /// Nil where the limit was lifted.
  package var credits: Credits? { limit.credits }

  /// What may still be spent; nil where the limit was lifted.
  package var remaining: Credits? {
    guard let credits else { return nil }
    let (left, overflow) = credits.subtractingReportingOverflow(used)
    let (free, isBelow) = left.subtractingReportingOverflow(held)
    return overflow || isBelow ? 0 : max(0, free)
  }

  /// Whether it covers all models.
  package var coversAll: Bool { limit.models == nil }
}

extension Account {
  /// The limits that the account counts for, in their order.
  package func limitViews(under policy: Policy) -> [LimitView] {
    if limitCounters.isEmpty { return [] }
    let held = heldAgainstLimits
    return zip(limits(under: policy), limitCounters).map { limit, counter in
      LimitView(
        limit: limit, used: counter.used, held: limit.models == nil ? held : 0,
        resetsAt: counter.period.end(of: updatedAt, since: counter.since))
    }
  }
}

/// A limit that refuses a request.
package struct LimitRefusal: Hashable, Sendable {
  /// Whose limit it is.
  package let account: Name
  package let view: LimitView

  package init(account: Name, view: LimitView) {
    self.account = account
    self.view = view
  }
}

/// A share of a limit that a charge has come to.
package struct LimitCrossing: Hashable, Sendable {
  /// Whose limit it is.
  package let account: Name
  package let limit: Name
  package let percent: Int64
  package let used: Credits
  package let credits: Credits
  package let resetsAt: Timestamp?

  package init(
    account: Name, limit: Name, percent: Int64, used: Credits, credits: Credits,
    resetsAt: Timestamp?
  ) {
    self.account = account
    self.limit = limit
    self.percent = percent
    self.used = used
    self.credits = credits
    self.resetsAt = resetsAt
  }

  /// Whether what is used has come to a share of a limit. A limit of nothing has no shares.
  static func isReached(_ percent: Int64, of credits: Credits, by used: Credits) -> Bool {
    credits <= 0 || Int128(used) * 100 >= Int128(credits) * Int128(percent)
  }
}

extension Account {
  /// The shares of limits that the account has come to since its counters were others, in the order
  /// of the limits and of percent.
  func limitsCrossed(since before: [LimitCounter], under policy: Policy) -> [LimitCrossing] {
    if limitCounters == before { return [] }
    var crossings: [LimitCrossing] = []
    for (view, counter) in zip(limitViews(under: policy), limitCounters) {
      guard let credits = view.credits else { continue }
      let earlier = before.first { $0.isSame(as: counter) && $0.since == counter.since }?.used ?? 0
      for percent in view.limit.alerts
      where !LimitCrossing.isReached(percent, of: credits, by: earlier)
        && LimitCrossing.isReached(percent, of: credits, by: counter.used)
      {
        crossings.append(
          LimitCrossing(
            account: name, limit: view.limit.id, percent: percent, used: counter.used,
            credits: credits, resetsAt: view.resetsAt))
      }
    }
    return crossings
  }
}
