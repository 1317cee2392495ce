/// Top-ups, their refunds and news, replayed from their records.
extension Account {
  mutating func replay(
    _ recorded: TopUp, after earlier: LedgerRecord?, toward target: Account
  ) throws(CreditError) {
    let transaction = recorded.transaction
    if let earlier {
      // A top-up that is recorded as refunded, but without a refund, was never granted.
      let (first, refund) = earlier.event.topUp
      guard let first = first?.transaction, refund == nil, first.status != .completed,
        first.status != .scheduled
      else {
        throw CreditError(.corruptStore, "the id is in use already")
      }
      try expect(
        first.account == name && first.key == transaction.key,
        "the transaction was another's or had another key")
    }
    let completes = transaction.status == .completed
    let takes = transaction.credits < 0
    try expect(
      !takes
        || transaction.kind == .adjustment && transaction.reason != nil
          && transaction.credits >= -Credits.largestGrant,
      "a negative top-up")
    try expect(
      recorded.creditsAdded == (completes ? transaction.credits : 0)
        && transaction.timestamp == updatedAt, "it added another amount or at another time")
    if let terms = transaction.terms {
      try expect(!takes && transaction.kind != .adjustment, "an adjustment is no grant")
      try expect(
        transaction.status != .scheduled || terms.startsAt.map { $0 > updatedAt } ?? false,
        "it does not wait for its start")
    }
    // Records of earlier tools do not have it.
    try expect(
      transaction.scheduledAt.map {
        $0 == updatedAt && transaction.status == .scheduled && earlier != nil
      } ?? true, "it was scheduled at another time")
    try expect(
      transaction.kind == .subscription || transaction.paid == nil,
      "it pays for a plan without being of a subscription")
    if transaction.kind == .subscription, completes {
      try expect(transaction.paid != nil, "it does not say how far it is paid")
      try checkSubscribed(by: transaction)
    }
    if transaction.purchase != nil {
      try expect(
        transaction.kind == .bonus && transaction.terms != nil && earlier == nil,
        "a promotion grants a bonus once")
      // It does not count. Older records of bonuses dropped top-ups that left the window.
      let window = target.recentTopUps
      try expect(
        Array(recentTopUps.suffix(window.count)) == window, "it counts other top-ups")
      if recentTopUps != window { recentTopUps = window }
    } else if !takes, completes || transaction.status == .scheduled {
      try replayWindow(toward: target, transaction)
    }
    let (added, taken) = try take(transaction, isPaid: transaction.mayBePaid)
    try expect(added == recorded.creditsAdded, "it added another amount")
    try expect(taken == recorded.taken, "it takes from other buckets")
    if transaction.kind.isSold, completes, transaction.productID != nil {
      hasBought = hasBought || target.hasBought
    }
  }

  /// Replays the start of a grant, which has no request.
  mutating func replayStart(
    of recorded: TopUp, after earlier: LedgerRecord?, toward target: Account
  ) throws(CreditError) {
    let now = target.updatedAt
    guard let first = scheduled.first, let topUp = earlier?.event.topUp.topUp,
      first.startsAt == now, first.bucket.grant?.id == recorded.transaction.id
    else { throw CreditError(.corruptStore, "no such grant starts at that time") }
    scheduled.removeFirst()
    // Others may start at the same instant.
    try replayClock(toward: target, isTurn: true)
    try deposit(first.bucket.credits, to: first.bucket)
    try expect(recorded == topUp.started(in: self), "it says another grant")
  }

  /// Replays the top-ups that count against the policy's limit. They are this one and the last few
  /// before it, or none if the policy had no limit. Payments do not count; earlier tools counted
  /// them.
  private mutating func replayWindow(toward target: Account, _ transaction: Transaction)
    throws(CreditError)
  {
    let window = target.recentTopUps
    if transaction.mayBePaid, window == recentTopUps { return }
    if let last = window.last {
      try expect(
        last.time == updatedAt && last.credits ?? transaction.credits == transaction.credits
          && recentTopUps.suffix(window.count - 1) == window.dropLast(),
        "it counts other top-ups")
    }
    if recentTopUps != window { recentTopUps = window }
  }

  mutating func replay(
    _ refund: Refund, of recorded: TopUp, after earlier: LedgerRecord?
  ) throws(CreditError) {
    let (first, taken) = earlier?.event.topUp ?? (nil, nil)
    try expect(
      first.map { $0.isSamePurchase(as: recorded) } ?? false, "no such top-up comes before it")
    // A refund of a plan may move no credits.
    let isPaidPlan = recorded.transaction.kind == .subscription && refund.price != nil
    switch (first?.transaction.status, recorded.transaction.status) {
    case (.completed, .refunded), (.scheduled, .refunded):
      try expect(
        refund.credits >= 0 && refund.credits <= recorded.refundable
          && refund.isCounted(after: taken) && refund.before == 0, "it takes another amount back")
      try replayTaking(of: refund, topUp: recorded, after: taken)
    case (.refunded, .refunded):
      try expect(
        taken.map {
          $0.total == refund.before && $0.number &+ 1 == refund.number
            && $0.reversals == refund.reversals
        } ?? false
          && refund.before >= 0
          && refund.credits > (refund.isVoid && taken?.isVoid == false || isPaidPlan ? -1 : 0)
          && refund.credits <= recorded.refundable &- refund.before,
        "it takes another amount back")
      try expect(refund.isVoid || taken?.isVoid != true, "it is no longer voided")
      try replayTaking(of: refund, topUp: recorded, after: taken)
    case (.refunded, .completed):
      try expect(
        refund.credits <= 0 && taken.map { 0 &- $0.total } == refund.credits
          && refund.isCounted(reversing: taken) && refund.before == 0,
        "it restores another amount")
      try taken.map { (taken) throws(CreditError) in try giveAgain(taken, of: recorded) }
    default:
      throw CreditError(.corruptStore, "its status can't follow the one before it")
    }
    try expect(
      refund.forfeited == 0 && refund.timestamp == updatedAt, "it is of another time")
    if recorded.transaction.status == .refunded { try checkRevoked(recorded.transaction) }
    try expect(refund.isPaid(from: recorded, after: taken), "it pays another price back")
  }
}

extension Account {
  private mutating func replayTaking(of refund: Refund, topUp: TopUp, after earlier: Refund?)
    throws(CreditError)
  {
    let isGrant = topUp.transaction.terms != nil
    try expect(!refund.isVoid || isGrant, "it voids what is no grant")
    let isOfRest = refund.isVoid && earlier?.isVoid != true
    let shares =
      isOfRest ? try takeBackRest(of: topUp) : try takeBack(refund.credits, of: topUp)
    try expect(shares.total == refund.credits, "it takes another amount back")
    try expect(
      refund.shares == (isGrant || shares.haveGrants ? shares : nil), "it takes from other buckets")
  }
}

extension Transaction {
  /// True if it may be a provider's payment or its bonus, which have no limits. A transaction of
  /// StoreKit is recorded like one by hand.
  fileprivate var mayBePaid: Bool {
    purchase != nil || kind.isSold && productID != nil && key == nil
  }
}

extension TopUp {
  /// Whether it is the start of a scheduled grant.
  func isStart(of earlier: LedgerRecord?) -> Bool {
    transaction.status == .completed
      && earlier?.event.topUp.topUp?.transaction.status == .scheduled
  }
}

extension LedgerRecord {
  /// The state that matters if credits return to its top-up's grant.
  package var purchase: GrantPurchase? {
    let (topUp, refund) = event.topUp
    guard let topUp else { return nil }
    return TransactionEntry(topUp: topUp, refund: refund, position: RecordPosition(0)).purchase
  }
}

extension Refund {
  /// Tells if it is counted as the first refund since a reversal, or ever.
  fileprivate func isCounted(after reversal: Refund?) -> Bool {
    guard let reversal else { return number == 1 && reversals == 0 }
    return reversal.number &+ 1 == number && reversal.reversals &+ 1 == reversals
      || restartsCount
  }

  /// Tells if it has the number of the last refund that it reverses.
  fileprivate func isCounted(reversing last: Refund?) -> Bool {
    last?.number == number && last?.reversals == reversals || restartsCount
  }

  /// Earlier tools restarted the count at each reversal.
  private var restartsCount: Bool { number == 1 && reversals == 0 }

  /// Whether its amounts paid back fit the purchase and the previous refund.
  fileprivate func isPaid(from topUp: TopUp, after earlier: Refund?) -> Bool {
    guard let paid = PurchasePrice(topUp) else { return price == nil && priceBefore == nil }
    let isReversal = topUp.transaction.status == .completed
    if isReversal || before == 0 && reversals > (earlier?.reversals ?? 0) {
      // No refund is in effect any more.
      guard priceBefore == (number > 1 ? .zero : nil) else { return false }
      if credits < 0 { return price == earlier?.priceTotal }
    } else if priceBefore != (number > 1 ? earlier?.priceTotal : nil) {
      return false
    }
    guard let price else { return paid.usual(self) == nil }
    return paid.rest(before: self).map { price <= $0 } ?? false
  }
}

extension LedgerEvent {
  /// The event's top-up, and the refund or restoration of it.
  fileprivate var topUp: (topUp: TopUp?, refund: Refund?) {
    switch self {
    case .topUp(let topUp): (topUp, nil)
    case .topUpRefund(let topUp, let refund): (topUp, refund)
    case .topUpNews(let topUp, let refund): (topUp, refund)
    default: (nil, nil)
    }
  }
}

extension TopUp {
  /// Checks news without an effect: it is newer, and everything else is unchanged.
  func replayNews(_ refund: Refund?, after earlier: LedgerRecord?) throws(CreditError) {
    let (first, last) = earlier?.event.topUp ?? (nil, nil)
    var same = self
    let isExtended = first.map { transaction.isExtension(of: $0.transaction) } ?? false
    if isExtended { same.transaction.paid = first?.transaction.paid }
    try expect(
      first.map { $0.isSamePurchase(as: same) && $0.transaction.status == transaction.status }
        ?? false && last == refund, "no such top-up comes before it")
    let isLater = news?.signedDate.map { first?.news?.signedDate ?? .earliest < $0 } ?? false
    try expect(
      isLater || payment != first?.payment || isExtended, "it is no later than what was known")
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

extension Transaction {
  /// Whether it pays the subscription further than was known.
  fileprivate func isExtension(of known: Transaction) -> Bool {
    guard let paid, let before = known.paid else { return false }
    return paid.until > before.until && paid.plan == before.plan && paid.grace == before.grace
      && status == .completed
  }
}
