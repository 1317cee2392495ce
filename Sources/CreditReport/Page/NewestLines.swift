internal import CreditModel

/// The newest transactions of a page.
struct NewestLines {
  /// How many a page shows.
  static let limit = 1000

  struct Line {
    let id: String
    let account: String
    let kind: String
    let status: String
    let subject: String
    let credits: Int64
    let balance: Int64
    /// When what it tells of happened.
    let time: Timestamp
    let day: CalendarDay
    /// Its place in the input.
    fileprivate let place: Int
  }

  private var lines: [Line] = []
  private var count = 0
  /// Older ones are not among the newest.
  private var oldest = Timestamp.earliest

  mutating func add(_ line: ReportLine, in period: ReportPeriod) {
    count += 1
    let time = period.time(of: line)
    guard time >= oldest else { return }
    lines.append(
      Line(
        id: line.id, account: line.account, kind: line.kind.rawValue,
        status: line.status.rawValue, subject: line.subject, credits: line.credits,
        balance: line.balance, time: time, day: period.day(of: time),
        place: count))
    if lines.count >= 4 * Self.limit { prune() }
  }

  private mutating func prune() {
    lines = sorted
    oldest = lines.last?.time ?? oldest
  }

  /// The newest first.
  var sorted: [Line] {
    let sorted = lines.sorted { left, right in
      left.time == right.time ? left.place < right.place : left.time > right.time
    }
    return Array(sorted.prefix(Self.limit))
  }
}
