/// The end of a paid subscription, from a request or a provider.
package struct PaidPeriod: Hashable, Sendable {
  package var until: Timestamp
  /// Its beginning; nil for the time of its record.
  package var since: Timestamp?
  /// True if another product replaced it before its end; then it sets no plan.
  package var isUpgraded: Bool

  package init(until: Timestamp, since: Timestamp? = nil, isUpgraded: Bool = false) {
    self.until = until
    self.since = since
    self.isUpgraded = isUpgraded
  }
}

/// The plan that a subscription's transaction pays for.
package struct PaidPlan: Hashable, Sendable {
  package var plan: Name
  package var since: Timestamp
  package var until: Timestamp
  /// How long the plan continues after that without a renewal.
  package var grace: TimeSpan
  /// See ``PaidPeriod/isUpgraded``.
  package var isUpgraded: Bool
  /// The last time when its transaction was extended, or completed.
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

  /// - Parameter time: its beginning, if the period has none.
  init(_ period: PaidPeriod, plan: Name, grace: TimeSpan, at time: Timestamp) {
    self.init(
      plan: plan, since: period.since ?? time, until: period.until, grace: grace,
      isUpgraded: period.isUpgraded)
  }
}

/// A transaction that pays for a plan, kept by its account until its end.
package struct Subscription: Hashable, Sendable {
  package enum State: String, CaseIterable, Sendable {
    case paid
    /// A plan set by hand has replaced its plan.
    case replaced
    case refunded
    /// Its provider has ended it early.
    case over
  }

  package var product: Name
  package var plan: Name
  package var transaction: Name
  /// The provider's id of the subscription; nil if it was paid by hand.
  package var id: Name?
  package var since: Timestamp
  package var until: Timestamp
  package var grace: TimeSpan
  package var state: State
  /// Credits used of the quota at its refund, in case that is reversed.
  package var used: Credits
  /// The quota's turn at that time, if its period was not the paid one.
  package var turn: Turn?

  /// A period of a quota by the calendar.
  package struct Turn: Hashable, Sendable {
    /// Credits at its beginning.
    package var limit: Credits
    package var resetsAt: Timestamp

    package init(limit: Credits, resetsAt: Timestamp) {
      self.limit = limit
      self.resetsAt = resetsAt
    }
  }

  package init(
    product: Name, plan: Name, transaction: Name, id: Name? = nil, since: Timestamp,
    until: Timestamp, grace: TimeSpan, state: State = .paid, used: Credits = 0, turn: Turn? = nil
  ) {
    self.product = product
    self.plan = plan
    self.transaction = transaction
    self.id = id
    self.since = since
    self.until = until
    self.grace = grace
    self.state = state
    self.used = used
    self.turn = turn
  }

  /// Makes the subscription of a transaction; nil if it sets no plan.
  init?(_ transaction: Transaction) {
    guard let paid = transaction.paid, !paid.isUpgraded, let product = transaction.productID
    else { return nil }
    self.init(
      product: product, plan: paid.plan, transaction: transaction.id,
      id: transaction.originalTransactionID, since: paid.since, until: paid.until,
      grace: paid.grace)
  }

  /// When its plan ends, if it is not renewed.
  package var endsAt: Timestamp { until.adding(grace) ?? .latest }

  /// Whether it is neither refunded nor over.
  var isPaid: Bool { state == .paid || state == .replaced }

  /// Returns true if it begins a new period after `other`, with its own quota.
  ///
  /// A subscription of the same product does if it is paid further; one of another product, if it
  /// does not begin while the first is paid.
  func renews(_ other: Subscription) -> Bool {
    product == other.product ? until > other.until : since >= other.until
  }
}

/// A provider's report that a subscription is over, also for payments recorded later.
///
/// It ends payments that reach no further. Payments by hand have no id, so the product decides.
package struct SubscriptionEnd: Hashable, Sendable {
  /// Nil if the provider names a product that is not sold here.
  package var product: Name?
  /// The provider's id of the subscription; nil if it has none.
  package var id: Name?
  /// The latest end of the payments that it ends; ``whole`` for all that began before.
  package var until: Timestamp
  /// When it ended: a payment without an id that begins from then on is not meant.
  package var at: Timestamp

  package init(product: Name?, id: Name?, until: Timestamp, at: Timestamp) {
    self.product = product
    self.id = id
    self.until = until
    self.at = at
  }

  /// The `until` of an end for all payments that began before.
  package static let whole = Timestamp.latest

  /// Whether it ends a transaction's payment.
  func ends(_ paid: Subscription) -> Bool {
    if paid.until > until || product.map({ $0 != paid.product }) ?? false { return false }
    if let id, let other = paid.id { return id == other && (until < Self.whole || paid.since < at) }
    return product == paid.product && paid.since < at
  }

  /// Time from which no further payment is expected that it would end: providers repeat events for
  /// days.
  var forgottenAt: Timestamp {
    until < Self.whole ? until : at.adding(TimeSpan(milliseconds: 31 * 86_400_000)) ?? until
  }
}
