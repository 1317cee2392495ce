import Testing

/// Totals at the ends of Copilot's sessions, and messages without an end.
@Suite struct CopilotSumsTests {
  private func shutdown(_ id: String, _ input: Int, _ output: Int) -> String {
    """
    {"type":"session.shutdown","id":"\(id)","timestamp":"2026-09-19T10:00:00.000Z","data":{\
    "modelMetrics":{"gpt-5":{"usage":{"inputTokens":\(input),"outputTokens":\(output)}}}}}
    """
  }

  private func message(_ id: String, _ output: Int) -> String {
    """
    {"type":"assistant.message","id":"e\(id)","timestamp":"2026-09-19T10:00:00.000Z","data":{\
    "messageId":"\(id)","model":"gpt-5","outputTokens":\(output)}}
    """
  }

  private func copilot(_ lines: String...) -> (calls: [String], left: [String: Int]) {
    let path = "/h/session-state/s1/events.jsonl"
    let (log, tally) = read("copilot", [(path, lines.joined(separator: "\n"))])
    let calls = log.requests.map { request in
      ["key", "usage.inputTokens", "usage.outputTokens"].map { member($0, of: request) ?? "-" }
        .joined(separator: " ")
    }
    return (calls, tally.counts)
  }

  private let resume = #"{"type":"session.resume","id":"x","data":{}}"#

  @Test func copilotsTotalsGoOnOrBeginAgain() {
    #expect(
      copilot(
        message("m1", 20), shutdown("a", 100, 20), resume, message("m2", 5), shutdown("b", 300, 25)
      )
      .calls == ["a:gpt-5 100 20", "b:gpt-5 200 5"])
    #expect(
      copilot(
        message("m1", 20), shutdown("a", 100, 20), resume, message("m2", 25), shutdown("b", 300, 25)
      )
      .calls == ["a:gpt-5 100 20", "b:gpt-5 300 25"])
    // Without messages each is taken for its own.
    #expect(
      copilot(shutdown("a", 100, 20), shutdown("b", 300, 25)).calls == [
        "a:gpt-5 100 20", "b:gpt-5 300 25",
      ])
  }

  @Test func copilotsMessagesCountWithoutAnEnd() {
    let left = "its counts are not final; --partial prints it anyway"
    let begun = copilot(message("m1", 20))
    #expect(begun.calls == [] && begun.left == [left: 1])
    let resumed = copilot(message("m1", 20), resume, message("m2", 30))
    #expect(resumed.calls == ["s1:m1 0 20"] && resumed.left == [left: 1])
    let ended = copilot(message("m1", 20), resume, message("m2", 30), shutdown("a", 100, 30))
    #expect(ended.calls == ["s1:m1 0 20", "a:gpt-5 100 30"] && ended.left == [:])
  }
}
