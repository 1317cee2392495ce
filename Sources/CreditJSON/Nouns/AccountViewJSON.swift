public import CreditModel

// The members of an account in results.
extension ResultVisitor where Self: ~Copyable {
  mutating func accountMembers(_ known: AccountView) {
    let account = known.account
    member("account", account.name, AccountName.self)
    member("balance", account.balance, Whole.self)
    member("available", known.available, Whole.self)
    member("held", account.held, Whole.self)
    parts("buckets", account.bucketsInBurnOrder, isRequired: true) { $0.bucket($1) }
    parts("scheduled", account.scheduled.nonEmpty) { $0.scheduled($1) }
    member("exempt", account.isExempt, Truth.self)
    mark("closed", account.isClosed)
    optional("plan", account.plan, PolicyName.self)
    // The paid end of the plan, and how long it continues after that.
    let paid = account.subscriptions.active
    optional("planUntil", paid?.until, Time.self)
    optional("graceUntil", paid.flatMap { $0.endsAt == $0.until ? nil : $0.endsAt }, Time.self)
    mark("planRemoved", known.isPlanRemoved)
    let carried = known.carried
    part("quota", account.quota, isRequired: false) { visitor, known in
      visitor.member("limit", known?.limit, Whole.self)
      visitor.member("used", known?.used, Whole.self)
      visitor.member("remaining", known?.remaining, Whole.self)
      visitor.optional("resetsAt", known?.end, Time.self)
      visitor.optional("anniversary", known?.period.start, Time.self)
      visitor.parts("carried", carried.nonEmpty) { visitor, known in
        visitor.member("credits", known?.credits, Whole.self)
        visitor.optional("expiresAt", known?.expiresAt, Time.self)
      }
    }
    parent(account.parent)
    optional("payer", known.funds?.payer, AccountName.self)
    optional("group", account.group, PolicyName.self)
    limits(known.limits)
    optional("updatedAt", known.isRegistered ? known.updatedAt : nil, Time.self)
    optional("registered", known.isRegistered ? nil : false, Truth.self)
  }

  private mutating func parent(_ known: Name?) {
    optional("parent", known == .nobody ? nil : known, AccountName.self)
  }

  @inline(__always)
  private mutating func bucket(_ known: Bucket?) {
    member("kind", known?.kind, WordText<Bucket.Kind>.self)
    member("credits", known?.credits, Whole.self)
    optional("grant", known?.grant?.id, ID.self)
    optional("priority", known?.grant?.priority, Whole.self)
    optional("expiresAt", known?.expiresAt, Time.self)
    optional("models", known?.grant?.models, Models.self)
  }

  @inline(__always)
  private mutating func scheduled(_ known: ScheduledGrant?) {
    let bucket = known?.bucket
    member("grant", bucket?.grant?.id, ID.self)
    member("kind", bucket?.kind, WordText<Bucket.Kind>.self)
    member("credits", bucket?.credits, Whole.self)
    member("startsAt", known?.startsAt, Time.self)
    member("priority", bucket?.priority, Whole.self)
    optional("expiresAt", bucket?.expiresAt, Time.self)
    optional("models", bucket?.grant?.models, Models.self)
  }

  /// Visits the limits of a balance, and those that were lifted for a time.
  private mutating func limits(_ known: [LimitView]) {
    let inForce = known.nonEmpty?.filter { $0.amount != nil }
    parts("limits", inForce) { visitor, known in
      visitor.member("limit", known?.limit.id, PolicyName.self)
      visitor.member("period", known?.limit.period, LimitPeriodForm.self)
      visitor.optional("models", known?.limit.models, List<PolicyName>.self)
      visitor.limitUnit(known?.limit.unit)
      visitor.limitAmount(known.map { $0.amount { $0.amount ?? 0 } })
      visitor.optional("until", known?.limit.own?.until, Time.self)
      visitor.part("then", known?.limit.own?.then, isRequired: false) { $0.limitNumber($1) }
      visitor.member("used", known.map { $0.amount(\.used) }, LimitAmountForm.self)
      visitor.member("held", known?.held, Whole.self)
      visitor.member(
        "remaining", known.map { $0.amount { $0.remaining ?? 0 } }, LimitAmountForm.self)
      visitor.optional("resetsAt", known?.resetsAt, Time.self)
      visitor.optional("alerts", known?.limit.own?.alerts, List<Whole>.self)
    }
    let lifted = known.nonEmpty?.filter { $0.amount == nil && $0.limit.own?.until != nil }
    parts("limitsLifted", lifted?.nonEmpty) { visitor, known in
      visitor.member("limit", known?.limit.id, PolicyName.self)
      visitor.member("period", known?.limit.period, LimitPeriodForm.self)
      visitor.optional("models", known?.limit.models, List<PolicyName>.self)
      visitor.member("until", known?.limit.own?.until, Time.self)
    }
  }

  fileprivate mutating func lineMembers(_ known: Account) {
    member("account", known.name, AccountName.self)
    optional("plan", known.plan, PolicyName.self)
    member("exempt", known.isExempt, Truth.self)
    mark("closed", known.isClosed)
    parent(known.parent)
    optional("group", known.group, PolicyName.self)
    member("registeredAt", known.registeredAt, Time.self)
  }

  fileprivate mutating func totalMembers(_ known: BalanceTotal) {
    member("accounts", known.count, Count.self)
    member("balance", known.balance, Sum.self)
    member("owedToCustomers", known.owedToCustomers, Sum.self)
    member("owedByCustomers", known.owedByCustomers, Sum.self)
  }
}

extension JSONWriter {
  /// Writes an account's balance, buckets and quota.
  public mutating func accountView(_ view: AccountView) { element { $0.accountMembers(view) } }

  /// Writes a line of the list of accounts.
  public mutating func accountLine(_ account: Account) { element { $0.lineMembers(account) } }

  /// Writes the sums of the balances of all accounts.
  public mutating func total(_ total: BalanceTotal) { element { $0.totalMembers(total) } }
}

extension JSONShape {
  public static var accountLine: JSONShape { ShapeRecorder.shape { $0.lineMembers(.unread) } }

  public static var total: JSONShape { ShapeRecorder.shape { $0.totalMembers(BalanceTotal()) } }
}
