/// How long a limit counts before it begins again at 0.
package enum LimitPeriod: Hashable, Sendable {
  case hour
  /// At 00:00 UTC.
  case day
  /// On Monday at 00:00 UTC.
  case week
  /// On the first of the month at 00:00 UTC.
  case month
  /// Every N days of 86,400 seconds from the instant the limit took effect.
  case days(Int64)
  /// Never.
  case total

  /// How many days a window of days may have.
  package static let dayLimits: ClosedRange<Int64> = 1...366

  /// The periods that are a word.
  package static let words: [LimitPeriod] = [.hour, .day, .week, .month, .total]

  /// The word that says it; nil for a number of days.
  package var word: StaticString? {
    switch self {
    case .hour: "hour"
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .total: "total"
    case .days: nil
    }
  }

  package init?(word: String) {
    guard let period = Self.words.first(where: { $0.isSaid(by: word) }) else { return nil }
    self = period
  }

  /// Returns true if the period is a word, and `text` is that word.
  package func isSaid(by text: String) -> Bool {
    word.map(text.hasSameBytes) ?? false
  }

  /// When the window began that an instant lies in.
  /// - Parameter since: when an earlier window began, or the limit took effect.
  /// - Returns: `since` if the window began before it.
  func start(of instant: Timestamp, since: Timestamp) -> Timestamp {
    if instant <= since { return since }
    let day = Timestamp.millisecondsPerDay
    let start: Int64
    switch self {
    case .total: return since
    case .hour: start = Self.multiple(of: 3_600_000, upTo: instant.milliseconds)
    case .day: start = instant.dayNumber * day
    case .week:
      // 1970-01-01 was a Thursday.
      start = (Self.multiple(of: 7, upTo: instant.dayNumber + 3) - 3) * day
    case .month:
      let date = Timestamp.civil(dayNumber: instant.dayNumber)
      start = Timestamp.dayNumber(year: date.year, month: date.month, day: 1) * day
    case .days(let count):
      let passed = instant.milliseconds - since.milliseconds
      start = since.milliseconds + Self.multiple(of: max(1, count) * day, upTo: passed)
    }
    return max(since, Timestamp(milliseconds: start))
  }

  /// When the window ends that an instant lies in; nil for one that does not. An end past the year
  /// 9999 is put at its very end.
  /// - Parameter since: when the window began, or the limit took effect.
  func end(of instant: Timestamp, since: Timestamp) -> Timestamp? {
    let start = start(of: instant, since: since)
    let day = Timestamp.millisecondsPerDay
    let end: Int64
    switch self {
    case .total: return nil
    case .hour: end = Self.multiple(of: 3_600_000, upTo: start.milliseconds) + 3_600_000
    case .day: end = (start.dayNumber + 1) * day
    case .week: end = (Self.multiple(of: 7, upTo: start.dayNumber + 3) + 4) * day
    case .month: return start.nextMonth
    case .days(let count): end = start.milliseconds + max(1, count) * day
    }
    return min(.latest, Timestamp(milliseconds: end))
  }

  /// The largest multiple of a step that is no later than a number, which may be negative.
  private static func multiple(of step: Int64, upTo number: Int64) -> Int64 {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: step)
    return (rest < 0 ? quotient - 1 : quotient) * step
  }
}
