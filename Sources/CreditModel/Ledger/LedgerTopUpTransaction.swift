// How a top-up is recorded.
extension Ledger {
  /// Returns the transaction to record, after the earlier record of it, if any.
  func transaction(
    _ grant: TopUpRequest.Grant, of request: TopUpRequest, _ entry: TransactionEntry?,
    of account: Account
  ) throws(CreditError) -> Transaction {
    let id: Name
    let key: Name?
    switch (entry?.topUp.transaction, request.reference) {
    case (let first?, _):
      // The key stays even if the id finishes what the key began, so that neither grants again.
      (id, key) = (first.id, first.key)
    case (nil, .transaction(let name)): (id, key) = (name, nil)
    case (nil, .key(let name)): (id, key) = (try newID(for: account), name)
    }
    let time = account.updatedAt
    var transaction = Transaction(
      id: id, account: request.account, kind: request.kind, status: request.status,
      credits: try credits(grant, of: request, entry), timestamp: time)
    if case .product(let product, let quantity) = grant {
      transaction.productID = product
      transaction.quantity = quantity
    }
    transaction.key = key
    transaction.reason = request.reason
    transaction.tags = request.tags
    transaction.price = request.price
    transaction.currency = request.currency
    let product = try product(grant, entry)
    let isSubscription = try takePaidPlan(of: request, entry, product, into: &transaction)
    let stated = isSubscription ? StatedTerms() : request.terms
    let grants = request.kind != .adjustment && (!isSubscription || transaction.credits > 0)
    try transaction.takeTerms(stated, filledFrom: grants ? product?.terms : nil, at: time)
    transaction.originalTransactionID = request.originalTransactionID
    transaction.signedText = request.signedText
    if let entry {
      transaction.inheritMissingFields(from: entry.topUp.transaction)
    } else if let product {
      try transaction.takePrice(of: product, quantity: transaction.quantity)
    }
    // A payment is never refused for a member that its provider leaves out.
    if request.price != nil, transaction.currency == nil, !request.isPaid {
      throw CreditError(.invalidRequest, "a price needs a currency, such as USD")
    }
    try transaction.begin(at: time, isStated: !stated.isEmpty)
    if entry != nil, transaction.status == .scheduled { transaction.scheduledAt = time }
    return transaction
  }

  /// Returns the credits to grant. A pending or failed purchase grants the credits it was recorded
  /// with, even if the product has changed since.
  private func credits(
    _ grant: TopUpRequest.Grant, of request: TopUpRequest, _ entry: TransactionEntry?
  ) throws(CreditError) -> Credits {
    if let first = entry?.topUp.transaction, first.status != .refunded { return first.credits }
    if let credits = request.prorated { return credits }
    return try credits(grant)
  }

  func credits(_ grant: TopUpRequest.Grant) throws(CreditError) -> Credits {
    switch grant {
    case .credits(let credits): return credits
    // The credits missing to the target were requested in its place.
    case .target: return 0
    case .product(let id, let quantity):
      let (credits, overflow) = try policy.product(id).credits
        .multipliedReportingOverflow(by: quantity)
      guard !overflow, credits <= Credits.largestGrant else {
        throw .amountOutOfRange("the purchase would be more than 2^53 credits")
      }
      return credits
    }
  }

  /// Returns the product of an unrecorded purchase. Its price and terms replace those missing in
  /// the request.
  private func product(_ grant: TopUpRequest.Grant, _ entry: TransactionEntry?)
    throws(CreditError) -> Product?
  {
    // One that was refunded before it was granted gets the product's current credits.
    guard entry.map({ $0.topUp.transaction.status == .refunded }) ?? true,
      case .product(let id, _) = grant
    else { return nil }
    return try policy.product(id)
  }
}

extension Transaction {
  /// Makes it a grant, if there are terms.
  /// - Parameters:
  ///   - stated: the request's terms.
  ///   - others: the terms for those missing in the request.
  ///   - time: the time of its record.
  /// - Throws: `invalid_request`.
  fileprivate mutating func takeTerms(
    _ stated: StatedTerms, filledFrom others: StatedTerms?, at time: Timestamp
  ) throws(CreditError) {
    let terms = others.map(stated.filled) ?? stated
    if terms.isEmpty { return }
    var startsAt: Timestamp?
    if let start = terms.start {
      guard let wait = time.adding(Grant.longestWait), let begin = start.time(from: time),
        begin <= wait
      else { throw CreditError(.invalidRequest, "a grant starts at most 5 years ahead") }
      startsAt = begin
    }
    if let expiry = terms.expiry {
      expiresAt = expiry.time(from: startsAt ?? time)
      if expiresAt == nil {
        throw CreditError(.invalidRequest, "the grant would expire after the year 9999")
      }
    }
    self.terms = GrantTerms(
      priority: terms.priority ?? Grant.usualPriority, startsAt: startsAt, models: terms.models,
      stated: stated)
  }

  /// Makes a completed grant wait for its start, and refuses one that would have expired.
  /// - Parameter isStated: true if the terms are the request's, not an earlier record's.
  fileprivate mutating func begin(at time: Timestamp, isStated: Bool) throws(CreditError) {
    if let expiresAt, expiresAt <= time, isStated || status == .completed {
      throw .invalidRequest("the grant would have expired already, at \(expiresAt.text)")
    }
    if let expiresAt, let startsAt = terms?.startsAt, expiresAt <= startsAt {
      throw CreditError(.invalidRequest, "the grant would expire before it starts")
    }
    if status == .completed, let startsAt = terms?.startsAt, startsAt > time { status = .scheduled }
  }

  /// Sets the product's own price for a purchase without an amount paid.
  fileprivate mutating func takePrice(of product: Product, quantity: Int64) throws(CreditError) {
    guard kind.isSold, currency == nil || currency == product.currency else { return }
    if price == nil, let single = product.price {
      guard let sum = single.times(quantity) else {
        throw .amountOutOfRange("the price would have more than 38 digits")
      }
      price = sum.text(atLeast: product.pricePlaces)
    }
    if price != nil { currency = product.currency }
  }

  /// Fills missing fields from the purchase's earlier record. The reason for a failure is dropped
  /// when the purchase succeeds; the reason for waiting is kept.
  mutating func inheritMissingFields(from earlier: Transaction) {
    price = price ?? earlier.price
    currency = currency ?? earlier.currency
    if let known = earlier.terms { terms = terms?.filled(from: known) ?? known }
    expiresAt = expiresAt ?? earlier.expiry(recordedAgainAt: timestamp)
    paid = paid ?? earlier.paid
    tags = tags ?? earlier.tags
    originalTransactionID = originalTransactionID ?? earlier.originalTransactionID
    signedText = signedText ?? earlier.signedText
    if earlier.status == .pending, status == .completed { reason = reason ?? earlier.reason }
  }

  /// Returns the expiry of a pending grant that is recorded again. A duration counts from then, or
  /// from the start that was recorded.
  private func expiry(recordedAgainAt time: Timestamp) -> Timestamp? {
    guard let expiresAt, let terms, terms.startsAt == nil else { return expiresAt }
    if case .at = terms.stated.expiry { return expiresAt }
    return time.adding(TimeSpan(milliseconds: expiresAt.milliseconds - timestamp.milliseconds))
  }
}

// Grants by promotions of the catalog with a purchase.
extension Ledger {
  /// Grants the bonuses of a completed purchase. Their records precede the purchase's, so that its
  /// balance is the final one of the write.
  /// - Parameter isPaid: see ``Account/take(_:isPaid:)``.
  /// - Returns: the bonuses granted.
  /// - Throws: `amount_out_of_range`, `limit_exceeded`, `invalid_request`.
  func grantBonuses(
    of purchase: Transaction, isPaid: Bool, on open: inout OpenAccount
  ) throws(CreditError) -> [GrantedBonus] {
    guard purchase.kind.isSold, purchase.status == .completed,
      let product = try purchase.productID.flatMap(policy.prices.product)
    else { return [] }
    var granted: [GrantedBonus] = []
    let time = open.account.updatedAt
    let bonuses = product.bonuses.filter { $0.isGranted(at: time) }
    let asksForFirst = bonuses.contains(where: \.isForFirst)
    // A purchase counts that was refunded since, or made before there were promotions.
    let hasBought = open.account.hasBought || open.preceding.contains(where: \.isOfPurchase)
    let isFirst = asksForFirst && !hasBought ? try !books.hasPurchase(open.account.name) : false
    for bonus in bonuses where isFirst || !bonus.isForFirst {
      let credits = try bonus.credits(of: purchase)
      let text = "\(purchase.id.text):\(bonus.id.text)"
      if credits == 0 { continue }
      if let problem = Name.problem(with: text, limit: Name.idLimit) {
        throw CreditError(.invalidRequest, "the id of the bonus \(quoted(text)) \(problem)")
      }
      let id = Name(trusted: text)
      // An earlier owner of the id keeps it.
      if try books.transaction(id) != nil { continue }
      var transaction = Transaction(
        id: id, account: purchase.account, kind: .bonus, status: .completed, credits: credits,
        timestamp: time)
      transaction.purchase = purchase.id
      try transaction.takeTerms(StatedTerms(), filledFrom: bonus.terms, at: time)
      // It always has terms, so that its rest is known.
      if transaction.terms == nil { transaction.terms = GrantTerms(stated: StatedTerms()) }
      let added = try open.account.take(transaction, isPaid: isPaid).added
      open.precede(
        by: .topUp(
          TopUp(transaction: transaction, creditsAdded: added, newBalance: open.account.balance)))
      granted.append(GrantedBonus(id: id, credits: credits))
    }
    // The purchase itself has it: the next one need not search.
    if asksForFirst { open.account.hasBought = true }
    return granted
  }

  func takeBackBonuses(of purchase: TopUp, reason: String?, on open: inout OpenAccount)
    throws(CreditError)
  {
    for bonus in purchase.bonuses {
      guard let found = try books.transaction(bonus.id) else { continue }
      let entry = open.started(found)
      guard entry.topUp.transaction.status == .completed else { continue }
      let refund = try open.account.refund(entry, upTo: nil, reason: reason)
      var topUp = entry.topUp
      topUp.transaction.status = .refunded
      open.precede(by: .topUpRefund(topUp, refund), original: entry.position)
    }
  }

  /// Restores bonuses that were taken back with their purchase.
  ///
  /// Leaves out those that were voided by hand before the first refund, or would have expired
  /// meanwhile.
  /// - Parameter last: the purchase's last refund.
  func restoreBonuses(
    of purchase: TopUp, after last: Refund, reason: String?, on open: inout OpenAccount
  ) throws(CreditError) {
    for bonus in purchase.bonuses {
      guard let entry = try books.transaction(bonus.id), let refund = entry.lastRefund,
        refund.isVoid,
        !last.isFirst || last.keepsBonuses || refund.timestamp == last.timestamp,
        refund.total == 0
          || entry.topUp.transaction.expiresAt.map({ $0 > open.account.updatedAt }) ?? true
      else { continue }
      var topUp = entry.topUp
      let reversal = try open.account.reverse(refund, of: topUp, reason: reason)
      topUp.transaction.status = .completed
      open.precede(by: .topUpRefund(topUp, reversal), original: entry.position)
    }
  }
}

extension OpenAccount {
  /// Adds a record of an event before the final one of the write.
  mutating func precede(by event: LedgerEvent, original: RecordPosition? = nil) {
    account.count(event, isFirst: original == nil)
    preceding.append(LedgerRecord(event: event, account: account, original: original))
  }
}
