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
  /// Hashes of the lines' ids. Two of a million lines share one by chance once in 30 million
  /// histories.
  private var seen: Set<UInt64> = []
  /// Number of lines of days that the bill does not cover.
  private(set) var outsideCount: Int64 = 0
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
    grace: TimeSpan
  ) {
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
  func add(_ value: JSONValue) throws(CreditError) {
    guard let line = try BookLine(value) else { return }
    if !seen.insert(line.id.withUTF8(HashTable.hash) ?? 0).inserted {
      if line.isChanged { return }
      repeatedCount += 1
    } else if seen.count > Self.idLimit {
      throw CreditError(.limitExceeded, "the history has more than \(Self.idLimit) lines")
    }
    let local = period.utcOffset.local(try line.usedAt())
    if line.id.raw.count > 8, line.id.withUTF8({ $0.starts(with: "amend:".utf8) }) == true,
      let id = line.id.string, let reference = CorrectionReference(id: id)
    {
      return try correct(line, reference, day: local.dayNumber)
    }
    var part = Corrections.Part.all
    if !corrections.isEmpty, let id = line.id.string {
      let (own, waiting) = corrections.take(id)
      part = own
      for var entry in waiting {
        entry.day = local.dayNumber
        try add(entry)
      }
    }
    guard days.contains(local.dayNumber) else {
      outsideCount += 1
      return
    }
    if let nearMidnight, nearMidnight.isNear(local) {
      let entry = try entry(line, day: local.dayNumber, part, callCount: 1)
      try nearMidnight.add(entry, at: local)
      return try add(entry)
    }
    try add(line, day: local.dayNumber, part)
  }

  /// Adds the corrections that remain at the end.
  func finish() throws(CreditError) {
    for entry in corrections.rest() { try add(entry) }
  }

  // MARK: Adding

  /// Adds a line in place.
  private func add(_ line: BookLine, day: Int64, _ part: Corrections.Part) throws(CreditError) {
    let target = try self.line(day, try subject(of: line))
    target.books.callCount += 1
    target.books.lineCount += 1
    if part == .all { try line.addUsage(to: &target.books.usage) }
    try target.books.money.add(try line.money())
    if target.books.keys.count < BookSide.keyLimit, let key = (line.key ?? line.id).string {
      target.books.keys.append(key)
    }
  }

  private func add(_ entry: BookEntry) throws(CreditError) {
    guard days.contains(entry.day) else { return }
    let line = try self.line(entry.day, entry.subject)
    try line.books.add(entry)
    if line.books.keys.count < BookSide.keyLimit, let key = entry.key {
      line.books.keys.append(key)
    }
  }

  private func line(_ day: Int64, _ subject: Int) throws(CreditError) -> ComparedLine {
    if let last, last.day == day, last.subject == subject { return last.line }
    let line = try table.line(CalendarDay(number: day), subject)
    last = (day, subject, line)
    return line
  }

  private func entry(
    _ line: BookLine, day: Int64, _ part: Corrections.Part, callCount: Int64
  ) throws(CreditError) -> BookEntry {
    var usage = Quantities()
    if part != .money { try line.addUsage(to: &usage, negative: part == .returned) }
    return BookEntry(
      day: day, subject: try subject(of: line), usage: usage, money: try line.money(),
      callCount: callCount, key: (line.key ?? line.id).string)
  }

  private func correct(
    _ line: BookLine, _ reference: CorrectionReference, day: Int64
  ) throws(CreditError) {
    if reference.charge.withUTF8Bytes({ seen.contains(HashTable.hash($0)) }) {
      throw Corrections.wrongOrder
    }
    let part = try corrections.part(of: reference)
    try corrections.wait(
      try entry(line, day: day, part, callCount: 0), for: reference.charge)
  }

  // MARK: Subjects

  private func subject(of line: BookLine) throws(CreditError) -> Int {
    switch table.grouping {
    case .day: return table.number(of: .all)
    case .key: return table.number(of: .call((line.key ?? line.id).string ?? ""))
    case .model, .dayAndModel: return try modelSubject(of: line)
    }
  }

  private func modelSubject(of line: BookLine) throws(CreditError) -> Int {
    guard let model = line.model, model.kind == .string else {
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
