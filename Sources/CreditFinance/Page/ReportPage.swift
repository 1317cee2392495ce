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
  private let book: PageBook
  /// Work of the account's members; nil on a page about all accounts.
  private let members: PageBook?
  private var memberLines: MemberLines
  private let account: String?
  private var paidFor: PaidWork
  private var figureNotes: [String] = []
  /// Says how far a history goes that ends before the period; empty for others.
  private var endNote = ""
  /// True if the balance is shown, or if its lack is said.
  private var explainsBalance = true

  /// - Parameters:
  ///   - account: whose page it is; nil for all that the lines are of.
  ///   - version: of the tool that makes the page.
  ///   - title: the page's title; nil for its subject.
  ///   - showsCost: true to show cost and margin; nil for true, except on a page about one account,
  ///     which is for the customer.
  ///   - now: subscriptions are earned up to here, or to the newest line if that is later.
  public init(
    of period: ReportPeriod, _ account: String? = nil, version: String, title: String? = nil,
    showsCost: Bool? = nil, now: Timestamp = .earliest
  ) {
    self.now = now
    givenTitle = title
    self.period = period
    asksForCost = showsCost
    self.version = version
    book = PageBook(of: period, namesOthers: account != nil || showsCost != false)
    self.account = account
    members = account.map { PageBook(of: period, team: $0) }
    memberLines = MemberLines(account: account ?? "")
    paidFor = PaidWork(by: account, in: period)
  }

  public var need: ReportLine.Source { .datedPrice }

  /// A team's page has its members' lines.
  public var readsAllAccounts: Bool { account != nil }

  public var hasOtherLines: Bool { members?.days != nil }

  public var remarks: [String] {
    let gap = explainsBalance ? nil : "lines are missing, so the page has no balance"
    return [gap, GrantBook.remark(onUnpriced: book.unpricedSales)].compactMap(\.self)
      + (account == nil ? book.teams.remarks : hasOtherLines ? memberLines.parents.remarks : [])
      + figureNotes
  }

  public func add(_ line: ReportLine) throws(CreditError) {
    if line.counts { try paidFor.note(line) }
    if let members, line.account != account {
      try memberLines.take(line, to: members)
    } else {
      try book.add(line)
    }
  }

  public func add(repeated line: ReportLine) throws(CreditError) {
    try paidFor.note(line)
    if let members, line.account != account {
      try memberLines.note(line, to: members)
    } else {
      try book.add(repeated: line)
    }
  }

  public func finish(at end: Timestamp?) throws(CreditError) {
    try paidFor.finish()
    if let members {
      try memberLines.finish(to: members)
      try members.finish()
    }
    try book.finish()
    endNote = end.map { " · " + period.note(onEnd: $0) } ?? ""
    if book.days == nil, let members, members.days != nil { return try append(members) }
    try append(book)
  }

  private func append(_ book: PageBook) throws(CreditError) {
    let showsCost = asksForCost ?? (account == nil && book.knownAccounts.count > 1)
    let title = title(book)
    let page = HTMLPage(
      title: title, style: PackageResources.page_css, script: PackageResources.page_js)
    output.append(page.head)
    output.append("<header><h1><bdi>\(title)</bdi></h1>\n<p>\(span(book))</p></header>\n\n")
    if let days = book.days, let chartDays = book.chartDays(at: now) {
      let figures = try PageFigures(
        book, allMembers, owner: self.book, days, now, isForSeller: showsCost)
      figureNotes = figures.revenue?.notes ?? []
      let showsBalance = self.book.balances.isComplete && !self.book.isOfTag
      explainsBalance = showsBalance || figures.revenue?.isExact == false
      output.append("<main>\n\(notes(book))\(figures.html)")
      output.append(PageCharts(book: book, days: chartDays, isForSeller: showsCost).html)
      output.append(
        try PageShares(
          book: book, memberBook: allMembers, paidFor: book.team == nil ? paidFor.groups() : [],
          showsCost: showsCost, showsValue: asksForCost != false, revenue: figures.revenue
        ).html())
      output.append(PageTransactions(book).html)
      output.append("</main>\n")
    } else {
      output.append("<main><p class=\"empty\">There are no transactions here.</p></main>\n")
    }
    output.append(
      "<footer>credit-report \(version.html) · times and days in \(period.clockName)</footer>\n")
    output.append(page.end)
  }

  /// Sentences about credits that some of the figures leave out, or count at another time.
  private func notes(_ book: PageBook) -> String {
    let hasDollars = asksForCost != false && book.usage.models.contains { $0.sums.usd != nil }
    let late = book.lateUse.remark.map {
      ["Usage is of its day, balances are of its record: \($0)"]
    }
    let gaps =
      explainsBalance ? [] : ["Lines are missing or left out: the page has no balance"]
    return (gaps + (late ?? []) + (hasDollars ? book.unpriced.remarks("not in the prices") : []))
      .map { "<p class=\"note\">\($0)</p>\n" }.joined()
  }

  /// The members' work, if the account has paid for no others below them.
  private var allMembers: PageBook? {
    let names = Set(members?.accounts.accounts.map(\.name) ?? [])
    return paidFor.names.isSubset(of: names) ? members : nil
  }

  private func title(_ book: PageBook) -> String {
    if let givenTitle { return givenTitle.html }
    let accounts = book.knownAccounts
    let name = account ?? (accounts.count == 1 ? accounts.first : nil)
    return name.map { "Credits of \($0.html)" } ?? "Credits"
  }

  /// Subject of the page, in a line. The sums of members may go back further than its own lines.
  private func span(_ book: PageBook) -> String {
    guard var days = book.days else { return "No transactions" }
    if let other = allMembers?.days {
      days = min(days.lowerBound, other.lowerBound)...max(days.upperBound, other.upperBound)
    }
    let first = (book.period.firstDay ?? days.lowerBound).text
    let last = (book.period.lastDay ?? days.upperBound).text
    let (active, all) = (book.accounts.accounts.count, book.knownAccounts.count)
    let time = first == last ? first : "\(first) to \(last)"
    return "\(time) · \(active == all ? "" : "\(active.separated) of ")"
      + "\(all.counted("account")) · \(book.lineCount.counted("transaction"))\(endNote)"
  }
}

/// The parts that an account has paid in the work of others.
struct PaidWork: ~Copyable {
  let payer: String?
  private let period: ReportPeriod
  /// The accounts that its own lines name.
  private(set) var names: Set<String> = []
  /// The parents of the charges that it paid a part of. Corrections may be of a stranger's team.
  private var teams: Set<String?> = []
  private var table: SumTable

  init(by payer: String?, in period: ReportPeriod) {
    self.payer = payer
    self.period = period
    table = SumTable(by: [.payer, .parent, .account], in: period)
  }

  mutating func note(_ line: ReportLine) throws(CreditError) {
    guard let payer, line.isOfWork else { return }
    try table.note(line)
    let isPaid = line.otherPayers.contains { $0.account == payer }
    if isPaid, line.isCharge { teams.insert(line.parent) }
    guard line.counts, period.contains(line) else { return }
    if line.account == payer {
      if let member = line.text("member") { names.insert(member) }
    } else if isPaid {
      try table.add(line, counts: line.isCharge)
    }
  }

  mutating func finish() throws(CreditError) { try table.finish() }

  /// The sums by payer, team and member, if it paid for accounts of other parents.
  func groups() throws(CreditError) -> [SumTable.Group] {
    var groups = try table.sorted().filter { $0.values[0] == payer }
    for place in groups.indices where groups[place].values[1] != payer {
      if !teams.contains(groups[place].values[1]) { groups[place].values[1] = nil }
    }
    return groups.contains { $0.values[1] != payer } ? groups : []
  }
}

/// Chooses charges of an account's members, their corrections and refunds, as sums by parent do.
private struct MemberLines {
  let account: String
  private(set) var parents = ChargeParents<KeptLine>()

  /// A correction or a refund that waits for the line of its charge.
  struct KeptLine {
    let text: [UInt8]
    /// The parent of its own time.
    let parent: String?

    init(_ line: ReportLine) {
      text = JSONCompact.text(of: line.value)
      parent = line.parent
    }

    func give(to book: PageBook) throws(CreditError) {
      guard let document = try? JSONDocument(text) else { return }
      try document.withRoot { (value) throws(CreditError) in
        if let line = ReportLine(value) { try book.add(ofMember: line) }
      }
    }
  }

  mutating func take(_ line: ReportLine, to book: PageBook) throws(CreditError) {
    guard line.isOfWork, line.counts, !line.isShare else { return }
    try note(line, to: book)
    let charge = ChargeParents<KeptLine>.Parent(name: line.parent)
    let parent = line.isCharge ? charge : parents.parent(of: line, orKeep: KeptLine(line))
    if parent?.name == account { try book.add(ofMember: line) }
  }

  /// Finds the corrections and refunds that have waited for a line.
  mutating func note(_ line: ReportLine, to book: PageBook) throws(CreditError) {
    for kept in parents.parts(of: line) where line.parent == account { try kept.give(to: book) }
  }

  mutating func finish(to book: PageBook) throws(CreditError) {
    for kept in parents.takeRest() where kept.parent == account { try kept.give(to: book) }
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

  var end: [UInt8] {
    let scripts = script.map { Array("<script>\n".utf8) + $0 + Array("</script>\n".utf8) }
    return (scripts ?? []) + Array("</body>\n</html>\n".utf8)
  }
}
