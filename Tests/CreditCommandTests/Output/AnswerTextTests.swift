import CreditBytes
import Testing

@testable import CreditCommand

@Suite struct AnswerTextTests {
  private func answer(_ text: String, on terminal: Terminal = Terminal(width: 80)) throws -> String
  {
    try JSONDocument(text).withRoot { AnswerText.text(of: $0, on: terminal) }
  }

  @Test func aMemberStandsOnALine() throws {
    #expect(
      try answer(
        #"{"authorization":{"id":"a1","timestamp":"2026-02-19T10:00:05.123Z"},"#
          + #""creditsCharged":1234,"newBalance":-5,"exempt":false,"#
          + #""costUSD":"0.5","note":"\u001b[2J","tags":{}}"#
      ) == """
        authorization
          id             a1
          timestamp      2026-02-19 10:00:05 UTC
        credits charged  1,234
        new balance      -5
        exempt           no
        cost USD         0.5
        note             \u{FFFD}[2J
        tags             none

        """)
  }

  @Test func listsAreTables() throws {
    #expect(
      try answer(
        #"{"account":"al","buckets":[{"kind":"quota","credits":50,"#
          + #""expiresAt":"2026-03-01T00:00:00.000Z"},{"kind":"purchased","credits":-1000}],"#
          + #""crossed":[500,100],"none":[]}"#) == """
          account  al
          buckets
            KIND       CREDITS  EXPIRES AT
            quota           50  2026-03-01 00:00
            purchased   -1,000
          crossed  500, 100
          none     none

          """)
  }

  @Test func aSentenceOnTheTerminalIsNotRepeated() throws {
    let error = #"{"error":{"code":"rate_limited","message":"too many","retryAfter":3}}"#
    #expect(
      try answer(error, on: Terminal(width: 80, showsMessages: true))
        == "error\n  code         rate_limited\n  retry after  3\n")
    #expect(try answer(error).contains("too many"))
  }

  @Test(
    arguments: [
      ([1, 2, 3, 4, 5, 6, 7, 8], 60, "▁▂▃▄▅▆▇█"), ([.min, 0, .max], 60, "▁▄█"),
      ([1, 9, 1, 9], 2, "██"), ([9, 1, 5, 9], 2, "▁█"), ([5, 5], 60, nil), ([], 60, nil),
      ([1, 2], 0, nil),
    ] as [([Int64], Int, String?)])
  func barsOfNumbers(numbers: [Int64], width: Int, bars: String?) {
    #expect(Sparkline.text(of: numbers, width: width) == bars)
  }

  @Test(
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (-999, "-999"), (-1000, "-1,000"),
      (-123_456, "-123,456"), (.max, "9,223,372,036,854,775,807"),
    ] as [(Int64, String)])
  func thousandsAreParted(number: Int64, text: String) {
    #expect(number.grouped == text)
  }
}
