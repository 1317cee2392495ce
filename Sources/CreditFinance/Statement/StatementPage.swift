internal import CreditBytes
internal import CreditJSON
internal import CreditModel

/// A statement as a page for any printer, without scripts or other files.
struct StatementPage {
  private let rows: StatementRows
  private let number: String
  private let letter: StatementLetter

  init(_ rows: StatementRows, number: String, letter: StatementLetter) {
    self.rows = rows
    self.number = number
    self.letter = letter
  }

  var html: ReportText {
    get throws(CreditError) {
      let page = HTMLPage(
        title: number.html, style: PackageResources.statement_css, script: nil)
      var text = ReportText()
      text.append(page.head)
      appendHeader(to: &text)
      if let members = rows.members {
        text.append(table(of: members) + footer)
        text.append(page.end)
        return text
      }
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
        \(try money)\(paidFor)\(footer)

        """)
      text.append(page.end)
      return text
    }
  }

  private var footer: String {
    "<footer>\(StatementRows.notice)<br>\(number.html)</footer>"
  }

  /// A table of the parts that the account paid for others; empty without any.
  private var paidFor: String {
    if rows.paidFor.isEmpty { return "" }
    let hasTeams = rows.paidFor.contains { $0.team != nil }
    let lines = rows.paidFor.map { use in
      """
      <tr>\(hasTeams ? "<td class=\"for\"><bdi>\((use.team ?? "").foldableHTML)</bdi></td>" : "")\
      <td class="for"><bdi>\(use.name.foldableHTML)</bdi></td>\
      <td class="n">\(use.count.separated)</td>\
      <td class="n">\((0 - use.credits).separated)</td></tr>

      """
    }
    return """
      <p>Paid for members, less what was given back.</p>
      <table class="members"><thead><tr>\(hasTeams ? "<th class=\"for\">Team</th>" : "")\
      <th class="for">Member</th><th class="n">Charges</th><th class="n">Credits</th></tr></thead>
      <tbody>
      \(lines.joined())</tbody></table>

      """
  }

  /// The statement of an account that is a parent only: it has no balance.
  private func table(of members: [MemberUse]) -> String {
    let lines = members.map { member in
      """
      <tr><td class="for"><bdi>\(member.name.foldableHTML)</bdi></td>\
      <td class="n">\(member.count.separated)</td>\
      <td class="n">\((0 - member.credits).separated)</td></tr>

      """
    }
    return """
      <p>Credits spent by its members, whoever paid them.</p>
      <table class="members"><thead><tr><th class="for">Member</th><th class="n">Charges</th>\
      <th class="n">Credits</th></tr></thead>
      <tbody>
      \(lines.joined())<tr class="edge"><td>Total</td>\
      <td class="n">\(rows.spent.count.separated)</td>\
      <td class="n">\(rows.spent.credits.separated)</td></tr>
      </tbody></table>

      """
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
      <dt>Period</dt><dd>\(rows.firstDay) to \(rows.lastDay), \(rows.clockName)</dd></dl></div>
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
    let sums = rows.sums.map { type, credits in
      "<tr><td>\(type.title)</td><td class=\"n\">\(credits.separated)</td></tr>\n"
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
    let count = line.count == 1 ? "" : " <small>\(line.count.separated) charges</small>"
    let id = line.id.map { "<br><small class=\"id\"><bdi>\($0.html)</bdi></small>" } ?? ""
    let price = line.payment.map { payment in
      "\(payment.received.separated(in: payment.currency)) \(payment.currency)"
    }
    return """
      <tr><td>\(line.time)</td><td>\(line.type.title)</td>\
      <td class="for"><bdi>\(line.text.foldableHTML)</bdi>\(count)\(id)</td>\
      <td class="n">\(line.credits.separated)</td><td class="n">\(balance.separated)</td>\
      <td class="n">\(price ?? "")</td></tr>

      """
  }

  /// The money paid and paid back, by currency.
  private var money: String {
    get throws(CreditError) {
      let paid = try rows.money(isBack: false).all.map {
        "Paid: \($0.sum.separated(in: $0.currency)) \($0.currency)"
      }
      let back = try rows.money(isBack: true).all.map {
        "\($0.sum < .zero ? "Came back" : "Paid back"): "
          + "\($0.sum.size.separated(in: $0.currency)) \($0.currency)"
      }
      if paid.isEmpty, back.isEmpty { return "" }
      return "<p class=\"money\">\((paid + back).joined(separator: "<br>"))</p>\n"
    }
  }
}
