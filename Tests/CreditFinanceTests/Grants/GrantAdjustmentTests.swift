import Testing

@testable import CreditFinance

@Suite struct GrantAdjustmentTests {
  private func rows(_ lines: [String]) throws -> [String] {
    try printed(GrantRows(.json, in: period()), lines).split(separator: "\n").map(String.init)
  }

  private let sale = line(
    "t1", "a", "purchase", 300, at: "2026-01-01T10:00", balance: 300,
    #""price":"10.00","currency":"USD""#)

  /// No credits were used: the gift goes first, also from another bucket, and no sale is earned.
  @Test(arguments: ["adjustment", "bonus"])
  func anAdjustmentTakesGiftsFirst(_ kind: String) throws {
    let lines = [
      sale, line("g", "a", kind, 50, at: "2026-01-02T10:00", balance: 350),
      line("x", "a", "adjustment", -50, at: "2026-01-03T10:00", balance: 300),
      line("c", "a", "usage", -30, at: "2026-01-04T10:00", balance: 270),
    ]
    let (before, after) = (try rows(Array(lines[..<3])), try rows(lines))
    #expect(before[0].contains(#""used":0,"expired":0,"refunded":0,"left":300"#))
    #expect(before[1].contains(#""used":0,"expired":0,"refunded":50,"left":0"#))
    #expect(after[0].contains(#""used":30,"expired":0,"refunded":0,"left":270"#))
    let journal = LedgerJournal(.hledger, in: period(), defersSales: true)
    #expect(try !printed(journal, Array(lines[..<3])).contains("income"))
  }

  /// Without gifts it is like a refund without money: the price is kept, not earned.
  @Test func anAdjustmentIsNoUse() throws {
    let lines = [
      sale, line("x", "a", "adjustment", -30, at: "2026-01-03T10:00", balance: 270),
      line("refund:t1", "a", "refund", -300, at: "2026-01-04T10:00", balance: -30),
    ]
    let row = try rows(Array(lines[..<2]))[0]
    #expect(row.contains(#""used":0,"expired":0,"refunded":30,"left":270"#))
    #expect(row.contains(#""revenue":"0.00","deferred":"9.00","breakage":"0.00","kept":"1.00""#))
    let journal = LedgerJournal(.hledger, in: period(), defersSales: true)
    #expect(
      try printed(journal, Array(lines[..<2])).contains(
        """
        2026-01-03 * kept
            liabilities:deferred  1.00 USD
            income:refunds  -1.00 USD

        """))
    let refunded = try rows(lines)[0]
    #expect(refunded.contains(#""used":0,"expired":0,"refunded":300,"left":0"#))
    #expect(!refunded.contains("incomplete"))
  }
}
