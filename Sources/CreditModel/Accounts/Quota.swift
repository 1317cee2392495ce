public enum QuotaPeriod: Equatable, Sendable {
  case day
  case month
  /// Every N days of 86,400 seconds from the instant the plan was set.
  ///
  /// An N below 1 counts as 1.
  case days(Int64)
  /// Each month from the instant at which the plan began; nil in a policy. A 31st is the last day
  /// of a shorter month.
  case anniversary(of: Timestamp?)
  /// At each renewal of the subscription that sets the plan: its period is the quota's.
  case subscription

  /// Allowed lengths of a period of days.
  public static let dayLimits: ClosedRange<Int64> = 1...36_500

  /// The part of the calendar that it is.
  var unit: CalendarUnit? {
    switch self {
    case .day: .day
    case .month: .month
    case .days, .anniversary, .subscription: nil
    }
  }

  /// Returns the first turn after the plan was set or the quota turned, in UTC. It is at the end of
  /// the year 9999 at the latest.
  func turn(after instant: Timestamp) -> Timestamp {
    switch self {
    case .day: return TimeZone.utc.end(of: .day, containing: instant)
    case .month: return TimeZone.utc.end(of: .month, containing: instant)
    case .days(let count):
      let (span, overflow) = max(1, count).multipliedReportingOverflow(
        by: Timestamp.millisecondsPerDay)
      return overflow ? .latest : instant.adding(TimeSpan(milliseconds: span)) ?? .latest
    case .anniversary(let start): return Self.anniversary(of: start ?? instant, after: instant)
    case .subscription: return .latest
    }
  }

  func beginning(at instant: Timestamp) -> QuotaPeriod {
    if case .anniversary = self { .anniversary(of: instant) } else { self }
  }

  /// Returns the period after another one of the same plan: an anniversary stays what it is.
  func following(_ other: QuotaPeriod) -> QuotaPeriod {
    if case .anniversary = self, case .anniversary = other { other } else { self }
  }

  /// When the plan began, if its quota resets by that.
  public var start: Timestamp? {
    if case .anniversary(let start) = self { start } else { nil }
  }

  private static func anniversary(of start: Timestamp, after instant: Timestamp) -> Timestamp {
    let month = CalendarUnit.month
    let inMonth = start.dayNumber - month.firstDay(with: start.dayNumber)
    let inDay = start.milliseconds - start.dayNumber * Timestamp.millisecondsPerDay
    func anniversary(inMonthOf day: Int64) -> Timestamp {
      let begin = month.firstDay(with: day)
      let day = min(begin + inMonth, month.firstDay(with: begin + 31) - 1)
      return min(.latest, Timestamp(milliseconds: day * Timestamp.millisecondsPerDay + inDay))
    }
    let next = anniversary(inMonthOf: instant.dayNumber)
    if next > instant { return next }
    return anniversary(inMonthOf: month.firstDay(with: instant.dayNumber) + 31)
  }
}

/// An account's quota in its current period. The rest of it is the quota bucket.
public struct Quota: Equatable, Sendable {
  public var plan: Name
  public var period: QuotaPeriod
  /// Credits at the period's start: the plan's quota, and those carried over.
  public var limit: Credits
  /// Credits used of it; more than the limit if a smaller plan was set meanwhile.
  public var used: Credits
  public var resetsAt: Timestamp
  /// True if the period ends by a wall clock, false if by the calendar in UTC.
  public var isByWallClock: Bool

  public init(
    plan: Name, period: QuotaPeriod, limit: Credits, used: Credits, resetsAt: Timestamp,
    isByWallClock: Bool = false
  ) {
    self.plan = plan
    self.period = period
    self.limit = limit
    self.used = used
    self.resetsAt = resetsAt
    self.isByWallClock = isByWallClock
  }

  /// End of the period; nil if that is unknown, because its zone cannot be read.
  public var end: Timestamp? { isByWallClock && resetsAt == .latest ? nil : resetsAt }

  /// When it resets by its anniversary in the last days before an end, if it does. Paid months have
  /// up to 3 days, and the hour of summer time, more than an anniversary's.
  func lastTurn(before end: Timestamp) -> Timestamp? {
    let days = Timestamp(milliseconds: end.milliseconds - 4 * Timestamp.millisecondsPerDay)
    let turn = period.start == nil ? end : period.turn(after: days)
    return turn < end && turn >= resetsAt ? turn : nil
  }

  public var remaining: Credits {
    let (left, overflow) = limit.subtractingReportingOverflow(used)
    return overflow ? 0 : max(0, left)
  }
}
