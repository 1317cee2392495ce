// What a top-up of a subscription does to its account's plan.
extension Ledger {
  /// Has a transaction be one of a subscription, where its product is one.
  /// - Returns: whether it is.
  /// - Throws: `invalid_request` where that goes with no end, or with what a subscription has not;
  ///   `invalid_policy` for a product whose plan is not there.
  func takePaidPlan(
    of request: TopUpRequest, _ entry: TransactionEntry?, _ product: Product?,
    into transaction: inout Transaction
  ) throws(CreditError) -> Bool {
    let first = entry?.topUp.transaction
    guard product?.plan != nil || first?.kind == .subscription else {
      guard request.kind == .subscription else { return false }
      throw CreditError(
        .invalidRequest, "the type subscription goes with a product that has a plan")
    }
    var product = product
    if product == nil, first?.paid == nil, let id = transaction.productID {
      product = try policy.product(id)
    }
    if let product { try checkSubscription(request, to: product) }
    transaction.kind = .subscription
    let time = transaction.timestamp
    var paid = first?.paid
    if let period = try period(of: request, at: time), let plan = product?.plan ?? paid?.plan {
      paid = PaidPlan(
        plan: plan, since: period.since ?? time, until: period.until,
        grace: product?.gracePeriod ?? paid?.grace ?? TimeSpan(milliseconds: 0),
        isUpgraded: period.isUpgraded)
    }
    if paid == nil, request.status == .completed {
      throw CreditError(
        .invalidRequest,
        "product \(quoted(transaction.productID?.text ?? "")) is a subscription: expiresAt has to "
          + "say how far it is paid")
    }
    transaction.paid = paid
    return true
  }

  /// How far a request says that a subscription is paid.
  private func period(of request: TopUpRequest, at time: Timestamp) throws(CreditError)
    -> PaidPeriod?
  {
    if let period = request.period { return period }
    guard let expiry = request.terms.expiry else { return nil }
    guard let until = expiry.time(from: time) else {
      throw CreditError(.invalidRequest, "the subscription would never end")
    }
    return PaidPeriod(until: until)
  }

  private func checkSubscription(_ request: TopUpRequest, to product: Product) throws(CreditError) {
    guard let id = product.plan else { return }
    guard policy.plan(id) != nil else {
      throw CreditError(
        .invalidPolicy,
        "product \(quoted(product.id.text)) has the plan \(quoted(id.text)), which is not in the "
          + "policy", [.product(product.id.text)])
    }
    guard request.kind.isSold else {
      throw product.notForSubscription("type \(request.kind.rawValue)")
    }
    if case .product(_, let quantity) = request.grant, quantity != 1 {
      throw product.notForSubscription("quantity")
    }
    if request.terms != StatedTerms(expiry: request.terms.expiry) {
      throw product.notForSubscription("priority, start or models")
    }
  }

  /// Sets the plan that a transaction pays for, in a record before its own.
  func subscribe(_ transaction: Transaction, on open: inout OpenAccount) throws(CreditError) {
    guard let new = Subscription(transaction), let plan = plan(of: transaction) else { return }
    let expired = open.account.expireQuota(before: new, to: plan)
    if expired > 0 { open.precede(by: .expiry(.quota, credits: 0 - expired, grant: nil)) }
    try changePlan(of: &open) { (account: inout Account) throws(CreditError) in
      try account.subscribe(new, to: plan)
    }
  }

  /// Ends the plan that a transaction has paid for, which is refunded.
  func revoke(_ transaction: Transaction, on open: inout OpenAccount) throws(CreditError) {
    guard let refunded = Subscription(transaction) else { return }
    try changePlan(of: &open) { (account: inout Account) throws(CreditError) in
      account.revoke(refunded)
    }
  }

  /// Sets the plan again that a transaction pays for, whose refund was reversed.
  func reinstate(_ transaction: Transaction, on open: inout OpenAccount) throws(CreditError) {
    guard let new = Subscription(transaction), let plan = plan(of: transaction) else { return }
    try changePlan(of: &open) { (account: inout Account) throws(CreditError) in
      try account.reinstate(new, to: plan)
    }
  }

  /// Ends the account's subscription early, in a record before that of the news.
  /// - Parameters:
  ///   - id: the provider's of the subscription that is over; nil for any.
  ///   - product: what that is of. It tells apart what was paid by hand, which has no such id.
  ///   - until: how far that was paid; one that is paid further is another, or was renewed.
  /// - Returns: the transaction that had paid for it; nil where nothing is ended.
  func endSubscription(
    _ id: Name?, of product: Name?, through until: Timestamp, on open: inout OpenAccount
  ) throws(CreditError) -> TransactionEntry? {
    guard let current = open.account.subscription,
      let entry = try books.transaction(current.transaction)
    else { return nil }
    let known = entry.topUp.transaction.originalTransactionID
    if let id, let known, known != id { return nil }
    if known == nil, product != current.product { return nil }
    let isEnded = try changePlan(of: &open) {
      (account: inout Account) throws(CreditError) in account.endSubscription(through: until)
    }
    return isEnded ? entry : nil
  }

  /// The plan that a transaction pays for: without a quota where the policy no longer has it.
  private func plan(of transaction: Transaction) -> Plan? {
    transaction.paid.map { policy.plan($0.plan) ?? Plan(id: $0.plan, limits: []) }
  }

  /// Records that a transaction is paid further than it was.
  ///
  /// A duration says no end that a repeat could move.
  /// - Returns: nil where the request does not say so.
  func extend(_ request: TopUpRequest, _ entry: TransactionEntry) throws(CreditError)
    -> GateResult?
  {
    var topUp = entry.topUp
    guard request.status == .completed, topUp.transaction.status == .completed,
      var paid = topUp.transaction.paid, let period = request.extendingPeriod,
      period.until > paid.until
    else { return nil }
    var open = try open(request.account, at: request.time)
    if !request.isPaid { try open.account.requireOpen() }
    paid.since = period.since ?? open.account.updatedAt
    paid.until = period.until
    paid.extendedAt = open.account.updatedAt
    topUp.transaction.paid = paid
    topUp.news = request.news ?? topUp.news
    topUp.payment = request.payment ?? topUp.payment
    try subscribe(topUp.transaction, on: &open)
    let result = TopUp(
      transaction: topUp.transaction, creditsAdded: 0, newBalance: open.account.balance)
    try record(.topUpNews(topUp, entry.refund), on: open, original: entry.position)
    return .topUp(result, isReplay: false)
  }

  /// Changes the plan as a subscription does, and has the record of that come before the one that
  /// ends the write.
  /// - Parameter change: returns whether it has changed anything.
  /// - Returns: whether it has.
  @discardableResult
  private func changePlan(
    of open: inout OpenAccount, _ change: (inout Account) throws(CreditError) -> Bool
  ) throws(CreditError) -> Bool {
    let before = open.account.balance
    guard try change(&open.account) else { return false }
    let last = try books.account(open.account.name)?.updatedAt
    _ = open.account.takeUpLimits(under: policy, last: last)
    let (credits, overflow) = open.account.balance.subtractingReportingOverflow(before)
    if overflow { throw .amountOutOfRange("the change would not fit in 64 bits") }
    open.precede(by: .settings(credits: credits))
    return true
  }
}

extension TopUpRequest {
  /// The end that it states as a time.
  fileprivate var extendingPeriod: PaidPeriod? {
    if let period { return period }
    guard case .at(let until) = terms.expiry else { return nil }
    return PaidPeriod(until: until)
  }
}

extension Product {
  /// The refusal of what only packs of credits take.
  func notForSubscription(_ what: String) -> CreditError {
    CreditError(
      .invalidRequest, "product \(quoted(id.text)) is a subscription, which takes no \(what)")
  }
}
