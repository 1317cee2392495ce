/// The payments for an account's plan that still count.
///
/// Transactions and news of them may come in any order: the result depends only on this set. The
/// product that begins last replaces others. Of its transactions since then, the one that is paid
/// the furthest counts. A refund ends that, and earlier payments that reach less far.
public struct Subscriptions: Equatable, Sendable {
  /// The most of each kind; the first of all is dropped first.
  public static let countLimit = 16

  /// In the order of their beginnings; at the same time, of their records.
  public private(set) var paid: [Subscription] = []
  /// In the order in which they were reported.
  public private(set) var ends: [SubscriptionEnd] = []
  /// Ends of earlier periods whose charges the current period counts as used.
  public internal(set) var shared: [Timestamp] = []

  public init(paid: [Subscription] = [], ends: [SubscriptionEnd] = [], shared: [Timestamp] = []) {
    self.paid = paid
    self.ends = ends
    self.shared = shared
  }

  public var isEmpty: Bool { paid.isEmpty && ends.isEmpty && shared.isEmpty }

  /// The current transaction, even if a plan set by hand has replaced its plan; nil if nothing is
  /// paid.
  public var current: Subscription? {
    var furthest: Subscription?
    var refunded = Timestamp.earliest
    for payment in paid.reversed() {
      if payment.product != paid.last?.product { break }
      if payment.state == .refunded { refunded = max(refunded, payment.until) }
      if payment.isPaid, payment.until >= refunded,
        furthest.map({ payment.until > $0.until }) ?? true
      {
        furthest = payment
      }
    }
    return furthest
  }

  /// The transaction that has set the account's plan.
  public var active: Subscription? { current.flatMap { $0.state == .paid ? $0 : nil } }

  /// Returns the start of a payment that an event reported at a time.
  ///
  /// It is no earlier than an end reported before: the payment was made since. An end reported
  /// after the payment ends it, also one that was paid before it begins.
  func start(of payment: Subscription, saidAt time: Timestamp) -> Timestamp {
    ends.reduce(payment.since) { start, end in
      guard end.until == SubscriptionEnd.whole, end.at != time else { return start }
      var ended = payment
      ended.since = min(start, Timestamp(milliseconds: end.at.milliseconds - 1))
      if !end.ends(ended) { return start }
      return end.at < time ? max(start, end.at) : ended.since
    }
  }

  public subscript(transaction: Name) -> Subscription? {
    paid.first { $0.transaction == transaction }
  }

  /// True if a payment for another product has replaced a transaction's before its paid end.
  func isReplaced(_ transaction: Name) -> Bool {
    guard let place = place(of: transaction) else { return false }
    let until = paid[place].until
    return paid[place...].contains { $0.product != paid[place].product && $0.since < until }
  }

  /// True if it is in order, within its limits, and has each transaction once.
  var isSound: Bool {
    if isEmpty { return true }
    if max(paid.count, ends.count, shared.count) > Self.countLimit { return false }
    return zip(paid, paid.dropFirst()).allSatisfy { $0.since <= $1.since }
      && Set(paid.map(\.transaction)).count == paid.count
      && paid.allSatisfy {
        $0.grace.milliseconds >= 0 && $0.used >= 0 && $0.turn.map(\.isSound) ?? true
      }
  }

  // MARK: Changes

  /// Adds a transaction, or its new end.
  /// - Parameter isSetByHand: true if the account has a plan that was set by hand. A payment that
  ///   counts again after a refund is no renewal, and leaves that plan in place.
  mutating func add(_ new: Subscription, isSetByHand: Bool, at now: Timestamp) {
    guard new.until > now else { return }
    var new = new
    if let known = self[new.transaction] {
      (new.used, new.turn) = (known.used, known.turn)
      let isBack = known.state == .refunded && new.until <= known.until
      if isBack, isSetByHand { new.state = .replaced }
    }
    if ends.contains(where: { $0.ends(new) }) { new.state = .over }
    if let place = place(of: new.transaction) {
      if paid[place].since == new.since {
        paid[place] = new
        return lapse(at: now)
      }
      paid.remove(at: place)
    }
    insert(new)
    // A payment that does not count leaves a plan that was set by hand in place.
    if let current, current.state == .replaced, let place = place(of: new.transaction),
      paid[place].state == .paid
    {
      paid[place].state = .replaced
    }
    lapse(at: now)
  }

  private func place(of transaction: Name) -> Int? {
    paid.firstIndex { $0.transaction == transaction }
  }

  /// Marks a transaction as refunded, with the use of its quota, or extends it if it was. If it was
  /// refunded before it was known, it replaces others all the same.
  mutating func refund(
    _ payment: Subscription, used: Credits, turn: Subscription.Turn? = nil, at now: Timestamp
  ) {
    if let place = place(of: payment.transaction) {
      if paid[place].state == .refunded {
        paid[place].until = max(paid[place].until, payment.until)
        return
      }
      paid[place].state = .refunded
      (paid[place].used, paid[place].turn) = (used, turn)
    } else if payment.until > now {
      var refunded = payment
      refunded.state = .refunded
      insert(refunded)
    }
    lapse(at: now)
  }

  /// Ends payments that reach no further than a provider reports.
  mutating func end(_ end: SubscriptionEnd, at now: Timestamp) {
    for place in paid.indices where paid[place].isPaid && end.ends(paid[place]) {
      paid[place].state = .over
    }
    let isKnown = ends.contains {
      $0.product == end.product && $0.id == end.id && $0.until >= end.until && $0.at >= end.at
    }
    if !isKnown { ends.append(end) }
    if ends.count > Self.countLimit { ends.removeFirst() }
    lapse(at: now)
  }

  /// Replaces the paid plan by one set by hand.
  mutating func replace() {
    for place in paid.indices where paid[place].state == .paid { paid[place].state = .replaced }
  }

  /// Clears the use at a transaction's refund, as it counts again.
  mutating func clearUsed(of transaction: Name) {
    if let place = place(of: transaction) { (paid[place].used, paid[place].turn) = (0, nil) }
  }

  /// Counts the use of the period ending at a time in the current quota.
  mutating func share(_ end: Timestamp) {
    if shared.contains(end) { return }
    shared.append(end)
    if shared.count > Self.countLimit { shared.removeFirst() }
  }

  /// Forgets payments that have ended by now. The payments that they replaced stay replaced.
  mutating func lapse(at now: Timestamp) {
    if isEmpty { return }
    let current = current
    let isOver = { (payment: Subscription) in
      (payment == current ? payment.endsAt : payment.until) <= now
    }
    if paid.contains(where: isOver) { drop(isOver) }
    ends.removeAll { end in
      // Providers repeat events for days, and further payments may come.
      let days = TimeSpan(milliseconds: 31 * 86_400_000)
      let last = end.until < SubscriptionEnd.whole ? end.until : end.at.adding(days) ?? end.until
      return last <= now && !paid.contains { $0.state == .over && end.ends($0) }
    }
    if paid.isEmpty { shared.removeAll() }
  }

  private mutating func drop(_ isOver: (Subscription) -> Bool) {
    var left: [Subscription] = []
    var dropped: [Subscription] = []
    for payment in paid.reversed() {
      let isSuperseded = dropped.contains { $0.product != payment.product }
      if isSuperseded || isOver(payment) { dropped.append(payment) } else { left.append(payment) }
    }
    paid = left.reversed()
  }

  private mutating func insert(_ new: Subscription) {
    paid.insert(new, at: paid.firstIndex { $0.since > new.since } ?? paid.endIndex)
    if paid.count > Self.countLimit { paid.remove(at: paid.first == current ? 1 : 0) }
  }
}
