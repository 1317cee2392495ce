internal import CreditModel

extension Reconciliation.Result {
  /// The most lines that the page shows, those that differ first.
  private static let rowLimit = 5000

  /// One HTML page for who closes the month: it needs no other file and no network.
  /// - Parameter version: of the tool that makes it.
  public func page(version: String) -> ReportText {
    let title = "\(format.html) bill compared with the books"
    let page = HTMLPage(title: title, style: PackageResources.reconcile_css, hasImages: false)
    let first = CalendarDay(number: totals.days.lowerBound)
    let last = CalendarDay(number: max(totals.days.lowerBound, totals.days.upperBound - 1))
    let verdict = [totals.isOK ? "no line differs" : totals.sentence] + remarks
    var text = ReportText()
    text.append(page.head)
    text.append(
      """
      <header><h1>\(title)</h1>
      <p>\(first == last ? first.text : "\(first.text) to \(last.text)") · \
      \(verdict.joined(separator: "; ").html)</p></header>
      <main>
      \(figures)\(causeTable)\(lineTable)\(callTable)\(sourceNote)\(fileTable)</main>
      <footer>credit-reconcile \(version.html) · a difference is the bill less the books · lines \
      within \(totals.tolerance.text.html)\(totals.tolerance.text.hasSuffix("%") ? "" : " USD") \
      count as equal</footer>

      """)
    text.append(page.end)
    return text
  }

  // MARK: Sums

  private var figures: String {
    let share = totals.percent.map { "\($0.separated) % of the bill" }
    return """
      <section class="tiles">
      \(tile("The bill", totals.billUSD, ""))\
      \(tile("The books", totals.booksUSD, ""))\
      \(tile("Difference", totals.differenceUSD, share ?? "dollars are not compared"))</section>

      """
  }

  private func tile(_ title: String, _ sum: ExactDecimal?, _ note: String) -> String {
    let figure = sum.map { totals.places.text($0) + " <small>USD</small>" } ?? "–"
    return """
      <div><h2>\(title)</h2><p class="figure">\(figure)</p>\
      <p class="note">\(note)</p></div>

      """
  }

  private var causeTable: String {
    var rows = ""
    for cause in Cause.allCases {
      guard let count = totals.lineCounts[cause] else { continue }
      rows += """
        <tr><td>\(cause.words)</td><td class="n" data-name="lines">\(count.separated)</td>\
        \(cell("difference", totals.causes[cause]))\
        <td class="words">\(Self.meaning(of: cause))</td></tr>

        """
    }
    rows += """
      <tr class="total"><td>total</td>\
      <td class="n" data-name="lines">\(totals.lineCount.separated)</td>\
      \(cell("difference", totals.differenceUSD))<td></td></tr>

      """
    return Self.table("Causes", ["Cause", "=Lines", "=Difference, $", "What it means"], rows)
  }

  private static func meaning(of cause: Cause) -> String {
    switch cause {
    case .equal: "Bill and books agree."
    case .notInBooks: "The provider billed usage that the books lack."
    case .notInBill: "The books have usage that the provider did not bill."
    case .quantity: "The counts differ: a kind of tokens is not read, or calls are missing."
    case .price: "The counts agree: a price is out of date, or a discount is not known."
    case .both: "The counts differ, and the prices too."
    case .open: "The day is young; the bill may still change."
    case .credit: "The provider gave money back."
    case .unread: "The bill counts usage that has no price here, so its cost cannot be checked."
    }
  }

  // MARK: Lines

  private var lineTable: String {
    let shown = findings.filter(\.cause.isDifference) + findings.filter { !$0.cause.isDifference }
    var rows = ""
    for finding in shown.prefix(Self.rowLimit) {
      let kind = finding.cause.isDifference ? " class=\"differs\"" : ""
      let foreign = finding.line.currency.map { " " + $0 } ?? ""
      rows += """
        <tr\(kind)>\(first(finding))\
        \(cell("bill", finding.billMoney, foreign))\(cell("books", finding.booksUSD))\
        \(cell("difference", finding.differenceUSD))\
        <td class="words">\(finding.sentence(ShownPlaces.text).html)</td></tr>

        """
    }
    if shown.count > Self.rowLimit {
      let rest = (shown.count - Self.rowLimit).separated
      rows +=
        "<tr><td colspan=\"\(firstNames.count + 4)\">and \(rest) more, in --format csv</td></tr>\n"
    }
    rows += """
      <tr class="total"><td colspan="\(firstNames.count)">total</td>\
      \(cell("bill", totals.billUSD))\(cell("books", totals.booksUSD))\
      \(cell("difference", totals.differenceUSD))\
      <td class="words">\(places.isFooted ? "" : "of the exact amounts")</td></tr>

      """
    return Self.table(
      "Lines", firstNames + ["=Bill, $", "=Books, $", "=Difference, $", "Cause"], rows)
  }

  private var firstNames: [String] {
    (grouping.hasDay ? ["Day"] : []) + [grouping == .key ? "Key" : "Model"]
  }

  private func first(_ finding: Finding) -> String {
    (grouping.hasDay ? "<td>\(finding.day)</td>" : "")
      + "<td class=\"name\"><bdi>\(finding.subject.text.foldableHTML)</bdi></td>"
  }

  private var callTable: String {
    var rows = ""
    for finding in findings.filter(\.cause.isDifference).prefix(200) where !finding.keys.isEmpty {
      let more = finding.callCount - Int64(finding.keys.count)
      let keys = finding.keys.map { "<code>\($0.foldableHTML)</code>" }.joined(separator: " ")
      rows += """
        <tr>\(first(finding))\
        <td class="words">\(keys)\(more > 0 ? " and \(more.separated) more" : "")</td></tr>

        """
    }
    if rows.isEmpty { return "" }
    return Self.table("The calls to look at, by their keys or ids", firstNames + ["Calls"], rows)
  }

  private var fileTable: String {
    var rows = ""
    for file in files {
      let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
      rows += """
        <tr><td class="name" title="\(file.path.html)">\(name.foldableHTML)</td>\
        <td class="n">\(file.byteCount.separated)</td>\
        <td class="words"><code>\(file.sha256)</code></td></tr>

        """
    }
    return Self.table("Files of the bill", ["File", "=Bytes", "SHA-256"], rows)
  }

  /// Which lines the books are. The tool does not know their store.
  private var sourceNote: String {
    let lines = source.lineCount.counted("line")
    let newest = source.lineCount == 0 ? "" : ", the newest recorded \(source.newest.text)"
    let names = models?.names.map(\.text).joined(separator: ", ").html
    return """
      <p class="note">The books: \(lines) of credit-history\(newest)\
      \(names.map { ", of them the models \($0)" } ?? ""). Compared \(source.now.text).</p>

      """
  }

  // MARK: Tables

  /// - Parameter names: of the columns; one of numbers begins with `=`.
  private static func table(_ title: String, _ names: [String], _ rows: String) -> String {
    let heads = names.map { name in
      name.hasPrefix("=") ? "<th class=\"n\">\(name.dropFirst())</th>" : "<th>\(name)</th>"
    }
    return """
      <section><h2>\(title)</h2>
      <div class="wide"><table><thead><tr>\(heads.joined())</tr></thead><tbody>
      \(rows)</tbody></table></div></section>

      """
  }

  /// An amount's cell, with its column's name for a narrow page.
  private func cell(_ name: String, _ sum: ExactDecimal?, _ currency: String = "") -> String {
    "<td class=\"n\" data-name=\"\(name)\">\(sum.map(totals.places.text) ?? "")\(currency)</td>"
  }
}
