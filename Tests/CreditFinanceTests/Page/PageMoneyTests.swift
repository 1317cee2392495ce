import CreditModel
import Testing

@testable import CreditFinance

/// The figures of a page after refunds, reversals and debts.
@Suite struct PageMoneyTests {
  private func page(_ lines: [String], in period: ReportPeriod = period()) throws -> String {
    try printed(ReportPage(of: period, version: "0"), lines)
  }

  /// An account that came out of debt is owed more than the balances rose together.
  @Test func whatIsOwedChangesByItself() throws {
    let lines = [
      line("1", "a", "bonus", 1000, at: "2026-01-02T10:00", balance: 1000),
      line("2", "b", "usage", -5, at: "2026-01-02T10:00", balance: -5),
      line("3", "a", "usage", -720, at: "2026-02-02T10:00", balance: 280),
      line("4", "b", "usage", -3, at: "2026-02-02T10:00", balance: -8),
    ]
    let html = try page(lines, in: period(since: "2026-02-01", until: "2026-03-01"))
    func tile(_ way: String, _ sum: String) -> String {
      "<h2>Owed \(way) customers</h2><p class=\"figure\">\(sum)</p><p class=\"note\">"
    }
    #expect(html.contains(tile("to", "280") + "−720 in this period"))
    #expect(html.contains(tile("by", "8") + "+3 in this period"))
  }

  @Test func aReversedRefundIsTakenBackNoMore() throws {
    let price = #""productID":"pack","price":"9.99","currency":"USD""#
    let lines = [
      line("p", "a", "purchase", 100, at: "2026-01-02T10:00", balance: 100, price),
      line("refund:p", "a", "refund", -100, at: "2026-01-03T10:00", balance: 0, price),
      line(
        "reversal:p", "a", "refund", 100, at: "2026-01-04T10:00", balance: 100,
        #""productID":"pack","price":"-9.99","currency":"USD""#),
    ]
    let html = try page(lines)
    #expect(html.contains("<h2>Refunded</h2><p class=\"figure\">0</p>"))
    #expect(!html.contains("given back for charges"))
    let charge = line("refund:c", "a", "refund", 7, at: "2026-01-05T10:00", balance: 107)
    #expect(try page(lines + [charge]).contains("7 given back for charges"))
  }

  /// A dispute takes a plan's quota, and gives it back: it only expires at the plan's end.
  @Test func aDisputedQuotaIsNoExpiry() throws {
    let plan = #""productID":"pro","plan":"pro""#
    let lines = [
      line("quota:1", "a", "quota", 2000, at: "2026-01-02T10:00", balance: 2000, plan),
      line("use", "a", "usage", -400, at: "2026-01-03T10:00", balance: 1600),
      line("quota:2", "a", "quota", -1600, at: "2026-01-04T10:00"),
      line("refund:in", "a", "refund", 0, at: "2026-01-04T10:00", plan),
      line("quota:3", "a", "quota", 1600, at: "2026-01-05T10:00", balance: 1600, plan),
      line("reversal:in", "a", "refund", 0, at: "2026-01-05T10:00", balance: 1600, plan),
      line("quota:4", "a", "quota", -1600, at: "2026-01-06T10:00"),
    ]
    func figures(_ lines: [String], _ period: ReportPeriod = period()) throws -> [Substring] {
      let html = try page(lines, in: period)
      return ["Refunded", "Expired"].map { name in
        let tile = html.split(separator: "<h2>\(name)</h2><p class=\"figure\">")[1]
        return tile.prefix { $0 != "<" }
      }
    }
    for lines in [lines, lines.reversed()] {
      #expect(try figures(lines) == ["0", "1,600"])
      #expect(try figures(lines, period(until: "2026-01-05")) == ["1,600", "0"])
      #expect(try figures(lines, period(since: "2026-01-05")) == ["−1,600", "1,600"])
    }
    let html = try page(lines, in: period(since: "2026-01-05", until: "2026-01-07"))
    #expect(html.contains("1,600</p><p class=\"note\">0 in the previous 2 days"))
    #expect(html.contains("−1,600</p><p class=\"note\">1,600 in the previous 2 days"))
  }

  /// A client's page of work that others paid for has no empty balances, and no names of theirs.
  @Test func aClientsPageNamesNoPayers() throws {
    let lines = ["ana", "ben"].map {
      line(
        $0, $0, "usage", 0, at: "2026-01-02T10:00",
        #""model":"m","parent":"pool","paidBy":[{"account":"pool","credits":30}]"#)
    }
    func page(_ lines: [String], showsCost: Bool? = false) throws -> String {
      try printed(ReportPage(of: period(), version: "0", showsCost: showsCost), lines)
    }
    let html = try page(lines)
    #expect(html.contains("<h2>Spent</h2><p class=\"figure\">60</p>"))
    #expect(html.contains("m; others paid 30") && !html.contains("pool"))
    #expect(!html.contains("Owed") && !html.contains("<h2>Balance"))
    let internalPage = try page(lines, showsCost: nil)
    #expect(internalPage.contains("m; pool paid 30") && internalPage.contains("Owed to customers"))
    // The table of accounts has the balances.
    let own = line("o", "cat", "usage", -5, at: "2026-01-02T10:00", balance: -5)
    let owing = try page(lines + [own])
    #expect(!owing.contains("Owed") && owing.contains("<td class=\"n\">−5</td>"))
    #expect(try !page([lines[0]]).contains("<h2>Balance"))
  }

  /// A refund takes off the price of its charge. The provider's cost stays, so the margin falls.
  @Test func refundedChargesLowerTheMargin() throws {
    let lines = [
      line(
        "c", "a", "usage", -30, at: "2026-01-02T10:00", status: "refunded", balance: 70,
        #""model":"m","usd":"0.30","costUSD":"0.20""#),
      line(
        "refund:c", "a", "refund", 30, at: "2026-01-03T10:00", balance: 100,
        #""model":"m","usd":"-0.30","costUSD":"0""#),
      line(
        "d", "b", "usage", -10, at: "2026-01-02T10:00", balance: 70,
        #""model":"m","usd":"0.10","costUSD":"0.05""#),
    ]
    let row = try #require(
      try page(lines).split(separator: "<tr>").last { $0.contains("\"m\">m<") })
    let cells = row.split(separator: "<td class=\"n\">").dropFirst().map { $0.prefix { $0 != "<" } }
    #expect(cells == ["2", "10", "0.10", "0.25", "−0.15"])
  }

  @Test func teamsHaveWhatTheirMembersSpent() throws {
    let lines = [
      line(
        "c", "ana", "usage", -30, at: "2026-01-02T10:00", balance: 70,
        #""model":"m","usd":"0.30","parent":"acme","paidBy":[{"account":"ana","credits":30},"#
          + #"{"account":"acme","credits":70}]"#),
      line(
        "c", "acme", "usage", -70, at: "2026-01-02T10:00", balance: 30,
        #""model":"m","member":"ana""#),
      line("d", "bob", "usage", -10, at: "2026-01-02T10:00", balance: 70, #""model":"m""#),
    ]
    let html = try page(lines)
    #expect(html.contains("<h2>Teams</h2>"))
    let teams = try #require(html.split(separator: "<h2>Teams</h2>").last)
    let row = try #require(teams.split(separator: "<tr>").dropFirst(2).first)
    #expect(row.contains("<td class=\"n\">1</td><td class=\"n\">100</td>"))
    #expect(!(try page([lines[2]]).contains("Teams")))
  }

  /// A page without the payer's lines takes its part from its members'; one with them has it once.
  @Test func aMemberHasItsPayersPart() throws {
    let own = line(
      "c", "ana", "usage", -30, at: "2026-01-02T10:00", balance: 70,
      #""model":"m","paidBy":[{"account":"ana","credits":30},{"account":"acme","credits":70}]"#)
    let share = line(
      "c", "acme", "usage", -70, at: "2026-01-02T10:00", balance: 30,
      #""model":"m","member":"ana""#)
    func sums(_ lines: [String]) throws -> [Substring] {
      let html = try page(lines)
      let spent = html.split(separator: "<h2>Spent</h2><p class=\"figure\">").last ?? ""
      let model = html.split(separator: "<tr>").last { $0.contains("\"m\">m<") } ?? ""
      let cells = model.split(separator: "<td class=\"n\">").dropFirst()
      return ([spent] + cells).map { $0.prefix { $0 != "<" } }
    }
    #expect(try sums([own]) == ["100", "1", "100"])
    #expect(try sums([share]) == ["70", "1", "70"])
    #expect(try sums([own, share]) == ["100", "1", "100"])
    // A comparison with the time before has them, too.
    let later = line("d", "ana", "usage", -50, at: "2026-01-12T10:00", balance: 20, #""model":"m""#)
    let html = try page([own, later], in: period(since: "2026-01-11", until: "2026-01-21"))
    #expect(html.contains("▼ 50%"))
  }

  /// Yen that were paid in another period leave no empty chart.
  @Test func aChartHasABar() throws {
    let refund = line(
      "refund:p", "a", "refund", -10, at: "2026-02-02T10:00", balance: 0,
      #""productID":"pack","price":"1000","currency":"JPY""#)
    let html = try page([refund])
    #expect(html.contains("after 1,000 JPY paid back") && !html.contains("JPY a month"))
    // An amount below 0 is no part of the one before.
    let sale = line(
      "p", "a", "purchase", 10, at: "2026-01-02T10:00", balance: 10,
      #""productID":"pack","price":"3000","currency":"JPY""#)
    let month = try page([sale, refund], in: period(since: "2026-02-01", until: "2026-03-01"))
    #expect(month.contains("3,000 in the previous month<br>after 1,000 JPY paid back"))
  }

  /// A chart has the whole month, and below its line the days on which more came back than went.
  @Test func aChartHasAllDaysOfItsMonth() throws {
    let lines = [
      line("1", "a", "usage", -30, at: "2026-02-10T10:00", balance: 70),
      line("amend:1:1", "a", "usage", 20, at: "2026-02-12T10:00", balance: 90),
      line("2", "a", "bonus", 100, at: "2026-01-02T10:00", balance: 100),
    ]
    let html = try page(lines, in: period(since: "2026-02-01", until: "2026-03-01"))
    let charts = try #require(html.split(separator: "<h2>Balance <small>").last)
    #expect(charts.split(separator: "Feb 1<br>2026").count == 3)
    #expect(charts.contains("2026-02-12 · no model: −20 credits"))
    #expect(charts.contains(">−20</span>"))
  }

  /// An account that bought before the month has bought again in it.
  @Test func buyersOfEarlierMonthsBuyAgain() throws {
    let lines = [
      line("1", "a", "purchase", 5, at: "2026-01-10T10:00", balance: 5),
      line("2", "a", "purchase", 5, at: "2026-02-10T10:00", balance: 10),
      line("3", "b", "purchase", 5, at: "2026-02-10T10:00", balance: 5),
    ]
    let html = try page(lines, in: period(since: "2026-02-01", until: "2026-03-01"))
    let again = try #require(html.split(separator: "Bought again").last)
    #expect(again.prefix(200).contains("50%"))
    #expect(again.prefix(200).contains("<td class=\"n\">1</td>"))
  }

  /// A refund that moves neither credits nor money, as of a bonus without any left, is no line.
  @Test func anEmptyRefundIsLeftOut() throws {
    let html = try page([
      line("p", "a", "bonus", 5, at: "2026-01-10T10:00", balance: 5),
      line("u", "a", "usage", -5, at: "2026-01-11T10:00", balance: 0),
      line(
        "refund:p", "a", "refund", 0, at: "2026-01-12T10:00", balance: 0,
        #""reason":"charge.dispute.created""#),
    ])
    #expect(html.contains("2 transactions") && !html.contains("dispute"))
  }

  /// The credits that a plan takes at its end have a note beside those that expire.
  @Test func theEndOfAPlanHasANote() throws {
    let html = try page([
      line("q", "a", "quota", 5, at: "2026-01-10T10:00", balance: 5),
      line("r", "a", "quota", -5, at: "2026-01-12T10:00", balance: 0),
    ])
    #expect(html.contains("5 of it at the end of a plan"))
  }

  /// The source of the revenue is said once, beneath all currencies.
  @Test func subscriptionsEarnByDays() throws {
    func payment(_ id: String, _ currency: String) -> String {
      line(
        id, id, "subscription", 0, at: "2026-01-01T00:00", balance: 0,
        #""productID":"pro","price":"31.00","currency":"\#(currency)","plan":"pro","#
          + #""until":"2026-02-01T00:00:00.000Z""#)
    }
    let now = line("b", "c", "bonus", 1, at: "2026-01-11T00:00", balance: 1)
    let html = try page([payment("a", "EUR"), payment("b2", "USD"), now])
    let figure = "10.00<small>USD</small></p><p class=\"note\">"
    #expect(html.contains(figure + "for what was used and for days that passed</p></div>"))
    #expect(html.split(separator: "for what was used").count == 2)
  }

  /// The rows of the table of deferred revenue.
  private func deferred(in html: String) throws -> [String] {
    let tables = html.split(separator: "<figure>")
    let table = try #require(tables.first { $0.hasPrefix("<h2>Deferred revenue") })
    return table.split(separator: "<tr").dropFirst(2).map { row in
      let name = row.firstMatch(of: /<td class="name">(?:<bdi[^>]*>)?([^<]*)/)?.1 ?? ""
      let cells = row.split(separator: "<td class=\"n\">").dropFirst()
      return ([name] + cells.map { $0.prefix { $0 != "<" } }).joined(separator: " ")
    }
  }

  /// Deferred money is carried forward by product and currency: with the sales, less the money paid
  /// back, earned, expired and kept, it is that of the end.
  @Test func deferredRevenueIsCarriedForward() throws {
    func sale(_ id: String, _ account: String, _ time: String, _ price: String) -> String {
      line(id, account, "purchase", 100, at: time, balance: 100, price)
    }
    let lines = [
      sale("1", "a", "2026-01-02T10:00", #""productID":"p","price":"10.00","currency":"USD""#),
      line("2", "a", "usage", -30, at: "2026-01-03T10:00", balance: 70),
      line("3", "a", "usage", -50, at: "2026-02-03T10:00", balance: 20),
      line(
        "refund:1", "a", "refund", -20, at: "2026-02-04T10:00", balance: 0,
        #""productID":"p","price":"1.50","currency":"USD""#),
      sale("4", "b", "2026-02-05T10:00", #""productID":"q","price":"20.00","currency":"USD""#),
      line("5", "b", "usage", -1, at: "2026-02-06T10:00", balance: 99),
      sale("6", "c", "2026-01-05T10:00", #""productID":"p","price":"9.00","currency":"EUR""#),
    ]
    let html = try page(lines, in: period(since: "2026-02-01", until: "2026-03-01"))
    #expect(
      try deferred(in: html) == [
        "p 9.00 0.00 0.00 0.00 0.00 0.00 9.00 EUR", "total 9.00 0.00 0.00 0.00 0.00 0.00 9.00 EUR",
        "p 7.00 0.00 1.50 5.00 0.00 0.50 0.00 USD", "q 0.00 20.00 0.00 0.20 0.00 0.00 19.80 USD",
        "total 7.00 20.00 1.50 5.20 0.00 0.50 19.80 USD",
      ])
    let customers = try printed(
      ReportPage(of: period(), version: "0", showsCost: false), lines)
    #expect(!customers.contains("Deferred"))
  }

  /// The page and a journal with `--deferred` earn the same.
  @Test func moneyKeptAtRefundsIsEarned() throws {
    func lines(_ paidBack: String) -> [String] {
      [
        line(
          "p", "a", "purchase", 100, at: "2026-01-02T10:00", balance: 100,
          #""price":"10.00","currency":"USD""#),
        line("u", "a", "usage", -20, at: "2026-01-03T10:00", balance: 80),
        line(
          "refund:p", "a", "refund", -50, at: "2026-01-04T10:00", balance: 30,
          #""price":"\#(paidBack)","currency":"USD""#),
        line("b", "b", "bonus", 1, at: "2026-01-04T10:00", balance: 1),
      ]
    }
    for (back, kept) in [("4.43", "0.57"), ("9.50", "−4.50"), ("5.00", "0.00")] {
      let rows = try deferred(in: page(lines(back)))
      let moved = "0.00 10.00 \(back) 2.00 0.00 \(kept) 3.00 USD"
      #expect(rows == ["no product \(moved)", "total \(moved)"])
    }
    let journal = try printed(
      LedgerJournal(.hledger, in: period(), defersSales: true), lines("9.50"))
    #expect(journal.contains("income:sales  -2.00 USD") && journal.contains("refunds  4.50 USD"))
  }

  /// A renewal takes up a plan whose early end had made the rest of an older payment breakage.
  @Test func breakageThatComesBackIsTakenOff() throws {
    func payment(
      _ id: String, _ product: String, at day: String, until: String, _ more: String = ""
    ) -> String {
      line(
        id, "x", "subscription", 0, at: "2026-\(day)T00:00", balance: 0,
        #""productID":"\#(product)","price":"90.00","currency":"USD","plan":"\#(product)","#
          + #""until":"2026-\#(until)T00:00:00.000Z"\#(more)"#)
    }
    let ended = #","endedAt":"2026-08-11T00:00:00.000Z""#
    let lines = [
      payment("s1", "a", at: "08-01", until: "12-01", ended),
      payment("s2", "b", at: "08-11", until: "09-10"),
      payment("s3", "b", at: "10-11", until: "11-10"),
      line("b1", "y", "bonus", 1, at: "2026-10-12T00:00", balance: 1),
      line("b2", "y", "bonus", 1, at: "2026-11-01T00:00", balance: 2),
    ]
    let html = try page(lines, in: period(since: "2026-10-01", until: "2026-11-01"))
    #expect(try deferred(in: html)[0] == "a 0.00 0.00 0.00 38.36 −60.49 0.00 22.13 USD")
  }

  /// A plan may go on after the time that is paid for, as its lines do not tell.
  @Test func aPlanWithoutAnEndIsPaidUntilADay() throws {
    let pro = line(
      "1", "a", "subscription", 0, at: "2026-01-02T10:00", balance: 100,
      #""plan":"pro","until":"2026-02-01T00:00:00.000Z""#)
    let january = period(since: "2026-01-01", until: "2026-02-01")
    let now = try #require(Timestamp(dateText: "2026-02-02"))
    let html = try printed(ReportPage(of: january, version: "0", now: now), [pro])
    #expect(html.contains("<p class=\"note\">paid until 2026-02-01</p>"))
  }
}
