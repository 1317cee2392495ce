internal import CreditBytes
internal import CreditJSON
internal import CreditModel

/// The books while their lines are read: sums for each line of the comparison.
final class Books {
  private let table: LineTable
  private let names: ModelMatch
  private let period: BillPeriod
  private let days: Range<Int64>
  private(set) var nearMidnight: NearMidnight?
  private var corrections = Corrections()
  /// Returns true if the bill has a row for a call; nil if it lists no calls.
  private let hasRow: ((String) -> Bool)?
  /// Hashes of the lines' ids. Two of a million lines share one by chance once in 30 million
  /// histories.
  private var seen: Set<UInt64> = []
  /// Number of lines of days that the bill does not cover.
  private(set) var outsideCount: Int64 = 0
  /// Number of corrections that are left out, as the history lacks their charges.
  private(set) var leftOutCount: Int64 = 0
  /// Number of lines whose id another line had.
  private(set) var repeatedCount: Int64 = 0

  /// The models as the lines name them, and the subject of each.
  private var models = NameTable()
  private var subjects: [Int] = []
  /// The line that was added to last.
  private var last: (day: Int64, subject: Int, line: ComparedLine)?

  /// The most ids that are kept: memory has a limit.
  private static let idLimit = 100_000_000

  init(
    _ table: LineTable, _ names: ModelMatch, in period: BillPeriod, days: Range<Int64>,
    grace: TimeSpan, hasRow: ((String) -> Bool)?
  ) {
    self.hasRow = hasRow
    self.table = table
    self.names = names
    self.period = period
    self.days = days
    if grace.milliseconds > 0, table.grouping.hasDay {
      nearMidnight = NearMidnight(within: grace, days: days)
    }
  }

  /// Adds a value of the input; values other than usage are skipped.
  /// - Throws: if it is not a line of a history, or cannot be read exactly.
  func add(_ line: JSONValue) throws(CreditError) {
    guard let id = try line.idOfCall() else { return }
    if !seen.insert(id.withUTF8(HashTable.hash) ?? 0).inserted {
      // A follower of the history prints a line again if its transaction was refunded since.
      if line.member("changed")?.bool == true { return }
      repeatedCount += 1
    } else if seen.count > Self.idLimit {
      throw CreditError(.limitExceeded, "the history has more than \(Self.idLimit) lines")
    }
    let local = period.clock.local(try line.timeOfWork())
    if id.raw.count > 8, id.withUTF8({ $0.starts(with: "amend:".utf8) }) == true,
      let id = id.string, let reference = CorrectionReference(id: id)
    {
      return try correct(line, reference, day: local.dayNumber)
    }
    var part = Corrections.Part.all
    var isMoved = false
    if !corrections.isEmpty, let id = id.string {
      let (own, waiting) = corrections.take(id)
      part = own
      for var entry in waiting {
        entry.day = local.dayNumber
        try add(entry)
      }
      isMoved = waiting.contains { $0.callCount < 0 }
    }
    guard days.contains(local.dayNumber) else {
      outsideCount += 1
      return
    }
    if let nearMidnight, nearMidnight.isNear(local) {
      var entry = try entry(line, day: local.dayNumber, part, callCount: 1)
      if isMoved { entry.key = nil }
      try nearMidnight.add(entry, at: local)
      return try add(entry)
    }
    try add(line, day: local.dayNumber, part, isMoved: isMoved)
  }

  /// Leaves out the corrections that remain at the end: each has the whole new use of its charge,
  /// but only the difference of its dollars.
  func finish() { leftOutCount = Int64(corrections.waitingCount) }

  // MARK: Adding

  /// Adds a line in place.
  /// - Parameter isMoved: true if a correction took its call to another model.
  private func add(
    _ line: JSONValue, day: Int64, _ part: Corrections.Part, isMoved: Bool
  ) throws(CreditError) {
    let target = try self.line(day, try subject(of: line))
    target.books.callCount += 1
    target.books.lineCount += 1
    if part == .all { try line.addUsage(to: &target.books.usage) }
    let money = try line.money()
    try target.books.money.add(money)
    let isUnlisted = isUnlisted(line, money)
    if isUnlisted { target.books.unlistedCount += 1 }
    if !isMoved { target.books.note(line.callKey, isUnlisted: isUnlisted) }
  }

  /// Returns true for a call without dollars that the bill lacks, if that lists calls.
  private func isUnlisted(_ line: JSONValue, _ money: ExactDecimal?) -> Bool {
    guard let hasRow, money == nil, let key = line.callKey else { return false }
    return !hasRow(key)
  }

  private func add(_ entry: BookEntry) throws(CreditError) {
    guard days.contains(entry.day) else { return }
    let line = try self.line(entry.day, entry.subject)
    try line.books.add(entry)
    if entry.callCount > 0, let key = entry.key {
      line.books.note(key, isUnlisted: entry.isUnlisted)
    }
  }

  private func line(_ day: Int64, _ subject: Int) throws(CreditError) -> ComparedLine {
    if let last, last.day == day, last.subject == subject { return last.line }
    let line = try table.line(CalendarDay(number: day), subject)
    last = (day, subject, line)
    return line
  }

  private func entry(
    _ line: JSONValue, day: Int64, _ part: Corrections.Part, callCount: Int64
  ) throws(CreditError) -> BookEntry {
    var usage = Quantities()
    if part != .money { try line.addUsage(to: &usage, negative: part == .returned) }
    let money = try line.money()
    return BookEntry(
      day: day, subject: try subject(of: line), usage: usage, money: money, callCount: callCount,
      key: line.callKey, isUnlisted: isUnlisted(line, money))
  }

  private func correct(
    _ line: JSONValue, _ reference: CorrectionReference, day: Int64
  ) throws(CreditError) {
    if reference.charge.withUTF8Bytes({ seen.contains(HashTable.hash($0)) }) {
      throw Corrections.wrongOrder
    }
    let part = try corrections.part(of: reference)
    try corrections.wait(
      try entry(line, day: day, part, callCount: reference.isReturn ? -1 : 0),
      for: reference.charge)
  }

  // MARK: Subjects

  private func subject(of line: JSONValue) throws(CreditError) -> Int {
    switch table.grouping {
    case .day: return table.number(of: .all)
    case .key: return table.number(of: .call(line.callKey ?? ""))
    case .model, .dayAndModel: return try modelSubject(of: line)
    }
  }

  private func modelSubject(of line: JSONValue) throws(CreditError) -> Int {
    guard let model = line.member("model"), model.kind == .string else {
      return table.number(of: .charge("no model"))
    }
    if let number = model.withUTF8({ models.number(of: $0) }) ?? nil { return subjects[number] }
    let name = model.string ?? ""
    let subject = table.number(of: .model(try names.id(of: name)))
    _ = models.add(Name(trusted: name))
    subjects.append(subject)
    return subject
  }
}

/// A usage line of `credit-history`, as it is compared.
extension JSONValue {
  /// Returns the id of a completed call.
  ///
  /// It is nil for a line of another type, of usage that was never completed, or of a payer: the
  /// call, its usage and its money are on its member's own line.
  /// - Throws: if the value is not a line of a history.
  fileprivate func idOfCall() throws(CreditError) -> JSONValue? {
    guard let id = member("id"), id.kind == .string, let type = member("type"),
      type.kind == .string, member("timestamp") != nil
    else {
      throw CreditError(.invalidRequest, "it is not a transaction as credit-history prints it")
    }
    guard type.utf8Equals("usage"), member("member") == nil else { return nil }
    if let status = member("status"), !status.utf8Equals("completed"),
      !status.utf8Equals("refunded")
    {
      return nil
    }
    return id
  }

  /// The key of its call, or else the id of its charge.
  fileprivate var callKey: String? {
    if let key = member("key")?.string { return key }
    guard let id = member("id")?.string else { return nil }
    return CorrectionReference(id: id)?.charge ?? id
  }

  /// Returns the time of the work, or else of its record.
  fileprivate func timeOfWork() throws(CreditError) -> Timestamp {
    guard let time = (member("usedAt") ?? member("timestamp"))?.timestamp() else {
      throw CreditError(.invalidRequest, "its time is not a valid time")
    }
    return time
  }

  /// Returns the cost of the work in dollars. Nil if the line has no cost.
  fileprivate func money() throws(CreditError) -> ExactDecimal? {
    guard let money = member("costUSD") ?? member("usd"), !money.isNull else { return nil }
    guard let number = money.amount else {
      throw CreditError(.invalidRequest, "its dollars are not a decimal number")
    }
    return number
  }

  /// Adds its counts, or takes them away.
  fileprivate func addUsage(to sums: inout Quantities, negative: Bool = false) throws(CreditError) {
    guard let usage = member("usage") else { return }
    for (name, value) in usage.members {
      guard let count = value.int64 else {
        if value.kind == .string { continue }
        throw CreditError(.invalidUsage, "it has a usage that cannot be read")
      }
      guard count >= 0 else { throw CreditError(.invalidUsage, "it has a count below 0") }
      if count == 0 { continue }
      guard let place = Quantities.place(of: name) else {
        throw CreditError(
          .invalidUsage, "it has a usage of \(quoted(name.string ?? "")), which is not a count")
      }
      try sums.add(negative ? 0 - count : count, at: place)
    }
  }
}
