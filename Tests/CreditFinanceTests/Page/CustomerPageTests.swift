import CreditModel
import Testing

@testable import CreditFinance

@Suite struct CustomerPageTests {
  private func page(_ lines: [String]) throws -> String {
    try printed(ReportPage(of: period(), version: "0"), lines)
  }

  /// Of one client's lines the projects are shown and printed first.
  @Test func aTagWithSeveralRowsComesFirst() throws {
    let html = try page(
      ["x", "x", nil].enumerated().map { number, value in
        let project = value.map { #","project":"\#($0)""# } ?? ""
        let tags = #""tags":{"client":"kola"\#(project)}"#
        return line("\(number)", "a", "usage", -10, at: "2026-01-02T10:00", tags)
      })
    let names = html.split(separator: "<figure data-tag=").dropFirst().map { $0.prefix(8) }
    #expect(names == ["\"project", "\"client\""])
  }

  /// The prices of work may be the provider's own.
  @Test func aCustomersPageHasNoPricesOfWork() throws {
    let lines = [
      line("1", "a", "usage", -10, at: "2026-01-02T10:00", #""model":"m","usd":"0.01""#),
      line("2", "a", "usage", -10, at: "2026-01-02T10:00", #""model":"n""#),
    ]
    let words = ["Value, $", "0.01", "no price in dollars"]
    for isCustomers in [true, false] {
      let own = ReportPage(of: period(), version: "0", showsCost: isCustomers ? false : nil)
      let html = try printed(own, lines)
      #expect(words.map { html.contains($0) } == words.map { _ in !isCustomers })
    }
  }

  /// A corrected charge is seen as one, with its day.
  @Test func aCorrectionHasItsWordAndTheDayOfItsCharge() throws {
    let charged = #""model":"m","chargedAt":"2026-01-02T10:00:00.000Z""#
    let html = try page([
      line("c", "a", "usage", -10, at: "2026-01-02T10:00", #""model":"m""#),
      line("amend:c:1", "a", "usage", 4, at: "2026-01-05T10:00", charged),
      line("refund:c", "a", "refund", 6, at: "2026-01-05T11:00", charged),
    ])
    #expect(html.contains("<option value=\"correction\">"))
    for (type, text) in [
      ("usage", "m"), ("correction", "m; charged 2026-01-02"), ("refund", "m; charged 2026-01-02"),
    ] {
      #expect(
        html.contains(
          "<td>\(type)</td><td>completed</td><td class=\"name\" title=\"\(text)\">"))
    }
  }

  /// A grant that has expired has its name, whichever line comes first.
  @Test func anExpiredGrantHasItsName() throws {
    let lines = [
      line("expiry:g", "a", "expiry", -5, at: "2026-01-03T10:00", #""grant":"g""#),
      line(
        "g", "a", "bonus", 5, at: "2026-01-02T10:00", balance: 5,
        #""reason":"Trial","expiresAt":"2026-01-03T10:00:00.000Z""#),
    ]
    for lines in [lines, lines.reversed()] {
      #expect(try page(lines).contains("<bdi>credits of Trial</bdi>"))
      let later = ReportPage(of: period(since: "2026-01-03"), version: "0")
      #expect(try printed(later, lines).contains("<bdi>credits of Trial</bdi>"))
      func text(_ medium: Statement.Medium) throws -> String {
        try printed(
          Statement(
            of: "a", month: "2026-01", in: period(), as: medium, listsEach: false, now: .latest),
          lines)
      }
      #expect(try text(.html).contains("<bdi>credits of Trial</bdi>"))
      #expect(try text(.csv).contains("credits of g"), "a closed month keeps its number")
    }
  }
}
