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
    /// The month and the cents of each refund.
    var refunds: [(month: Int, cents: Int)] = []
  }

  private static func text(_ cents: Int) -> String {
    "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
  }

  /// The lines that the history has at the end of a month.
  private func lines(_ sales: [Sale], until month: Int) -> [String] {
    sales.filter { $0.month <= month }.flatMap { sale in
      let refunds = sale.refunds.enumerated().filter { $0.element.month <= month }
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
        hasStarted = start <= month && sale.refunds.first.map { $0.month >= start } ?? true
        if hasStarted { terms += ",\"completedAt\":\(time)" }
        if hasStarted, more == nil { terms += ",\"updatedAt\":\(time)" }
        if !hasStarted, refunds.isEmpty { status = "scheduled" }
      }
      let left = hasStarted ? 100 : 0
      return [
        line(
          "t\(sale.id)", "a\(sale.id)", "purchase", 100,
          at: "2026-\(sale.month.padded(2))-05T10:00", status: status, balance: left,
          money + "\"\(Self.text(sale.cents))\"" + terms + (more ?? ""))
      ]
        + refunds.map { number, refund in
          line(
            "refund:t\(sale.id):\(number)", "a\(sale.id)", "refund", hasStarted ? -10 : -100,
            at: "2026-\(refund.month.padded(2))-28T10:00",
            balance: hasStarted ? left - 10 * (number + 1) : 0,
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
      return sale
    }
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
