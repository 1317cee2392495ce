import CreditModel

@testable import TestSupport

// Subscriptions.
extension OracleAccount {
  /// A subscription's product was paid for, under a policy with these plans.
  mutating func pay(_ new: Paid, plans: [Plan]) {
    guard new.until > clock else { return }
    var isUpgrade = false
    if let old = paid {
      let isSame = old.product == new.product
      let isAnew = old.endedAt.map { new.since >= $0 } ?? false
      if isSame ? new.until <= old.until && !isAnew : new.since < old.since { return }
      isUpgrade = old.state == .on && !isSame && new.since < old.until
    }
    paid = new
    planName = new.plan
    guard let rules = plans.first(where: { $0.id == new.plan }) else {
      if plan?.plan != new.plan || plan?.period == .subscription { plan = nil }
      return
    }
    guard rules.period == .subscription else { return setPlan(rules) }
    plan = PlanState(
      plan: new.plan, period: .subscription, limit: isClosed ? 0 : Int128(rules.quota ?? 0),
      used: isUpgrade ? plan?.used ?? 0 : 0, resetsAt: new.until)
    settleDebtFromPlan()
  }

  /// Whether setting a plan by hand does anything.
  func changes(to new: Plan) -> Bool {
    if planName != new.id { return true }
    if plan == nil { return new.period != .subscription }
    return plan?.period == .subscription && new.period != .subscription
  }

  /// It was refunded.
  mutating func unpay(_ old: Paid) {
    if let now = paid {
      let isSame = now.product == old.product
      if isSame, now.state != .over, now.since > old.since { return }
      if isSame ? old.until < now.until : old.since <= now.since || old.until <= clock { return }
      if now.state == .on { removePlan() }
      paid = nil
    }
    guard old.until > clock else { return }
    paid = old
    paid?.state = .over
    paid?.endedAt = clock
  }

  mutating func removePlan() {
    plan = nil
    planName = nil
  }

  /// A plan that the policy no longer has keeps no quota of a subscription.
  mutating func dropRemoved(_ plans: [Plan]) {
    guard paid?.state == .on, let planName, !plans.contains(where: { $0.id == planName }) else {
      return
    }
    plan = nil
  }

  /// A quota by the paid period lasts as long as its plan; what is over, or set aside, is forgotten
  /// when it could not come back.
  mutating func passPaid() {
    guard let paid else { return }
    if plan?.period == .subscription, let plan, plan.resetsAt <= clock {
      self.plan?.resetsAt = paid.end
    }
    switch paid.state {
    case .on: break
    case .setAside: if paid.end <= clock { self.paid = nil }
    case .over: if paid.until <= clock { self.paid = nil }
    }
  }
}

// Subscriptions.
extension LedgerOracle {
  /// What a top-up of a product with a plan pays for.
  /// - Returns: whether it is one.
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
    case .at(let until)?:
      topUp.paid = Self.paid(product, from: topUp.time, until: until)
    case .after(let span)?:
      let until = Timestamp(milliseconds: topUp.time.milliseconds + span.milliseconds)
      topUp.paid = Self.paid(product, from: topUp.time, until: until)
    }
    return true
  }

  private static func paid(_ product: Product, from since: Timestamp, until: Timestamp)
    -> OracleAccount.Paid
  {
    OracleAccount.Paid(
      product: product.id, plan: product.plan ?? "", since: since, until: until,
      grace: product.gracePeriod.milliseconds)
  }

  /// A later end of what is completed extends it.
  mutating func extend(_ request: TopUpRequest, _ index: Int) throws(Refusal) -> String? {
    guard topUps[index].status == .completed, request.status == .completed,
      var paid = topUps[index].paid, case .at(let until) = request.terms.expiry, until > paid.until
    else { return nil }
    return try whole { (books) throws(Refusal) in
      let account = try books.open(request.account, books.now)
      if account.isClosed { throw Refusal(code: .accountClosed) }
      paid.since = account.clock
      paid.until = until
      books.enter(request.account, books.now, .paid(paid))
      books.topUps[index].paid = paid
      var result = books.topUps[index]
      result.added = 0
      result.balance = try books.balance(request.account, books.now)
      return "topped up \(result.text)"
    }
  }
}
