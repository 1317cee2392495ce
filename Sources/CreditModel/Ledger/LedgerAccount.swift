extension Ledger {
  /// Registers an account if it is new, sets its plan and group, exempts it, closes it.
  ///
  /// Unchanged values are left alone. But the clock's changes since the last record are recorded,
  /// so that no later edit of the policy changes a quota after it turned.
  func changeAccount(_ request: AccountRequest) throws(CreditError) -> GateResult {
    let stored = try books.account(request.account)
    let above = try parents(for: request, of: stored)
    let time = sharedTime(request.time, stored, above?.first)
    var open =
      stored == nil
      ? try register(request.account, at: time, isMember: above?.isEmpty == false)
      : try open(request.account, at: time)
    let before = open.account
    try open.account.change(request, under: policy, last: stored?.updatedAt)
    if let parent = above?.first, !parent.hasChildren {
      var opened = try self.open(parent.name, at: time)
      opened.account.hasChildren = true
      try record(.settings(credits: 0), on: &opened)
    }
    // A quota that turns from 0 to 0 leaves no record. The record of a turn has the turn's time: a
    // record of the write's own time follows it, or else a later request could have an earlier
    // time.
    let after = open.account
    let hasTurned = stored.map { $0.quota != before.quota || $0.buckets != before.buckets } ?? false
    let isOfPast = open.preceding.last.map { $0.account.updatedAt < after.updatedAt } ?? false
    var shown = after
    if after != before || hasTurned || isOfPast {
      try record(try after.settings(since: before.balance), on: &open)
    } else if let stored, open.preceding.isEmpty {
      // Nothing is recorded.
      shown.updatedAt = stored.updatedAt
    } else {
      try recordPreceding(&open)
    }
    var parents = try self.parents(of: after).map(\.account)
    for place in parents.indices {
      _ = try parents[place].advance(to: after.updatedAt, under: policy)
    }
    // It is shown with the time of its last record.
    var view = AccountView(
      shown, carried: after.carriedCredits(by: policy.clock),
      limits: after.limitViews(under: policy), funds: .of(after, below: parents, under: policy),
      isPlanRemoved: after.isPlanRemoved(from: policy))
    view.endedLimits = before.limitsSet.filter { old in
      let new = after.limitsSet.first { $0.id == old.id }
      if let new, new.until != nil {
        let pauses = old.alerts != nil && new.alerts == nil && new.amount != nil
        return pauses || old.until == nil && new.then == nil
      }
      return old.then != nil || old.until != nil && new != nil
    }
    return .account(view)
  }
}

extension Account {
  /// Changes the settings that a request names, and begins to count for new limits.
  /// - Parameter last: see ``adoptLimits(under:last:)``.
  /// - Throws: `unknown_plan`, `amount_out_of_range`, `unavailable`, and the errors of a change of
  ///   limits.
  mutating func change(_ request: AccountRequest, under policy: Policy, last: Timestamp?)
    throws(CreditError)
  {
    if let isExempt = request.isExempt { self.isExempt = isExempt }
    if let isClosed = request.isClosed { self.isClosed = isClosed }
    switch request.plan {
    case nil: break
    case .remove:
      subscriptions.replace()
      removePlan()
    case .set(let id):
      guard let plan = policy.plan(id) else {
        let plans = policy.plans.map(\.id)
        let names = plans.prefix(10).map { quoted($0.text) }.joined(separator: ", ")
        let rest = plans.count > 10 ? " and \(plans.count - 10) more" : ""
        let all = "; the \(plans.count == 1 ? "plan is" : "plans are") \(names)\(rest)"
        let nearest = NearestNames.hint(NearestNames.find(id, among: plans))
        let hint = plans.isEmpty ? ", which has no plans" : nearest.isEmpty ? all : nearest
        throw CreditError(.unknownPlan, "no plan \(quoted(id.text)) in the policy\(hint)")
      }
      // A plan that is set takes the place of a subscription's plan.
      if self.plan != id { subscriptions.replace() }
      try setPlan(plan, by: policy.clock)
    }
    if let group = request.group { self.group = group.name }
    if let parent = request.parent { self.parent = parent.name }
    if !request.limits.isEmpty {
      try setLimits(request.limits, until: request.limitUntil, under: policy)
    }
    _ = try adoptLimits(under: policy, last: last)
  }

  /// Returns the event of settings that have changed the balance.
  /// - Throws: `amount_out_of_range`.
  func settings(since balance: Credits) throws(CreditError) -> LedgerEvent {
    let (credits, overflow) = self.balance.subtractingReportingOverflow(balance)
    if overflow { throw .amountOutOfRange("the change would not fit in 64 bits") }
    return .settings(credits: credits)
  }

  /// Refuses a closed account. Work that has begun continues, and owed or paid credits are taken.
  func requireOpen() throws(CreditError) { if isClosed { throw closed(for: self) } }

  /// The error of work that a closed account would pay for, its own or another's.
  func closed(for asked: Account) -> CreditError {
    let role = asked.name == name ? "" : ", which pays for \(quoted(asked.name.text)),"
    return CreditError(
      .accountClosed,
      "account \(quoted(name.text))\(role) is closed; credit-account "
        + "\(shellFlag("account", name.text)) --closed false opens it",
      [.account(asked.name), .balance(asked.balance)])
  }

  /// Sets a plan, unless the account has it already.
  ///
  /// Its quota comes in, less the use of another plan's in this period, and settles debt first. A
  /// plan by the paid period gets its quota only from a subscription.
  /// - Parameter payment: a payment that counts again after its refund: its quota continues its
  ///   turn.
  /// - Throws: `amount_out_of_range`, `unavailable`.
  mutating func setPlan(
    _ plan: Plan, by clock: WindowClock, resuming payment: Subscription? = nil
  ) throws(CreditError) {
    if let quota, quota.plan == plan.id,
      quota.period != .subscription || plan.period == .subscription
    {
      return
    }
    guard let credits = plan.quota, plan.period != .subscription else {
      removePlan()
      planWithoutQuota = plan.id
      return
    }
    let turn = quota == nil ? payment?.turn : nil
    // It begins with the period that pays for it, or now.
    let start = min(updatedAt, subscriptions.active?.since ?? updatedAt)
    let period = plan.period.beginning(at: turn?.start ?? start)
    var granted = Quota(
      plan: plan.id, period: period, limit: credits, used: quota?.used ?? 0, resetsAt: updatedAt)
    try clock.setEnd(of: &granted, after: updatedAt)
    var carried = plan.rollover
    // It continues the turn in which the payment was refunded, if that has not ended.
    if let payment, let turn, turn.resetsAt > updatedAt, turn.resetsAt <= granted.resetsAt {
      (granted.limit, granted.used, granted.resetsAt) = (turn.limit, payment.used, turn.resetsAt)
      carried?.parts = turn.carried
    }
    quota = nil
    planWithoutQuota = nil
    _ = try balance.adding(granted.remaining)
    quota = granted
    rollover = carried
    settleDebtFromQuota()
  }
}

// Books with missing records that could no longer be read.
//
// The record of ``LedgerEvent/dropped(credits:)`` has the change of the account's balance by the
// missing ones. Their other effects are unknown: so the record after it is accepted as it is, and
// the rules continue from there.

/// The part of an account that the record after a drop is checked against.
public struct AccountFooting: Sendable {
  public var balance: Credits
  public var recordCount: Int64
  public var transactionCount: Int64

  public static let none = AccountFooting(balance: 0, recordCount: 0, transactionCount: 0)

  init(_ account: Account) {
    self.init(
      balance: account.balance, recordCount: account.recordCount,
      transactionCount: account.transactionCount)
  }

  public init(balance: Credits, recordCount: Int64, transactionCount: Int64) {
    self.balance = balance
    self.recordCount = recordCount
    self.transactionCount = transactionCount
  }
}

extension LedgerRecord {
  /// Returns a record that notes missing records before the account's next one. Returns nil if that
  /// next record's balance cannot be right.
  /// - Parameter footing: the account as the record before the missing ones left it.
  public static func dropped(before next: LedgerRecord, after footing: AccountFooting)
    -> LedgerRecord?
  {
    let (balance, isTooLarge) = next.account.balance.subtractingReportingOverflow(
      next.event.movedCredits)
    let (credits, overflow) = balance.subtractingReportingOverflow(footing.balance)
    if isTooLarge || overflow { return nil }
    // The parts of the balance are not known.
    var account = Account(name: next.account.name, registeredAt: next.account.registeredAt)
    account.updatedAt = next.account.updatedAt
    account.buckets = Buckets(UndatedCredits(purchased: balance), listed: nil)
    var record = LedgerRecord(event: .dropped(credits: credits), account: account)
    record.renumber(after: footing)
    return record
  }

  public static func dropped(parent name: Name, at time: Timestamp) -> LedgerRecord {
    var account = Account(name: name, registeredAt: time)
    account.hasChildren = true
    var record = LedgerRecord(event: .dropped(credits: 0), account: account)
    record.renumber(after: .none)
    return record
  }

  /// Numbers the record as the next one of its account.
  public mutating func renumber(after footing: AccountFooting) {
    account.recordCount = footing.recordCount
    account.transactionCount = footing.transactionCount
    account.count(event, isFirst: original == nil)
  }

  /// Checks a record whose state cannot be computed: a drop, or the record after one.
  public func check(on footing: AccountFooting) throws(RecordFault) {
    guard account.isSound else { throw RecordFault("has an impossible state") }
    var made = self
    made.renumber(after: footing)
    guard made.account.recordCount == account.recordCount,
      made.account.transactionCount == account.transactionCount
    else { throw RecordFault("has other numbers of records or transactions than expected") }
    let (balance, overflow) = footing.balance.addingReportingOverflow(event.movedCredits)
    guard !overflow, balance == account.balance else {
      throw RecordFault(
        "has the balance \(account.balance), but its events make it \(balance)")
    }
  }
}

extension LedgerEvent {
  /// The event's change of the balance.
  public var movedCredits: Credits {
    switch self {
    case .registration(let credits), .settings(let credits), .refill(let credits, _),
      .expiry(_, let credits, _), .dropped(let credits):
      credits
    case .authorization, .void, .topUpNews, .claim, .payment: 0
    case .charge(let charge): 0 &- charge.receipt.ownCredits
    case .amend(let charge): charge.amendment?.credits ?? 0
    case .chargeRefund(_, let refund): refund.ownCredits
    case .share(let share): share.credits
    case .topUp(let topUp): topUp.creditsAdded
    // Credits that never were in the balance are not taken from it.
    case .topUpRefund(let topUp, let refund): 0 &- min(refund.credits, topUp.creditsAdded)
    case .transferOut(let transfer): 0 &- transfer.credits
    case .transferIn(let transfer): transfer.credits
    }
  }

  /// True if another record of the same id may or must come before.
  public var mayFollowAnother: Bool {
    switch self {
    case .void, .charge, .amend, .chargeRefund, .topUp, .topUpRefund, .topUpNews: true
    default: false
    }
  }
}

// Parents of accounts.
extension Ledger {
  /// Returns the accounts that are to be above an account, the nearest first. Empty if its parent
  /// is to be removed; nil if its parent stays as it is.
  /// - Throws: `unknown_account`, `account_closed`; `invalid_request` for a ring, and for a chain
  ///   of too many accounts.
  func parents(for request: AccountRequest, of stored: Account?) throws(CreditError) -> [Account]? {
    switch request.parent {
    case nil: return nil
    case .remove: return stored?.parent == nil ? nil : []
    case .set(let name):
      if stored?.parent == name { return nil }
      guard name != request.account else { throw Self.ring(request.account, name) }
      guard let parent = try books.account(name) else { throw Self.unknownAccount(name) }
      try parent.requireOpen()
      let above = [parent] + (try parents(of: parent).map(\.account))
      if above.contains(where: { $0.name == request.account }) {
        throw Self.ring(request.account, name)
      }
      let height = stored?.hasChildren ?? false ? try self.height(of: request.account) : 1
      if above.count + height > Account.chainLimit {
        throw CreditError(
          .invalidRequest,
          "with \(quoted(name.text)) as its parent, account \(quoted(request.account.text)) would "
            + "be in a chain of \(above.count + height) accounts; it has at most "
            + "\(Account.chainLimit)",
          [.account(request.account)])
      }
      return above
    }
  }

  private static func ring(_ account: Name, _ parent: Name) -> CreditError {
    CreditError(
      .invalidRequest,
      account == parent
        ? "account \(quoted(account.text)) cannot be its own parent"
        : "account \(quoted(account.text)) pays for \(quoted(parent.text)) and cannot be below it",
      [.account(account)])
  }

  /// Returns the number of accounts in the longest chain that ends with an account.
  ///
  /// Putting another account below one of them also uses this account: the chains do not grow
  /// meanwhile.
  private func height(of account: Name) throws(CreditError) -> Int {
    var level: Set<Name> = [account]
    var height = 1
    while !level.isEmpty, height <= Account.chainLimit {
      let children = try books.children(of: level)
      if !children.isEmpty { height += 1 }
      level = Set(children.filter(\.value).keys)
    }
    return height
  }

  /// Returns the time of a request on several accounts: if each has its own clock, the latest.
  func sharedTime(_ requested: Timestamp?, _ accounts: Account?...) -> Timestamp? {
    if !policy.clockIsSimulated { return requested }
    let known = accounts.compactMap { $0?.updatedAt }
    return known.isEmpty ? requested : max(requested ?? systemTime, known.max() ?? systemTime)
  }
}
