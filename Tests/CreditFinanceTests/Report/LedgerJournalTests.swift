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
    #expect(
      try printed(LedgerJournal(.hledger, in: period()), lines) == """
        2026-01-01 * purchase  ; id: t:1
            assets:credits:ana%3B x  1000 CREDIT
            equity:purchase:com.pack  -1000 CREDIT
            assets:receipts  9.99 USD
            income:sales:com.pack  -9.99 USD

        2026-01-02 * usage  ; id: 2
            assets:credits:ana%3B x  -5 CREDIT
            equity:usage:gpt-4o  5 CREDIT


        """)
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
}
