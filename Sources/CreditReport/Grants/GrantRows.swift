package import CreditModel

/// A row for each top-up: where its credits are, and what they are worth.
package final class GrantRows: ReportForm {
  package var output = ReportText()
  private let form: RowForm
  private let until: Timestamp?
  private var timeline = GrantTimeline()

  /// - Parameter period: what is before its end counts, also what is before it begins.
  package init(_ form: RowForm, in period: ReportPeriod) {
    self.form = form
    until = period.until
  }

  package var need: ReportLine.Source { .history }

  package func add(_ line: ReportLine) throws(CreditError) {
    guard try timeline.add(line) else {
      throw CreditError(
        .limitExceeded,
        "--by grant keeps each line, and there are more than \(GrantTimeline.lineLimit)")
    }
  }

  package static let names = [
    "grant", "account", "type", "timestamp", "startsAt", "expiresAt", "granted", "used",
    "expired", "refunded", "left", "price", "currency", "pricePerCredit", "revenue", "deferred",
    "breakage", "incomplete",
  ]

  /// Whether a column has numbers in it.
  package static func isNumber(_ name: String) -> Bool {
    [
      "granted", "used", "expired", "refunded", "left", "price", "pricePerCredit", "revenue",
      "deferred", "breakage",
    ].contains(name)
  }

  package func finish() throws(CreditError) {
    let book = GrantBook(timeline, until: until)
    timeline = GrantTimeline()
    if form == .csv { output.appendCSV(Self.names.map { .text($0) }) }
    for grant in book.grants.sorted(by: { ($0.time, $0.order) < ($1.time, $1.order) }) {
      let cells = try cells(of: grant, in: book)
      switch form {
      case .json: output.appendJSON(Self.names, cells, keys: 0)
      case .csv: output.appendCSV(cells)
      }
    }
  }

  private func cells(
    of grant: GrantedCredits, in book: GrantBook
  ) throws(CreditError) -> [ReportCell] {
    func money(_ credits: Int128) throws(CreditError) -> ReportCell {
      try Self.money(grant.value(of: credits), atLeast: grant.minorDigits)
    }
    let credits = [grant.granted, grant.used, grant.expired, grant.refunded, grant.left]
    return [
      .text(grant.id), .text(book.accountName(of: grant)), .text(grant.kind.rawValue),
      .text(grant.time.text), ReportCell(grant.isScheduled ? grant.terms.startsAt?.text : nil),
      ReportCell(grant.terms.expiresAt?.text),
    ] + credits.map { .integer(String($0)) } + [
      ReportCell(grant.currency == nil ? nil : grant.price), ReportCell(grant.currency),
      try Self.money(grant.value(of: 1), atLeast: 0), try money(grant.used),
      try money(grant.left), try money(grant.expired), grant.isIncomplete ? .isTrue : .none,
    ]
  }

  /// 12 places at most; zeros at the end are left out as far as the currency has no such places.
  private static func money(_ sum: FractionSum?, atLeast digits: Int) throws(CreditError)
    -> ReportCell
  {
    guard let sum else { return .none }
    return .decimal(try sum.rounded(places: 12).text(atLeast: digits))
  }
}
