// The effect of a subscription's top-up on its account's plan.
extension Ledger {
  /// Makes a transaction one of a subscription, if its product is one.
  /// - Returns: true if it is.
  /// - Throws: `invalid_request` if its end is missing, or it has terms that no subscription may
  ///   have; `invalid_policy` if the product's plan is missing.
  func takePaidPlan(
    of request: TopUpRequest, _ entry: TransactionEntry?, _ product: Product?,
    into transaction: inout Transaction
  ) throws(CreditError) -> Bool {
    let first = entry?.topUp.transaction
    guard product?.plan != nil || first?.kind == .subscription else {
      guard request.kind == .subscription else { return false }
      throw CreditError(.invalidRequest, "the type subscription needs a product that has a plan")
    }
    var product = product
    if product == nil, first?.paid == nil, let id = transaction.productID {
      product = try policy.product(id)
    }
    if let product { try checkSubscription(request, to: product) }
    transaction.kind = .subscription
    let time = transaction.timestamp
    var paid = first?.paidPlan(recordedAgainAt: time)
    var period = request.period
    if period == nil, let expiry = request.terms.expiry {
      guard let until = expiry.time(from: time) else {
        throw CreditError(.invalidRequest, "the subscription would never end")
      }
      period = PaidPeriod(until: until)
    }
    if let period, let plan = product?.plan ?? paid?.plan {
      let grace = product?.gracePeriod ?? paid?.grace ?? TimeSpan(milliseconds: 0)
      paid = PaidPlan(period, plan: plan, grace: grace, at: time)
    }
    if paid == nil, request.status == .completed {
      let id = quoted(transaction.productID?.text ?? "")
      guard product?.plan != nil else {
        throw CreditError(
          .invalidPolicy, "product \(id) was sold as a subscription, but no longer has a plan")
      }
      guard request.payment == nil else {
        throw .invalidRequest(
          "product \(id) is a subscription, but the event has no end of the paid period")
      }
      throw .invalidRequest(
        "product \(id) is a subscription: give --expires-at TIME, or expiresAt, until when it is "
          + "paid")
    }
    transaction.paid = paid
    return true
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

  /// Adds a transaction that pays for a plan, in a record before its own.
  /// - Parameter event: the payment provider's event of it.
  func subscribe(
    _ transaction: Transaction, saidBy event: PaymentEvent?, on open: inout OpenAccount
  ) throws(CreditError) {
    guard var new = Subscription(transaction) else { return }
    if let event { new.since = try start(of: new, saidBy: event, open.account.subscriptions) }
    try take(open.account.subscriptions(with: new), on: &open)
  }

  /// Returns the start of a payment that an event reported: a moment before that of another product
  /// with a later event, which then replaces it, whichever comes first.
  private func start(of new: Subscription, saidBy event: PaymentEvent, _ known: Subscriptions)
    throws(CreditError) -> Timestamp
  {
    let start = known.start(of: new, saidAt: event.at)
    for other in known.paid
    where start == new.since && other.since == start && other.product != new.product {
      guard let entry = try books.transaction(other.transaction),
        let first = try books.record(at: entry.position)?.event.topUp.topUp?.payment?.event,
        (first.at, other.until, other.transaction) > (event.at, new.until, new.transaction)
      else { continue }
      return Timestamp(milliseconds: start.milliseconds - 1)
    }
    return start
  }

  /// Removes a refunded transaction from the payments.
  func revoke(_ transaction: Transaction, on open: inout OpenAccount) throws(CreditError) {
    guard let refunded = Subscription(transaction) else { return }
    try take(open.account.subscriptions(without: refunded), on: &open)
  }

  /// Ends payments that a provider reports as over, before the news.
  /// - Parameter known: the subscriptions before this news.
  /// - Returns: true if that changes anything, and the transaction that had set the account's plan;
  ///   nil if that plan continues.
  func end(_ end: SubscriptionEnd, since known: Subscriptions, on open: inout OpenAccount)
    throws(CreditError) -> (isNews: Bool, ended: TransactionEntry?)
  {
    try take(open.account.subscriptions(endedBy: end), on: &open)
    let next = open.account.subscriptions
    var ended: TransactionEntry?
    if let active = known.active, next.active?.transaction != active.transaction {
      ended = try books.transaction(active.transaction)
    }
    return (next != known, ended)
  }

  /// Records that payments have ended early which are over, or replaced by others.
  /// - Parameter note: adds the news of the end.
  func recordEnds(
    in account: Name, at time: Timestamp?, _ note: (inout TopUp) -> Void = { _ in }
  ) throws(CreditError) {
    for payment in try books.account(account)?.subscriptions.paid ?? []
    where payment.state != .refunded {
      guard let entry = try books.transaction(payment.transaction) else { continue }
      var open = try open(account, at: time)
      var topUp = entry.topUp
      topUp.transaction.end(on: open.account)
      guard topUp != entry.topUp else { continue }
      note(&topUp)
      try record(.topUpNews(topUp, entry.refund), on: &open, original: entry.position)
    }
  }

  /// Records that a transaction is paid further than before. A repeat with a duration extends
  /// nothing. What an event has taken back is extended, too, in case that is reversed.
  /// - Returns: nil if the request does not extend it.
  /// - Throws: `idempotency_conflict` if a price by hand differs from the transaction's, which has
  ///   only one.
  func extend(_ request: TopUpRequest, _ entry: TransactionEntry) throws(CreditError)
    -> GateResult?
  {
    var topUp = entry.topUp
    let isTaken = topUp.transaction.status == .refunded
    var period = request.period
    if case .at(let until) = request.terms.expiry { period = period ?? PaidPeriod(until: until) }
    guard request.status == .completed,
      isTaken
        ? request.payment != nil && !entry.isEndedByHand
        : topUp.transaction.status == .completed,
      var paid = topUp.transaction.paid, let period, period.until > paid.until
    else { return nil }
    var open = try open(request.account, at: request.time)
    if !request.isPaid {
      try open.account.requireOpen()
      let known = topUp.transaction
      if let price = request.price,
        price != known.price || request.currency ?? known.currency != known.currency
      {
        let currency = request.currency ?? known.currency ?? ""
        throw CreditError(
          .idempotencyConflict, of: known,
          "was paid at \(known.price ?? "no price"), not \(price) \(currency); a second "
            + "payment needs an id of its own")
      }
    }
    paid.since = period.since ?? open.account.updatedAt
    paid.until = period.until
    paid.extendedAt = open.account.updatedAt
    paid.endedAt = nil
    topUp.transaction.paid = paid
    topUp.news = request.news ?? topUp.news
    topUp.payment = request.payment ?? topUp.payment
    if isTaken {
      try revoke(topUp.transaction, on: &open)
    } else {
      try subscribe(topUp.transaction, saidBy: topUp.payment?.event, on: &open)
      topUp.transaction.end(on: open.account)
    }
    let result = TopUp(
      transaction: topUp.transaction, creditsAdded: 0, newBalance: open.account.balance)
    try record(.topUpNews(topUp, entry.refund), on: &open, original: entry.position)
    try recordEnds(in: request.account, at: request.time)
    return .topUp(result, isReplay: false)
  }

  /// Adds the current plan to the result of a payment for a plan, or of its refund or end.
  func addingPlan(_ result: GateResult, at time: Timestamp?) throws(CreditError) -> GateResult {
    let paid: Transaction
    switch result {
    case .topUp(let topUp, _) where topUp.transaction.paid != nil, .subscriptionEnd(let topUp):
      paid = topUp.transaction
    case .transactionRefund(let refunded, _, _) where refunded.paid != nil: paid = refunded
    case .payments(let event, let results):
      return .payments(
        event, try results.map { (part) throws(CreditError) in try addingPlan(part, at: time) })
    default: return result
    }
    let open = try open(paid.account, at: time)
    var inForce = PlanInForce(of: open.account)
    let known = open.account.subscriptions
    if case .topUp(let topUp, let isReplay) = result {
      let isPaid = PurchasePrice(topUp).map { !$0.amount.isZero } ?? false
      let isAlone = topUp.payment != nil && topUp.creditsAdded == 0 && !isReplay
      let isLate = paid.status == .completed && !(known[paid.id]?.isPaid ?? false)
      // The plan may go on by a later payment of the same subscription.
      let goesOn = known.active.map { next in
        next.id == paid.originalTransactionID && next.plan == paid.paid?.plan
          && paid.paid.map { $0.since <= next.since && next.since <= $0.until } ?? false
      }
      if isPaid && isAlone && isLate && goesOn != true { inForce.lost = paid }
    } else if inForce.plan == nil,
      // One of another subscription or plan, which this one had replaced.
      let other = known.paid.last(where: {
        $0.isPaid && $0.until > open.account.updatedAt
          && ($0.id == nil || $0.id != paid.originalTransactionID || $0.product != paid.productID)
      }), let lost = try books.transaction(other.transaction)?.topUp,
      // App stores pay the rest of the old plan back when it is changed.
      other.id == nil || other.id != paid.originalTransactionID
        || paid.status == .refunded && lost.payment?.event.format == .stripe
    {
      inForce.lost = lost.transaction
    }
    return .plan(result, inForce)
  }

  /// Sets the account's plan to the one now paid for, in a record before the last. A plan that the
  /// policy no longer has comes without a quota.
  func take(_ next: Subscriptions, on open: inout OpenAccount) throws(CreditError) {
    if next == open.account.subscriptions { return }
    if let active = next.active, active.until > open.account.updatedAt {
      try open.account.turnHeldQuota(under: policy, into: &open.preceding)
    }
    let plan = next.active.map { policy.plan($0.plan) ?? Plan(id: $0.plan, limits: []) }
    // A quota by the paid period ends if another period begins.
    if plan?.period == .subscription, open.account.quota?.period == .subscription,
      let old = open.account.subscriptions.active, next.active?.renews(old) ?? false,
      let expiry = open.account.expireQuota()
    {
      open.precede(by: expiry)
    }
    let before = open.account.balance
    try open.account.take(next, plan, by: policy.clock)
    // A plan set by hand before may be the same one, with a quota.
    if open.account.quota != nil, open.account.isPlanRemoved(from: policy) {
      open.account.dropQuota()
    }
    let last = try books.account(open.account.name)?.updatedAt
    _ = try open.account.adoptLimits(under: policy, last: last)
    open.precede(by: try open.account.settings(since: before))
  }
}

// A subscription of Stripe's has one account for its life.
extension Ledger {
  /// Returns the account that a change is for: that of its subscription, if it is known.
  func account(of change: PaymentChange, in event: PaymentEvent) throws(CreditError) -> Name? {
    // Of the other formats only the event says it.
    guard change.account == nil || event.format == .stripe,
      let owner = try owner(of: change.subscription)
    else { return change.account }
    // A purchase that is known stays with its account.
    let isOfInvoice = change.isPurchase || change.isUnused
    let entry = isOfInvoice ? try books.transaction(change.transaction) : nil
    return entry?.topUp.transaction.account ?? owner
  }

  /// Returns the account of a subscription: that of a transaction with its id, of its session, or
  /// of its first invoice.
  func owner(of subscription: Name?) throws(CreditError) -> Name? {
    guard let subscription else { return nil }
    if let entry = try books.transaction(subscription) { return entry.topUp.transaction.account }
    guard let news = try news(of: subscription) else { return nil }
    if let account = news.account { return account }
    // An invoice's account may have been removed.
    for invoice in news.parts where try !isRemoved(invoice) {
      if let entry = try books.transaction(invoice) { return entry.topUp.transaction.account }
    }
    return nil
  }

  /// Keeps the account that a session names for its subscription.
  func setOwner(_ change: PaymentChange, _ request: PaymentRequest) throws(CreditError) {
    let id = change.transaction
    guard let owner = try owner(of: id) else {
      var news = try news(of: id) ?? PaymentNews(request.event)
      news.account = change.account
      return try record(news, of: id, request)
    }
    if owner == change.account { return }
    throw CreditError(
      .idempotencyConflict,
      "subscription \(quoted(id.text)) belongs to another account by earlier events; nothing was "
        + "changed")
  }

  /// Keeps the first invoice of a subscription: later ones, and the end, are for its account. If
  /// they have credits it keeps each, of which time may be left unused.
  func link(_ invoice: PaymentChange, as id: Name, _ request: PaymentRequest) throws(CreditError) {
    let product = try invoice.product.flatMap(policy.prices.product)
    guard request.event.format == .stripe, let subscription = invoice.subscription else { return }
    let hasCredits = product?.plan != nil && product?.credits ?? 0 > 0
    if !hasCredits, try owner(of: subscription) != nil { return }
    try keep(id, of: subscription, request)
  }

  func keep(_ part: Name, of subscription: Name?, _ request: PaymentRequest) throws(CreditError) {
    guard let subscription, try books.transaction(subscription) == nil else { return }
    var news = try news(of: subscription) ?? PaymentNews(request.event)
    if news.parts.contains(part) { return }
    news.parts = (news.parts + [part]).sorted()
    try record(news, of: subscription, request)
  }

  /// Keeps the end of one of our subscriptions without an account: its payments find it.
  func endAhead(_ change: PaymentChange, _ offer: Product?, _ request: PaymentRequest)
    throws(CreditError) -> GateResult
  {
    // Of other formats an id may be that of the first payment.
    let isKept = request.event.format == .stripe && (offer != nil || change.product == nil)
    let known = try news(of: change.transaction)
    if isKept, known?.isOver != true {
      var news = known ?? PaymentNews(request.event)
      news.event = request.event
      try record(news, of: change.transaction, request)
    }
    return .event(request.event, reason: PaymentRequest.noAccount, isRecorded: isKept)
  }

  /// Applies to a payment the news of its subscription that came before it: its end, and the
  /// credits of its time that changes of plans took back.
  /// - Parameter transaction: the payment's own id.
  func applyAhead(
    _ news: inout PaymentNews, of purchase: PaymentChange, as transaction: Name,
    _ request: PaymentRequest
  ) throws(CreditError) {
    guard let id = purchase.subscription, let kept = try self.news(of: id) else { return }
    if kept.isOver {
      var end = PaymentChange(transaction: id, .ended)
      (end.account, end.product, end.subscription) = (purchase.account, purchase.product, id)
      (end.period, end.endsAllProducts) = (purchase.period, true)
      var past = PaymentRequest(kept.event, [end])
      past.time = request.time
      _ = try self.end(end, past)
    }
    guard let period = purchase.period, let since = period.since else { return }
    for part in kept.parts where try !isRemoved(part) {
      guard let entry = try books.transaction(part), entry.isUnusedTime,
        var known = entry.topUp.payment, known.parts.isEmpty,
        since <= known.event.at, known.event.at < period.until,
        entry.topUp.transaction.reason == Self.unusedTime(of: purchase.product)
      else { continue }
      news.parts = Set(news.parts).union([part]).sorted()
      // It is taken back when this payment is granted.
      if entry.topUp.transaction.status == .pending { continue }
      known.parts = [transaction]
      try note(known, of: entry, request)
    }
  }
}

extension Transaction {
  /// Notes the early end of its paid time, if the account's payment is over or replaced.
  mutating func end(on account: Account) {
    let known = account.subscriptions
    guard let paid, paid.until > account.updatedAt, paid.endedAt == nil,
      known[id]?.state == .over || known.isReplaced(id)
    else { return }
    self.paid?.endedAt = account.updatedAt
  }

  /// Returns the plan that it pays for. A pending plan begins when its payment goes through, unless
  /// its provider has stated the time.
  fileprivate func paidPlan(recordedAgainAt time: Timestamp) -> PaidPlan? {
    guard var paid, paid.since == timestamp, timestamp < time else { return paid }
    (paid.since, paid.extendedAt) = (time, time)
    return paid
  }
}

extension Product {
  /// The refusal of a member that only packs of credits may have.
  func notForSubscription(_ what: String) -> CreditError {
    CreditError(
      .invalidRequest, "product \(quoted(id.text)) is a subscription, which takes no \(what)")
  }
}
