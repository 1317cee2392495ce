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
      return Self.midnight(
        of: date.month == 12
          ? Timestamp.dayNumber(year: date.year + 1, month: 1, day: 1)
          : Timestamp.dayNumber(year: date.year, month: date.month + 1, day: 1))
    case .days(let count):
      let (span, overflow) = max(1, count).multipliedReportingOverflow(
        by: Timestamp.millisecondsPerDay)
      return overflow ? .latest : instant.adding(TimeSpan(milliseconds: span)) ?? .latest
    case .subscription: return .latest
    }
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
