internal import CreditModel

// Subscriptions: the payments for an account's plan, and their ends.
extension MemberVisitor where Self: ~Copyable {
  /// `"subscriptions":{"paid":[{"product":"pro.monthly","plan":"pro","transaction":"1000…",
  /// "since":"2026-11-01T…","until":"2026-12-01T…","grace":259200000}]}`
  mutating func subscriptions(_ known: Subscriptions?) -> Subscriptions? {
    let paid = list("paid", known?.paid) { $0.subscription($1) }
    let ends = list("ends", known?.ends) { $0.subscriptionEnd($1) }
    let shared = optional("shared", known?.shared.nonEmpty, List<Time>.self)
    if !Self.reads { return nil }
    return Subscriptions(paid: paid, ends: ends, shared: shared ?? [])
  }

  private mutating func subscription(_ known: Subscription?) -> Subscription? {
    let product = member("product", known?.product, PolicyName.self)
    let plan = member("plan", known?.plan, PolicyName.self)
    let transaction = member("transaction", known?.transaction, ID.self)
    let id = optional("id", known?.id, ID.self)
    let since = member("since", known?.since, Time.self)
    let until = member("until", known?.until, Time.self)
    let grace = grace(known?.grace)
    let state = optional("state", known?.state == .paid ? nil : known?.state, PastState.self)
    let used = member("used", known?.used, Whole.self, unless: 0)
    let limit = optional("limit", known?.turn?.limit, Whole.self)
    let resetsAt = member("resetsAt", known?.turn?.resetsAt, Time.self, if: limit != nil)
    let start = optional("anniversary", known?.turn?.start, Time.self)
    let carried = optional("carried", known?.turn?.carried.nonEmpty, List<Whole>.self)
    guard let product, let plan, let transaction, let since, let until else { return nil }
    require(used >= 0 && (start == nil && carried == nil || limit != nil))
    var turn: Subscription.Turn?
    if let limit, let resetsAt {
      turn = Subscription.Turn(
        limit: limit, resetsAt: resetsAt, start: start, carried: carried ?? [])
    }
    return Subscription(
      product: product, plan: plan, transaction: transaction, id: id, since: since,
      until: until, grace: grace, state: state ?? .paid, used: used, turn: turn)
  }

  private mutating func subscriptionEnd(_ known: SubscriptionEnd?) -> SubscriptionEnd? {
    let product = optional("product", known?.product, PolicyName.self)
    let id = optional("id", known?.id, ID.self)
    let until = member("until", known?.until, Time.self)
    let at = member("at", known?.at, Time.self)
    guard let until, let at else { return nil }
    return SubscriptionEnd(product: product, id: id, until: until, at: at)
  }

  /// Visits how long a plan continues after the paid period, in milliseconds.
  mutating func grace(_ known: TimeSpan?) -> TimeSpan {
    let milliseconds = member("grace", known?.milliseconds, Whole.self, unless: 0)
    require(milliseconds >= 0)
    return TimeSpan(milliseconds: milliseconds)
  }
}

/// Why a payment no longer pays for the plan.
private enum PastState: MemberForm {
  static func write(_ value: borrowing Subscription.State, to writer: inout JSONWriter) {
    writer.string(value.rawValue)
  }
  static func read(_ reader: inout RecordReader) -> Subscription.State? {
    let state = Subscription.State(rawValue: reader.string())
    return state == .paid ? nil : state
  }
  static var shape: JSONShape {
    .value(.words(Subscription.State.allCases.filter { $0 != .paid }.map(\.rawValue)))
  }
}
