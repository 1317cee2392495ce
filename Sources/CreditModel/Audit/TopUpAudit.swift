/// Top-ups, their refunds and news, applied from their records.
extension Account {
  mutating func apply(
    _ recorded: TopUp, after earlier: LedgerRecord?, toward target: Account
  ) throws(CreditError) {
    let transaction = recorded.transaction
    if let earlier {
      // A top-up that is recorded as refunded, but without a refund, was never granted.
      let (first, refund) = earlier.event.topUp
      guard let first = first?.transaction, refund == nil, first.status != .completed,
        first.status != .scheduled, first.account == name, first.key == transaction.key
      else { throw CreditError(.corruptStore, "the id is that of an earlier record") }
    }
    let completes = transaction.status == .completed
    let takes = transaction.credits < 0
    let isAdjustment = transaction.kind == .adjustment
    try expect(
      !takes
        || isAdjustment && transaction.reason != nil
          && transaction.credits >= -Credits.largestGrant,
      "credits below 0 need an adjustment with a reason")
    try expect(transaction.timestamp == updatedAt, "timestamp is not the time of the record")
    if let terms = transaction.terms {
      try expect(!isAdjustment, "an adjustment cannot have terms")
      try expect(
        transaction.status != .scheduled || terms.startsAt.map { $0 > updatedAt } ?? false,
        "status is scheduled, but startsAt is not in the future")
    }
    // Records of earlier tools do not have it.
    try expect(
      transaction.scheduledAt.map {
        $0 == updatedAt && transaction.status == .scheduled && earlier != nil
      } ?? true, "scheduledAt is not as expected")
    let isSubscription = transaction.kind == .subscription
    try expect(
      isSubscription ? !completes || transaction.paid != nil : transaction.paid == nil,
      "paid is missing from a subscription, or is in another top-up")
    if isSubscription, completes { try checkSubscribed(by: transaction) }
    if transaction.purchase != nil {
      try expect(
        transaction.kind == .bonus && transaction.terms != nil && earlier == nil,
        "a bonus of a purchase is not a new top-up with terms")
      // It does not count. Older records of bonuses dropped top-ups that left the window.
      let window = target.recentTopUps
      try expect(Array(recentTopUps.suffix(window.count)) == window, "recentTopUps is wrong")
      setWindow(window)
    } else if !takes, completes || transaction.status == .scheduled {
      try applyWindow(toward: target, transaction)
    }
    let (added, taken) = try take(transaction, isPaid: transaction.mayBePaid)
    try expect(
      added == recorded.creditsAdded && taken == recorded.taken,
      "creditsAdded or taken is not as expected")
    if transaction.kind.isSold, completes, transaction.productID != nil {
      hasBought = hasBought || target.hasBought
    }
  }

  /// Takes over the top-ups that count against the policy's limit. They are this one and the last
  /// few before it, or none if the policy had no limit. Payments do not count; earlier tools
  /// counted them.
  private mutating func applyWindow(toward target: Account, _ transaction: Transaction)
    throws(CreditError)
  {
    let window = target.recentTopUps
    if transaction.mayBePaid, window == recentTopUps { return }
    if let last = window.last {
      try expect(
        last.time == updatedAt && last.credits ?? transaction.credits == transaction.credits
          && recentTopUps.suffix(window.count - 1) == window.dropLast(),
        "recentTopUps is wrong")
    }
    setWindow(window)
  }

  mutating func apply(
    _ refund: Refund, of recorded: TopUp, after earlier: LedgerRecord?,
    _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) {
    let (first, known) = earlier?.event.topUp ?? (nil, nil)
    guard let first, first.isSamePurchase(as: recorded) else {
      throw CreditError(.corruptStore, "the record before it is not its top-up")
    }
    let entry = TransactionEntry(topUp: first, refund: known, position: RecordPosition(0))
    var made: Refund
    switch (first.transaction.status, recorded.transaction.status) {
    case (.completed, .refunded), (.scheduled, .refunded), (.refunded, .refunded):
      try expect(known != nil || first.transaction.status != .refunded, "it was never granted")
      made = try takeBack(as: refund, of: entry, purchase)
      let isAgain = first.transaction.status == .completed && known != nil
      made.keepsBonuses = refund.keepsBonuses && isAgain && !first.bonuses.isEmpty
      let isRevoked = subscriptions[recorded.transaction.id].map { !$0.isPaid } ?? true
      try expect(isRevoked, "the plan that it paid for is still in force")
    case (.refunded, .completed):
      guard let known, known.total >= 0 else {
        throw CreditError(.corruptStore, "the refund before it took nothing back")
      }
      // Earlier tools gave expired credits back, too.
      let most = lapsed(since: known, of: recorded.transaction)
      try expect((0...most).contains(refund.forfeited), "forfeited is more than has expired since")
      made = try reverse(known, of: recorded, lapsed: refund.forfeited, reason: refund.reason)
    default:
      throw CreditError(.corruptStore, "status cannot follow that of the record before it")
    }
    // Earlier tools restarted the count at each reversal.
    let statuses = [first.transaction.status, recorded.transaction.status]
    if statuses.contains(.completed), known != nil, refund.number == 1, refund.reversals == 0 {
      (made.number, made.reversals, made.priceBefore) = (1, 0, nil)
    }
    if made.credits >= 0 {
      made.price = refund.price
      try expect(refund.isPaid(from: recorded), "the price paid back is not as expected")
    }
    try expect(made == refund, "the refund is not as expected")
  }

  /// Takes back the credits of a recorded refund.
  ///
  /// They are 0 only if it is the first refund, voids a grant, or pays back money.
  private mutating func takeBack(
    as refund: Refund, of entry: TransactionEntry, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) -> Refund {
    let (last, transaction) = (entry.lastRefund, entry.topUp.transaction)
    let isRest = refund.isVoid && last?.isVoid != true
    let isOfNothing =
      refund.credits == 0 && refund.forfeited == 0 && last != nil && !isRest && refund.price == nil
    let known = last?.requested ?? 0
    try expect(
      known >= 0 && (known...max(known, entry.topUp.refundable)).contains(refund.requested)
        && !isOfNothing && (!refund.isVoid || transaction.terms != nil),
      "the credits taken back are out of range")
    // Earlier tools took expired credits, too.
    let hasExpired = refund.forfeited > 0 && transaction.expiresAt.map { $0 <= updatedAt } ?? false
    let expired = hasExpired ? try purchase(transaction.id)?.expired ?? 0 : 0
    // Earlier tools counted them after used ones, and credits just restored may be taken again.
    let rest = max(0, expired - (entry.lastRefund?.forfeitedTotal ?? 0))
    return try self.refund(
      entry, upTo: isRest ? nil : refund.requested, expired: expired,
      forfeiting: hasExpired ? min(refund.forfeited, rest) : nil, reason: refund.reason)
  }
}

extension Transaction {
  /// True if it may be a provider's payment or its bonus, which have no limits. A transaction of
  /// StoreKit is recorded like one by hand.
  fileprivate var mayBePaid: Bool {
    purchase != nil || kind.isSold && productID != nil && key == nil
  }

  /// Whether it pays the subscription further than was known. It may be refunded meanwhile.
  fileprivate func isExtension(of known: Transaction) -> Bool {
    guard let paid, let before = known.paid else { return false }
    return paid.until > before.until && paid.plan == before.plan && paid.grace == before.grace
      && (status == .completed || status == .refunded)
  }
}

extension TopUp {
  func isStart(of earlier: LedgerRecord?) -> Bool {
    transaction.status == .completed
      && earlier?.event.topUp.topUp?.transaction.status == .scheduled
  }

  /// Checks news without an effect: it is newer, and everything else is unchanged.
  /// - Parameter account: as it is after its record.
  func checkNews(
    _ refund: Refund?, after earlier: LedgerRecord?, of account: Account
  ) throws(CreditError) {
    let (first, last) = earlier?.event.topUp ?? (nil, nil)
    var same = self
    let isExtended = first.map { transaction.isExtension(of: $0.transaction) } ?? false
    if isExtended { same.transaction.paid = first?.transaction.paid }
    var ended = first?.transaction
    ended?.end(on: account)
    let isEnd = !isExtended && transaction.paid != first?.transaction.paid
    if isEnd, transaction.paid == ended?.paid { same.transaction.paid = first?.transaction.paid }
    try expect(
      first.map { $0.isSamePurchase(as: same) && $0.transaction.status == transaction.status }
        ?? false && last == refund, "the record before it is not its top-up")
    let isLater = news?.signedDate.map { first?.news?.signedDate ?? .earliest < $0 } ?? false
    try expect(
      isLater || payment != first?.payment || isExtended || isEnd,
      "its news is not later than that of the record before it")
  }

  /// Returns true if only the status and the news received since differ.
  fileprivate func isSamePurchase(as other: TopUp) -> Bool {
    var copy = self
    copy.transaction.status = other.transaction.status
    copy.news = other.news
    copy.payment = other.payment
    return copy == other
  }
}

extension LedgerRecord {
  /// The state that matters if credits return to its top-up's grant.
  public var purchase: GrantPurchase? {
    let (topUp, refund) = event.topUp
    guard let topUp else { return nil }
    return TransactionEntry(topUp: topUp, refund: refund, position: RecordPosition(0)).purchase
  }
}

extension Refund {
  /// Returns true if its price is known and within the rest of the purchase's.
  fileprivate func isPaid(from topUp: TopUp) -> Bool {
    guard let paid = PurchasePrice(topUp) else { return price == nil && priceBefore == nil }
    guard let price else { return paid.usual(self) == nil }
    return paid.rest(before: self).map { price <= $0 } ?? false
  }
}

extension LedgerEvent {
  /// The event's top-up, and the refund or restoration of it.
  var topUp: (topUp: TopUp?, refund: Refund?) {
    switch self {
    case .topUp(let topUp): (topUp, nil)
    case .topUpRefund(let topUp, let refund): (topUp, refund)
    case .topUpNews(let topUp, let refund): (topUp, refund)
    default: (nil, nil)
    }
  }
}
