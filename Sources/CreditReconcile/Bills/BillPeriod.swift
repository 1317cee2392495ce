package import CreditModel
package import CreditReport

/// Which days are compared, and where they begin.
package struct BillPeriod: Sendable {
  /// The first day; nil for the bill's own.
  let since: Int64?
  /// The first day after; nil for the bill's own.
  let until: Int64?
  let utcOffset: UTCOffset

  /// - Parameters:
  ///   - since: the beginning of a day, in UTC or where the bill's days begin.
  ///   - until: likewise.
  /// - Returns: nil if one of them is within a day.
  package init?(since: Timestamp?, until: Timestamp?, utcOffset: UTCOffset) {
    self.utcOffset = utcOffset
    var days: [Int64?] = []
    for time in [since, until] {
      guard let time else {
        days.append(nil)
        continue
      }
      let local = Self.local(time, utcOffset)
      let candidates = [time, local].filter { $0.milliseconds % Self.dayMilliseconds == 0 }
      guard let beginning = candidates.first else { return nil }
      days.append(beginning.dayNumber)
    }
    self.since = days[0]
    self.until = days[1]
  }

  static let dayMilliseconds: Int64 = 86_400_000

  private static func local(_ time: Timestamp, _ offset: UTCOffset) -> Timestamp {
    Timestamp(milliseconds: time.milliseconds + Int64(offset.minutes) * 60_000)
  }

  /// Returns the local clock's time at an instant, as if it were UTC.
  func local(_ time: Timestamp) -> Timestamp { Self.local(time, utcOffset) }

  /// The day of an instant there.
  func day(of time: Timestamp) -> Int64 { local(time).dayNumber }

  /// The instant at which a day begins there.
  func beginning(of day: Int64) -> Timestamp {
    utcOffset.time(Timestamp(milliseconds: day * Self.dayMilliseconds))
  }

  func contains(_ day: Int64) -> Bool {
    since.map { day >= $0 } ?? true && until.map { day < $0 } ?? true
  }
}
