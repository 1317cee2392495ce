package import CreditModel

extension JSONWriter {
  /// Writes a gate's answer as the one object that a tool prints.
  package mutating func result(_ result: GateResult) {
    beginObject()
    if members(of: result) { member("replayed", true) }
    endObject()
  }

  /// - Returns: whether it is a replay.
  private mutating func members(of result: GateResult) -> Bool {
    let isReplay: Bool
    switch result {
    case .crossing(let result, let thresholds):
      isReplay = members(of: result)
      member("crossed", thresholds)
    case .funds(let result, let funds):
      isReplay = members(of: result)
      member("available", funds.available)
      member("payer", funds.payer)
    case .plan(let result, let inForce):
      isReplay = members(of: result)
      if let plan = inForce.plan { member("plan", plan) }
      if let until = inForce.until { member("until", until) }
    case .authorization(let authorization, let balance, let replayed):
      member("authorization", authorization)
      member("balance", balance)
      isReplay = replayed
    case .voided(let authorization, let replayed):
      member("authorization", authorization)
      member("voided", true)
      isReplay = replayed
    case .receipt(let charge, let replayed):
      members(of: charge)
      isReplay = replayed
    case .refundedReceipt(let charge):
      members(of: charge)
      member("refunded", true)
      isReplay = true
    case .topUp(let topUp, let replayed):
      members(of: topUp)
      isReplay = replayed
    case .skipped(let account, let key, let balance):
      member("account", account)
      member("skipped", true)
      member("balance", balance)
      if let key { member("key", key) }
      isReplay = false
    case .transactionRefund(let transaction, let refund, let replayed):
      member("transaction", transaction)
      members(of: refund, price: refund.priceText(in: transaction.currency))
      isReplay = replayed
    case .chargeRefund(let authorization, let key, let refund, let replayed):
      member("authorization", authorization)
      members(of: refund)
      refundedTo(of: refund, authorization.account)
      if let key { member("key", key) }
      isReplay = replayed
    case .transfer(let transfer, let replayed):
      member("transfer", transfer)
      member("fromBalance", transfer.fromBalance)
      member("toBalance", transfer.toBalance)
      isReplay = replayed
    case .account(let view):
      members(of: view)
      isReplay = false
    case .notification(let notification):
      members(of: notification)
      isReplay = false
    case .subscriptionEnd(let topUp):
      members(of: topUp, isEnd: true)
      isReplay = false
    case .event(let event, let reason):
      members(of: event, changedNothing: reason)
      isReplay = false
    case .payments(let event, let results):
      members(of: event, results)
      isReplay = false
    }
    return isReplay
  }

  /// - Parameter isEnd: whether the subscription has ended that it paid for.
  private mutating func members(of topUp: TopUp, isEnd: Bool = false) {
    let transaction = topUp.transaction
    member("transaction", transaction)
    if isEnd { member("ended", true) } else { member("creditsAdded", topUp.creditsAdded) }
    member("newBalance", topUp.newBalance)
    bonuses(topUp.bonuses)
    if isEnd, let paid = transaction.paid { members(of: paid) }
  }

  private mutating func members(of notification: AppStoreNotification) {
    key("notification")
    beginObject()
    member("type", notification.type)
    member("id", notification.id)
    endObject()
    member("changed", false)
  }

  private mutating func members(of event: PaymentEvent, changedNothing reason: String?) {
    member(ofResult: event)
    member("changed", false)
    if let reason { member("reason", reason) }
  }

  private mutating func members(of event: PaymentEvent, _ results: [GateResult]) {
    member(ofResult: event)
    key("results")
    beginArray()
    for result in results { self.result(result) }
    endArray()
  }

  /// Writes what a verified event is about.
  package mutating func verified(_ request: PaymentRequest) {
    beginObject()
    member(ofResult: request.event)
    if let change = request.changes.first(where: { $0.product != nil }) ?? request.changes.first {
      if let account = change.account { member("account", account) }
      if let product = change.product { member("product", product) }
      member("transaction", change.transaction)
    }
    member("verified", true)
    endObject()
  }

  private mutating func member(ofResult event: PaymentEvent) {
    key("event")
    beginObject()
    member("format", event.format.rawValue)
    member("type", event.type)
    member("id", event.id)
    endObject()
  }

  /// Writes a receipt as an object of its own.
  package mutating func receipt(_ receipt: CreditReceipt) {
    beginObject()
    members(of: receipt)
    endObject()
  }

  /// Writes a charge's receipt, and the key by which whoever asked knows it.
  private mutating func members(of charge: Charge) {
    members(of: charge.receipt)
    if let key = charge.key { member("key", key) }
  }

  mutating func members(of receipt: CreditReceipt) {
    member("authorization", receipt.authorization)
    member("model", receipt.model)
    if let usage = receipt.usage { member("usage", usage) }
    member("creditsCharged", receipt.creditsCharged)
    member("newBalance", receipt.newBalance)
    if let details = receipt.details {
      paidBy(details.paidBy, own: receipt.ownCredits, of: receipt.authorization.account)
    }
    member("timestamp", receipt.timestamp)
    if let details = receipt.details { members(of: details, usd: receipt.usd) }
    if receipt.isFallback { member("usageFallback", true) }
    if let remarks = receipt.remarks { members(of: remarks) }
    if let waived = receipt.creditsWaived {
      member("exempt", true)
      member("creditsWaived", waived)
    }
  }

  /// The price in dollars is of interest where the provider takes another amount.
  private mutating func members(of details: ChargeDetails, usd: String?) {
    if let usedAt = details.usedAt { member("usedAt", usedAt) }
    if let tags = details.tags { member("tags", tags) }
    if let reportedUSD = details.reportedUSD { member("reportedUSD", reportedUSD.text) }
    if let usd, let costUSD = details.costUSD {
      member("usd", usd)
      member("costUSD", costUSD)
    }
    if let amendment = details.amendment {
      member("amended", amendment.number)
      member("previousCredits", amendment.previousCredits)
    }
    limitsCrossed(details.limitsCrossed)
  }

  /// Writes who paid a charge, from its account upwards, where others paid, too.
  mutating func paidBy(_ shares: [PaidShare], own credits: Credits, of account: Name) {
    if !shares.contains(where: { $0.credits > 0 }) { return }
    key("paidBy")
    beginArray()
    if credits > 0 { payer(account, credits) }
    for share in shares.byAccount where share.credits > 0 {
      payer(share.account, share.credits, share.newBalance, share.crossed)
    }
    endArray()
  }

  /// Writes to whom a refund of a shared charge went.
  private mutating func refundedTo(of refund: Refund, _ account: Name) {
    if !refund.refundedTo.contains(where: { $0.credits > 0 }) { return }
    key("refundedTo")
    beginArray()
    if refund.ownCredits > 0 { payer(account, refund.ownCredits) }
    for share in refund.refundedTo where share.credits > 0 {
      payer(share.account, share.credits, share.newBalance, share.crossed)
    }
    endArray()
  }

  private mutating func payer(
    _ account: Name, _ credits: Credits, _ newBalance: Credits? = nil, _ crossed: [Credits]? = nil
  ) {
    beginObject()
    // An account that was removed from the books has no name and no balance.
    let isRemoved = account == .nobody
    if !isRemoved { member("account", account) }
    member("credits", credits)
    if let newBalance, !isRemoved { member("newBalance", newBalance) }
    if let crossed { member("crossed", crossed) }
    endObject()
  }

  /// Writes what there is to say of a usage, in results and in records.
  mutating func members(of remarks: UsageRemarks) {
    if remarks.isPartial { member("partial", true) }
    if !remarks.unread.isEmpty { member("unread", remarks.unread) }
    if !remarks.unpriced.isEmpty { member("unpriced", remarks.unpriced) }
  }

  /// - Parameter price: what was paid back of a purchase.
  private mutating func members(of refund: Refund, price: String? = nil) {
    member("creditsRefunded", refund.credits)
    if refund.forfeited > 0 { member("creditsForfeited", refund.forfeited) }
    member("newBalance", refund.newBalance)
    if let price { member("refundedPrice", price) }
  }

  mutating func member(_ key: StaticString, _ authorization: CreditAuthorization) {
    self.key(key)
    beginObject()
    member("id", authorization.id)
    member("account", authorization.account)
    member("timestamp", authorization.timestamp)
    if let hold = authorization.hold {
      member("hold", hold.credits)
      member("expiresAt", hold.expiresAt)
      if !hold.heldBy.isEmpty { held(hold.heldBy.filter { $0.credits > 0 }) }
    }
    if let tags = authorization.tags { member("tags", tags) }
    if let model = authorization.model { member("model", model) }
    endObject()
  }

  /// Writes who holds what of a hold, as results and records have it.
  mutating func held(_ shares: [HeldShare]) {
    key("held")
    list(of: shares)
  }

  mutating func list(of shares: [HeldShare]) {
    beginArray()
    for share in shares {
      beginObject()
      if share.account != .nobody { member("account", share.account) }
      member("credits", share.credits)
      endObject()
    }
    endArray()
  }

  /// Writes which plan is paid, and how far, in results and in the history.
  mutating func members(of paid: PaidPlan) {
    member("plan", paid.plan)
    member("until", paid.until)
  }

  mutating func member(_ key: StaticString, _ transaction: Transaction) {
    self.key(key)
    beginObject()
    member("id", transaction.id)
    member("account", transaction.account)
    member("type", transaction.kind.rawValue)
    member("status", transaction.status.rawValue)
    if let productID = transaction.productID { member("productID", productID) }
    if transaction.quantity != 1 { member("quantity", transaction.quantity) }
    member("credits", transaction.credits)
    if let startsAt = transaction.terms?.startsAt { member("startsAt", startsAt) }
    member("timestamp", transaction.timestamp)
    if let price = transaction.price { member("price", price) }
    if let currency = transaction.currency { member("currency", currency) }
    if let key = transaction.key { member("key", key) }
    if let reason = transaction.reason { member("reason", reason) }
    if let expiresAt = transaction.expiresAt { member("expiresAt", expiresAt) }
    if let terms = transaction.terms { members(of: terms) }
    if let tags = transaction.tags { member("tags", tags) }
    if let original = transaction.originalTransactionID {
      member("originalTransactionID", original)
    }
    endObject()
  }

  /// Writes the terms of a grant but its start and its expiry, in results and in the history.
  mutating func members(of terms: GrantTerms) {
    member("priority", terms.priority)
    if let models = terms.models { member("models", models) }
  }

  mutating func member(_ key: StaticString, _ transfer: Transfer) {
    self.key(key)
    beginObject()
    member("id", transfer.id)
    member("from", transfer.from)
    member("to", transfer.to)
    member("credits", transfer.credits)
    member("timestamp", transfer.timestamp)
    member("key", transfer.key)
    if let reason = transfer.reason { member("reason", reason) }
    endObject()
  }

  mutating func member(_ key: StaticString, _ usage: Usage) {
    self.key(key)
    self.usage(usage)
  }

  /// Writes what was used, as requests and results have it.
  package mutating func usage(_ usage: Usage) {
    beginObject()
    switch usage {
    case .tokens(let tokens):
      member("inputTokens", tokens.inputTokens)
      member("outputTokens", tokens.outputTokens)
      if tokens.cacheReadTokens != 0 { member("cacheReadTokens", tokens.cacheReadTokens) }
      if tokens.cacheWriteTokens != 0 { member("cacheWriteTokens", tokens.cacheWriteTokens) }
      if !tokens.isCommon { rareMembers(of: tokens) }
    case .units(let units):
      member("units", units)
    }
    endObject()
  }

  /// The counts that few usages have, where they are not 0, and the conditions that are not
  /// ordinary.
  private mutating func rareMembers(of tokens: TokenUsage) {
    for place in UsageCount.commonTotal..<UsageCount.total {
      let count = UsageCount(at: place)
      if tokens[count] != 0 { member(count.row.member, tokens[count]) }
    }
    for condition in UsageCondition.allCases {
      if let value = tokens[condition] { member(condition.member, value) }
    }
  }
}
