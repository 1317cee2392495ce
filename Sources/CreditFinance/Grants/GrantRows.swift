public import CreditModel

/// A row for each top-up: the use of its credits, and their value. A subscription's payment is
/// earned by time.
public final class GrantRows: ReportForm {
  public var output = ReportText()
  public private(set) var remarks: [String] = []
  public private(set) var hasOtherLines = false
  private let form: RowForm
  /// True for rows of deferred sales by product and currency.
  public let isByProduct: Bool
  private let period: ReportPeriod
  private let now: Timestamp
  private var timeline = GrantTimeline()

  /// - Parameters:
  ///   - period: use, revenue, expiries and refunds in it count; the rest is as at its end.
  ///   - now: subscriptions are earned up to here, or to the newest line if that is later.
  public init(
    _ form: RowForm, byProduct: Bool = false, in period: ReportPeriod, now: Timestamp = .earliest
  ) {
    (self.form, isByProduct, self.period, self.now) = (form, byProduct, period, now)
  }

  public var need: ReportLine.Source { .history }

  public func add(_ line: ReportLine) throws(CreditError) {
    guard try timeline.add(line) else { throw GrantTimeline.tooLong("--by grant") }
  }

  /// A top-up at the end of the period and at its beginning, if it was there, and its account.
  private struct Row {
    let grant: GrantedCredits
    let earlier: GrantedCredits?
    let account: String
    /// The cells of a row for all top-ups in the currency, by the names of the columns.
    var sums: [String: ReportCell]?

    func change(_ count: (GrantedCredits) -> Int128) -> Int128 {
      count(grant) - (earlier.map(count) ?? 0)
    }

    func paidBack() throws(CreditError) -> ExactDecimal? {
      var sum = grant.refundedPrice
      if let before = earlier?.refundedPrice { try sum.add(before.negated) }
      return sum
    }

    /// Returns true if the period has it only as it was before, with no credits or time left.
    func isOver(at start: Timestamp) -> Bool {
      let counts = [\GrantedCredits.used, \.expired, \.refunded]
      let isUsed = counts.contains { path in change { $0[keyPath: path] } != 0 }
      guard let earlier, !isUsed, grant.left == 0 else { return false }
      // A payment that was refunded or ended before has no time.
      return (grant.timeInForce ?? earlier.timeInForce).map { $0.end <= start } ?? true
        && (grant.refundedPrice, grant.isRefunded) == (earlier.refundedPrice, earlier.isRefunded)
    }
  }

  /// The last rows of a table, for each currency: the deferred sales at the period's beginning, its
  /// sales, and the sums. Programs, which add up rows, get none.
  private static func totals(_ rows: [Row], _ revenue: GrantRevenue, hasOpening: Bool)
    throws(CreditError) -> [Row]
  {
    // The first top-up in a currency stands for all.
    let firsts = Dictionary(rows.map { ($0.grant.currency, $0) }) { first, _ in first }
    return revenue.rows.filter { $0.product == nil }.flatMap { _, currency, parts in
      func row(_ name: String, _ columns: [(String, GrantRevenue.Part)]) -> Row? {
        var cells: [String: ReportCell] = ["grant": .text(name), "currency": .text(currency)]
        for (name, part) in columns {
          let sum = parts[part.rawValue]
          cells[name] = ReportCell(part == .paidBack && sum.isZero ? nil : sum)
        }
        var total = firsts[currency]
        total?.sums = cells
        return total
      }
      let before = [row("opening", [("deferred", .opening)]), row("sold", [("price", .sold)])]
      let total = row(
        "total",
        [
          ("revenue", .earned), ("deferred", .deferred), ("breakage", .breakage), ("kept", .kept),
          ("refundedPrice", .paidBack),
        ])
      return ((hasOpening ? before : []) + [total]).compactMap(\.self)
    }
  }

  /// - Parameters:
  ///   - time: how much of the subscriptions' time is over.
  ///   - start: the same at the period's beginning.
  ///   - table: the period whose clock a table has; its parts of a price are rounded so that they
  ///     sum to it. Nil for programs.
  private static func columns(
    at time: Timestamp, from start: Timestamp = .earliest, for table: ReportPeriod? = nil
  ) -> [RowColumn<Row>] {
    func clock(_ name: String, _ time: @escaping (Row) -> Timestamp?) -> RowColumn<Row> {
      RowColumn(name) { ReportCell(time($0).map { table?.minute(of: $0) ?? $0.text }) }
    }
    func credits(_ name: String, _ count: @escaping (GrantedCredits) -> Int128) -> RowColumn<Row> {
      .number(name) { .integer(String(count($0.grant))) }
    }
    func changed(_ name: String, _ count: @escaping (GrantedCredits) -> Int128) -> RowColumn<Row> {
      .number(name) { .integer(String($0.change(count))) }
    }
    func income(
      _ name: String, _ rounded: KeyPath<SalesIncome, ExactDecimal>,
      _ part: @escaping (GrantedCredits, Timestamp) throws(CreditError) -> FractionSum?
    ) -> RowColumn<Row> {
      .number(name, .exact, in: \.grant.currency) { (row) throws(CreditError) in
        // A part that is 0 or none now may have had an amount before.
        var before: FractionSum?
        if let earlier = row.earlier { before = try part(earlier, start) }
        guard var sum = try part(row.grant, time) ?? before.map({ _ in FractionSum() }) else {
          return .none
        }
        if table != nil {
          guard var sum = try SalesSum(row.grant, at: time)?.rounded().income else { return .none }
          if let earlier = row.earlier, let before = try SalesSum(earlier, at: start)?.rounded() {
            try sum.subtract(before.income)
          }
          return ReportCell(sum[keyPath: rounded])
        }
        if let before { try sum.add(before, times: -1) }
        return try Self.money(sum, atLeast: row.grant.minorDigits)
      }
    }
    return [
      RowColumn("grant") { .text($0.grant.id) }, RowColumn("account") { .text($0.account) },
      RowColumn("type") { .text($0.grant.kind.rawValue) },
      clock("timestamp") { $0.grant.time },
      clock("startsAt") { $0.grant.isScheduled ? $0.grant.terms.startsAt : nil },
      clock("expiresAt") { $0.grant.terms.expiresAt },
      credits("granted", \.granted), changed("used", \.used), changed("expired", \.expired),
      changed("refunded", \.refunded), credits("left", \.left),
      .number("price", .longest, in: \.grant.currency) {
        ReportCell($0.grant.currency == nil ? nil : $0.grant.price)
      },
      RowColumn("currency") { ReportCell($0.grant.currency) },
      .number("pricePerCredit", .shown) { (row) throws(CreditError) in
        row.grant.kind == .subscription
          ? .none : try Self.money(row.grant.value(of: 1), atLeast: 0, isExact: table != nil)
      },
      income("revenue", \.earned) { (grant, time) throws(CreditError) in try grant.revenue(at: time)
      },
      .number("deferred", .exact, in: \.grant.currency) { (row) throws(CreditError) in
        table != nil
          ? ReportCell(try SalesSum(row.grant, at: time)?.rounded().deferred)
          : try money(row.grant.deferred(at: time), atLeast: row.grant.minorDigits)
      },
      income("breakage", \.expired) { (sale, at) throws(CreditError) in try sale.breakage(at: at) },
      RowColumn("incomplete") { $0.grant.isIncomplete ? .isTrue : .none },
      clock("paidFrom") { $0.grant.paidTime?.start }, clock("paidUntil") { $0.grant.paidTime?.end },
      .number("refundedPrice", .longest, in: \.grant.currency) { (row) throws(CreditError) in
        ReportCell(try row.paidBack())
      },
      clock("endedAt") { $0.grant.endedAt },
      income("kept", \.kept) { (grant, _) throws(CreditError) in
        let isPaidBack = grant.refundedPrice != nil && grant.kind != .subscription
        return grant.currency != nil && (grant.refunded != 0 || isPaidBack) ? try grant.kept() : nil
      },
      RowColumn("product") { ReportCell(table == nil ? $0.grant.product : nil) },
    ] + openings(at: time, from: table == nil ? start : .earliest)
  }

  /// The columns of a period for programs: the deferred sales at its beginning, and its sales.
  private static func openings(at time: Timestamp, from start: Timestamp) -> [RowColumn<Row>] {
    [
      .number("opening") { (row) throws(CreditError) in
        guard start > .earliest, try row.grant.deferred(at: time) != nil else { return .none }
        let deferred = try row.earlier.flatMap { (grant) throws(CreditError) in
          try grant.deferred(at: start)
        }
        return try money(deferred ?? FractionSum(), atLeast: row.grant.minorDigits)
      },
      .number("sold") {
        let isSold = start > .earliest && $0.earlier == nil && $0.grant.currency != nil
        return ReportCell(isSold ? $0.grant.price : nil)
      },
    ]
  }

  public var names: [(name: String, isNumber: Bool)] {
    isByProduct
      ? Self.productColumns.map { ($0.name, $0.isNumber) }
      : Self.columns(at: .latest).map { ($0.name, $0.isNumber) }
  }

  /// Each product's deferred sales before, its sales, and the parts of both.
  private static var productColumns: [RowColumn<GrantRevenue.Row>] {
    let parts: [(name: String, part: GrantRevenue.Part)] = [
      ("opening", .opening), ("sold", .sold), ("refundedPrice", .paidBack), ("revenue", .earned),
      ("breakage", .breakage), ("kept", .kept), ("deferred", .deferred),
    ]
    return [RowColumn("product") { .text($0.product ?? "total") }]
      + parts.map { name, part in
        .number(name) { row in
          let digits = Currency.minorDigits(of: row.currency)
          return .decimal(row.parts[part.rawValue].text(atLeast: digits))
        }
      } + [RowColumn("currency") { .text($0.currency) }]
  }

  public func add(repeated line: ReportLine) throws(CreditError) {
    try timeline.add(endIn: line)
  }

  public func finish(at end: Timestamp?) throws(CreditError) {
    let time = period.end(after: now, timeline)
    let book = GrantBook(timeline, until: period.until, end: time)
    let start = min(period.since ?? .earliest, time)
    let earlier = period.since.map { GrantBook(timeline, until: $0, end: start).grants }
    timeline = GrantTimeline()
    // The grants of an earlier time are the first of all.
    let rows = book.grants.enumerated().map { place, grant in
      let before = earlier.flatMap { place < $0.count ? $0[place] : nil }
      return Row(grant: grant, earlier: before, account: book.accountName(of: grant))
    }
    .filter { !$0.isOver(at: start) }
    .sorted { ($0.grant.time, $0.grant.order) < ($1.grant.time, $1.grant.order) }
    hasOtherLines = !rows.isEmpty
    let shown = Set(rows.map(\.grant.account))
    let doubts = book.remarks(on: shown) + [book.remarkOnOrder].compactMap(\.self)
    remarks += [period.remark(onEnd: time)].compactMap(\.self) + book.remarksOnMoney + doubts
    var columns = Self.columns(at: time, from: start, for: form == .table ? period : nil)
    for (place, column) in columns.enumerated() {
      columns[place].cell = { (row) throws(CreditError) in
        if let sums = row.sums { return sums[column.name] ?? .none }
        return try column.cell(row)
      }
    }
    var totals: [Row] = []
    if form == .table || isByProduct {
      let revenue = try GrantRevenue(
        of: book.grants, at: time, since: earlier.map { ($0, start) })
      if isByProduct {
        let rows = revenue.rows.filter { form == .table || $0.product != nil }
        let columns = Self.productColumns + period.columns(form, end)
        try output.append(rows, by: columns, as: form)
        return
      }
      totals = try Self.totals(rows, revenue, hasOpening: earlier != nil)
      if !doubts.isEmpty {
        for place in totals.indices { totals[place].sums?["incomplete"] = .isTrue }
      }
    }
    try output.append(rows + totals, by: columns + period.columns(form, end), as: form)
  }

  /// Returns at most 12 places; zeros beyond the currency's digits are left out.
  /// - Parameter isExact: true for a number that a table rounds.
  private static func money(_ sum: FractionSum?, atLeast digits: Int, isExact: Bool = false)
    throws(CreditError) -> ReportCell
  {
    guard let sum else { return .none }
    if isExact { return ReportCell(try sum.worked(), short: true) }
    return .decimal(try sum.rounded(places: 12).text(atLeast: digits))
  }
}

// The accounts whose rows are not exact.
extension GrantBook {
  mutating func markIncomplete() {
    for (lots, receiver) in given.values {
      for grant in lots.compactMap(\.grant) {
        grants[grant].isIncomplete = true
        gaps[receiver ?? accountName(of: grants[grant]), default: []].insert(grants[grant].account)
      }
    }
    let owners = grants.indices.map { (grant: $0, account: grants[$0].account) }
    for (grant, account) in journeys + owners
    where purses[account].isIncomplete || purses[account].isUnordered {
      if !grants[grant].isIncomplete { grants[grant].isIncomplete = true }
      if purses[account].isUnordered { continue }
      gaps[timeline.accountNames[account], default: []].insert(grants[grant].account)
    }
  }

  /// Names the accounts with missing lines: those without top-ups, those with and without rows, and
  /// those that have had credits of others.
  func remarks(on shown: Set<Int>) -> [String] {
    let names = timeline.accountNames
    let known = Set(grants.map { names[$0.account] }).union(gaps.keys)
    let own = gaps.keys.filter { name in gaps[name]?.contains { names[$0] == name } == true }
    let (seen, others) = (Set(shown.map { names[$0] }), Set(gaps.keys).subtracting(own))
    let owners = others.flatMap { gaps[$0] ?? [] }
    let missing = Set(purses.indices.filter { purses[$0].isIncomplete }.map { names[$0] })
    return [
      ("has no top-up", missing.subtracting(known), "whose credits are in no row"),
      ("lacks lines", seen.intersection(own), "whose top-ups are incomplete"),
      ("lacks lines", Set(own).subtracting(seen), "whose top-ups have no row in this period"),
      (
        "lacks lines", others,
        "so that top-ups of \(Set(owners).map { names[$0] }.quotedInShort) are incomplete"
      ),
    ].filter { !$0.1.isEmpty }.map { lack, accounts, effect in
      "the input \(lack) of \(Array(accounts).quotedInShort), \(effect): "
        + "--by grant needs the whole history"
    }
  }

  /// Sentences about prices and expiries that the sums of money lack.
  var remarksOnMoney: [String] {
    let isOfMoney = grants.contains { $0.currency != nil }
    let unpriced = grants.count { isOfMoney && $0.kind == .purchase && $0.currency == nil }
    return [remarkOnExpiries, Self.remark(onUnpriced: unpriced)].compactMap(\.self)
  }

  /// Says that purchases have no price; nil if all have one.
  static func remark(onUnpriced count: Int) -> String? {
    if count == 0 { return nil }
    return "\(count) \(count == 1 ? "purchase has" : "purchases have") no price: credit-topup "
      + "--price PRICE --currency CODE records that of a later one"
  }

  /// Names the accounts whose lines of one time may have had another order; nil without any.
  var remarkOnOrder: String? {
    let names = purses.indices.filter { purses[$0].isUnordered }.map { timeline.accountNames[$0] }
    if names.isEmpty { return nil }
    return "lines of \(names.quotedInShort) with the same time are out of order, and their "
      + "balances fit several orders: give all lines in the order of credit-history"
  }

  /// Sentences about lines without which revenue is not exact.
  var doubts: [String] {
    let names = incompleteAccounts
    let gap = names.isEmpty ? nil : "incomplete: lines of \(names.quotedInShort) are missing, so "
    return [remarkOnOrder, gap.map { $0 + "earned and deferred amounts are not exact" }]
      .compactMap(\.self)
  }

  /// Names the accounts that may have top-ups, or uses of them, that no line has.
  var incompleteAccounts: [String] {
    var book = self
    book.markIncomplete()
    let lacking = purses.indices.filter { purses[$0].isIncomplete }
    return Set(lacking.map { timeline.accountNames[$0] }).union(book.gaps.keys).sorted()
  }
}
