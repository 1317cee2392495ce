import Testing

/// Records of usage beside the events, tiers of service, and counters that meet.
@Suite struct CodexRecordTests {
  private let meta = """
    {"timestamp":"2026-09-19T10:00:00.000Z","type":"session_meta","payload":{"id":"s1",\
    "timestamp":"2026-09-19T10:00:00.000Z","cwd":"/app"}}
    """

  private func turn(_ tier: String? = nil) -> String {
    let tier = tier.map { ",\"service_tier\":\"\($0)\"" } ?? ""
    return """
      {"timestamp":"2026-09-19T10:00:01.000Z","type":"turn_context",\
      "payload":{"model":"gpt-5.6-sol"\(tier)}}
      """
  }

  private func counts(_ input: Int, _ output: Int) -> String {
    """
    {"input_tokens":\(input),"cached_input_tokens":0,"output_tokens":\(output),\
    "reasoning_output_tokens":0,"total_tokens":\(input + output)}
    """
  }

  /// - Parameters:
  ///   - total: input and output of the whole session.
  private func event(
    _ input: Int, _ output: Int, total: (Int, Int), tier: String? = nil, second: Int = 10
  ) -> String {
    let tier = tier.map { ",\"service_tier\":\"\($0)\"" } ?? ""
    return """
      {"timestamp":"2026-09-19T10:00:\(second).000Z","type":"event_msg","payload":{\
      "type":"token_count","info":{"total_token_usage":\(counts(total.0, total.1)),\
      "last_token_usage":\(counts(input, output))}\(tier)}}
      """
  }

  private func record(
    _ input: Int, _ output: Int, _ response: String, tier: String? = nil, thread: String = "s1"
  ) -> String {
    let tier = tier.map { ",\"service_tier\":\"\($0)\"" } ?? ""
    return """
      {"timestamp":"2026-09-19T10:00:09.000Z","type":"token_usage_record","payload":{\
      "thread_id":"\(thread)","turn_id":"t","response_id":"\(response)",\
      "usage":\(counts(input, output))\(tier)}}
      """
  }

  private func calls(_ lines: String...) -> [String] {
    requests("codex", ([meta] + lines).joined(separator: "\n")).map { request in
      ["key", "usage.inputTokens", "usage.outputTokens", "usage.serviceTier"].map {
        member($0, of: request) ?? "-"
      }.joined(separator: " ")
    }
  }

  @Test func theTierIsTheCalls() {
    #expect(
      calls(
        turn(), event(100, 10, total: (100, 10), tier: "priority"),
        event(100, 20, total: (200, 30), tier: "default"),
        event(100, 30, total: (300, 60))) == [
          "s1:110 100 10 priority", "s1:230 100 20 -", "s1:360 100 30 -",
        ])
  }

  /// OpenAI calls `priority` also `fast`.
  @Test func theTurnsTierIsThatOfItsCalls() {
    #expect(
      calls(
        turn("fast"), event(100, 10, total: (100, 10)),
        event(100, 20, total: (200, 30), tier: "flex"), turn(),
        event(100, 30, total: (300, 60))) == [
          "s1:110 100 10 priority", "s1:230 100 20 flex", "s1:360 100 30 -",
        ])
  }

  @Test func aRecordIsItsEventsCall() {
    let expected = ["s1:110 100 10 priority", "s1:230 100 20 -"]
    #expect(
      calls(
        turn(), record(100, 10, "r1", tier: "priority"), event(100, 10, total: (100, 10)),
        record(100, 20, "r2"), event(100, 20, total: (200, 30))) == expected)
    #expect(
      calls(
        turn(), event(100, 10, total: (100, 10)), record(100, 10, "r1", tier: "priority"),
        event(100, 20, total: (200, 30)), record(100, 20, "r2")) == expected)
  }

  @Test func aCompactionHasARecordAlone() {
    #expect(
      calls(
        turn(), event(100, 10, total: (100, 10)), record(100, 10, "r1"), record(900, 50, "r2"),
        record(100, 20, "r3"), event(100, 20, total: (200, 30))) == [
          "s1:110 100 10 -", "s1:230 100 20 -", "r2 900 50 -",
        ])
  }

  @Test func aLogMayHaveRecordsAlone() {
    #expect(
      calls(turn("priority"), record(100, 10, "r1"), record(200, 20, "r2"), record(200, 20, "r2"))
        == ["r1 100 10 priority", "r2 200 20 priority"])
    // A fork begins with those of another session.
    #expect(calls(turn(), record(100, 10, "r1", thread: "s0")).count <= 1)
  }

  /// Two agents whose totals are the same at some point.
  @Test func countersThatMeetAreTwo() {
    #expect(
      calls(
        turn(), event(400, 0, total: (400, 0)), event(500, 0, total: (900, 0), second: 20),
        event(900, 0, total: (900, 0), second: 30), event(900, 0, total: (900, 0), second: 31),
        event(800, 0, total: (1700, 0), second: 40)) == [
          "s1:400 400 0 -", "s1:900 500 0 -", "s1:900:2 900 0 -", "s1:1700 800 0 -",
        ])
  }

  @Test func countersInStepAreTwo() {
    #expect(
      calls(
        turn(), event(400, 0, total: (400, 0)), event(100, 0, total: (500, 0), second: 11),
        event(400, 1, total: (400, 1), second: 12), event(100, -0, total: (500, 1), second: 13))
        == ["s1:400 400 0 -", "s1:500 100 0 -", "s1:401 400 1 -", "s1:501 100 0 -"])
  }
}
