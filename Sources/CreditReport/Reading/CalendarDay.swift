package import CreditModel

/// A day of the proleptic Gregorian calendar.
package struct CalendarDay: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01.
  package let number: Int64

  package init(number: Int64) { self.number = number }

  /// The day of an instant in UTC.
  package init(of time: Timestamp) { number = time.dayNumber }

  package static func < (left: CalendarDay, right: CalendarDay) -> Bool {
    left.number < right.number
  }

  private var date: (year: Int64, month: Int64, day: Int64) { Timestamp.civil(dayNumber: number) }

  /// `2026-02-19`
  package var text: String { "\(monthText)-\(date.day.padded(2))" }

  /// `2026-02`
  var monthText: String { "\(date.year.padded(4))-\(date.month.padded(2))" }

  /// `2026`
  var yearText: String { date.year.padded(4) }

  /// `Feb`
  var monthName: String {
    let names = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return names[Int(date.month) - 1]
  }

  var dayOfMonth: Int64 { date.day }

  /// The week of ISO 8601: `2026-W08`, which begins on a Monday and belongs to its Thursday's year.
  var weekText: String {
    let thursday = CalendarDay(number: weekStart.number + 3)
    let newYear = Timestamp.dayNumber(year: thursday.date.year, month: 1, day: 1)
    return "\(thursday.yearText)-W\(((thursday.number - newYear) / 7 + 1).padded(2))"
  }

  /// The Monday of its week; 1970-01-01 was a Thursday.
  var weekStart: CalendarDay {
    let weekday = ((number + 3) % 7 + 7) % 7
    return CalendarDay(number: number - weekday)
  }

  var monthStart: CalendarDay {
    CalendarDay(number: Timestamp.dayNumber(year: date.year, month: date.month, day: 1))
  }

  var yearStart: CalendarDay {
    CalendarDay(number: Timestamp.dayNumber(year: date.year, month: 1, day: 1))
  }
}
