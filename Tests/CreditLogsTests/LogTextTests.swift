import CreditLogs
import Testing

@Suite struct LogTextTests {
  /// In pieces of any size.
  @Test(arguments: [1, 2, 7, 64, 1 << 16])
  func readsLinesValuesAndLists(piece: Int) {
    let texts = [
      row("a") + "\n" + row("b") + "\r\n\n  " + row("c"),
      "[\n" + row("a") + ",\n" + row("b") + ",\n" + row("c") + "\n]\n",
      "[" + row("a") + "," + row("b") + "," + row("c") + "]",
      "\u{feff}" + row("a") + "\n[" + row("b") + "," + row("c") + "]\n",
      "{\n  \"request_id\":\"a\",\"model\":\"m\",\"prompt_tokens\":1,\"completion_tokens\":2\n}\n"
        + row("b") + row("c"),
      #"{"request_id":"a","model":"m","# + "\n \"prompt_tokens\":1,\"completion_tokens\":2}\n"
        + row("b") + "\n" + row("c"),
    ]
    for text in texts {
      let (log, tally) = read("litellm", [(nil, text)], piece: piece)
      #expect(keys(log.requests) == ["a", "b", "c"])
      #expect(tally.lines.isEmpty)
    }
  }

  /// A line that was cut takes no other with it, wherever it was cut.
  @Test func losesOnlyTheDamagedLine() {
    for length in 1..<row("b").utf8.count {
      let cut = String(row("b").prefix(length))
      let (log, tally) = read(
        "litellm", [("f", [row("a"), cut, row("c")].joined(separator: "\n"))])
      #expect(keys(log.requests) == ["a", "c"])
      #expect(tally.lines.map(\.count) == [1])
      #expect(tally.lines.first?.first == "f:2")
    }
  }

  @Test func losesOnlyADamagedFirstLine() {
    for length in 1..<row("b").utf8.count {
      let cut = String(row("b").prefix(length))
      let (log, _) = read("litellm", [("f", [cut, row("a"), row("c")].joined(separator: "\n"))])
      #expect(keys(log.requests) == ["a", "c"])
    }
  }

  @Test func countsDamageByReason() {
    let lines = ["nonsense", row("a"), "{\"x\":", "{\"x\":", "[1]", #"{"request_id":"z"} x"#]
    let (log, tally) = read("litellm", [("f", "{}\n" + lines.joined(separator: "\n"))])
    #expect(keys(log.requests) == ["a"])
    #expect(
      tally.counts == [
        "it has no id to make a key of": 1, "a JSON value is expected here": 1,
        "the text ends inside a value": 2, "it is not a JSON object": 1,
        "text follows the value": 1,
      ])
    #expect(log.problems.count == 6)
  }

  /// Also in irrelevant lines.
  @Test func noticesThatALineOfATranscriptWasCut() {
    let text = "{\"type\":\"user\"}\n{\"type\":\"us\n\0\0\0\nhello\n{\"type\":\"user\"}"
    #expect(read("claude", [("f", text)]).tally.lines.map(\.count).reduce(0, +) == 3)
  }

  @Test func passesOverALineThatIsTooLong() {
    let long = #"{"x":""# + String(repeating: "y", count: 17 << 20) + "\"}"
    let (log, tally) = read(
      "litellm", [("f", row("a") + "\n" + long + "\n" + row("b"))], piece: 1 << 20)
    #expect(keys(log.requests) == ["a", "b"])
    #expect(tally.counts == ["the line is longer than 16 MiB": 1])
    #expect(tally.lines.first?.first == "f:2")
  }

  @Test(arguments: [1, 3, 1000])
  func readsTables(piece: Int) {
    let text = """
      \u{feff}request_id,model,prompt_tokens,completion_tokens,spend,metadata\r
      a,m,10,20,0.5,"{""status"": ""success"", ""x"": ""1,2""}"\r
      b,"m",1,2,,"two
      lines"
      c,m,1

      "d",m,3,4,1e-3,{}
      """
    let (log, tally) = read("litellm", [("f.csv", text)], piece: piece)
    #expect(keys(log.requests) == ["a", "b", "d"])
    #expect(log.requests.map { member("reportedUSD", of: $0) } == ["0.5", nil, "1e-3"])
    #expect(tally.counts == ["the row has fewer or more columns than the first one": 1])
    #expect(tally.lines.first?.first == "f.csv:5")
  }
}
