/// The end of a paid subscription, from a request or a provider.
public struct PaidPeriod: Hashable, Sendable {
  public var until: Timestamp
  /// Its beginning; nil for the time of its record.
  public var since: Timestamp?
  /// True if another product replaced it before its end; then it sets no plan.
  public var isUpgraded: Bool

  public init(until: Timestamp, since: Timestamp? = nil, isUpgraded: Bool = false) {
    (self.until, self.since, self.isUpgraded) = (until, since, isUpgraded)
  }

  /// True if an end that a person gives is about that of the period.
  func ends(near end: Timestamp) -> Bool {
    let day = Timestamp.millisecondsPerDay
    return end.milliseconds < until.milliseconds + day
      && end.milliseconds >= (since ?? .earliest).milliseconds + day
  }

  /// True if a time is in the period, moved a day back. A person may enter it early.
  func begins(near time: Timestamp) -> Bool {
    ends(near: Timestamp(milliseconds: time.milliseconds + 2 * Timestamp.millisecondsPerDay))
  }
}

/// The plan that a subscription's transaction pays for.
public struct PaidPlan: Equatable, Sendable {
  public var plan: Name
  public var since: Timestamp
  public var until: Timestamp
  /// How long the plan continues after that without a renewal.
  public var grace: TimeSpan
  /// See ``PaidPeriod/isUpgraded``.
  public var isUpgraded: Bool
  /// The last time when its transaction was extended, or completed.
  public var extendedAt: Timestamp?
  /// When its provider's report ended it early.
  public var endedAt: Timestamp?

  public init(
    plan: Name, since: Timestamp, until: Timestamp, grace: TimeSpan, isUpgraded: Bool = false,
    extendedAt: Timestamp? = nil, endedAt: Timestamp? = nil
  ) {
    (self.plan, self.since, self.until, self.grace) = (plan, since, until, grace)
    (self.isUpgraded, self.extendedAt, self.endedAt) = (isUpgraded, extendedAt, endedAt)
  }

  var period: PaidPeriod { PaidPeriod(until: until, since: since) }

  /// The last change of its transaction's line; nil if there was none.
  var changedAt: Timestamp? { [extendedAt, endedAt].compactMap { $0 }.max() }

  /// - Parameter time: its beginning, if the period has none.
  init(_ period: PaidPeriod, plan: Name, grace: TimeSpan, at time: Timestamp) {
    self.init(
      plan: plan, since: period.since ?? time, until: period.until, grace: grace,
      isUpgraded: period.isUpgraded)
  }
}

/// A transaction that pays for a plan, kept by its account until its end.
public struct Subscription: Equatable, Sendable {
  public enum State: String, CaseIterable, Sendable {
    case paid
    /// A plan set by hand has replaced its plan.
    case replaced
    case refunded
    /// Its provider has ended it early.
    case over
  }

  public var product: Name
  public var plan: Name
  public var transaction: Name
  /// The provider's id of the subscription; nil if it was paid by hand.
  public var id: Name?
  public var since: Timestamp
  public var until: Timestamp
  public var grace: TimeSpan
  public var state: State
  /// Credits used of the quota at its refund, in case that is reversed.
  public var used: Credits
  /// The quota's turn at that time, if its period was not the paid one.
  public var turn: Turn?

  /// A period of a quota by the calendar.
  public struct Turn: Equatable, Sendable {
    /// Credits at its beginning.
    public var limit: Credits
    public var resetsAt: Timestamp
    /// See ``QuotaPeriod/start``.
    public var start: Timestamp?
    /// See ``Rollover/parts``.
    public var carried: [Credits]

    public init(
      limit: Credits, resetsAt: Timestamp, start: Timestamp? = nil, carried: [Credits] = []
    ) {
      self.limit = limit
      self.resetsAt = resetsAt
      self.start = start
      self.carried = carried
    }

    var isSound: Bool {
      limit >= 0 && carried.allSatisfy { $0 >= 0 }
        && carried.reduce(0 as Int128) { $0 + Int128($1) } <= Int128(limit)
    }

    /// Whether tools of version 3 do not read it.
    var isNew: Bool { start != nil || !carried.isEmpty }
  }

  public init(
    product: Name, plan: Name, transaction: Name, id: Name? = nil, since: Timestamp,
    until: Timestamp, grace: TimeSpan, state: State = .paid, used: Credits = 0, turn: Turn? = nil
  ) {
    (self.product, self.plan, self.transaction, self.id) = (product, plan, transaction, id)
    (self.since, self.until, self.grace) = (since, until, grace)
    (self.state, self.used, self.turn) = (state, used, turn)
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
  public var endsAt: Timestamp { until.adding(grace) ?? .latest }

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
public struct SubscriptionEnd: Equatable, Sendable {
  /// Nil if the provider names a product that is not sold here.
  public var product: Name?
  /// The provider's id of the subscription; nil if it has none.
  public var id: Name?
  /// The latest end of the payments that it ends; ``whole`` for all that began before.
  public var until: Timestamp
  /// When it ended: a payment without an id that begins from then on is not meant.
  public var at: Timestamp

  public init(product: Name?, id: Name?, until: Timestamp, at: Timestamp) {
    self.product = product
    self.id = id
    self.until = until
    self.at = at
  }

  /// The `until` of an end for all payments that began before.
  public static let whole = Timestamp.latest

  /// Whether it ends a transaction's payment.
  func ends(_ paid: Subscription) -> Bool {
    if paid.until > until || product.map({ $0 != paid.product }) ?? false { return false }
    if let id, let other = paid.id { return id == other && (until < Self.whole || paid.since < at) }
    return product == paid.product && paid.since < at
  }
}
