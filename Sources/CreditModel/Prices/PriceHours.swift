/// The hours of a day, in UTC, in which a price holds: each day, or some days of the week.
package struct PriceHours: Hashable, Sendable {
  /// A bit for each day that the hours begin on, Monday's the lowest.
  private let days: UInt8
  /// Minutes of the day. An end that is not after the start is on the next day.
  private let start: Int64
  private let end: Int64
  /// As it is written: `16:30-00:30`, or `mon-fri 16:30-00:30`.
  package let text: String

  private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// Reads hours as a price list has them; nil otherwise.
  package init?(text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count <= 2, let last = words.last else { return nil }
    let hours = last.split(separator: "-", omittingEmptySubsequences: false)
    guard hours.count == 2, let start = Self.minute(hours[0]), start < 24 * 60,
      let end = Self.minute(hours[1])
    else { return nil }
    self.start = start
    self.end = end % (24 * 60)
    if words.count == 2 {
      guard let days = Self.days(words[0]) else { return nil }
      self.days = days
    } else {
      days = 0x7F
    }
    self.text = text
  }

  /// Whether a time is within the hours.
  func contains(_ time: Timestamp) -> Bool {
    let day = time.dayNumber
    let minute = (time.milliseconds - day * Timestamp.millisecondsPerDay) / 60_000
    if start < end { return begins(on: day) && start <= minute && minute < end }
    return begins(on: day) && start <= minute || begins(on: day - 1) && minute < end
  }

  /// Day 0 is a Thursday.
  private func begins(on day: Int64) -> Bool {
    let weekday = ((day + 3) % 7 + 7) % 7
    return days & 1 << UInt8(weekday) != 0
  }

  private static func minute(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2,
      parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(\.isDigit) }),
      let hour = Int64(parts[0]), let minute = Int64(parts[1]), minute < 60,
      hour < 24 || hour == 24 && minute == 0
    else { return nil }
    return hour * 60 + minute
  }

  /// A day, or a first and a last one with a hyphen between them, which may span a Sunday.
  private static func days(_ text: Substring) -> UInt8? {
    let names = text.split(separator: "-", omittingEmptySubsequences: false)
    guard names.count <= 2, let first = names.first.flatMap(number),
      let last = names.last.flatMap(number)
    else { return nil }
    var days: UInt8 = 1 << UInt8(last)
    var day = first
    while day != last {
      days |= 1 << UInt8(day)
      day = (day + 1) % 7
    }
    return days
  }

  private static func number(_ day: Substring) -> Int? { dayNames.firstIndex { $0 == day } }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
