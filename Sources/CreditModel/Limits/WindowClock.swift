/// The clock by which windows of limits and periods of quotas begin: the policy's.
///
/// By a wall clock, the state of each record has the ends of its windows. So a zone's rules are
/// needed only for a window that begins after them, and changed ones change no earlier window.
public enum WindowClock: Sendable {
  /// The calendar in UTC. The state needs no ends.
  case utc
  case wall(PolicyZone)
  /// The same for a reader. It knows no end of a new window if the zone cannot be read.
  case shown(PolicyZone)
  /// The ends in the state of a record that is checked.
  indirect case recorded(Account)

  var forReading: WindowClock { if case .wall(let zone) = self { .shown(zone) } else { self } }
}

/// A wall clock that a policy names.
public final class PolicyZone: Sendable {
  public let name: String
  private let source: (any ZoneSource)?

  /// - Parameter source: nil for the zone of a policy that is only checked.
  public init(_ name: String, from source: (any ZoneSource)?) {
    self.name = name
    self.source = source
  }

  /// - Throws: `unavailable` if the machine lacks the zone; `io_error`, `permission_denied`.
  public func zone() throws(CreditError) -> TimeZone {
    if let zone = TimeZone(offset: name) { return zone }
    if let zone = try source?.zone(named: name) { return zone }
    throw CreditError(.unavailable, "time zone \(quoted(name)) cannot be looked up here")
  }
}

/// The time zones that a machine knows.
public protocol ZoneSource: Sendable {
  /// - Throws: `unavailable` if the machine lacks the zone; `io_error`, `permission_denied`.
  func zone(named name: String) throws(CreditError) -> TimeZone
}

extension CalendarUnit {
  /// The longest that one can last by a wall clock, in milliseconds: dates may come again.
  fileprivate var longest: Int64 {
    let day = Timestamp.millisecondsPerDay
    switch self {
    case .hour: return 3_600_000
    case .day: return 3 * day
    case .week: return 9 * day
    case .month: return 33 * day
    }
  }

  /// Whether one that contains an instant may end at a time by some wall clock.
  fileprivate func mayEnd(at end: Timestamp, containing instant: Timestamp) -> Bool {
    end > instant && end.milliseconds - instant.milliseconds <= longest
  }
}

extension WindowClock {
  /// Returns the end of the part of the calendar that has an instant; nil if UTC gives it.
  /// - Parameter said: finds the end in the state of a record that is checked.
  /// - Throws: errors of ``PolicyZone/zone()``.
  private func end(
    of unit: CalendarUnit, containing instant: Timestamp, said: (Account) -> Timestamp?
  ) throws(CreditError) -> Timestamp? {
    switch self {
    case .utc: return nil
    case .wall(let zone): return try zone.zone().end(of: unit, containing: instant)
    case .shown(let zone):
      return (try? zone.zone())?.end(of: unit, containing: instant) ?? .latest
    case .recorded(let account):
      return said(account).flatMap { unit.mayEnd(at: $0, containing: instant) ? $0 : nil }
    }
  }
}

// Windows of limits.
extension WindowClock {
  /// Returns the end of the window in which a limit takes effect; nil if the calendar in UTC, or
  /// the start, gives it.
  /// - Throws: errors of ``PolicyZone/zone()``.
  func firstEnd(of limit: SpendLimit, at instant: Timestamp) throws(CreditError) -> Timestamp? {
    guard let unit = limit.period.unit else { return nil }
    return try end(of: unit, containing: instant) { account in
      account.limitCounters.first { $0.isOf(limit) && $0.since == instant }?.resetsAt
    }
  }

  /// Moves a counter whose window has ended to the window of an instant, from 0.
  /// - Throws: errors of ``PolicyZone/zone()``.
  func restart(_ counter: inout LimitCounter, at instant: Timestamp) throws(CreditError) {
    let end = counter.end ?? counter.since
    guard let unit = counter.period.unit else {
      return counter.restart(at: counter.period.start(of: instant, since: counter.since))
    }
    var zone = TimeZone.utc
    switch self {
    case .utc: break
    case .wall(let named): zone = try named.zone()
    case .shown(let named):
      guard let known = try? named.zone() else { return counter.restart(at: end, until: .latest) }
      zone = known
    case .recorded(let account):
      let next = account.limitCounters.first { $0.isSame(as: counter) }
      if let next, let until = next.resetsAt, next.since >= end, next.since <= instant,
        until > instant, unit.mayEnd(at: until, containing: next.since)
      {
        return counter.restart(at: next.since, until: until)
      }
    }
    let start = max(end, zone.start(of: unit, containing: instant))
    switch self {
    case .utc, .recorded: counter.restart(at: start)
    case .wall, .shown:
      counter.restart(at: start, until: zone.end(of: unit, containing: instant))
    }
  }
}

// Periods of quotas.
extension WindowClock {
  /// Sets the end of a quota's period that begins, or is joined, at an instant.
  /// - Throws: errors of ``PolicyZone/zone()``.
  func setEnd(of quota: inout Quota, after instant: Timestamp) throws(CreditError) {
    var end: Timestamp?
    if let unit = quota.period.unit {
      end = try self.end(of: unit, containing: instant) { account in
        account.quota.flatMap { $0.isByWallClock ? $0.resetsAt : nil }
      }
    }
    quota.isByWallClock = end != nil
    quota.resetsAt = end ?? quota.period.turn(after: instant)
  }
}

extension Account {
  var recordedClock: WindowClock { rareState?.hasWallClock == true ? .recorded(self) : .utc }
}
