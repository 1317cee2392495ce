public import CreditBytes
internal import CreditModel

/// The time that the pages of a bill cover: the buckets of each of its reports, and the gaps.
struct BillCoverage {
  private struct Bucket {
    let start: Timestamp
    let end: Timestamp
    let file: Int
    let digest: [UInt8]
  }

  /// The most buckets there may be: 10 years of minutes take more.
  static let limit = 1_000_000

  private var buckets: [String: [Int64: Bucket]] = [:]
  /// Buckets without results: of which report they are does not show.
  private var empty: [Int64: Bucket] = [:]
  /// The pages' references to the next ones, whose beginning is nil if a page does not show it.
  var continuations: [(report: String?, start: Timestamp?, token: String)] = []
  private var count = 0
  /// The days of rows in bills that have no buckets.
  private var rowDays: (first: Int64, last: Int64)?

  mutating func note(rowOf day: Int64) {
    let days = rowDays ?? (day, day)
    rowDays = (min(days.first, day), max(days.last, day))
  }

  /// Takes in a bucket.
  /// - Parameters:
  ///   - report: the report it is of; nil if it has no results, which would show the report.
  ///   - digest: of its values.
  /// - Returns: whether its results count; those of one that another file has, too, count once.
  /// - Throws: `incomplete_bill` if it was read already and is not the same.
  mutating func add(
    _ report: String?, from start: Timestamp, to end: Timestamp, file: Int, digest: [UInt8]
  ) throws(CreditError) -> Bool {
    guard start < end else {
      throw .invalidRequest("a bucket ends before it begins, at \(start.text)")
    }
    let bucket = Bucket(start: start, end: end, file: file, digest: digest)
    guard let report else {
      if empty.updateValue(bucket, forKey: start.milliseconds) == nil { try grow() }
      return true
    }
    if let other = buckets[report]?[start.milliseconds] {
      if other.file != file, other.end == end, other.digest == digest { return false }
      throw Self.incomplete(
        "the bill has two buckets of \(report) for \(start.text)", ["\(report) \(start.text)"])
    }
    buckets[report, default: [:]][start.milliseconds] = bucket
    try grow()
    return true
  }

  private mutating func grow() throws(CreditError) {
    count += 1
    if count > Self.limit {
      throw CreditError(.limitExceeded, "the bill has more than \(Self.limit) buckets")
    }
  }

  /// Returns the days that the bill covers, after a check for gaps.
  /// - Returns: nil if the bill is empty.
  /// - Throws: `incomplete_bill`.
  func days(in period: BillPeriod) throws(CreditError) -> Range<Int64>? {
    guard count > 0 else {
      let first = period.since ?? rowDays?.first
      let end = period.until ?? rowDays.map { $0.last + 1 }
      guard let first, let end, first <= end else { return nil }
      return first..<end
    }
    var missing: [String] = []
    let all = buckets.values.flatMap(\.values) + empty.values
    let start = all.map(\.start).min() ?? .earliest
    let end = all.map(\.end).max() ?? .earliest
    let since = period.since.map(period.beginning) ?? start
    let until = period.until.map(period.beginning) ?? end
    for (report, own) in buckets.sorted(by: { Name(trusted: $0.key) < Name(trusted: $1.key) }) {
      missing += try holes(in: own, of: report, from: since, to: until)
    }
    if buckets.isEmpty { missing += try holes(in: [:], of: "all reports", from: since, to: until) }
    missing += missingPages(until: period.until.map(period.beginning))
    if !missing.isEmpty {
      throw Self.incomplete("the bill lacks \(missing.prefix(3).joined(separator: ", "))", missing)
    }
    let (first, last) = (period.day(of: since), period.day(of: until))
    guard period.beginning(of: first) == since, period.beginning(of: last) == until else {
      throw .invalidRequest("the bill begins or ends within a day: \(since.text) to \(until.text)")
    }
    return first..<max(first, last)
  }

  /// The times between two instants that a report has no bucket for.
  private func holes(
    in own: [Int64: Bucket], of report: String, from since: Timestamp, to until: Timestamp
  ) throws(CreditError) -> [String] {
    let sorted = own.values.sorted { $0.start < $1.start }
    for (bucket, next) in zip(sorted, sorted.dropFirst()) where bucket.end > next.start {
      throw Self.overlap(report, next.start)
    }
    var holes: [String] = []
    var reached = since
    let covering = own.merging(empty) { own, _ in own }.values.sorted { $0.start < $1.start }
    for bucket in covering where bucket.end > since && bucket.start < until {
      if bucket.start > reached { holes.append(Self.hole(report, reached, bucket.start)) }
      reached = max(reached, bucket.end)
    }
    if reached < until { holes.append(Self.hole(report, reached, until)) }
    return holes
  }

  private static func hole(_ report: String, _ start: Timestamp, _ end: Timestamp) -> String {
    "\(report) from \(start.text) to \(end.text)"
  }

  /// Returns the pages that others refer to, but that are missing.
  /// - Parameter until: time from which on none is needed; nil for never.
  private func missingPages(until: Timestamp?) -> [String] {
    var missing: [String] = []
    for page in continuations {
      if let start = page.start {
        if let until, start >= until { continue }
        let ofReport = page.report.map { buckets[$0]?[start.milliseconds] } ?? nil
        let ofAny = page.report == nil && buckets.values.contains { $0[start.milliseconds] != nil }
        if ofReport != nil || ofAny || empty[start.milliseconds] != nil { continue }
      }
      let place = page.start.map { " from \($0.text)" } ?? ""
      missing.append("\(page.report ?? "pages")\(place), the page \(page.token)")
    }
    return missing
  }

  static func overlap(_ report: String, _ start: Timestamp) -> CreditError {
    incomplete("two buckets of \(report) overlap at \(start.text)", ["\(report) \(start.text)"])
  }

  static func incomplete(_ message: String, _ missing: [String]) -> CreditError {
    CreditError(.incompleteBill, message, [.missing(missing)])
  }
}

/// The days that are compared, and their beginning.
public struct BillPeriod: Sendable {
  /// The first day; nil for the bill's own.
  let since: Int64?
  /// The first day after; nil for the bill's own.
  let until: Int64?
  let clock: ReportClock

  /// - Parameters:
  ///   - since: the beginning of a day, in UTC or in the bill's time zone.
  ///   - until: likewise.
  /// - Returns: nil if one of them is within a day.
  public init?(since: Timestamp?, until: Timestamp?, clock: ReportClock) {
    func day(beginningAt time: Timestamp) -> Int64? {
      [time, clock.local(time)].first { $0.milliseconds % Self.dayMilliseconds == 0 }?.dayNumber
    }
    self.clock = clock
    self.since = since.flatMap(day)
    self.until = until.flatMap(day)
    if since != nil && self.since == nil || until != nil && self.until == nil { return nil }
  }

  static let dayMilliseconds: Int64 = 86_400_000

  func day(of time: Timestamp) -> Int64 { clock.local(time).dayNumber }

  func beginning(of day: Int64) -> Timestamp { clock.start(ofDay: day) }

  func contains(_ day: Int64) -> Bool {
    since.map { day >= $0 } ?? true && until.map { day < $0 } ?? true
  }
}
