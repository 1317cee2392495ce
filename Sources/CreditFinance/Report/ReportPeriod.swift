public import CreditBytes
internal import CreditModel

public struct ReportPeriod: Sendable {
  /// The first instant; nil for the beginning of all.
  let since: Timestamp?
  /// The first instant after it; nil for the end of all.
  let until: Timestamp?
  private let clock: ReportClock
  /// True to count work at its charge, not when it was done.
  private let isByRecord: Bool

  public init(
    since: Timestamp?, until: Timestamp?, clock: ReportClock, isByRecord: Bool = false
  ) {
    self.since = since
    self.until = until
    self.clock = clock
    self.isByRecord = isByRecord
  }

  var isBounded: Bool { since != nil || until != nil }

  /// Its first day; nil for the beginning of all.
  var firstDay: CalendarDay? { since.map(day) }

  /// Its last day; nil for the end of all.
  var lastDay: CalendarDay? {
    until.map { day(of: Timestamp(milliseconds: $0.milliseconds - 1)) }
  }

  /// The beginning of the month before; nil if it is no month.
  var previousMonth: Timestamp? {
    guard let since, let first = firstDay, start(of: first.monthStart) == since,
      start(of: first.nextMonth) == until
    else { return nil }
    return start(of: CalendarDay(number: first.number - 1).monthStart)
  }

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
  func day(of time: Timestamp) -> CalendarDay { CalendarDay(of: clock.local(time)) }

  func start(of day: CalendarDay) -> Timestamp { clock.start(ofDay: day.number) }

  /// The hour and minute of an instant there: `10:00`.
  func clock(of time: Timestamp) -> String {
    String(clock.local(time).text.dropFirst(11).prefix(5))
  }

  /// The day, hour and minute of an instant there: `2026-02-19 10:00`.
  func minute(of time: Timestamp) -> String { "\(day(of: time).text) \(clock(of: time))" }

  /// How its times are named: `UTC`, `UTC+02:00`, `Europe/Berlin`.
  var clockName: String { clock.name }

  var namedZone: String? { clock.namedZone }

  /// Says how far a history goes that ends before the period: `history up to 2026-02-19 10:00`.
  public func note(onEnd time: Timestamp) -> String { "history up to \(minute(of: time))" }
}

/// Usage of a period that is recorded in another one: a balance moves in that.
struct LateUse {
  /// Credits used before the period and recorded in it, and used in it and recorded after it.
  private var (earlier, later): (Int128, Int128) = (0, 0)

  /// Adds a line that counts.
  mutating func add(_ line: ReportLine, in period: ReportPeriod) {
    guard line.kind == .usage, let used = line.usedAt, used != line.recordedAt else { return }
    let (time, credits) = (period.time(of: line), Int128(line.credits))
    if period.isBefore(time), period.contains(line.recordedAt) { earlier -= credits }
    if period.contains(time), period.isAfter(line.recordedAt) { later -= credits }
  }

  /// Says how many credits that are; nil without any.
  var remark: String? {
    let parts = [
      (earlier, "used before this period were recorded in it"),
      (later, "used in this period were recorded after it"),
    ].filter { $0.0 != 0 }
    return parts.isEmpty
      ? nil : parts.map { "\($0.separated) credits \($1)" }.joined(separator: ", and ")
  }
}

/// Whether there are lines. Those after the period's end are known apart, as they change no closed
/// month.
struct KnownLines {
  private(set) var hasAny = false
  private(set) var hasAnyUpToEnd = false

  mutating func note(_ time: Timestamp, in period: ReportPeriod) {
    hasAny = true
    if !period.isAfter(time) { hasAnyUpToEnd = true }
  }
}

/// The months of lines, until one is of the period.
public struct RecordedMonths {
  private let period: ReportPeriod
  private var months: Set<String> = []
  private var lastDay: CalendarDay?
  private var isOfPeriod = false
  /// Time of the newest line of a history.
  private var newest: Timestamp?

  public init(in period: ReportPeriod) { self.period = period }

  /// - Parameter isShown: false for a line that only tells how far the history goes.
  public mutating func add(_ line: ReportLine, isShown: Bool) {
    if line.source == .history { newest = max(newest ?? .earliest, line.recordedAt) }
    if isOfPeriod || !isShown || line.source < .datedPrice { return }
    let line = line.booked
    isOfPeriod = period.contains(line)
    let day = period.day(of: line)
    if isOfPeriod || day == lastDay { return }
    lastDay = day
    months.insert(day.monthText)
  }

  /// The months of all lines in words; nil if one is of the period, or if there are no lines.
  public var elsewhere: String? {
    let all = months.sorted()
    guard !isOfPeriod, let first = all.first, let last = all.last else { return nil }
    return all.count > 6 ? "\(first) to \(last)" : all.joined(separator: ", ")
  }

  /// Time of the newest line, if the period is over and ended more than a day later.
  public func historyEnd(at now: Timestamp) -> Timestamp? {
    guard period.isAfter(now), let newest else { return nil }
    let dayLater = Timestamp(milliseconds: newest.milliseconds + Timestamp.millisecondsPerDay)
    return period.isAfter(dayLater) ? nil : newest
  }
}

extension ReportPeriod {
  /// The last columns for programs: the days' zone, and the history's end in JSON.
  /// - Parameters:
  ///   - ofDays: whether rows have days, weeks or months.
  ///   - end: time of the newest line, if the period ended later.
  func columns<Row>(_ form: RowForm, ofDays: Bool = false, _ end: Timestamp?) -> [RowColumn<Row>] {
    let zone = form != .table && ofDays ? namedZone : nil
    return (zone == nil ? [] : [RowColumn("zone") { _ in ReportCell(zone) }])
      + (form != .json || end == nil
        ? [] : [RowColumn("historyUpTo") { _ in ReportCell(end?.text) }])
  }
}

/// The columns that are tags, and which of them no line has.
struct TagColumns {
  /// Those that no line has had yet.
  private var absent: [String]
  private var known: Set<String> = []
  private var hasLine = false

  /// The most names of tags that are kept for a message.
  private static let limit = 100

  init(_ columns: [ReportColumn]) { absent = columns.compactMap(\.tag) }

  mutating func note(_ line: ReportLine) {
    hasLine = true
    guard !absent.isEmpty, let tags = line.value.member("tags") else { return }
    for name in tags.members.compactMap(\.name.string) {
      absent.removeAll { $0 == name }
      if known.count < Self.limit { known.insert(name) }
    }
  }

  /// A sentence for each tag that no line has; none without lines.
  var remarks: [String] {
    if !hasLine { return [] }
    let names = known.map { Name(trusted: $0) }
    return absent.map { tag in
      "no line has the tag \(quoted(tag))"
        + NearestNames.hint(NearestNames.find(Name(trusted: tag), among: names))
    }
  }
}

/// The wall clock by which days and months begin, and its name.
public struct ReportClock: Equatable, Sendable {
  private let zone: TimeZone
  /// `UTC`, `UTC+02:00`, `Europe/Berlin`.
  let name: String

  public init(_ zone: TimeZone, name: String) {
    self.zone = zone
    self.name = name
  }

  /// - Parameter text: `+02:00`, `-09:30` or `Z`.
  /// - Returns: nil for text of any other form.
  public init?(offset text: String) {
    guard let zone = TimeZone(offset: text) else { return nil }
    self.init(zone, name: zone == .utc ? "UTC" : "UTC" + text)
  }

  /// The same; nil for UTC.
  var namedZone: String? { name == "UTC" ? nil : name }

  /// Returns the first instant of a day there.
  public func start(ofDay day: Int64) -> Timestamp { zone.start(ofDay: day) }

  /// Returns the local clock's time at an instant, as if it were UTC.
  func local(_ time: Timestamp) -> Timestamp { zone.local(time) }
}

extension BinaryInteger {
  /// The digits of a number that is not negative, with zeros before them.
  func padded(_ count: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
