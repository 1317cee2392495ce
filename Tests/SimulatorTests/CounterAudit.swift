import CreditModel

@testable import TestSupport

/// The counts of limits, computed from the records alone: each charge once, in the windows that
/// have begun by its time; a window begins with a day, a week or a limit.
struct CounterAudit {
  fileprivate struct Counted {
    var credits: Credits
    var work = Work()
    let model: Name?
    let time: Timestamp
    /// The charge.
    let authorization: Name
  }

  /// The whole work of a charge. Dollars are in parts of 10^-18.
  fileprivate struct Work {
    var tokens: Int128 = 0
    var requests: Int128 = 0
    var usd: Int128 = 0
  }

  private struct LimitKey: Hashable {
    let account: Name
    let limit: Name
  }

  private let zone: SlowZone?
  private var counters: [Name: [LimitCounter]] = [:]
  private var settings: [Name: [LimitSetting]] = [:]
  /// How many records have been taken.
  private var count = 0
  /// Record number of each charge, and of each window's beginning: within a millisecond, the window
  /// counts later charges.
  private var charged: [Name: Int] = [:]
  private var began: [LimitKey: Int] = [:]
  /// The price of each charge by its last record.
  private var prices: [Name: Credits] = [:]
  /// The work that each charge counts by its last record.
  private var works: [Name: Work] = [:]
  /// Credits that the previous charge counts at the accounts whose shares follow.
  private var reached: [Name: Credits] = [:]

  /// - Parameter zone: the wall clock of windows; nil for UTC.
  init(zone: SlowZone?) {
    self.zone = zone
  }

  mutating func take(_ record: LedgerRecord) throws(Violation) {
    count += 1
    let counted = counted(by: record)
    let name = record.account.name
    let known = counters[name] ?? []
    for counter in record.account.limitCounters {
      let before = known.first {
        $0.id == counter.id && $0.period == counter.period && $0.models == counter.models
          && $0.unit == counter.unit
      }
      try checkStart(of: counter, after: before, in: record)
      try checkEnd(of: counter, at: record.account.updatedAt)
      if before?.since != counter.since {
        began[LimitKey(account: name, limit: counter.id)] = count
      }
      var used = before?.since == counter.since ? before?.used ?? 0 : 0
      if let counted, hasBegun(counter, of: name, by: counted), counter.counts(counted.model) {
        used = max(0, used + counted.amount(in: counter.unit))
      }
      guard counter.used == used else {
        throw Violation(
          "limit \(counter.id.text) of \(name.text) has counted \(counter.used), not \(used)")
      }
    }
    counters[name] = record.account.limitCounters
    try checkSettings(in: record)
    settings[name] = record.account.limitsSet
  }

  /// A number with an end keeps the one without that it replaces, unless the plan may have one.
  /// Only requests change numbers.
  private func checkSettings(in record: LedgerRecord) throws(Violation) {
    let account = record.account
    let known = settings[account.name] ?? []
    let left = known.compactMap { old in
      old.until.map { $0 <= account.updatedAt } ?? false ? old.then : old
    }
    guard case .settings = record.event else {
      if account.limitsSet == left { return }
      throw Violation("a limit of \(account.name.text) was set without a request")
    }
    for new in account.limitsSet where new.until != nil {
      let old = known.first { $0.id == new.id }
      if account.plan != nil, old?.until == nil, new.then == nil { continue }
      guard new.then == (old?.until == nil ? old : old?.then) else {
        throw Violation("limit \(new.id.text) of \(account.name.text) has lost its number")
      }
    }
  }

  private func hasBegun(_ counter: LimitCounter, of account: Name, by counted: Counted) -> Bool {
    if counter.since != counted.time { return counter.since < counted.time }
    let began = began[LimitKey(account: account, limit: counter.id)] ?? 0
    return began <= charged[counted.authorization] ?? count
  }

  private func checkStart(
    of counter: LimitCounter, after before: LimitCounter?, in record: LedgerRecord
  ) throws(Violation) {
    guard let before else {
      if case .settings = record.event, counter.since == record.account.updatedAt { return }
      throw Violation("limit \(counter.id.text) began without a record of it")
    }
    let start = counter.windowStart(of: record.account.updatedAt, in: zone)
    if counter.since == before.since, counter.since.milliseconds >= start { return }
    guard counter.since > before.since, counter.since.milliseconds == start else {
      throw Violation("limit \(counter.id.text) was reset at \(counter.since.text)")
    }
  }

  /// The state says of a window when it ends, if that is by a wall clock.
  private func checkEnd(of counter: LimitCounter, at time: Timestamp) throws(Violation) {
    let end = counter.calendarUnit.flatMap { zone?.end(of: $0, containing: time) }
    guard counter.resetsAt == end else {
      throw Violation(
        "limit \(counter.id.text) ends at \(counter.resetsAt?.text ?? "no time")")
    }
  }

  private mutating func counted(by record: LedgerRecord) -> Counted? {
    switch record.event {
    case .charge(let charge):
      reached = [:]
      var passed = charge.receipt.paidBy.reduce(0) { $0 + $1.credits }
      for share in charge.receipt.paidBy {
        reached[share.account] = passed
        passed -= share.credits
      }
      prices[charge.receipt.authorization.id] = charge.receipt.creditsCharged
      charged[charge.receipt.authorization.id] = count
      return Counted(
        charge, charge.receipt.creditsCharged, worked(charge), at: record.account.updatedAt)
    case .amend(let charge):
      let before = prices[charge.receipt.authorization.id] ?? 0
      prices[charge.receipt.authorization.id] = charge.receipt.creditsCharged
      return Counted(
        charge, charge.receipt.creditsCharged - before, worked(charge),
        at: charge.amendment?.chargedAt ?? .earliest)
    case .chargeRefund(let charge, let refund):
      return Counted(
        charge, -refund.credits, worked(charge, refunded: refund.requested),
        at: charge.amendment?.chargedAt ?? charge.receipt.timestamp)
    case .share(let share):
      var credits = share.counted
      var work = Work(
        tokens: share.countedWork.tokens, requests: share.countedWork.requests,
        usd: share.countedWork.usd)
      if case .charge = share.step {
        credits = reached[record.account.name] ?? 0
        work = credits > 0 ? works[share.authorization] ?? Work() : Work()
      }
      return Counted(
        credits: credits, work: work, model: share.model, time: share.countedAt.time,
        authorization: share.authorization)
    default: return nil
    }
  }

  /// Returns what a record changes of the work that its charge counts.
  private mutating func worked(_ charge: Charge, refunded: Credits? = nil) -> Work {
    let receipt = charge.receipt
    let known = works[receipt.authorization.id] ?? Work()
    var work = Work()
    let isExempt =
      receipt.creditsWaived != nil && receipt.creditsCharged == 0
      && receipt.paidBy.allSatisfy { $0.waived == 0 }
    if !isExempt, charge.amendment?.isReturn != true {
      work.requests = 1
      if case .tokens(let counts)? = receipt.usage {
        for count in UsageCount.allCases where "\(count.row.member)".hasSuffix("Tokens") {
          work.tokens += Int128(counts[count])
        }
      }
      let dollars = ExactDecimal(text: receipt.details?.limitUSD ?? receipt.usd ?? "0")
      work.usd = dollars?.coefficient(atScale: 18) ?? 0
    }
    if let refunded {
      let charged = receipt.creditsCharged
      func left(_ whole: Int128, step: Int128 = 1) -> Int128 {
        if refunded >= charged { return 0 }
        let part = whole * Int128(refunded) / Int128(charged)
        return whole - part / step * step
      }
      work = Work(
        tokens: left(work.tokens), requests: left(work.requests),
        usd: left(work.usd, step: 1_000_000))
    }
    works[receipt.authorization.id] = work
    return Work(
      tokens: work.tokens - known.tokens, requests: work.requests - known.requests,
      usd: work.usd - known.usd)
  }
}

extension CounterAudit.Counted {
  /// - Parameter time: time of the charge. A charge that was only billed counts at the time of the
  ///   work.
  fileprivate init(
    _ charge: Charge, _ credits: Credits, _ work: CounterAudit.Work, at time: Timestamp
  ) {
    let details = charge.receipt.details
    self.credits = credits
    self.work = work
    model = charge.receipt.isFallback ? nil : details?.catalogModel ?? charge.receipt.model
    self.time = details?.isArrears == true ? min(details?.usedAt ?? time, time) : time
    authorization = charge.receipt.authorization.id
  }

  fileprivate func amount(in unit: LimitUnit) -> Int128 {
    switch unit {
    case .credits: Int128(credits)
    case .tokens: work.tokens
    case .requests: work.requests
    case .usd: work.usd
    }
  }
}

extension LimitCounter {
  private static let day: Int64 = 86_400_000

  fileprivate func counts(_ model: Name?) -> Bool {
    guard let models else { return true }
    return models.contains { pattern in
      pattern.text.hasSuffix("*")
        ? model?.text.hasPrefix(pattern.text.dropLast()) ?? false : pattern == model
    }
  }

  fileprivate var calendarUnit: CalendarUnit? {
    switch period {
    case .day: .day
    case .week: .week
    default: nil
    }
  }

  /// When the window began that a time is in, for a limit of a day, a week or for ever.
  fileprivate func windowStart(of time: Timestamp, in zone: SlowZone?) -> Int64 {
    if let zone, let calendarUnit {
      return zone.start(of: calendarUnit, containing: time).milliseconds
    }
    let days = time.milliseconds / Self.day
    switch period {
    case .day: return days * Self.day
    // The first of January 1970 was a Thursday.
    case .week: return (days - (days + 3) % 7) * Self.day
    default: return since.milliseconds
    }
  }
}
