internal import CreditModel

/// A statement as a page for any printer, without scripts or other files.
struct StatementPage {
  let rows: StatementRows
  let number: String
  let letter: StatementLetter

  func html() throws(CreditError) -> ReportText {
    // A sheet's edge has text of the style alone, in which any character may be a number.
    let mark = number.escapingHidden.unicodeScalars
      .map { "\\\(String($0.value, radix: 16)) " }.joined()
    let edge = "@page { @bottom-left { content: \"\(mark)\"; font: 8pt sans-serif; } }\n"
    let page = HTMLPage(
      title: number.html, style: PackageResources.statement_css + Array(edge.utf8))
    var text = ReportText()
    text.append(page.head)
    appendHeader(to: &text)
    if !rows.isParentAlone {
      text.append(summary)
      text.append(
        """
        <table class="lines"><thead><tr><th>Date</th><th>Type</th><th class="for">For</th>\
        <th class="n">Credits</th><th class="n">Balance</th><th class="n">Price</th>\
        </tr></thead>
        <tbody>
        <tr class="edge"><td>\(rows.firstDay)</td>\
        <td class="label" colspan="3">Opening balance</td>\
        <td class="n">\(rows.opening.separated)</td><td></td></tr>

        """)
      for (line, balance) in rows.lines { text.append(row(line, balance)) }
      text.append(
        """
        <tr class="edge"><td>\(rows.lastDay)</td>\
        <td class="label" colspan="3">Closing balance</td>\
        <td class="n">\(rows.closing.separated)</td><td></td></tr>
        </tbody></table>
        <p class="sum">\(rows.equation)</p>

        """)
    }
    let notes = rows.notes.map { "<p class=\"sum\">\(Self.name($0))</p>\n" }.joined()
    // The money paid and paid back, by currency.
    let sums = try rows.moneyTexts().joined(separator: "<br>")
    let money = sums.isEmpty ? "" : "<p class=\"money\">\(sums)</p>\n"
    text.append(
      """
      \(notes)\(money)\(members)\(paidFor)\
      <footer>\(StatementRows.notice)<br>\(number.html)</footer>

      """)
    text.append(page.end)
    return text
  }

  /// A table of the parts that the account paid for others; empty without any.
  private var paidFor: String {
    if rows.paidFor.isEmpty, rows.paidForRemoved == nil { return "" }
    return table(
      of: rows.paidFor, title: StatementRows.paidForTitle, listsEach: false,
      sums: rows.paidForTeams.map { ("Members of \(Self.name($0.team))", $0.sum) }
        + (rows.paidForRemoved.map { [("Removed accounts", $0)] } ?? [])
        + (rows.paidForAll.map { [("Total", $0)] } ?? []))
  }

  /// A table of the members' spending; empty if the account paid for all of it.
  private var members: String {
    if rows.members.isEmpty { return "" }
    let others = rows.spentByOthers.map { others in
      "<p class=\"sum\">Of it paid by others: \(others.separated)</p>\n"
    }
    return table(
      of: rows.members, title: "Credits spent by its members, whoever paid them.",
      listsEach: rows.listsEach,
      sums: [("Total", rows.spent)]) + (others ?? "")
  }

  /// A table of members: below each the sums of its models, or its lines.
  /// - Parameter sums: for its end, with their names in HTML.
  private func table(
    of uses: [MemberUse], title: String, listsEach: Bool, sums: [(name: String, sum: WorkSum)]
  ) -> String {
    let hasTeams = uses.contains { $0.member.team != nil }
    func row(
      _ team: String, _ name: String, _ sum: WorkSum, _ kind: String = "", notes: String? = nil
    ) -> String {
      """
      <tr\(kind)>\(hasTeams ? "<td class=\"team\">\(team)</td>" : "")\
      <td class="for">\(name)\((notes ?? sum.notes).html)</td>\
      <td class="n">\(sum.count.separated)</td>\
      <td class="n">\(sum.spent.separated)</td></tr>

      """
    }
    let lines = uses.map { use in
      row(
        Self.name(use.member.team?.teamName ?? ""), Self.name(use.member.name), use.sum,
        " class=\"member\"")
        + (listsEach
        ? use.lines.map { row("", Self.part($0), WorkSum([$0]), notes: "") }
        : use.models.map {
          row("", Self.name($0.name.isEmpty ? StatementRows.noModel : $0.name), $0.sum)
        }).joined()
    }
    let ends = sums.map { row("", $0.name, $0.sum, " class=\"edge\"") }
    return """
      <p class="sum">\(title)</p>
      <table class="members"><thead><tr>\(hasTeams ? "<th class=\"team\">Team</th>" : "")\
      <th class="for">Member</th><th class="n">Charges</th><th class="n">Credits</th></tr></thead>
      <tbody>
      \(lines.joined())\(ends.joined())</tbody></table>

      """
  }

  private static func name(_ text: String) -> String { "<bdi>\(text.foldableHTML)</bdi>" }

  /// A line of a member: `2026-11-03 10:00 chat`, with its id beneath.
  private static func part(_ line: StatementLine) -> String {
    let type = line.type == .kind(.usage) ? "" : "\(line.type.title): "
    return "<small>\(line.time)</small> \(type)\(name(line.notedText))\(id(of: line))"
  }

  private static func id(of line: StatementLine) -> String {
    line.id.map { "<br><small class=\"id\"><bdi>\($0.html)</bdi></small>" } ?? ""
  }

  private func appendHeader(to text: inout ReportText) {
    text.append("<header>\n<div>")
    if let logo = letter.logo {
      text.append("<img alt=\"\" src=\"data:\(logo.type);base64,")
      text.append(Base64.encode(logo.bytes))
      text.append("\">")
    }
    text.append("\(address(letter.sender))</div>\n")
    text.append(
      """
      <div class="about"><h1>\((letter.title ?? StatementRows.title).html)</h1>
      \(letter.title == nil ? "" : "<p>\(StatementRows.title)</p>")
      <dl><dt>Number</dt><dd>\(number.html)</dd>
      <dt>Account</dt><dd><bdi>\(rows.account.html)</bdi></dd>
      <dt>Period</dt><dd>\(rows.periodText)</dd></dl></div>
      </header>
      \(address(letter.receiver))

      """)
  }

  private func address(_ text: String?) -> String {
    guard let text else { return "" }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return "<address>\(lines.map { String($0).html }.joined(separator: "<br>"))</address>"
  }

  private var summary: String {
    let sums = rows.sums.map { title, credits in
      "<tr><td>\(title)</td><td class=\"n\">\(credits.separated)</td></tr>\n"
    }
    return """
      <table class="summary"><tbody>
      <tr><td>Opening balance</td><td class="n">\(rows.opening.separated)</td></tr>
      \(sums.joined())<tr class="edge"><td>Closing balance</td>\
      <td class="n">\(rows.closing.separated)</td></tr>
      </tbody></table>
      \(rows.amountDue.map { "<p class=\"due\">\($0)</p>\n" } ?? "")
      """
  }

  private func row(_ line: StatementLine, _ balance: Int128) -> String {
    let noun = line.type == .correction ? "corrections" : "charges"
    let counted = line.count < 2 ? "" : " <small>\(line.count.separated) \(noun)</small>"
    let price = line.payment.map { "\($0.received.separated(in: $0.currency)) \($0.currency)" }
    return """
      <tr><td>\(line.time)</td><td>\(line.type.title)</td>\
      <td class="for">\(Self.name(line.fullText))\(counted)\(Self.id(of: line))</td>\
      <td class="n">\(line.credits.separated)</td><td class="n">\(balance.separated)</td>\
      <td class="n">\(price ?? "")</td></tr>

      """
  }
}
