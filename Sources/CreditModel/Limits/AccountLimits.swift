// How an account's limits count. What a limit counts is a part of the account's state: it changes
// in the record of the charge itself, and a window resets by arithmetic at the next record.
extension Account {
  /// The account's limits under a policy: the plan's in its order, each with the account's own
  /// number where one is set; then, by id, those that are the account's alone.
  package func limits(under policy: Policy) -> [SpendLimit] {
    let planned = plan.flatMap { policy.plan($0) }?.limits ?? []
    let settings = limitsSet
    if settings.isEmpty { return planned }
    var limits = planned
    for place in limits.indices {
      guard let setting = settings.first(where: { $0.id == limits[place].id }) else { continue }
      limits[place].credits = setting.credits
      limits[place].until = setting.until
    }
    for setting in settings where !planned.contains(where: { $0.id == setting.id }) {
      // A number for an id that the plan does not have waits for it.
      guard let period = LimitPeriod(word: setting.id.text) else { continue }
      limits.append(
        SpendLimit(
          id: setting.id, period: period, credits: setting.credits, until: setting.until))
    }
    return limits
  }

  /// Has the account count for the limits that it has under a policy, and for no others: a new one
  /// from 0 and from now on.
  /// - Returns: whether that changes anything.
  mutating func takeUpLimits(under policy: Policy) -> Bool {
    if !hasRareState { return false }
    let limits = limits(under: policy)
    let counters = limitCounters
    if counters.count == limits.count, zip(counters, limits).allSatisfy({ $0.isOf($1) }) {
      return false
    }
    limitCounters = limits.map { limit in
      counters.first { $0.isOf(limit) }
        ?? LimitCounter(
          id: limit.id, period: limit.period, models: limit.models, since: updatedAt)
    }
    return true
  }

  /// Ends the windows, and the account's own numbers, whose time has come.
  mutating func resetLimits() {
    let time = updatedAt
    if limitCounters.contains(where: { $0.period.start(of: time, since: $0.since) > $0.since }) {
      for place in limitCounters.indices {
        let start = limitCounters[place].period.start(of: time, since: limitCounters[place].since)
        guard start > limitCounters[place].since else { continue }
        limitCounters[place].since = start
        limitCounters[place].used = 0
      }
    }
    if limitsSet.contains(where: { $0.until.map { $0 <= time } ?? false }) {
      limitsSet.removeAll { $0.until.map { $0 <= time } ?? false }
    }
  }

  /// Counts what was spent, or given back where it is negative, in every limit that covers the
  /// model and whose window has begun by a time.
  mutating func count(_ credits: Credits, for model: Name?, at time: Timestamp) {
    if credits == 0 || limitCounters.isEmpty { return }
    for place in limitCounters.indices where limitCounters[place].since <= time {
      guard limitCounters[place].covers(model) else { continue }
      let (sum, overflow) = limitCounters[place].used.addingReportingOverflow(credits)
      limitCounters[place].used = overflow ? .max : max(0, sum)
    }
  }

  /// Sets, lifts or removes limits of the account's own.
  /// - Throws: `invalid_request` for an id that is none, and for one limit too many.
  mutating func setLimits(_ changes: [LimitChange], until: Timestamp?, under policy: Policy)
    throws(CreditError)
  {
    if let until, until <= updatedAt {
      throw CreditError(
        .invalidRequest, "limitUntil is in the past; it is when the account's own limits end",
        [.account(name)])
    }
    let planned = plan.flatMap { policy.plan($0) }?.limits ?? []
    for change in changes {
      let place = limitsSet.firstIndex { $0.id >= change.id } ?? limitsSet.count
      let known = place < limitsSet.count && limitsSet[place].id == change.id
      guard let credits = change.credits else {
        if known { limitsSet.remove(at: place) }
        continue
      }
      guard
        known || planned.contains(where: { $0.id == change.id })
          || LimitPeriod(word: change.id.text) != nil
      else { throw unknownLimit(change.id, planned) }
      let setting = LimitSetting(id: change.id, credits: credits, until: until)
      if known { limitsSet[place] = setting } else { limitsSet.insert(setting, at: place) }
    }
    if limitsSet.count > LimitSetting.countLimit {
      throw CreditError(
        .limitExceeded,
        "account \(quoted(name.text)) would have more than \(LimitSetting.countLimit) limits of "
          + "its own", [.account(name)])
    }
  }

  private func unknownLimit(_ id: Name, _ planned: [SpendLimit]) -> CreditError {
    let words = LimitPeriod.words.compactMap(\.word).map { "\($0)" }.joined(separator: ", ")
    let nearest = NearestNames.find(id, among: planned.map(\.id))
    return CreditError(
      .invalidRequest,
      "the plan of account \(quoted(name.text)) has no limit \(quoted(id.text))"
        + NearestNames.hint(nearest) + "; a limit of its own is one of \(words)", [.account(name)])
  }
}

/// A change of one of an account's own limits.
package struct LimitChange: Hashable, Sendable {
  package var id: Name
  /// The number: `.some(nil)` lifts the limit; nil removes what was set.
  package var credits: Credits??

  package init(id: Name, credits: Credits??) {
    self.id = id
    self.credits = credits
  }
}
