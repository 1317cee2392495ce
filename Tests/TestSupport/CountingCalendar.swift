/// The Gregorian calendar as children learn it.
enum CountingCalendar {
  static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: isLeap(year) ? 29 : 28
    default: 31
    }
  }

  static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }
}
