import CreditLogs
import Testing

@Suite struct OpenTelemetryLogTests {
  /// An attribute as OTLP's JSON has it, which writes whole numbers as text.
  private func attribute(_ name: String, _ value: String) -> String {
    let type = value.allSatisfy(\.isNumber) ? "intValue" : "stringValue"
    return #"{"key":"\#(name)","value":{"\#(type)":"\#(value)"}}"#
  }

  private func span(_ id: String, _ attributes: [(String, String)]) -> String {
    """
    {"traceId":"5b8e","spanId":"\(id)","name":"chat gpt-4o","kind":3,\
    "startTimeUnixNano":"1771495200000000000","endTimeUnixNano":"1771495201000000000",\
    "attributes":[\(attributes.map(attribute).joined(separator: ","))],"status":{}}
    """
  }

  private func export(_ spans: String...) -> String {
    """
    {"resourceSpans":[{"resource":{"attributes":[\(attribute("service.name", "shop"))]},\
    "scopeSpans":[{"scope":{"name":"x"},"spans":[\(spans.joined(separator: ","))]}]}]}
    """
  }

  private let chat = [
    ("gen_ai.operation.name", "chat"), ("gen_ai.request.model", "gpt-4o"),
    ("gen_ai.response.model", "gpt-4o-2024-08-06"), ("gen_ai.response.id", "chatcmpl-1"),
    ("gen_ai.conversation.id", "conv"), ("gen_ai.usage.input_tokens", "1000"),
    ("gen_ai.usage.output_tokens", "50"), ("gen_ai.usage.cache_read.input_tokens", "600"),
    ("gen_ai.usage.cache_creation.input_tokens", "100"),
  ]

  @Test func makesARequestOfASpan() {
    #expect(
      requests("otel", export(span("a", chat))) == [
        """
        {"account":"me","key":"chatcmpl-1","model":"gpt-4o-2024-08-06","usage":{"inputTokens":300,\
        "outputTokens":50,"cacheReadTokens":600,"cacheWriteTokens":100},\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"otel","project":"shop",\
        "session":"conv"}}
        """
      ])
  }

  @Test func readsTheTierAsResponsesSayIt() {
    for (text, tier) in [("flex", "flex"), ("fast", "priority"), ("default", nil)] {
      let attributes = chat + [("openai.response.service_tier", text)]
      let found = requests("otel", export(span("a", attributes))).first ?? ""
      #expect(found.contains(#""serviceTier":"\#(tier ?? "")""#) == (tier != nil))
    }
  }

  @Test func keysByTraceAndSpanWithoutAResponse() {
    let nameless = chat.filter { $0.0 != "gen_ai.response.id" && $0.0 != "gen_ai.response.model" }
    let found = requests(
      "otel", span("a", nameless), export(span("b", nameless)), span("a", nameless))
    #expect(found.map { member("key", of: $0) } == ["5b8e:a", "5b8e:b"])
    #expect(member("model", of: found[0]) == "gpt-4o")
  }

  @Test func countsASpanAndItsEventOnce() {
    let event = """
      {"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1771495201000000000",\
      "traceId":"5b8e","spanId":"a","eventName":"gen_ai.client.inference.operation.details",\
      "attributes":[\(chat.map(attribute).joined(separator: ","))]}]}]}]}
      """
    #expect(requests("otel", export(span("a", chat)), event).count == 1)
    #expect(requests("otel", event).count == 1)
  }

  @Test func anAgentsTotalIsNotBilled() {
    let agent = [("gen_ai.operation.name", "invoke_agent")] + chat.dropFirst()
    let (log, tally) = read("otel", [(nil, export(span("a", chat), span("b", agent)))])
    #expect(log.requests.count == 1)
    #expect(tally.counts == [LogOmission.aggregate.rawValue: 1])
  }

  @Test func ignoresSpansWithoutUsage() {
    let (log, tally) = read(
      "otel", [(nil, export(span("a", [("http.request.method", "POST")])) + "\n{}")])
    #expect(log.requests == [])
    #expect(tally.lines.isEmpty)
  }

  /// Python's output of spans, over many lines, and earlier names.
  @Test func readsSpansThatAProgramPrints() {
    let printed = """
      {
        "name": "chat",
        "context": {"trace_id": "0x1", "span_id": "0x2", "trace_state": "[]"},
        "start_time": "2026-02-19T10:00:00.123456Z",
        "attributes": {
          "gen_ai.request.model": "claude-sonnet-4-5",
          "gen_ai.usage.prompt_tokens": 12, "gen_ai.usage.completion_tokens": 7
        },
        "resource": {"attributes": {"service.name": "shop"}}
      }
      """
    #expect(
      requests("otel", printed) == [
        """
        {"account":"me","key":"0x1:0x2","model":"claude-sonnet-4-5","usage":{"inputTokens":12,\
        "outputTokens":7},"usedAt":"2026-02-19T10:00:00.123Z","tags":{"source":"otel",\
        "project":"shop"}}
        """
      ])
  }

  /// Some instrumentations write Anthropic's own counts, which have the cache beside the input.
  @Test func readsCacheCountsThatAreMoreThanTheInput() {
    let beside = chat.map { $0.0 == "gen_ai.usage.input_tokens" ? ($0.0, "5") : $0 }
    let request = requests("otel", span("a", beside))
    #expect(member("usage.inputTokens", of: request[0]) == "5")
    #expect(member("usage.cacheReadTokens", of: request[0]) == "600")
  }

  @Test func oneDamagedSpanTakesNoOtherWithIt() {
    let damaged = chat.map { $0.0 == "gen_ai.usage.input_tokens" ? ($0.0, "many") : $0 }
    let (log, tally) = read("otel", [(nil, export(span("b", damaged), span("a", chat)))])
    #expect(log.requests.count == 1)
    #expect(tally.counts == ["its usage cannot be read": 1])
  }

  /// A call without output may be one of embeddings; one without input there is not.
  @Test func refusesACallWithoutInput() {
    func call(without name: String) -> [(String, String)] {
      chat.filter { $0.0 != name && !$0.0.hasPrefix("gen_ai.usage.cache") }
    }
    #expect(requests("otel", span("a", call(without: "gen_ai.usage.input_tokens"))) == [])
    #expect(requests("otel", span("a", call(without: "gen_ai.usage.output_tokens"))).count == 1)
  }

  @Test func findsTheAccountInAnAttribute() {
    let spans = export(span("a", chat + [("enduser.id", "ana")]))
    #expect(
      requests("otel", spans, selection: .from("enduser.id")).map { member("account", of: $0) } == [
        "ana"
      ])
    #expect(
      requests("otel", spans, selection: .from("service.name")).map { member("account", of: $0) }
        == ["shop"])
  }
}
