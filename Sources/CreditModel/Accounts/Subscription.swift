/// How far a subscription is paid, as a request or a provider says it.
package struct PaidPeriod: Hashable, Sendable {
  package var until: Timestamp
  /// When it begins; nil for when it is recorded.
  package var since: Timestamp?
  /// Whether another product took its place before it ended, so that it sets no plan.
  package var isUpgraded: Bool

  package init(until: Timestamp, since: Timestamp? = nil, isUpgraded: Bool = false) {
    self.until = until
    self.since = since
    self.isUpgraded = isUpgraded
  }
}

/// What a transaction of a subscription pays for.
package struct PaidPlan: Hashable, Sendable {
  package var plan: Name
  package var since: Timestamp
  package var until: Timestamp
  /// How long the plan goes on after that without a renewal.
  package var grace: TimeSpan
  /// See ``PaidPeriod/isUpgraded``.
  package var isUpgraded: Bool
  /// When the same transaction was last found to be paid further than before.
  package var extendedAt: Timestamp?

  package init(
    plan: Name, since: Timestamp, until: Timestamp, grace: TimeSpan, isUpgraded: Bool = false,
    extendedAt: Timestamp? = nil
  ) {
    self.plan = plan
    self.since = since
    self.until = until
    self.grace = grace
    self.isUpgraded = isUpgraded
    self.extendedAt = extendedAt
  }
}

/// The subscription of an account: the transaction that has paid for it the furthest.
///
/// Transactions and news of them may come in any order. Of one product the latest end counts, of
/// two products the later beginning; and what has ended early stays so for all ends up to its own,
/// but for what begins after that.
package struct Subscription: Hashable, Sendable {
  package enum State: String, CaseIterable, Sendable {
    /// It has set the account's plan.
    case active
    /// A plan that was set by hand has taken the place of its own.
    case replaced
    /// It was refunded, revoked or ended early: its plan was removed.
    case ended
  }

  package var product: Name
  package var transaction: Name
  package var since: Timestamp
  package var until: Timestamp
  package var grace: TimeSpan
  package var state: State
  /// When it ended early: what begins from then on is a new one. Nil for one that has not, or
  /// of which old records do not say.
  package var endedAt: Timestamp?

  package init(
    product: Name, transaction: Name, since: Timestamp, until: Timestamp, grace: TimeSpan,
    state: State = .active, endedAt: Timestamp? = nil
  ) {
    self.product = product
    self.transaction = transaction
    self.since = since
    self.until = until
    self.grace = grace
    self.state = state
    self.endedAt = endedAt
  }

  /// What a transaction makes of it; nil for one that sets no plan.
  init?(_ transaction: Transaction) {
    guard let paid = transaction.paid, !paid.isUpgraded, let product = transaction.productID
    else { return nil }
    self.init(
      product: product, transaction: transaction.id, since: paid.since, until: paid.until,
      grace: paid.grace)
  }

  /// When the plan ends that it has set, if it is not renewed.
  package var endsAt: Timestamp { until.adding(grace) ?? .latest }

  /// When nothing needs to be known of it any more.
  var lapsesAt: Timestamp { state == .ended ? until : endsAt }

  /// Whether it comes into the place of another one.
  func follows(_ other: Subscription) -> Bool {
    if product != other.product { return since >= other.since }
    return until > other.until || other.endedAt.map { since >= $0 } ?? false
  }
}
