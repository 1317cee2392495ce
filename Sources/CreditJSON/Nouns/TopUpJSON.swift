internal import CreditModel

// Top-ups and their transactions.
extension MemberVisitor where Self: ~Copyable {
  /// - Parameters:
  ///   - time: of the record; a transaction of another time has its own.
  ///   - isPast: whether another record has made it, so that its balance is a member.
  mutating func topUp(
    _ known: TopUp, of account: Name, at time: Timestamp, isPast: Bool
  ) -> TopUp? {
    let transaction = object("transaction", Transaction?.none, shape: "transaction") { visitor, _ in
      visitor.transaction(known.transaction, of: account, at: time)
    }
    let usual = transaction?.usuallyAdded ?? known.transaction.usuallyAdded
    let creditsAdded = member("creditsAdded", known.creditsAdded, Whole.self, unless: usual)
    let newBalance = isPast ? member("newBalance", known.newBalance, Whole.self) : 0
    let news = object("appStore", known.news, isOptional: true) { visitor, known in
      let date = visitor.optional("signedDate", known?.signedDate, Time.self)
      let ids = visitor.member("notifications", known?.notifications, NotificationIDs.self)
      return ids.map { AppStoreNews(signedDate: date, notifications: $0) }
    }
    let payment = object("payment", known.payment, shape: "payment", isOptional: true) {
      $0.payment($1)
    }
    let bonuses = bonuses(known.bonuses)
    let taken = optional("taken", known.taken.nonEmpty, BucketList.self)
    guard let transaction, let newBalance else { return nil }
    // Only an adjustment that takes from a grant has it.
    require(taken.map { $0.contains { $0.grant != nil } } ?? true)
    return TopUp(
      transaction: transaction, creditsAdded: creditsAdded, newBalance: newBalance, news: news,
      payment: payment, bonuses: bonuses, taken: taken ?? [])
  }

  private mutating func transaction(
    _ known: Transaction, of account: Name, at time: Timestamp
  ) -> Transaction? {
    let id = member("id", known.id, ID.self)
    let kind = member("type", known.kind, Word<Transaction.Kind>.self)
    let status = member("status", known.status, Word<Transaction.Status>.self)
    let product = optional("productID", known.productID, PolicyName.self)
    let quantity = member("quantity", known.quantity, Whole.self, unless: 1)
    let credits = member("credits", known.credits, Whole.self)
    let timestamp = member("timestamp", known.timestamp, Time.self, unless: time)
    let price = optional("price", known.price, DecimalText.self)
    let currency = optional("currency", known.currency, Text.self)
    let key = optional("key", known.key, ID.self)
    let reason = optional("reason", known.reason, Text.self)
    let expiresAt = optional("expiresAt", known.expiresAt, Time.self)
    let terms = object("terms", known.terms, isOptional: true) {
      $0.terms($1, expiresAt: expiresAt)
    }
    let scheduledAt = optional("scheduledAt", known.scheduledAt, Time.self)
    let purchase = optional("purchase", known.purchase, ID.self)
    let paid = object("paid", known.paid, isOptional: true) { $0.paid($1) }
    let tags = optional("tags", known.tags, TagMap.self)
    let original = optional("originalTransactionID", known.originalTransactionID, ID.self)
    let signedText = optional("signedTransactionInfo", known.signedText, Text.self)
    guard let id, let kind, let status, let credits else { return nil }
    require(scheduledAt == nil || terms?.startsAt != nil)
    var transaction = Transaction(
      id: id, account: account, kind: kind, status: status, productID: product,
      quantity: quantity, credits: credits, timestamp: timestamp)
    if let price { transaction.price = price }
    if let currency { transaction.currency = currency }
    if let key { transaction.key = key }
    if let reason { transaction.reason = reason }
    if let expiresAt { transaction.expiresAt = expiresAt }
    if let terms { transaction.terms = terms }
    if let scheduledAt { transaction.scheduledAt = scheduledAt }
    if let purchase { transaction.purchase = purchase }
    if let paid { transaction.paid = paid }
    if let tags { transaction.tags = tags }
    if let original { transaction.originalTransactionID = original }
    if let signedText { transaction.signedText = signedText }
    return transaction
  }

  /// `"terms":{"priority":10,"startsAt":"…","models":["claude-*"],"startsIn":604800000,
  /// "statedPriority":true}`. The request's own terms are distinguished from the product's, as a
  /// repeat is compared by them; a duration that it stated is in milliseconds.
  /// - Parameter expiresAt: of the transaction being read.
  private mutating func terms(_ known: GrantTerms?, expiresAt: Timestamp?) -> GrantTerms? {
    let stated = known?.stated
    let priority = member("priority", known?.priority, Whole.self)
    let startsAt = optional("startsAt", known?.startsAt, Time.self)
    let models = optional("models", known?.models, Models.self)
    let startsIn = optional("startsIn", stated?.start?.span, Span.self)
    let expiresIn = optional("expiresIn", stated?.expiry?.span, Span.self)
    let statesExpiry = flag("statedExpiry", stated?.expiry.map { $0.span == nil })
    let statesPriority = flag("statedPriority", stated.map { $0.priority != nil })
    let isOfProduct = flag(
      "productModels", known.map { $0.models != nil && $0.stated.models == nil })
    guard let priority else { return nil }
    require(Grant.priorities.contains(priority))
    require(startsIn == nil || startsAt != nil)
    require(!statesExpiry || expiresAt != nil && expiresIn == nil)
    require(models != nil || !isOfProduct)
    return GrantTerms(
      priority: priority, startsAt: startsAt, models: models,
      stated: StatedTerms(
        priority: statesPriority ? priority : nil,
        start: startsIn.map { .after($0) } ?? startsAt.map { .at($0) },
        expiry: expiresIn.map { .after($0) } ?? (statesExpiry ? expiresAt.map { .at($0) } : nil),
        models: isOfProduct ? nil : models))
  }

  /// Visits bonuses of promotions with a purchase. Results have these members, too.
  @discardableResult
  mutating func bonuses(_ known: [GrantedBonus]?) -> [GrantedBonus] {
    list("bonuses", known) { visitor, known in
      let id = visitor.member("id", known?.id, ID.self)
      let credits = visitor.member("credits", known?.credits, Whole.self)
      guard let id, let credits else { return nil }
      return GrantedBonus(id: id, credits: credits)
    }
  }

  /// Visits the plan that a transaction pays for.
  private mutating func paid(_ known: PaidPlan?) -> PaidPlan? {
    let plan = member("plan", known?.plan, PolicyName.self)
    let since = member("since", known?.since, Time.self)
    let until = member("until", known?.until, Time.self)
    let grace = grace(known?.grace)
    let isUpgraded = flag("upgraded", known?.isUpgraded)
    let extendedAt = optional("extendedAt", known?.extendedAt, Time.self)
    let endedAt = optional("endedAt", known?.endedAt, Time.self)
    guard let plan, let since, let until else { return nil }
    return PaidPlan(
      plan: plan, since: since, until: until, grace: grace, isUpgraded: isUpgraded,
      extendedAt: extendedAt, endedAt: endedAt)
  }

  // MARK: Refunds

  /// - Parameter topUp: the one that is refunded; its usual price is left out. Nil for a charge.
  mutating func refund(_ known: Refund?, of topUp: TopUp? = nil, isOptional: Bool = false)
    -> Refund?
  {
    object("refund", known, shape: "refund", isOptional: isOptional) {
      $0.refundMembers($1, of: topUp)
    }
  }

  private mutating func refundMembers(_ known: Refund?, of topUp: TopUp?) -> Refund? {
    let paid = topUp.flatMap(PurchasePrice.init)
    let credits = member("credits", known?.credits, Whole.self)
    let number = member("number", known?.number, Whole.self, unless: 1)
    let isFirst = known.map { $0.number == 1 } ?? (number == 1)
    let before = member("before", isFirst ? nil : known?.before, Whole.self, if: !isFirst)
    let forfeitedBefore = member(
      "forfeitedBefore", isFirst ? nil : known?.forfeitedBefore, Whole.self, unless: 0)
    let reversals = member("reversals", known?.reversals, Whole.self, unless: 0)
    let price = optional("price", known?.unusualPrice(paid), ExactNumber.self)
    let priceBefore = optional("priceBefore", known?.unusualPriceBefore(paid), ExactNumber.self)
    let forfeited = member("forfeited", known?.forfeited, Whole.self, unless: 0)
    let shares = optional("shares", known?.shares, Shares.self)
    let isVoid = flag("unused", known?.isVoid)
    let keepsBonuses = flag("bonusesKept", known?.keepsBonuses)
    let refundedTo = paidBackShares("refundedTo", known?.refundedTo)
    let reason = optional("reason", known?.reason, Text.self)
    let balance = member("newBalance", known?.newBalance, Whole.self)
    let timestamp = member("timestamp", known?.timestamp, Time.self)
    guard let credits, let balance, let timestamp else { return nil }
    require(!isFirst || forfeitedBefore == 0)
    require(reversals == 0 || reversals > 0 && topUp != nil)
    var refund = Refund(
      credits: credits, forfeited: forfeited, newBalance: balance, timestamp: timestamp,
      reason: reason)
    refund.number = number
    refund.reversals = reversals
    refund.before = before ?? 0
    refund.shares = shares
    refund.isVoid = isVoid
    refund.keepsBonuses = keepsBonuses
    refund.forfeitedBefore = forfeitedBefore
    refund.refundedTo = refundedTo
    refund.price = price
    refund.priceBefore = priceBefore
    require(price == refund.unusualPrice(paid) && priceBefore == refund.unusualPriceBefore(paid))
    if let paid {
      refund.price = price ?? paid.usual(refund)
      if refund.number > 1 { refund.priceBefore = priceBefore ?? paid.usualBefore(refund) }
    }
    return refund
  }
}

extension Refund {
  /// Returns the amount paid back; nil if usual for credits like these.
  fileprivate func unusualPrice(_ paid: PurchasePrice?) -> ExactDecimal? {
    paid.flatMap { price == $0.usual(self) ? nil : price }
  }

  /// Returns the amount paid back before; nil if usual for credits like those.
  fileprivate func unusualPriceBefore(_ paid: PurchasePrice?) -> ExactDecimal? {
    paid.flatMap { priceBefore == $0.usualBefore(self) ? nil : priceBefore }
  }
}

extension StatedTerms.Moment {
  /// The duration, if it was stated as one.
  fileprivate var span: TimeSpan? { if case .after(let span) = self { span } else { nil } }
}

extension Transaction {
  fileprivate var usuallyAdded: Credits {
    switch status {
    case .completed, .refunded: credits
    case .pending, .failed, .scheduled: 0
    }
  }
}

/// The ids of notifications: any texts, perhaps none.
private enum NotificationIDs: MemberForm {
  static func write(_ value: borrowing [Name], to writer: inout JSONWriter) {
    List<PolicyName>.write(value, to: &writer)
  }
  static func read(_ reader: inout RecordReader) -> [Name]? {
    reader.cursor.expect("[")
    return reader.cursor.skip("]") ? [] : reader.elements { Name(trusted: $0.string()) }
  }
  static var shape: JSONShape { .list(.value(.text)) }
}

// Top-ups and refunds as results have them.
extension ResultVisitor where Self: ~Copyable {
  /// - Parameter isEnd: whether the subscription has ended that it paid for.
  mutating func topUpMembers(_ known: TopUp, isEnd: Bool = false) {
    transactionPart(known.transaction)
    if isEnd {
      member("ended", true, Truth.self)
    } else {
      member("creditsAdded", known.creditsAdded, Whole.self)
    }
    member("newBalance", known.newBalance, Whole.self)
    bonuses(known.bonuses)
  }

  mutating func transactionPart(_ known: Transaction, isRequired: Bool = true) {
    part("transaction", isRequired: isRequired) { $0.transactionMembers(known) }
  }

  private mutating func transactionMembers(_ known: Transaction) {
    member("id", known.id, ID.self)
    member("account", known.account, AccountName.self)
    member("type", known.kind, WordText<Transaction.Kind>.self)
    member("status", known.status, WordText<Transaction.Status>.self)
    optional("productID", known.productID, PolicyName.self)
    optional("quantity", known.quantity == 1 ? nil : known.quantity, Whole.self)
    member("credits", known.credits, Whole.self)
    optional("startsAt", known.terms?.startsAt, Time.self)
    member("timestamp", known.timestamp, Time.self)
    optional("price", known.price, Text.self)
    optional("currency", known.currency, Text.self)
    optional("key", known.key, ID.self)
    optional("reason", known.reason, Text.self)
    optional("expiresAt", known.expiresAt, Time.self)
    grantTerms(known.terms)
    optional("tags", known.tags, TagMap.self)
    optional("originalTransactionID", known.originalTransactionID, ID.self)
  }

  /// Visits the terms of a grant but its start and its expiry. The history has them, too.
  mutating func grantTerms(_ known: GrantTerms?) {
    optional("priority", known?.priority, Whole.self)
    optional("models", known?.models, Models.self)
  }

  /// Visits the paid plan and its end. The history has it, too.
  mutating func paidPlan(_ plan: Name?, until: Timestamp?) {
    optional("plan", plan, PolicyName.self)
    optional("until", until, Time.self)
  }

  mutating func refundResult(_ known: Refund) {
    optional("creditsAdded", known.restored, Whole.self)
    member("creditsRefunded", known.credits, Whole.self)
    optional("creditsForfeited", known.forfeited > 0 ? known.forfeited : nil, Whole.self)
    member("newBalance", known.newBalance, Whole.self)
    optional("reason", known.reason, Text.self)
  }
}

// Readers and schemas begin with these.
extension TopUp {
  static let sample = TopUp(transaction: .sample, creditsAdded: 0, newBalance: 0)
}

extension Transaction {
  static var sample: Transaction {
    Transaction(
      id: .nobody, account: .nobody, kind: .purchase, status: .completed, credits: 0,
      timestamp: .earliest)
  }
}

extension Refund {
  static var sample: Refund { Refund(credits: 0, newBalance: 0, timestamp: .earliest) }
}
