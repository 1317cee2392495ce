import CreditModel
import Testing

@testable import CreditFinance
@testable import TestSupport

/// Random sales and refunds over a year: the past is always reported the same.
@Suite struct ClosedMonthTests {
  private struct Sale {
    let id: Int
    let month: Int
    let cents: Int
    /// The month in which its credits start, if that is a later one.
    var start: Int?
    /// The number of credits that are used in its month.
    var used = 0
    /// The month in which the rest of its credits expire, if they do.
    var end: Int?
    var refunds: [(month: Int, cents: Int)] = []
  }

  private static func text(_ cents: Int) -> String {
    "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
  }

  /// The lines that the history has at the end of a month.
  private func lines(_ sales: [Sale], until: Int) -> [String] {
    sales.filter { $0.month <= until }.flatMap { sale in
      let refunds = sale.refunds.enumerated().filter { $0.element.month <= until }
      let more = refunds.last.map {
        #","updatedAt":"2026-\#($0.element.month.padded(2))-28T10:00:00.000Z","creditsRefunded":1"#
      }
      let money = #""productID":"pack","currency":"USD","price":"#
      var status = refunds.isEmpty ? "completed" : "refunded"
      var terms = ""
      var hasStarted = true
      if let start = sale.start {
        let time = "\"2026-\(start.padded(2))-01T00:00:00.000Z\""
        terms = ",\"priority\":50,\"startsAt\":\(time)"
        hasStarted = start <= until && sale.refunds.first.map { $0.month >= start } ?? true
        if hasStarted { terms += ",\"completedAt\":\(time)" }
        if hasStarted, more == nil { terms += ",\"updatedAt\":\(time)" }
        if !hasStarted, refunds.isEmpty { status = "scheduled" }
      }
      let left = hasStarted ? 100 : 0
      func end(_ month: Int) -> String { "2026-\(month.padded(2))-02T00:00" }
      if let month = sale.end {
        terms = ",\"priority\":50,\"expiresAt\":\"\(end(month)):00.000Z\""
      }
      let account = "a\(sale.id)"
      let work = #""taken":[{"grant":"t\#(sale.id)","credits":\#(sale.used)}]"#
      var lines = [
        line(
          "t\(sale.id)", account, "purchase", 100,
          at: "2026-\(sale.month.padded(2))-05T10:00", status: status, balance: left,
          money + "\"\(Self.text(sale.cents))\"" + terms + (more ?? ""))
      ]
      if sale.used > 0 {
        lines.append(
          line(
            "u\(sale.id)", account, "usage", -sale.used,
            at: "2026-\(sale.month.padded(2))-10T10:00", balance: left - sale.used,
            sale.end == nil ? "" : work))
      }
      if let month = sale.end, month <= until {
        lines.append(
          line(
            "expiry:t\(sale.id)", account, "expiry", sale.used - 100, at: end(month), balance: 0,
            #""grant":"t\#(sale.id)""#))
      }
      return lines
        + refunds.map { number, refund in
          line(
            "refund:t\(sale.id):\(number)", account, "refund", hasStarted ? -10 : -100,
            at: "2026-\(refund.month.padded(2))-28T10:00",
            balance: hasStarted ? left - sale.used - 10 * (number + 1) : 0,
            money + "\"\(Self.text(refund.cents))\"")
        }
    }
  }

  private static func period(_ month: Int) -> ReportPeriod {
    let next = month == 12 ? "2027-01-01" : "2026-\((month + 1).padded(2))-01"
    return CreditFinanceTests.period(since: "2026-\(month.padded(2))-01", until: next)
  }

  private func reports(_ lines: [String], of month: Int) throws -> [String] {
    let period = Self.period(month)
    return [
      try printed(ReportPage(of: period, version: "0"), lines),
      try printed(SumRows(.csv, by: [.month, .status, .product], in: period), lines),
      try printed(TransactionRows(.json, in: period), lines),
      try printed(TransactionRows(.csv, in: period), lines),
      try printed(LedgerJournal(.hledger, in: period, now: .latest), lines),
      try printed(LedgerJournal(.beancount, in: period, now: .latest), lines),
      try printed(LedgerJournal(.csv, in: period, defersSales: true, now: .latest), lines),
      try printed(GrantRows(.table, in: period, now: .latest), lines),
      try printed(GrantRows(.csv, in: period, now: .latest), lines),
    ]
  }

  @Test(arguments: 1...8) func monthsStayAsTheyWere(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var kept = 0
    let sales = (0..<30).map { id in
      var sale = Sale(
        id: id, month: Int.random(in: 1...12, using: &random),
        cents: Int.random(in: 1...2000, using: &random))
      if sale.month < 12, Bool.random(using: &random) {
        sale.start = Int.random(in: sale.month + 1...12, using: &random)
      }
      kept += sale.cents
      var (month, left) = (sale.month, sale.cents)
      while Bool.random(using: &random), left > 0 {
        month = Int.random(in: month...12, using: &random)
        let back = Int.random(in: 0...left, using: &random)
        sale.refunds.append((month, back))
        left -= back
        kept -= back
        // Before its start it is refunded as a whole.
        if let start = sale.start, month < start { break }
      }
      if sale.start == nil {
        sale.used = 11 * Int.random(in: 0...3, using: &random)
        if sale.refunds.isEmpty, sale.month < 12 { sale.end = sale.month + 1 }
      }
      return sale
    }
    try checkRevenue(of: sales)
    for month in 1...12 {
      let closed = try reports(lines(sales, until: month), of: month)
      for (place, later) in try reports(lines(sales, until: 12), of: month).enumerated() {
        #expect(later == closed[place], "report \(place)")
      }
    }
    var sums = LineSums()
    for line in lines(sales, until: 12) {
      try withLine(line) { try sums.add(LineAmounts($0), $0.payment()) }
    }
    var left = sums.price ?? .zero
    try left.add((sums.refundedPrice ?? .zero).negated)
    #expect(left.fullText == Self.text(kept))
  }

  /// Deferred revenue leads from month to month, and only expiries change the breakage.
  private func checkRevenue(of sales: [Sale]) throws {
    var closing = 0
    for month in 1...12 {
      var timeline = GrantTimeline()
      for line in lines(sales, until: month) { try withLine(line) { _ = try timeline.add($0) } }
      let revenue = try GrantRevenue(timeline, in: Self.period(month), now: .latest)
      let parts = revenue.rows.last?.parts ?? [ExactDecimal](repeating: .zero, count: 7)
      let cents = parts.map { $0.coefficient(atScale: 2).map { Int($0) } ?? .max }
      let sold = sales.filter { $0.month == month }.reduce(0) { $0 + $1.cents }
      let back = sales.flatMap(\.refunds).filter { $0.month == month }.reduce(0) { $0 + $1.cents }
      #expect(cents[0...2] == [closing, sold, back])
      #expect(cents[0] + sold - cents[2...5].reduce(0, +) == cents[6])
      if !sales.contains(where: { $0.end == month }) { #expect(cents[4] == 0) }
      if !sales.contains(where: { $0.month == month && $0.used > 0 }) { #expect(cents[3] == 0) }
      closing = cents[6]
    }
  }

  /// A payment whose time was extended, as the history has it from then on.
  private static func extended(
    _ until: String, _ before: [(at: String, until: String)], more: String = ""
  ) -> String {
    func time(_ day: String) -> String { "\"2026-\(day)T00:00:00.000Z\"" }
    let ends = before.map { #"{"at":\#(time($0.at)),"until":\#(time($0.until))}"# }
    let extended = ends.isEmpty ? "" : #","extended":[\#(ends.joined(separator: ","))]"#
    return line(
      "s", "a", "subscription", 0, at: "2026-01-01T00:00", balance: 0,
      #""productID":"pro","price":"30.00","currency":"USD","plan":"pro","until":\#(time(until))"#
        + extended + more)
  }

  /// The rest of the price is spread over the time up to the new end, from the extension on.
  @Test func anExtensionChangesNoEarlierDay() throws {
    let first = Self.extended("01-31", [])
    let second = Self.extended("03-02", [("01-11", "01-31")])
    let ends = [("01-11", "01-31"), ("02-05", "03-02")]
    let third = Self.extended("04-01", ends)
    // A follower has all of them.
    let more = #","changed":true,"updatedAt":"2026-02-05T00:00:00.000Z""#
    let followed = [first, Self.extended("04-01", ends, more: more)]
    func money(_ lines: [String], until: String) throws -> String {
      let period = CreditFinanceTests.period(until: "2026-\(until)")
      let form = GrantRows(.csv, in: period, now: .latest)
      let cells = try printed(form, lines).split(separator: "\r\n")[1]
        .split(separator: ",", omittingEmptySubsequences: false)
      return [14, 15, 16, 19].map { String(cells[$0].prefix(10)) }.joined(separator: " ")
    }
    for lines in [[first], [second], [third], followed] {
      #expect(try money(lines, until: "01-11") == "10.00 20.00 0.00 2026-01-31")
    }
    for lines in [[second], [third], followed] {
      #expect(try money(lines, until: "02-05") == "20.00 10.00 0.00 2026-03-02")
    }
    for lines in [[third], followed] {
      #expect(try money(lines, until: "03-26") == "28.9090909 1.09090909 0.00 2026-04-01")
      #expect(try money(lines, until: "04-02") == "30.00 0.00 0.00 2026-04-01")
    }
    let january = Self.period(1)
    let other = line("1", "a", "bonus", 1, at: "2026-01-02T10:00", balance: 1)
    #expect(try reports([third, other], of: 1) == reports([second, other], of: 1))
    func journal(_ lines: [String]) throws -> String {
      try printed(LedgerJournal(.hledger, in: january, defersSales: true, now: .latest), lines)
    }
    #expect(try journal([third]) == journal([second]))
  }

  /// An early end that an extension has taken back stays in the months before that.
  @Test func anEndStaysInItsMonth() throws {
    let end = #""endedAt":"2026-01-11T00:00:00.000Z""#
    let ended = Self.extended("01-31", [], more: "," + end)
    let extended = Self.extended("03-02", [("02-01", "01-31")])
      .replacing(#"{"at""#, with: "{" + end + #","at""#)
    #expect(try reports([extended], of: 1) == reports([ended], of: 1))
    let rows = try printed(GrantRows(.json, in: Self.period(1), now: .latest), [extended])
    #expect(try rows == printed(GrantRows(.json, in: Self.period(1), now: .latest), [ended]))
    #expect(rows.contains(#""breakage":"20.00""#))
  }

  /// A plan that was extended and ended at one time has ended, in any order of the input.
  @Test func anExtensionThatEndsAtOnceHasEnded() throws {
    let end = #","endedAt":"2026-01-11T00:00:00.000Z""#
    let bonus = line("1", "a", "bonus", 1, at: "2026-01-05T10:00", balance: 1)
    let lines = [Self.extended("03-02", [("01-11", "01-31")], more: end), bonus]
    for lines in [lines, lines.reversed()] {
      let rows = try printed(GrantRows(.json, in: Self.period(1), now: .latest), lines)
      #expect(rows.contains(#""breakage":"20.00""#) && rows.contains("endedAt"))
    }
  }

  /// So does a plan whose payment is refunded later.
  @Test func aPlanStaysOnThePageOfItsMonth() throws {
    let paid = Self.extended("01-31", [])
    let refunded = paid.replacing("completed", with: "refunded")
      .replacing(#","plan""#, with: #","updatedAt":"2026-02-03T00:00:00.000Z","plan""#)
    #expect(try reports([refunded], of: 1) == reports([paid], of: 1))
    #expect(try reports([paid], of: 1)[0].contains("<h2>Plan</h2>"))
  }

  /// Exports of months, each the newest first, may follow one another in any order, also without
  /// the first one.
  @Test func balanceIsThatAfterTheNewestReset() throws {
    func month(_ number: Int, _ more: [String] = []) -> [String] {
      let time = "2026-0\(number)-01T00:00"
      return more + [
        line("quota:\(number)", "a", "quota", 5, at: time, balance: 105),
        line("expiry:\(number)", "a", "expiry", -5, at: time, balance: 100),
      ]
    }
    let used = line("1", "a", "usage", -1, at: "2026-02-02T10:00", balance: 104)
    let bonus = line("2", "a", "bonus", 1, at: "2026-02-03T10:00", balance: 105)
    for others in [[], [bonus, used]] {
      let months = [month(2, others), month(3), month(4)]
      for lines in [months[2] + months[1] + months[0], months[0] + months[1] + months[2]] {
        var balances = BalanceBook()
        for text in lines {
          try withLine(text) { balances.add($0, on: CalendarDay(number: 0), isBefore: false) }
        }
        #expect(balances.total.balance == 105)
        let isComplete = balances.isComplete("a")
        #expect(isComplete)
      }
    }
  }
}
