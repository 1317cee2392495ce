internal import CreditModel

// Subscriptions, as records say them.
extension JSONWriter {
  /// `"subscription":{"product":"pro.monthly","transaction":"1000…","since":"2026-11-01T…",
  /// "until":"2026-12-01T…","grace":259200000}`: the grace period in milliseconds; one that has not
  /// set the account's plan says why.
  mutating func subscription(_ subscription: Subscription) {
    key("subscription")
    beginObject()
    member("product", subscription.product)
    member("transaction", subscription.transaction)
    member("since", subscription.since)
    member("until", subscription.until)
    grace(subscription.grace)
    if subscription.state != .active { member("state", subscription.state.rawValue) }
    if let time = subscription.endedAt { member("endedAt", time) }
    endObject()
  }

  /// What a transaction pays for.
  mutating func paid(_ paid: PaidPlan) {
    key("paid")
    beginObject()
    member("plan", paid.plan)
    member("since", paid.since)
    member("until", paid.until)
    grace(paid.grace)
    if paid.isUpgraded { member("upgraded", true) }
    if let time = paid.extendedAt { member("extendedAt", time) }
    endObject()
  }

  private mutating func grace(_ span: TimeSpan) {
    if span.milliseconds != 0 { member("grace", span.milliseconds) }
  }
}

extension RecordReader {
  /// What `JSONWriter.subscription(_:)` writes, after the opening brace.
  mutating func subscription(_ cursor: inout RecordCursor) -> Subscription {
    cursor.expect("\"product\":")
    let product = textName(&cursor)
    cursor.expect(",\"transaction\":")
    let transaction = id(&cursor)
    let (since, until, grace) = period(&cursor)
    var state = Subscription.State.active
    if cursor.skip(",\"state\":") {
      state = choice(&cursor) ?? .active
      cursor.require(state != .active)
    }
    let endedAt = cursor.skip(",\"endedAt\":") ? time(&cursor) : nil
    cursor.require(endedAt == nil || state == .ended)
    cursor.expect("}")
    return Subscription(
      product: product, transaction: transaction, since: since, until: until, grace: grace,
      state: state, endedAt: endedAt)
  }

  /// What `JSONWriter.paid(_:)` writes, after the opening brace.
  mutating func paid(_ cursor: inout RecordCursor) -> PaidPlan {
    cursor.expect("\"plan\":")
    let plan = textName(&cursor)
    let (since, until, grace) = period(&cursor)
    let isUpgraded = cursor.skip(",\"upgraded\":true")
    let extendedAt = cursor.skip(",\"extendedAt\":") ? time(&cursor) : nil
    cursor.expect("}")
    return PaidPlan(
      plan: plan, since: since, until: until, grace: grace, isUpgraded: isUpgraded,
      extendedAt: extendedAt)
  }

  private mutating func period(_ cursor: inout RecordCursor) -> (Timestamp, Timestamp, TimeSpan) {
    cursor.expect(",\"since\":")
    let since = time(&cursor)
    cursor.expect(",\"until\":")
    let until = time(&cursor)
    var grace: Int64 = 0
    if cursor.skip(",\"grace\":") {
      grace = cursor.integer()
      cursor.require(grace > 0)
    }
    return (since, until, TimeSpan(milliseconds: grace))
  }
}
