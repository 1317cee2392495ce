internal import CreditModel

struct PageFigures {
  private let book: PageBook
  private let members: PageBook?
  /// The lines of the page's account, also if the page is of its members' work.
  private let owner: PageBook
  private let now: Timestamp
  private let dayCount: Int64
  /// The sums of as long a time before.
  private let earlier: PeriodSums?
  /// Nil for the customer, or if it is unknown.
  let revenue: GrantRevenue?
  private let isForSeller: Bool

  init(
    _ book: PageBook, _ members: PageBook?, owner: PageBook, _ days: ClosedRange<CalendarDay>,
    _ now: Timestamp, isForSeller: Bool
  ) throws(CreditError) {
    self.book = book
    self.members = members
    self.owner = owner
    self.now = now
    self.isForSeller = isForSeller
    revenue = try (isForSeller ? book.timeline : nil).map { (timeline) throws(CreditError) in
      try GrantRevenue(timeline, in: book.period, now: now)
    }
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
    let banner = (revenue?.notes ?? [])
      .map { "<p class=\"note\"><strong>\($0.html)</strong></p>\n" }.joined()
    var tiles = balances
    if book.team != nil {
      tiles.append(spentByMembers(sums, from: earlier?.spent))
      return "<section class=\"tiles\">\n\(tiles.joined())</section>\n"
    }
    // The one that is paid for the longest.
    let plan = book.plans.values.max { ($0.until, $0.plan) < ($1.until, $1.plan) }
    if book.knownAccounts.count == 1, let paid = plan {
      let isOver = paid.until <= min(now, book.period.until ?? now)
      // The lines do not tell how long it goes on after the time that is paid for.
      let word = isOver ? paid.isCut ? "ended" : "paid until" : "until"
      let end = book.period.day(of: paid.until).text
      tiles.append(tile("Plan", paid.plan.html, "\(word) \(end)"))
    }
    if !sums.sales.all.isEmpty { tiles.append(sales(sums.sales)) }
    if let revenue, !revenue.rows.isEmpty {
      let days = revenue.hasDays ? " and for days that passed" : ""
      tiles.append(
        tile("Earned revenue", revenue[.earned], note: "for what was used" + days))
      let note =
        revenue.isExact
        ? "paid for work to come" : "not exact: lines are missing or out of order"
      tiles.append(tile("Deferred revenue", revenue[.deferred], note: note))
    }
    tiles.append(
      tile(
        isForSeller ? "Credits sold" : "Credits bought", sums.sold, from: earlier?.sold,
        sums.takenBack == 0 ? "" : "before refunds"))
    tiles.append(tile("Spent", sums.spent, from: earlier?.spent, Self.givenBack(sums, "before ")))
    if let members, members.days != nil {
      tiles.append(
        spentByMembers(members.sums, from: try? members.earlier.sums(ofDays: dayCount)?.spent))
    }
    tiles.append(tile("Refunded", sums.takenBack, from: earlier?.takenBack, Self.givenBack(sums)))
    let ended = sums.endedQuota > 0 ? "\(sums.endedQuota.separated) of it at the end of a plan" : ""
    tiles.append(tile("Expired", sums.expired, from: earlier?.expired, ended))
    if sums.other != 0 {
      tiles.append(
        tile("Other", sums.other, from: earlier?.other, "given, quotas, adjusted, transferred"))
    }
    return "\(banner)<section class=\"tiles\">\n\(tiles.joined())</section>\n"
  }

  /// Tile of the account's balance, or tiles of several accounts' credits and debts. The two sums
  /// are never netted. Empty if no line has a balance, or if lines are missing.
  private var balances: [String] {
    let balances = owner.balances.total
    // A customer whose work others pay for has none, and that of several is not the customer's.
    let hasNone = balances.balance == 0 && owner.balances.changes.values.allSatisfy { $0 == 0 }
    if balances.count == 0 || !owner.balances.isComplete || owner.isOfTag { return [] }
    if !isForSeller && (balances.count > 1 || hasNone) { return [] }
    let opening = owner.balances.openings
    func tile(_ name: String, _ sum: (BalanceTotal) -> Int128) -> String {
      let sinceThen = sum(balances) - sum(opening)
      let note = "\(sinceThen > 0 ? "+" : "")\(sinceThen.separated) in this period"
      return self.tile(name, sum(balances).separated, book.period.since == nil ? "" : note)
    }
    if balances.count == 1 { return [tile("Balance", \.balance)] }
    return [
      tile("Owed to customers", \.owedToCustomers), tile("Owed by customers", \.owedByCustomers),
    ]
  }

  /// The money after refunds, a figure for each currency.
  private func sales(_ sales: MoneySums) -> String {
    let note = isForSeller ? "" : StatementRows.ofPayments
    return tile(isForSeller ? "Sales" : "Paid", sales.all, note: note) { currency, sum in
      let before = earlier?.sales.sum(of: currency) ?? .zero
      var notes = [change(sum, from: before)]
      if let paidBack = book.sums.paidBack.sum(of: currency), !paidBack.isZero {
        let amount = Self.money(paidBack.size, currency)
        // Below 0 money came back, as refunds were reversed.
        notes.append(
          paidBack < .zero ? "with \(amount) that came back" : "after \(amount) paid back")
      }
      return notes.filter { !$0.isEmpty }.joined(separator: "<br>")
    }
  }

  static func money(_ sum: ExactDecimal, _ currency: String?) -> String {
    sum.separated(in: currency) + (currency.map { " " + $0 } ?? "")
  }

  /// A figure for each currency, each with a note, and a note on all.
  private func tile(
    _ name: String, _ sums: [(currency: String, sum: ExactDecimal)], note: String = "",
    notes: (String, ExactDecimal) -> String = { _, _ in "" }
  ) -> String {
    let content = sums.map { currency, sum in
      let figure = Self.figure(sum.separated(in: currency), currency, of: sums.count)
      return figure + Self.note(notes(currency, sum))
    }
    return "<div><h2>\(name)</h2>\(content.joined())\(Self.note(note))</div>\n"
  }

  private static func note(_ text: String) -> String {
    text.isEmpty ? "" : "<p class=\"note\">\(text)</p>"
  }

  /// A number is never cut: by its length `--n` the style writes a long one smaller.
  private static func figure(_ value: String, _ unit: String = "", of count: Int = 1) -> String {
    let (kind, length) = (count > 1 ? "figure several" : "figure", (value + unit).count)
    let style = length > 9 ? " style=\"--n:\(length)\"" : ""
    let small = unit.isEmpty ? "" : "<small>\(unit)</small>"
    return "<p class=\"\(kind)\"\(style)>\(value)\(small)</p>"
  }

  private func spentByMembers(_ sums: PeriodSums, from earlier: Int128?) -> String {
    tile("Spent by members", sums.spent, from: earlier, Self.givenBack(sums, "before "))
  }

  private static func givenBack(_ sums: PeriodSums, _ word: String = "") -> String {
    sums.givenBack > 0 ? "\(word)\(sums.givenBack.separated) given back for charges" : ""
  }

  private func tile(
    _ name: String, _ value: Int128, from earlier: Int128?, _ note: String = ""
  ) -> String {
    let before = earlier.map { ExactDecimal($0, places: 0) }
    let notes = [change(ExactDecimal(value, places: 0), from: before), note].filter { !$0.isEmpty }
    return tile(name, value.separated, notes.joined(separator: "<br>"))
  }

  private func tile(_ name: String, _ value: String, _ note: String) -> String {
    "<div><h2>\(name)</h2>\(Self.figure(value))<p class=\"note\">\(note)</p></div>\n"
  }

  /// `▲ 12% vs. previous 31 days`, or month; empty if the period has no beginning.
  private func change(_ value: ExactDecimal, from before: ExactDecimal?) -> String {
    guard earlier != nil, let before else { return "" }
    let isMonth = book.period.previousMonth != nil
    let days = isMonth ? "month" : dayCount == 1 ? "day" : "\(dayCount.separated) days"
    let places = max(value.scale, before.scale)
    guard let now = value.coefficient(atScale: places),
      let then = before.coefficient(atScale: places), then.magnitude < AxisScale.limit.magnitude,
      now.magnitude < AxisScale.limit.magnitude
    else { return "" }
    if now == then { return "as in the previous \(days)" }
    guard then > 0, now >= 0 else { return "\(before.separated) in the previous \(days)" }
    let difference = now - then
    return "\(difference < 0 ? "▼" : "▲") \(abs(difference).percent(of: then)) vs. previous \(days)"
  }
}
