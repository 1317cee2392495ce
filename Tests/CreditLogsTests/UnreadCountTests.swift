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

  /// Agents' own names have no form that other numbers could be known by.
  @Test func ofAgents() {
    let pi = """
      {"type":"message","id":"a","message":{"role":"assistant","model":"x","timestamp":1,\
      "usage":{"input":1,"reasoning":1,"totalTokens":5,"audio":4,"none":0,"cost":{"total":1}}}}
      """
    #expect(unread("pi", pi) == [#"["audio"]"#])
    let amp = """
      {"id":"T","messages":[{"role":"assistant","messageId":1,"usage":{"model":"x",\
      "inputTokens":1,"credits":2,"maxInputTokens":9,"audioTokens":4}}]}
      """
    #expect(unread("amp", amp) == [#"["audioTokens"]"#])
    let droid = #"{"model":"x","tokenUsage":{"inputTokens":1,"factoryCredits":7,"audioTokens":4}}"#
    let session = read("droid", [("s.settings.json", droid)]).log.requests
    #expect(session.map { member("unread", of: $0) } == [#"["audioTokens"]"#])
    let gemini = """
      {"id":"n","type":"gemini","model":"g","tokens":{"input":1,"total":5,"audioTokenCount":4}}
      """
    #expect(unread("gemini", gemini) == [#"["audioTokenCount"]"#])
  }

  /// An image that is drawn as text is the work of another model.
  @Test func ofImagesAsText() {
    let line = """
      {"id":"b","custom_id":"i","response":{"status_code":200,"body":{"created":1771495200,\
      "model":"gpt-image-2","data":[{"b64_json":"x"}],"usage":{"input_tokens":10,\
      "input_tokens_details":{"image_tokens":0,"text_tokens":10},"output_tokens":100,\
      "total_tokens":110},"svg_usage":{"input_tokens":5,"model":"gpt-5.5","output_tokens":7,\
      "reasoning_tokens":3,"total_tokens":12}}}}
      """
    #expect(unread("openai", line) == [#"["svg_usage.input_tokens","svg_usage.output_tokens"]"#])
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
