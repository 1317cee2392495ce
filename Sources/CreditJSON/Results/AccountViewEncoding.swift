package import CreditModel

extension JSONWriter {
  /// Writes an account's balance, buckets and quota.
  package mutating func accountView(_ view: AccountView) {
    beginObject()
    members(of: view)
    endObject()
  }

  /// Writes a line of the list of accounts.
  package mutating func accountLine(_ account: Account) {
    beginObject()
    member("account", account.name)
    if let plan = account.plan { member("plan", plan) }
    member("exempt", account.isExempt)
    if account.isClosed { member("closed", true) }
    if let parent = account.parent, parent != .nobody { member("parent", parent) }
    if let group = account.group { member("group", group) }
    member("registeredAt", account.registeredAt)
    endObject()
  }

  mutating func members(of view: AccountView) {
    let account = view.account
    member("account", account.name)
    member("balance", account.balance)
    member("available", view.available)
    member("held", account.held)
    key("buckets")
    beginArray()
    for bucket in account.bucketsInBurnOrder { self.bucket(bucket) }
    endArray()
    if !account.scheduled.isEmpty {
      key("scheduled")
      beginArray()
      for grant in account.scheduled { scheduled(grant) }
      endArray()
    }
    member("exempt", account.isExempt)
    if account.isClosed { member("closed", true) }
    if let plan = account.plan { member("plan", plan) }
    if let subscription = account.subscriptions.active { members(of: subscription) }
    if view.isPlanRemoved { member("planRemoved", true) }
    if let quota = account.quota {
      key("quota")
      beginObject()
      member("limit", quota.limit)
      member("used", quota.used)
      member("remaining", quota.remaining)
      member("resetsAt", quota.resetsAt)
      endObject()
    }
    if let parent = account.parent, parent != .nobody { member("parent", parent) }
    if let funds = view.funds { member("payer", funds.payer) }
    if let group = account.group { member("group", group) }
    if !view.limits.isEmpty { limits(view.limits) }
    if view.isRegistered {
      member("updatedAt", view.updatedAt)
    } else {
      member("registered", false)
    }
  }

  /// How far the plan is paid; and until when it goes on after that.
  private mutating func members(of subscription: Subscription) {
    member("planUntil", subscription.until)
    if subscription.endsAt != subscription.until { member("graceUntil", subscription.endsAt) }
  }

  mutating func bucket(_ bucket: Bucket) {
    beginObject()
    key("kind")
    plain(bucket.kind.plainName)
    member("credits", bucket.credits)
    if let grant = bucket.grant {
      member("grant", grant.id)
      member("priority", grant.priority)
    }
    if let expiresAt = bucket.expiresAt { member("expiresAt", expiresAt) }
    _ = optional("models", bucket.grant?.models, Models.self)
    endObject()
  }

  private mutating func scheduled(_ scheduled: ScheduledGrant) {
    let bucket = scheduled.bucket
    beginObject()
    if let grant = bucket.grant { member("grant", grant.id) }
    key("kind")
    plain(bucket.kind.plainName)
    member("credits", bucket.credits)
    member("startsAt", scheduled.startsAt)
    member("priority", bucket.priority)
    if let expiresAt = bucket.expiresAt { member("expiresAt", expiresAt) }
    _ = optional("models", bucket.grant?.models, Models.self)
    endObject()
  }
}

extension Bucket.Kind {
  /// The raw value, as text that is written without a look at it.
  var plainName: StaticString {
    switch self {
    case .quota: "quota"
    case .bonus: "bonus"
    case .starter: "starter"
    case .purchased: "purchased"
    }
  }
}
