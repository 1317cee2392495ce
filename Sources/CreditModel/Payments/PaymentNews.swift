/// A refund of a payment, by its own id.
public struct PaymentRefund: Equatable, Sendable {
  public var id: Name
  /// In minor units.
  public var amount: Int64
  /// True if it failed: the money stays paid.
  public var isFailed: Bool
  public var at: Timestamp
  /// The amount's currency, until that of the purchase is known.
  public var currency: String?

  public init(id: Name, amount: Int64, isFailed: Bool = false, at: Timestamp) {
    (self.id, self.amount, self.isFailed, self.at) = (id, amount, isFailed, at)
  }
}

/// A dispute of a payment, by its own id.
public struct PaymentDispute: Equatable, Sendable {
  public var id: Name
  /// True if the customer has the money: the dispute is open, or lost.
  public var isTaken: Bool
  public var at: Timestamp
  /// In minor units; nil for the whole price, and if the customer does not have it.
  public var amount: Int64?
  /// The amount's currency; nil without an amount, and in records of earlier tools.
  public var currency: String?

  public init(
    id: Name, isTaken: Bool, at: Timestamp, amount: Int64? = nil, currency: String? = nil
  ) {
    (self.id, self.isTaken, self.at, self.amount) = (id, isTaken, at, amount)
    self.currency = amount == nil ? nil : currency
  }

  /// True if its amount is no part of a price in a currency.
  fileprivate func isOther(than other: String?) -> Bool {
    guard let currency, let other else { return false }
    return currency != other
  }
}

/// A provider's news of a payment after its purchase.
///
/// Each refund and each dispute keeps its own latest news, so that the order and number of events
/// do not matter.
public struct PaymentNews: Equatable, Sendable {
  /// The event that changed it last.
  public var event: PaymentEvent
  /// Amount paid, in minor units; nil if no event has reported it.
  public var paid: Int64?
  public var refunded: Total?
  /// By their ids, in order.
  public var refunds: [PaymentRefund] = []
  /// By their ids, in order.
  public var disputes: [PaymentDispute] = []
  /// Other ids of the same sale, its own if it was paid before it was sold, the adjustments of its
  /// unused time, or the invoices of a subscription; in order.
  public var parts: [Name] = []
  /// The account of a subscription with this id: its invoices and its end are for it. Or that of a
  /// payment that came before its sale.
  public var account: Name?
  /// Total of the purchase's credits that events have taken back.
  public var taken: Credits = 0

  /// The total refunded, in minor units.
  public struct Total: Equatable, Sendable {
    public var amount: Int64
    public var at: Timestamp
    /// See ``PaymentRefund/currency``.
    public var currency: String?

    public init(amount: Int64, at: Timestamp) {
      self.amount = amount
      self.at = at
    }
  }

  /// The most refunds, and the most disputes, of one payment.
  public static let limit = 100

  public init(_ event: PaymentEvent) { self.event = event }

  var isOver: Bool { event.type == "customer.subscription.deleted" }

  // MARK: Adding

  /// Adds the news of an event.
  /// - Parameter currency: that of the purchase; nil if it is not known.
  /// - Returns: true if it was new.
  /// - Throws: `limit_exceeded`.
  mutating func add(
    _ change: PaymentChange, of event: PaymentEvent, paidIn currency: String? = nil
  ) throws(CreditError) -> Bool {
    let before = self
    let currency = currency ?? (change.isPurchase ? change.currency : nil)
    settle(in: currency)
    if let paid = change.paid { self.paid = max(paid, self.paid ?? paid) }
    switch change.effect {
    case .purchase, .linked, .owner, .unused, .ended: break
    case .refunded(let amount):
      var total = Total(amount: amount, at: event.at)
      total.currency = currency == nil ? change.currency : nil
      add(total)
    case .refund(var refund):
      refund.currency = currency == nil ? change.currency : nil
      add(refund)
    case .dispute(let dispute):
      add(dispute)
      // Earlier tools recorded refunds by the ids of their events.
      for place in disputes.indices
      where event.format == .revenuecat && !dispute.isTaken && disputes[place].at <= dispute.at {
        disputes[place].isTaken = false
      }
    }
    dropWholeAmounts(of: currency ?? change.currency)
    guard max(refunds.count, disputes.count) <= Self.limit else {
      throw CreditError(
        .limitExceeded, "a payment has at most \(Self.limit) refunds and disputes")
    }
    if self == before { return false }
    if event.at >= self.event.at { self.event = event }
    return true
  }

  /// Adds other news: symmetric, except for the credits taken and the account.
  public mutating func add(_ other: PaymentNews) {
    if other.event.at >= event.at { event = other.event }
    if let paid = other.paid { self.paid = max(paid, self.paid ?? paid) }
    if let refunded = other.refunded { add(refunded) }
    for refund in other.refunds { add(refund) }
    for dispute in other.disputes { add(dispute) }
    if !other.parts.isEmpty { parts = Set(parts).union(other.parts).sorted() }
    account = other.account ?? account
    dropWholeAmounts()
  }

  /// Adds other news.
  /// - Returns: true if it changed more than the last event.
  mutating func learn(_ other: PaymentNews) -> Bool {
    let before = self
    add(other)
    var same = self
    same.event = before.event
    if same == before { self = before }
    return same != before
  }

  private mutating func add(_ total: Total) {
    let isNewer = refunded.map { (total.at, total.amount) > ($0.at, $0.amount) } ?? true
    if isNewer { refunded = total }
  }

  private mutating func add(_ refund: PaymentRefund) {
    let place = refunds.firstIndex { $0.id >= refund.id } ?? refunds.count
    guard place < refunds.count, refunds[place].id == refund.id else {
      return refunds.insert(refund, at: place)
    }
    // Of two at the same time, the failure is later.
    func order(_ refund: PaymentRefund) -> (Timestamp, Int, Int64) {
      (refund.at, refund.isFailed ? 1 : 0, refund.amount)
    }
    if order(refund) > order(refunds[place]) { refunds[place] = refund }
  }

  private mutating func add(_ dispute: PaymentDispute) {
    let place = disputes.firstIndex { $0.id >= dispute.id } ?? disputes.count
    guard place < disputes.count, disputes[place].id == dispute.id else {
      return disputes.insert(dispute, at: place)
    }
    let known = disputes[place]
    // Of two at the same time, the opening is earlier.
    let isLater = dispute.at > known.at || dispute.at == known.at && known.isTaken
    if isLater { disputes[place] = dispute }
  }

  /// Drops the amounts of disputes about the whole price, and of those that were won.
  private mutating func dropWholeAmounts(of currency: String? = nil) {
    for place in disputes.indices {
      let dispute = disputes[place]
      guard let amount = dispute.amount else { continue }
      let isWhole = amount >= paid ?? .max && !dispute.isOther(than: currency)
      if dispute.isTaken && !isWhole { continue }
      (disputes[place].amount, disputes[place].currency) = (nil, nil)
    }
  }

  /// Drops refunds in another currency than the purchase's, as those after it are refused.
  /// - Parameter currency: nil if it is not known.
  mutating func settle(in currency: String?) {
    guard let currency else { return }
    refunds.removeAll { $0.currency ?? currency != currency }
    for place in refunds.indices { refunds[place].currency = nil }
    // The amount that an event has stated as paid is in its own currency, too.
    if refunded?.currency ?? currency != currency { (refunded, paid) = (nil, nil) }
    refunded?.currency = nil
  }

  var ofParts: PaymentNews {
    var news = self
    (news.parts, news.taken, news.account) = ([], 0, nil)
    return news
  }

  /// Amount refunded, in minor units. The provider's total and the single refunds may each lack the
  /// newest refund.
  var refundedAmount: Int64 {
    let single = Self.sum(refunds.filter { !$0.isFailed })
    guard let refunded else { return single }
    // Providers have whole seconds: a refund that is in the total may fail in the same one.
    let undone = Self.sum(refunds.filter { $0.isFailed && $0.at >= refunded.at })
    return max(0, max(single, refunded.amount - min(undone, refunded.amount)))
  }

  /// Returns the news with the recorded price as the amount paid, until an event has that.
  ///
  /// Providers' minor units of other currencies may differ from the standard's.
  func estimated(for topUp: TopUp) -> PaymentNews {
    guard paid == nil, let price = PurchasePrice(topUp), price.currency != "MGA",
      Currency.minorDigits(of: price.currency) == 2,
      let units = price.amount.coefficient(atScale: 2)
    else { return self }
    var news = self
    news.paid = Int64(clamping: units)
    return news
  }

  private static func sum(_ refunds: [PaymentRefund]) -> Int64 {
    Int64(clamping: refunds.reduce(Int128(0)) { $0 + Int128($1.amount) })
  }

  /// Returns the currency of a dispute whose amount is no part of a price in another one.
  func disputeCurrency(otherThan currency: String?) -> String? {
    disputes.first { $0.isTaken && $0.isOther(than: currency) }?.currency
  }

  /// Returns the share of money returned to the customer: a dispute takes all credits, but its own
  /// amount. In another currency than the purchase's it takes the whole price.
  func moneyShare(in currency: String?) -> (part: UInt64, whole: UInt64) {
    let taken = disputes.filter(\.isTaken)
    guard let paid, paid > 0, !taken.isEmpty, taken.allSatisfy({ $0.amount != nil }),
      disputeCurrency(otherThan: currency) == nil
    else { return share }
    let sum = taken.reduce(Int128(refundedAmount)) { $0 + Int128($1.amount ?? 0) }
    return (UInt64(clamping: min(sum, Int128(paid))), UInt64(clamping: paid))
  }

  /// The share of credits returned; of money, too, if no dispute is about a part.
  var share: (part: UInt64, whole: UInt64) {
    if disputes.contains(where: \.isTaken) { return (1, 1) }
    let amount = refundedAmount
    guard let paid, paid > 0 else { return (amount > 0 ? 1 : 0, 1) }
    return (UInt64(clamping: min(amount, paid)), UInt64(clamping: paid))
  }

  /// That share of the credits that were granted, rounded up.
  func credits(of granted: Credits) -> Credits {
    let (part, whole) = share
    let credits = (Int128(granted) * Int128(part) + Int128(whole) - 1) / Int128(whole)
    return min(granted, Credits(clamping: credits))
  }
}

/// The effect of a payment's news beside credits.
enum PaymentMove { case takeBack, restore }

extension TransactionEntry {
  /// True if a payment may be of it: a purchase that has started.
  var isPaidFor: Bool {
    let transaction = topUp.transaction
    return transaction.kind != .bonus && transaction.kind != .adjustment
      && transaction.terms?.startsAt == nil
  }

  /// - Throws: `idempotency_conflict` if no payment may be of it.
  func checkPaidFor(as id: Name) throws(CreditError) {
    if isPaidFor { return }
    throw CreditError(
      .idempotencyConflict,
      "transaction \(quoted(id.text)) is not recorded as a purchase that has started; "
        + "nothing was changed")
  }

  /// True if it takes back the credits of unused time, after a change of plans.
  var isUnusedTime: Bool {
    let transaction = topUp.transaction
    return transaction.kind == .adjustment && transaction.credits < 0 && topUp.payment != nil
  }

  /// True if a subscription was refunded by hand; events no longer change it.
  var isEndedByHand: Bool {
    let transaction = topUp.transaction
    return transaction.kind == .subscription && transaction.status == .refunded
      && topUp.payment?.share.part ?? 0 == 0
  }

  /// True if a person has taken its credits back, or ended its plan.
  var isTakenByHand: Bool {
    isEndedByHand || lastRefund?.requested ?? 0 > topUp.payment?.taken ?? 0
  }

  /// Returns the effect of news that moves no credits.
  ///
  /// It may end or restore a plan, or be further money for credits that have been taken.
  func move(under news: PaymentNews) -> PaymentMove? {
    let currency = topUp.transaction.currency
    let known = topUp.payment?.estimated(for: topUp)
    let before: (part: UInt64, whole: UInt64) = known?.moneyShare(in: currency) ?? (0, 1)
    let now = news.moneyShare(in: currency)
    if topUp.transaction.kind == .subscription {
      if topUp.transaction.status != .refunded { return now.part > 0 ? .takeBack : nil }
      if now.part == 0 { return before.part > 0 ? .restore : nil }
    } else if topUp.transaction.status != .refunded || before.part == 0
      || lastRefund?.requested != topUp.payment?.taken
    {
      return nil
    }
    if PurchasePrice(topUp) == nil { return nil }
    let money = UInt128(now.part) * UInt128(before.whole)
    let moneyBefore = UInt128(before.part) * UInt128(now.whole)
    if money > moneyBefore { return .takeBack }
    // Less is paid back for the same credits.
    return money < moneyBefore ? .restore : nil
  }

  /// Whether the purchase's state is later than an event that reports it as pending or failed: it
  /// was completed, or another event has a later time.
  func isLater(than event: PaymentEvent, _ status: Transaction.Status) -> Bool {
    if !topUp.transaction.status.isUnpaid { return true }
    guard let known = topUp.payment?.event.at else { return false }
    return known > event.at || known == event.at && status == .pending
  }
}

// Grants by a person for a payment, which its refunds and disputes reach.
extension Ledger {
  /// Converges a purchase and all grants by hand for its payment.
  func convergeAll(
    _ entry: TransactionEntry, to news: PaymentNews, _ request: PaymentRequest,
    among lines: PaymentLines? = nil
  ) throws(CreditError) -> [GateResult] {
    var results = [try converge(entry, to: news, request, among: lines)]
    let bought = entry.topUp.transaction
    var given: [TransactionEntry] = []
    if max(news.share.part, entry.topUp.payment?.share.part ?? 0) > 0 {
      for id in [bought.id] + news.parts {
        for key in [Name.rest(of: id), .back(of: id)] {
          given += try books.topUp(account: bought.account, key: key).map { [$0] } ?? []
        }
      }
      // The subscription itself may have been paid by hand, for the same time.
      if let paid = bought.paid, let id = bought.originalTransactionID {
        let byHand = try subscription(
          id, to: bought.productID, of: bought.account, for: paid.period, request.event)
        given += [byHand].compactMap { $0 }
      }
    }
    for entry in given where entry.isGranted && entry.isPaidFor {
      // A plan given back beside a refund of a part lasts until all of the money comes back.
      let isGoodwill = entry.topUp.transaction.key?.text.hasPrefix("back:") ?? false
      let hasPlan = entry.topUp.transaction.paid != nil
      let isPart = isGoodwill && hasPlan && news.share.part < news.share.whole
      if isPart, entry.topUp.transaction.status != .refunded { continue }
      let known = isPart ? PaymentNews(request.event) : news.ofParts
      results.append(try converge(entry, to: known, request))
    }
    return results.compactMap(\.self)
  }

  /// Returns the payment by hand under the id of a subscription for a product and a period.
  func subscription(
    _ id: Name, to product: Name?, of account: Name, for period: PaidPeriod, _ event: PaymentEvent
  ) throws(CreditError) -> TransactionEntry? {
    if event.format != .stripe { return nil }
    var entry = try books.transaction(id)
    if entry == nil { entry = try books.topUp(account: account, key: id) }
    guard let known = entry?.topUp.transaction, known.originalTransactionID == nil,
      known.productID == product, let paid = known.paid
    else { return nil }
    // The credits of one that was extended are of the time when it was entered.
    let isExtended = paid.extendedAt != nil
    return (isExtended ? period.begins(near: known.timestamp) : period.ends(near: paid.until))
      ? entry : nil
  }
}

extension Name {
  /// The key of a top-up by hand for a part that a payment's event has not granted.
  static func rest(of payment: Name) -> Name { payment.derived("rest:") }

  /// The key of one that gives a paid plan back.
  static func back(of payment: Name) -> Name { payment.derived("back:") }
}
