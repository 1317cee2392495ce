import Testing

@testable import CreditFinance

/// Lines of one time, as those of a batch, in another order than that of the history.
@Suite struct GrantOrderTests {
  private static func purchase(
    _ id: String, _ price: String, balance: Int, at time: String
  ) -> String {
    line(
      id, "a", "purchase", 100, at: time, balance: balance,
      #""price":"\#(price)","currency":"USD""#)
  }

  /// A batch of requests has one time. Sorted by time, its lines stay newest first.
  @Test func linesOfOneTimeMayBeReversed() throws {
    let time = "2026-02-01T00:00"
    let first = [
      Self.purchase("t1", "10.00", balance: 100, at: "2026-01-01T00:00"),
      line("u", "a", "usage", -100, at: "2026-01-02T00:00", balance: 0),
    ]
    var batch = [
      Self.purchase("t2", "9.00", balance: 100, at: time),
      line("v", "a", "usage", -100, at: time, balance: 0),
      Self.purchase("t3", "5.00", balance: 100, at: time),
    ]
    for number in 1...90 {
      batch.append(line("u\(number)", "a", "usage", -1, at: time, balance: 100 - number))
    }
    let expected = try grantRows(first + batch)
    #expect(expected[2].contains(#""left":10,"price":"5.00""#))
    #expect(try grantRows(first + batch.reversed()) == expected)
    #expect(try grantRows(batch.reversed() + first.reversed()) == expected)
    #expect(try grantRows(batch + first) == expected)
    // In no order, the balances decide.
    let rest =
      [batch[0]]
      + (1...90).map { number in
        line("u\(number)", "a", "usage", -1, at: time, balance: 100 - number)
      }
    #expect(try grantRows(rest.shuffled()) == grantRows(rest))
  }

  /// The refund takes purchased credits, and the rest of the gift stays in their place: the oldest
  /// purchase has paid for the charge, also for its part that the gift had paid.
  @Test func theRefundOfAUsedGiftCountsTheOldestPurchaseAsUsed() throws {
    func taken(_ credits: Int) -> String { #""taken":[{"kind":"bonus","credits":\#(credits)}]"# }
    var lines = [
      line("g", "a", "bonus", 190, at: "2026-01-01T00:00", balance: 190),
      Self.purchase("t1", "10.00", balance: 290, at: "2026-01-02T00:00"),
      line("u", "a", "usage", -60, at: "2026-01-03T00:00", balance: 230, taken(60)),
      Self.purchase("t2", "30.00", balance: 330, at: "2026-01-04T00:00"),
      line("refund:g", "a", "refund", -190, at: "2026-01-05T00:00", balance: 140),
    ]
    func used() throws -> [String] {
      try grantRows(lines).compactMap { row in
        ["60", "100", "1", "0"].first { row.contains("\"used\":\($0),") }
      }
    }
    #expect(try used() == ["0", "60", "0"])
    lines.append(line("v", "a", "usage", -41, at: "2026-01-06T00:00", balance: 99, taken(41)))
    #expect(try used() == ["0", "100", "1"])
  }

  /// Two purchases that lead to the same balance: which of them is used first?
  @Test func anOrderThatIsNotCertainIsSaid() throws {
    let (early, time) = ("2026-01-01T00:00", "2026-02-01T00:00")
    let certain = [
      line("s", "b", "bonus", 10, at: early, balance: 10),
      line("u1", "b", "usage", -4, at: early, balance: 6),
      line("u2", "b", "usage", -5, at: early, balance: 1),
    ]
    let batch = [
      Self.purchase("t1", "10.00", balance: 100, at: time),
      line("v", "a", "usage", -100, at: time, balance: 0),
      Self.purchase("t2", "5.00", balance: 100, at: time),
    ]
    func marked(_ lines: [String]) throws -> ([Bool], [String]) {
      let form = GrantRows(.json, in: period(until: "2026-02-01"))
      let late = GrantRows(.json, in: period())
      _ = try printed(form, lines)
      let rows = try printed(late, lines).split(separator: "\n")
      return (rows.map { $0.contains("incomplete") }, form.remarks + late.remarks)
    }
    let said = [
      #"lines of "a" with the same time are out of order, and their balances fit several "#
        + "orders: give all lines in the order of credit-history"
    ]
    #expect(try marked(certain + batch) == ([false, false, false], []))
    #expect(try marked(batch.reversed() + certain.reversed()) == ([false, false, false], []))
    let shuffled = [certain[0], certain[2], certain[1]] + batch
    #expect(try marked(shuffled) == ([false, true, true], said))
    let journal = LedgerJournal(.hledger, in: period(), defersSales: true)
    #expect(try printed(journal, shuffled).hasSuffix("\n; \(said[0])\n"))
    #expect(journal.remarks == said)
    // A line that an account lacks shows no order: the lines of others are as certain as before.
    let lacking = [certain[0], certain[2]] + batch
    let lack = #"the input lacks lines of "b", whose top-ups are incomplete"#
    #expect(try marked(lacking).0 == [true, false, false])
    #expect(try marked(lacking.reversed()).0 == [true, false, false])
    #expect(try marked(lacking).1.allSatisfy { $0.hasPrefix(lack) })
  }

  /// Credits that expire before a quota's reset are used first: as many as it has lost since then.
  @Test func aQuotaStandsForWhatItLost() throws {
    func rows(used: Int) throws -> [String] {
      let bonus = #""expiresAt":"2026-01-20T00:00:00.000Z""#
      return try grantRows([
        line("b", "a", "bonus", 10, at: "2026-01-01T00:00", balance: 10, bonus),
        line("q", "a", "quota", 200, at: "2026-01-02T00:00", balance: 210),
        line("u", "a", "usage", -used, at: "2026-01-03T00:00", balance: 210 - used),
        line("e:bonus", "a", "expiry", -6, at: "2026-01-20T00:00", balance: 204 - used),
      ])
    }
    #expect(try rows(used: 4)[0].contains(#""used":4,"expired":6,"refunded":0,"left":0"#))
    #expect(try !rows(used: 4)[0].contains("incomplete"))
    #expect(try rows(used: 3)[0].contains("incomplete"))
    // The plan ends before they expire.
    let ended = try grantRows([
      line(
        "b", "a", "bonus", 10, at: "2026-01-01T00:00", balance: 10,
        #""expiresAt":"2026-01-20T00:00:00.000Z""#),
      line("q", "a", "quota", 200, at: "2026-01-02T00:00", balance: 210),
      line("u", "a", "usage", -4, at: "2026-01-03T00:00", balance: 206),
      line("q2", "a", "quota", -200, at: "2026-01-04T00:00", balance: 6),
      line("e:bonus", "a", "expiry", -6, at: "2026-01-20T00:00", balance: 0),
    ])
    #expect(ended[0].contains(#""used":4,"expired":6"#) && !ended[0].contains("incomplete"))
  }
}
