internal import CreditModel

// The state of an account, as records say it.
extension JSONWriter {
  /// Plain credits are members by their kinds; those with terms are in a list of their own, in
  /// the order of use: `dated`, or `grants` where there is one among them. The balance is the sum
  /// of them, with what remains of the quota.
  mutating func state(_ account: Account) {
    key("state")
    beginObject()
    member("records", account.recordCount)
    member("transactions", account.transactionCount)
    member("registeredAt", account.registeredAt)
    if account.isExempt { member("exempt", true) }
    if account.isClosed { member("closed", true) }
    buckets(account.buckets)
    if account.hasRareState { rareState(account) }
    endObject()
  }

  /// What few accounts have.
  private mutating func rareState(_ account: Account) {
    if !account.scheduled.isEmpty { scheduled(account.scheduled) }
    if let quota = account.quota { self.quota(quota) }
    let subscriptions = account.subscriptions
    if !subscriptions.isEmpty { self.subscriptions(subscriptions) }
    if !account.holds.isEmpty {
      key("holds")
      holdList(account.holds)
    }
    if !account.recentTopUps.isEmpty {
      key("recentTopUps")
      beginArray()
      for topUp in account.recentTopUps { recentTopUp(topUp) }
      endArray()
    }
    limitState(account)
    if let group = account.group { member("group", group) }
    if account.hasBought { member("bought", true) }
  }

  /// The time of a top-up; with its credits where the policy limits those.
  private mutating func recentTopUp(_ topUp: RecentTopUp) {
    guard let credits = topUp.credits else { return timestamp(topUp.time) }
    beginObject()
    member("at", topUp.time)
    member("credits", credits)
    endObject()
  }

  private mutating func buckets(_ buckets: Buckets) {
    if let listed = buckets.listed {
      member(listed.terms.grantCount > 0 ? "grants" : "dated", listed)
    }
    let undated = buckets.undated
    if undated.bonus != 0 { member("bonus", undated.bonus) }
    if undated.starter != 0 { member("starter", undated.starter) }
    if undated.purchased != 0 { member("purchased", undated.purchased) }
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
    case .subscription: string("subscription")
    case .days(let count):
      beginObject()
      member("days", count)
      endObject()
    }
  }
}

extension RecordReader {
  mutating func state(of account: inout Account, _ cursor: inout RecordCursor) {
    cursor.expect(",\"state\":{\"records\":")
    account.recordCount = cursor.integer()
    cursor.expect(",\"transactions\":")
    account.transactionCount = cursor.integer()
    cursor.expect(",\"registeredAt\":")
    account.registeredAt = time(&cursor)
    account.isExempt = cursor.skip(",\"exempt\":true")
    account.isClosed = cursor.skip(",\"closed\":true")
    account.buckets = stateBuckets(&cursor)
    if !cursor.isNext("}") { otherState(of: &account, &cursor) }
    cursor.expect("}")
  }

  /// What few accounts have.
  private mutating func otherState(of account: inout Account, _ cursor: inout RecordCursor) {
    if cursor.skip(",\"scheduled\":") { account.scheduled = scheduled(&cursor) }
    if cursor.skip(",\"quota\":{") { account.quota = quota(&cursor) }
    if cursor.skip(",\"subscriptions\":{") { account.subscriptions = subscriptions(&cursor) }
    if cursor.skip(",\"holds\":[") { account.holds = holds(&cursor) }
    if cursor.skip(",\"recentTopUps\":[") {
      repeat { account.recentTopUps.append(recentTopUp(&cursor)) } while cursor.skip(",")
      cursor.expect("]")
    }
    limitState(of: &account, &cursor)
    if cursor.skip(",\"group\":") { account.group = textName(&cursor) }
    if cursor.skip(",\"bought\":true") { account.hasBought = true }
  }

  private mutating func recentTopUp(_ cursor: inout RecordCursor) -> RecentTopUp {
    guard cursor.skip("{\"at\":") else { return RecentTopUp(time(&cursor)) }
    let time = time(&cursor)
    cursor.expect(",\"credits\":")
    let credits = cursor.integer()
    cursor.expect("}")
    return RecentTopUp(time, credits: credits)
  }

  private mutating func stateBuckets(_ cursor: inout RecordCursor) -> Buckets {
    var listed: [Bucket]?
    let hasGrants = cursor.skip(",\"grants\":")
    if hasGrants || cursor.skip(",\"dated\":") {
      let buckets = self.buckets(&cursor)
      cursor.require(
        !buckets.isEmpty && hasGrants == buckets.contains { $0.grant != nil }
          && buckets.allSatisfy { $0.expiresAt != nil || $0.grant != nil })
      listed = buckets
    }
    var undated = UndatedCredits()
    if cursor.skip(",\"bonus\":") { undated.bonus = credits(&cursor) }
    if cursor.skip(",\"starter\":") { undated.starter = credits(&cursor) }
    if cursor.skip(",\"purchased\":") { undated.purchased = credits(&cursor) }
    return Buckets(undated, listed: listed)
  }

  /// What is in a bucket: no rule leaves an empty one.
  private func credits(_ cursor: inout RecordCursor) -> Credits {
    let credits = cursor.integer()
    cursor.require(credits != 0)
    return credits
  }

  private mutating func quota(_ cursor: inout RecordCursor) -> Quota {
    cursor.expect("\"plan\":")
    let plan = textName(&cursor)
    cursor.expect(",\"period\":")
    let period = period(&cursor)
    cursor.expect(",\"limit\":")
    let limit = cursor.integer()
    cursor.expect(",\"used\":")
    let used = cursor.integer()
    cursor.expect(",\"resetsAt\":")
    let resetsAt = time(&cursor)
    cursor.expect("}")
    return Quota(plan: plan, period: period, limit: limit, used: used, resetsAt: resetsAt)
  }

  private func period(_ cursor: inout RecordCursor) -> QuotaPeriod {
    if cursor.skip("\"month\"") { return .month }
    if cursor.skip("\"day\"") { return .day }
    if cursor.skip("\"subscription\"") { return .subscription }
    cursor.expect("{\"days\":")
    let days = cursor.integer()
    cursor.require(QuotaPeriod.dayLimits.contains(days))
    cursor.expect("}")
    return .days(days)
  }
}
