internal import CreditModel

extension Reconciliation.Result {
  /// The most lines that the page shows, those that differ first.
  private static let rowLimit = 5000

  /// One HTML page for who closes the month: it needs no other file and no network.
  /// - Parameter version: of the tool that makes it.
  package func page(version: String) -> ReportText {
    var page = ReportText()
    page.append(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
      <title>\(pageTitle)</title>
      <style>\(ReconcileStyle.text)</style>
      </head>
      <body>
      <header><h1>\(pageTitle)</h1>
      <p>\(span) · \(verdict)</p></header>
      <main>
      \(figures)\(causeTable)\(lineTable)\(callTable)\(fileTable)</main>
      <footer>credit-reconcile \(version.html) · a difference is the bill less the books · lines \
      within \(totals.tolerance.text.html)\(totals.tolerance.text.hasSuffix("%") ? "" : " USD") \
      count as equal</footer>
      </body>
      </html>

      """)
    return page
  }

  private var pageTitle: String { "Bill of \(format.html) and books" }

  private var span: String {
    let last = CalendarDay(number: max(totals.days.lowerBound, totals.days.upperBound - 1))
    let first = CalendarDay(number: totals.days.lowerBound)
    return first == last ? first.text : "\(first.text) to \(last.text)"
  }

  private var verdict: String {
    totals.isOK ? "no line differs" : totals.sentence.html
  }

  // MARK: Sums

  private var figures: String {
    let share = totals.percent.map { "\($0) % of the bill" } ?? "dollars are not compared"
    return """
      <section class="tiles">
      \(tile("The bill", totals.billUSD, ""))\
      \(tile("The books", totals.booksUSD, ""))\
      \(tile("Difference", totals.differenceUSD, share))</section>

      """
  }

  private func tile(_ title: String, _ sum: ExactDecimal?, _ note: String) -> String {
    let figure = sum.map { $0.rounded.separated + " <small>USD</small>" } ?? "–"
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
        <tr><td>\(cause.words)</td><td class="n">\(count.separated)</td>\
        <td class="n">\(Self.money(totals.causes[cause]))</td>\
        <td class="words">\(Self.meaning(of: cause))</td></tr>

        """
    }
    rows += """
      <tr class="total"><td>total</td><td class="n">\(totals.lineCount.separated)</td>\
      <td class="n">\(Self.money(totals.differenceUSD))</td><td></td></tr>

      """
    return Self.table("Causes", ["Cause", "=Lines", "=Difference, $", "What it means"], rows)
  }

  private static func meaning(of cause: Cause) -> String {
    switch cause {
    case .equal: "Bill and books say the same."
    case .notInBooks: "The provider billed what the books do not have."
    case .notInBill: "The books have what the provider did not bill."
    case .quantity: "The counts differ: a kind of tokens is not read, or calls are missing."
    case .price: "The counts agree: a price is out of date, or a discount is not known."
    case .both: "The counts differ, and the prices too."
    case .open: "The day is young; the bill may still change."
    case .credit: "The provider gave money back."
    case .unread: "The bill counts what no price knows: nobody can tell what it should cost."
    }
  }

  // MARK: Lines

  private var lineTable: String {
    let shown = findings.filter(\.cause.isDifference) + findings.filter { !$0.cause.isDifference }
    var rows = ""
    for finding in shown.prefix(Self.rowLimit) {
      let kind = finding.cause.isDifference ? " class=\"differs\"" : ""
      let foreign = finding.line.currency.map { " " + $0 } ?? ""
      let bill = finding.line.currency == nil ? finding.billUSD : finding.line.bill.money
      rows += """
        <tr\(kind)><td>\(finding.day)</td>\
        <td class="name"><bdi>\(finding.subject.text.foldableHTML)</bdi></td>\
        <td class="n" data-name="bill">\(Self.money(bill))\(foreign)</td>\
        <td class="n" data-name="books">\(Self.money(finding.booksUSD))</td>\
        <td class="n" data-name="difference">\(Self.money(finding.differenceUSD))</td>\
        <td class="words">\(finding.words.html)</td></tr>

        """
    }
    if shown.count > Self.rowLimit {
      let rest = (shown.count - Self.rowLimit).separated
      rows += "<tr><td colspan=\"6\">and \(rest) more, in --format csv</td></tr>\n"
    }
    let subject = grouping == .key ? "Key" : "Model"
    return Self.table(
      "Lines", ["Day", subject, "=Bill, $", "=Books, $", "=Difference, $", "Cause"], rows)
  }

  /// The calls of the lines that differ, for inspection.
  private var callTable: String {
    var rows = ""
    for finding in findings.filter(\.cause.isDifference).prefix(200) where !finding.keys.isEmpty {
      let more = finding.callCount - Int64(finding.keys.count)
      let keys = finding.keys.map { "<code>\($0.foldableHTML)</code>" }.joined(separator: " ")
      rows += """
        <tr><td>\(finding.day)</td>\
        <td class="name"><bdi>\(finding.subject.text.foldableHTML)</bdi></td>\
        <td class="words">\(keys)\(more > 0 ? " and \(more.separated) more" : "")</td></tr>

        """
    }
    if rows.isEmpty { return "" }
    return Self.table("The calls to look at, by their keys", ["Day", "Model", "Calls"], rows)
  }

  private var fileTable: String {
    var rows = ""
    for file in files {
      rows += """
        <tr><td class="name">\(file.path.foldableHTML)</td>\
        <td class="n">\(file.byteCount.separated)</td>\
        <td class="words"><code>\(file.sha256)</code></td></tr>

        """
    }
    return Self.table("Files of the bill", ["File", "=Bytes", "SHA-256"], rows)
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

  private static func money(_ sum: ExactDecimal?) -> String { sum?.rounded.separated ?? "" }
}

/// How the page looks, on screens and on paper.
enum ReconcileStyle {
  static let text = """

    :root { color-scheme: light dark; --back: #fff; --edge: #dde1e6; --text: #1a1d21;
      --soft: #5c6670; --mark: #fff6e5; }
    @media (prefers-color-scheme: dark) { :root { --back: #111418; --edge: #30363d;
      --text: #e6e9ec; --soft: #9aa4ae; --mark: #2c2413; } }
    * { box-sizing: border-box; }
    body { font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      margin: 0 auto; max-width: 1200px; padding: 1.5rem clamp(.75rem, 2.5vw, 2.5rem);
      color: var(--text); background: var(--back); }
    header p, footer, small, .note { color: var(--soft); }
    h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; }
    header p { margin: .25rem 0 1.25rem; }
    h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
    .tiles { display: grid; gap: .75rem;
      grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); }
    .tiles > div { border: 1px solid var(--edge); border-radius: 8px; padding: 1rem; }
    .tiles h2 { font-weight: 500; font-size: .85rem; color: var(--soft); margin: 0; }
    .figure { font-size: 1.55rem; font-weight: 600; margin: .15rem 0;
      font-variant-numeric: tabular-nums; }
    small, .note, footer { font-size: .8rem; } .note { margin: 0; }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-size: .87rem; }
    th, td { padding: .35rem .6rem; text-align: left; border-bottom: 1px solid var(--edge);
      vertical-align: top; white-space: nowrap; }
    th { font-weight: 500; color: var(--soft); }
    .n { text-align: right; font-variant-numeric: tabular-nums; }
    .name, .words { white-space: normal; overflow-wrap: anywhere; min-width: 8rem; }
    .differs { background: var(--mark); } .total td { font-weight: 600; }
    code { font-size: .78rem; }
    footer { margin-top: 1.5rem; }
    @media screen and (max-width: 640px) {
      thead { display: none; }
      table, tbody { display: block; }
      tr { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); column-gap: .6rem;
        padding: .4rem .3rem; border-bottom: 1px solid var(--edge); }
      td { border: 0; padding: .1rem .3rem; }
      td:empty { display: none; }
      .name { grid-column: 2 / -1; }
      .name:first-child { grid-column: 1 / 3; }
      .words { grid-column: 1 / -1; color: var(--soft); }
      [data-name]:empty { display: block; }
      [data-name]::before { content: attr(data-name); display: block; font-size: .75rem;
        color: var(--soft); }
    }
    @media print { @page { margin: 14mm; } body { font-size: 10.5px; padding: 0; max-width: none; }
      .wide { overflow: visible; } tr, .tiles > div { break-inside: avoid; }
      th, td { padding: .2rem .4rem; }
      .differs { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }

    """
}
