/// Refuses a record unless a condition holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String)
  throws(CreditError)
{
  if !condition { throw CreditError(.corruptStore, otherwise()) }
}

/// The rules, done again from a record: each changes the account as its event did, or refuses.
extension Account {
  /// Moves the clock to a record's time, before which whatever expired has records of its own. A
  /// quota that turns from nothing to nothing has none: what it became is taken from the record.
  mutating func replayClock(toward target: Account) throws(CreditError) {
    let now = target.updatedAt
    if let expiry = buckets.first?.expiresAt, expiry <= now {
      throw CreditError(.corruptStore, "credits that have expired are not recorded as such")
    }
    if let quota, quota.resetsAt <= now, quota.resetsAt != .latest {
      try turnEmptyQuota(toward: target)
    }
    moveClock(to: now)
  }

  private mutating func turnEmptyQuota(toward target: Account) throws(CreditError) {
    guard let old = quota else { return }
    try expect(old.remaining == 0, "a quota that has turned is not recorded as such")
    var next = old
    next.limit = 0
    next.used = 0
    if let quota = target.quota, quota.plan == old.plan, quota.limit == 0, quota.used == 0 {
      next.period = quota.period
      next.resetsAt = quota.resetsAt
    }
    quota = next
  }

  mutating func replayExpiry(
    _ kind: Bucket.Kind, _ credits: Credits, toward target: Account
  ) throws(CreditError) {
    if kind == .quota { return try replayQuotaExpiry(credits, toward: target) }
    let now = target.updatedAt
    guard let first = buckets.first, first.expiresAt == now, first.kind == kind,
      -first.credits == credits
    else { throw CreditError(.corruptStore, "no such credits expired at that time") }
    buckets.removeFirst()
    // A quota that turns at the same instant does so after this.
    if let quota, quota.resetsAt < now { try turnEmptyQuota(toward: target) }
    moveClock(to: now)
  }

  private mutating func replayQuotaExpiry(_ credits: Credits, toward target: Account)
    throws(CreditError)
  {
    guard var turned = quota, turned.resetsAt <= target.updatedAt else {
      throw CreditError(.corruptStore, "the account has no quota that turned")
    }
    try expect(turned.remaining > 0 && credits == -turned.remaining, "the quota had other credits")
    if turned.resetsAt < target.updatedAt {
      // Turns that repeat one another have no records, up to the last of them.
      try expect(turned.used == 0, "a quota that has turned is not recorded as such")
      turned.resetsAt = target.updatedAt
    }
    turned.used = turned.limit
    quota = nil
    try replayClock(toward: target)
    quota = turned
  }

  mutating func replayRefill(_ credits: Credits, toward target: Account)
    throws(CreditError)
  {
    guard let old = quota, var next = target.quota else {
      throw CreditError(.corruptStore, "the account has no quota")
    }
    try requireOpen()
    try expect(
      old.remaining == 0 && old.plan == next.plan && old.resetsAt <= target.updatedAt,
      "the quota had not turned")
    try expect(
      next.resetsAt == next.period.turn(after: target.updatedAt), "the next turn is at another time"
    )
    try expect(credits > 0, "a refill has at least one credit")
    next.limit = credits
    next.used = 0
    quota = nil
    try replayClock(toward: target)
    _ = try balance.adding(credits)
    quota = next
    settleDebtFromQuota()
  }

  mutating func replaySettings(_ credits: Credits, toward target: Account)
    throws(CreditError)
  {
    let before = balance
    isExempt = target.isExempt
    isClosed = target.isClosed
    if let wanted = target.quota, wanted.plan != quota?.plan {
      try expect(wanted.limit >= 0, "the quota is negative")
      try setPlan(
        Plan(id: wanted.plan, quota: wanted.limit, period: wanted.period, rolloverMax: 0))
    } else if target.quota == nil {
      quota = nil
    }
    let (change, overflow) = balance.subtractingReportingOverflow(before)
    try expect(!overflow && change == credits, "the balance changed by another amount")
  }

  mutating func replay(_ recorded: CreditAuthorization) throws(CreditError) {
    try expect(
      recorded.account == name && recorded.timestamp == updatedAt,
      "the authorization is of another time")
    try requireOpen()
    try requireCredits(atLeast: recorded.hold?.credits ?? 1)
    guard let hold = recorded.hold else { return }
    try expect(hold.credits > 0, "the hold holds nothing")
    try expect(
      HoldStep.isExpiry(hold.expiresAt, from: updatedAt), "the hold expires at another time")
    try setAside(hold.credits, until: hold.expiresAt)
  }

  mutating func replayRelease(of authorization: CreditAuthorization) throws(CreditError) {
    try expect((authorization.hold?.credits ?? 1) > 0, "the hold holds nothing")
    release(authorization.hold)
  }

  mutating func replay(_ recorded: Charge, after earlier: LedgerRecord?)
    throws(CreditError)
  {
    let receipt = recorded.receipt
    try expect(receipt.creditsCharged >= 0, "a negative charge")
    try expect(
      isExempt
        ? receipt.creditsCharged == 0 && (receipt.creditsWaived ?? -1) >= 0
        : receipt.creditsWaived == nil,
      "an exempt account is charged nothing, and no other has credits waived")
    switch earlier?.event {
    case nil:
      try expect(
        recorded.key != nil && receipt.authorization.hold == nil
          && receipt.authorization.timestamp == updatedAt, "it has neither authorization nor key")
      if receipt.details?.isArrears == true {
        try expect(receipt.creditsCharged > 0 && !mayStart, "it is no arrears")
      } else if receipt.creditsCharged > 0 {
        try requireCredits(atLeast: 1)
      }
    case .authorization(let authorization) where authorization.untagged == receipt.authorization:
      try expect(
        recorded.key == nil && receipt.details?.isArrears != true,
        "it has an authorization and a key")
      let tags = receipt.details?.tags
      try expect(
        Tags.filling(tags, from: authorization.tags) == tags, "it lacks its authorization's tags")
      try replayRelease(of: receipt.authorization)
    default:
      throw CreditError(.corruptStore, "its authorization is not open")
    }
    try expect(try burn(receipt.creditsCharged) == recorded.taken, "it was paid by other buckets")
    try expect(receipt.timestamp == updatedAt, "its receipt is of another time")
  }

  /// Corrects a charge as a record says.
  mutating func replay(amended recorded: Charge, after earlier: LedgerRecord?)
    throws(CreditError)
  {
    guard let charge = earlier?.event.charge else {
      throw CreditError(.corruptStore, "no such charge stands before it")
    }
    let isReturn = recorded.amendment?.isReturn ?? false
    let follows = charge.amendment?.isReturn ?? false
    try expect(
      follows == (!isReturn && recorded.receipt.model != charge.receipt.model),
      "another model takes nothing before all has been given back")
    let made =
      isReturn
      ? try takeNothing(for: charge)
      : try amend(charge, to: Correction(recorded: recorded))
    try expect(made == recorded, "it says another correction")
  }

  mutating func replay(_ refund: Refund, of charge: Charge) throws(CreditError) {
    try expect(
      charge.isSound && charge.amendment?.isReturn != true, "the charge was paid by no buckets")
    let restored = try restore(charge.taken)
    let (total, overflow) = restored.addingReportingOverflow(refund.forfeited)
    try expect(
      restored == refund.credits && !overflow && total == charge.receipt.creditsCharged,
      "it gave back another amount")
    try expect(refund.timestamp == updatedAt, "it is of another time")
  }

  mutating func replay(
    _ recorded: TopUp, after earlier: LedgerRecord?, toward target: Account
  ) throws(CreditError) {
    let transaction = recorded.transaction
    if let earlier {
      // One that is recorded as refunded, but not with a refund, was never granted.
      let (first, refund) = earlier.event.topUp
      guard let first = first?.transaction, refund == nil, first.status != .completed else {
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
    if completes, takes {
      try burnPurchasedFirst(-transaction.credits)
    } else if completes {
      try replayWindow(toward: target)
      try deposit(
        transaction.credits, kind: transaction.bucketKind, expiresAt: transaction.expiresAt)
    }
  }

  /// What counts against the policy's limit of top-ups: this one and the last few before it, or
  /// none where the policy had no limit.
  private mutating func replayWindow(toward target: Account) throws(CreditError) {
    let window = target.recentTopUps
    if let last = window.last {
      try expect(
        last == updatedAt && recentTopUps.suffix(window.count - 1) == window.dropLast(),
        "it counts other top-ups")
    }
    recentTopUps = window
  }

  mutating func replay(
    _ refund: Refund, of recorded: TopUp, after earlier: LedgerRecord?
  ) throws(CreditError) {
    let (first, taken) = earlier?.event.topUp ?? (nil, nil)
    try expect(
      first.map { $0.isSamePurchase(as: recorded) } ?? false, "no such top-up stands before it")
    switch (first?.transaction.status, recorded.transaction.status) {
    case (.completed, .refunded):
      try expect(
        refund.credits >= 0 && refund.credits <= recorded.creditsAdded && refund.number == 1
          && refund.before == 0, "it takes another amount back")
      try burnPurchasedFirst(refund.credits)
    case (.refunded, .refunded):
      try expect(
        taken.map { $0.total == refund.before && $0.number &+ 1 == refund.number } ?? false
          && refund.before >= 0 && refund.credits > 0
          && refund.credits <= recorded.creditsAdded &- refund.before,
        "it takes another amount back")
      try burnPurchasedFirst(refund.credits)
    case (.refunded, .completed):
      try expect(
        refund.credits <= 0 && taken.map { 0 &- $0.total } == refund.credits
          && refund.number == 1 && refund.before == 0, "it restores another amount")
      try deposit(0 &- refund.credits, kind: .purchased)
    default:
      throw CreditError(.corruptStore, "its status can't follow the one before it")
    }
    try expect(
      refund.forfeited == 0 && refund.timestamp == updatedAt, "it is of another time")
  }
}

extension Account {
  mutating func replayGiving(of transfer: Transfer) throws(CreditError) {
    try expect(
      transfer.from == name && transfer.to != name && transfer.timestamp == updatedAt,
      "the transfer is another's")
    try expect(transfer.credits > 0, "it gives nothing")
    try give(transfer.credits)
  }

  mutating func replayReceiving(of transfer: Transfer) throws(CreditError) {
    try expect(
      transfer.to == name && transfer.from != name && transfer.timestamp == updatedAt,
      "the transfer is another's")
    try expect(transfer.credits > 0, "it gives nothing")
    try requireOpen()
    try deposit(transfer.credits, kind: .purchased)
  }
}

extension LedgerEvent {
  /// The charge that the event has made.
  var charge: Charge? {
    switch self {
    case .charge(let charge), .amend(let charge): charge
    default: nil
    }
  }

  /// The top-up that the event is about, and what was taken back of it or restored.
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
  /// Checks news that changed nothing: it is newer, and all else is as it was.
  func replayNews(_ refund: Refund?, after earlier: LedgerRecord?) throws(CreditError) {
    let (first, last) = earlier?.event.topUp ?? (nil, nil)
    try expect(
      first.map { $0.isSamePurchase(as: self) && $0.transaction.status == transaction.status }
        ?? false && last == refund, "no such top-up stands before it")
    try expect(
      news?.signedDate.map { first?.news?.signedDate ?? .earliest < $0 } ?? false,
      "it is no later than what was known")
  }

  /// Whether nothing differs but the status, and what the App Store has said since.
  fileprivate func isSamePurchase(as other: TopUp) -> Bool {
    var copy = self
    copy.transaction.status = other.transaction.status
    copy.news = other.news
    return copy == other
  }
}
