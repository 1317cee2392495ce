internal import CreditModel

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
      .text("USD"), .none, .text(totals.isOK ? "" : totals.sentence),
    ])
    return text
  }

  /// The titles of a table for reading.
  public var titles: [String] {
    (grouping.hasDay ? ["DAY"] : [])
      + (grouping == .day ? [] : [grouping == .key ? "KEY" : "MODEL"])
      + ["BILL, $", "BOOKS, $", "DIFFERENCE", "CAUSE"]
  }

  /// Its rows, the total last.
  public var rows: [[String]] {
    let places = self.places
    func text(_ sum: ExactDecimal?) -> String { sum.map { places.rounded($0).fullText } ?? "" }
    return findings.map { finding in
      let isZero = finding.differenceUSD?.isZero ?? true
      return first(finding.day, finding.subject.text) + [
        text(finding.billMoney) + (finding.line.currency.map { " \($0)" } ?? ""),
        text(finding.booksUSD), isZero ? "" : text(finding.differenceUSD), finding.words,
      ]
    } + [
      first("TOTAL", grouping.hasDay ? "" : "TOTAL") + [
        text(totals.billUSD), text(totals.booksUSD), text(totals.differenceUSD),
        totals.percent.map { "\($0) %" } ?? "",
      ]
    ]
  }

  /// The places of all amounts of a table.
  var places: ShownPlaces {
    var places = ShownPlaces()
    for finding in findings {
      for amount in [finding.billMoney, finding.booksUSD, finding.differenceUSD] {
        if let amount { places.include(amount) }
      }
    }
    return places
  }

  private func first(_ day: String, _ subject: String) -> [String] {
    (grouping.hasDay ? [day] : []) + (grouping == .day ? [] : [subject])
  }
}
