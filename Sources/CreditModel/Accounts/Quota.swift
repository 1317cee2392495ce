public import CreditBytes

public enum QuotaPeriod: Hashable, Sendable {
  /// At 00:00 UTC.
  case day
  /// On the first of the month at 00:00 UTC.
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

  /// Returns the first turn after the plan was set or the quota turned. It is at the end of the
  /// year 9999 at the latest.
  func turn(after instant: Timestamp) -> Timestamp {
    switch self {
    case .day:
      return Self.midnight(of: instant.dayNumber + 1)
    case .month:
      let date = Timestamp.civil(dayNumber: instant.dayNumber)
      return Self.midnight(of: Self.firstDay(ofMonth: 12 * date.year + date.month))
    case .days(let count):
      let (span, overflow) = max(1, count).multipliedReportingOverflow(
        by: Timestamp.millisecondsPerDay)
      return overflow ? .latest : instant.adding(TimeSpan(milliseconds: span)) ?? .latest
    case .anniversary(let start): return Self.anniversary(of: start ?? instant, after: instant)
    case .subscription: return .latest
    }
  }

  /// Returns the period of a plan that begins at an instant.
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
    let first = Timestamp.civil(dayNumber: start.dayNumber)
    let inDay = start.milliseconds - start.dayNumber * Timestamp.millisecondsPerDay
    let date = Timestamp.civil(dayNumber: instant.dayNumber)
    let month = 12 * date.year + date.month - 1
    func anniversary(inMonth month: Int64) -> Timestamp {
      let (begin, end) = (firstDay(ofMonth: month), firstDay(ofMonth: month + 1))
      let day = min(begin + first.day, end) - 1
      return min(.latest, Timestamp(milliseconds: day * Timestamp.millisecondsPerDay + inDay))
    }
    let next = anniversary(inMonth: month)
    return next > instant ? next : anniversary(inMonth: month + 1)
  }

  /// - Parameter month: months since the year 0.
  private static func firstDay(ofMonth month: Int64) -> Int64 {
    Timestamp.dayNumber(year: month / 12, month: month % 12 + 1, day: 1)
  }

  private static func midnight(of dayNumber: Int64) -> Timestamp {
    min(.latest, Timestamp(milliseconds: dayNumber * Timestamp.millisecondsPerDay))
  }
}

/// An account's quota in its current period. The rest of it is the quota bucket.
public struct Quota: Hashable, Sendable {
  public var plan: Name
  public var period: QuotaPeriod
  /// Credits at the period's start: the plan's quota, and those carried over.
  public var limit: Credits
  /// Credits used of it; more than the limit if a smaller plan was set meanwhile.
  public var used: Credits
  public var resetsAt: Timestamp

  public init(plan: Name, period: QuotaPeriod, limit: Credits, used: Credits, resetsAt: Timestamp) {
    self.plan = plan
    self.period = period
    self.limit = limit
    self.used = used
    self.resetsAt = resetsAt
  }

  public var remaining: Credits {
    let (left, overflow) = limit.subtractingReportingOverflow(used)
    return overflow ? 0 : max(0, left)
  }
}
