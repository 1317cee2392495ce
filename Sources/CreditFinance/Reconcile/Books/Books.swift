internal import CreditJSON
internal import CreditModel

/// The books while their lines are read: sums for each line of the comparison.
final class Books {
  private let table: LineTable
  private let days: Range<Int64>
  private(set) var nearMidnight: NearMidnight?
  private var corrections = Corrections()
  private let bill: Bill
  /// Hashes of the lines' ids. Two of a million lines share one by chance once in 30 million
  /// histories.
  private var seen: Set<UInt64> = []
  /// Number of the history's lines, and the time of the newest one.
  private(set) var (lineCount, newest): (Int64, Timestamp) = (0, .earliest)
  /// Lines of other days, and those beyond an end that was not asked for.
  private(set) var (outside, unasked) = (OutsideCalls(), OutsideCalls())
  /// Number of corrections that are left out, as the history lacks their charges: each has the
  /// whole new use of its charge, but only the difference of its dollars.
  var leftOutCount: Int64 { Int64(corrections.waitingCount) }
  /// Number of lines whose id another line had.
  private(set) var repeatedCount: Int64 = 0

  /// The models as the lines name them, and the subject of each.
  private var models = NameTable()
  private var subjects: [Int] = []
  private var last: (day: Int64, subject: Int, line: ComparedLine)?

  /// The most ids that are kept: memory has a limit.
  private static let idLimit = 100_000_000

  init(_ table: LineTable, beside bill: Bill, days: Range<Int64>, grace: TimeSpan) {
    self.table = table
    self.bill = bill
    self.days = days
    if grace.milliseconds > 0, table.grouping.hasDay {
      nearMidnight = NearMidnight(within: grace, days: days)
    }
  }

  /// Adds a value of the input; values other than usage are skipped.
  /// - Throws: if it is not a line of a history, or cannot be read exactly.
  func add(_ line: JSONValue) throws(CreditError) {
    lineCount += 1
    newest = max(newest, line.timestamp("timestamp") ?? .earliest)
    guard let id = try line.idOfCall() else { return }
    if !seen.insert(id.withUTF8(HashTable.hash) ?? 0).inserted {
      // A follower of the history prints a line again if its transaction was refunded since.
      if line.member("changed")?.bool == true { return }
      repeatedCount += 1
    } else if seen.count > Self.idLimit {
      throw CreditError(.limitExceeded, "the history has more than \(Self.idLimit) lines")
    }
    guard let time = (line.member("usedAt") ?? line.member("timestamp"))?.timestamp() else {
      throw .invalidRequest("its time is not a valid time")
    }
    let local = bill.period.clock.local(time)
    let isCompared = try bill.names.compares(line)
    if id.raw.count > 8, id.withUTF8({ $0.starts(with: "amend:".utf8) }) == true,
      let id = id.string, let reference = CorrectionReference(id: id)
    {
      return try correct(line, reference, isCompared: isCompared)
    }
    var part = Corrections.Part.call
    var waiting: [BookEntry] = []
    if !corrections.isEmpty, let id = id.string { (part, waiting) = corrections.take(id) }
    if !isCompared, waiting.isEmpty { return }
    guard days.contains(local.dayNumber) else {
      let amounts = waiting.map(\.money) + (isCompared ? [try line.money()] : [])
      try outside.add(amounts)
      let end = local.dayNumber < days.lowerBound ? bill.period.since : bill.period.until
      return end == nil ? try unasked.add(amounts) : ()
    }
    if waiting.isEmpty, nearMidnight?.isNear(local) != true {
      return try add(line, day: local.dayNumber)
    }
    try add(waiting + (isCompared ? [try entry(line, part)] : []), at: local)
  }

  // MARK: Adding

  /// Adds a call that was not corrected in place.
  private func add(_ line: JSONValue, day: Int64) throws(CreditError) {
    let target = try self.line(day, try subject(of: line))
    target.books.callCount += 1
    target.books.lineCount += 1
    try line.addUsage(to: &target.books.usage)
    let money = try line.money()
    try target.books.money.add(money)
    let isUnlisted = try isUnlisted(line, money)
    if isUnlisted { target.books.unlistedCount += 1 }
    target.books.note(line.callKey, isUnlisted: isUnlisted)
  }

  /// Returns true for a call that the bill lacks, if neither dollars nor counts show it.
  private func isUnlisted(_ line: JSONValue, _ money: ExactDecimal?) throws(CreditError) -> Bool {
    guard bill.listsCalls, money == nil, let key = line.callKey, bill.calls[key] == nil else {
      return false
    }
    guard bill.hasUsage else { return true }
    var usage = Quantities()
    try line.addUsage(to: &usage)
    return try bill.folded(usage).isZero
  }

  /// Adds a call: the lines of its corrections, newest first, and that of its charge.
  private func add(_ entries: [BookEntry], at local: Timestamp) throws(CreditError) {
    // The newest line has the call. The others have the rest of its dollars, or another model.
    var call = entries[0]
    for entry in entries.dropFirst() {
      if entry.subject == call.subject {
        try call.add(entry)
      } else {
        try self.line(local.dayNumber, entry.subject).books.add(entry)
      }
    }
    let line = try self.line(local.dayNumber, call.subject)
    try line.books.add(call)
    if try nearMidnight?.add(call, at: local) != true { line.books.note(call) }
  }

  private func line(_ day: Int64, _ subject: Int) throws(CreditError) -> ComparedLine {
    if let last, last.day == day, last.subject == subject { return last.line }
    let line = try table.line(CalendarDay(number: day), subject)
    last = (day, subject, line)
    return line
  }

  private func entry(
    _ line: JSONValue, _ part: Corrections.Part
  ) throws(CreditError) -> BookEntry {
    var usage = Quantities()
    if part != .money { try line.addUsage(to: &usage, negative: part == .returned) }
    let money = try line.money()
    return BookEntry(
      subject: try subject(of: line), usage: usage, money: money,
      key: part == .call ? line.callKey : nil,
      isUnlisted: part == .call ? try isUnlisted(line, money) : false)
  }

  private func correct(
    _ line: JSONValue, _ reference: CorrectionReference, isCompared: Bool
  ) throws(CreditError) {
    if reference.charge.withUTF8Bytes({ seen.contains(HashTable.hash($0)) }) {
      throw Corrections.wrongOrder
    }
    let part = try corrections.part(of: reference)
    if isCompared { try corrections.wait(try entry(line, part), for: reference.charge) }
  }

  // MARK: Subjects

  private func subject(of line: JSONValue) throws(CreditError) -> Int {
    switch table.grouping {
    case .day: return table.number(of: .all)
    case .key: return table.number(of: .call(line.callKey ?? ""))
    case .model, .dayAndModel: break
    }
    guard let model = line.member("model"), model.kind == .string else {
      return table.number(of: .charge("no model"))
    }
    if let number = model.withUTF8({ models.number(of: $0) }) ?? nil { return subjects[number] }
    let name = model.string ?? ""
    let subject = table.number(of: .model(try bill.names.id(of: name)))
    _ = models.add(Name(trusted: name))
    subjects.append(subject)
    return subject
  }
}

/// Calls of days that are not compared.
struct OutsideCalls {
  private(set) var count: Int64 = 0
  /// Their dollars; nil if none has any.
  private(set) var usd: ExactDecimal?

  /// Adds a call by the dollars of its lines.
  mutating func add(_ amounts: [ExactDecimal?]) throws(CreditError) {
    count += 1
    for amount in amounts { try usd.add(amount) }
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
    else { throw .invalidRequest("it is not a transaction as credit-history prints it") }
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

  /// Returns the cost of the work in dollars. Nil if the line has no cost.
  fileprivate func money() throws(CreditError) -> ExactDecimal? {
    guard let money = member("costUSD") ?? member("usd"), !money.isNull else { return nil }
    guard let number = money.amount else {
      throw .invalidRequest("its dollars are not a decimal number")
    }
    return number
  }

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
