/// The offset of a wall clock from UTC, at each instant.
public enum TimeZone: Equatable, Sendable {
  /// Always the same number of seconds.
  case fixed(Int64)
  case changing(ZoneTable)

  public static let utc = TimeZone.fixed(0)

  /// No clock is farther from UTC than this, in seconds.
  static let offsetLimit: Int64 = 26 * 3600

  /// - Parameter offset: `+02:00`, `-09:30` or `Z`.
  /// - Returns: nil for text of any other form.
  public init?(offset text: String) {
    guard text != "z", let minutes = Timestamp.offsetMinutes(text) else { return nil }
    self = .fixed(minutes * 60)
  }

  /// Returns a name's fault, to follow the name in a message; nil if it can be a zone's.
  ///
  /// It becomes a path below a folder, and never leads out of that.
  public static func problem(withName name: String) -> String? {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isFine = parts.allSatisfy { part in
      guard let first = part.first, first != UInt8(ascii: ".") else { return false }
      return part.allSatisfy { $0.isLetterOrDigit || "_+-.".utf8.contains($0) }
    }
    return isFine && name.utf8.count <= 255
      ? nil : "is not the name of a time zone, such as Europe/Berlin"
  }

  /// Returns the offset at an instant, in seconds.
  public func offset(at time: Timestamp) -> Int64 {
    switch self {
    case .fixed(let offset): offset
    case .changing(let table): table.offset(at: time.second)
    }
  }

  /// Returns the wall clock's time at an instant, as if it were UTC.
  public func local(_ time: Timestamp) -> Timestamp {
    Timestamp(milliseconds: time.milliseconds + offset(at: time) * 1000)
  }
}

/// A part of the calendar that begins by the wall clock.
public enum CalendarUnit: Sendable {
  case hour
  case day
  /// Begins on a Monday.
  case week
  case month

  /// Returns the first day of the unit that has a day. An hour has none.
  public func firstDay(with day: Int64) -> Int64 { firstDay(of: number(ofDay: day)) }

  fileprivate func number(ofDay day: Int64) -> Int64 {
    switch self {
    case .hour, .day: return day
    // 1970-01-01 was a Thursday.
    case .week: return (day + 3).divided(by: 7)
    case .month:
      let date = Timestamp.civil(dayNumber: day)
      return date.year * 12 + date.month - 1
    }
  }

  fileprivate func firstDay(of number: Int64) -> Int64 {
    switch self {
    case .hour, .day: return number
    case .week: return number * 7 - 3
    case .month:
      let year = number.divided(by: 12)
      return Timestamp.dayNumber(year: year, month: number - year * 12 + 1, day: 1)
    }
  }
}

// A day begins at the first instant that has its date, a week and a month with their first day. If
// a date is skipped whole, its day ends as it begins. If dates come again, the day continues.
//
// An hour ends at each full hour of the wall clock, and at each change of its offset.
extension TimeZone {
  public func start(of unit: CalendarUnit, containing time: Timestamp) -> Timestamp {
    let second = time.second
    if unit == .hour { return Timestamp(second: hour(of: second).start) }
    return Timestamp(second: firstSecond(ofDay: unit.firstDay(of: number(of: unit, at: second))))
  }

  /// Returns the end of a unit that contains an instant; at most the end of the year 9999.
  public func end(of unit: CalendarUnit, containing time: Timestamp) -> Timestamp {
    let second = time.second
    if unit == .hour { return min(.latest, Timestamp(second: hour(of: second).end)) }
    var number = number(of: unit, at: second) + 1
    var end = firstSecond(ofDay: unit.firstDay(of: number))
    // A unit that is skipped whole begins as the one before it does.
    while end <= second {
      number += 1
      end = firstSecond(ofDay: unit.firstDay(of: number))
    }
    return min(.latest, Timestamp(second: end))
  }

  /// Returns the first instant that has a date or a later one.
  /// - Parameter day: the date's number of days since 1970-01-01.
  public func start(ofDay day: Int64) -> Timestamp { Timestamp(second: firstSecond(ofDay: day)) }

  private func firstSecond(ofDay day: Int64) -> Int64 {
    let midnight = day * 86_400
    switch self {
    case .fixed(let offset): return midnight - offset
    case .changing(let table):
      let spans = table.spans(
        from: midnight - Self.offsetLimit, through: midnight + Self.offsetLimit)
      for span in spans where span.end + span.offset > midnight {
        return max(span.start, midnight - span.offset)
      }
      return midnight
    }
  }

  /// Returns the number of the last unit that has begun by an instant.
  private func number(of unit: CalendarUnit, at second: Int64) -> Int64 {
    guard case .changing = self else {
      return unit.number(ofDay: (second + offset(at: Timestamp(second: second))).dayNumber)
    }
    var number = unit.number(ofDay: (second + Self.offsetLimit).dayNumber)
    while firstSecond(ofDay: unit.firstDay(of: number)) > second { number -= 1 }
    return number
  }

  private func hour(of second: Int64) -> (start: Int64, end: Int64) {
    let hour: Int64 = 3600
    switch self {
    case .fixed(let offset):
      let start = (second + offset).divided(by: hour) * hour - offset
      return (start, start + hour)
    case .changing(let table):
      let spans = table.spans(from: second - hour, through: second + hour)
      guard let span = spans.last(where: { $0.start <= second }) else { return (second, second) }
      let start = (second + span.offset).divided(by: hour) * hour - span.offset
      return (max(start, span.start), min(start + hour, span.end))
    }
  }
}

/// A time in which a wall clock's offset is the same; both ends are seconds since 1970.
struct ZoneSpan: Equatable {
  var start: Int64
  /// The first second after it.
  var end: Int64
  let offset: Int64
}

/// The changes of a wall clock's offset.
public final class ZoneTable: Equatable, Sendable {
  /// Second from which an offset holds, in rising order.
  struct Change: Equatable, Sendable {
    let second: Int64
    let offset: Int64
  }

  private let first: Int64
  private let changes: [Change]
  private let rule: ZoneRule?

  init(first: Int64, changes: [Change], rule: ZoneRule?) {
    self.first = first
    self.changes = changes
    self.rule = rule
  }

  func offset(at second: Int64) -> Int64 {
    let count = changeCount(until: second)
    if count == changes.count,
      let offset = rule?.offset(at: second, since: changes.last?.second)
    {
      return offset
    }
    return count == 0 ? first : changes[count - 1].offset
  }

  func spans(from start: Int64, through end: Int64) -> [ZoneSpan] {
    var spans = [ZoneSpan(start: start, end: end + 1, offset: offset(at: start))]
    func add(_ change: Change) {
      guard let last = spans.indices.last, change.second > start, change.second <= end,
        change.offset != spans[last].offset
      else { return }
      spans[last].end = change.second
      spans.append(ZoneSpan(start: change.second, end: end + 1, offset: change.offset))
    }
    var place = changeCount(until: start)
    while place < changes.count, changes[place].second <= end {
      add(changes[place])
      place += 1
    }
    let last = changes.last?.second ?? .min
    guard let rule, end > last else { return spans }
    for change in rule.changes(from: start, through: end) where change.second > last {
      add(change)
    }
    return spans.filter { $0.start < $0.end }
  }

  private func changeCount(until second: Int64) -> Int {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].second <= second { low = middle + 1 } else { high = middle }
    }
    return low
  }

  public static func == (left: ZoneTable, right: ZoneTable) -> Bool {
    left === right
      || left.first == right.first && left.changes == right.changes && left.rule == right.rule
  }
}

extension Timestamp {
  /// Seconds since 1970, rounded down.
  fileprivate var second: Int64 { milliseconds.divided(by: 1000) }

  fileprivate init(second: Int64) { self.init(milliseconds: second * 1000) }
}

extension Int64 {
  /// Returns the quotient, rounded down.
  func divided(by divisor: Int64) -> Int64 {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }

  /// The day of a second since 1970.
  var dayNumber: Int64 { divided(by: 86_400) }
}
