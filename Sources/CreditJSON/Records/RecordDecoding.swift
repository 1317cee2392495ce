package import CreditModel

/// A journal record as read back.
package struct JournalRecord {
  package let record: LedgerRecord
  /// Where the account's record before it stands.
  package let previous: RecordPosition?
}

/// Reads a record that `openRecord` wrote.
///
/// A line's checksum has been verified before, so a value that doesn't fit means a journal written by
/// something else; it is refused as a whole, never guessed at.
package struct RecordDecoder {
  private let record: JSONValue

  /// - Returns: nil where the value is not a record.
  package static func decode(_ value: JSONValue) -> JournalRecord? {
    RecordDecoder(record: value).decode()
  }

  private func decode() -> JournalRecord? {
    guard let account = account(), let name = record.string("event"),
      let event = event(named: name, account: account)
    else { return nil }
    let original = record.int64("original").map(RecordPosition.init)
    return JournalRecord(
      record: LedgerRecord(event: event, account: account, original: original),
      previous: record.int64("previous").map(RecordPosition.init))
  }

  private func event(named name: String, account: Account) -> LedgerEvent? {
    switch name {
    case "registration": record.int64("credits").map { .registration(starter: $0) }
    case "settings": record.int64("credits").map { .settings(credits: $0) }
    case "refill": record.int64("credits").map { .refill(credits: $0) }
    case "expiry": expiry()
    case "authorization": authorization(of: account).map { .authorization($0) }
    case "void": authorization(of: account).map { .void($0) }
    case "charge": charge(of: account, isPast: false).map { .charge($0) }
    case "charge-refund": chargeRefund(of: account)
    case "top-up": topUp(of: account).map { .topUp($0) }
    case "top-up-refund": topUpRefund(of: account)
    case "top-up-news": topUp(of: account).map { .topUpNews($0, refund()) }
    default: nil
    }
  }

  private func expiry() -> LedgerEvent? {
    guard let kind = record.string("bucket").flatMap(Bucket.Kind.init(rawValue:)),
      let credits = record.int64("credits")
    else { return nil }
    return .expiry(kind, credits: credits)
  }

  private func authorization(of account: Account) -> CreditAuthorization? {
    guard let value = record.member("authorization"), let id = value.name("id") else {
      return nil
    }
    var authorization = CreditAuthorization(
      id: id, account: account.name,
      timestamp: value.timestamp("timestamp") ?? account.updatedAt)
    if let credits = value.int64("hold") {
      guard let expiresAt = value.timestamp("expiresAt") else { return nil }
      authorization.hold = CreditAuthorization.Hold(credits: credits, expiresAt: expiresAt)
    }
    return authorization
  }

  private func charge(of account: Account, isPast: Bool) -> Charge? {
    guard let authorization = authorization(of: account), let model = record.name("model"),
      let credits = record.int64("creditsCharged"),
      let taken = taken(credits, of: account, isPast: isPast)
    else { return nil }
    let receipt = CreditReceipt(
      authorization: authorization, model: model,
      usage: record.member("usage").flatMap(Self.usage), creditsCharged: credits,
      newBalance: record.int64("newBalance") ?? account.balance,
      timestamp: record.timestamp("timestamp") ?? account.updatedAt,
      creditsWaived: record.int64("creditsWaived"),
      isFallback: record.member("usageFallback") != nil)
    return Charge(
      receipt: receipt, key: record.name("key"), taken: taken,
      unreadUsage: record.string("unreadUsage"))
  }

  private func taken(_ credits: Credits, of account: Account, isPast: Bool) -> [Bucket]? {
    if let taken = record.member("taken") { return buckets(taken) }
    return isPast ? nil : account.takenFromFirst(credits)
  }

  private static func usage(_ value: JSONValue) -> Usage? {
    if let units = value.int64("units") { return .units(units) }
    guard let input = value.int64("inputTokens"), let output = value.int64("outputTokens") else {
      return nil
    }
    var tokens = TokenUsage(inputTokens: input, outputTokens: output)
    for count in UsageCount.allCases { tokens[count] = value.int64(count.row.member) ?? 0 }
    for condition in UsageCondition.allCases {
      tokens[condition] = value.string(condition.member)
    }
    return .tokens(tokens)
  }

  private func chargeRefund(of account: Account) -> LedgerEvent? {
    guard let charge = charge(of: account, isPast: true), let refund = refund() else { return nil }
    return .chargeRefund(charge, refund)
  }

  private func topUpRefund(of account: Account) -> LedgerEvent? {
    guard let topUp = topUp(of: account), let refund = refund() else { return nil }
    return .topUpRefund(topUp, refund)
  }

  private func refund() -> Refund? {
    guard let value = record.member("refund"), let credits = value.int64("credits"),
      let newBalance = value.int64("newBalance"), let timestamp = value.timestamp("timestamp")
    else { return nil }
    return Refund(
      credits: credits, forfeited: value.int64("forfeited") ?? 0, newBalance: newBalance,
      timestamp: timestamp, reason: value.string("reason"))
  }

  private func topUp(of account: Account) -> TopUp? {
    guard let value = record.member("transaction"), let added = record.int64("creditsAdded"),
      let id = value.name("id"),
      let kind = value.string("type").flatMap(Transaction.Kind.init(rawValue:)),
      let status = value.string("status").flatMap(Transaction.Status.init(rawValue:)),
      let credits = value.int64("credits"), let timestamp = value.timestamp("timestamp")
    else { return nil }
    var transaction = Transaction(
      id: id, account: account.name, kind: kind, status: status,
      productID: value.name("productID"), quantity: value.int64("quantity") ?? 1,
      credits: credits, timestamp: timestamp)
    transaction.price = value.string("price")
    transaction.currency = value.string("currency")
    transaction.key = value.name("key")
    transaction.reason = value.string("reason")
    transaction.expiresAt = value.timestamp("expiresAt")
    var topUp = TopUp(
      transaction: transaction, creditsAdded: added,
      newBalance: record.int64("newBalance") ?? account.balance)
    topUp.news = record.member("appStore").map(Self.news)
    return topUp
  }

  private static func news(_ value: JSONValue) -> AppStoreNews {
    AppStoreNews(
      signedDate: value.timestamp("signedDate"),
      notifications: value.elements("notifications").compactMap {
        $0.string.map(Name.init(trusted:))
      })
  }

  private func account() -> Account? {
    guard let name = record.name("account"), let updatedAt = record.timestamp("at"),
      let state = record.member("state"), let registeredAt = state.timestamp("registeredAt"),
      let buckets = buckets(state.member("buckets"))
    else { return nil }
    var account = Account(name: name, registeredAt: registeredAt)
    account.updatedAt = updatedAt
    account.isExempt = state.member("exempt") != nil
    account.buckets = buckets
    if let value = state.member("quota") {
      guard let quota = quota(value) else { return nil }
      account.quota = quota
    }
    for hold in state.elements("holds") {
      guard let credits = hold.int64("credits"), let expiresAt = hold.timestamp("expiresAt")
      else { return nil }
      account.holds.append(HoldSum(credits: credits, expiresAt: expiresAt))
    }
    for time in state.elements("recentTopUps") {
      guard let time = time.timestamp() else { return nil }
      account.recentTopUps.append(time)
    }
    return account
  }

  private func quota(_ value: JSONValue) -> Quota? {
    guard let plan = value.name("plan"), let limit = value.int64("limit"),
      let used = value.int64("used"), let resetsAt = value.timestamp("resetsAt"),
      let period = value.member("period").flatMap(QuotaPeriod.init(json:))
    else { return nil }
    return Quota(plan: plan, period: period, limit: limit, used: used, resetsAt: resetsAt)
  }

  private func buckets(_ list: JSONValue?) -> [Bucket]? {
    guard let list, list.kind == .array else { return nil }
    var buckets: [Bucket] = []
    for value in list.elements {
      guard let kind = value.string("kind").flatMap(Bucket.Kind.init(rawValue:)),
        let credits = value.int64("credits")
      else { return nil }
      buckets.append(
        Bucket(kind: kind, credits: credits, expiresAt: value.timestamp("expiresAt")))
    }
    return buckets
  }
}

extension QuotaPeriod {
  /// How many days a period may have.
  static let dayLimits: ClosedRange<Int64> = 1...36_500

  /// Reads `"day"`, `"month"` or `{"days":N}`; nil for anything else.
  init?(json value: JSONValue) {
    switch value.string {
    case "day": self = .day
    case "month": self = .month
    case nil:
      guard let count = value.int64("days"), Self.dayLimits.contains(count) else { return nil }
      self = .days(count)
    default: return nil
    }
  }
}
