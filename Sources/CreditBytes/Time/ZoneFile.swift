/// Reads zone files: TZif of versions 1 to 4 (RFC 9636).
public enum ZoneFile {
  /// The most bytes of a zone file; the largest that is known has a tenth of it.
  public static let byteLimit = 1 << 16

  public struct Fault: Error, Equatable {
    /// The end of a sentence about the file.
    public let reason: String
  }

  /// - Throws: ``Fault`` for a damaged file, and for one that counts leap seconds.
  public static func read(_ bytes: [UInt8]) throws(Fault) -> TimeZone {
    var reader = ZoneFileReader(bytes)
    let head = try reader.head()
    if head.version == 1 { return .changing(try reader.table(of: head, isLong: false)) }
    // Of a later version the first part is for old readers.
    try reader.skip(head.byteCount(isLong: false))
    return .changing(try reader.table(of: try reader.head(), isLong: true))
  }
}

/// The first part of a block: how many items of each kind it has.
private struct ZoneHead {
  let version: Int
  let utcCount: Int
  let standardCount: Int
  let leapCount: Int
  let changeCount: Int
  let typeCount: Int
  let nameCount: Int

  /// Returns how long the block is; its times have 4 or 8 bytes.
  func byteCount(isLong: Bool) -> Int {
    let time = isLong ? 8 : 4
    return changeCount * (time + 1) + typeCount * 6 + nameCount + leapCount * (time + 4)
      + standardCount + utcCount
  }
}

private struct ZoneFileReader {
  private let bytes: [UInt8]
  private var place = 0

  /// Times of all known calendars, in seconds: earlier and later ones do not matter.
  private static let seconds: ClosedRange<Int64> = -(1 << 40)...(1 << 40)

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func head() throws(ZoneFile.Fault) -> ZoneHead {
    let magic = try take(5)
    guard magic.prefix(4).elementsEqual("TZif".utf8), let mark = magic.last else {
      throw ZoneFile.Fault(reason: "is not a zone file")
    }
    let version = mark == 0 ? 1 : Int(mark) - 0x30
    guard (1...9).contains(version) else { throw Self.damaged }
    try skip(15)
    var counts: [Int] = []
    for _ in 0..<6 {
      let count = Int(try integer(4))
      guard (0...ZoneFile.byteLimit).contains(count) else { throw Self.damaged }
      counts.append(count)
    }
    return ZoneHead(
      version: version, utcCount: counts[0], standardCount: counts[1], leapCount: counts[2],
      changeCount: counts[3], typeCount: counts[4], nameCount: counts[5])
  }

  mutating func table(of head: ZoneHead, isLong: Bool) throws(ZoneFile.Fault) -> ZoneTable {
    if head.leapCount > 0 {
      throw ZoneFile.Fault(reason: "counts leap seconds, which no other clock here does")
    }
    var seconds: [Int64] = []
    for _ in 0..<head.changeCount {
      let second = try integer(isLong ? 8 : 4)
      if let last = seconds.last, second <= last { throw Self.damaged }
      seconds.append(second)
    }
    let types = try take(head.changeCount)
    var offsets: [Int64] = []
    for _ in 0..<head.typeCount {
      let offset = try integer(4)
      guard abs(offset) < TimeZone.offsetLimit else { throw Self.damaged }
      offsets.append(offset)
      try skip(2)
    }
    try skip(head.nameCount + head.standardCount + head.utcCount)
    // Before the first change the first offset holds.
    guard var first = offsets.first else { throw Self.damaged }
    var changes: [ZoneTable.Change] = []
    for (second, type) in zip(seconds, types) {
      guard offsets.indices.contains(Int(type)) else { throw Self.damaged }
      let offset = offsets[Int(type)]
      if second < Self.seconds.lowerBound {
        first = offset
      } else if second <= Self.seconds.upperBound {
        changes.append(ZoneTable.Change(second: second, offset: offset))
      }
    }
    return ZoneTable(first: first, changes: changes, rule: isLong ? try rule() : nil)
  }

  /// Reads the last line: the rule for later times; it is empty if there is no rule.
  private mutating func rule() throws(ZoneFile.Fault) -> ZoneRule? {
    guard try take(1).first == UInt8(ascii: "\n"),
      let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n"))
    else { throw Self.damaged }
    let text = try take(end - place)
    if text.isEmpty { return nil }
    guard let rule = ZoneRule(Array(text)) else { throw Self.damaged }
    return rule
  }

  private mutating func take(_ count: Int) throws(ZoneFile.Fault) -> ArraySlice<UInt8> {
    guard count <= bytes.count - place else { throw Self.damaged }
    defer { place += count }
    return bytes[place..<place + count]
  }

  mutating func skip(_ count: Int) throws(ZoneFile.Fault) { _ = try take(count) }

  /// Reads a number of 4 or 8 bytes, the highest one first.
  private mutating func integer(_ count: Int) throws(ZoneFile.Fault) -> Int64 {
    let number = try take(count).reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
    return count == 4
      ? Int64(Int32(truncatingIfNeeded: number)) : Int64(truncatingIfNeeded: number)
  }

  private static var damaged: ZoneFile.Fault { ZoneFile.Fault(reason: "is damaged") }
}

/// The yearly changes of a wall clock: the text at the end of a zone file, in the form of POSIX.
///
/// `CET-1CEST,M3.5.0,M10.5.0/3`. The offsets of the text count towards the west.
struct ZoneRule: Equatable, Sendable {
  private let standard: Int64
  /// Nil if the clock never changes.
  private let summer: Summer?

  private struct Summer: Equatable, Sendable {
    let offset: Int64
    let start: YearDay
    let end: YearDay
  }

  /// A day of each year, and a second of it by the wall clock.
  fileprivate struct YearDay: Equatable, Sendable {
    enum Day: Equatable, Sendable {
      /// 1–365, without February 29.
      case common(Int64)
      /// 0–365, with it.
      case any(Int64)
      /// The weekday (0 is Sunday) of a month's week; the last one in week 5.
      case weekday(month: Int64, week: Int64, day: Int64)
    }

    let day: Day
    let second: Int64
  }

  /// - Returns: nil for text of any other form.
  init?(_ text: [UInt8]) {
    var reader = RuleReader(text)
    guard reader.skipName(), let west = reader.span(hours: 24) else { return nil }
    standard = -west
    if reader.isAtEnd {
      summer = nil
      return
    }
    guard reader.skipName() else { return nil }
    var offset = standard + 3600
    if reader.next != UInt8(ascii: ",") {
      guard let west = reader.span(hours: 24) else { return nil }
      offset = -west
    }
    guard let start = Self.yearDay(&reader), let end = Self.yearDay(&reader), reader.isAtEnd else {
      return nil
    }
    summer = Summer(offset: offset, start: start, end: end)
  }

  /// Reads `,M3.5.0/2`.
  private static func yearDay(_ reader: inout RuleReader) -> YearDay? {
    guard reader.skip(UInt8(ascii: ",")) else { return nil }
    let day: YearDay.Day
    if reader.skip(UInt8(ascii: "M")) {
      guard let month = reader.number(1...12), reader.skip(UInt8(ascii: ".")),
        let week = reader.number(1...5), reader.skip(UInt8(ascii: ".")),
        let weekday = reader.number(0...6)
      else { return nil }
      day = .weekday(month: month, week: week, day: weekday)
    } else if reader.skip(UInt8(ascii: "J")) {
      guard let number = reader.number(1...365) else { return nil }
      day = .common(number)
    } else {
      guard let number = reader.number(0...365) else { return nil }
      day = .any(number)
    }
    guard reader.skip(UInt8(ascii: "/")) else { return YearDay(day: day, second: 7200) }
    return reader.span(hours: 167).map { YearDay(day: day, second: $0) }
  }

  /// Returns the offset at a second; nil if the rule made no change since another one.
  func offset(at second: Int64, since last: Int64?) -> Int64? {
    guard summer != nil else { return last == nil ? standard : nil }
    return changes(from: second, through: second).last {
      $0.second <= second && $0.second > last ?? .min
    }?.offset
  }

  private static func year(of second: Int64) -> Int64 {
    Timestamp.civil(dayNumber: second.dayNumber).year
  }

  /// Returns the changes between two seconds, and others near them, in their order.
  func changes(from start: Int64, through end: Int64) -> [ZoneTable.Change] {
    guard let summer else { return [] }
    var changes: [ZoneTable.Change] = []
    for year in Self.year(of: start) - 1...Self.year(of: end) + 1 {
      let start = ZoneTable.Change(
        second: summer.start.second(in: year) - standard, offset: summer.offset)
      let end = ZoneTable.Change(
        second: summer.end.second(in: year) - summer.offset, offset: standard)
      changes += start.second <= end.second ? [start, end] : [end, start]
    }
    // Of two changes at one second the later one holds: so summer can last all year.
    return changes.enumerated().sorted {
      ($0.element.second, $0.offset) < ($1.element.second, $1.offset)
    }.map(\.element)
  }
}

extension ZoneRule.YearDay {
  /// Returns the second of the day in a year, as if the wall clock were UTC.
  fileprivate func second(in year: Int64) -> Int64 {
    let newYear = Timestamp.dayNumber(year: year, month: 1, day: 1)
    let isLeap = Timestamp.dayNumber(year: year + 1, month: 1, day: 1) - newYear == 366
    let number: Int64
    switch day {
    case .common(let count): number = newYear + count - (isLeap && count >= 60 ? 0 : 1)
    case .any(let count): number = newYear + count
    case .weekday(let month, let week, let day):
      let first = Timestamp.dayNumber(year: year, month: month, day: 1)
      let next = CalendarUnit.month.firstDay(with: first + 31)
      // 1970-01-01 was a Thursday.
      let weekday = first + 4 - (first + 4).divided(by: 7) * 7
      let found = first + (day - weekday + 7) % 7 + (week - 1) * 7
      number = found >= next ? found - 7 : found
    }
    return number * 86_400 + second
  }
}

private struct RuleReader {
  private let text: [UInt8]
  private var place = 0

  init(_ text: [UInt8]) { self.text = text }

  var isAtEnd: Bool { place == text.count }

  /// The next byte; 0 at the end.
  var next: UInt8 { place < text.count ? text[place] : 0 }

  mutating func skip(_ byte: UInt8) -> Bool {
    if next != byte || isAtEnd { return false }
    place += 1
    return true
  }

  /// Skips a name: letters, or `<+0330>`.
  mutating func skipName() -> Bool {
    let start = place
    if skip(UInt8(ascii: "<")) {
      while !isAtEnd, next != UInt8(ascii: ">") { place += 1 }
      return skip(UInt8(ascii: ">"))
    }
    while (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next | 0x20) { place += 1 }
    return place > start
  }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
    let start = place
    var number: Int64 = 0
    while place - start < 3, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
      number = number * 10 + Int64(next - 0x30)
      place += 1
    }
    return place > start && range.contains(number) ? number : nil
  }

  /// Reads `-3`, `5:30` or `2:00:30`, in seconds.
  mutating func span(hours: Int64) -> Int64? {
    let isNegative = skip(UInt8(ascii: "-"))
    if !isNegative { _ = skip(UInt8(ascii: "+")) }
    guard var span = number(0...hours).map({ $0 * 3600 }) else { return nil }
    for unit: Int64 in [60, 1] {
      guard skip(UInt8(ascii: ":")) else { break }
      guard let count = number(0...59) else { return nil }
      span += count * unit
    }
    return isNegative ? -span : span
  }
}
