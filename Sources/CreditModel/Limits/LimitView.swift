public import CreditBytes

/// One limit of an account at a time, with its number and its counter.
public struct LimitView: Hashable, Sendable {
  public let limit: SpendLimit
  public let used: Credits
  /// Credits that open holds set aside against it.
  ///
  /// 0 for a limit with `models`, as holds name no models.
  public let held: Credits
  /// End of its window, if it has one.
  public let resetsAt: Timestamp?

  /// Nil if the limit was lifted.
  public var credits: Credits? { limit.credits }

  /// Credits that may still be spent; nil if the limit was lifted.
  public var remaining: Credits? {
    credits.map { max(0, $0.subtractingSaturating(used).subtractingSaturating(held)) }
  }
}

extension Account {
  /// The limits that the account counts for, in their order.
  public func limitViews(under policy: Policy) -> [LimitView] {
    if limitCounters.isEmpty { return [] }
    let limits = limits(under: policy)
    return limitCounters.indices.map { view(at: $0, among: limits) }
  }

  func view(at place: Int, among limits: AccountLimits) -> LimitView {
    let counter = limitCounters[place]
    return LimitView(
      limit: limits.limit(at: place, of: limitCounters), used: counter.used,
      held: counter.held(of: heldAgainstLimits),
      resetsAt: counter.period.end(of: updatedAt, since: counter.since))
  }
}

/// A limit that refuses a request.
public struct LimitRefusal: Hashable, Sendable {
  public let account: Name
  public let view: LimitView

  public init(account: Name, view: LimitView) {
    self.account = account
    self.view = view
  }
}

/// A share of a limit that a charge has reached.
public struct LimitCrossing: Hashable, Sendable {
  public let account: Name
  public let limit: Name
  public let percent: Int64
  public let used: Credits
  public let credits: Credits
  public let resetsAt: Timestamp?

  public init(
    account: Name, limit: Name, percent: Int64, used: Credits, credits: Credits,
    resetsAt: Timestamp?
  ) {
    self.account = account
    self.limit = limit
    self.percent = percent
    self.used = used
    self.credits = credits
    self.resetsAt = resetsAt
  }

  /// Whether the use has reached a share of a limit. A limit of 0 has no shares.
  static func isReached(_ percent: Int64, of credits: Credits, by used: Credits) -> Bool {
    credits <= 0 || Int128(used) * 100 >= Int128(credits) * Int128(percent)
  }
}

extension Account {
  /// Returns the shares of limits reached since earlier counters, by limits and percent.
  func limitsCrossed(since before: [LimitCounter], under policy: Policy) -> [LimitCrossing] {
    let counters = limitCounters
    if counters.isEmpty { return [] }
    var crossings: [LimitCrossing] = []
    let limits = limits(under: policy)
    for place in counters.indices {
      guard let credits = limits.credits(at: place, of: counters) else { continue }
      for percent in limits.alerts(at: place)
      where LimitCrossing.isReached(percent, of: credits, by: counters[place].used)
        && !LimitCrossing.isReached(percent, of: credits, by: counters[place].used(in: before))
      {
        let counter = counters[place]
        crossings.append(
          LimitCrossing(
            account: name, limit: counter.id, percent: percent, used: counter.used,
            credits: credits, resetsAt: counter.period.end(of: updatedAt, since: counter.since)))
      }
    }
    return crossings
  }
}

/// Room that a limit must have.
enum LimitDemand {
  /// To begin: used and held credits are below the number.
  case start
  /// For a number of further credits.
  case fitting(Credits)
}

extension Account {
  /// Returns the limits without room for a demand.
  /// - Parameter model: the work's catalog id; nil if unknown: then limits of some models alone are
  ///   skipped.
  func limitsRefusing(_ demand: LimitDemand, for model: Name?, under policy: Policy)
    -> [LimitRefusal]
  {
    if limitCounters.isEmpty || isExempt { return [] }
    var refusals: [LimitRefusal] = []
    let counters = limitCounters
    let limits = limits(under: policy)
    let held = heldAgainstLimits
    for place in counters.indices where counters[place].covers(model) {
      guard let credits = limits.credits(at: place, of: counters) else { continue }
      let spoken = Int128(counters[place].used) + Int128(counters[place].held(of: held))
      let refuses =
        switch demand {
        case .start: spoken >= Int128(credits)
        case .fitting(let more): spoken + Int128(more) > Int128(credits)
        }
      if refuses {
        refusals.append(LimitRefusal(account: name, view: view(at: place, among: limits)))
      }
    }
    return refusals
  }
}

extension CreditError {
  /// A request that limits refuse.
  /// - Parameters:
  ///   - account: the request's.
  ///   - refusals: in the order of the chain; at least one.
  ///   - need: the credits of a hold or a charge.
  init(
    spendLimitsOf account: Name, _ refusals: [LimitRefusal], hold: Credits? = nil,
    price: Credits? = nil
  ) {
    let sorted = refusals.enumerated().sorted { left, right in
      let (ends, others) = (left.element.view.resetsAt, right.element.view.resetsAt)
      if ends == others { return left.offset < right.offset }
      guard let ends else { return true }
      return others.map { ends > $0 } ?? false
    }.map(\.element)
    var details: [Detail] = [.account(account), .limits(sorted)]
    if let price { details.append(.price(price)) }
    self.init(
      .spendLimit, sorted.first?.sentence(hold: hold, price: price) ?? "a limit refuses it",
      details)
  }
}

extension LimitRefusal {
  fileprivate func sentence(hold: Credits?, price: Credits?) -> String {
    var text = "account \(quoted(account.text)) has spent \(view.used)"
    if view.held > 0 { text += " and holds \(view.held)" }
    text += " of \(view.credits ?? 0) credits of its limit \(quoted(view.limit.id.text))"
    if let hold { text += ", too many for a hold of \(hold)" }
    if let price, (view.remaining ?? 0) > 0 { text += ", and the price is \(price)" }
    if let resetsAt = view.resetsAt { return text + "; it resets at \(resetsAt.text)" }
    return text + "; it does not reset"
  }
}
