internal import CreditModel

struct PageTransactions {
  private let book: PageBook
  private let page: NewestLines.Shown
  private var lines: [NewestLines.Line] { page.lines }

  init(_ book: PageBook) {
    self.book = book
    page = book.newest.shown
  }

  var html: String {
    let count = lines.count.separated
    let months = book.newest.monthCounts.map { ($0.month, "\($0.month) (\($0.count.separated))") }
    let names = [
      "Time", "Account", "Type", "Status", "For", "Credits", "Price", "Currency", "Balance", "Id",
    ]
    let heads = names.map { name in
      let isNumber = ["Credits", "Price", "Balance"].contains(name)
      return "<th\(isNumber ? " class=\"n\"" : "")>\(name)</th>"
    }
    return """
      <section id="transactions" data-left="\(book.lineCount - lines.count)" \
      data-kept="\(kept)"\(book.knownAccounts.count == 1 ? " class=\"single\"" : "")>\
      <h2>Transactions <small>\(shown)</small></h2>
      <form hidden>
      <input type="search" placeholder="Search" aria-label="Search">
      \(choice("type", lines.map(\.kind)))\(choice("status", lines.map(\.status)))\
      \(choice("account", lines.map(\.account)))\(menu("month", months))\
      <button type="button">Save as CSV</button>
      <output></output>
      </form>
      \(lines.count > 50 ? "<p class=\"more\">The first 50 of \(count) are printed.</p>" : "")\
      <div class="wide-table"><table>
      <thead><tr>\(heads.joined())</tr></thead>
      <tbody>
      \(lines.map(row).joined())</tbody></table></div></section>

      """
  }

  /// Which of the period's transactions the page has.
  private var shown: String {
    if lines.count == book.lineCount { return lines.count.separated }
    let all = page.hasAllKept ? "all" : "the newest \(NewestLines.keptLimit.separated)"
    let further =
      (page.hasOlder ? ["the newest of each month"] : [])
      + (page.hasFurther ? ["\(all) purchases, refunds and expiries"] : [])
    let newest = "the newest \(page.newestCount.separated) of \(book.lineCount.separated)"
    if further.isEmpty { return newest }
    return newest + (further.count > 1 ? ", " + further[0] : "") + ", and "
      + further[further.count - 1]
  }

  /// The types of which the page has all transactions.
  private var kept: String {
    let kinds = NewestLines.keptKinds.map(\.rawValue) + ["reversal"]
    return page.hasAllKept ? kinds.joined(separator: " ") : ""
  }

  private func choice(_ name: String, _ values: [String]) -> String {
    let names = Set(values.map { Name(trusted: $0) }).sorted().map(\.text)
    return menu(name, names.map { ($0, $0) })
  }

  private func menu(_ name: String, _ entries: [(value: String, label: String)]) -> String {
    if entries.count < 2 { return "" }
    let options = entries.map {
      "<option value=\"\($0.value.html)\">\($0.label.html)</option>"
    }
    return """
      <select name="\(name)" aria-label="\(name)"><option value="">every \(name)</option>\
      \(options.joined())</select>

      """
  }

  private func row(_ line: NewestLines.Line) -> String {
    let clock = book.period.clock(of: line.time)
    let minus = line.credits < 0 ? " minus" : ""
    let price = line.payment?.received
    let currency = line.payment.map { " data-c=\"\($0.currency)\"" } ?? ""
    let subject = book.grants[line.id].map { "credits of \($0)" } ?? line.subject
    return """
      <tr class="\(line.status)"><td data-v="\(line.time.milliseconds)">\(line.day.text) \
      \(clock)</td>\(text(line.account, "account"))<td>\(line.kind)</td><td>\(line.status)</td>\
      \(text(subject, ""))<td class="n\(minus)" data-v="\(line.credits)">\
      \(line.credits.separated)</td><td class="n" data-v="\(price?.fullText ?? "")"\(currency)>\
      \(price?.separated(in: line.payment?.currency) ?? "")</td>\
      <td>\(line.payment?.currency ?? "")</td>\
      <td class="n" data-v="\(line.balance ?? 0)">\
      \(book.isOfTag ? "" : line.balance?.separated ?? "")</td>\(text(line.id, "id"))</tr>

      """
  }

  private func text(_ text: String, _ kind: String) -> String {
    let name = kind.isEmpty ? "name" : "name \(kind)"
    return "<td class=\"\(name)\" title=\"\(text.html)\"><bdi>\(text.html)</bdi></td>"
  }
}
