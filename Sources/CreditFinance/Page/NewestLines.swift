internal import CreditModel

struct NewestLines {
  static let limit = 1000

  struct Line {
    let id: String
    let account: String
    let kind: String
    let status: String
    let subject: String
    let credits: Int64
    /// Nil if the line lacks it, or does not count.
    let balance: Int64?
    let payment: Payment?
    let time: Timestamp
    let day: CalendarDay
    fileprivate let place: Int
  }

  static let monthLimit = 50
  static let allMonthsLimit = 6000

  /// The kinds of lines that it shows at any age, and their limit.
  static let keptKinds: [HistoryLine.Kind] = [.purchase, .subscription, .refund, .expiry]
  static let keptLimit = 10_000

  /// False to call other payers so. Those of a team's corrections and refunds always are: they may
  /// be above the member's next team.
  var namesOthers = true
  var isOfTeam = false
  private var count = 0
  private var all = Newest(limit: Self.limit)
  private var kept = Newest(limit: Self.keptLimit)
  private var months: [CalendarDay: Newest] = [:]

  private struct Newest {
    let limit: Int
    var lines: [Line] = []
    var count = 0
    /// Older ones are not among the newest.
    var oldest = Timestamp.earliest

    /// Takes out the line that another repeats.
    /// - Returns: whether it was among those that are kept.
    mutating func remove(_ id: String, of account: String) -> Bool {
      guard let place = lines.lastIndex(where: { $0.id == id && $0.account == account }) else {
        return false
      }
      lines.remove(at: place)
      count -= 1
      return true
    }

    mutating func add(_ time: Timestamp, _ line: () -> Line) {
      count += 1
      guard time >= oldest else { return }
      lines.append(line())
      if lines.count < 4 * limit { return }
      lines = newest(limit)
      oldest = lines.last?.time ?? oldest
    }

    /// The newest first.
    func newest(_ limit: Int) -> [Line] {
      Array(lines.sorted(by: NewestLines.precedes).prefix(limit))
    }
  }

  /// - Returns: true if the line is of a new transaction.
  mutating func add(_ line: ReportLine, _ payment: Payment?, in period: ReportPeriod) -> Bool {
    count += 1
    var isFurther = true
    if line.isChanged {
      // The same line was pending before.
      let month = period.day(of: line.timestamp).monthStart
      let isOfMonth = months[month]?.remove(line.id, of: line.account) ?? false
      let isKept = kept.remove(line.id, of: line.account)
      isFurther = !(all.remove(line.id, of: line.account) || isOfMonth || isKept)
    }
    let time = period.time(of: line)
    let day = period.day(of: time)
    let place = count
    // It stays as it was before it started.
    let startsLater = line.scheduledAt != nil
    let namesOthers = namesOthers && (line.isCharge || !isOfTeam)
    func made() -> Line {
      Line(
        id: line.id, account: line.account,
        kind: StatementType(line).word,
        status: startsLater ? Transaction.Status.scheduled.rawValue : line.status.rawValue,
        subject: (line.subject
          + OtherPayers(of: line, as: namesOthers ? nil : "others").text
          + (line.text("member").map { "; for \($0)" } ?? "") + line.notes(in: period)
          + (line.workDay(in: period)?.note(isOfCharge: line.usedAt == nil) ?? ""))
          .withoutFirstMark,
        credits: line.credits,
        balance: line.source < .history || startsLater || !line.counts ? nil : line.balance,
        payment: payment, time: time, day: day, place: place)
    }
    all.add(time, made)
    if Self.keptKinds.contains(line.kind) { kept.add(time, made) }
    months[day.monthStart, default: Newest(limit: Self.monthLimit)].add(time, made)
    return isFurther
  }

  private static func precedes(_ left: Line, _ right: Line) -> Bool {
    left.time == right.time ? left.place < right.place : left.time > right.time
  }

  var shown: Shown {
    let newest = all.newest(Self.limit)
    var places = Set(newest.map(\.place))
    let share = max(1, min(Self.monthLimit, Self.allMonthsLimit / max(1, months.count)))
    var older: [Line] = []
    for (_, lines) in monthsNewestFirst.prefix(Self.allMonthsLimit) {
      older += lines.newest(share).filter { places.insert($0.place).inserted }
    }
    let further = kept.newest(Self.keptLimit).filter { places.insert($0.place).inserted }
    return Shown(
      lines: newest + (older + further).sorted(by: Self.precedes), newestCount: newest.count,
      hasOlder: !older.isEmpty, hasFurther: !further.isEmpty,
      hasAllKept: kept.count <= Self.keptLimit)
  }

  struct Shown {
    let lines: [Line]
    let newestCount: Int
    /// True if there are others of earlier months.
    let hasOlder: Bool
    /// True if there are others of the kinds that are always shown; and true if these are all.
    let hasFurther: Bool
    let hasAllKept: Bool
  }

  private var monthsNewestFirst: [(key: CalendarDay, value: Newest)] {
    months.filter { $0.value.count > 0 }.sorted { $0.key > $1.key }
  }

  var monthCounts: [(month: String, count: Int)] {
    monthsNewestFirst.prefix(Self.allMonthsLimit).map { ($0.key.monthText, $0.value.count) }
  }
}
