public import CreditModel

public struct ReconcileOptions: Sendable {
  public var grouping = Grouping.dayAndModel
  public var period: BillPeriod
  public var tolerance = Tolerance.none
  /// How old a day is before the bill does not change any more.
  public var settled = TimeSpan.seconds(86_400)
  public var grace = TimeSpan.seconds(0)
  public var modelColumn: String?
  /// False if one file has all of the bill.
  public var isSplit = true
  public var now: Timestamp

  public init(period: BillPeriod, now: Timestamp) {
    self.period = period
    self.now = now
  }
}

/// A comparison of a bill with the books. It takes the files of the bill, then the lines of the
/// history, and then returns the differences.
public final class Reconciliation {
  private let options: ReconcileOptions
  private let table: LineTable
  private let format: any BillFormat
  public let bill: Bill
  private var files: [BillFile] = []
  private var days: Range<Int64> = 0..<0
  private var books: Books?

  public init(
    _ format: any BillFormat.Type, _ options: ReconcileOptions, _ names: ModelMatch
  ) {
    self.options = options
    self.format = format.init()
    table = LineTable(options.grouping)
    bill = Bill(table, options, names)
  }

  /// Reads a file of the bill.
  /// - Parameter read: passes the file's bytes, piece by piece.
  /// - Throws: if it cannot be read exactly; errors of `read`.
  public func readFile(
    _ path: String,
    _ read: ((Bytes) throws(CreditError) -> Void) throws(CreditError) -> Void
  ) throws(CreditError) {
    bill.file = files.count
    var reader = BillReader(path, format, into: bill)
    try read { (bytes) throws(CreditError) in try reader.take(bytes) }
    files.append(try reader.finish())
  }

  /// Ends the bill, before the lines of the history.
  /// - Throws: `incomplete_bill` if the bill has a gap.
  public func beginBooks() throws(CreditError) {
    try bill.finish()
    days = try bill.days()
    books = Books(table, beside: bill, days: days, grace: options.grace)
  }

  /// Adds a value of the history.
  /// - Throws: if it cannot be read exactly.
  public func add(_ value: JSONValue) throws(CreditError) { try books?.add(value) }

  public func finish() throws(CreditError) -> Result {
    let period = options.period
    let settled = Timestamp(
      milliseconds: options.now.milliseconds - options.settled.milliseconds)
    let comparison = Comparison(
      bill: bill, tolerance: options.tolerance, openFrom: period.day(of: settled))
    var totals = Totals(
      days: days, since: period.beginning(of: days.lowerBound),
      until: period.beginning(of: days.upperBound), options.tolerance)
    if let books {
      (totals.outside, totals.unasked) = (books.outside, books.unasked)
      totals.missingFlags =
        (period.since == nil ? ["--since"] : []) + (period.until == nil ? ["--until"] : [])
      totals.repeatedCount = books.repeatedCount
      totals.leftOutCount = books.leftOutCount
      totals.movedCount =
        try books.nearMidnight?.settle(table) { (line) throws(CreditError) in
          guard bill.hasUsage, line.bill.rowCount == 0 || line.bill.isUsageKnown else { return nil }
          return try bill.folded(line.bill.usage).less(try bill.folded(line.books.usage))
        } ?? 0
    }
    try table.joinNamedCharges { (text) throws(CreditError) in try bill.names.id(ofBill: text) }
    var findings: [Finding] = []
    for line in table.sorted()
    where line.bill.rowCount > 0 || line.books.lineCount > 0 && !line.books.isCancelled {
      let finding = try comparison.finding(line)
      // Neither dollars nor counts say whether the bill has the line's calls.
      if finding.isBare, finding.cause == .equal, !bill.listsCalls {
        totals.uncomparedCount += line.books.callCount
        continue
      }
      try totals.add(finding)
      findings.append(finding)
    }
    var result = Result(
      grouping: options.grouping, findings: findings, totals: totals, files: files,
      format: type(of: format).description.title)
    let places = result.places.0
    (result.totals.places, result.listsCalls) = (places, bill.listsCalls)
    result.models = bill.names.patterns
    if let books { result.source = (books.lineCount, books.newest, options.now) }
    for place in findings.indices { result.findings[place].places = places }
    return result
  }

  public struct Result {
    public let grouping: Grouping
    public internal(set) var findings: [Finding]
    public internal(set) var totals: Totals
    public let files: [BillFile]
    public let format: String
    /// True if the bill lists calls, so that a line names those that it lacks.
    var listsCalls = false
    /// Number of the history's lines, the time of the newest one, and that of the comparison.
    var source = (lineCount: Int64(0), newest: Timestamp.earliest, now: Timestamp.earliest)
    /// The models of the books that are compared; nil for all.
    var models: ModelPatterns?
  }
}

extension Reconciliation.Result {
  /// All lines as rows of comma-separated values under a row of names, the total last.
  public var csv: ReportText {
    var text = ReportText()
    let names = ["day", "model", "bill", "books", "difference", "currency", "cause", "detail"]
    text.appendCSV(names.map { ReportCell.text($0) })
    for finding in findings {
      text.appendCSV([
        finding.day.isEmpty ? .none : .text(finding.day), .text(finding.subject.text),
        ReportCell(finding.billMoney, short: true), ReportCell(finding.booksUSD, short: true),
        ReportCell(finding.differenceUSD, short: true),
        .text(finding.line.currency ?? "USD"), .text(finding.cause.rawValue),
        .text(finding.words),
      ])
    }
    text.appendCSV([
      .text("total"), .none, ReportCell(totals.billUSD, short: true),
      ReportCell(totals.booksUSD, short: true), ReportCell(totals.differenceUSD, short: true),
      .text("USD"), .none,
      .text(
        ((totals.isOK ? [] : [totals.sentence]) + [totals.remarkOnOutside].compactMap(\.self))
          .joined(separator: "; ")),
    ])
    return text
  }

  public var titles: [String] {
    (grouping.hasDay ? ["DAY"] : [])
      + (grouping == .day ? [] : [grouping == .key ? "KEY" : "MODEL"])
      + ["BILL, $", "BOOKS, $", "DIFFERENCE", "CAUSE"]
  }

  /// Its rows, the total last.
  public var rows: [[String]] {
    let (places, isFooted) = self.places
    func text(_ sum: ExactDecimal?) -> String { sum.map(places.plain) ?? "" }
    return findings.map { finding in
      let isZero = finding.differenceUSD?.isZero ?? true
      return first(finding.day, finding.subject.text) + [
        text(finding.billMoney) + (finding.line.currency.map { " \($0)" } ?? ""),
        text(finding.booksUSD), isZero ? "" : text(finding.differenceUSD), finding.words,
      ]
    } + [
      first("TOTAL", grouping.hasDay ? "" : "TOTAL") + [
        text(totals.billUSD), text(totals.booksUSD), text(totals.differenceUSD),
        [
          totals.percent.map { "\($0.fullText) %" }, isFooted ? nil : "of the exact amounts",
          totals.unaskedText.map { $0 + " outside the bill's period" },
        ].compactMap(\.self).joined(separator: "; "),
      ]
    ]
  }

  public var table: ReportText {
    var table = ReportText()
    for row in rows { table.appendJSON(titles, row.map { .text($0) }, keys: 0) }
    return table
  }

  /// The places of all amounts, and whether these add up then.
  var places: (ShownPlaces, isFooted: Bool) {
    let causes = Cause.allCases.map { totals.causes[$0] }
    let amounts = findings.flatMap { [$0.billMoney, $0.booksUSD, $0.differenceUSD] }
    var places = ShownPlaces(causes + amounts)
    let dollars = findings.lazy.filter { $0.differenceUSD != nil }
    let isFooted = places.foot { places in
      places.addsUp([totals.booksUSD, totals.differenceUSD], to: totals.billUSD)
        && places.addsUp(dollars.map(\.billMoney), to: totals.billUSD)
        && places.addsUp(dollars.map(\.booksUSD), to: totals.booksUSD)
        && places.addsUp(dollars.map(\.differenceUSD), to: totals.differenceUSD)
        && places.addsUp(causes, to: totals.differenceUSD)
        && dollars.allSatisfy {
          places.addsUp([$0.booksUSD, $0.differenceUSD], to: $0.billMoney)
            && places.addsUp([$0.parts?.quantity, $0.parts?.price], to: $0.differenceUSD)
        }
    }
    return (places, isFooted)
  }

  /// Sentences about lines that are not compared, and about models that the bill lacks.
  public var remarks: [String] {
    let models = findings.filter { if case .model = $0.subject { true } else { false } }
    let billed = Set(models.filter { $0.line.bill.rowCount > 0 }.map(\.subject.text))
    let missing = Set(models.filter { $0.cause == .notInBill }.map(\.subject.text))
      .subtracting(billed)
    if billed.isEmpty || missing.isEmpty || listsCalls { return totals.remarks }
    let hasSimilar = !Set(missing.map(Self.spelling)).isDisjoint(with: billed.map(Self.spelling))
    let advice =
      hasSimilar
      ? ", but has similar names: give --catalog or --map"
      : ": --models leaves out those of other providers"
    return totals.remarks + ["the bill has no \(Array(missing).quotedInShort)\(advice)"]
  }

  /// A model's name without its provider, its date and marks, which bills write differently.
  private static func spelling(of model: String) -> String {
    let name = model.split(separator: "/").last.map(String.init) ?? model
    let undated = Name(trusted: name).datedAlias?.text.dropLast(4) ?? name[...]
    return String(undated.lowercased().filter { $0.isLetter || $0.isNumber })
  }

  private func first(_ day: String, _ subject: String) -> [String] {
    (grouping.hasDay ? [day] : []) + (grouping == .day ? [] : [subject])
  }
}
