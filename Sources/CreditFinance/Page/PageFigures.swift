internal import CreditBytes
internal import CreditModel

struct PageFigures {
  private let book: PageBook
  private let dayCount: Int64
  /// The sums of as long a time before.
  private let earlier: PeriodSums?
  private let deferred: DeferredRevenue?

  /// - Parameter showsDeferred: true for the seller, who was paid for future work.
  init(
    _ book: PageBook, _ days: ClosedRange<CalendarDay>, showsDeferred: Bool
  ) throws(CreditError) {
    self.book = book
    deferred = showsDeferred ? try book.deferred : nil
    dayCount = Self.length(of: book.period, days)
    earlier = try book.earlier.sums(ofDays: dayCount)
  }

  /// Returns the days of a period with a beginning, partial ones included.
  private static func length(of period: ReportPeriod, _ days: ClosedRange<CalendarDay>) -> Int64 {
    guard let since = period.since else { return 0 }
    if let until = period.until {
      return (until.milliseconds - since.milliseconds + 86_399_999) / 86_400_000
    }
    return days.upperBound.number - period.day(of: since).number + 1
  }

  var html: String {
    let sums = book.sums
    var tiles = balances
    if !sums.sales.all.isEmpty { tiles.append(sales(sums.sales)) }
    if let deferred, !deferred.all.isEmpty { tiles.append(tile(of: deferred)) }
    tiles.append(tile("Credits sold", sums.sold.separated, change(sums.sold, from: earlier?.sold)))
    tiles.append(tile("Spent", sums.spent.separated, change(sums.spent, from: earlier?.spent)))
    let given = sums.givenBack > 0 ? "\(sums.givenBack.separated) given back for charges" : ""
    tiles.append(
      tile(
        "Refunded", sums.takenBack.separated,
        [change(sums.takenBack, from: earlier?.takenBack), given].filter { !$0.isEmpty }
          .joined(separator: "<br>")))
    tiles.append(
      tile("Expired", sums.expired.separated, change(sums.expired, from: earlier?.expired)))
    return "<section class=\"tiles\">\n\(tiles.joined())</section>\n"
  }

  /// Tile of the account's balance, or tiles of several accounts' credits and debts. The two sums
  /// are never netted. Empty if no line has a balance.
  private var balances: [String] {
    let balances = book.balances.total
    if balances.count == 0 { return [] }
    let sinceThen = balances.balance - book.balances.opening
    let sign = sinceThen > 0 ? "+" : ""
    let note =
      book.period.since == nil ? "" : "\(sign)\(sinceThen.separated) in this period"
    if balances.count == 1 { return [tile("Balance", balances.balance.separated, note)] }
    return [
      tile("Owed to customers", balances.owedToCustomers.separated, note),
      tile("Owed by customers", balances.owedByCustomers.separated, ""),
    ]
  }

  /// The money after refunds, a figure for each currency.
  private func sales(_ sales: MoneySums) -> String {
    let content = sales.all.map { currency, sum in
      let kind = Self.kind("\(sum.separated) \(currency)", isOneOfMany: sales.all.count > 1)
      let before = earlier?.sales.sum(of: currency) ?? .zero
      let paidBack = book.sums.paidBack.sum(of: currency)
      let notes = [
        change(sum, from: before), paidBack.map { "after \($0.separated) paid back" } ?? "",
      ]
      return """
        <p class="\(kind)">\(sum.separated)<small>\(currency)</small></p>\
        <p class="note">\(notes.filter { !$0.isEmpty }.joined(separator: "<br>"))</p>
        """
    }
    return "<div><h2>Sales</h2>\(content.joined())</div>\n"
  }

  private func tile(of deferred: DeferredRevenue) -> String {
    let content = deferred.all.map { currency, sum in
      let kind = Self.kind("\(sum.separated) \(currency)", isOneOfMany: deferred.all.count > 1)
      return "<p class=\"\(kind)\">\(sum.separated)<small>\(currency)</small></p>"
    }
    let note = deferred.isIncomplete ? "not exact: lines are missing" : "paid for credits left"
    return """
      <div><h2>Deferred revenue</h2>\(content.joined())<p class="note">\(note)</p></div>

      """
  }

  /// A number is never cut: a long one is written smaller.
  private static func kind(_ value: String, isOneOfMany: Bool = false) -> String {
    switch value.utf8.count {
    case ...11 where !isOneOfMany: "figure"
    case ...16: "figure several"
    default: "figure long"
    }
  }

  private func tile(_ name: String, _ value: String, _ note: String) -> String {
    """
    <div><h2>\(name)</h2><p class="\(Self.kind(value))">\(value)</p>\
    <p class="note">\(note)</p></div>

    """
  }

  /// `▲ 12% vs. previous 31 days`; empty if the period has no beginning.
  private func change(_ value: Int128, from earlier: Int128?) -> String {
    guard let earlier else { return "" }
    return change(
      ExactDecimal(value, places: 0), from: ExactDecimal(earlier, places: 0))
  }

  private func change(_ value: ExactDecimal, from before: ExactDecimal) -> String {
    if earlier == nil { return "" }
    let days = dayCount == 1 ? "day" : "\(dayCount.separated) days"
    let places = max(value.scale, before.scale)
    guard let now = value.coefficient(atScale: places),
      let then = before.coefficient(atScale: places), then.magnitude < AxisScale.limit.magnitude,
      now.magnitude < AxisScale.limit.magnitude
    else { return "" }
    if now == then { return "as in the previous \(days)" }
    guard then > 0 else { return "\(before.separated) in the previous \(days)" }
    let difference = now - then
    let size = difference < 0 ? 0 - difference : difference
    return "\(difference < 0 ? "▼" : "▲") \(size.percent(of: then)) vs. previous \(days)"
  }
}
