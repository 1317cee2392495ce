internal import CreditModel

extension Reconciliation.Result {
  /// The title of the column with the subject.
  private var subjectTitle: String { grouping == .key ? "KEY" : "MODEL" }

  /// All lines as rows of comma-separated values under a row of names, the total last.
  public var csv: ReportText {
    var text = ReportText()
    let names = ["day", "model", "bill", "books", "difference", "currency", "cause", "detail"]
    text.appendCSV(names.map { ReportCell.text($0) })
    for finding in findings {
      let money = finding.line.currency == nil ? finding.billUSD : finding.line.bill.money
      text.appendCSV([
        finding.day.isEmpty ? .none : .text(finding.day), .text(finding.subject.text),
        ReportCell(money, short: true), ReportCell(finding.booksUSD, short: true),
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
    (grouping.hasDay ? ["DAY"] : []) + (grouping == .day ? [] : [subjectTitle])
      + ["BILL, $", "BOOKS, $", "DIFFERENCE", "CAUSE"]
  }

  /// Its rows, the total last.
  public var rows: [[String]] {
    findings.map { finding in
      let money = finding.line.currency == nil ? finding.billUSD : finding.line.bill.money
      let difference = finding.differenceUSD.map { $0.isZero ? "" : $0.shown } ?? ""
      return first(finding.day, finding.subject.text) + [
        (money?.shown ?? "") + (finding.line.currency.map { " \($0)" } ?? ""),
        finding.booksUSD?.shown ?? "", difference, finding.words,
      ]
    } + [
      first("TOTAL", grouping.hasDay ? "" : "TOTAL") + [
        totals.billUSD?.shown ?? "", totals.booksUSD?.shown ?? "",
        totals.differenceUSD?.shown ?? "", totals.percent.map { "\($0) %" } ?? "",
      ]
    ]
  }

  private func first(_ day: String, _ subject: String) -> [String] {
    (grouping.hasDay ? [day] : []) + (grouping == .day ? [] : [subject])
  }
}
