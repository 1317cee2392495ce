extension Ledger {
  /// Refunds a purchase or a charge, each once.
  func refund(_ request: RefundRequest) throws(CreditError) -> GateResult {
    switch request.reference {
    case .transaction(let id):
      return try refundTransaction(id, request)
    case .authorization(let id):
      guard let entry = try books.authorization(id) else { throw Self.unknownAuthorization(id) }
      return try refundCharge(entry, request)
    case .key(let key, let account):
      guard let entry = try books.directCharge(account: account, key: key) else {
        throw try noCharge(of: key, account)
      }
      return try refundCharge(entry, request)
    }
  }

  private func noCharge(of key: Name, _ account: Name) throws(CreditError) -> CreditError {
    var message = "nothing was charged to account \(quoted(account.text)) with the key "
    message += quoted(key.text)
    if let topUp = try books.topUp(account: account, key: key)?.topUp.transaction {
      message += ": it is the key of the top-up \(quoted(topUp.id.text)), and a purchase is "
      message += "refunded with \(shellFlag("transaction", topUp.id.text))"
      return CreditError(.unknownAuthorization, message, [.account(account)])
    } else if try books.account(account) == nil {
      message += ", as that account is not registered"
      return CreditError(
        .unknownAuthorization, message, [.account(account), .unknown(.account(account))])
    }
    return CreditError(
      .unknownAuthorization, message,
      [.account(account), .unknown(.chargeKey(account: account, key))])
  }

  private func refundTransaction(_ id: Name, _ request: RefundRequest) throws(CreditError)
    -> GateResult
  {
    guard var entry = try books.transaction(id) else {
      throw CreditError(
        .unknownTransaction, "no transaction \(quoted(id.text)) in the store",
        [.unknown(.transaction(id))])
    }
    if entry.topUp.transaction.status == .scheduled {
      entry = try open(entry.topUp.transaction.account, at: request.time).started(entry)
    }
    let topUp = entry.topUp
    try entry.check(request.account, as: id)
    if topUp.transaction.credits < 0 {
      throw CreditError(
        .invalidRequest, "a negative adjustment cannot be refunded",
        [.hint("; \(topUp.transaction.undo) gives its credits back")])
    }
    if topUp.transaction.status.isUnpaid {
      throw CreditError(
        .transactionNotCompleted, of: topUp.transaction,
        "is \(topUp.transaction.status.rawValue); only a completed one can be refunded")
    }
    let last = entry.lastRefund
    let total = request.isUnused ? nil : request.credits ?? topUp.refundable
    if let total {
      if topUp.transaction.status == .scheduled, total < topUp.refundable {
        throw CreditError(
          .invalidRequest, of: topUp.transaction,
          "has not started; until then it is refunded as a whole")
      }
      if total > topUp.refundable {
        throw CreditError(
          .invalidRequest, of: topUp.transaction,
          "has granted \(topUp.refundable) credits, and no more can be refunded"
        ).with(.left(topUp.refundable, after: last, by: topUp.transaction.undo))
      }
      if let last, total < last.requested {
        let both = last.requested.addingSaturating(total)
        let advice = both <= topUp.refundable ? "; a total of \(both) refunds more" : ""
        throw CreditError(
          .idempotencyConflict,
          "\(last.requested) credits of transaction \(quoted(id.text)) have been refunded already, "
            + "not \(total)\(advice)",
          [.account(topUp.transaction.account), .transaction(topUp.transaction)])
      }
    } else if topUp.transaction.terms == nil {
      throw CreditError(
        .invalidRequest, of: topUp.transaction,
        "has no terms: its credits are mixed with others, so what is left of it is unknown; "
          + "credit-report --by grant estimates it, and --credits N takes back N of them")
    }
    if let last, last.requested == total ?? topUp.refundable || total == nil && last.isVoid {
      try checkSame(request.price, as: last, of: topUp)
      note(entry.crossed)
      return .transactionRefund(topUp.transaction, last, isReplay: true)
    }
    return try takeBack(
      total, of: entry, price: request.price.map(PaidBack.stated) ?? .usual,
      reason: request.reason, at: request.time)
  }

  /// Checks that a repeat with an amount paid back has the refund's amount.
  private func checkSame(_ price: ExactDecimal?, as refund: Refund, of topUp: TopUp)
    throws(CreditError)
  {
    guard let price, price != refund.price else { return }
    let id = quoted(topUp.transaction.id.text)
    let first = refund.priceText(in: topUp.transaction.currency)
    throw CreditError(
      .idempotencyConflict,
      "the refund of transaction \(id) has been recorded "
        + (first.map { "with a price of \($0)" } ?? "without a price") + ", not \(price.text)",
      [.account(topUp.transaction.account), .transaction(topUp.transaction)])
  }

  /// Takes credits of a purchase back until a total is reached.
  /// - Parameters:
  ///   - total: nil for the rest of a grant, to which no credits return then.
  ///   - price: the amount paid back for them.
  ///   - news: the App Store's news of the purchase, if any.
  ///   - payment: a payment provider's news, likewise.
  ///   - unused: see ``Refund/unused``.
  ///   - undone: the last refund, if all refunds were just restored and a part is taken again.
  func takeBack(
    _ total: Credits?, of entry: TransactionEntry, price: PaidBack, reason: String?,
    news: AppStoreNews? = nil, payment: PaymentNews? = nil, unused: Credits = 0,
    undone: Refund? = nil, at time: Timestamp?
  ) throws(CreditError) -> GateResult {
    var open = try open(entry.topUp.transaction.account, at: time)
    let entry = open.started(entry)
    var topUp = entry.topUp
    try takeBackBonuses(of: topUp, reason: reason, on: &open)
    try revoke(topUp.transaction, on: &open)
    let expired = try expired(of: topUp.transaction, open.account, open.preceding)
    let purchased = max(0, open.account.buckets.undated.purchased)
    var refund = try open.account.refund(
      entry, upTo: total, expired: expired,
      forfeiting: undone?.forfeited(upTo: total ?? 0, lapsed: entry.refund?.forfeited ?? 0),
      reason: reason)
    let isPlainBonus = topUp.transaction.isPlainBonus
    let taken = isPlainBonus ? purchased - max(0, open.account.buckets.undated.purchased) : 0
    refund.keepsBonuses = undone != nil && !topUp.bonuses.isEmpty
    refund.price = try price.amount(of: refund, topUp)
    topUp.transaction.status = .refunded
    if let news { topUp.news = news }
    if let payment { topUp.payment = payment }
    try record(.topUpRefund(topUp, refund), on: &open, original: entry.position)
    if undone != nil { refund.restored = entry.refund.map { 0 &- $0.credits &- refund.credits } }
    (refund.unused, refund.purchased) = (unused, taken)
    let currency = topUp.transaction.currency
    if let refunded = payment?.refundedAmount, let currency, refunded > payment?.paid ?? .max {
      let digits = Currency.minorDigits(of: currency)
      refund.stated = ExactDecimal(coefficient: Int128(refunded), scale: digits)
    }
    refund.disputedIn = payment?.disputeCurrency(otherThan: currency)
    return .transactionRefund(topUp.transaction, refund, isReplay: false)
  }

  /// Returns the credits of a grant that have expired, by the records of its account.
  private func expired(of grant: Transaction, _ account: Account, _ turns: [LedgerRecord])
    throws(CreditError) -> Credits
  {
    guard grant.terms != nil, let time = grant.expiresAt, time <= account.updatedAt else {
      return 0
    }
    if let expired = turns.lazy.compactMap({ $0.expired(of: grant.id) }).first { return expired }
    return try books.expired(of: grant.id, in: account.name, at: time)
  }

  func startingTopUp(_ id: Name) throws(CreditError) -> TransactionEntry? {
    try books.transaction(id)
  }

  /// Returns the recorded top-up of a grant, to which credits are to go back.
  func purchase(_ id: Name) throws(CreditError) -> GrantPurchase? {
    try books.transaction(id)?.purchase
  }

  private func refundCharge(_ entry: AuthorizationEntry, _ request: RefundRequest)
    throws(CreditError) -> GateResult
  {
    try checkAccount(request.account, of: entry)
    let charge: Charge
    var last: Refund?
    switch entry.state {
    case .refunded(let first, let refund): (charge, last) = (first, refund)
    case .open, .voided: throw CreditError(notCharged: entry.authorization)
    case .charged(let first): charge = first
    }
    let total = request.credits ?? charge.receipt.creditsCharged
    if total > charge.receipt.creditsCharged {
      throw CreditError(
        .invalidRequest,
        "the charge was of \(charge.receipt.creditsCharged) credits, and no more can be refunded",
        [
          .account(entry.authorization.account), .receipt(charge),
          .left(
            charge.receipt.creditsCharged, after: last, by: "credit-refund \(charge.reference)"),
        ])
    }
    if let last, total <= last.requested {
      guard total == last.requested else {
        let both = last.requested.addingSaturating(total)
        throw CreditError(
          .idempotencyConflict,
          "\(last.requested) credits of the charge have been refunded already, not \(total)"
            + (both <= charge.receipt.creditsCharged ? "; a total of \(both) refunds more" : ""),
          [.account(entry.authorization.account), .receipt(charge)])
      }
      note(entry.crossed)
      return .chargeRefund(entry.authorization, key: charge.key, last, isReplay: true)
    }
    var chain = try openChain(
      of: entry, paidBy: charge.receipt.paidBy, at: request.time, climbs: false)
    let refund = try chain.refund(
      charge, upTo: total, after: last, reason: request.reason, purchase)
    try record(
      .chargeRefund(charge, refund), on: &chain.own, with: chain.above, original: entry.position)
    return .chargeRefund(entry.authorization, key: charge.key, refund, isReplay: false)
  }
}

/// The command that gives credits back for an event, or takes them back.
public func adjustment(of account: Name, _ id: Name, _ credits: Int128) -> String {
  "credit-topup \(shellFlag("account", account.text)) "
    + "\(shellFlag("key", Name.back(of: id).text)) --type adjustment --credits \(credits)"
    + (credits < 0 ? " --reason undo" : "")
}

extension Transaction {
  /// The command that takes its credits back, or gives back those that it took.
  public var undo: String {
    credits < 0
      ? adjustment(of: account, key ?? id, -Int128(credits))
      : "credit-refund \(shellFlag("transaction", id.text))"
  }
}

extension CreditError.Detail {
  fileprivate static func left(_ all: Credits, after last: Refund?, by undo: String) -> Self {
    let left = all - (last?.requested ?? 0)
    return .hint(left > 0 ? "; \(undo) refunds the \(left) that are left" : "; none are left")
  }
}

extension CreditError {
  /// Reports an authorization without a charge, when a charge is needed.
  public init(notCharged authorization: CreditAuthorization) {
    self.init(
      .authorizationNotCharged,
      "authorization \(quoted(authorization.id.text)) has not been charged",
      [.account(authorization.account), .authorization(authorization)])
  }

  /// - Parameter problem: follows the recorded transaction in the sentence.
  init(_ code: Code, of transaction: Transaction, _ problem: String) {
    self.init(
      code, "transaction \(quoted(transaction.id.text)) \(problem)",
      [.account(transaction.account), .transaction(transaction)])
  }
}

extension Account {
  /// Takes credits of a top-up back until a total is reached.
  ///
  /// Expired credits are only counted, before all used ones. These are taken from others, or as
  /// debt. Credits that a reversal gave back come before expired ones.
  /// - Parameters:
  ///   - total: nil for the rest of a grant.
  ///   - expired: the credits of the grant that have expired.
  ///   - forfeiting: the part of them to count; nil for the usual one.
  /// - Throws: `amount_out_of_range`.
  mutating func refund(
    _ entry: TransactionEntry, upTo total: Credits?, expired: Credits = 0,
    forfeiting: Credits? = nil, reason: String?
  ) throws(CreditError) -> Refund {
    let topUp = entry.topUp
    let last = entry.lastRefund
    let shares: BucketShares
    var forfeited: Credits = 0
    if let total {
      let due = total - (last?.requested ?? 0)
      let wasReversed = entry.refund.map { $0.reversals > 0 || last == nil } ?? false
      forfeited =
        wasReversed
        ? due - min(due, max(0, topUp.refundable - expired - (last?.total ?? 0)))
        : min(due, max(0, expired - (last?.forfeitedTotal ?? 0)))
      forfeited = min(due, forfeiting ?? forfeited)
      shares = try takeBack(due - forfeited, of: topUp)
    } else {
      shares = try takeBackRest(of: topUp)
    }
    var refund = Refund(
      credits: shares.total, forfeited: forfeited, newBalance: balance, timestamp: updatedAt,
      reason: reason)
    refund.shares = topUp.transaction.terms != nil || shares.haveGrants ? shares : nil
    refund.isVoid = total == nil || last?.isVoid ?? false
    refund.follow(entry)
    return refund
  }

  /// Gives back all that refunds have taken of a top-up: to its grant while that lasts.
  /// - Parameter lapsed: the part that has expired since the last of them.
  /// - Throws: `amount_out_of_range`, `limit_exceeded`.
  mutating func reverse(
    _ last: Refund, of topUp: TopUp, lapsed: Credits = 0, reason: String?
  ) throws(CreditError) -> Refund {
    let transaction = topUp.transaction
    var bucket = Bucket.plainPurchased
    if transaction.terms != nil, transaction.expiresAt.map({ $0 > updatedAt }) ?? true {
      bucket = buckets.bucket(of: transaction.id) ?? transaction.bucket(number: recordCount + 1)
    }
    try deposit(last.total - lapsed, to: bucket)
    return Refund(reversing: last, of: topUp, lapsed: lapsed, on: self, reason: reason)
  }

  /// Takes back credits of a top-up. A grant pays from its own bucket first, a plain top-up from
  /// purchased credits. Then other credits for all models pay in the order of use, then debt. For a
  /// grant that has not started, its own scheduled credits are removed and no others.
  /// - Throws: `amount_out_of_range`.
  mutating func takeBack(_ credits: Credits, of topUp: TopUp) throws(CreditError) -> BucketShares {
    guard topUp.transaction.terms != nil else { return try burnPurchasedFirst(credits) }
    let id = topUp.transaction.id
    if let place = scheduled.firstIndex(where: { $0.bucket.grant?.id == id }) {
      return [scheduled.remove(at: place).bucket]
    }
    return try burn(credits, first: buckets.bucket(of: id) ?? .plainPurchased)
  }

  mutating func takeBackRest(of topUp: TopUp) throws(CreditError) -> BucketShares {
    let id = topUp.transaction.id
    let isScheduled = scheduled.contains { $0.bucket.grant?.id == id }
    guard let left = isScheduled ? topUp.transaction.credits : buckets.bucket(of: id)?.credits
    else { return [] }
    return try takeBack(left, of: topUp)
  }
}

extension TransactionEntry {
  /// The state that matters if credits return to its grant.
  public var purchase: GrantPurchase {
    GrantPurchase(
      rest: topUp.creditsAdded - (lastRefund?.requested ?? 0), isVoided: lastRefund?.isVoid ?? false
    )
  }

  var lastRefund: Refund? {
    topUp.transaction.status == .refunded ? refund ?? Refund(ofNothing: topUp) : nil
  }
}

extension Refund {
  /// The reason of one that takes a part again, as other refunds are undone.
  public static let remainder = "the earlier refunds remain"

  /// All credits taken of the purchase, without those that had expired; 0 after a reversal.
  public var total: Credits { before &+ credits }

  /// All credits that refunds of the purchase did not take, as they had expired.
  var forfeitedTotal: Credits { forfeitedBefore &+ forfeited }

  /// Returns the forfeited credits of a smaller total: as its refunds had them, and those that have
  /// expired since.
  /// - Parameter lapsed: the credits of all refunds that have expired since.
  fileprivate func forfeited(upTo total: Credits, lapsed: Credits) -> Credits {
    let earlier = before &+ forfeitedBefore
    let known =
      total < earlier
      ? min(total, forfeitedBefore) : forfeitedBefore &+ min(total - earlier, forfeited)
    return known + min(total - known, lapsed)
  }

  var isFirst: Bool { number == 1 || before == 0 && priceBefore ?? .zero == .zero }

  /// Continues the counts of the purchase's refunds and reversals.
  mutating func follow(_ entry: TransactionEntry) {
    let isReversed = entry.topUp.transaction.status == .completed
    guard let last = isReversed ? entry.refund : entry.lastRefund else { return }
    number = last.number &+ 1
    reversals = last.reversals &+ (isReversed ? 1 : 0)
    if isReversed {
      // No refund is in effect any more.
      priceBefore = PurchasePrice(entry.topUp).map { _ in .zero }
    } else {
      before = last.total
      forfeitedBefore = last.forfeitedTotal
      priceBefore = last.priceTotal
    }
  }

  /// The reversal of a purchase's refunds.
  /// - Parameter last: the last of them.
  fileprivate init(
    reversing last: Refund, of topUp: TopUp, lapsed: Credits, on account: Account, reason: String?
  ) {
    self.init(
      credits: lapsed - last.total, forfeited: lapsed, newBalance: account.balance,
      timestamp: account.updatedAt, reason: reason)
    number = last.number
    reversals = last.reversals
    if number > 1 { priceBefore = PurchasePrice(topUp).map { _ in .zero } }
    price = last.priceTotal
  }
}
