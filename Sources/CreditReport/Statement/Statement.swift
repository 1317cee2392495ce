internal import CreditJSON
package import CreditModel

/// What is on a statement besides the account's credits.
package struct StatementLetter: Sendable {
  /// What it is called; nil for `Statement of credits`.
  package var title: String?
  /// An image as bytes, with its type: `image/png`.
  package var logo: (type: String, bytes: [UInt8])?
  package var sender: String?
  package var receiver: String?

  package init() {}
}

/// A month of an account, for its customer: the balance before, each movement, the balance after.
/// Its number is made from its lines, so that the same history gives the same statement.
package final class Statement: ReportForm {
  /// How it is printed.
  package enum Medium: Sendable {
    case html, csv
    /// Rows for a table: what is above and below it is in ``head`` and ``foot``.
    case rows
  }

  package var output = ReportText()
  private let medium: Medium
  /// What is on it besides.
  package var letter = StatementLetter()
  private let month: String
  private var book: StatementBook
  private var isKnown = false
  /// What is above a table of the rows, and below it.
  package private(set) var head = ""
  package private(set) var foot = ""

  /// - Parameters:
  ///   - month: the month that the period is: `2026-11`.
  ///   - listsEach: whether each use is a line of its own, not all of a model on a day.
  package init(
    of account: String, month: String, in period: ReportPeriod, as medium: Medium,
    listsEach: Bool
  ) {
    self.medium = medium
    self.month = month
    book = StatementBook(of: account, in: period, listsEach: listsEach)
  }

  package var need: ReportLine.Source { .history }

  package func add(_ line: ReportLine) throws(CreditError) {
    guard line.account == book.account else { return }
    isKnown = true
    try book.add(line)
  }

  /// - Throws: `unknown_account` if no line is of the account, `invalid_request` if some are
  ///   missing.
  package func finish() throws(CreditError) {
    guard isKnown else {
      throw CreditError(
        .unknownAccount, "the history has no line of account \(quoted(book.account))",
        [.account(Name(trusted: book.account))])
    }
    try book.check()
    let rows = StatementRows(book)
    // The number is the sum of the bytes that `--as csv` prints.
    let sum = SHA256.digest(rows.csv.bytes).prefix(4)
    let number = "STATEMENT-\(book.account)-\(month)-\(sum.map(\.hexadecimal).joined())"
    switch medium {
    case .csv: output = rows.csv
    case .html: output = try StatementPage(rows, number: number, letter: letter).html
    case .rows:
      output = rows.json
      let clock = book.period.clockName
      head = """
        \((letter.title ?? StatementRows.title).escapingHidden) \(number.escapingHidden)
        Account \(quoted(book.account)), \(rows.firstDay) to \(rows.lastDay), \(clock)


        """
      foot = "\n" + rows.equation + "\n" + StatementRows.notice + "\n"
    }
  }
}

extension UInt8 {
  fileprivate var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
