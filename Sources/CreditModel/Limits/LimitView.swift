/// One limit of an account at a time, with its number and its counter.
public struct LimitView: Equatable, Sendable {
  public let limit: SpendLimit
  /// In the smallest parts of the limit's unit.
  public let used: Int128
  /// Credits that open holds set aside against it.
  ///
  /// 0 for a limit with `models`, as holds name no models, and for one of another unit.
  public let held: Credits
  /// End of its window, if it has one.
  public let resetsAt: Timestamp?

  /// The most that may be spent; nil if the limit was lifted.
  public var amount: Int128? { limit.amount }

  /// The amount that may still be spent; nil if the limit was lifted.
  public var remaining: Int128? { amount.map { max(0, $0 - used - Int128(held)) } }

  /// True if its use has reached all its alerts: no charge reports one any more.
  public var isPastAlerts: Bool {
    guard let amount, amount > 0, let last = limit.alerts.last else { return false }
    return LimitCrossing.isReached(last, of: amount, by: used)
  }

  /// Credits that may still be spent; nil if it does not bound them.
  ///
  /// A limit of another unit bounds them if it is used up: then no work may start.
  var remainingCredits: Credits? {
    guard let remaining else { return nil }
    if limit.unit == .credits { return Credits(clamping: remaining) }
    return remaining == 0 ? 0 : nil
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
      limit: limits.limit(of: counter, at: place), used: counter.used,
      held: counter.held(of: heldAgainstLimits), resetsAt: counter.end)
  }

  /// Returns the shares of limits reached since earlier counters, by limits and percent.
  func limitsCrossed(since before: [LimitCounter], under policy: Policy) -> [LimitCrossing] {
    limitsCrossed(under: policy) { ($0.used(in: before), $0.used) }
  }

  /// Returns the shares of limits that the next count will reach.
  func limitsCrossed(
    by credits: Credits, _ work: WorkMeasure, for model: Name?, at instant: CountedInstant,
    under policy: Policy
  ) -> [LimitCrossing] {
    limitsCrossed(under: policy) {
      ($0.used, $0.used(after: $0.amount(of: credits, work, for: model, at: instant)))
    }
  }

  /// - Parameter use: returns the amounts that a counter has used before and after.
  @inline(__always)
  private func limitsCrossed(
    under policy: Policy, _ use: (borrowing LimitCounter) -> (before: Int128, after: Int128)
  ) -> [LimitCrossing] {
    let (limits, all) = (limits(under: policy), limitCounters)
    let counters = all.span
    var crossings: [LimitCrossing] = []
    for place in counters.indices {
      let (usedBefore, used) = use(counters[place])
      if used <= usedBefore { continue }
      let own = limits.setting(of: counters[place])
      guard let amount = limits.amount(of: own, at: place) else { continue }
      for percent in limits.alerts(of: own, at: place)
      where LimitCrossing.isReached(percent, of: amount, by: used)
        && !LimitCrossing.isReached(percent, of: amount, by: usedBefore)
      {
        crossings.append(
          LimitCrossing(
            account: name, limit: counters[place].id, percent: percent, unit: counters[place].unit,
            used: used, amount: amount, resetsAt: counters[place].end))
      }
    }
    return crossings
  }

  /// Returns the limits without room for a demand.
  /// - Parameter model: the work's catalog id; nil if unknown: then limits of some models alone are
  ///   skipped.
  func limitsRefusing(_ demand: LimitDemand, for model: Name?, under policy: Policy)
    -> [LimitRefusal]
  {
    let all = limitCounters
    if all.isEmpty || isExempt { return [] }
    var refusals: [LimitRefusal] = []
    let (limits, counters, held) = (limits(under: policy), all.span, heldAgainstLimits)
    for place in counters.indices where counters[place].covers(model) {
      let own = limits.setting(of: counters[place])
      guard let amount = limits.amount(of: own, at: place) else { continue }
      let spoken = counters[place].used + Int128(counters[place].held(of: held))
      if demand.refuses(spoken, of: amount, counters[place].unit) {
        refusals.append(LimitRefusal(account: name, view: view(at: place, among: limits)))
      }
    }
    return refusals
  }
}

public struct LimitRefusal: Equatable, Sendable {
  public let account: Name
  public let view: LimitView
}

/// A share of a limit that a charge has reached.
public struct LimitCrossing: Equatable, Sendable {
  public internal(set) var account: Name
  public let limit: Name
  public let percent: Int64
  public let unit: LimitUnit
  /// In the smallest parts of the unit.
  public let used: Int128
  public let amount: Int128
  public let resetsAt: Timestamp?

  public init(
    account: Name, limit: Name, percent: Int64, unit: LimitUnit, used: Int128, amount: Int128,
    resetsAt: Timestamp?
  ) {
    self.account = account
    self.limit = limit
    self.percent = percent
    self.unit = unit
    self.used = used
    self.amount = amount
    self.resetsAt = resetsAt
  }

  /// Whether the use has reached a share of a limit. A limit of 0 has no shares.
  static func isReached(_ percent: Int64, of amount: Int128, by used: Int128) -> Bool {
    // No share is above ten times the amount: so much is exact, and does not overflow.
    amount <= 0 || min(used, amount &* 10) &* 100 >= amount &* Int128(percent)
  }
}

/// Room that a limit must have.
enum LimitDemand {
  /// To begin: used and held credits are below the number.
  case start
  /// For a number of further credits, and for work; if it is nil, not yet known, to begin.
  case fitting(Credits, WorkMeasure?)
  /// To begin, and for a number of further credits and work.
  case direct(Credits, WorkMeasure)

  /// Returns true if there is no room beside the amounts used and held.
  fileprivate func refuses(_ spoken: Int128, of amount: Int128, _ unit: LimitUnit) -> Bool {
    switch self {
    case .fitting(let more, _) where unit.isCredits: spoken + Int128(more) > amount
    case .direct(let more, _) where unit.isCredits: spoken + Int128(more) > amount
    case .direct(_, let work): spoken >= amount || spoken + work[unit] > amount
    case .fitting(_, let work?): spoken + work[unit] > amount
    case .start, .fitting: spoken >= amount
    }
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
    let unit = view.limit.unit
    var text = "account \(quoted(account.text)) has spent \(unit.text(view.used))"
    if view.held > 0 { text += " and holds \(view.held)" }
    text += " of \(unit.text(view.amount ?? 0)) \(unit.noun) of its limit "
    text += quoted(view.limit.id.text)
    if view.amount == 0 { text += ", which pauses its work" }
    if let hold, unit == .credits { text += ", too many for a hold of \(hold)" }
    if (view.remaining ?? 0) > 0 {
      if !unit.isCredits {
        text += ", too many for this charge"
      } else if let price {
        text += ", and the price is \(price)"
      }
    }
    let asked = (view.remaining ?? 0) > 0 ? hold ?? price : nil
    if unit == .credits, let asked, let amount = view.amount, asked > amount {
      text += ": more than the whole limit"
    } else if view.amount != 0 {
      text += view.resetsAt.map { "; it resets at \($0.text)" } ?? "; it does not reset"
    }
    guard let own = view.limit.own, let until = own.until else { return text }
    text += "; this number ends at \(until.text)"
    return text + (own.then.map { ", and the limit is \($0.words) then" } ?? "")
  }
}
