import CreditModel

@testable import TestSupport

// Subscriptions.
extension OracleAccount {
  /// The payment that has set the plan.
  var active: Paid? { counting.flatMap { $0.isSetAside ? nil : $0 } }

  /// The payment that counts: the furthest of those that are still valid.
  private var counting: Paid? {
    payments.filter { !$0.isRefunded && !$0.isSuperseded && !$0.isGone && !isEnded($0) }
      .max { ($0.until, $0.since, $0.number) < ($1.until, $1.since, $1.number) }
  }

  /// Whether a payment for a later end was refunded.
  private func isEnded(_ payment: Paid) -> Bool {
    payments.contains {
      $0.isRefunded && !$0.isGone && $0.product == payment.product && $0.begins(after: payment)
        && $0.until > payment.until
    }
  }

  /// A subscription's product was paid for, under a policy with these plans.
  mutating func pay(_ new: Paid, plans: [Plan]) {
    guard new.until > clock else { return }
    let old = active
    var new = new
    let known = payments.first { $0.id == new.id }
    paymentCount += 1
    new.number = paymentCount
    if let known, known.since == new.since { new.number = known.number }
    payments.removeAll { $0.id == new.id }
    new.isSuperseded = payments.contains {
      !$0.isGone && $0.product != new.product && $0.begins(after: new)
    }
    for place in payments.indices
    where payments[place].product != new.product && new.begins(after: payments[place]) {
      payments[place].isSuperseded = true
    }
    payments.append(new)
    if let counting, counting.isSetAside, let last = payments.indices.last {
      payments[last].isSetAside = true
    }
    passPaid()
    move(from: old, plans)
  }

  /// It was refunded.
  mutating func unpay(_ id: Name, plans: [Plan]) {
    let old = active
    for place in payments.indices where payments[place].id == id {
      payments[place].isRefunded = true
    }
    passPaid()
    move(from: old, plans)
  }

  /// The plan becomes that of the payment that counts by now.
  private mutating func move(from old: Paid?, _ plans: [Plan]) {
    guard let new = active else {
      if old != nil { removePlan() }
      return
    }
    if let old, old.id == new.id, old.until == new.until { return }
    if isHeld(by: old), let plan, plan.resetsAt <= clock, new.until > clock {
      // The renewal begins the period that the days of grace did not.
      self.plan?.resetsAt = clock
      turn(plans)
    }
    var used: Int128 = 0
    let isAnother = old.map { $0.product != new.product } ?? false
    let begins = old.map { isAnother ? new.since >= $0.until : new.until > $0.until } ?? true
    if !begins, let old, let plan, plan.period == .subscription {
      used = plan.used
      sharedEnds += [old.until, plan.resetsAt]
    } else {
      sharedEnds = []
    }
    planName = new.plan
    guard let rules = plans.first(where: { $0.id == new.plan }) else {
      if plan?.plan != new.plan || plan?.period == .subscription { plan = nil }
      return
    }
    guard rules.period == .subscription else { return setPlan(rules) }
    plan = PlanState(
      plan: new.plan, period: .subscription, limit: Int128(rules.quota ?? 0), used: used,
      resetsAt: new.until)
    settleDebtFromPlan()
  }

  /// Whether the plan's quota resets only if a payment is renewed.
  func isHeld(by payment: Paid?) -> Bool {
    guard let payment, let plan, plan.period != .subscription else { return false }
    return plan.resetsAt >= payment.until
  }

  /// Whether setting a plan by hand does anything.
  func changes(to new: Plan) -> Bool {
    if planName != new.id { return true }
    if plan == nil { return new.period != .subscription }
    return plan?.period == .subscription && new.period != .subscription
  }

  /// Replaces the paid plan by one that is set by hand.
  mutating func setAside() {
    for place in payments.indices { payments[place].isSetAside = true }
  }

  mutating func removePlan() {
    plan = nil
    planName = nil
  }

  /// A plan that the policy no longer has keeps no quota of a subscription.
  mutating func dropRemoved(_ plans: [Plan]) {
    guard active != nil, let planName, !plans.contains(where: { $0.id == planName }) else {
      return
    }
    plan = nil
  }

  /// A quota by the paid period lasts as long as its plan; ended ones are dropped.
  mutating func passPaid() {
    let counting = counting
    if plan?.period == .subscription, let plan, let counting, plan.resetsAt <= clock {
      self.plan?.resetsAt = counting.end
    }
    for payment in payments where payment.until <= clock {
      let counts = payment.id == counting?.id
      if !counts || payment.isSetAside && payment.end <= clock { forget(payment) }
    }
  }

  /// The payment that counts has ended.
  mutating func endPaid() {
    if let counting { forget(counting) }
    passPaid()
  }

  /// Drops a payment with those that it replaced.
  private mutating func forget(_ gone: Paid) {
    for place in payments.indices {
      let isBefore =
        payments[place].product != gone.product && gone.begins(after: payments[place])
      if payments[place].id == gone.id || isBefore { payments[place].isGone = true }
    }
  }
}

// Subscriptions.
extension LedgerOracle {
  /// Sets the plan of a top-up whose product has one.
  /// - Returns: true if it has.
  func takePaid(_ topUp: inout TopUp, _ request: TopUpRequest, after first: TopUp?)
    throws(Refusal) -> Bool
  {
    guard case .product(let id, let quantity) = request.grant,
      let product = LedgerFixture.products.first(where: { $0.id == id }), let plan = product.plan
    else {
      if request.kind == .subscription { throw Refusal(code: .invalidRequest) }
      return false
    }
    topUp.kind = .subscription
    topUp.paid = first?.paid
    if first?.paid == nil {
      if !policy.plans.contains(where: { $0.id == plan }) { throw Refusal(code: .invalidPolicy) }
      var terms = request.terms
      terms.expiry = nil
      let isSold = request.kind == .purchase || request.kind == .subscription
      if !isSold || quantity != 1 || terms != StatedTerms() { throw Refusal(code: .invalidRequest) }
    }
    switch request.terms.expiry {
    case nil:
      if topUp.paid == nil, request.status == .completed { throw Refusal(code: .invalidRequest) }
      topUp.isExtended = first?.isExtended ?? false
      if let first, let since = first.paid?.since, since == first.time, since < topUp.time {
        // It begins when it is no longer pending.
        topUp.paid?.since = topUp.time
        topUp.isExtended = true
      }
    case .at(let until)?:
      topUp.paid = Self.paid(product, topUp.id, from: topUp.time, until: until)
    case .after(let span)?:
      let until = Timestamp(milliseconds: topUp.time.milliseconds + span.milliseconds)
      topUp.paid = Self.paid(product, topUp.id, from: topUp.time, until: until)
    }
    return true
  }

  private static func paid(
    _ product: Product, _ id: Name, from since: Timestamp, until: Timestamp
  ) -> OracleAccount.Paid {
    OracleAccount.Paid(
      id: id, product: product.id, plan: product.plan ?? "", since: since, until: until,
      grace: product.gracePeriod.milliseconds)
  }

  /// A later end extends a completed payment.
  mutating func extend(_ request: TopUpRequest, _ index: Int) throws(Refusal) -> String? {
    guard topUps[index].status == .completed, request.status == .completed,
      var paid = topUps[index].paid, case .at(let until) = request.terms.expiry, until > paid.until
    else { return nil }
    return try whole { (books) throws(Refusal) in
      let account = try books.open(request.account, books.now)
      if account.isClosed { throw Refusal(code: .accountClosed) }
      let known = books.topUps[index]
      if let price = request.price, price != known.price || request.currency != known.currency {
        throw Refusal(code: .idempotencyConflict)
      }
      paid.since = account.clock
      paid.until = until
      books.enter(request.account, books.now, .paid(paid))
      books.topUps[index].paid = paid
      books.topUps[index].isExtended = true
      var result = books.topUps[index]
      result.added = 0
      result.balance = try books.balance(request.account, books.now)
      return "topped up \(result.text)"
    }
  }
}
