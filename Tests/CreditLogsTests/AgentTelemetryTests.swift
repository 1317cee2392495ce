import CreditLogs
import TestSupport
import Testing

/// The telemetry of coding agents, as a collector's file exporter writes it.
@Suite struct AgentTelemetryTests {
  private func attribute(_ name: String, _ value: String) -> String {
    #"{"key":"\#(name)","value":{"stringValue":"\#(value)"}}"#
  }

  private func number(_ name: String, _ value: Int) -> String {
    #"{"key":"\#(name)","value":{"intValue":"\#(value)"}}"#
  }

  private func event(_ body: String, _ attributes: [String]) -> String {
    """
    {"timeUnixNano":"1771495200000000000","body":{"stringValue":"\(body)"},\
    "attributes":[\(attributes.joined(separator: ","))]}
    """
  }

  private func export(_ service: String, _ records: String...) -> String {
    """
    {"resourceLogs":[{"resource":{"attributes":[\(attribute("service.name", service))]},\
    "scopeLogs":[{"scope":{"name":"x"},"logRecords":[\(records.joined(separator: ","))]}]}]}
    """
  }

  // MARK: Claude Code

  private func request(_ more: String...) -> String {
    event(
      "claude_code.api_request",
      [
        attribute("event.name", "api_request"), attribute("session.id", "s1"),
        attribute("event.timestamp", "2026-02-19T10:00:00.000Z"),
        attribute("model", "claude-sonnet-4-5"), attribute("cost_usd", "0.0125"),
        attribute("duration_ms", "900"), attribute("input_tokens", "10"),
        attribute("output_tokens", "20"), attribute("cache_read_tokens", "300"),
        attribute("cache_creation_tokens", "40"), attribute("user.email", "ana@example.com"),
      ] + more)
  }

  @Test func claudeCodesRequestsAreCalls() {
    let line = export("claude-code", request(attribute("request_id", "req_1")))
    #expect(
      requests("otel", line, line) == [
        """
        {"account":"me","key":"req_1","model":"claude-sonnet-4-5","usage":{"inputTokens":10,\
        "outputTokens":20,"cacheReadTokens":300,"cacheWriteTokens":40},"reportedUSD":"0.0125",\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"otel","project":"claude-code",\
        "session":"s1"}}
        """
      ])
    #expect(
      requests("otel", line, selection: .from("user.email")).map { member("account", of: $0) }
        == ["ana@example.com"])
  }

  @Test func requestsWithoutAnIdAreKeyedByTheirPlaceInTheSession() {
    let lines = [1, 2, 1].map { export("claude-code", request(number("event.sequence", $0))) }
    #expect(
      read("otel", [(nil, lines.joined(separator: "\n"))]).log.requests
        .map { member("key", of: $0) }
        == ["s1:2026-02-19T10:00:00.000Z:1", "s1:2026-02-19T10:00:00.000Z:2"])
  }

  @Test func fastRequestsHaveTheirSpeed() {
    let line = export("claude-code", request(attribute("speed", "fast")))
    #expect(requests("otel", line).first?.contains(#""speed":"fast""#) == true)
    let normal = export("claude-code", request(attribute("speed", "normal")))
    #expect(requests("otel", normal).first?.contains("speed") == false)
  }

  @Test func anotherProgramsEventOfThatNameIsNoCall() {
    let other = event(
      "request", [attribute("event.name", "api_request"), attribute("input_tokens", "10")])
    #expect(requests("otel", export("shop", other)).isEmpty)
  }

  // MARK: Codex

  private func completed(_ more: String...) -> String {
    event(
      "",
      [
        attribute("event.name", "codex.sse_event"), attribute("event.kind", "response.completed"),
        attribute("event.timestamp", "2026-02-19T10:00:00.000Z"),
        attribute("conversation.id", "c1"), attribute("model", "gpt-5.1"),
      ] + more)
  }

  @Test func codexsCompletedResponsesAreCalls() {
    let counts = [
      attribute("input_token_count", "100"), attribute("output_token_count", "10"),
      number("cached_token_count", 40), number("cache_write_token_count", 20),
      number("reasoning_token_count", 5), attribute("tool_token_count", "110"),
      attribute("service_tier", "fast"),
    ]
    let line = export(
      "codex_cli_rs", completed(counts.joined(separator: ",")), completed(),
      event("", [attribute("event.name", "codex.sse_event"), attribute("event.kind", "delta")]))
    #expect(
      requests("otel", line) == [
        """
        {"account":"me","key":"c1:2026-02-19T10:00:00.000Z:110","model":"gpt-5.1",\
        "usage":{"inputTokens":40,"outputTokens":10,"cacheReadTokens":40,"cacheWriteTokens":20,\
        "serviceTier":"priority"},"usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"otel",\
        "project":"codex_cli_rs","session":"c1"}}
        """
      ])
  }

  @Test func codexsSpansRepeatItsEvents() {
    let span = """
      {"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"spans":[{"traceId":"5b8e",\
      "spanId":"a","name":"handle_responses","startTimeUnixNano":"1771495200000000000",\
      "attributes":[\(number("gen_ai.usage.input_tokens", 100)),\
      \(number("gen_ai.usage.output_tokens", 10)),\(number("codex.usage.total_tokens", 110))]}]}]}]}
      """
    let (log, tally) = read("otel", [(nil, span)], .me.with { $0.model = "gpt-5.1" })
    #expect(log.requests.isEmpty)
    #expect(tally.lines.map(\.count) == [1])
  }

  // MARK: Gemini CLI

  @Test func geminiClisResponsesCountOnceWithAllTheirCounts() {
    let response = event(
      "API response from gemini-2.5-pro. Status: 200. Duration: 900ms.",
      [
        attribute("event.name", "gemini_cli.api_response"), attribute("session.id", "s1"),
        attribute("event.timestamp", "2026-02-19T10:00:00.000Z"),
        attribute("model", "gemini-2.5-pro"), number("duration_ms", 900),
        number("input_token_count", 1000), number("output_token_count", 40),
        number("cached_content_token_count", 900), number("thoughts_token_count", 60),
        number("tool_token_count", 5), number("total_token_count", 1105),
      ])
    let details = event(
      "GenAI operation details from gemini-2.5-pro.",
      [
        attribute("event.name", "gen_ai.client.inference.operation.details"),
        attribute("gen_ai.response.id", "r1"), attribute("gen_ai.request.model", "gemini-2.5-pro"),
        number("gen_ai.usage.input_tokens", 1000), number("gen_ai.usage.output_tokens", 40),
      ])
    let (log, tally) = read("otel", [(nil, export("gemini-cli", response, details))])
    #expect(
      log.requests == [
        """
        {"account":"me","key":"s1:2026-02-19T10:00:00.000Z:900","model":"gemini-2.5-pro",\
        "usage":{"inputTokens":105,"outputTokens":100,"cacheReadTokens":900},\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"otel","project":"gemini-cli",\
        "session":"s1"}}
        """
      ])
    #expect(tally.lines.map(\.count) == [1])
    // Another program's record of these conventions is a call.
    #expect(requests("otel", export("shop", details)).map { member("key", of: $0) } == ["r1"])
  }

  // MARK: Metrics

  @Test func sumsOfTokensAreSaidNotToBeBilled() {
    let metrics = """
      {"resourceMetrics":[{"resource":{"attributes":[]},"scopeMetrics":[{"metrics":[{"name":\
      "claude_code.token.usage","sum":{"dataPoints":[{"asInt":"10"}]}}]}]}]}
      """
    let other = #"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"cpu"}]}]}]}"#
    let (log, tally) = read("otel", [(nil, metrics + "\n" + other)])
    #expect(log.requests.isEmpty && log.misfits.isEmpty)
    #expect(tally.lines.map(\.count) == [1])
  }
}
