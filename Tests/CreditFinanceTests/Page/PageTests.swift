import CreditModel
import Testing

@testable import CreditFinance

@Suite struct PageTests {
  private func page(_ lines: [String], in period: ReportPeriod = period()) throws -> String {
    try printed(ReportPage(of: period, version: "0"), lines)
  }

  @Test func reportsAnEmptyInput() throws {
    #expect(try page([]).contains("There are no transactions here."))
  }

  @Test func escapesAllOfTheInput() throws {
    let attack = #"<script>alert('x')</script>\" onload=\"x\u202e"#
    let html = try page([
      line(attack, attack, "usage", -5, at: "2026-01-02T10:00", #""model":"\#(attack)""#),
      line("1", attack, "purchase", 5, at: "2026-01-02T10:00", #""productID":"\#(attack)""#),
      line("2", "b", "bonus", 5, at: "2026-01-02T10:00", #""reason":"\#(attack)""#),
    ])
    #expect(html.split(separator: "<script").count == 2)
    #expect(!html.contains("onload=\"x"))
    #expect(!html.unicodeScalars.contains("\u{202E}"))
    #expect(
      html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;x\\u202e"))
  }

  @Test func comparesWithAsLongATimeBefore() throws {
    let lines = [
      line("1", "a", "usage", -30, at: "2026-01-31T10:00", balance: 70),
      line("2", "a", "usage", -60, at: "2026-02-10T10:00", balance: 10),
      line("3", "a", "usage", -999, at: "2026-01-01T10:00", balance: 100),
    ]
    let html = try page(lines, in: period(since: "2026-02-01", until: "2026-02-28"))
    #expect(html.contains("▲ 100% vs. previous 27 days"))
    let month = try page(lines, in: period(since: "2026-02-01", until: "2026-03-01"))
    #expect(month.contains("▼ 94% vs. previous month"))
    #expect(html.contains("−60 in this period"))
    #expect(html.contains("<p class=\"figure\">10</p>"))
  }

  @Test func showsTheNewestTransactions() throws {
    let lines = (0..<5000).map {
      line("id-\($0)", "a", "bonus", 1, at: "2026-01-\(($0 % 28 + 1).padded(2))T10:00")
    }
    let html = try page(lines)
    #expect(html.contains("the newest 1,000 of 5,000"))
    #expect(html.split(separator: "<tr class=\"completed\">").count == 1001)
    #expect(!html.contains(">id-0<"))
  }

  @Test func sumsTheOthers() throws {
    let lines = (10..<22).map { account in
      let price = #""productID":"pack","price":"1.50","currency":"EUR""#
      return line(
        "\(account)", "a\(account)", "purchase", 100, at: "2026-01-02T10:00", balance: 40, price)
    }
    let html = try page(lines)
    let others = try #require(html.split(separator: "<tr>").first { $0.contains("2 others") })
    for figure in ["200", "3.00 EUR", "80"] {
      #expect(others.contains("<td class=\"n\">\(figure)</td>"), "\(others)")
    }
  }

  /// A single bar does not fill the chart, and all of a few dates are shown on a phone.
  @Test func fewBarsAreNarrow() throws {
    let price = #""productID":"pack","price":"1.50","currency":"EUR""#
    let lines = ["2026-03", "2026-02", "2026-01"].map {
      line($0, "a", "purchase", 100, at: "\($0)-02T10:00", price)
    }
    let chart = try #require(
      try page(lines).split(separator: "<figure>").first {
        $0.contains("a month")
      })
    #expect(chart.contains(#"<rect x="31" y=""#) && chart.contains(#" width="37" "#))
    #expect(!chart.contains("class=\"wide"))
  }

  /// The lines of one invoice are one order; a failed refund's reversal is no refund.
  @Test func ordersAreCountedAndReversalsNamed() throws {
    let lines = [
      line("in_1/a", "a", "purchase", 5, at: "2026-01-02T10:00"),
      line("in_1/b", "a", "purchase", 5, at: "2026-01-02T10:00"),
      line("in_2/a", "b", "purchase", 5, at: "2026-01-02T10:00"),
      line("in_2/b", "b", "purchase", 5, at: "2026-01-03T10:00"),
      line("p", "c", "purchase", 5, at: "2026-01-02T10:00"),
      line("q", "c", "purchase", 5, at: "2026-01-02T10:00"),
      line("reversal:q", "c", "refund", 5, at: "2026-01-04T10:00"),
    ]
    let html = try page(lines)
    let again = html.split(separator: "<tr>").first { $0.contains("Bought again") }
    #expect(again?.contains("<td class=\"n\">2</td>") == true)
    #expect(html.contains("<td>reversal</td><td>completed</td>"))
  }

  @Test func debtsAreNeverNetted() throws {
    let html = try page([
      line("1", "a", "bonus", 70, at: "2026-01-02T10:00", balance: 70),
      line("2", "b", "usage", -30, at: "2026-01-02T10:00", balance: -30),
    ])
    #expect(html.contains("<h2>Owed to customers</h2><p class=\"figure\">70</p>"))
    #expect(html.contains("<h2>Owed by customers</h2><p class=\"figure\">30</p>"))
    #expect(!html.contains("<h2>Balance</h2><p"))
  }

  @Test func paymentsForRemainingCreditsAreDeferred() throws {
    let lines = [
      line(
        "1", "a", "purchase", 300, at: "2026-01-02T10:00", balance: 300,
        #""price":"9.99","currency":"USD""#),
      line("2", "a", "usage", -100, at: "2026-01-03T10:00", balance: 200),
      line("3", "b", "bonus", 70, at: "2026-01-02T10:00", balance: 70),
    ]
    let tile = "<h2>Deferred revenue</h2><p class=\"figure\">6.66<small>USD</small></p>"
    #expect(try page(lines).contains(tile))
    // A page for the customer has none.
    #expect(!(try page(Array(lines[..<2])).contains("Deferred")))
  }

  @Test func eachTagHasATable() throws {
    let html = try page(
      ["x", "x", "y"].enumerated().map { number, value in
        let tags = #""tags":{"project":"\#(value)","s&t":"1"}"#
        return line("\(number)", "a", "usage", -10, at: "2026-01-02T10:00", tags)
      })
    let tables = html.split(separator: "<figure data-tag=").dropFirst()
    #expect(tables.count == 2)
    let project = try #require(tables.first { $0.hasPrefix("\"project\"") })
    #expect(project.contains(">x</bdi></td><td class=\"share\">67%"))
    #expect(tables.contains { $0.hasPrefix("\"s&amp;t\"") })
  }

  @Test func aTagWithManyValuesTakesLimitedRoom() throws {
    var tags = TagBook()
    for number in 0...TagBook.valueLimit {
      let session = #""tags":{"session":"\#(number)"}"#
      try withLine(line("\(number)", "a", "usage", -1, at: "2026-01-02T10:00", session)) {
        try tags.add($0)
      }
    }
    #expect(tags.tags[0].values.count == TagBook.valueLimit)
    #expect(tags.tags[0].others.credits == -1)
    #expect(tags.tags[0].spent == Int128(TagBook.valueLimit) + 1)
  }

  @Test func countsByKindHaveCorrectionsOnce() throws {
    let first = #""model":"m","usage":{"inputTokens":100,"outputTokens":7,"webSearches":2}"#
    let second = #""model":"m","usage":{"inputTokens":1500,"outputTokens":9}"#
    let html = try page([
      line("amend:c1:1", "a", "usage", -5, at: "2026-01-03T10:00", second),
      line("c1", "a", "usage", -10, at: "2026-01-02T10:00", first),
      line("c2", "a", "usage", -10, at: "2026-01-02T10:00", first),
    ])
    let table = try #require(html.split(separator: "<figure>").first { $0.contains("by kind") })
    #expect(table.contains(">1,600<") && table.contains(">16<") && table.contains(">2<"))
    #expect(table.contains("input tokens") && table.contains("web searches"))
  }

  @Test func activeAccountsAreCountedOnceADay() {
    var activity = ActivityBook()
    let days = [CalendarDay(number: 1), CalendarDay(number: 2)]
    for account in [0, 1, 1, 64, 64, 200] { activity.add(account: account, on: days[0]) }
    activity.add(account: 1, on: days[1])
    #expect(activity.accountsByDay == [days[0]: 4, days[1]: 1])
  }

  @Test func everyMonthCanBeChosen() throws {
    let old = line("old", "a", "bonus", 1, at: "2024-03-05T10:00")
    let html = try page(
      (0..<1500).map { line("n-\($0)", "a", "bonus", 1, at: "2026-01-05T10:00") } + [old])
    #expect(html.contains(#"<option value="2024-03">2024-03 (1)</option>"#))
    #expect(html.contains(#"<option value="2026-01">2026-01 (1,500)</option>"#))
    #expect(html.contains(">old</bdi>"))
    #expect(html.contains("the newest 1,000 of 1,501, and the newest of each month"))
  }

  /// Money and expiries are on the page however old they are.
  @Test func purchasesRefundsAndExpiriesAreAlwaysThere() throws {
    let price = #""productID":"pack","price":"9.99","currency":"EUR""#
    var lines = (0..<1500).map {
      line("n-\($0)", "a", "bonus", 1, at: "2026-01-05T10:\(($0 / 60).padded(2))")
    }
    lines += (0..<60).map { line("p-\($0)", "a", "purchase", 5, at: "2026-01-02T10:00", price) }
    lines.append(line("refund:p-1", "a", "refund", -5, at: "2026-01-02T11:00", price))
    lines.append(line("e", "a", "expiry", -1, at: "2026-01-02T12:00"))
    let html = try page(lines)
    #expect(html.contains("the newest 1,000 of 1,562, and all purchases, refunds and expiries"))
    #expect(html.split(separator: "<tr class=\"completed\">").count == 1063)
    #expect(html.contains(">p-0<") && html.contains(">refund:p-1<") && html.contains(">e</bdi>"))
    #expect(html.contains("<section id=\"transactions\" data-left=\"500\" "))
    #expect(html.contains("data-kept=\"purchase subscription refund expiry reversal\""))
    for (value, shown) in [("9.99", "9.99"), ("-9.99", "−9.99")] {
      let cell = "<td class=\"n\" data-v=\"\(value)\" data-c=\"EUR\">"
      #expect(html.contains(cell + "\(shown)</td><td>EUR</td>"))
    }
  }

  @Test func ofTooManyPurchasesTheNewestAreThere() throws {
    let lines = (0..<(NewestLines.keptLimit + 5)).map {
      line("p-\($0)", "a", "purchase", 5, at: "2026-01-02T10:00")
    }
    let html = try page(lines)
    #expect(html.contains("the newest 10,000 purchases, refunds and expiries"))
    #expect(html.contains("data-left=\"5\" data-kept=\"\""))
  }

  /// Sales are after refunds, and a product's share is one of the money of its currency.
  @Test func productsShareTheMoney() throws {
    func price(_ product: String, _ price: String, _ currency: String) -> String {
      #""productID":"\#(product)","price":"\#(price)","currency":"\#(currency)""#
    }
    let html = try page([
      line("1", "a", "purchase", 9000, at: "2026-01-02T10:00", price("cheap", "10.00", "USD")),
      line("2", "a", "purchase", 1000, at: "2026-01-02T10:00", price("dear", "40.00", "USD")),
      line("3", "b", "purchase", 5, at: "2026-01-02T10:00", price("dear", "30.00", "EUR")),
      line("refund:2", "a", "refund", -250, at: "2026-01-03T10:00", price("dear", "10.00", "USD")),
    ])
    #expect(html.contains("<h2>Sales</h2>"))
    #expect(!html.contains("Revenue<"))
    let table = try #require(
      html.split(separator: "<figure>").first { $0.contains("<h2>Products") })
    let rows = table.split(separator: "<tr><td class=\"name\">").dropFirst()
    #expect(rows.count == 3)
    #expect(
      rows.contains { $0.contains("cheap") && $0.contains(">25%<") && $0.contains("10.00 USD") })
    #expect(
      rows.contains {
        $0.contains(">75%<") && $0.contains(">30.00 USD<") && $0.contains(">10.00 USD<")
      })
    #expect(rows.contains { $0.contains(">100%<") && $0.contains("30.00 EUR") })
  }

  /// More of a product was paid back than paid: the other would have 150 % of the rest.
  @Test func productsShareNoRestOfRefunds() throws {
    let price = #""productID":"a","price":"30.00","currency":"USD""#
    let back = #""productID":"b","price":"10.00","currency":"USD""#
    let html = try page([
      line("1", "a", "purchase", 30, at: "2026-02-02T10:00", price),
      line("refund:2", "a", "refund", -10, at: "2026-02-03T10:00", back),
    ])
    #expect(html.contains("<h2>Products") && html.contains(">20.00<small>USD"))
    #expect(html.contains("<td class=\"share\"><i style=\"width:0%\">"))
    #expect(!html.contains("150%") && !html.contains(">100%<"))
  }

  /// Each sum of spent credits says if it is before or after refunds of charges.
  @Test func spentCreditsSayWhichTheyAre() throws {
    let lines = [
      line(
        "c", "a", "usage", -30, at: "2026-01-02T10:00", status: "refunded", #""model":"m""#),
      line("d", "b", "usage", -10, at: "2026-01-02T10:00", #""model":"m""#),
    ]
    let refund = line("refund:c", "a", "refund", 20, at: "2026-01-03T10:00", #""model":"m""#)
    let html = try page(lines + [refund])
    #expect(
      html.contains(
        "<h2>Spent</h2><p class=\"figure\">40</p><p class=\"note\">before 20 given back"))
    #expect(html.contains("<h2>Models <small>after refunds</small></h2>"))
    #expect(html.contains("credits a day, before refunds</small>"))
    #expect(html.contains("<h2>Accounts <small>credits before refunds, money after them</small>"))
    #expect(!(try page(lines)).contains("refunds</small>"))
  }

  @Test func titleIsTheOneGiven() throws {
    let html = try printed(
      ReportPage(of: period(), version: "0", title: "A & B"),
      [line("1", "a", "bonus", 1, at: "2026-01-05T10:00", #""productName":"A pack""#)])
    #expect(html.contains("<title>A &amp; B</title>"))
    #expect(html.contains("<h1><bdi>A &amp; B</bdi></h1>"))
    #expect(html.contains(">A pack</bdi>"))
  }

  @Test func pricedRequestsHaveNoBalance() throws {
    let html = try page([
      #"{"account":"a","model":"m","usage":{"inputTokens":5},"credits":7,"usedAt":"2026-01-02"}"#
    ])
    #expect(html.contains("<h2>Spent</h2><p class=\"figure\">7</p>"))
    #expect(!html.contains("<h2>Balance"))
  }

  @Test func balanceLeadsToTheLastOne() throws {
    var balances = BalanceBook()
    for text in [
      line("2", "a", "usage", -5, at: "2026-01-03T10:00", balance: 15),
      line("1", "a", "bonus", 10, at: "2026-01-02T10:00", balance: 20),
    ] {
      try withLine(text) { balances.add($0, on: CalendarDay(number: 0), isBefore: false) }
    }
    #expect(balances.total.balance == 15)
    #expect(balances.opening == 10)
  }

  @Test func scalesEndAtRoundNumbers() {
    #expect(AxisScale(from: 0, to: 873).marks == [1000, 800, 600, 400, 200, 0])
    #expect(AxisScale(from: -3, to: 8).marks == [10, 5, 0, -5])
    #expect(AxisScale(from: 0, to: 0).marks == [1, 0])
    #expect(AxisScale(from: 0, to: .max).marks.count < 8)
  }

  @Test func numbersAreShort() {
    #expect((Int128(1_234_567)).separated == "1,234,567")
    #expect((Int128(-1234)).separated == "−1,234")
    #expect((Int128(250_000)).brief == "250k")
    #expect((Int128(1_500_000)).brief == "1.5M")
    #expect((Int128(1)).percent(of: 3) == "33%")
    #expect((Int128(4)).percent(of: 1000) == "0.4%")
  }

  @Test func binsGrowWithTheTime() {
    func unit(_ days: Int64) -> TimeBins.Unit {
      TimeBins(CalendarDay(number: 20_000)...CalendarDay(number: 20_000 + days), limit: 100).unit
    }
    #expect(unit(90) == .day)
    #expect(unit(365) == .week)
    #expect(unit(2000) == .month)
    #expect(unit(9000) == .year)
    let all = TimeBins(
      CalendarDay(of: .earliest)...CalendarDay(of: .latest), limit: 100)
    #expect(all.starts.count == 9999)
  }

  /// Revenue of a month is the difference of two, and sales are its payments.
  @Test func revenueIsEarnedInThePeriod() throws {
    let price = #""price":"10.00","currency":"USD""#
    let lines = [
      line("1", "a", "purchase", 100, at: "2026-01-02T10:00", balance: 100, price),
      line("2", "a", "usage", -25, at: "2026-01-03T10:00", balance: 75),
      line("3", "a", "usage", -50, at: "2026-02-03T10:00", balance: 25),
      line("5", "a", "purchase", 100, at: "2026-02-04T10:00", balance: 125, price),
      line("4", "b", "bonus", 1, at: "2026-02-04T10:00", balance: 1),
    ]
    let february = try page(lines, in: period(since: "2026-02-01", until: "2026-03-01"))
    let figure = "<p class=\"figure\">"
    #expect(february.contains("<h2>Sales</h2>\(figure)10.00<small>USD"))
    #expect(february.contains("<h2>Earned revenue</h2>\(figure)5.00<small>USD"))
    #expect(february.contains("<h2>Deferred revenue</h2>\(figure)12.50<small>USD"))
    #expect(try page(lines).contains("<h2>Earned revenue</h2>\(figure)7.50<small>USD"))
  }

  @Test func theCustomersPageSpeaksOfPaying() throws {
    let html = try page([
      line(
        "1", "a", "purchase", 100, at: "2026-01-02T10:00", balance: 100,
        #""price":"10.00","currency":"USD""#)
    ])
    #expect(html.contains("<h2>Paid</h2>") && html.contains("<h2>Credits bought</h2>"))
    #expect(html.contains("as recorded, which may be without tax"))
    #expect(!html.contains("Sales") && !html.contains("sold") && !html.contains("evenue"))
  }

  /// The plan is the one that is paid for the longest. Refunded payments do not count.
  @Test func aSubscribersPageNamesThePlan() throws {
    func paid(_ id: String, _ plan: String, until: String, _ members: String = "") -> String {
      line(
        id, "a", "subscription", 0, at: "2026-01-02T10:00", balance: 100,
        #""plan":"\#(plan)","until":"\#(until)T00:00:00.000Z"\#(members)"#)
    }
    let pro = paid("1", "pro", until: "2026-02-02")
    let lines = [
      paid("2", "free", until: "2026-01-05"), pro,
      paid("3", "max", until: "2026-05-02", #","endedAt":"2026-01-03T00:00:00.000Z""#),
    ]
    let tile = "<h2>Plan</h2><p class=\"figure\">pro</p><p class=\"note\">until 2026-02-02</p>"
    #expect(try page(lines).contains(tile))
    #expect(try !page([pro.replacing("completed", with: "refunded")]).contains("<h2>Plan</h2>"))
    let other = line("4", "b", "bonus", 1, at: "2026-01-02T10:00", balance: 1)
    #expect(try !page(lines + [other]).contains("<h2>Plan</h2>"))
    // A follower's line is repeated when its payment is refunded.
    let refunded = pro.replacing("completed", with: "refunded")
    let followed = [pro, refunded.replacing(#","plan""#, with: #","changed":true,"plan""#)]
    #expect(try !page(followed).contains("<h2>Plan</h2>"))
  }

  /// A plan that is over at the end of the page, or now, is not named as if it were in force.
  @Test func aPlanThatIsOverHasEnded() throws {
    let pro = line(
      "1", "a", "subscription", 0, at: "2026-01-02T10:00", balance: 100,
      #""plan":"pro","until":"2026-02-02T00:00:00.000Z","endedAt":"2026-01-20T00:00:00.000Z""#)
    func note(on day: String, in period: ReportPeriod = period()) throws -> Bool {
      let now = try #require(Timestamp(dateText: day))
      let html = try printed(ReportPage(of: period, version: "0", now: now), [pro])
      return html.contains("<p class=\"note\">ended 2026-01-20</p>")
    }
    #expect(try note(on: "2026-01-20"))
    #expect(try !note(on: "2026-01-19"))
    #expect(try note(on: "2026-03-01", in: period(since: "2026-01-01", until: "2026-02-01")))
    #expect(try !note(on: "2026-03-01", in: period(since: "2026-01-01", until: "2026-01-10")))
  }

  /// A browser repeats a head on each printed page if it has no buttons.
  @Test func tableHeadsHaveNoButtons() throws {
    let html = try page([line("1", "a", "bonus", 1, at: "2026-01-02T10:00", balance: 1)])
    let heads = html.split(separator: "<thead>").dropFirst()
    #expect(!heads.isEmpty)
    for head in heads { #expect(!head.prefix { $0 != "\n" }.contains("<button")) }
  }
}
