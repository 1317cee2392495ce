package import CreditModel

extension JSONWriter {
  /// Writes a journal record up to where its checksum goes: an object without its closing brace.
  ///
  /// A record says when, what and whose; the account's state after it; and where the account's
  /// record before it stands. What the record says anyway is not said twice: times, balances, and which
  /// bucket paid where that is what is the account's first one now.
  /// - Parameters:
  ///   - previous: the position of the account's record before this one.
  ///   - saysTaken: whether a charge says which buckets paid in any case, as once all did.
  package mutating func openRecord(
    _ record: LedgerRecord, previous: RecordPosition?, saysTaken: Bool = false
  ) {
    beginObject()
    member("at", record.account.updatedAt)
    key("event")
    plain(Self.eventName(record.event))
    member("account", record.account.name)
    event(record.event, in: record.account, saysTaken: saysTaken)
    state(record.account)
    if let original = record.original { member("original", original.value) }
    if let previous { member("previous", previous.value) }
  }

  private static func eventName(_ event: LedgerEvent) -> StaticString {
    switch event {
    case .registration: "registration"
    case .settings: "settings"
    case .authorization: "authorization"
    case .void: "void"
    case .charge: "charge"
    case .chargeRefund: "charge-refund"
    case .topUp: "top-up"
    case .topUpRefund: "top-up-refund"
    case .topUpNews: "top-up-news"
    case .expiry: "expiry"
    case .refill: "refill"
    }
  }

  private mutating func event(_ event: LedgerEvent, in account: Account, saysTaken: Bool) {
    switch event {
    case .registration(let credits), .settings(let credits), .refill(let credits):
      member("credits", credits)
    case .expiry(let kind, let credits):
      key("bucket")
      plain(kind.plainName)
      member("credits", credits)
    case .authorization(let authorization), .void(let authorization):
      self.authorization(authorization, at: account.updatedAt)
    case .charge(let charge):
      self.charge(charge, in: account, isPast: false, saysTaken: saysTaken)
    case .chargeRefund(let charge, let refund):
      self.charge(charge, in: account, isPast: true, saysTaken: true)
      self.refund(refund)
    case .topUp(let topUp):
      self.topUp(topUp, isPast: false)
    case .topUpRefund(let topUp, let refund):
      self.topUp(topUp, isPast: true)
      self.refund(refund)
    case .topUpNews(let topUp, let refund):
      self.topUp(topUp, isPast: true)
      if let refund { self.refund(refund) }
    }
  }

  private mutating func authorization(_ authorization: CreditAuthorization, at time: Timestamp) {
    key("authorization")
    beginObject()
    member("id", authorization.id)
    if authorization.timestamp != time { member("timestamp", authorization.timestamp) }
    if let hold = authorization.hold {
      member("hold", hold.credits)
      member("expiresAt", hold.expiresAt)
    }
    endObject()
  }

  private mutating func charge(
    _ charge: Charge, in account: Account, isPast: Bool, saysTaken: Bool
  ) {
    let receipt = charge.receipt
    authorization(receipt.authorization, at: account.updatedAt)
    if let key = charge.key { member("key", key) }
    member("model", receipt.model)
    if let usage = receipt.usage { member("usage", usage) }
    if let unread = charge.unreadUsage { member("unreadUsage", unread) }
    member("creditsCharged", receipt.creditsCharged)
    if let waived = receipt.creditsWaived { member("creditsWaived", waived) }
    if receipt.isFallback { member("usageFallback", true) }
    if isPast {
      member("newBalance", receipt.newBalance)
      member("timestamp", receipt.timestamp)
    }
    if saysTaken || !account.wasTakenFromFirst(charge.taken, receipt.creditsCharged) {
      key("taken")
      beginArray()
      for bucket in charge.taken { self.bucket(bucket) }
      endArray()
    }
  }

  private mutating func topUp(_ topUp: TopUp, isPast: Bool) {
    member("transaction", topUp.transaction)
    member("creditsAdded", topUp.creditsAdded)
    if isPast { member("newBalance", topUp.newBalance) }
    if let news = topUp.news { self.news(news) }
  }

  private mutating func news(_ news: AppStoreNews) {
    key("appStore")
    beginObject()
    if let date = news.signedDate { member("signedDate", date) }
    key("notifications")
    beginArray()
    for id in news.notifications { string(id.text) }
    endArray()
    endObject()
  }

  private mutating func refund(_ refund: Refund) {
    key("refund")
    beginObject()
    member("credits", refund.credits)
    if refund.forfeited != 0 { member("forfeited", refund.forfeited) }
    if let reason = refund.reason { member("reason", reason) }
    member("newBalance", refund.newBalance)
    member("timestamp", refund.timestamp)
    endObject()
  }

  private mutating func state(_ account: Account) {
    key("state")
    beginObject()
    member("registeredAt", account.registeredAt)
    if account.isExempt { member("exempt", true) }
    member("balance", account.balance)
    key("buckets")
    beginArray()
    for bucket in account.buckets { self.bucket(bucket) }
    endArray()
    if let quota = account.quota { self.quota(quota) }
    if !account.holds.isEmpty { holds(account.holds) }
    if !account.recentTopUps.isEmpty {
      key("recentTopUps")
      beginArray()
      for time in account.recentTopUps { timestamp(time) }
      endArray()
    }
    endObject()
  }

  private mutating func quota(_ quota: Quota) {
    key("quota")
    beginObject()
    member("plan", quota.plan)
    key("period")
    period(quota.period)
    member("limit", quota.limit)
    member("used", quota.used)
    member("resetsAt", quota.resetsAt)
    endObject()
  }

  private mutating func period(_ period: QuotaPeriod) {
    switch period {
    case .day: string("day")
    case .month: string("month")
    case .days(let count):
      beginObject()
      member("days", count)
      endObject()
    }
  }

  private mutating func holds(_ holds: [HoldSum]) {
    key("holds")
    beginArray()
    for hold in holds {
      beginObject()
      member("credits", hold.credits)
      member("expiresAt", hold.expiresAt)
      endObject()
    }
    endArray()
  }
}
