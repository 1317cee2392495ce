/// An instant: milliseconds since 1970-01-01T00:00:00Z, in the proleptic Gregorian calendar.
public struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
  public let milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// 0001-01-01T00:00:00.000Z, the earliest time of RFC 3339 text.
  public static let earliest = Timestamp(milliseconds: -62_135_596_800_000)
  /// 9999-12-31T23:59:59.999Z, the latest.
  public static let latest = Timestamp(milliseconds: 253_402_300_799_999)

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// Returns the instant a span later, or nil if that is past the year 9999.
  public func adding(_ span: TimeSpan) -> Timestamp? {
    let (sum, overflow) = milliseconds.addingReportingOverflow(span.milliseconds)
    return overflow || sum > Self.latest.milliseconds ? nil : Timestamp(milliseconds: sum)
  }

  public static let millisecondsPerDay: Int64 = 86_400_000

  /// Days since 1970-01-01, rounded down.
  public var dayNumber: Int64 { milliseconds.divided(by: Self.millisecondsPerDay) }

  /// Returns the calendar date of a day number (Howard Hinnant's `civil_from_days`).
  public static func civil(dayNumber: Int64) -> (year: Int64, month: Int64, day: Int64) {
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

  /// Returns the day number of a calendar date (Howard Hinnant's `days_from_civil`).
  public static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

/// A requested time: an instant, the beginning in UTC of a day or a month, or a word that depends
/// on the clock.
public enum AskedTime: Hashable, Sendable {
  case instant(Timestamp)
  case word(Word)

  public enum Word: String, CaseIterable, Sendable {
    case now, today, yesterday, tomorrow
  }

  /// - Returns: nil for text of any other form.
  public init?(text: String) {
    let time = (Timestamp(text: text) ?? Timestamp(dateText: text)).map(AskedTime.instant)
    guard let asked = time ?? Word(rawValue: text).map(AskedTime.word) else { return nil }
    self = asked
  }

  public func time(at now: Timestamp) -> Timestamp {
    switch self {
    case .instant(let time): time
    case .word(.now): now
    case .word(.today): TimeZone.utc.start(ofDay: now.dayNumber)
    case .word(.yesterday): max(.earliest, TimeZone.utc.start(ofDay: now.dayNumber - 1))
    case .word(.tomorrow): TimeZone.utc.end(of: .day, containing: now)
    }
  }
}

extension Timestamp {
  /// Returns the beginning of a day, `2026-02-19`, or of a month, `2026-02`, in UTC.
  /// - Returns: nil for text of any other form, and for a date that does not exist.
  public init?(dateText text: String) {
    self.init(text: text + (text.utf8.count == 7 ? "-01T00:00:00Z" : "T00:00:00Z"))
  }

  /// The beginning of a month, `2026-02`, in UTC.
  public init?(monthText text: String) {
    guard text.utf8.count == 7 else { return nil }
    self.init(text: text + "-01T00:00:00Z")
  }

  /// The beginning of the month after this time's.
  public var nextMonth: Timestamp { TimeZone.utc.end(of: .month, containing: self) }
}

/// A span of time as people write it: `90s`, `15m`, `1h`, `30d`. Never negative.
public struct TimeSpan: Hashable, Sendable {
  public let milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func seconds(_ count: Int64) -> TimeSpan { TimeSpan(milliseconds: count * 1000) }

  /// Reads a whole number and one unit: `s`, `m`, `h` or `d`.
  /// - Returns: nil if the text has another form or is more than 10,000 years.
  public init?(text: String) {
    guard let unit = text.utf8.last, text.utf8.count >= 2 else { return nil }
    let secondsPerUnit: Int64
    switch unit {
    case UInt8(ascii: "s"): secondsPerUnit = 1
    case UInt8(ascii: "m"): secondsPerUnit = 60
    case UInt8(ascii: "h"): secondsPerUnit = 3600
    case UInt8(ascii: "d"): secondsPerUnit = 86_400
    default: return nil
    }
    var count: Int64 = 0
    for byte in text.utf8.dropLast() {
      let digit = Int64(byte) - 48
      guard (0...9).contains(digit), count < 1_000_000_000_000 else { return nil }
      count = count * 10 + digit
    }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: secondsPerUnit)
    guard !overflow, seconds <= 10_000 * 366 * 86_400 else { return nil }
    self = .seconds(seconds)
  }

  /// Returns the end of a message about a text that is almost a span: `1w`, `30 days`, `PT1H`.
  public static func advice(on text: String) -> String {
    let short = text.lowercased().filter { $0 != " " }
    let bare = short.drop { $0 == "p" || $0 == "t" }
    let digits = bare.prefix { "0123456789".contains($0) }
    let word = bare.dropFirst(digits.count)
    guard let count = Int64(digits), count < 1_000_000_000 else { return "" }
    if word.isEmpty { return ": it lacks its unit" }
    if word.hasPrefix("y") { return "; it has no years: \(count * 365)d" }
    if text.hasSuffix("M") && !text.hasPrefix("PT") || word.hasPrefix("mo") {
      let minutes = word == "m" ? ", or \(count)m for minutes" : ""
      let days = count % 12 == 0 ? count / 12 * 365 : count * 30
      return "; it has no months: \(days)d\(minutes)"
    }
    let words = ["sec second", "min minute", "hr hour", "day", "wk week"]
    let units = ["s", "m", "h", "d", "w"]
    for (unit, words) in zip(units, words) {
      let known = words.split(separator: " ").contains { word == $0 || word == $0 + "s" }
      guard known || word == unit else { continue }
      let meant = unit == "w" ? "\(count * 7)d" : "\(count)\(unit)"
      return meant == text ? "" : "; did you mean \(meant)?"
    }
    return ""
  }

  /// Its text in the largest unit that divides it.
  public var text: String {
    let seconds = milliseconds / 1000
    for (unit, secondsPerUnit) in [("d", Int64(86_400)), ("h", 3600), ("m", 60)]
    where seconds > 0 && seconds % secondsPerUnit == 0 {
      return "\(seconds / secondsPerUnit)\(unit)"
    }
    return "\(seconds)s"
  }
}
