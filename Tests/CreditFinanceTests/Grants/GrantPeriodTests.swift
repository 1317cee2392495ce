import CreditModel
import Testing

@testable import CreditFinance

/// The money of a time, and the lines that it lacks.
@Suite struct GrantPeriodTests {
  private let sale = line(
    "t1", "a", "purchase", 300, at: "2026-01-01T10:00", balance: 300,
    #""price":"10.00","currency":"USD""#)

  /// In a period, opening and sold are the sum of the other amounts.
  @Test func aPeriodRollsForward() throws {
    let lines = [
      sale, line("c", "a", "usage", -100, at: "2026-01-02T10:00", balance: 200),
      line(
        "t2", "a", "purchase", 300, at: "2026-02-01T10:00", balance: 500,
        #""price":"10.00","currency":"USD""#),
      line("g", "a", "bonus", 20, at: "2026-02-01T10:00", balance: 520),
      line("d", "a", "usage", -260, at: "2026-02-02T10:00", balance: 260),
      line(
        "refund:t2", "a", "refund", -60, at: "2026-02-03T10:00", balance: 200,
        #""price":"2.50","currency":"USD""#),
    ]
    let month = try printed(
      GrantRows(.csv, in: period(since: "2026-02-01", until: "2026-03-01")), lines)
    let table = month.split(separator: "\r\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    let money = ["grant", "opening", "sold", "revenue", "breakage", "refundedPrice", "kept"]
    let places = try (money + ["deferred"]).map { try #require(table[0].firstIndex(of: $0[...])) }
    #expect(
      table.dropFirst().map { row in places.map { row[$0] }.joined(separator: " ") } == [
        "t1 6.666666666667  6.666666666667 0.00   0.00",
        "t2 0.00 10.00 1.333333333333 0.00 2.50 -0.50 6.666666666667",
        "g 0  0 0   0",
      ])
    let all = try grantRows(lines)
    #expect(!all.joined().contains("opening") && !all.joined().contains("sold"))
    // By product it has the page's amounts, rounded as journals book them.
    let february = period(since: "2026-02-01", until: "2026-03-01")
    #expect(
      try printed(GrantRows(.csv, byProduct: true, in: february), lines) == """
        product,opening,sold,refundedPrice,revenue,breakage,kept,deferred,currency\r
        no product,6.67,10.00,2.50,8.00,0.00,-0.50,6.67,USD\r

        """)
    let rows = try printed(GrantRows(.table, byProduct: true, in: february), lines)
    #expect(rows.contains(#"{"product":"total","opening":"6.67","sold":"10.00""#))
  }

  /// If the history ends before the period, rows and pages say how far it goes.
  @Test func aHistoryThatEndsEarlyIsNoted() throws {
    let month = period(since: "2026-01-01", until: "2026-02-01", offset: "+02:00")
    let end = "2026-01-01T10:00:00Z"
    for form in [
      GrantRows(.json, in: month), GrantRows(.json, byProduct: true, in: month),
      SumRows(.json, by: [.month], in: month),
    ] as [any ReportForm] {
      let text = try printed(form, [sale], end: end)
      #expect(text.hasSuffix(#""historyUpTo":"2026-01-01T10:00:00.000Z"}\#n"#))
    }
    let page = ReportPage(of: month, version: "1")
    #expect(try printed(page, [sale], end: end).contains("· history up to 2026-01-01 12:00</p>"))
    var months = RecordedMonths(in: month)
    try withLine(sale) { months.add($0, isShown: false) }
    #expect(months.historyEnd(at: try #require(Timestamp(text: "2026-01-31T21:59:59Z"))) == nil)
    let over = try #require(Timestamp(text: "2026-02-01T00:00:00Z"))
    #expect(months.historyEnd(at: over)?.text == "2026-01-01T10:00:00.000Z")
    try withLine(line("n", "b", "bonus", 1, at: "2026-02-01T00:00")) {
      months.add($0, isShown: false)
    }
    #expect(months.historyEnd(at: over) == nil)
  }

  /// Rows of days name a zone other than UTC.
  @Test func daysOfAnotherZoneNameIt() throws {
    let zone = period(offset: "+02:00")
    #expect(try printed(SumRows(.csv, by: [.day], in: zone), [sale]).contains(",zone\r\n"))
    #expect(try printed(SumRows(.json, by: [.day], in: zone), [sale]).contains("UTC+02:00"))
    #expect(!(try printed(SumRows(.csv, by: [.account], in: zone), [sale])).contains("zone"))
    #expect(!(try printed(SumRows(.csv, by: [.day], in: period()), [sale])).contains("zone"))
    let entries = try printed(LedgerJournal(.csv, in: zone, defersSales: true), [sale])
    #expect(entries.contains("memo,id,zone\r\n") && entries.contains(",t1,UTC+02:00\r\n"))
  }

  /// The account whose lines are missing is named, and not the other one of a transfer.
  @Test func theAccountWithMissingLinesIsNamed() throws {
    func remark(_ lines: [String]) throws -> [String] {
      let form = GrantRows(.json, in: period())
      #expect(try printed(form, lines).contains(#""incomplete":true"#))
      let journal = LedgerJournal(.hledger, in: period(), defersSales: true)
      _ = try printed(journal, lines)
      return form.remarks + journal.remarks
    }
    func transfer(_ account: String, _ other: String, _ credits: Int, _ balance: Int) -> String {
      line(
        "x", account, "transfer", credits, at: "2026-01-02T10:00", balance: balance,
        "\"counterparty\":\"\(other)\"")
    }
    func said(_ name: String, _ other: String) -> [String] {
      [
        "the input lacks lines of \"\(name)\", so that top-ups of \"\(other)\" are incomplete: "
          + "--by grant needs the whole history",
        "incomplete: lines of \"\(name)\" are missing, so earned and deferred amounts are not "
          + "exact",
      ]
    }
    let (out, back) = (transfer("a", "b", -50, 250), transfer("b", "a", 50, 50))
    let late = line("c", "b", "usage", -20, at: "2026-01-04T10:00", balance: 20)
    #expect(try remark([sale, out]) == said("b", "a"))
    #expect(try remark([sale, out, back, late]) == said("b", "a"))
    #expect(try remark([back]) == said("a", "b"))
  }

  /// A sale that was refunded before its start never started, also if the refund is undone.
  @Test func anUndoneRefundIsNoEarlierStart() throws {
    let lines = [
      line(
        "t2", "a", "purchase", 30, at: "2026-01-01T12:00", balance: 0,
        #""price":"3","currency":"EUR","priority":50,"startsAt":"2026-01-03T00:00:00.000Z""#),
      line(
        "refund:t2", "a", "refund", -30, at: "2026-01-02T10:00", balance: 0,
        #""taken":[{"grant":"t2","credits":30}]"#),
      line("b", "a", "bonus", 5, at: "2026-01-02T11:00", balance: 5),
      line("reversal:t2", "a", "refund", 30, at: "2026-01-04T10:00", balance: 35),
    ]
    #expect(try grantRows(lines)[0].contains(#""used":0,"expired":0,"refunded":0,"left":30"#))
    #expect(try !grantRows(lines).joined().contains("incomplete"))
    let journal = LedgerJournal(.hledger, in: period(), defersSales: true)
    _ = try printed(journal, lines)
    #expect(journal.remarks.isEmpty)
  }
}
