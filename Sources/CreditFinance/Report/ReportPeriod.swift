public import CreditBytes
internal import CreditModel

/// The time of a report, and the beginning of its days.
public struct ReportPeriod: Sendable {
  /// The first instant; nil for the beginning of all.
  let since: Timestamp?
  /// The first instant after it; nil for the end of all.
  let until: Timestamp?
  private let utcOffset: UTCOffset
  /// True to count work at its charge, not when it was done.
  private let isByRecord: Bool

  public init(
    since: Timestamp?, until: Timestamp?, utcOffset: UTCOffset, isByRecord: Bool = false
  ) {
    self.since = since
    self.until = until
    self.utcOffset = utcOffset
    self.isByRecord = isByRecord
  }

  /// Whether it begins or ends at some time.
  var isBounded: Bool { since != nil || until != nil }

  /// Returns the time of a line's event, which decides its day, month and period.
  func time(of line: ReportLine) -> Timestamp {
    isByRecord ? line.recordedAt : line.usedAt ?? line.recordedAt
  }

  func contains(_ line: ReportLine) -> Bool { contains(time(of: line)) }

  func day(of line: ReportLine) -> CalendarDay { day(of: time(of: line)) }

  func contains(_ time: Timestamp) -> Bool { !isBefore(time) && !isAfter(time) }

  func isBefore(_ time: Timestamp) -> Bool { since.map { time < $0 } ?? false }

  func isAfter(_ time: Timestamp) -> Bool { until.map { time >= $0 } ?? false }

  /// Returns the day of an instant in the report's time zone.
  func day(of time: Timestamp) -> CalendarDay {
    CalendarDay(of: utcOffset.local(time))
  }

  /// The instant when a day begins there.
  func start(of day: CalendarDay) -> Timestamp {
    utcOffset.time(Timestamp(milliseconds: day.number * 86_400_000))
  }

  /// The hour and minute of an instant there: `10:00`.
  func clock(of time: Timestamp) -> String {
    let local = utcOffset.local(time)
    let minute = (local.milliseconds - local.dayNumber * 86_400_000) / 60_000
    return (minute / 60).padded(2) + ":" + (minute % 60).padded(2)
  }

  /// How its times are named: `UTC`, `UTC+02:00`.
  var clockName: String { utcOffset.minutes == 0 ? "UTC" : "UTC\(utcOffset.text)" }
}

/// The offset of a clock from UTC, in whole minutes.
public struct UTCOffset: Hashable, Sendable {
  public let minutes: Int

  public static let zero = UTCOffset(minutes: 0)

  private init(minutes: Int) { self.minutes = minutes }

  /// - Parameter text: `+02:00`, `-09:30` or `Z`.
  /// - Returns: nil for anything else.
  public init?(text: String) {
    if text == "Z" {
      self = .zero
      return
    }
    let bytes = Array(text.utf8)
    guard bytes.count == 6, bytes[0] == 0x2B || bytes[0] == 0x2D, bytes[3] == 0x3A else {
      return nil
    }
    let digits = [bytes[1], bytes[2], bytes[4], bytes[5]].map { Int($0) - 0x30 }
    guard digits.allSatisfy((0...9).contains) else { return nil }
    let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
    guard hours < 24, minutes < 60 else { return nil }
    self.minutes = (hours * 60 + minutes) * (bytes[0] == 0x2D ? -1 : 1)
  }

  /// Returns the instant at which clocks there show a time.
  public func time(_ shown: Timestamp) -> Timestamp {
    Timestamp(milliseconds: shown.milliseconds - Int64(minutes) * 60_000)
  }

  /// Returns the local clock's time at an instant, as if it were UTC.
  func local(_ time: Timestamp) -> Timestamp {
    Timestamp(milliseconds: time.milliseconds + Int64(minutes) * 60_000)
  }

  public var text: String {
    let size = abs(minutes)
    return (minutes < 0 ? "-" : "+") + (size / 60).padded(2) + ":" + (size % 60).padded(2)
  }
}

extension BinaryInteger {
  /// The digits of a number that is not negative, with zeros before them.
  func padded(_ count: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
