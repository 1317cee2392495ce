internal import CreditBytes
internal import CreditJSON
public import CreditModel

/// One HTML page that needs no other file and no network: the figures, charts and transactions of a
/// time.
public final class ReportPage: ReportForm {
  public var output = ReportText()
  private let period: ReportPeriod
  private let version: String
  private let givenTitle: String?
  /// Nil to decide by the number of accounts.
  private let asksForCost: Bool?
  private let now: Timestamp
  private var book: PageBook
  private var lineCount = 0

  /// - Parameters:
  ///   - version: of the tool that makes the page.
  ///   - title: the page's title; nil for its subject.
  ///   - showsCost: true to show cost and margin; nil for true, except on a page about one account,
  ///     which is for the customer.
  ///   - now: subscriptions are earned up to here, or to the newest line if that is later.
  public init(
    of period: ReportPeriod, version: String, title: String? = nil, showsCost: Bool? = nil,
    now: Timestamp = .earliest
  ) {
    self.now = now
    givenTitle = title
    self.period = period
    asksForCost = showsCost
    self.version = version
    book = PageBook(of: period)
  }

  public var need: ReportLine.Source { .datedPrice }

  public func add(_ line: ReportLine) throws(CreditError) { try book.add(line) }

  public func add(repeated line: ReportLine) throws(CreditError) { try book.add(repeated: line) }

  public func finish() throws(CreditError) {
    try book.finish()
    let page = HTMLPage(
      title: title, style: PackageResources.page_css, script: PackageResources.page_js)
    output.append(page.head)
    output.append("<header><h1><bdi>\(title)</bdi></h1>\n<p>\(span)</p></header>\n\n")
    if let days = book.days {
      output.append("<main>\n")
      output.append(try PageFigures(book, days, revenueAt: showsCost ? now : nil).html)
      output.append(PageCharts(book, days, isForSeller: showsCost).html)
      output.append(try PageShares(book, showsCost: showsCost).html)
      output.append(PageTransactions(book).html)
      output.append("</main>\n")
    } else {
      output.append("<main><p class=\"empty\">There are no transactions here.</p></main>\n")
    }
    output.append(
      "<footer>credit-report \(version.html) · times and days in \(period.clockName)</footer>\n")
    output.append(page.end)
  }

  private var showsCost: Bool { asksForCost ?? (book.accounts.accounts.count > 1) }

  private var title: String {
    if let givenTitle { return givenTitle.html }
    let accounts = book.accounts.accounts
    return accounts.count == 1 ? "Credits of \(accounts[0].name.html)" : "Credits"
  }

  /// Subject of the page, in a line.
  private var span: String {
    guard let days = book.days else { return "No transactions" }
    let first = (book.period.firstDay ?? days.lowerBound).text
    let last = (book.period.lastDay ?? days.upperBound).text
    let accounts = book.accounts.accounts.count
    let time = first == last ? first : "\(first) to \(last)"
    return "\(time) · \(accounts.separated) \(accounts == 1 ? "account" : "accounts") · "
      + "\(book.lineCount.separated) \(book.lineCount == 1 ? "transaction" : "transactions")"
  }
}

/// The frame of a page that needs no other file and no network. Only its own script runs, by its
/// SHA-256.
struct HTMLPage {
  /// Escaped.
  let title: String
  let style: [UInt8]
  var script: [UInt8]?
  /// True if its content may have images.
  var hasImages = true

  /// All that is before the content.
  var head: [UInt8] {
    let scripts = script.map { script in
      let sum = Base64.encode(SHA256.digest(Array("\n".utf8) + script))
      return "script-src 'sha256-\(String(decoding: sum, as: UTF8.self))'; "
    }
    let images = hasImages ? "img-src data:; " : ""
    return Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'unsafe-inline'; \(scripts ?? "")\(images)base-uri 'none'; \
      form-action 'none'">
      <title>\(title)</title>
      <style>

      """.utf8) + style
      + Array("</style>\n</head>\n<body>\n".utf8)
  }

  /// All that is behind the content.
  var end: [UInt8] {
    let scripts = script.map { Array("<script>\n".utf8) + $0 + Array("</script>\n".utf8) }
    return (scripts ?? []) + Array("</body>\n</html>\n".utf8)
  }
}
