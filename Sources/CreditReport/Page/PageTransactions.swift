internal import CreditModel

/// The newest transactions of a page, to be searched and sorted.
struct PageTransactions {
  private let book: PageBook
  private let lines: [NewestLines.Line]

  init(_ book: PageBook) {
    self.book = book
    lines = book.newest.sorted
  }

  var html: String {
    let shown =
      lines.count < book.lineCount
      ? "the newest \(lines.count.separated) of \(book.lineCount.separated)"
      : lines.count.separated
    return """
      <section id="transactions"><h2>Transactions <small>\(shown)</small></h2>
      <form hidden>
      <input type="search" placeholder="Search" aria-label="Search">
      \(choice("type", lines.map(\.kind)))\(choice("status", lines.map(\.status)))\
      \(choice("account", lines.map(\.account)))\(choice("month", lines.map(\.day.monthText)))\
      <output></output>
      </form>
      <div class="wide-table"><table>
      <thead><tr>\(heads)</tr></thead>
      <tbody>
      \(lines.map(row).joined())</tbody></table></div>
      <p class="more">The first 50 are printed.</p></section>

      """
  }

  /// A menu of what is in a column.
  private func choice(_ name: String, _ values: [String]) -> String {
    let names = Set(values.map { Name(trusted: $0) }).sorted().map(\.text)
    if names.count < 2 { return "" }
    let options = names.map { "<option>\($0.html)</option>" }.joined()
    return """
      <select name="\(name)" aria-label="\(name)"><option value="">every \(name)</option>\
      \(options)</select>

      """
  }

  private var heads: String {
    let names = ["Time", "Account", "Type", "Status", "For", "Credits", "Balance", "Id"]
    return names.map { name in
      let isNumber = name == "Credits" || name == "Balance"
      return "<th\(isNumber ? " class=\"n\"" : "")><button>\(name)</button></th>"
    }.joined()
  }

  private func row(_ line: NewestLines.Line) -> String {
    let clock = book.period.clock(of: line.time)
    let minus = line.credits < 0 ? " minus" : ""
    return """
      <tr class="\(line.status)"><td data-v="\(line.time.milliseconds)">\(line.day.text) \
      \(clock)</td>\(text(line.account, "account"))<td>\(line.kind)</td><td>\(line.status)</td>\
      \(text(line.subject, ""))<td class="n\(minus)" data-v="\(line.credits)">\
      \(line.credits.separated)</td><td class="n" data-v="\(line.balance)">\
      \(line.balance.separated)</td>\(text(line.id, "id"))</tr>

      """
  }

  private func text(_ text: String, _ kind: String) -> String {
    let name = kind.isEmpty ? "name" : "name \(kind)"
    return "<td class=\"\(name)\" title=\"\(text.html)\"><bdi>\(text.html)</bdi></td>"
  }
}
