internal import CreditModel

// Subscriptions, as records say them.
extension JSONWriter {
  /// `"subscriptions":{"paid":[{"product":"pro.monthly","plan":"pro","transaction":"1000…",
  /// "since":"2026-11-01T…","until":"2026-12-01T…","grace":259200000}]}`: the grace period in
  /// milliseconds; what no longer pays for the plan says why.
  mutating func subscriptions(_ subscriptions: Subscriptions) {
    key("subscriptions")
    beginObject()
    list("paid", subscriptions.paid) { $0.subscription($1) }
    list("ends", subscriptions.ends) { $0.subscriptionEnd($1) }
    list("shared", subscriptions.shared) { $0.timestamp($1) }
    endObject()
  }

  /// A list, unless it is empty.
  private mutating func list<Element>(
    _ key: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) {
    if elements.isEmpty { return }
    self.key(key)
    beginArray()
    for element in elements { write(&self, element) }
    endArray()
  }

  private mutating func subscription(_ subscription: Subscription) {
    beginObject()
    member("product", subscription.product)
    member("plan", subscription.plan)
    member("transaction", subscription.transaction)
    if let id = subscription.id { member("id", id) }
    member("since", subscription.since)
    member("until", subscription.until)
    grace(subscription.grace)
    if subscription.state != .paid { member("state", subscription.state.rawValue) }
    if subscription.used != 0 { member("used", subscription.used) }
    if let turn = subscription.turn {
      member("limit", turn.limit)
      member("resetsAt", turn.resetsAt)
    }
    endObject()
  }

  private mutating func subscriptionEnd(_ end: SubscriptionEnd) {
    beginObject()
    if let product = end.product { member("product", product) }
    if let id = end.id { member("id", id) }
    member("until", end.until)
    member("at", end.at)
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
  /// What `JSONWriter.subscriptions(_:)` writes, after the opening brace.
  mutating func subscriptions(_ cursor: inout RecordCursor) -> Subscriptions {
    var paid: [Subscription] = []
    var ends: [SubscriptionEnd] = []
    var shared: [Timestamp] = []
    if cursor.skip("\"paid\":[") {
      repeat { paid.append(subscription(&cursor)) } while cursor.skip(",")
      cursor.expect("]")
    }
    if cursor.skip(paid.isEmpty ? "\"ends\":[" : ",\"ends\":[") {
      repeat { ends.append(subscriptionEnd(&cursor)) } while cursor.skip(",")
      cursor.expect("]")
    }
    if cursor.skip(",\"shared\":[") {
      repeat { shared.append(time(&cursor)) } while cursor.skip(",")
      cursor.expect("]")
    }
    cursor.expect("}")
    return Subscriptions(paid: paid, ends: ends, shared: shared)
  }

  private mutating func subscription(_ cursor: inout RecordCursor) -> Subscription {
    cursor.expect("{\"product\":")
    let product = textName(&cursor)
    cursor.expect(",\"plan\":")
    let plan = textName(&cursor)
    cursor.expect(",\"transaction\":")
    let transaction = id(&cursor)
    let original = cursor.skip(",\"id\":") ? id(&cursor) : nil
    let (since, until, grace) = period(&cursor)
    var state = Subscription.State.paid
    if cursor.skip(",\"state\":") {
      state = choice(&cursor) ?? .paid
      cursor.require(state != .paid)
    }
    var used: Credits = 0
    if cursor.skip(",\"used\":") {
      used = cursor.integer()
      cursor.require(used > 0)
    }
    let turn = cursor.skip(",\"limit\":") ? self.turn(&cursor) : nil
    cursor.expect("}")
    return Subscription(
      product: product, plan: plan, transaction: transaction, id: original, since: since,
      until: until, grace: grace, state: state, used: used, turn: turn)
  }

  private mutating func turn(_ cursor: inout RecordCursor) -> Subscription.Turn {
    let limit = cursor.integer()
    cursor.expect(",\"resetsAt\":")
    return Subscription.Turn(limit: limit, resetsAt: time(&cursor))
  }

  private mutating func subscriptionEnd(_ cursor: inout RecordCursor) -> SubscriptionEnd {
    cursor.expect("{")
    let product = cursor.skip("\"product\":") ? textName(&cursor) : nil
    if product != nil { cursor.expect(",") }
    var original: Name?
    if cursor.skip("\"id\":") {
      original = id(&cursor)
      cursor.expect(",")
    }
    cursor.expect("\"until\":")
    let until = time(&cursor)
    cursor.expect(",\"at\":")
    let at = time(&cursor)
    cursor.expect("}")
    return SubscriptionEnd(product: product, id: original, until: until, at: at)
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
