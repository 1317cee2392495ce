/// An instant: milliseconds since 1970-01-01T00:00:00Z, in the proleptic Gregorian calendar.
package struct Timestamp: Hashable, Comparable, Sendable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// 0001-01-01T00:00:00.000Z, the earliest time that RFC 3339 text can say here.
  package static let earliest = Timestamp(milliseconds: -62_135_596_800_000)
  /// 9999-12-31T23:59:59.999Z, the latest.
  package static let latest = Timestamp(milliseconds: 253_402_300_799_999)

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// Returns the instant a span later, or nil if that is past the year 9999.
  package func adding(_ span: TimeSpan) -> Timestamp? {
    let (sum, overflow) = milliseconds.addingReportingOverflow(span.milliseconds)
    return overflow || sum > Self.latest.milliseconds ? nil : Timestamp(milliseconds: sum)
  }

  static let millisecondsPerDay: Int64 = 86_400_000

  /// Days since 1970-01-01, rounded down.
  package var dayNumber: Int64 {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(
      dividingBy: Self.millisecondsPerDay)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// The calendar date of a day number (Howard Hinnant's `civil_from_days`).
  package static func civil(dayNumber: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = dayNumber + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// The day number of a calendar date (Howard Hinnant's `days_from_civil`).
  package static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
