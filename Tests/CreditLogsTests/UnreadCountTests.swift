import CreditLogs
import Testing

/// Unknown counts of a log that may be billed are passed on with the request.
@Suite struct UnreadCountTests {
  private func unread(_ format: String, _ log: String) -> [String?] {
    requests(format, log).map { member("unread", of: $0) }
  }

  @Test func ofClaudeCode() {
    let line = """
      {"sessionId":"s","timestamp":"2026-02-19T10:00:00Z","costUSD":0.25,"message":{"id":"m",\
      "type":"message","model":"claude-sonnet-4-5","stop_reason":"end_turn","usage":{\
      "input_tokens":3,"output_tokens":5,"video_tokens":7,"max_tokens":9,"lidar_tokens":0}}}
      """
    #expect(
      requests("claude", line) == [
        """
        {"account":"me","key":"m","model":"claude-sonnet-4-5","usage":{"inputTokens":3,\
        "outputTokens":5},"reportedUSD":"0.25","unread":["video_tokens"],\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"claude","session":"s"}}
        """
      ])
  }

  @Test func ofTheOthers() {
    let codex = """
      {"type":"session_meta","payload":{"id":"s1"}}
      {"type":"turn_context","payload":{"model":"gpt-5"}}
      {"timestamp":"2026-02-19T10:00:00Z","type":"event_msg","payload":{"type":"token_count",\
      "info":{\
      "total_token_usage":{"input_tokens":8,"output_tokens":2,"total_tokens":10},\
      "last_token_usage":{"input_tokens":8,"output_tokens":2,"total_tokens":10,"video_tokens":4}}}}
      """
    #expect(unread("codex", codex) == [#"["video_tokens"]"#])
    let row = """
      {"request_id":"r","model":"m","prompt_tokens":5,"completion_tokens":1,"spend":0.5,\
      "metadata":{"additional_usage_values":{"video_tokens":4,"cached_tokens":2}}}
      """
    #expect(unread("litellm", row) == [#"["video_tokens"]"#])
    let span = """
      {"traceId":"a","spanId":"b","attributes":{"gen_ai.request.model":"m",\
      "gen_ai.usage.input_tokens":5,"gen_ai.usage.output_tokens":3,\
      "gen_ai.usage.reasoning.output_tokens":1,"gen_ai.usage.video.input_tokens":4}}
      """
    #expect(unread("otel", span) == [#"["gen_ai.usage.video.input_tokens"]"#])
    let batch = """
      {"custom_id":"a","result":{"type":"succeeded","message":{"id":"m","type":"message",\
      "model":"c","stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2,\
      "server_tool_use":{"map_requests":3}}}}}
      """
    #expect(unread("anthropic", batch) == [#"["server_tool_use.map_requests"]"#])
  }

  /// However many there are, and however long their names.
  @Test func areSome() {
    let long = String(repeating: "x", count: 5000)
    let counts = (1...5000).map { #""\#(long.prefix($0 % 300))\#($0)_tokens":1"# }
    let line = """
      {"sessionId":"s","message":{"id":"m","model":"c","usage":{"input_tokens":3,\
      "output_tokens":5,"\(long)_tokens":7,\(counts.joined(separator: ","))}}}
      """
    let found = requests("claude", line)
    #expect(found.count == 1 && found[0].utf8.count < 6000)
    #expect(found.allSatisfy { $0.hasSuffix(#","tags":{"source":"claude","session":"s"}}"#) })
  }
}
