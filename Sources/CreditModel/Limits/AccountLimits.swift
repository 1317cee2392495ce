// How an account's limits count. Counters are part of the account's state: they change in the
// record of the charge itself, and a window resets by arithmetic at the next record.
extension Account {
  func limits(under policy: Policy) -> AccountLimits {
    AccountLimits(planned: plannedLimits(under: policy), settings: limitsSet)
  }

  private func plannedLimits(under policy: Policy) -> [SpendLimit] {
    guard let plan, let place = policy.place(ofPlan: plan) else { return [] }
    return policy.plans[place].limits
  }

  /// Makes the account count for exactly its limits under a policy: a new one from 0 and from now
  /// on.
  /// - Parameter last: the time of the account's newest record, apart from those being made; nil if
  ///   it has none.
  /// - Returns: true if that changes anything.
  /// - Throws: `unavailable` if the policy's zone is needed, and cannot be read.
  mutating func adoptLimits(under policy: Policy, last: Timestamp?) throws(CreditError) -> Bool {
    if !hasRareState { return false }
    let limits = limits(under: policy)
    let counters = limitCounters
    if limits.areCounted(by: counters) { return false }
    let after = last == updatedAt && transactionCount > 0 ? recordCount : 0
    let time = updatedAt
    limitCounters = try limits.all.map { limit throws(CreditError) in
      if let known = counters.first(where: { $0.isOf(limit) }) { return known }
      return LimitCounter(
        id: limit.id, period: limit.period, models: limit.models, unit: limit.unit, since: time,
        after: after, resetsAt: try policy.clock.firstEnd(of: limit, at: time))
    }
    return true
  }

  /// Ends the windows, and the account's own numbers, that are due. A number that one of these has
  /// replaced applies again, and its counter goes on.
  /// - Throws: `unavailable` if a zone is needed, and cannot be read.
  mutating func resetLimits(by clock: WindowClock) throws(CreditError) {
    let time = updatedAt
    let counters = limitCounters
    for place in counters.indices where counters[place].hasEnded(by: time) {
      try clock.restart(&limitCounters[place], at: time)
    }
    if limitsSet.contains(where: { $0.hasEnded(by: time) }) {
      limitsSet = limitsSet.compactMap { $0.hasEnded(by: time) ? $0.then : $0 }
    }
  }

  /// Counts credits spent, or given back if negative, and the work they were spent for.
  ///
  /// A limit counts them if it covers the model and its window had begun by then.
  /// - Parameter work: none unless ``countsWork``.
  mutating func count(
    _ credits: Credits, _ work: WorkMeasure, for model: Name?,
    at instant: CountedInstant
  ) {
    if !hasRareState || credits == 0 && work == .none || limitCounters.isEmpty { return }
    limitCounters.count(credits, work, for: model, at: instant)
  }

  var countsWork: Bool {
    let counters = limitCounters
    return counters.indices.contains { !counters[$0].unit.isCredits }
  }

  var countsDollars: Bool { limitCounters.contains { $0.unit == .usd } }

  /// Sets, lifts or removes limits of the account's own. After one with an end the plan's applies.
  /// If the plan has none, it keeps the one without an end that it replaces.
  /// - Throws: `invalid_request` for an unknown id, a number in another unit or an end in the past;
  ///   `limit_exceeded` for one limit too many.
  mutating func setLimits(_ changes: [LimitChange], until: Timestamp?, under policy: Policy)
    throws(CreditError)
  {
    if let until, until <= updatedAt {
      throw CreditError(
        .invalidRequest, "the time at which the account's own limits would end is in the past",
        [.account(name)])
    }
    let planned = plannedLimits(under: policy)
    for change in changes {
      let place = limitsSet.firstIndex { $0.id >= change.id } ?? limitsSet.count
      let old = limitsSet.first { $0.id == change.id }
      if change.value == .plan {
        if old != nil { limitsSet.remove(at: place) }
        continue
      }
      let plannedUnit = planned.first { $0.id == change.id }?.unit
      guard old != nil || plannedUnit != nil || LimitPeriod(word: change.id.text) != nil else {
        throw unknownLimit(change.id, planned)
      }
      let unit = plannedUnit ?? old?.unit ?? .credits
      let returning = change.returnsOwn ?? (plannedUnit == nil) ? old : nil
      let setting = LimitSetting(
        id: change.id, unit: unit, amount: try amount(change, in: unit), alerts: change.alerts,
        until: until, then: until == nil ? nil : old?.until == nil ? returning : old?.then)
      if old != nil { limitsSet[place] = setting } else { limitsSet.insert(setting, at: place) }
    }
    if limitsSet.count > LimitSetting.countLimit {
      throw CreditError(
        .limitExceeded,
        "account \(quoted(name.text)) would have more than \(LimitSetting.countLimit) limits of "
          + "its own", [.account(name)])
    }
  }

  /// Returns the number of a change in a unit; nil if it lifts the limit.
  private func amount(_ change: LimitChange, in unit: LimitUnit) throws(CreditError) -> Int128? {
    guard case .number(let number, let isDollars) = change.value else { return nil }
    if isDollars ?? (unit == .usd) == (unit == .usd), let amount = unit.amount(number) {
      return amount
    }
    throw CreditError(
      .invalidRequest,
      "limit \(quoted(change.id.text)) is in \(unit.noun), and must be \(unit.numbers)"
        + (unit == .credits ? "; only a plan's limit with \"unit\":\"usd\" is in dollars" : ""),
      [.account(name)])
  }

  private func unknownLimit(_ id: Name, _ planned: [SpendLimit]) -> CreditError {
    let words = LimitPeriod.words.compactMap(\.word).map { "\($0)" }
    let nearest = NearestNames.find(id, among: planned.map(\.id))
    return CreditError(
      .invalidRequest,
      "the plan of account \(quoted(name.text)) has no limit \(quoted(id.text))"
        + NearestNames.hint(nearest)
        + "; a limit of its own is one of \(words.joined(separator: ", "))"
        + NearestNames.question(id.text, among: words), [.account(name)])
  }

  /// Returns the instant of a charge that is made now, and counted at a time.
  func instant(of time: Timestamp) -> CountedInstant {
    let counters = limitCounters
    return CountedInstant(
      time,
      after: counters.indices.reduce(0) {
        counters[$1].since == time ? max($0, counters[$1].after) : $0
      })
  }
}

extension [LimitCounter] {
  fileprivate mutating func count(
    _ credits: Credits, _ work: WorkMeasure, for model: Name?, at instant: CountedInstant
  ) {
    for place in indices {
      let amount = self[place].amount(of: credits, work, for: model, at: instant)
      if amount != 0 { self[place].used = self[place].used(after: amount) }
    }
  }
}

/// An account's limits: its plan's in their order, then its own by id.
///
/// Each request reads the limits several times, so they are not copied.
struct AccountLimits {
  fileprivate let planned: [SpendLimit]
  fileprivate let settings: [LimitSetting]

  /// The limits that count; ``limit(of:at:)`` has their numbers and alerts.
  var all: [SpendLimit] {
    planned
      + settings.compactMap { setting in
        ownPeriod(of: setting).map { SpendLimit(id: setting.id, period: $0, amount: nil) }
      }
  }

  func areCounted(by counters: [LimitCounter]) -> Bool {
    if counters.count < planned.count { return false }
    for place in planned.indices where !counters[place].isOf(planned[place]) { return false }
    var place = planned.count
    for setting in settings {
      guard let period = ownPeriod(of: setting) else { continue }
      guard place < counters.count, counters[place].isOf(setting.id, period, models: nil, .credits)
      else { return false }
      place += 1
    }
    return place == counters.count
  }

  /// Returns the period of an account's own limit. A number for an id that the plan lacks waits for
  /// it.
  private func ownPeriod(of setting: LimitSetting) -> LimitPeriod? {
    if !setting.unit.isCredits || planned.contains(where: { $0.id == setting.id }) { return nil }
    return setting.period
  }

  func limit(of counter: LimitCounter, at place: Int) -> SpendLimit {
    let own = setting(of: counter)
    return SpendLimit(
      id: counter.id, period: counter.period, models: counter.models, unit: counter.unit,
      amount: amount(of: own, at: place), alerts: alerts(of: own, at: place), own: own)
  }

  /// Returns the number of the limit at a counter's place; nil if it was lifted.
  /// - Parameter own: the counter's ``setting(of:)``.
  func amount(of own: LimitSetting?, at place: Int) -> Int128? {
    if let own { return own.amount }
    return place < planned.count ? planned[place].amount : nil
  }

  func alerts(of own: LimitSetting?, at place: Int) -> [Int64] {
    own?.alerts
      ?? (place < planned.count ? planned[place].alerts : SpendLimit.usualAlerts)
  }

  /// Returns the account's own setting of a counter's limit; nil if the plan's number applies.
  func setting(of counter: LimitCounter) -> LimitSetting? {
    settings.isEmpty ? nil : settings.first { $0.sets(counter.id, counter.unit) }
  }
}

public struct LimitChange: Equatable, Sendable {
  public var id: Name
  public var value: Value
  /// Nil for the alerts of the plan.
  public var alerts: Optional<[Int64]>
  /// Whether a record keeps the number that this one replaces; nil for a request.
  var returnsOwn: Bool?

  public enum Value: Equatable, Sendable {
    /// Removes the setting.
    case plan
    case lifted
    /// - Parameter isDollars: whether the request calls it dollars; nil if it does not say.
    case number(ExactDecimal, isDollars: Bool?)
  }

  public init(id: Name, _ value: Value, alerts: [Int64]? = nil) {
    self.id = id
    self.value = value
    self.alerts = alerts
  }

  init(_ setting: LimitSetting) {
    let unit = setting.unit
    self.init(
      id: setting.id,
      setting.amount.map { .number(unit.number($0), isDollars: unit == .usd) } ?? .lifted,
      alerts: setting.alerts)
    returnsOwn = setting.then != nil
  }
}

/// The constant part of a limit's counter. Copies of an account share it.
public final class CountedLimit: Equatable, Sendable {
  public let id: Name
  public let period: LimitPeriod
  public let models: [Name]?
  public let impliesPeriod: Bool

  init(id: Name, period: LimitPeriod, models: [Name]?) {
    self.id = id
    self.period = period
    self.models = models
    impliesPeriod = period.isImplied(by: id.text)
  }

  public static func == (left: CountedLimit, right: CountedLimit) -> Bool {
    left === right
      || left.id == right.id && left.period == right.period && left.models == right.models
  }
}

/// The amount spent against one of an account's limits in the current window.
public struct LimitCounter: Equatable, Sendable {
  public let limit: CountedLimit
  public let unit: LimitUnit
  /// Start of the window, or of the limit in it. Earlier use does not count.
  public var since: Timestamp
  /// Number of the account's records before the limit, if some have the same time; else 0.
  public var after: Int64
  /// In the smallest parts of the unit.
  public var used: Int128
  /// End of the window by a wall clock; nil if the calendar in UTC, or the start, gives it.
  public var resetsAt: Timestamp?

  public init(
    id: Name, period: LimitPeriod, models: [Name]?, unit: LimitUnit = .credits, since: Timestamp,
    after: Int64 = 0, used: Int128 = 0, resetsAt: Timestamp? = nil
  ) {
    limit = CountedLimit(id: id, period: period, models: models)
    self.unit = unit
    self.since = since
    self.after = after
    self.used = used
    self.resetsAt = resetsAt
  }

  public var id: Name { limit.id }
  public var period: LimitPeriod { limit.period }
  public var models: [Name]? { limit.models }

  /// End of the window, if it ends, and its end is known.
  var end: Timestamp? {
    guard let resetsAt else { return period.end(since: since) }
    return resetsAt == .latest ? nil : resetsAt
  }

  func hasEnded(by time: Timestamp) -> Bool {
    if let resetsAt { return resetsAt <= time && resetsAt != .latest }
    return period.start(of: time, since: since) > since
  }

  /// Returns true if it is the counter of a limit. Another period or unit, or other models, begin
  /// another counter.
  func isOf(_ limit: SpendLimit) -> Bool {
    isOf(limit.id, limit.period, models: limit.models, limit.unit)
  }

  func used(after amount: Int128) -> Int128 { min(unit.mostUsed, max(0, used + amount)) }

  /// Counts from 0 in a window that begins at a time.
  /// - Parameter end: see ``resetsAt``.
  mutating func restart(at time: Timestamp, until end: Timestamp? = nil) {
    since = time
    after = 0
    used = 0
    resetsAt = end
  }

  func isSame(as other: LimitCounter) -> Bool {
    limit == other.limit && unit == other.unit
  }

  func isOf(_ id: Name, _ period: LimitPeriod, models: [Name]?, _ unit: LimitUnit) -> Bool {
    self.id == id && self.period == period && self.models == models && self.unit == unit
  }

  /// Returns the amount that it had counted in this window, by earlier counters.
  func used(in counters: [LimitCounter]) -> Int128 {
    counters.first { isSame(as: $0) && since == $0.since }?.used ?? 0
  }

  /// Returns the part of all held credits that is held against it.
  ///
  /// That is 0 if it has models, as holds name no models, and in any other unit than credits.
  func held(of credits: Credits) -> Credits { models == nil && unit.isCredits ? credits : 0 }

  /// Whether it counts the cost of a model.
  /// - Parameter model: its id in the catalog; nil for a price that no model has set.
  func covers(_ model: Name?) -> Bool { Name.covers(model, by: models) }
}

/// When limits count a charge: a time, and its place among limits that took effect at it.
public struct CountedInstant: Equatable, Sendable {
  public var time: Timestamp
  /// The ``LimitCounter/after`` of the last counting limit that began at this time, or 0.
  public var after: Int64

  public init(_ time: Timestamp, after: Int64 = 0) {
    self.time = time
    self.after = after
  }
}

extension LimitCounter {
  /// Whether it counts charges of an instant. Charges before the limit took effect do not count,
  /// even in the same millisecond.
  func counts(_ instant: CountedInstant) -> Bool {
    since < instant.time || since == instant.time && after <= instant.after
  }

  /// Returns the amount of a charge that it counts; 0 if it does not cover it.
  func amount(
    of credits: Credits, _ work: WorkMeasure, for model: Name?, at instant: CountedInstant
  ) -> Int128 {
    guard counts(instant), covers(model) else { return 0 }
    return unit.isCredits ? Int128(credits) : work[unit]
  }
}
