import CreditModel
import Testing

@testable import CreditFinance

/// The accounts that a page is about, and credits that no other figure has.
@Suite struct PageAccountTests {
  private func page(_ lines: [String], in period: ReportPeriod = period()) throws -> String {
    try printed(ReportPage(of: period, version: "0"), lines)
  }

  private static let october = period(since: "2026-10-01", until: "2026-11-01")

  private static func sale(
    _ account: String, at time: String, status: String = "completed", _ more: String = ""
  ) -> String {
    line(
      "t-\(account)", account, "purchase", 1000, at: time, status: status,
      balance: status == "pending" ? 0 : 1000, #""price":"10","currency":"USD"\#(more)"#)
  }

  /// Its figures are of all accounts, and not of the only one that did something.
  @Test func aMonthWithOneActiveAccountIsOfAll() throws {
    let lines = [Self.sale("b", at: "2026-10-03T10:00"), Self.sale("a", at: "2026-09-05T10:00")]
    let html = try page(lines, in: Self.october)
    #expect(html.contains("<title>Credits</title>"))
    #expect(html.contains("2026-10-31 · 1 of 2 accounts · 1 transaction<"))
    #expect(html.contains("Deferred revenue") && !html.contains("class=\"single\""))
    // The month before stays as it was when there was no other account.
    let september = period(since: "2026-09-01", until: "2026-10-01")
    #expect(try page(lines, in: september) == page([lines[1]], in: september))
  }

  /// A row of one other would take the room of that account.
  @Test func noAccountIsSummedUpAlone() throws {
    func accounts(_ count: Int) throws -> String {
      try page((1...count).map { Self.sale("a\($0)", at: "2026-10-03T10:00") }, in: Self.october)
    }
    #expect(try !accounts(11).contains("1 other") && accounts(11).contains("<bdi title=\"a11\">"))
    #expect(try accounts(12).contains(">2 others<"))
  }

  @Test func aPendingSaleStaysOnThePageOfItsMonth() throws {
    let other = Self.sale("a", at: "2026-10-05T10:00")
    let time = #""2026-11-02T10:00:00.000Z""#
    let later = #","updatedAt":\#(time),"completedAt":\#(time)"#
    let before = try page(
      [Self.sale("b", at: "2026-10-06T10:00", status: "pending"), other], in: Self.october)
    let after = try page([Self.sale("b", at: "2026-10-06T10:00", later), other], in: Self.october)
    #expect(before == after)
    #expect(after.contains("<tr class=\"pending\">") && after.contains(" · 2 accounts · 2 trans"))
  }

  /// Sold, spent, refunded, expired and other credits sum to the change of the balance.
  @Test func theTilesAddUp() throws {
    let html = try page([
      line("1", "a", "bonus", 50, at: "2026-01-02T10:00", balance: 50),
      line("2", "a", "quota", 100, at: "2026-01-03T10:00", balance: 150, #""carriedOver":20"#),
      line("3", "a", "adjustment", -7, at: "2026-01-04T10:00", balance: 143),
      line("4", "a", "usage", -3, at: "2026-01-05T10:00", balance: 140),
    ])
    #expect(html.contains("<h2>Other</h2><p class=\"figure\">123</p>"))
    #expect(html.contains("<h2>Expired</h2><p class=\"figure\">−20</p>"))
  }
}
