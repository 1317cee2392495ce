import Testing

@testable import CreditFinance

@Suite struct GrantAdjustmentTests {
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
    let (before, after) = (try grantRows(Array(lines[..<3])), try grantRows(lines))
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
    let row = try grantRows(Array(lines[..<2]))[0]
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
    let refunded = try grantRows(lines)[0]
    #expect(refunded.contains(#""used":0,"expired":0,"refunded":300,"left":0"#))
    #expect(!refunded.contains("incomplete"))
  }

  private let other = line(
    "t2", "a", "purchase", 100, at: "2026-01-02T10:00", balance: 400,
    #""price":"5.00","currency":"USD""#)

  /// The sale that stands in for the refunded one is as little used as that one was.
  @Test func aRefundMovesTheAdjustment() throws {
    let lines = [
      sale, other, line("x", "a", "adjustment", -30, at: "2026-01-03T10:00", balance: 370),
      line("refund:t1", "a", "refund", -300, at: "2026-01-04T10:00", balance: 70),
    ]
    let moved = try grantRows(lines)
    #expect(moved[0].contains(#""used":0,"expired":0,"refunded":300,"left":0"#))
    #expect(moved[1].contains(#""used":0,"expired":0,"refunded":30,"left":70"#))
    let used = line("c", "a", "usage", -40, at: "2026-01-02T11:00", balance: 360)
    let after = [
      line("x", "a", "adjustment", -30, at: "2026-01-03T10:00", balance: 330),
      line("refund:t1", "a", "refund", -300, at: "2026-01-04T10:00", balance: 30),
      line("refund:c", "a", "refund", 40, at: "2026-01-05T10:00", balance: 70),
    ]
    let mixed = try grantRows([sale, other, used] + after[..<2])
    #expect(mixed[1].contains(#""used":40,"expired":0,"refunded":30,"left":30"#))
    let back = try grantRows([sale, other, used] + after)
    #expect(back[1].contains(#""used":0,"expired":0,"refunded":30,"left":70"#))
  }

  /// A pack that settles a debt of an adjustment was not used.
  @Test func aDebtOfAnAdjustmentIsNoUse() throws {
    let debt = line("x", "a", "adjustment", -30, at: "2026-01-01T09:00", balance: -30)
    let use = line("c", "a", "usage", -20, at: "2026-01-01T09:30", balance: -50)
    let pack = line(
      "t2", "a", "purchase", 100, at: "2026-01-02T10:00", balance: 50,
      #""price":"5.00","currency":"USD""#)
    let row = try grantRows([debt, use, pack])[0]
    #expect(row.contains(#""used":20,"expired":0,"refunded":30,"left":50"#))
    #expect(row.contains(#""revenue":"1.00","deferred":"2.50","breakage":"0.00","kept":"1.50""#))
    // Also if the refund of the sale that it took from has left the debt.
    let refunded = [
      sale, line("x", "a", "adjustment", -30, at: "2026-01-01T11:00", balance: 270),
      line("refund:t1", "a", "refund", -300, at: "2026-01-01T12:00", balance: -30),
      line(
        "t2", "a", "purchase", 100, at: "2026-01-02T10:00", balance: 70,
        #""price":"5.00","currency":"USD""#),
    ]
    #expect(try grantRows(refunded)[1].contains(#""used":0,"expired":0,"refunded":30,"left":70"#))
  }

  /// Adjusted credits do not expire if a refund is undone after the grant's end.
  @Test func anUndoneRefundKeepsTheAdjustment() throws {
    let grant = line(
      "g", "a", "purchase", 300, at: "2026-01-01T10:00", balance: 300,
      #""price":"10.00","currency":"USD","priority":50,"expiresAt":"2026-02-01T00:00:00.000Z""#)
    let lines = [
      grant,
      line(
        "x", "a", "adjustment", -30, at: "2026-01-03T10:00", balance: 270,
        #""taken":[{"grant":"g","credits":30}]"#),
      line(
        "refund:g", "a", "refund", -100, at: "2026-01-04T10:00", balance: 170,
        #""taken":[{"grant":"g","credits":100}]"#),
      line("expiry:g", "a", "expiry", -170, at: "2026-02-01T00:00", balance: 0, #""grant":"g""#),
      line("reversal:g", "a", "refund", 0, at: "2026-02-02T10:00", balance: 0),
    ]
    #expect(try grantRows(lines)[0].contains(#""used":0,"expired":270,"refunded":30,"left":0"#))
  }

  private let given = [
    line(
      "g", "a", "transfer", -300, at: "2026-01-02T10:00", balance: 0, #""counterparty":"b""#),
    line(
      "g", "b", "transfer", 300, at: "2026-01-02T10:00", balance: 300, #""counterparty":"a""#),
    line("refund:t1", "a", "refund", -300, at: "2026-01-03T10:00", balance: -300),
  ]

  /// Credits that another account has are not used by the pack that settles the debt for them.
  @Test func aDebtForTransferredCreditsIsNoUse() throws {
    let pack = line(
      "t2", "a", "purchase", 400, at: "2026-01-04T10:00", balance: 100,
      #""price":"8.00","currency":"USD""#)
    let use = line("c", "b", "usage", -50, at: "2026-01-05T10:00", balance: 250)
    let paid = try grantRows([sale] + given + [pack, use])
    #expect(paid[0].contains(#""used":0,"expired":0,"refunded":300,"left":0"#))
    #expect(paid[1].contains(#""used":50,"expired":0,"refunded":0,"left":350"#))
    let undone = line("reversal:t1", "a", "refund", 300, at: "2026-01-04T10:00", balance: 0)
    let again = try grantRows([sale] + given + [undone, use])
    #expect(again[0].contains(#""used":50,"expired":0,"refunded":0,"left":250"#))
    #expect(!(paid + again).joined().contains("incomplete"))
  }

  /// A charge of transferred credits is given back after the refund of their sale.
  @Test(arguments: [true, false])
  func creditsGivenBackElsewhereAreUnused(hasOther: Bool) throws {
    let pack = line(
      "t2", "a", "purchase", 400, at: "2026-01-01T11:00", balance: 700,
      #""price":"8.00","currency":"USD""#)
    let late = line(
      "t2", "a", "purchase", 400, at: "2026-01-06T10:00", balance: 100,
      #""price":"8.00","currency":"USD""#)
    let lines = [
      line(
        "g", "a", "transfer", -300, at: "2026-01-02T10:00", balance: hasOther ? 400 : 0,
        #""counterparty":"b""#),
      given[1], line("c", "b", "usage", -50, at: "2026-01-02T11:00", balance: 250),
      line(
        "refund:t1", "a", "refund", -300, at: "2026-01-03T10:00", balance: hasOther ? 100 : -300),
      line("refund:c", "b", "refund", 50, at: "2026-01-05T10:00", balance: 300),
    ]
    let rows = try grantRows([sale] + (hasOther ? [pack] : []) + lines + (hasOther ? [] : [late]))
    #expect(rows[0].contains(#""used":0,"expired":0,"refunded":300,"left":0"#))
    #expect(rows[1].contains(#""used":0,"expired":0,"refunded":0,"left":400"#))
  }
}
