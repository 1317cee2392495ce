extension Ledger {
  /// Grants App Store purchases, takes refunded ones back, and restores reversed refunds, each
  /// once.
  ///
  /// Source: "Refunded: Transaction refunded by Apple" (BokPhoto), Apple's notification types.
  func storeKit(_ request: StoreKitRequest) throws(CreditError) -> GateResult {
    let isSubscription = request.transaction.period != nil
    let entry = try purchase(
      request.transaction.id,
      original: isSubscription ? nil : request.transaction.originalID)
    if let entry, isSubscription != (entry.topUp.transaction.kind == .subscription) {
      throw CreditError.transactionType
    }
    try entry?.check(request.account, as: request.transaction.id)
    if entry == nil, let notification = request.notification, try isUnrelated(notification, request)
    {
      return .notification(notification)
    }
    if let entry, let notification = request.notification,
      let result = entry.repeated(notification)
    {
      return result
    }
    if let entry, !request.isView, entry.topUp.news?.isNewer(than: request.signedDate) ?? false {
      return request.notification.map { .notification($0) } ?? entry.current
    }
    switch request.effect {
    case .grant:
      let result = try topUp(try grant(request, entry))
      if let entry, entry.topUp.transaction.status == .completed,
        let present = try books.transaction(entry.topUp.transaction.id)
      {
        try remember(request, present)
      }
      return result
    case .takeBack(let share): return try takeBack(share, request, entry)
    case .restore(let notification): return try restore(request, notification, entry)
    case .end(let notification): return try end(request, notification, entry)
    }
  }

  /// Whether news of a subscription concerns no account: it was shared in a family or is not in
  /// the catalog.
  /// - Throws: `unknown_product` if it was paid for, unless the catalog has no subscriptions.
  private func isUnrelated(_ notification: AppStoreNotification, _ request: StoreKitRequest)
    throws(CreditError) -> Bool
  {
    guard notification.isOfSubscription || request.transaction.period != nil else { return false }
    if request.transaction.isShared { return true }
    guard let product = try policy.prices.product(request.transaction.productID) else {
      // The App Store repeats refused news: otherwise a paid plan would never come.
      if case .grant = request.effect, try policy.prices.subscription() != nil {
        _ = try policy.product(request.transaction.productID)
      }
      return true
    }
    return product.plan == nil
  }

  /// Returns the purchase of a transaction: by its id or, before that was granted, by its
  /// original's.
  ///
  /// An app shows a restored purchase under another id. An invoice and its payment are likewise.
  /// Source: "Uses original_transaction_id to prevent duplicate credit awards" (Echo).
  func purchase(_ id: Name, original: Name?) throws(CreditError) -> TransactionEntry? {
    let own = try books.transaction(id)
    guard let original, original != id else { return own }
    if let own, own.isGranted { return own }
    let first = try books.transaction(original)
    if let first, first.isGranted { return first }
    return own ?? first
  }

  /// Returns the original id, unless another purchase has it already.
  func originalID(_ original: Name?, _ entry: TransactionEntry?) throws(CreditError) -> Name? {
    guard let original else { return nil }
    guard let holder = try books.transaction(original) else { return original }
    return holder.topUp.transaction.id == entry?.topUp.transaction.id ? original : nil
  }

  private func grant(_ request: StoreKitRequest, _ entry: TransactionEntry?) throws(CreditError)
    -> TopUpRequest
  {
    let transaction = request.transaction
    if entry == nil { _ = try paidPlan(of: transaction, at: .earliest) }
    let topUp = TopUpRequest(
      account: try account(request, entry),
      reference: .transaction(entry?.topUp.transaction.id ?? transaction.id),
      grant: .product(transaction.productID, quantity: transaction.quantity), time: request.time)
    topUp.reason = request.reason
    topUp.tags = request.tags
    topUp.price = transaction.price
    topUp.currency = transaction.currency
    topUp.below = request.below
    topUp.isStrict = request.isStrict
    topUp.isPaid = true
    topUp.originalTransactionID = try originalID(of: transaction, entry)
    topUp.period = transaction.period
    topUp.signedText = transaction.signedText
    if request.notification != nil { topUp.news = news(request, entry) }
    return topUp
  }

  /// Returns the request's account; else the known purchase's account; else the one that the app
  /// named.
  private func account(_ request: StoreKitRequest, _ entry: TransactionEntry?) throws(CreditError)
    -> Name
  {
    if let account = request.account { return account }
    if let entry, !request.isView { return entry.topUp.transaction.account }
    if let account = request.transaction.accountToken { return account }
    if request.transaction.period != nil, let original = request.transaction.originalID,
      let first = try books.transaction(original)
    {
      return first.topUp.transaction.account
    }
    throw .invalidRequest(
      "neither the request nor the transaction's appAccountToken says which account it is for")
  }

  /// Returns the plan of a transaction; nil for a consumable.
  /// - Throws: `unknown_product`; `unverified_transaction` if its product is of the other kind.
  private func paidPlan(of transaction: StoreKitTransaction, at time: Timestamp)
    throws(CreditError) -> PaidPlan?
  {
    let product = try policy.product(transaction.productID)
    guard (product.plan == nil) == (transaction.period == nil) else {
      throw CreditError.transactionType
    }
    guard let period = transaction.period, let plan = product.plan else { return nil }
    return PaidPlan(period, plan: plan, grace: product.gracePeriod, at: time)
  }

  /// Returns the original id that a transaction claims; a subscription's is claimed by none.
  private func originalID(of transaction: StoreKitTransaction, _ entry: TransactionEntry?)
    throws(CreditError) -> Name?
  {
    if transaction.period != nil { return transaction.originalID }
    return try originalID(transaction.originalID, entry)
  }

  private func news(_ request: StoreKitRequest, _ entry: TransactionEntry?) -> AppStoreNews {
    (entry?.topUp.news ?? AppStoreNews())
      .adding(request.notification, signedAt: request.signedDate)
  }

  /// Records the time of a notification that changes nothing: earlier signed news is late from then
  /// on.
  private func remember(_ request: StoreKitRequest, _ entry: TransactionEntry) throws(CreditError) {
    guard request.notification != nil, let date = request.signedDate else { return }
    var topUp = entry.topUp
    if let known = topUp.news?.signedDate, known >= date { return }
    topUp.news = (topUp.news ?? AppStoreNews()).adding(nil, signedAt: date)
    var open = try open(topUp.transaction.account, at: request.time)
    try record(.topUpNews(topUp, entry.refund), on: &open, original: entry.position)
  }

  // MARK: Refunds

  private func takeBack(
    _ share: RevokedShare, _ request: StoreKitRequest, _ entry: TransactionEntry?
  ) throws(CreditError) -> GateResult {
    guard let entry, !entry.topUp.transaction.status.isUnpaid else {
      return try recordRevoked(request, entry)
    }
    let total = share.credits(of: entry.topUp.refundable)
    // A larger share later takes the difference.
    if let last = entry.lastRefund, total <= last.requested {
      try remember(request, entry)
      return entry.current
    }
    return try takeBack(
      total, of: entry, price: share.price, reason: request.reason,
      news: news(request, entry), at: request.time)
  }

  /// Records a refund of an ungranted purchase, so that a late grant gives nothing.
  private func recordRevoked(_ request: StoreKitRequest, _ entry: TransactionEntry?)
    throws(CreditError) -> GateResult
  {
    let bought = request.transaction
    var open = try open(try account(request, entry), at: request.time)
    let paid =
      entry == nil
      ? try paidPlan(of: bought, at: open.account.updatedAt) : entry?.topUp.transaction.paid
    var transaction = Transaction(
      id: entry?.topUp.transaction.id ?? bought.id, account: open.account.name,
      kind: paid == nil ? .purchase : .subscription,
      status: .refunded,
      productID: bought.productID, quantity: bought.quantity, credits: 0,
      timestamp: open.account.updatedAt)
    transaction.key = entry?.topUp.transaction.key
    transaction.price = bought.price
    transaction.currency = bought.currency
    transaction.reason = request.reason
    transaction.tags = request.tags
    transaction.originalTransactionID = try originalID(of: bought, entry)
    transaction.paid = paid
    transaction.signedText = bought.signedText
    if let entry { transaction.inheritMissingFields(from: entry.topUp.transaction) }
    try revoke(transaction, on: &open)
    var topUp = TopUp(transaction: transaction, creditsAdded: 0, newBalance: open.account.balance)
    topUp.news = news(request, entry)
    try record(.topUp(topUp), on: &open, original: entry?.position)
    try recordEnds(in: transaction.account, at: request.time)
    return .transactionRefund(transaction, Refund(ofNothing: topUp), isReplay: false)
  }

  // MARK: Ends of subscriptions

  private func end(
    _ request: StoreKitRequest, _ notification: AppStoreNotification, _ entry: TransactionEntry?
  ) throws(CreditError) -> GateResult {
    guard let entry, let paid = entry.topUp.transaction.paid else {
      return .notification(notification)
    }
    let bought = entry.topUp.transaction
    guard let product = bought.productID else { return .notification(notification) }
    var open = try open(bought.account, at: request.time)
    let (isNews, ended) = try end(
      SubscriptionEnd(
        product: product, id: bought.originalTransactionID,
        until: request.transaction.period?.until ?? paid.until,
        at: request.signedDate ?? open.account.updatedAt),
      since: open.account.subscriptions, on: &open)
    guard isNews else {
      try remember(request, entry)
      return .notification(notification)
    }
    let told = ended ?? entry
    var topUp = told.topUp
    let result = TopUp(
      transaction: topUp.transaction, creditsAdded: 0, newBalance: open.account.balance)
    let known = topUp.news?.signedDate ?? .earliest
    // Another transaction may have later news, or this one was signed at the same time.
    if request.signedDate.map({ $0 > known }) ?? false { topUp.news = news(request, told) }
    topUp.transaction.end(on: open.account)
    if topUp == told.topUp {
      try recordPreceding(&open)
    } else {
      try record(.topUpNews(topUp, told.refund), on: &open, original: told.position)
    }
    try recordEnds(in: bought.account, at: request.time)
    return ended == nil ? .notification(notification) : .subscriptionEnd(result)
  }

  // MARK: Reversed refunds

  private func restore(
    _ request: StoreKitRequest, _ notification: AppStoreNotification, _ entry: TransactionEntry?
  ) throws(CreditError) -> GateResult {
    if let entry, entry.topUp.transaction.status == .completed {
      try remember(request, entry)
      return .notification(notification)
    }
    guard let entry, let refund = entry.refund else {
      // It was refunded before it was requested, or that refund is still to come and will be late:
      // it is valid now, and grants.
      let topUp = try grant(request, entry)
      topUp.reversesRefund = true
      return try self.topUp(topUp)
    }
    var topUp = entry.topUp
    topUp.news = news(request, entry)
    return try restore(topUp, refund, of: entry, reason: request.reason, at: request.time)
  }

  /// Gives back everything that refunds have taken of a purchase.
  /// - Parameters:
  ///   - topUp: the purchase with the news.
  ///   - refund: its last refund.
  ///   - isWhole: false if a part is taken again at once, as earlier refunds remain.
  func restore(
    _ topUp: TopUp, _ refund: Refund, of entry: TransactionEntry, isWhole: Bool = true,
    reason: String?, at time: Timestamp?
  ) throws(CreditError) -> GateResult {
    var topUp = topUp
    var open = try open(topUp.transaction.account, at: time)
    if isWhole { try restoreBonuses(of: topUp, after: refund, reason: reason, on: &open) }
    try subscribe(topUp.transaction, saidBy: topUp.payment?.event, on: &open)
    let lapsed = open.account.lapsed(since: refund, of: topUp.transaction)
    let reversal = try open.account.reverse(refund, of: topUp, lapsed: lapsed, reason: reason)
    topUp.transaction.status = .completed
    try record(.topUpRefund(topUp, reversal), on: &open, original: entry.position)
    try recordEnds(in: topUp.transaction.account, at: time)
    return .topUp(TopUp(restoring: topUp, by: reversal), isReplay: false)
  }
}

extension Account {
  /// Returns the credits that a reversal does not give back: the grant has expired since refunds
  /// took them from its own bucket, which pays first. Those taken from others come back.
  func lapsed(since last: Refund, of transaction: Transaction) -> Credits {
    guard let expiresAt = transaction.expiresAt, expiresAt <= updatedAt else { return 0 }
    let own = last.shares?.first { $0.grant?.id == transaction.id }?.credits ?? 0
    return own <= 0 ? 0 : max(0, min(own &+ last.before, last.total))
  }
}

extension TransactionEntry {
  /// Refuses a request for another account.
  /// - Parameter id: its id in the request.
  func check(_ account: Name?, as id: Name) throws(CreditError) {
    guard let account, account != topUp.transaction.account else { return }
    throw CreditError(
      .idempotencyConflict,
      "transaction \(quoted(id.text)) belongs to another account; nothing was changed",
      [.hint("; if that is wrong, \(topUp.transaction.undo) undoes it there")])
  }

  /// Whether it has ever added its credits.
  var isGranted: Bool {
    switch topUp.transaction.status {
    case .completed, .scheduled: true
    case .refunded: refund != nil
    case .pending, .failed: false
    }
  }

  /// The answer to a repeated notification: its first result if nothing has happened since; nil for
  /// a new notification.
  fileprivate func repeated(_ notification: AppStoreNotification) -> GateResult? {
    guard let known = topUp.news?.notifications, known.contains(notification.id) else { return nil }
    let isOfEnd = ["EXPIRED", "GRACE_PERIOD_EXPIRED"].contains(notification.type)
    let isLast = known.last == notification.id && !isOfEnd
    return isLast ? current : .notification(notification)
  }

  /// The result that made the purchase's current state, again.
  fileprivate var current: GateResult {
    if topUp.transaction.status == .refunded {
      return .transactionRefund(
        topUp.transaction, refund ?? Refund(ofNothing: topUp), isReplay: true)
    }
    guard let refund else { return .topUp(topUp, isReplay: true) }
    return .topUp(TopUp(restoring: topUp, by: refund), isReplay: true)
  }
}

extension StoreKitRequest {
  /// True for a client's view of a purchase, which is not news.
  fileprivate var isView: Bool { if case .grant = effect { notification == nil } else { false } }
}

extension Refund {
  /// The refund of a purchase that granted nothing.
  init(ofNothing topUp: TopUp) {
    self.init(
      credits: 0, newBalance: topUp.newBalance, timestamp: topUp.transaction.timestamp,
      reason: topUp.transaction.reason)
  }
}

extension TopUp {
  /// A purchase whose refund was reversed: it adds the credits that came back.
  fileprivate init(restoring topUp: TopUp, by reversal: Refund) {
    self.init(
      transaction: topUp.transaction, creditsAdded: 0 - reversal.credits,
      newBalance: reversal.newBalance)
  }
}
