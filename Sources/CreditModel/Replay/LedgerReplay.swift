package struct ReplayFault: Error, Equatable, Sendable {
  /// The end of a sentence about the record.
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }
}

extension LedgerRecord {
  /// Checks the record against the rules, by replaying its event.
  ///
  /// The policy of the time is no longer known, so its values are taken from the record: prices,
  /// the amount and period of a quota, whether an overdraft was allowed.
  /// - Parameters:
  ///   - before: the account after its previous record; nil if it has none.
  ///   - earlier: the previous record of the same authorization or transaction.
  /// - Throws: the difference from the result of the rules.
  package func check(
    after before: consuming Account?, earlier: LedgerRecord?,
    purchase: GrantPurchase.LookUp = { _ throws(CreditError) in nil }
  ) throws(ReplayFault) {
    if case .claim = event { return try checkClaim(earlier) }
    if case .payment(_, let news) = event { return try checkPayment(news, earlier) }
    if case .dropped = event { return try checkDrop(after: before) }
    guard var made = consume before else { return try checkRegistration() }
    if case .registration = event {
      throw ReplayFault("registers an account that is there already")
    }
    guard made.updatedAt <= account.updatedAt else {
      throw ReplayFault("is earlier than the account's record before it")
    }
    do throws(CreditError) {
      try replay(on: &made, after: earlier, purchase)
    } catch {
      // The rules refused it: a fault of the record, like one found by comparing.
      throw ReplayFault("breaks a rule: \(error.message)")
    }
    made.count(event, isFirst: original == nil)
    let settled = account.settledDebts
    if settled != made.settledDebts, settled.isPart(of: made.settledDebts) {
      made.settledDebts = settled
    }
    try compare(with: made)
    try checkCrossing()
    if event.newBalance ?? account.balance != account.balance {
      throw ReplayFault("says another balance than the account has after it")
    }
  }

  private func checkDrop(after before: Account?) throws(ReplayFault) {
    guard crossed == nil, account.updatedAt >= before?.updatedAt ?? .earliest else {
      throw ReplayFault("is earlier than the account's record before it")
    }
    try check(on: before.map { AccountFooting($0) } ?? .none)
  }

  private func checkClaim(_ earlier: LedgerRecord?) throws(ReplayFault) {
    if earlier != nil { throw ReplayFault("claims an id that is in use") }
    guard account == Account(name: .nobody, registeredAt: account.updatedAt) else {
      throw ReplayFault("claims an id for an account")
    }
  }

  /// Checks that news of a payment adds to the known news.
  private func checkPayment(_ news: PaymentNews, _ earlier: LedgerRecord?) throws(ReplayFault) {
    guard account == Account(name: .nobody, registeredAt: account.updatedAt) else {
      throw ReplayFault("says of a payment without a purchase which account it is of")
    }
    guard let earlier else { return }
    guard case .payment(_, var known) = earlier.event else {
      throw ReplayFault("says of a payment what another record is about")
    }
    known.add(news)
    // Of two events at the same time either may be the last.
    known.event = news.event
    if known != news { throw ReplayFault("says less of a payment than was known") }
  }

  /// Checks that crossed thresholds are above the balance. The policy of the time is not known, nor
  /// with turns before it the balance at the write's start.
  private func checkCrossing() throws(ReplayFault) {
    guard let crossed else { return }
    let isFalling = zip(crossed, crossed.dropFirst()).allSatisfy { $0 > $1 }
    guard isFalling, crossed.allSatisfy({ account.balance < $0 }) else {
      throw ReplayFault("says that it has crossed what it has not")
    }
  }

  private func checkRegistration() throws(ReplayFault) {
    guard crossed == nil else { throw ReplayFault("crosses a threshold from nowhere") }
    guard case .registration(let starter) = event else {
      throw ReplayFault("is of an account that was not registered before")
    }
    guard starter >= 0 else { throw ReplayFault("has negative starter credits") }
    var made = Account(name: account.name, registeredAt: account.updatedAt)
    // An account without credits has room for any amount.
    try? made.deposit(starter, kind: .starter)
    made.count(event, isFirst: true)
    try compare(with: made)
  }

  private func compare(with made: Account) throws(ReplayFault) {
    if account == made { return }
    throw ReplayFault(
      account.balance == made.balance
        ? "has another state than its events make (\(difference(from: made)))"
        : "has the balance \(account.balance) where its events make it \(made.balance)")
  }

  private func difference(from made: Account) -> String {
    if account.recordCount != made.recordCount { return "records" }
    if account.transactionCount != made.transactionCount { return "transactions" }
    if account.registeredAt != made.registeredAt { return "registeredAt" }
    if account.isExempt != made.isExempt { return "exempt" }
    if account.isClosed != made.isClosed { return "closed" }
    if account.buckets != made.buckets { return "buckets" }
    if account.scheduled != made.scheduled { return "scheduled" }
    if account.quota != made.quota { return "quota" }
    if account.subscriptions != made.subscriptions { return "subscriptions" }
    if account.holds != made.holds { return "holds" }
    if account.recentTopUps != made.recentTopUps { return "recentTopUps" }
    if account.plan != made.plan { return "plan" }
    if account.parent != made.parent || account.hasChildren != made.hasChildren {
      return "parent"
    }
    if account.passedHolds != made.passedHolds { return "passed holds" }
    if account.group != made.group { return "group" }
    if account.hasBought != made.hasBought { return "bought" }
    if account.settledDebts != made.settledDebts { return "settled debts" }
    return account.limitCounters != made.limitCounters ? "limits" : "limitsSet"
  }

  private func replay(
    on made: inout Account, after earlier: LedgerRecord?, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) {
    switch event {
    case .expiry(let kind, let credits, let grant):
      try made.replayExpiry(kind, credits, of: grant, toward: account)
    case .topUp(let topUp) where topUp.isStart(of: earlier):
      return try made.replayStart(of: topUp, after: earlier, toward: account)
    case .refill(let credits):
      try made.replayRefill(credits, toward: account)
    case .settings(let credits) where made.planEnd == account.updatedAt:
      return try made.replayPlanEnd(credits, toward: account)
    default:
      try made.replayClock(toward: account)
    }
    switch event {
    case .registration, .expiry, .refill, .claim, .payment, .dropped: break
    case .settings(let credits): try made.replaySettings(credits, toward: account)
    case .authorization(let authorization):
      try expect(earlier == nil, "the id is in use already")
      try made.replay(authorization)
    case .void(let authorization):
      try expect(
        earlier?.event == .authorization(authorization), "no such authorization is open")
      try made.replayRelease(of: authorization)
    case .charge(let charge): try made.replay(charge, after: earlier)
    case .amend(let charge): try made.replay(amended: charge, after: earlier, purchase)
    case .chargeRefund(let charge, let refund):
      var last: Refund?
      if case .chargeRefund(let first, let refund) = earlier?.event {
        last = refund
        try expect(first == charge, "no such charge comes before it")
      } else {
        try expect(earlier?.event.charge == charge, "no such charge comes before it")
      }
      try made.replay(refund, of: charge, after: last, purchase)
    case .share(let share): try made.replay(share, purchase)
    case .topUp(let topUp): try made.replay(topUp, after: earlier, toward: account)
    case .topUpRefund(let topUp, let refund):
      try made.replay(refund, of: topUp, after: earlier)
    case .topUpNews(let topUp, let refund):
      try topUp.replayNews(refund, after: earlier)
    case .transferOut(let transfer): try made.replayGiving(of: transfer)
    case .transferIn(let transfer): try made.replayReceiving(of: transfer)
    }
  }

  /// Returns the position of the transaction's first record that this one has to state. Returns nil
  /// if this record is the first.
  /// - Parameters:
  ///   - earlier: the previous record of the same authorization or transaction.
  ///   - position: the position of `earlier`.
  package func original(after earlier: LedgerRecord?, at position: RecordPosition?)
    -> RecordPosition?
  {
    switch event {
    case .amend, .chargeRefund, .topUp, .topUpRefund, .topUpNews:
      earlier.flatMap { $0.original ?? position }
    default: nil
    }
  }
}

extension LedgerEvent {
  /// The balance after the event, as the event has it.
  fileprivate var newBalance: Credits? {
    switch self {
    case .charge(let charge), .amend(let charge): charge.receipt.newBalance
    case .topUp(let topUp): topUp.newBalance
    case .chargeRefund(_, let refund), .topUpRefund(_, let refund): refund.newBalance
    case .transferOut(let transfer): transfer.fromBalance
    case .transferIn(let transfer): transfer.toBalance
    default: nil
    }
  }
}

/// Replays expiries and turns of a quota, and the clock.
extension Account {
  /// Moves the clock to a record's time. Earlier expiries have records of their own.
  ///
  /// A quota that turns from 0 to 0 has none: its new state is taken from the record.
  /// - Parameter isTurn: true if time alone made the record, so that others of the same instant may
  ///   follow it.
  mutating func replayClock(toward target: Account, isTurn: Bool = false) throws(CreditError) {
    let now = target.updatedAt
    if let start = scheduled.first?.startsAt, start < now || start == now && !isTurn {
      throw CreditError(.corruptStore, "a grant that has started is not recorded as such")
    }
    if let expiry = buckets.nextExpiry, expiry <= now {
      throw CreditError(.corruptStore, "credits that have expired are not recorded as such")
    }
    if let planEnd, planEnd <= now {
      throw CreditError(.corruptStore, "a subscription that has ended is not recorded as such")
    }
    if let quota, quota.period != .subscription, quota.resetsAt <= now, quota.resetsAt != .latest {
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
    _ kind: Bucket.Kind, _ credits: Credits, of grant: Name?, toward target: Account
  ) throws(CreditError) {
    if kind == .quota { return try replayQuotaExpiry(credits, toward: target) }
    let now = target.updatedAt
    guard let next = buckets.nextExpiry, next == now,
      let first = buckets.removeFirst(expiringAt: now), first.kind == kind,
      first.grant?.id == grant, -first.credits == credits,
      scheduled.first.map({ $0.startsAt >= now }) ?? true, planEnd.map({ $0 >= now }) ?? true
    else { throw CreditError(.corruptStore, "no such credits expired at that time") }
    // A quota that turns at the same instant does so after this.
    if let quota, quota.period != .subscription, quota.resetsAt < now {
      try turnEmptyQuota(toward: target)
    }
    moveClock(to: now)
  }

  private mutating func replayQuotaExpiry(_ credits: Credits, toward target: Account)
    throws(CreditError)
  {
    // A quota by the paid period expires at the renewal, not at `resetsAt`.
    let isRenewed = quota?.period == .subscription
    guard var turned = quota, isRenewed || turned.resetsAt <= target.updatedAt else {
      throw CreditError(.corruptStore, "the account has no quota that turned")
    }
    try expect(turned.remaining > 0 && credits == -turned.remaining, "the quota had other credits")
    if !isRenewed, turned.resetsAt < target.updatedAt {
      // Of turns that repeat one another only the last one has a record.
      try expect(turned.used == 0, "a quota that has turned is not recorded as such")
      turned.resetsAt = target.updatedAt
    }
    turned.used = turned.limit
    quota = nil
    try replayClock(toward: target, isTurn: true)
    quota = turned
    if isRenewed { passPaidPeriod() }
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
      next.resetsAt == reset(of: next.period, after: target.updatedAt),
      "the next turn is at another time")
    try expect(credits > 0, "a refill has at least one credit")
    next.limit = credits
    next.used = 0
    quota = nil
    try replayClock(toward: target, isTurn: true)
    _ = try balance.adding(credits)
    quota = next
    settleDebtFromQuota()
  }
}

/// Checks that a purchase and its promotions' bonuses are one write: the bonuses' records come
/// right before the purchase's in the same account, which lists them.
package struct PromotionReplay: Sendable {
  fileprivate struct Waiting: Sendable {
    let purchase: Name
    var bonuses: [GrantedBonus] = []
    /// Whether no record of the account is missing before them.
    var isSure: Bool
  }

  /// By account: a server has records of others in between.
  private var waiting: [Name: Waiting] = [:]

  package init() {}

  /// A purchase that has not come after its bonuses; nil if no purchase is missing.
  package var missing: Name? { waiting.values.lazy.filter(\.isSure).map(\.purchase).min() }

  /// Takes the next record.
  /// - Parameter isSure: true if no record of its account may be missing before it.
  /// - Throws: a fault if it is not next to the records that belong to it.
  package mutating func add(_ record: LedgerRecord, isSure: Bool) throws(ReplayFault) {
    let before = waiting.isEmpty ? nil : waiting.removeValue(forKey: record.account.name)
    if case .dropped = record.event { return }
    guard case .topUp(let topUp) = record.event else {
      try before?.check(isSure, nil)
      return
    }
    if record.isOfBonus, let purchase = topUp.transaction.purchase {
      try before?.check(isSure, purchase)
      var group = before ?? Waiting(purchase: purchase, isSure: isSure)
      group.bonuses.append(
        GrantedBonus(id: topUp.transaction.id, credits: topUp.transaction.credits))
      waiting[record.account.name] = group
      return
    }
    try before?.check(isSure, topUp.transaction.id)
    let isWhole = isSure && before?.isSure ?? true
    if isWhole, topUp.bonuses != before?.bonuses ?? [] {
      throw ReplayFault("says other bonuses than were granted before it")
    }
  }

  /// Forgets incomplete purchases: unreadable lines follow.
  package mutating func addGap() { waiting = [:] }
}

extension PromotionReplay.Waiting {
  /// - Parameter purchase: the purchase of the account's next record, if any.
  fileprivate func check(_ isSure: Bool, _ purchase: Name?) throws(ReplayFault) {
    if !self.isSure || !isSure || purchase == self.purchase { return }
    throw ReplayFault(
      "is where the purchase \(quoted(self.purchase.text)) of the bonuses before it should")
  }
}

extension LedgerRecord {
  /// True if it grants a promotion's bonus to a purchase, whose record follows.
  package var isOfBonus: Bool {
    guard case .topUp(let topUp) = event else { return false }
    return topUp.transaction.purchase != nil && original == nil
  }
}
