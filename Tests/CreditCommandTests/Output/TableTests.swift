import CreditJSON
import Testing

@testable import CreditCommand

@Suite struct TableTests {
  @Test(arguments: [
    ("", 0), ("alice", 5), ("étienne", 7), ("e\u{301}tienne", 7), ("Ζωή", 3), ("漢字", 4),
    ("ひらがな", 8), ("か\u{3099}", 2), ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("ﾊﾝｶｸ", 4),
    ("ＡＢ", 4), ("𠮷", 2), ("🙂", 2), ("✅", 2), ("☎", 1), ("🇯🇵", 2), ("…", 1), ("\u{FFFD}", 1),
  ])
  func columnsOfATerminal(text: String, columns: Int) {
    #expect(text.terminalColumns == columns)
  }

  private func table(_ columns: [StaticString], _ lines: String...) throws -> String {
    var table = Table(columns: columns)
    for line in lines { try JSONDocument(line).withRoot { table.add($0) } }
    return table.takeText()
  }

  @Test func alignsTextLeftAndNumbersRight() throws {
    #expect(
      try table(
        ["account", "balance", "registeredAt"],
        #"{"account":"al","balance":null,"registeredAt":"now"}"#,
        #"{"account":"漢字漢字","balance":5}"#, #"{"account":"ひらがな\u001b[2J","balance":-1234567}"#)
          == """
          ACCOUNT        BALANCE  REGISTERED AT
          al                      now
          漢字漢字             5
          ひらがな\u{FFFD}[2J  -1234567

          """)
  }

  @Test func ofNothingIsNothing() throws {
    #expect(try table(["account"]) == "")
  }
}
