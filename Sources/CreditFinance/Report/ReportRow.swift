public import CreditModel

public enum RowForm: Sendable {
  case json, csv
  /// JSON for a table that people read: the amounts of a column have the same places.
  case table
}

public enum ReportCell: Hashable {
  case none
  case text(String)
  /// A whole number's digits.
  case integer(String)
  /// An exact decimal number: text in JSON, so that no reader makes it floating point.
  case decimal(String)
  /// A true flag; a false one is left out.
  case isTrue

  init(_ text: String?) { self = text.map { .text($0) } ?? .none }

  init(whole: (some BinaryInteger)?) { self = whole.map { .integer(String($0)) } ?? .none }

  public init(_ sum: ExactDecimal?, short: Bool = false) {
    self = sum.map { .decimal(short ? $0.text : $0.fullText) } ?? .none
  }

  /// The number that it shows; nil if it is no decimal number.
  var amount: ExactDecimal? {
    guard case .decimal(let text) = self else { return nil }
    return text.withUTF8Bytes { ExactDecimal(amount: $0) }
  }

  var plainText: String {
    switch self {
    case .none: ""
    case .isTrue: "true"
    case .text(let text), .integer(let text), .decimal(let text): text
    }
  }
}

extension ReportText {
  /// A row as comma-separated values (RFC 4180). Text that a spreadsheet would take for a formula
  /// gets an apostrophe before it.
  public mutating func appendCSV(_ cells: [ReportCell]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { append(",") }
      let isText = if case .text = cell { true } else { false }
      cell.plainText.withUTF8Bytes { appendCSV($0, isText: isText) }
    }
    append("\r\n")
  }

  /// A field of comma-separated values.
  /// - Parameter isText: whether it may look like a formula.
  mutating func appendCSV(_ field: Bytes, isText: Bool) {
    let needsMark = isText && field.first.map { Self.formulaMarks.contains($0) } == true
    let needsQuotes = field.contains { Self.csvMarks.contains($0) }
    if needsQuotes { bytes.append(UInt8(ascii: "\"")) }
    if needsMark { bytes.append(UInt8(ascii: "'")) }
    if needsQuotes {
      for byte in field {
        if byte == UInt8(ascii: "\"") { bytes.append(byte) }
        bytes.append(byte)
      }
      bytes.append(UInt8(ascii: "\""))
    } else {
      bytes.append(contentsOf: field)
    }
  }

  private static let formulaMarks = Array("=+-@\t\r".utf8)
  private static let csvMarks = Array(",\"\r\n".utf8)

  /// Appends a row as one JSON object.
  /// - Parameter keys: number of the first cells that are written even if empty, as null.
  mutating func appendJSON(_ names: [String], _ cells: [ReportCell], keys: Int) {
    var row = JSONWriter()
    row.beginObject()
    for (index, (name, cell)) in zip(names, cells).enumerated() {
      if cell == .none, index >= keys { continue }
      name.withUTF8Bytes { row.key(utf8: $0) }
      switch cell {
      case .none: row.raw("null")
      case .isTrue: row.raw("true")
      case .text(let text), .decimal(let text): row.string(text)
      case .integer(let digits): digits.withUTF8Bytes { row.raw($0) }
      }
    }
    row.endObject()
    append(row.string + "\n")
  }

  /// Appends rows; as comma-separated values under the names of the columns.
  /// - Parameters:
  ///   - keys: how many columns come first that JSON has also if they are empty.
  ///   - totalCount: how many rows come last that sum the others in a table.
  /// - Returns: false if the rounded amounts of a table do not add up to its totals.
  @discardableResult
  mutating func append<Row>(
    _ rows: [Row], by columns: [RowColumn<Row>], as form: RowForm, keys: Int = 0,
    totalCount: Int = 0
  ) throws(CreditError) -> Bool {
    var isFooted = true
    let names = columns.map(\.name)
    if form == .csv { appendCSV(names.map { .text($0) }) }
    let places = try columns.map { (column) throws(CreditError) in
      form == .table ? try column.places(in: rows, totalCount: totalCount, &isFooted) : [:]
    }
    for row in rows {
      var cells: [ReportCell] = []
      for (column, places) in zip(columns, places) {
        let cell = try column.cell(row)
        let own = places[column.currency?(row)]
        cells.append(own.flatMap { cell.amount.map($0.rounded) }.map { ReportCell($0) } ?? cell)
      }
      switch form {
      case .json, .table: appendJSON(names, cells, keys: keys)
      case .csv: appendCSV(cells)
      }
    }
    return isFooted
  }
}

/// The places after the point of a column in a table.
enum ColumnPlaces {
  case asTheyAre
  /// Those of the longest amount: prices as they were paid.
  case longest
  /// Cents, and more for small amounts.
  case shown
  /// Cents, and more if an amount has more.
  case exact
}

/// A column of rows: its name, and the cell of each row in it.
struct RowColumn<Row> {
  let name: String
  var isNumber = false
  var places = ColumnPlaces.asTheyAre
  /// The currency of a row's amount, whose digits it has in a table.
  var currency: ((Row) -> String?)?
  var cell: (Row) throws(CreditError) -> ReportCell

  init(_ name: String, _ cell: @escaping (Row) throws(CreditError) -> ReportCell) {
    self.name = name
    self.cell = cell
  }

  static func number(
    _ name: String, _ places: ColumnPlaces = .asTheyAre, in currency: ((Row) -> String?)? = nil,
    _ cell: @escaping (Row) throws(CreditError) -> ReportCell
  ) -> RowColumn {
    var column = RowColumn(name, cell)
    column.isNumber = true
    column.places = places
    column.currency = currency
    return column
  }

  /// Returns the column's places in a table of some rows, for each currency; empty if amounts stay
  /// as they are.
  fileprivate func places(in rows: [Row], totalCount: Int, _ isFooted: inout Bool)
    throws(CreditError) -> [String?: ShownPlaces]
  {
    if places == .asTheyAre { return [:] }
    var shown: [String?: ShownPlaces] = [:]
    for row in rows {
      guard let amount = try cell(row).amount else { continue }
      let currency = currency?(row)
      var own =
        shown[currency] ?? currency.map { ShownPlaces(of: $0) }
        ?? ShownPlaces(places == .longest ? 0 : 2)
      if places == .shown { own.include(amount) } else { own.include(allOf: amount) }
      shown[currency] = own
    }
    if places == .shown, totalCount > 0, currency == nil {
      let amounts = try rows.map { (row) throws(CreditError) in try cell(row).amount }
      let parts = amounts.dropLast(totalCount) + amounts.suffix(totalCount).map { $0?.negated }
      isFooted = shown[nil]?.foot { $0.addsUp(parts, to: nil) } != false && isFooted
    }
    return shown
  }
}

/// A form that a report is printed in. It is given all lines of the input, one after another, in
/// any order.
public protocol ReportForm: AnyObject {
  /// Adds a line.
  /// - Throws: ``CreditError`` if the line can't be understood, or exceeds a limit.
  func add(_ line: ReportLine) throws(CreditError)

  /// Adds a repeated line, which now has a later refund.
  func add(repeated line: ReportLine) throws(CreditError)

  /// Ends the lines.
  /// - Parameter end: time of the newest one, if the period is over and ended later.
  func finish(at end: Timestamp?) throws(CreditError)

  /// The least that it has to know of each line.
  var need: ReportLine.Source { get }

  /// True if a report on one account needs the lines of all.
  var readsAllAccounts: Bool { get }

  /// True if it shows more than the account's lines of its period. Known at its end.
  var hasOtherLines: Bool { get }

  /// Sentences about gaps of the report, after its end.
  var remarks: [String] { get }

  var output: ReportText { get set }
}

extension ReportForm {
  public func add(repeated line: ReportLine) throws(CreditError) {}

  public var remarks: [String] { [] }

  public var readsAllAccounts: Bool { false }

  public var hasOtherLines: Bool { false }
}

public struct ReportText {
  public internal(set) var bytes: [UInt8] = []

  public mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ text: [UInt8]) { bytes.append(contentsOf: text) }

  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

public final class SumRows: ReportForm {
  public var output = ReportText()
  private let form: RowForm
  private let columns: [ReportColumn]
  private let period: ReportPeriod
  private let showsCost: Bool
  private var table: SumTable
  private var tags: TagColumns
  /// The account whose lines are selected, by payer whose payments and work; nil for all.
  private let account: String?
  /// True if a line names that account, if there are sums, and if some are in dollars.
  private var (knowsAccount, hasRows, hasDollars) = (false, false, false)
  private var isFooted = true
  private var unpriced = UnpricedUse()
  /// Number of charges that were refunded since; nil if a charge's refund is here.
  private var refundedCount: Int64? = 0

  /// - Parameters:
  ///   - showsCost: true to show the providers' cost.
  ///   - account: whose lines are selected, or whose payments and work, if by payer; nil for all.
  public init(
    _ form: RowForm, by columns: [ReportColumn], in period: ReportPeriod, showsCost: Bool = true,
    of account: String? = nil
  ) {
    self.account = account
    self.form = form
    self.showsCost = showsCost
    self.columns = columns
    self.period = period
    tags = TagColumns(columns)
    table = SumTable(by: columns, in: period, of: columns.contains(.payer) ? account : nil)
  }

  private var hasDays: Bool { columns.contains(where: \.isTime) }

  /// A payer's sums are made of its members' lines.
  public var readsAllAccounts: Bool { account != nil && columns.contains(.payer) }

  public var need: ReportLine.Source {
    period.isBounded || hasDays ? .datedPrice : .price
  }

  public func add(_ line: ReportLine) throws(CreditError) {
    if let account, !knowsAccount {
      knowsAccount = line.account == account || line.parent == account
    }
    if line.counts { try table.note(line) }
    if line.isOfCharge { refundedCount = nil }
    for part in line.parts where period.contains(part) {
      if line.isRefunded, line.isCharge, !line.isShare { refundedCount? += 1 }
      tags.note(line)
      unpriced.add(part, of: account)
      try table.add(part)
    }
  }

  public func add(repeated line: ReportLine) throws(CreditError) { try table.note(line) }

  public var remarks: [String] {
    tags.remarks + table.remarks + remarksOnChain
      + remarksOnRefunds + (hasDollars ? unpriced.remarks("not in usd") : [])
      + (isFooted ? [] : ["amounts are rounded, and totals are of the exact ones, as in CSV"])
  }

  private var remarksOnRefunds: [String] {
    guard let refundedCount, refundedCount > 0 else { return [] }
    return [
      "refunded charges count in full (\(refundedCount.separated)), as the input has no "
        + "refunds: credit-history without --type has them"
    ]
  }

  private var remarksOnChain: [String] {
    if !table.isOfChain { return [] }
    if let account, readsAllAccounts, !hasRows, !table.owners.lacksAny {
      let time = period.isBounded ? " in this period" : ""
      return knowsAccount ? ["account \(quoted(account)) paid for no work\(time)"] : []
    }
    let reads = "--by \(columns.map(\.name).joined(separator: ",")) reads the lines of members"
    let gap =
      account == nil || readsAllAccounts
      ? "\(reads) and leaves out those of their payers: give the lines of all accounts"
      : "\(reads), which --account filters out: leave out --account"
    let member = "\(reads), so the column member is empty: account has their names"
    return (table.owners.lacksAny ? [gap] : []) + (columns.contains(.member) ? [member] : [])
  }

  /// The columns, those that were asked for first.
  private var rowColumns: [RowColumn<SumTable.Group>] {
    let asked = columns.enumerated().map { place, column in
      RowColumn<SumTable.Group>(column.name) { ReportCell($0.values[place]) }
    }
    return asked + [
      .number("count") { .integer(String($0.sums.count)) },
      .number("credits") { .integer(String($0.sums.credits)) },
      .number("price", .longest, in: \.sums.currency) { ReportCell($0.sums.price) },
      .number("refundedPrice", .longest, in: \.sums.currency) { ReportCell($0.sums.refundedPrice) },
    ]
      + (columns.contains(.currency)
        ? [] : [RowColumn("currency") { ReportCell($0.sums.currency) }])
      + [
        .number("usd", .shown) { (group) throws(CreditError) in
          ReportCell(try group.sums.listUSD(), short: true)
        }
      ]
      + (showsCost ? [.number("costUSD", .shown) { ReportCell($0.sums.costUSD, short: true) }] : [])
      + (columns.contains(.type)
        ? [
          sum("refundsOfCharges", \.refundsOfCharges),
          sum("refundsOfPurchases", \.refundsOfPurchases),
        ] : [])
      + [
        .number("usdWaived", .shown) { ReportCell($0.sums.waivedUSD, short: true) },
        sum("creditsWaived", \.creditsWaived),
      ] + (columns.contains(.type) ? [sum("carriedOver", \.carriedOver)] : [])
  }

  private func sum(
    _ name: String, _ credits: @escaping (LineSums) -> Int128?
  ) -> RowColumn<SumTable.Group> {
    .number(name) { ReportCell(whole: credits($0.sums)) }
  }

  public var names: [(name: String, isNumber: Bool)] { rowColumns.map { ($0.name, $0.isNumber) } }

  /// The columns without which rows say nothing: those that were asked for, `count` and `credits`.
  public var neededCount: Int { columns.count + 2 }

  public func finish(at end: Timestamp?) throws(CreditError) {
    try table.finish()
    let groups = try table.sorted()
    hasRows = !groups.isEmpty
    hasDollars = groups.contains { $0.sums.usd != nil }
    let totals = form == .table ? try totals(of: groups) : []
    isFooted = try output.append(
      groups + totals, by: rowColumns + period.columns(form, ofDays: hasDays, end), as: form,
      keys: columns.count, totalCount: totals.count)
  }

  /// The last rows of a table, for each currency: the sums of its rows, if there are more of them;
  /// of several currencies also the count and the credits of all.
  private func totals(of groups: [SumTable.Group]) throws(CreditError) -> [SumTable.Group] {
    let currencies = Set(groups.compactMap(\.sums.currency))
    let only = currencies.count == 1 ? currencies.first : nil
    var totals: [String?: LineSums] = [:]
    for group in groups {
      try totals[only ?? group.sums.currency, default: LineSums()].add(group.sums)
    }
    if groups.count <= totals.count { return [] }
    func row(_ name: String, _ currency: String?, _ sums: LineSums) -> SumTable.Group {
      var values = columns.map { $0 == .currency ? currency : nil }
      values[0] = name
      return SumTable.Group(values: values, sums: sums, firstDay: groups[0].firstDay)
    }
    var all = LineSums()
    for sums in totals.values { all.add(credits: sums.credits, count: sums.count) }
    return totals.sorted { ($0.key ?? "") < ($1.key ?? "") }.map { row("total", $0, $1) }
      + (totals.count > 1 ? [row("all", nil, all)] : [])
  }
}
