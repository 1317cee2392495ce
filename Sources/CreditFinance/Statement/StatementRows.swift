internal import CreditBytes
internal import CreditJSON
public import CreditModel

/// The lines of a statement with the balance after each, and their sums.
struct StatementRows {
  static let title = "Statement of credits"
  static let notice = "This statement shows credits. It is not a tax invoice."

  let account: String
  let clockName: String
  /// The use of each member, if the account is a parent without lines of its own; else nil.
  let members: [MemberUse]?
  /// The parts that the account paid for others, each member of a team apart.
  let paidFor: [MemberUse]
  let opening: Int128
  let lines: [(line: StatementLine, balance: Int128)]
  let closing: Int128
  let firstDay: String
  let lastDay: String

  init(_ book: borrowing StatementBook) {
    account = book.account
    clockName = book.period.clockName
    members = book.memberUses
    paidFor = book.paidUses
    opening = book.opening
    var balance = opening
    lines = book.lines.map { line in
      balance += line.credits
      return (line, balance)
    }
    closing = balance
    firstDay = book.period.since.map { book.period.day(of: $0).text } ?? ""
    lastDay =
      book.period.until.map {
        book.period.day(of: Timestamp(milliseconds: $0.milliseconds - 1)).text
      } ?? ""
  }

  /// Sums of each kind of line that occurs, in the order of the kinds.
  var sums: [(type: StatementType, credits: Int128)] {
    StatementType.all.compactMap { type in
      let own = lines.filter { $0.line.type == type }
      return own.isEmpty ? nil : (type, own.reduce(0) { $0 + $1.line.credits })
    }
  }

  /// Returns the money paid, or the money paid back if `isBack` is true.
  func money(isBack: Bool) throws(CreditError) -> MoneySums {
    var sums = MoneySums()
    for (line, _) in lines {
      guard let payment = line.payment, payment.isBack == isBack else { continue }
      try sums.add(payment.amount, payment.currency)
    }
    return sums
  }

  /// The credits that members have spent, and the number of charges.
  var spent: (credits: Int128, count: Int64) {
    (members ?? []).reduce((0, 0)) { ($0.0 - $1.credits, $0.1 + $1.count) }
  }

  /// The sum as people check it: `opening 1,000 + purchases 500 + usage −20 = closing 1,480`.
  var equation: String {
    if members != nil { return "spent by members \(spent.credits.separated)" }
    let terms = sums.map { " + \($0.type.title.lowercased()) \($0.credits.separated)" }
    return "opening \(opening.separated)\(terms.joined()) = closing \(closing.separated)"
  }

  /// The same as lines of text: `for ana of red: 20 in 1 charge`.
  var paidForText: String {
    paidFor.map { use in
      let member = use.name + (use.team.map { " of \($0)" } ?? "")
      let charges = "\(use.count.separated) \(use.count == 1 ? "charge" : "charges")"
      return "for \(member.escapingHidden): \((0 - use.credits).separated) in \(charges)\n"
    }.joined()
  }

  // MARK: Rows

  /// A line, or the balance above or below all lines.
  private struct Row {
    let date: String
    let type: String
    let balance: Int128?
    var line: StatementLine?
    var use: MemberUse?
  }

  private var rows: [Row] {
    guard let members else {
      return [Row(date: firstDay, type: "opening", balance: opening)]
        + lines.map { line, balance in
          Row(date: line.time, type: line.type.word, balance: balance, line: line)
        } + [Row(date: lastDay, type: "closing", balance: closing)]
    }
    let total = MemberUse(name: "", count: spent.count, credits: 0 - spent.credits)
    return members.map { Row(date: lastDay, type: "member", balance: nil, use: $0) }
      + [Row(date: lastDay, type: "total", balance: nil, use: total)]
  }

  private func text(as form: RowForm) throws(CreditError) -> ReportText {
    var columns: [RowColumn<Row>] = [
      RowColumn("date") { .text(form == .csv ? String($0.date.prefix(10)) : $0.date) },
      RowColumn("type") { .text($0.type) },
      RowColumn("description") {
        let text = $0.line?.text ?? $0.use?.name ?? ""
        return ReportCell(text.isEmpty ? nil : text)
      },
      RowColumn("count") {
        ($0.line?.count ?? $0.use?.count).map { .integer(String($0)) } ?? .none
      },
      RowColumn("credits") {
        ($0.line?.credits ?? $0.use?.credits).map { .integer(String($0)) } ?? .none
      },
      RowColumn("balance") { $0.balance.map { .integer(String($0)) } ?? .none },
      .number(
        "price", .longest, in: { $0.line?.payment?.currency },
        { ReportCell($0.line?.payment?.received) }),
      RowColumn("currency") { ReportCell($0.line?.payment?.currency) },
      RowColumn("id") { ReportCell($0.line?.id) },
    ]
    if form == .csv {
      columns.append(RowColumn("time") { ReportCell($0.line?.clock) })
      columns.append(RowColumn("zone") { _ in .text(clockName) })
    }
    var text = ReportText()
    try text.append(rows, by: columns, as: form)
    return text
  }

  var csv: ReportText { get throws(CreditError) { try text(as: .csv) } }

  var table: ReportText { get throws(CreditError) { try text(as: .table) } }

  /// The debt of the account in words; nil if it owes no credits.
  var amountDue: String? {
    if closing >= 0 || members != nil { return nil }
    let owed = 0 - closing
    return "Amount due: \(owed.separated) \(owed == 1 ? "credit" : "credits")"
  }
}

/// Charges of a member of a team, with their refunds and corrections.
struct MemberUse {
  /// The member's parent, if its payer's statement names it.
  var team: String?
  let name: String
  var count: Int64 = 0
  /// Signed.
  var credits: Int128 = 0

  mutating func add(_ credits: Int128, isCharge: Bool) {
    if isCharge { count += 1 }
    self.credits += credits
  }
}

/// Contents of a statement besides the account's credits.
public struct StatementLetter: Sendable {
  /// The title; nil for `Statement of credits`.
  public var title: String?
  /// An image as bytes, with its type: `image/png`.
  public var logo: (type: String, bytes: [UInt8])?
  public var sender: String?
  public var receiver: String?

  public init() {}
}

/// A month of an account, for its customer: the balance before, each movement, the balance after.
/// Its number is made from its lines, so that the same history gives the same statement.
public final class Statement: ReportForm {
  public enum Medium: Sendable {
    case html, csv
    /// Rows for a table: the text above and below it is in ``head`` and ``foot``.
    case rows
  }

  public var output = ReportText()
  public private(set) var remarks: [String] = []
  private let medium: Medium
  public var letter = StatementLetter()
  private let month: String
  private var book: StatementBook
  private var isKnown = false
  /// Text above and below a table of the rows.
  public private(set) var head = ""
  public private(set) var foot = ""

  /// - Parameters:
  ///   - month: the month of the period: `2026-11`.
  ///   - listsEach: true for a line for each use, not for all of a model on a day.
  public init(
    of account: String, month: String, in period: ReportPeriod, as medium: Medium,
    listsEach: Bool
  ) {
    self.medium = medium
    self.month = month
    book = StatementBook(of: account, in: period, listsEach: listsEach)
  }

  public var need: ReportLine.Source { .history }

  /// A statement of a team has its members' lines.
  public var readsAllAccounts: Bool { true }

  public func add(_ line: ReportLine) throws(CreditError) {
    guard line.account == book.account else {
      return try book.add(ofOther: line)
    }
    isKnown = true
    try book.add(line)
  }

  /// - Throws: `unknown_account` if no line is of the account or of its members, `invalid_request`
  ///   if some are missing.
  public func finish() throws(CreditError) {
    book.finish(isKnown: isKnown)
    guard isKnown || book.memberUses != nil else {
      throw CreditError(
        .unknownAccount, "the history has no line of account \(quoted(book.account))",
        [.account(Name(trusted: book.account))])
    }
    try book.check()
    remarks = [book.remarkOnBeginning].compactMap { $0 }
    let rows = StatementRows(book)
    // The number is the sum of the bytes that `--as csv` prints.
    let csv = try rows.csv
    let sum = SHA256.text(SHA256.digest(csv.bytes)).prefix(8)
    let number = "STATEMENT-\(book.account)-\(month)-\(sum)"
    switch medium {
    case .csv: output = csv
    case .html: output = try StatementPage(rows, number: number, letter: letter).html
    case .rows:
      output = try rows.table
      let clock = book.period.clockName
      head = """
        \((letter.title ?? StatementRows.title).escapingHidden) \(number.escapingHidden)
        Account \(quoted(book.account)), \(rows.firstDay) to \(rows.lastDay), \(clock)


        """
      let due = rows.amountDue.map { $0 + "\n" } ?? ""
      foot = "\n" + rows.equation + "\n" + rows.paidForText + due + StatementRows.notice + "\n"
    }
  }
}
