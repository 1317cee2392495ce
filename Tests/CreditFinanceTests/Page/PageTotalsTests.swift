import CreditModel
import Testing

@testable import CreditFinance

/// Sums of shown amounts, and marks of figures that are not exact.
@Suite struct PageTotalsTests {
  private func page(_ lines: [String]) throws -> String {
    try printed(ReportPage(of: period(), version: "0", showsCost: true), lines)
  }

  private let usage = [
    line(
      "1", "a", "usage", -5145, at: "2026-03-03T10:00", balance: -5145,
      #""model":"opus","usd":"5.145","costUSD":"3.675""#),
    line(
      "2", "b", "usage", -3465, at: "2026-03-03T10:00", balance: -3465,
      #""model":"mini","usd":"3.465","costUSD":"2.475""#),
  ]

  /// At two places 5.14 and 3.46 would be 8.60, and the total 8.61.
  @Test func shownRowsAddUpToTheirTotal() throws {
    let table = try printed(SumRows(.table, by: [.model], in: period()), usage)
    for amount in ["5.145", "3.465", "8.610", "6.150"] { #expect(table.contains("\"\(amount)\"")) }
    let html = try page(usage)
    let models = try #require(html.split(separator: "<figure").first { $0.contains(">Models<") })
    #expect(models.contains("<th class=\"n\">Value, $</th><th class=\"n\">Cost, $</th>"))
    let total = try #require(models.split(separator: "<tr").first { $0.contains(">total<") })
    let cells = total.matches(of: /<td class="n">([^<]*)</).map { String($0.1) }
    #expect(cells == ["2", "8,610", "8.610", "6.150", "2.460"])
  }

  /// More than six places are not shown: a note says that the amounts are rounded.
  @Test func sumsOfLongAmountsHaveANote() throws {
    let long = usage.map { $0.replacing(/145|465/, with: "6666667") }
    let sums = SumRows(.table, by: [.model], in: period())
    #expect(try printed(sums, long).contains("\"5.67\""))
    #expect(sums.remarks == ["amounts are rounded, and totals are of the exact ones, as in CSV"])
    #expect(try page(long).contains("Models <small>rounded, the total is of exact amounts<"))
  }

  @Test func placesAreAddedUpToSix() {
    func places(_ parts: String..., whole: String) -> (Int, Bool) {
      var places = ShownPlaces()
      func amount(_ text: String) -> ExactDecimal? {
        text.withUTF8Bytes { ExactDecimal(amount: $0) }
      }
      let isFooted = places.foot { $0.addsUp(parts.map(amount), to: amount(whole)) }
      return (places.count, isFooted)
    }
    #expect(places("0.5", "0.25", whole: "0.75") == (2, true))
    #expect(places("0.125", "0.125", whole: "0.25") == (3, true))
    #expect(places("0.1234565", "0.1234565", whole: "0.246913") == (2, false))
    // Parts that are no sum are not compared.
    #expect(places("0.125", whole: "0.25") == (2, true))
  }

  /// Each amount has its currency, and the source is said below all.
  @Test func revenueOfSeveralCurrencies() throws {
    func sale(_ account: String, _ currency: String) -> [String] {
      [
        line(
          "s\(account)", account, "purchase", 100, at: "2026-01-01T10:00", balance: 100,
          #""price":"10.00","currency":"\#(currency)","productID":"p","priority":50,"#
            + #""expiresAt":"2026-02-01T00:00:00.000Z""#),
        line("u\(account)", account, "usage", -40, at: "2026-01-02T10:00", balance: 60),
        line(
          "expiry:s\(account)", account, "expiry", -60, at: "2026-02-01T00:00", balance: 0,
          #""grant":"s\#(account)""#),
      ]
    }
    let html = try page(sale("a", "EUR") + sale("b", "USD"))
    #expect(
      html.contains(
        """
        4.00<small>EUR</small></p><p class="figure several">4.00<small>USD</small></p>\
        <p class="note">for what was used</p></div>
        """))
    let products = try #require(html.split(separator: "<figure").first { $0.contains(">Products") })
    #expect(products.contains("10.00 EUR<br>10.00 USD"))
  }

  /// A line that is missing is told above the figures, on standard error, and in rows.
  @Test func gapsAreTold() throws {
    let lines = [
      line(
        "p", "a", "purchase", 100, at: "2026-01-01T10:00", balance: 100,
        #""price":"10.00","currency":"USD""#),
      line("u", "a", "usage", -20, at: "2026-01-03T10:00", balance: 60),
      line("v", "b", "usage", -20, at: "2026-01-03T10:00", balance: -20),
    ]
    let words =
      "incomplete: lines of \"a\" are missing, so earned and deferred amounts are not exact"
    let form = ReportPage(of: period(), version: "0", showsCost: true)
    #expect(try printed(form, lines).contains("<strong>\(words.html)</strong></p>\n<section"))
    #expect(form.remarks == [words])
    let rows = GrantRows(.json, in: period())
    _ = try printed(rows, lines)
    #expect(
      rows.remarks == [
        "the input lacks lines of \"a\", whose top-ups are incomplete: --by grant needs the whole "
          + "history"
      ])
    let journal = try printed(LedgerJournal(.csv, in: period(), defersSales: true), lines)
    #expect(journal.contains("income:sales,,4.00,USD,earned; incomplete,earned:2026-01-03:USD"))
    let whole = try printed(
      LedgerJournal(.csv, in: period(), defersSales: true), [lines[0], lines[2]])
    #expect(!whole.contains("incomplete"))
  }

  /// Only a page with more transactions says which of them are printed.
  @Test(arguments: [50, 51])
  func theFirstTransactionsArePrinted(count: Int) throws {
    let lines = (1...count).map { line("\($0)", "a", "bonus", 1, at: "2026-01-02T10:00") }
    #expect(try page(lines).contains("The first 50 of 51 are printed.") == (count > 50))
  }
}
