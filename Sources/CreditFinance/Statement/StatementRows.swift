public import CreditModel

struct StatementRows {
  static let title = "Statement of credits"
  static let ofPayments = "as recorded, which may be without tax"
  static let ofMembers =
    "It has no lines of its own: these are credits spent by its members, whoever paid."
  static let notice = "This statement shows credits. It is not a tax invoice."

  let account: String
  let clockName: String
  let listsEach: Bool
  /// True if the account is a parent without lines of its own: it has no balance.
  let isParentAlone: Bool
  /// The use of each member, with the parts of all payers; empty if the account paid for it all.
  let members: [MemberUse]
  /// The parts that the account paid for others, each member of a team apart.
  let paidFor: [MemberUse]
  private let linesForRemoved: [StatementLine]
  let opening: Int128
  let lines: [(line: StatementLine, balance: Int128)]
  /// The members' use and the account's own as far as others paid for it.
  private let linesByOthers: [StatementLine]
  let closing: Int128
  let firstDay: String
  let lastDay: String
  /// Notes that the period has not ended, or that the history ends before it.
  var endNote = ""

  /// - Parameter byMember: true to part a day's usage by the accounts that it was paid for.
  init(_ book: borrowing StatementBook, byMember: Bool = false) {
    account = book.account
    clockName = book.period.clockName
    listsEach = book.listsEach
    isParentAlone = book.isParentAlone
    let uses = book.memberUses
    // By team if all its members' lines are here.
    paidFor = MemberUse.all(in: book.lines(byMember: true))
    linesForRemoved = book.linesForRemoved
    let isPayer = MemberUse.sum(of: uses).agrees(with: MemberUse.sum(of: paidFor))
    members = isParentAlone || !isPayer ? uses : []
    opening = book.opening
    var balance = opening
    lines = book.lines(byMember: byMember).map { line in
      balance += line.credits
      return (line, balance)
    }
    linesByOthers = isParentAlone ? [] : book.linesByOthers
    closing = balance
    firstDay = book.period.firstDay?.text ?? ""
    lastDay = book.period.lastDay?.text ?? ""
  }

  var periodText: String {
    "\(firstDay) to \(lastDay), \(clockName)" + endNote
  }

  /// Sums of each kind of line that occurs, in the order of the kinds.
  var sums: [(title: String, credits: Int128)] {
    StatementType.all.compactMap { type in
      let sum = lines.reduce(0) { $0 + $1.line.part(of: type) }
      let occurs = type != .kind(.expiry) || sum != 0
      return occurs && lines.contains { $0.line.type == type } ? (type.sumTitle, sum) : nil
    }
  }

  /// The money paid and paid back, by currency; empty without any.
  func moneyTexts() throws(CreditError) -> [String] {
    var (paid, back) = (MoneySums(), MoneySums())
    for case let payment? in lines.lazy.map(\.line.payment) {
      let (amount, currency) = (payment.amount, payment.currency)
      if payment.isBack { try back.add(amount, currency) } else { try paid.add(amount, currency) }
    }
    let texts =
      paid.all.map { "Paid: \($0.sum.separated(in: $0.currency)) \($0.currency)" }
      + back.all.map {
        "\($0.sum < .zero ? "Came back" : "Paid back"): "
          + "\($0.sum.size.separated(in: $0.currency)) \($0.currency)"
      }
    return texts.isEmpty ? [] : texts + [Self.ofPayments]
  }

  var spent: WorkSum { MemberUse.sum(of: members) }

  /// The sum as people check it: `opening 1,000 + purchases 500 + usage −20 = closing 1,480`.
  var equation: String {
    if isParentAlone { return "spent by members \(spent.spent.separated)" }
    let terms = sums.map { " + \($0.title.lowercased()) \($0.credits.separated)" }
    return "opening \(opening.separated)\(terms.joined()) = closing \(closing.separated)"
  }

  var notes: [String] {
    let days = Set(lines.lazy.filter { $0.line.clock == nil }.map(\.line.day))
    // Rows of a day with usage may have had other balances at their time.
    let differs = lines.contains { line, balance in
      days.contains(line.day) && line.balance.map { Int128($0) != balance } ?? false
    }
    let order =
      "Balances count the rows above: a day's usage may have come before or after its other rows"
    return [paidByOthers, differs ? order : nil].compactMap(\.self)
  }

  /// The parts of others in the account's own use: `others paid 300: acme paid 300`; nil if none
  /// paid.
  private var paidByOthers: String? {
    var others = OtherPayers()
    for (line, _) in lines { others.add(line.others) }
    if others.phrases.isEmpty { return nil }
    let sum = creditsByOthers(ofMembers: false) ?? 0
    let sentence =
      sum < 0 ? "\((0 - sum).separated) went back to others" : "others paid \(sum.separated)"
    return "Beside these credits \(sentence): " + others.phrases.joined(separator: ", ")
  }

  /// The members' spending, and the account's part of it, as lines of text: `for ana of red: 20 in
  /// 1 charge`, then each model.
  var membersText: String {
    var text = isParentAlone ? "" : members.map { Self.text(of: $0, "spent by") }.joined()
    if !text.isEmpty { text += Self.text(of: spent, "spent by members") }
    if let spentByOthers {
      text += "of it paid by others: \(Self.plain(spentByOthers.separated))\n"
    }
    if paidForWhole.givenBack != 0 { text += Self.paidForTitle + "\n" }
    text += paidFor.map { Self.text(of: $0, "for") }.joined()
    text += paidForTeams.map { Self.text(of: $0.sum, "for members of \($0.team)") }.joined()
    text += paidForRemoved.map { Self.text(of: $0, "for removed accounts") } ?? ""
    return text + (paidForAll.map { Self.text(of: $0, "for all") } ?? "")
  }

  /// The credits of the members' spending that others paid; nil if they paid none.
  var spentByOthers: Int128? { members.isEmpty ? nil : creditsByOthers(ofMembers: true) }

  private func creditsByOthers(ofMembers: Bool) -> Int128? {
    let lines = linesByOthers.filter { ($0.member != nil) == ofMembers }
    return lines.isEmpty ? nil : lines.reduce(0) { $0 - $1.credits }
  }

  /// The parts paid for the members of each team, if a team has several.
  var paidForTeams: [(team: String, sum: WorkSum)] {
    let teams = Dictionary(grouping: paidFor) { $0.member.team ?? "" }.filter { !$0.key.isEmpty }
    if teams.allSatisfy({ $0.value.count == 1 }) { return [] }
    return teams.map { ($0.key, MemberUse.sum(of: $0.value)) }
      .sorted { Name(trusted: $0.0) < Name(trusted: $1.0) }
  }

  /// All parts paid for others; nil unless there are several.
  var paidForAll: WorkSum? {
    paidFor.count + (linesForRemoved.isEmpty ? 0 : 1) > 1 ? paidForWhole : nil
  }

  private var paidForWhole: WorkSum { WorkSum(paidFor.flatMap(\.lines) + linesForRemoved) }

  /// The parts paid for accounts that were removed; nil without any.
  var paidForRemoved: WorkSum? { linesForRemoved.isEmpty ? nil : WorkSum(linesForRemoved) }

  private static func text(of use: MemberUse, _ word: String) -> String {
    let member = use.member.name + (use.member.team.map { " of \($0.teamName)" } ?? "")
    return text(of: use.sum, "\(word) \(member)")
      + use.models.map { text(of: $0.sum, "  \($0.name.isEmpty ? noModel : $0.name)") }.joined()
  }

  private static func text(of sum: WorkSum, _ name: String) -> String {
    "\(name.escapingHidden): \(plain(sum.spent.separated)) in \(sum.contents)\n"
  }

  /// Returns text with the minus sign of a table's numbers.
  static func plain(_ text: String) -> String { String(text.map { $0 == "−" ? "-" : $0 }) }

  static let noModel = "no model"
  static let paidForTitle = "Paid for members, less what was given back."

  // MARK: Rows

  /// A line, the balance above or below all lines, or a sum of a member, a model or all.
  private struct Row {
    var member: String?
    var date: String?
    var type: String?
    var balance: Int128?
    var line: StatementLine?
    var sum: (model: String, WorkSum)?
  }

  private func rows(as form: RowForm) -> [Row] {
    guard isParentAlone else {
      return [Row(date: firstDay, type: "opening", balance: opening)]
        + lines.map { line, balance in
          Row(date: line.time, type: line.type.word, balance: balance, line: line)
        } + [Row(date: lastDay, type: "closing", balance: closing)]
        + (form == .csv ? linesByOthers : []).map {
          Row(date: $0.time, type: "by others", line: $0)
        }
    }
    let rows = members.flatMap { use in
      let lines = use.lines.map { Row(date: $0.time, type: $0.type.word, line: $0) }
      if form == .csv { return lines }
      let models = use.models.map { Row(sum: ($0.name, $0.sum)) }
      return [Row(member: use.member.name, sum: ("", use.sum))] + (listsEach ? lines : models)
    }
    return form == .csv ? rows : rows + [Row(member: "total", sum: ("", spent))]
  }

  func text(as form: RowForm) throws(CreditError) -> ReportText {
    // A table of members has their spending.
    let sign: Int128 = isParentAlone && form != .csv ? -1 : 1
    let rows = rows(as: form)
    var columns: [RowColumn<Row>] = [
      RowColumn("date") { ReportCell($0.date.map { form == .csv ? String($0.prefix(10)) : $0 }) },
      RowColumn("type") { ReportCell($0.type) },
      RowColumn("description") {
        let line =
          form == .csv ? $0.line?.text : isParentAlone ? $0.line?.notedText : $0.line?.fullText
        let sum = ($0.sum?.model ?? "") + ($0.sum?.1.notes ?? "")
        let text = line ?? sum.withoutFirstMark
        return ReportCell(text.isEmpty ? nil : text)
      },
      RowColumn("count") { ReportCell(whole: $0.line?.count ?? $0.sum?.1.count) },
      RowColumn("credits") {
        ReportCell(whole: ($0.line?.credits ?? $0.sum?.1.credits).map { $0 * sign })
      },
      RowColumn("balance") { ReportCell(whole: $0.balance) },
      .number(
        "price", .longest, in: { $0.line?.payment?.currency },
        { ReportCell($0.line?.payment?.received) }),
      RowColumn("currency") { ReportCell($0.line?.payment?.currency) },
      RowColumn("id") { ReportCell($0.line?.id) },
    ]
    if form != .csv { columns.insert(RowColumn("member") { ReportCell($0.member) }, at: 0) }
    if form == .csv {
      columns += [
        RowColumn("time") { ReportCell($0.line?.clock) },
        RowColumn("zone") { _ in .text(clockName) },
        RowColumn("member") { ReportCell($0.line?.member?.name) },
        RowColumn("team") { ReportCell($0.line?.member?.team) },
      ]
      let known = rows.compactMap(\.line)
      func add(_ name: String, _ credits: KeyPath<StatementLine, Int128>) {
        if known.allSatisfy({ $0[keyPath: credits] == 0 }) { return }
        columns.append(RowColumn(name) { ReportCell(whole: $0.line?[keyPath: credits]) })
      }
      if known.contains(where: { $0.usedOn != nil }) {
        columns.append(RowColumn("used") { ReportCell($0.line?.usedOn?.text) })
      }
      add("waived", \.waived)
      add("forfeited", \.forfeited)
    }
    var text = ReportText()
    try text.append(rows, by: columns, as: form)
    return text
  }

  /// The debt of the account in words; nil if it owes no credits.
  var amountDue: String? {
    if closing >= 0 || isParentAlone { return nil }
    return "Amount due: \((0 - closing).counted("credit"))"
  }
}

/// The work of a member: its lines, and their sums by model.
struct MemberUse {
  let member: Member
  /// The oldest first.
  private(set) var lines: [StatementLine] = []
  private(set) var sum = WorkSum()
  /// In the order of the models.
  private(set) var models: [(name: String, sum: WorkSum)] = []

  private mutating func add(_ line: StatementLine) {
    lines.append(line)
    sum.add(line)
    let name = Name(trusted: line.model)
    let place = models.firstIndex { Name(trusted: $0.name) >= name } ?? models.count
    if place == models.count || models[place].name != line.model {
      models.insert((line.model, WorkSum()), at: place)
    }
    models[place].sum.add(line)
  }

  static func sum(of uses: [MemberUse]) -> WorkSum { WorkSum(uses.flatMap(\.lines)) }

  /// The members of some lines by team and name.
  static func all(in lines: [StatementLine]) -> [MemberUse] {
    var uses: [Member: MemberUse] = [:]
    for line in lines {
      guard let member = line.member else { continue }
      uses[member, default: MemberUse(member: member)].add(line)
    }
    return uses.values.sorted {
      (Name(trusted: $0.member.team ?? ""), Name(trusted: $0.member.name))
        < (Name(trusted: $1.member.team ?? ""), Name(trusted: $1.member.name))
    }
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
  private let now: Timestamp
  private var book: StatementBook
  /// Text above and below a table of the rows.
  public private(set) var head = ""
  public private(set) var foot = ""

  /// - Parameters:
  ///   - month: the month of the period: `2026-11`.
  ///   - listsEach: true for a line for each use, not for all of a model on a day.
  ///   - now: a period that has not ended then still runs.
  public init(
    of account: String, month: String, in period: ReportPeriod, as medium: Medium,
    listsEach: Bool, now: Timestamp
  ) {
    self.medium = medium
    self.month = month
    self.now = now
    book = StatementBook(of: account, in: period, listsEach: listsEach)
  }

  public var need: ReportLine.Source { .history }

  /// A statement of a team has its members' lines.
  public var readsAllAccounts: Bool { true }

  public var hasOtherLines: Bool { !book.memberUses.isEmpty }

  public func add(_ line: ReportLine) throws(CreditError) {
    if line.account == book.account { try book.add(line) } else { book.add(ofOther: line) }
  }

  /// - Throws: errors of ``StatementBook/finish()``.
  public func finish(at end: Timestamp?) throws(CreditError) {
    try book.finish()
    remarks = book.remarks
    var rows = StatementRows(book)
    rows.endNote =
      book.period.isAfter(now)
      ? end.map { "; " + book.period.note(onEnd: $0) } ?? "" : "; it still runs"
    // The number is the sum of the bytes that `--as csv` prints.
    let csv = try StatementRows(book, byMember: true).text(as: .csv)
    let sum = SHA256.text(SHA256.digest(csv.bytes)).prefix(8)
    let number = "STATEMENT-\(book.account)-\(month)-\(sum)"
    switch medium {
    case .csv: output = csv
    case .html: output = try StatementPage(rows: rows, number: number, letter: letter).html()
    case .rows:
      output = try rows.text(as: .table)
      head = """
        \((letter.title ?? StatementRows.title).escapingHidden) \(number.escapingHidden)
        Account \(quoted(book.account)), \(rows.periodText)
        \(rows.isParentAlone ? StatementRows.ofMembers + "\n" : "")

        """
      let money = try rows.moneyTexts().map { StatementRows.plain($0) + "\n" }.joined()
      let due = rows.amountDue.map { $0 + "\n" } ?? ""
      let notes = rows.notes.map { $0.escapingHidden + "\n" }.joined()
      foot =
        "\n" + StatementRows.plain(rows.equation) + "\n" + notes + money + rows.membersText + due
        + StatementRows.notice + "\n"
    }
  }
}
