import CreditModel
import Testing

@testable import CreditFinance

@Suite struct LedgerJournalTests {
  private let lines = [
    line(
      "t:1", "ana; x", "purchase", 1000, at: "2026-01-01T10:00",
      #""productID":"com.pack","price":"9.99","currency":"USD""#),
    line("2", "ana; x", "usage", -5, at: "2026-01-02T10:00", #""model":"gpt-4o""#),
    line("3", "ana; x", "usage", 0, at: "2026-01-02T10:00"),
    line("4", "ana; x", "purchase", 9, at: "2026-01-02T10:00", status: "pending"),
  ]

  @Test func hledger() throws {
    // The lines before these are missing, which the end says.
    #expect(
      try printed(LedgerJournal(.hledger, in: period()), lines).hasPrefix(
        """
        2026-01-01 * purchase  ; id: t:1
            assets:credits:ana%3B x  1000 CREDIT
            equity:purchase:com.pack  -1000 CREDIT
            assets:receipts  9.99 USD
            income:sales:com.pack  -9.99 USD

        2026-01-02 * usage  ; id: 2
            assets:credits:ana%3B x  -5 CREDIT
            equity:usage:gpt-4o  5 CREDIT

        ; incomplete: lines of "ana; x"
        """))
  }

  @Test func beancountHasItsOwnNames() throws {
    let journal = try printed(LedgerJournal(.beancount, in: period()), lines)
    #expect(journal.contains("1900-01-01 open Assets:Credits:N-ana-3B-20x\n"))
    #expect(journal.contains("2026-01-01 * \"purchase\" \"com.pack\"\n  id: \"t:1\"\n"))
    #expect(
      journal.split(separator: "\n").count { $0.hasSuffix("open Assets:Credits:N-ana-3B-20x") } == 1
    )
  }

  @Test(arguments: [
    ("a:b", "a%3Ab"), ("a  b", "a %20b"), (" a", "%20a"), ("(a)", "%28a%29"), ("100%", "100%25"),
    ("Zoë", "Zoë"), ("\u{202E}x", "%E2%80%AEx"), ("a@b.c", "a@b.c"), ("a\u{1}", "a%01"),
  ])
  func names(name: String, escaped: String) {
    #expect(JournalDialect.ledger.account("x", name) == "x:" + escaped)
  }

  // MARK: Deferred sales

  private let year = [
    line(
      "p", "ana", "purchase", 300, at: "2026-01-10T10:00", balance: 300,
      #""productID":"pack","price":"10.00","currency":"USD""#),
    line("u", "ana", "usage", -100, at: "2026-01-12T10:00", balance: 200, #""model":"m""#),
    line("v", "ana", "usage", -50, at: "2026-01-12T11:00", balance: 150, #""model":"m""#),
    line(
      "refund:p", "ana", "refund", -150, at: "2026-02-13T10:00",
      #""productID":"pack","price":"4.00","currency":"USD""#),
    line(
      "s", "ben", "subscription", 0, at: "2026-01-17T00:00",
      #""productID":"pro","price":"31.00","currency":"USD","until":"2026-02-17T00:00:00.000Z""#),
    line("x", "cleo", "bonus", 1, at: "2026-03-02T00:00", balance: 1),
  ]

  private func deferred(_ dialect: JournalDialect, in period: ReportPeriod) throws -> String {
    try printed(LedgerJournal(dialect, in: period, defersSales: true), year)
  }

  @Test func salesAreALiabilityUntilTheyAreEarned() throws {
    let journal = try deferred(.hledger, in: period())
    let (paid, owed) = ("    assets:receipts  ", "    liabilities:deferred:pack  ")
    #expect(journal.contains("\(paid)10.00 USD\n\(owed)-10.00 USD"))
    #expect(journal.contains("\(paid)-4.00 USD\n\(owed)4.00 USD"))
    let earned = try #require(journal.firstRange(of: "2026-01-12 * earned")).lowerBound
    #expect(
      journal[earned...] == """
        2026-01-12 * earned
            liabilities:deferred:pack  5.00 USD
            income:sales:pack  -5.00 USD

        2026-01-31 * earned
            liabilities:deferred:pro  15.00 USD
            income:sales:pro  -15.00 USD

        2026-02-13 * kept
            liabilities:deferred:pack  1.00 USD
            income:refunds:pack  -1.00 USD

        2026-02-28 * earned
            liabilities:deferred:pro  16.00 USD
            income:sales:pro  -16.00 USD


        """)
  }

  /// Rows of money for an accountant's program, with debits and credits apart.
  @Test func asRowsItHasTheMoney() throws {
    let rows = try deferred(.csv, in: period(until: "2026-02-14")).split(separator: "\r\n")
    #expect(
      rows == [
        "date,entry,account,debit,credit,currency,memo,id",
        "2026-01-10,1,assets:receipts,10.00,,USD,purchase: pack,p",
        "2026-01-10,1,liabilities:deferred:pack,,10.00,USD,purchase: pack,p",
        "2026-02-13,2,assets:receipts,,4.00,USD,refund: pack,refund:p",
        "2026-02-13,2,liabilities:deferred:pack,4.00,,USD,refund: pack,refund:p",
        "2026-01-17,3,assets:receipts,31.00,,USD,subscription: pro,s",
        "2026-01-17,3,liabilities:deferred:pro,,31.00,USD,subscription: pro,s",
        "2026-01-12,4,liabilities:deferred:pack,5.00,,USD,earned: pack,earned:2026-01-12:USD:pack",
        "2026-01-12,4,income:sales:pack,,5.00,USD,earned: pack,earned:2026-01-12:USD:pack",
        "2026-01-31,5,liabilities:deferred:pro,15.00,,USD,earned: pro,earned:2026-01-31:USD:pro",
        "2026-01-31,5,income:sales:pro,,15.00,USD,earned: pro,earned:2026-01-31:USD:pro",
        "2026-02-13,6,liabilities:deferred:pack,1.00,,USD,kept: pack,earned:2026-02-13:USD:pack",
        "2026-02-13,6,income:refunds:pack,,1.00,USD,kept: pack,earned:2026-02-13:USD:pack",
        "2026-02-13,7,liabilities:deferred:pro,13.00,,USD,earned: pro,earned:2026-02-13:USD:pro",
        "2026-02-13,7,income:sales:pro,,13.00,USD,earned: pro,earned:2026-02-13:USD:pro",
      ])
  }

  @Test func aPeriodHasItsOwnEntries() throws {
    let february = try deferred(.ledger, in: period(since: "2026-02-01", until: "2026-02-11"))
    #expect(
      february == """
        2026-02-10 * earned
            liabilities:deferred:pro  10.00 USD
            income:sales:pro  -10.00 USD


        """)
    let beancount = try deferred(.beancount, in: period())
    #expect(beancount.contains("1900-01-01 open Liabilities:Deferred:N-pro\n"))
    #expect(beancount.contains("2026-01-31 * \"earned\" \"pro\"\n    Liabilities:"))
  }

  @Test func aDisputeIsToldFromARefund() throws {
    func refund(_ id: String, _ reason: String, _ price: String, _ more: String = "") -> String {
      line(
        "refund:\(id)", "a", "refund", 0, at: "2026-01-05T00:00", balance: 0,
        #""reason":"\#(reason)","price":"\#(price)","currency":"USD"\#(more)"#)
    }
    let lines = [
      refund("t1", "too slow", "2.00"),
      refund("t2", "charge.dispute.created", "9.00", #","event":{"id":"e"}"#),
    ]
    for reason in ["so that no chargeback comes", "charge.dispute.created"] {
      let other = try printed(LedgerJournal(.ledger, in: period()), [refund("t4", reason, "1.00")])
      #expect(!other.contains("disputed"))
    }
    let text = try printed(LedgerJournal(.hledger, in: period()), lines)
    let byHand = [refund("t3", "chargeback", "1.00")]
    #expect(try printed(LedgerJournal(.ledger, in: period()), byHand).contains("note: disputed"))
    #expect(text.contains("* refund  ; id: refund:t1\n"))
    #expect(text.contains("* refund  ; id: refund:t2, note: disputed\n"))
    #expect(
      try printed(LedgerJournal(.beancount, in: period()), lines).contains(#"note: "disputed""#))
    let rows = try printed(LedgerJournal(.csv, in: period(), defersSales: true), lines)
    #expect(rows.contains(",refund: too slow,refund:t1"))
    #expect(rows.contains(",refund: charge.dispute.created; disputed,refund:t2"))
  }

  @Test func aBalanceBeforeTheEndIsSaid() throws {
    func remarks(_ now: String) throws -> [String] {
      let journal = LedgerJournal(
        .ledger, in: period(until: "2026-02-01"), now: try #require(Timestamp(dateText: now)))
      _ = try printed(journal, [line("b", "a", "bonus", 5, at: "2026-01-05T00:00", balance: 5)])
      return journal.remarks
    }
    let said =
      "balances so far: the report ends at 2026-01-31T00:00:00.000Z, "
      + "not at 2026-02-01T00:00:00.000Z"
    #expect(try remarks("2026-01-31") == [said])
    #expect(try remarks("2026-02-01") == [])
  }
}
