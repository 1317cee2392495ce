internal import CreditModel

/// A bill while its rows are read: the sums of its lines, and its coverage.
public final class Bill {
  private let table: LineTable
  let period: BillPeriod
  let names: ModelMatch
  /// The column of a table that has the model. Nil if no column was named.
  let modelColumn: String?
  var coverage = BillCoverage()
  /// The file that is being read, by its number.
  var file = 0
  private(set) var hasUsage = false
  private(set) var hasMoney = false
  /// The calls of tools that the bill counts, by their places: no others are compared.
  private(set) var callPlaces: Set<Int> = []
  /// How finely its counts are split.
  private(set) var detail = CountDetail.full
  /// Costs of rows without a model that are divided among models.
  private var shared: [SharedKey: SharedCost] = [:]
  /// Calls by id, in bills with a row for each: their file and their row's digest.
  private(set) var calls: [String: (file: Int, digest: [UInt8])] = [:]

  /// Rows without ids, by a digest: the first file with each. Empty if one file has all.
  private var rows: [UInt64: Int] = [:]
  private var fileRows: [FileDay: DayRows] = [:]
  private let isSplit: Bool

  /// A day of a file, or its part in common with an earlier one.
  private struct FileDay: Hashable {
    let file: Int
    var earlier: Int?
    let day: Int64
  }

  /// The number of rows, and the sum of their digests.
  private struct DayRows: Equatable {
    var count = 0
    var digests: UInt64 = 0
  }

  private struct SharedKey: Hashable {
    let day: Int64
    let place: Int
  }

  private struct SharedCost {
    var amount = ExactDecimal.zero
    var description = ""
    var counts: [Int: Int64] = [:]
  }

  private var hasRowWithoutDay = false
  /// True if it has a row for each call, by the call's id.
  private(set) var listsCalls = false

  /// The days that it covers.
  /// - Throws: `incomplete_bill`.
  func days() throws(CreditError) -> Range<Int64> {
    guard let days = try coverage.days(in: period) else {
      throw BillCoverage.incomplete(
        hasRowWithoutDay
          ? "no row of the bill says when it was: give its days by --since and --until"
          : "the bill is empty", ["all of it"])
    }
    if days.isEmpty {
      throw BillCoverage.incomplete("the bill has no day of the period", ["all of it"])
    }
    return days
  }

  /// The most calls that are kept apart.
  static let callLimit = 2_000_000

  init(_ table: LineTable, _ options: ReconcileOptions, _ names: ModelMatch) {
    self.table = table
    self.names = names
    (period, modelColumn, isSplit) = (options.period, options.modelColumn, options.isSplit)
  }

  var grouping: Grouping { table.grouping }

  func folded(_ counts: Quantities) throws(CreditError) -> Quantities {
    try detail.folded(counts, callPlaces: callPlaces)
  }

  // MARK: Buckets

  /// Adds a bucket of a page, and its results.
  /// - Parameters:
  ///   - report: a result's report, and a text that distinguishes its group.
  ///   - row: reads a result.
  func addBucket(
    _ bucket: JSONValue, from start: Timestamp, to end: Timestamp, results: JSONValue,
    report: (JSONValue) throws(CreditError) -> String,
    row: (JSONValue, Int64) throws(CreditError) -> BillRow
  ) throws(CreditError) -> String? {
    let day = period.day(of: start)
    guard end <= period.beginning(of: day + 1) else {
      throw .invalidRequest("the bucket from \(start.text) to \(end.text) covers more than one day")
    }
    var name: String?
    for result in results.elements {
      let own = try report(result)
      if let name, name != own {
        throw .invalidRequest("a bucket has results of \(name) and of \(own)")
      }
      name = own
    }
    guard
      try coverage.add(name, from: start, to: end, file: file, digest: Self.digest(of: bucket))
    else { return name }
    var groups: Set<String> = []
    for result in results.elements {
      guard groups.insert(Self.group(of: result)).inserted else {
        throw BillCoverage.incomplete(
          "a bucket has two results for one group, at \(start.text)",
          ["\(name ?? "") \(start.text)"])
      }
      try add(try row(result, day))
    }
    return name
  }

  /// Returns a text that distinguishes a result's group: all members except counts.
  private static func group(of result: JSONValue) -> String {
    var group = ""
    for (name, value) in result.members {
      switch value.kind {
      case .string, .null, .true, .false:
        if name.utf8Equals("amount") { continue }
        group += String(decoding: name.raw, as: UTF8.self)
        group += String(decoding: value.raw, as: UTF8.self)
      default: continue
      }
    }
    return group
  }

  private static func digest(of value: JSONValue) -> [UInt8] {
    SHA256.digest(JSONCompact.text(of: value))
  }

  // MARK: Rows

  /// Notes a row of a bill that lists single calls or similar.
  /// - Returns: true if it counts; a row that another file has, too, counts once.
  /// - Throws: `incomplete_bill` if it was read already and differs.
  func isNew(_ id: String, _ row: JSONValue) throws(CreditError) -> Bool {
    let digest = Array(Self.digest(of: row).prefix(16))
    guard let other = calls.updateValue((file, digest), forKey: id) else {
      if calls.count > Self.callLimit {
        throw CreditError(.limitExceeded, "the bill has more than \(Self.callLimit) calls")
      }
      return true
    }
    if other.file != file, other.digest == digest { return false }
    throw BillCoverage.incomplete("the bill has two rows for \(quoted(id))", [id])
  }

  /// Notes a row of a bill that has no ids.
  /// - Returns: true if it counts; a row that an earlier file has, too, counts once.
  func isNew(_ row: JSONValue, of day: Int64) throws(CreditError) -> Bool {
    guard isSplit, period.contains(day) else { return true }
    let digest = Self.digest(of: row).prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let first = rows[digest] ?? file
    rows[digest] = first
    if rows.count > Self.callLimit {
      throw CreditError(.limitExceeded, "several files have more than \(Self.callLimit) rows")
    }
    for earlier in first == file ? [nil] : [nil, first] {
      fileRows[FileDay(file: file, earlier: earlier, day: day), default: DayRows()].count += 1
      fileRows[FileDay(file: file, earlier: earlier, day: day)]?.digests &+= digest
    }
    return first == file
  }

  /// Checks that files with some rows of a day in common have all of them in common.
  /// - Throws: `incomplete_bill`.
  private func checkOverlaps() throws(CreditError) {
    let days = fileRows.filter { key, rows in
      guard let earlier = key.earlier else { return false }
      return [key.file, earlier].contains { fileRows[FileDay(file: $0, day: key.day)] != rows }
    }
    let names = Set(days.keys.map(\.day)).sorted().map { CalendarDay(number: $0).text }
    guard let first = names.first else { return }
    throw BillCoverage.incomplete(
      "two files have some rows of \(first) in common, and others not", names)
  }

  func add(_ row: BillRow) throws(CreditError) {
    if let day = row.day {
      coverage.note(rowOf: day)
      guard period.contains(day) else { return }
    } else if grouping.hasDay {
      throw .invalidRequest("a row of the bill does not say when it was")
    } else {
      hasRowWithoutDay = true
    }
    if row.key != nil { listsCalls = true }
    callPlaces.formUnion(row.callPlaces)
    if row.usage != nil, row.detail.rawValue > detail.rawValue { detail = row.detail }
    if row.usage != nil || row.isUsagePartial { hasUsage = true }
    if row.amount?.currency == "USD" { hasMoney = true }
    if row.isSharedByCount, grouping.hasModel, let day = row.day, let place = row.place,
      let amount = row.amount, amount.currency == "USD"
    {
      return try share(amount, of: place, on: day, row.description ?? "")
    }
    try add(row, to: table.number(of: try subject(of: row)))
  }

  private func add(_ row: BillRow, to subject: Int) throws(CreditError) {
    let day = row.day.map { CalendarDay(number: $0) }
    if let amount = row.amount, amount.currency != "USD" {
      let line = try table.line(day, subject, currency: amount.currency)
      line.bill.rowCount += 1
      try line.bill.add(amount.value, of: nil)
      if let text = row.description { line.bill.describe(text) }
      if row.usage == nil { return }
    }
    let line = try table.line(day, subject)
    line.bill.rowCount += 1
    if let text = row.description { line.bill.describe(text) }
    if grouping == .key, let model = row.model {
      line.bill.call = (try names.id(ofBill: model), row.day)
    }
    if let usage = row.usage {
      line.bill.hasUsage = true
      try line.bill.usage.add(usage)
      try noteShares(of: usage, day: row.day, subject)
    }
    if row.isUsagePartial { line.bill.isUsagePartial = true }
    for (name, count) in row.unread { try line.bill.add(count, unread: name) }
    if let amount = row.amount, amount.currency == "USD" {
      try line.bill.add(amount.value, of: row.place)
    }
    if row.hasOwnKey {
      line.bill.hasOwnKeys = true
      if row.costOfOwnKey == nil { line.bill.lacksCostOfOwnKeys = true }
      try line.bill.costOfOwnKeys.add(row.costOfOwnKey)
    }
  }

  private func subject(of row: BillRow) throws(CreditError) -> Subject {
    switch grouping {
    case .day:
      names.note(row.model ?? row.description)
      return .all
    case .key:
      guard let key = row.key else {
        throw .invalidRequest("--by key needs a row for each call, which the bill lacks")
      }
      return .call(key)
    case .model, .dayAndModel:
      if let model = row.model { return .model(try names.id(ofBill: model)) }
      if let text = row.description {
        return try names.id(ofCharge: text).map { .model($0) } ?? .charge(text)
      }
      throw .invalidRequest(
        "the bill does not say which models it is about: fetch it by model, or compare --by day")
    }
  }

  // MARK: Shared costs

  /// Notes a model's count for divided costs.
  private func noteShares(of usage: Quantities, day: Int64?, _ subject: Int) throws(CreditError) {
    guard let day, grouping.hasModel else { return }
    for place in usage.places where Quantities.isOfCalls(place) {
      let key = SharedKey(day: day, place: place)
      let known = shared[key]?.counts[subject] ?? 0
      let (sum, overflow) = known.addingReportingOverflow(usage[place])
      if overflow { throw CreditError(.amountOutOfRange, "a count does not fit in 64 bits") }
      shared[key, default: SharedCost()].counts[subject] = sum
    }
  }

  private func share(
    _ amount: BillAmount, of place: Int, on day: Int64, _ description: String
  ) throws(CreditError) {
    let key = SharedKey(day: day, place: place)
    var cost = shared[key] ?? SharedCost()
    if cost.description.isEmpty { cost.description = description }
    try cost.amount.add(amount.value)
    shared[key] = cost
  }

  /// Divides common costs among models, by their counts. If the shares are not exact, the cost
  /// becomes a separate line.
  func finish() throws(CreditError) {
    try checkOverlaps()
    for (key, cost) in shared where !cost.amount.isZero {
      let day = CalendarDay(number: key.day)
      if let shares = Self.shares(of: cost.amount, cost.counts) {
        for (subject, amount) in shares {
          try table.line(day, subject).bill.add(amount, of: key.place)
        }
      } else {
        let line = try table.line(day, table.number(of: .charge(cost.description)))
        line.bill.rowCount += 1
        line.bill.describe(cost.description)
        try line.bill.add(cost.amount, of: nil)
      }
    }
    shared = [:]
  }

  private static func shares(
    of amount: ExactDecimal, _ counts: [Int: Int64]
  ) -> [(subject: Int, amount: ExactDecimal)]? {
    let sum = counts.values.reduce(0 as Int128) { $0 + Int128($1) }
    guard sum > 0, let total = Int64(exactly: sum),
      let each = amount.divided(by: total, morePlaces: 12), each.isExact
    else { return nil }
    var shares: [(subject: Int, amount: ExactDecimal)] = []
    for (subject, count) in counts {
      guard let share = each.quotient.times(count) else { return nil }
      shares.append((subject, share))
    }
    return shares
  }
}
