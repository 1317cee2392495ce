import CreditModel

@testable import TestSupport

// Time.
extension OracleAccount {
  /// Lets time pass: handles the earliest due event until no event is due.
  mutating func pass(to now: Timestamp, plans: [Plan]) throws(OutOfRange) {
    while true {
      let expiries = lots.compactMap(\.until)
      let starts = scheduled.map(\.start)
      let turns = plan.flatMap {
        $0.period == .subscription || isHeld(by: active) ? nil : [$0.resetsAt]
      }
      let ends = active.map { [$0.end] } ?? []
      guard let next = (expiries + starts + (turns ?? []) + ends).min(), next <= now else { break }
      clock = max(clock, next)
      passPaid()
      for lot in lots where lot.until == next {
        if let grant = lot.grant { grants[grant.id]?.expired += lot.credits }
      }
      lots.removeAll { $0.until == next }
      if active?.end == next {
        removePlan()
        endPaid()
      }
      if plan?.resetsAt == next, plan?.period != .subscription, !isHeld(by: active) {
        turn(plans)
        try checkRange()
      }
      for (lot, start) in scheduled where start == next {
        receive(lot.credits, lot.kind, until: lot.until, lot.grant)
        try checkRange()
      }
      scheduled.removeAll { $0.start == next }
    }
    clock = max(clock, now)
    passPaid()
    dropRemoved(plans)
    holds.removeAll { $0.until <= clock }
  }

  /// True if this account, a while later, has lots that started or expired, or a quota that turned.
  func hasTurned(into later: OracleAccount) -> Bool {
    lots.count != later.lots.count || scheduled.count != later.scheduled.count
      || debt != later.debt || plan?.resetsAt != later.plan?.resetsAt || planName != later.planName
  }

  mutating func turn(_ plans: [Plan]) {
    guard let old = plan else { return }
    let rules = plans.first { $0.id == old.plan }
    let own = isClosed ? 0 : Int128(rules?.quota ?? 0)
    var room = isClosed ? 0 : Int128(rules?.rolloverMax ?? 0)
    var left: [(age: Int, size: Int128, credits: Int128)] = [(0, own, own)]
    // The newest are kept first; without ages all that is left is one.
    let lasts = rules?.rolloverFor.map { Int($0) }
    for part in lasts == nil ? [(age: 0, size: 0, credits: old.remaining)] : old.left.reversed() {
      let kept = part.age + 1 > lasts ?? .max ? 0 : min(part.credits, room)
      room -= kept
      left.insert((part.age + 1, kept, kept), at: 0)
    }
    let limit = left.reduce(0) { $0 + $1.size }
    // Credits without ages are one part, if a later policy lets them expire.
    if lasts == nil { left = [(0, limit, limit)] }
    let period = rules?.period.asOf(old.resetsAt, after: old.period) ?? old.period
    var resetsAt = OracleCalendar.turn(of: period, after: old.resetsAt, in: zone)
    if period == .subscription {
      guard let active else {
        plan = nil
        return
      }
      resetsAt = active.until > old.resetsAt ? active.until : active.end
    }
    plan = PlanState(
      plan: old.plan, period: period, limit: limit, used: 0, resetsAt: resetsAt, lasts: lasts,
      left: left)
    settleDebtFromPlan()
  }
}

/// When quotas turn, by counting days.
enum OracleCalendar {
  private static let day: Int64 = 86_400_000

  /// - Parameter zone: the clock by which days and months begin; nil for UTC.
  static func turn(of period: QuotaPeriod, after instant: Timestamp, in zone: SlowZone?)
    -> Timestamp
  {
    let milliseconds = instant.milliseconds
    if let zone, period == .day { return zone.end(of: .day, containing: instant) }
    if let zone, period == .month { return zone.end(of: .month, containing: instant) }
    switch period {
    case .day: return Timestamp(milliseconds: (milliseconds / day + 1) * day)
    case .subscription: return .latest
    case .days(let count): return Timestamp(milliseconds: milliseconds + count * day)
    case .anniversary(let start):
      return anniversary(of: start?.milliseconds ?? milliseconds, after: milliseconds)
    case .month:
      var firstOfMonth: Int64 = 0
      var year: Int64 = 1970
      var month: Int64 = 1
      while firstOfMonth * day <= milliseconds {
        firstOfMonth += CountingCalendar.days(inMonth: month, of: year)
        (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
      }
      return Timestamp(milliseconds: firstOfMonth * day)
    }
  }

  /// Goes from month to month, with the day of the first one or the month's last.
  private static func anniversary(of start: Int64, after milliseconds: Int64) -> Timestamp {
    var firstOfMonth: Int64 = 0
    var dayOfMonth: Int64?
    var year: Int64 = 1970
    var month: Int64 = 1
    while true {
      let length = CountingCalendar.days(inMonth: month, of: year)
      if let dayOfMonth {
        let next = (firstOfMonth + min(dayOfMonth, length) - 1) * day + start % day
        if next > milliseconds { return Timestamp(milliseconds: next) }
      } else if start / day < firstOfMonth + length {
        dayOfMonth = start / day - firstOfMonth + 1
      }
      firstOfMonth += length
      (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
    }
  }
}

extension QuotaPeriod {
  /// The period of a plan from an instant on: an anniversary goes on, or begins.
  func asOf(_ instant: Timestamp, after other: QuotaPeriod?) -> QuotaPeriod {
    guard case .anniversary = self else { return self }
    if case .anniversary? = other { return other ?? self }
    return .anniversary(of: instant)
  }
}
