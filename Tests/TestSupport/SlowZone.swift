import CreditBytes
import CreditModel
import Synchronization

/// A wall clock that is looked at each half hour, to find the beginnings of its days.
final class SlowZone: Sendable {
  let name: String
  /// When the clock changes, and its offset from then on, in milliseconds.
  private let changes: [(at: Int64, offset: Int64)]
  private let known = Mutex<[Key: Timestamp]>([:])

  private struct Key: Hashable {
    let unit: CalendarUnit
    let time: Int64
  }

  static let fixed = SlowZone("+05:30", [(.min, 330)])

  /// As in Berlin: by an hour on the last Sundays of March and October, at 01:00 UTC.
  static let summer = SlowZone(
    "Test/Summer", standard: 60, summer: 120, from: (3, 5, at: 60), until: (10, 5, at: 60))

  /// As it was in São Paulo: clocks go from 24:00 to 01:00, and back from 24:00 to 23:00.
  static let midnight = SlowZone(
    "Test/Midnight", standard: -180, summer: -120, from: (10, 3, at: 180), until: (2, 3, at: 120))

  /// Nil is UTC.
  static let choices = [nil, fixed, summer, midnight]

  static func of(_ clock: WindowClock) -> SlowZone? {
    guard case .wall(let zone) = clock else { return nil }
    return choices.first { $0?.name == zone.name } ?? nil
  }

  private init(_ name: String, _ changes: [(at: Int64, minutes: Int64)]) {
    self.name = name
    self.changes = changes.map { ($0.at, $0.minutes * 60_000) }
  }

  /// A rule: the month, which of its Sundays (5 is the last), and the minute of that day in UTC.
  private typealias Rule = (month: Int64, sunday: Int64, at: Int64)

  /// - Parameters:
  ///   - standard: minutes from UTC, also before all changes.
  ///   - start: when summer time begins.
  ///   - end: when it ends.
  private convenience init(
    _ name: String, standard: Int64, summer: Int64, from start: Rule, until end: Rule
  ) {
    var changes: [(at: Int64, minutes: Int64)] = []
    for year in Int64(2020)...2040 {
      changes.append((Self.change(start, in: year), summer))
      changes.append((Self.change(end, in: year), standard))
    }
    changes.sort { $0.at < $1.at }
    self.init(name, [(.min, standard)] + changes)
  }

  private static let day: Int64 = 86_400_000

  private static func change(_ rule: Rule, in year: Int64) -> Int64 {
    let first = monthStarts[Int((year - 1970) * 12 + rule.month - 1)]
    let next = monthStarts[Int((year - 1970) * 12 + rule.month)]
    // The first of January 1970 was a Thursday.
    let sundays = (first..<next).filter { ($0 + 4) % 7 == 0 }
    return sundays[min(sundays.count, Int(rule.sunday)) - 1] * day + rule.at * 60_000
  }

  /// The first day of each month from 1970 on.
  private static let monthStarts: [Int64] = {
    var starts: [Int64] = [0]
    for year in Int64(1970)...2080 {
      for month in Int64(1)...12 {
        starts.append((starts.last ?? 0) + CountingCalendar.days(inMonth: month, of: year))
      }
    }
    return starts
  }()

  private static let step: Int64 = 1_800_000

  /// The month of each day from 1970 on.
  private static let monthsOfDays: [Int64] = zip(monthStarts, monthStarts.dropFirst()).enumerated()
    .flatMap { Array(repeating: Int64($0.offset), count: Int($0.element.1 - $0.element.0)) }

  private func offset(at time: Int64) -> Int64 {
    var (low, high) = (0, changes.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if changes[middle].at <= time { low = middle } else { high = middle }
    }
    return changes[low].offset
  }

  /// Returns the number of the day, week or month on the wall.
  private func number(of unit: CalendarUnit, at time: Int64) -> Int64 {
    let local = time + offset(at: time)
    let day = local / Self.day
    switch unit {
    case .hour: return local / 3_600_000
    case .day: return day
    case .week: return (day + 3) / 7
    case .month: return Self.monthsOfDays[Int(day)]
    }
  }

  /// Returns the latest number that has been on the wall: a date that comes again begins no window.
  private func latest(_ unit: CalendarUnit, at time: Int64) -> Int64 {
    stride(from: time - Self.day / 8, through: time, by: Int(Self.step))
      .map { number(of: unit, at: $0) }.max() ?? 0
  }

  private static func halfHour(of time: Timestamp) -> Int64 { time.milliseconds / step * step }

  /// Returns the end of a day, week or month that contains an instant.
  func end(of unit: CalendarUnit, containing instant: Timestamp) -> Timestamp {
    let start = Self.halfHour(of: instant)
    let key = Key(unit: unit, time: start)
    if let end = known.withLock({ $0[key] }) { return end }
    let number = latest(unit, at: start)
    var time = start + Self.step
    while self.number(of: unit, at: time) <= number { time += Self.step }
    let end = Timestamp(milliseconds: time)
    known.withLock { $0[key] = end }
    return end
  }

  /// Returns the start of a day, week or month that contains an instant.
  func start(of unit: CalendarUnit, containing instant: Timestamp) -> Timestamp {
    var time = Self.halfHour(of: instant)
    let number = latest(unit, at: time)
    var start = time
    for _ in 0..<(33 * 48) {
      time -= Self.step
      if self.number(of: unit, at: time) == number { start = time }
    }
    return Timestamp(milliseconds: start)
  }
}

extension SlowZone {
  /// The same clock by a zone file.
  var clock: WindowClock { .wall(PolicyZone(name, from: TestZones())) }
}

extension WindowClock {
  /// The clock of a slow zone; nil is UTC.
  static func of(_ zone: SlowZone?) -> WindowClock { zone?.clock ?? .utc }
}

/// The zones of no machine.
struct TestZones: ZoneSource {
  func zone(named name: String) throws(CreditError) -> TimeZone {
    let zone: TimeZone? =
      switch name {
      case "Test/Summer": try? ZoneText.berlin()
      case "Test/Midnight": try? ZoneText.rule("<-03>3<-02>,M10.3.0/0,M2.3.0/0", offset: -10_800)
      default: nil
      }
    if let zone { return zone }
    throw CreditError(.unavailable, "no zone \(name)")
  }
}
