internal import CreditModel

/// One HTML page of transactions that needs no other file and no network.
struct ReportPage {
  /// The most transactions of a page.
  static let lineLimit = 100_000

  private let lines: [ReportLine]
  private let hasManyAccounts: Bool

  /// - Parameter lines: newest first, as `credit-history` prints them.
  init(_ lines: [ReportLine]) {
    self.lines = lines
    hasManyAccounts = lines.contains { $0.account != lines[0].account }
  }

  var html: String {
    var page = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Credits: \(escaped(title))</title>
      <style>
      body { font: 15px/1.5 system-ui, sans-serif; max-width: 72em; margin: 2em auto;
        padding: 0 1em; color: #1c1e21; background: #fff; }
      table { border-collapse: collapse; width: 100%; margin: 1em 0 2em; }
      th, td { padding: .3em .7em; text-align: left; border-bottom: 1px solid #ddd;
        overflow-wrap: anywhere; }
      .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
      .minus { color: #a4262c; } .pending, .failed { color: #767676; }
      svg { width: 100%; height: 10em; } polyline { fill: none; stroke: #0b6bcb;
        stroke-width: 1.5; vector-effect: non-scaling-stroke; }
      @media (prefers-color-scheme: dark) { body { background: #17191c; color: #e4e6e9; }
        th, td { border-color: #3a3d42; } .minus { color: #ff8a8a; } }
      </style>
      </head>
      <body>
      <h1>\(escaped(title))</h1>
      <p>\(period)</p>

      """
    page += chart + summary
    page += "<h2>Transactions</h2>\n<table>\n<tr><th>Time</th>"
    if hasManyAccounts { page += "<th>Account</th>" }
    page += "<th>Type</th><th>Status</th><th>For</th><th class=\"n\">Credits</th>"
    page += "<th class=\"n\">Balance</th><th>Id</th></tr>\n"
    for line in lines { page += row(line) }
    return page + "</table>\n</body>\n</html>\n"
  }

  private var title: String {
    guard let first = lines.first else { return "No transactions" }
    return hasManyAccounts ? "All accounts" : first.account
  }

  private var period: String {
    guard let newest = lines.map(\.timestamp).max(), let oldest = lines.map(\.timestamp).min()
    else { return "There are none." }
    return "\(lines.count) transactions from \(oldest.text) to \(newest.text)."
  }

  /// The balance over time, for one account with enough of a history.
  private var chart: String {
    let points = lines.reversed().filter(\.counts)
    guard !hasManyAccounts, points.count > 2, let low = points.map(\.balance).min(),
      let high = points.map(\.balance).max(), low < high
    else { return "" }
    let stride = max(1, points.count / 500)
    var path = ""
    for index in Swift.stride(from: 0, to: points.count, by: stride) {
      let x = index * 1000 / (points.count - 1)
      let share = (Int128(points[index].balance) - Int128(low)) * 200
      path += "\(x),\(200 - share / (Int128(high) - Int128(low))) "
    }
    return """
      <h2>Balance</h2>
      <svg viewBox="0 -4 1000 208" preserveAspectRatio="none" role="img"
        aria-label="The balance, from \(low) to \(high) credits"><polyline points="\(path)"/></svg>

      """
  }

  /// Sums by type.
  private var summary: String {
    var kinds: [String] = []
    var sums: [String: (count: Int, credits: Int128)] = [:]
    for line in lines where line.counts {
      if sums[line.kind] == nil { kinds.append(line.kind) }
      let sum = sums[line.kind] ?? (0, 0)
      sums[line.kind] = (sum.count + 1, sum.credits + Int128(line.credits))
    }
    if kinds.isEmpty { return "" }
    var table = "<h2>By type</h2>\n<table>\n<tr><th>Type</th><th class=\"n\">Transactions</th>"
    table += "<th class=\"n\">Credits</th></tr>\n"
    for kind in kinds.sorted() {
      let sum = sums[kind] ?? (0, 0)
      table += "<tr><td>\(escaped(kind))</td><td class=\"n\">\(sum.count)</td>"
      table += "<td class=\"n\">\(sum.credits)</td></tr>\n"
    }
    return table + "</table>\n"
  }

  private func row(_ line: ReportLine) -> String {
    var row = "<tr class=\"\(escaped(line.status))\"><td>\(line.timestamp.text)</td>"
    if hasManyAccounts { row += "<td>\(escaped(line.account))</td>" }
    row += "<td>\(escaped(line.kind))</td><td>\(escaped(line.status))</td>"
    row += "<td>\(escaped(line.subject))</td>"
    row += "<td class=\"n\(line.credits < 0 ? " minus" : "")\">\(line.credits)</td>"
    return row + "<td class=\"n\">\(line.balance)</td><td>\(escaped(line.id))</td></tr>\n"
  }

  /// Text as HTML: nothing in it can be a tag or an attribute's end, or reach beyond the text as a
  /// mark of direction does.
  private func escaped(_ text: String) -> String {
    var html = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      case "'": html += "&#39;"
      case _ where scalar.isHidden && !scalar.isJoiner: html += scalar.escape
      default: html.unicodeScalars.append(scalar)
      }
    }
    return html
  }
}
