import CreditBytes
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

  @Test(arguments: [
    ("alice", 5, "alice", "alice"), ("alice", 4, "ali…", "…ice"), ("漢字漢字", 6, "漢字…", "…漢字"),
    ("漢字", 1, "…", "…"), ("ee\u{301}e", 2, "e…", "…e"), ("🙂🙂🙂", 4, "🙂…", "…🙂"),
  ])
  func textIsShortenedToColumns(text: String, width: Int, beginning: String, end: String) {
    #expect(text.shortened(to: width) == beginning)
    #expect(text.shortened(to: width, keepsEnd: true) == end)
  }

  private static let columns = [
    TableColumn("ACCOUNT", "account", rank: 1),
    TableColumn("BALANCE", "balance", as: .balance, rank: 0),
    TableColumn("PLAN", "plan", "quota.plan", rank: 4),
    TableColumn("REGISTERED", "registeredAt", as: .time, rank: 3),
    TableColumn("ID", "id", as: .id, rank: 2),
    TableColumn("KEY", "key", as: .id, rank: 5, isExtra: true),
  ]

  private func table(_ lines: String..., width: Int = 80, hasColors: Bool = false) throws -> String
  {
    let table = Table(
      Self.columns, on: Terminal(width: width, isCapable: hasColors, hasColors: hasColors))
    for line in lines { try JSONDocument(line).withRoot { table.add($0) } }
    return table.takeText()
  }

  @Test func alignsTextLeftAndNumbersRight() throws {
    #expect(
      try table(
        #"{"account":"al","balance":null,"registeredAt":"2026-02-19T10:00:59.000Z"}"#,
        #"{"account":"漢字漢字","balance":5}"#, #"{"account":"🙂","quota":{"plan":"pro"}}"#,
        #"{"account":"ひらがな\u001b[2J","balance":-1234567}"#)
          == """
          ACCOUNT          BALANCE  PLAN  REGISTERED
          al                              2026-02-19 10:00
          漢字漢字               5
          🙂                        pro
          ひらがな\u{FFFD}[2J  -1,234,567

          """)
  }

  @Test func anExtraColumnShortensNoOther() throws {
    let line = #"{"account":"ana","balance":1000,"plan":"professional","key":"call-1"}"#
    #expect(
      try table(line, width: 38) == """
        ACCOUNT  BALANCE  PLAN          KEY
        ana        1,000  professional  call-1

        """)
    #expect(
      try table(line, width: 37) == """
        ACCOUNT  BALANCE  PLAN
        ana        1,000  professional

        """)
  }

  @Test func aNarrowTerminalIsShownLess() throws {
    let line =
      #"{"account":"a.long.name@example.com","balance":1000,"#
      + #""registeredAt":"2026-02-19T10:00:00.000Z","id":"0199c0de-1111-7222-8333-444455556666"}"#
    #expect(
      try table(line, width: 80) == """
        ACCOUNT                  BALANCE  REGISTERED        ID
        a.long.name@example.com    1,000  2026-02-19 10:00  …1111-7222-8333-444455556666

        """)
    #expect(
      try table(line, width: 40) == """
        ACCOUNT                BALANCE  ID
        a.long.name@example.…    1,000  …5556666

        """)
    #expect(
      try table(line, width: 20) == """
        ACCOUNT      BALANCE
        a.long.nam…    1,000

        """)
    for width in 20...100 {
      for row in try table(line, width: width).split(separator: "\n") {
        #expect(String(row).terminalColumns <= width)
      }
    }
  }

  @Test func aColumnThatBeginsLaterHasItsOwnHeading() throws {
    let table = Table(Self.columns, on: Terminal(width: 80))
    try JSONDocument(#"{"account":"al"}"#).withRoot { table.add($0) }
    #expect(table.takeText() == "ACCOUNT\nal\n")
    try JSONDocument(#"{"account":"bo"}"#).withRoot { table.add($0) }
    #expect(table.takeText() == "bo\n")
    try JSONDocument(#"{"account":"cy","plan":"pro"}"#).withRoot { table.add($0) }
    #expect(table.takeText() == "ACCOUNT  PLAN\ncy       pro\n")
  }

  @Test func colorsTakeNoColumns() throws {
    #expect(
      try table(#"{"account":"al","balance":-5}"#, hasColors: true)
        == "\u{1b}[1mACCOUNT  BALANCE\u{1b}[m\nal            \u{1b}[31m-5\u{1b}[m\n")
  }

  /// The subject stays as long as it fits; the status goes before it.
  @Test(arguments: [
    (false, 40, "TIME TYPE FOR CREDITS"), (false, 50, "TIME TYPE FOR CREDITS STATUS"),
    (true, 40, "TIME ACCOUNT TYPE CREDITS"), (true, 48, "TIME ACCOUNT TYPE FOR CREDITS"),
  ])
  func aNarrowHistory(isOfAll: Bool, width: Int, titles: String) throws {
    let table = Table(HistoryTable.columns(isOfAll: isOfAll), on: Terminal(width: width))
    let line =
      #"{"id":"refund:1","timestamp":"2026-02-19T10:00:00.000Z","account":"me","type":"purchase","#
      + #""productName":"1,000 credits","credits":1000,"balance":988,"status":"refunded"}"#
    try JSONDocument(line).withRoot { table.add($0) }
    let heading = table.takeText().split(separator: "\n").first ?? ""
    #expect(heading.split(separator: " ").joined(separator: " ") == titles)
  }

  @Test func anEmptyTableIsEmpty() throws {
    #expect(try table() == "")
  }
}
