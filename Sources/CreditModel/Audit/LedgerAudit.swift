public struct RecordFault: Error, Equatable, Sendable {
  /// The end of a sentence about the record.
  public let reason: String

  public init(_ reason: String) { self.reason = reason }
}

extension LedgerRecord {
  /// Checks the record against the rules: applies its event to the account, and compares.
  ///
  /// The policy of the time is no longer known, so its values are taken from the record: prices,
  /// the amount and period of a quota, whether an overdraft was allowed.
  /// - Parameters:
  ///   - before: the account after its previous record; nil if it has none.
  ///   - earlier: the previous record of the same authorization or transaction.
  /// - Throws: the difference from the result of the rules.
  public func check(
    after before: consuming Account?, earlier: LedgerRecord?,
    purchase: GrantPurchase.LookUp = { _ throws(CreditError) in nil }
  ) throws(RecordFault) {
    switch event {
    case .claim:
      if earlier != nil { throw RecordFault("claims an id that is in use") }
      if !isOfNobody { throw RecordFault("claims an id for an account") }
      return
    case .payment(_, let news): return try checkPayment(news, earlier)
    case .dropped:
      guard crossed == nil, account.updatedAt >= before?.updatedAt ?? .earliest else {
        throw RecordFault("is earlier than the account's record before it")
      }
      return try check(on: before.map { AccountFooting($0) } ?? .none)
    default: break
    }
    guard var made = consume before else { return try checkRegistration() }
    if case .registration = event {
      throw RecordFault("registers an account that is there already")
    }
    guard made.updatedAt <= account.updatedAt else {
      throw RecordFault("is earlier than the account's record before it")
    }
    let known = made.settledDebts
    do throws(CreditError) {
      try made.apply(self, after: earlier, purchase)
    } catch {
      // The rules refused it: a fault of the record, like one found by comparing.
      throw RecordFault("breaks a rule: \(error.message)")
    }
    made.count(event, isFirst: original == nil)
    let settled = account.settledDebts
    // Earlier tools noted less, and so dropped less.
    if [made.settledDebts, known].contains(where: settled.isPart) { made.settledDebts = settled }
    try compare(with: made)
    // Crossed thresholds are above the balance. The policy of the time is not known, nor with turns
    // before it the balance at the write's start.
    if let crossed,
      !zip(crossed, crossed.dropFirst()).allSatisfy({ $0 > $1 })
        || !crossed.allSatisfy({ account.balance < $0 })
    {
      throw RecordFault("has a threshold in crossed that the balance has not crossed")
    }
    if event.newBalance ?? account.balance != account.balance {
      throw RecordFault("has a newBalance other than the balance of its account")
    }
  }

  private var isOfNobody: Bool {
    account == Account(name: .nobody, registeredAt: account.updatedAt)
  }

  private func checkPayment(_ news: PaymentNews, _ earlier: LedgerRecord?) throws(RecordFault) {
    guard isOfNobody else {
      throw RecordFault("has an account, but the payment has no purchase")
    }
    guard let earlier else { return }
    guard case .payment(_, var known) = earlier.event else {
      throw RecordFault("has a payment, but the record before it has another event")
    }
    known.add(news)
    // Of two events at the same time either may be the last. Earlier tools moved a subscription to
    // another account, which an export may leave out.
    (known.event, known.account) = (news.event, news.account)
    if known != news { throw RecordFault("lacks news of the payment that was known") }
  }

  private func checkRegistration() throws(RecordFault) {
    guard crossed == nil else { throw RecordFault("has crossed in the account's first record") }
    guard case .registration(let starter) = event else {
      throw RecordFault("is of an account that was not registered before")
    }
    guard starter >= 0 else { throw RecordFault("has negative starter credits") }
    var made = Account(name: account.name, registeredAt: account.updatedAt)
    // An account without credits has room for any amount.
    try? made.deposit(starter, kind: .starter)
    made.count(event, isFirst: true)
    try compare(with: made)
  }

  private func compare(with made: Account) throws(RecordFault) {
    if account == made { return }
    throw RecordFault(
      account.balance == made.balance
        ? "has an account whose \(difference(from: made)) its events do not make"
        : "has the balance \(account.balance), but its events make it \(made.balance)")
  }

  private func difference(from made: Account) -> String {
    let parts = [
      ("records", account.recordCount == made.recordCount),
      ("transactions", account.transactionCount == made.transactionCount),
      ("registeredAt", account.registeredAt == made.registeredAt),
      ("exempt", account.isExempt == made.isExempt),
      ("closed", account.isClosed == made.isClosed),
      ("buckets", account.buckets == made.buckets),
      ("scheduled", account.scheduled == made.scheduled),
      ("quota", account.quota == made.quota),
      ("carried credits", account.rollover == made.rollover),
      ("subscriptions", account.subscriptions == made.subscriptions),
      ("holds", account.holds == made.holds),
      ("recentTopUps", account.recentTopUps == made.recentTopUps),
      ("plan", account.plan == made.plan),
      ("parent", account.parent == made.parent && account.hasChildren == made.hasChildren),
      ("passed holds", account.passedHolds == made.passedHolds),
      ("group", account.group == made.group),
      ("bought", account.hasBought == made.hasBought),
      ("settled debts", account.settledDebts == made.settledDebts),
      ("limits", account.limitCounters == made.limitCounters),
    ]
    return parts.first { !$0.1 }?.0 ?? "limitsSet"
  }

  /// Returns the position of the transaction's first record that this one has to state. Returns nil
  /// if this record is the first.
  /// - Parameters:
  ///   - earlier: the previous record of the same authorization or transaction.
  ///   - position: the position of `earlier`.
  public func original(after earlier: LedgerRecord?, at position: RecordPosition?)
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

extension Account {
  /// Applies a record's event. Decisions of that time's policy are taken from the record.
  /// - Throws: if the rules would not have made that event of the account.
  fileprivate mutating func apply(
    _ record: LedgerRecord, after earlier: LedgerRecord?, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) {
    let target = record.account
    if try applyTurn(record.event, after: earlier, toward: target) { return }
    try passTime(toward: target)
    switch record.event {
    case .registration, .expiry, .refill, .claim, .payment, .dropped: break
    case .settings: try apply(record.event, toward: target)
    case .authorization(let authorization):
      try apply(authorization, after: earlier)
    case .void(let authorization):
      try expect(
        earlier?.event == .authorization(authorization), "its authorization is not open")
      release(authorization)
    case .charge(let charge): try apply(charge, after: earlier)
    case .amend(let charge): try apply(amended: charge, after: earlier, purchase)
    case .chargeRefund(let charge, let refund):
      try apply(refund, of: charge, after: earlier, purchase)
    case .share(let share): try apply(share, purchase)
    case .topUp(let topUp): try apply(topUp, after: earlier, toward: target)
    case .topUpRefund(let topUp, let refund):
      try apply(refund, of: topUp, after: earlier, purchase)
    case .topUpNews(let topUp, let refund): try topUp.checkNews(refund, after: earlier, of: self)
    case .transferOut(let transfer):
      try expect(transfer.from == name && transfer.isSound(at: updatedAt), "the transfer is wrong")
      try give(transfer.credits)
    case .transferIn(let transfer):
      try expect(transfer.to == name && transfer.isSound(at: updatedAt), "the transfer is wrong")
      try requireOpen()
      try deposit(transfer.credits, kind: .purchased)
    }
  }
}

// Turns of the clock, and the clock of all other events.
extension Account {
  /// Applies a change by time alone.
  /// - Returns: false for any other event.
  private mutating func applyTurn(
    _ event: LedgerEvent, after earlier: LedgerRecord?, toward target: Account
  ) throws(CreditError) -> Bool {
    switch event {
    case .expiry(.quota, _, _):
      try expect(
        try applyQuotaExpiry(toward: target) == event, "the expired quota is not as expected")
    case .expiry:
      try passTime(toward: target, .expiry)
      try expect(expireNextBucket() == event, "the credits that expired are not as expected")
    case .refill(let credits, let carriedOver):
      try expect(
        try applyRefill(credits, carriedOver, toward: target) == event,
        "the refill of the quota is not as expected")
    case .settings where planEnd == target.updatedAt:
      try passTime(toward: target, .planEnd)
      try expect(endPlan() == event, "the end of the plan is not as expected")
    case .topUp(let topUp) where topUp.isStart(of: earlier):
      try passTime(toward: target, .start)
      try expect(
        try startFirstGrant()?.id == topUp.transaction.id, "the next grant to start is another one")
      try expect(
        earlier?.event.topUp.topUp?.started(in: self) == topUp, "the grant is not as expected")
    default: return false
    }
    return true
  }

  /// Moves the clock to a record's time. Earlier turns have records of their own.
  ///
  /// A quota that turns from 0 to 0 has none: its new state is taken from the record.
  /// - Parameter turn: the record's turn, if any. Others of the same instant may follow it.
  private mutating func passTime(toward target: Account, _ turn: Turn? = nil) throws(CreditError) {
    let now = target.updatedAt
    if turn != .quota, let quota, quota.period != .subscription, quota.resetsAt != .latest,
      !isQuotaHeld || quota.remaining == 0 && quota.resetsAt != target.quota?.resetsAt,
      quota.resetsAt < now || quota.resetsAt == now && turn != .expiry && turn != .planEnd
    {
      try turnEmptyQuota(toward: target)
    }
    let next = nextTurn(until: now, turnsQuota: false)
    let isNext =
      switch turn {
      case nil: next == nil
      case .quota?: next.map { $0.time == now && $0.turn == .start } ?? true
      case let turn?: next.map { $0.time == now && $0.turn == turn } ?? false
      }
    try expect(isNext, "a reset, expiry or start before it has no record")
    try moveClock(to: now, by: target.recordedClock)
  }

  private mutating func turnEmptyQuota(toward target: Account) throws(CreditError) {
    guard let old = quota else { return }
    try expect(old.remaining == 0, "a reset of the quota before it has no record")
    var next = old
    next.limit = 0
    next.used = 0
    if let quota = target.quota, quota.plan == old.plan, quota.limit == 0, quota.used == 0 {
      next.period = quota.period.following(old.period)
      (next.resetsAt, next.isByWallClock) = (quota.resetsAt, quota.isByWallClock)
      rollover = target.rollover.map { Rollover(periods: $0.periods) }
    }
    quota = next
  }

  private mutating func applyQuotaExpiry(toward target: Account) throws(CreditError)
    -> LedgerEvent?
  {
    let now = target.updatedAt
    // A quota by the paid period expires at the renewal, not at `resetsAt`.
    if let quota, quota.period != .subscription {
      // Of turns that repeat one another only the last one has a record.
      try expect(
        quota.resetsAt == now || quota.resetsAt < now && (quota.used == 0 || isQuotaHeld),
        "the quota does not reset at that time")
      self.quota?.resetsAt = now
      self.quota?.isByWallClock = target.quota?.isByWallClock ?? false
    }
    try passTime(toward: target, .quota)
    return expireQuota()
  }

  private mutating func applyRefill(
    _ credits: Credits, _ carriedOver: Credits, toward target: Account
  ) throws(CreditError) -> LedgerEvent? {
    guard let old = quota, var next = target.quota else { return nil }
    try expect(
      !isClosed && credits > 0 && old.remaining == 0 && old.plan == next.plan
        && old.resetsAt <= target.updatedAt, "the quota was not due to be refilled")
    // There is no rest if it has not expired before.
    let left = updatedAt < old.resetsAt ? [] : rollover?.parts ?? [old.limit]
    try passTime(toward: target, .quota)
    (next.limit, next.used) = (credits, 0)
    next.period = next.period.beginning(at: updatedAt).following(old.period)
    try setReset(of: &next, after: updatedAt, by: target.recordedClock)
    let carried = target.rollover
    // Records before version 7 do not have them.
    let most = min(credits, carried?.total ?? left.reduce(0) { $0.addingSaturating($1) })
    try expect(
      carriedOver <= most
        && carried.map { $0.isCarried(from: left) && $0.isSound(for: next) } ?? true,
      "carriedOver is more than the credits that were left")
    return try refill(next, carried, carriedOver: carriedOver)
  }
}
