import CreditLogs
import Testing

@testable import TestSupport

/// Logs of coding agents, in the shape in which each writes them.
@Suite struct AgentLogTests {
  // MARK: OpenCode

  private func openCode(
    _ id: String, output: Int = 40, completed: String = ",\"completed\":1771495203000",
    tokens: String = ""
  ) -> String {
    """
    {"id":"\(id)","sessionID":"ses_1","role":"assistant","modelID":"claude-sonnet-4-5",\
    "providerID":"anthropic","mode":"build","path":{"cwd":"/home/ana/app","root":"/"},\
    "time":{"created":1771495200000\(completed)},"cost":0.0125,"tokens":{"input":10,\
    "output":\(output),"reasoning":5,"cache":{"read":900,"write":70}\(tokens)}}
    """
  }

  @Test func openCodeMessagesAreCalls() {
    #expect(
      requests("opencode", openCode("msg_1")) == [
        """
        {"account":"me","key":"msg_1","model":"claude-sonnet-4-5","usage":{"inputTokens":10,\
        "outputTokens":45,"cacheReadTokens":900,"cacheWriteTokens":70},"reportedUSD":"0.0125",\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"opencode",\
        "project":"/home/ana/app","session":"ses_1"}}
        """
      ])
    let within = requests("opencode", openCode("msg_1", tokens: ",\"total\":1020"))
    #expect(within.map { member("usage.outputTokens", of: $0) } == ["40"])
    let user = #"{"id":"msg_0","sessionID":"s","role":"user","time":{"created":1}}"#
    #expect(requests("opencode", user).isEmpty)
    let free = openCode("msg_1").replacing("0.0125", with: "0")
    #expect(requests("opencode", free).map { member("reportedUSD", of: $0) } == [nil])
  }

  @Test func openCodeForksAreBilledOnce() {
    let texts: Texts = [
      ("storage/message/ses_2/msg_9.json", openCode("msg_9").replacing("ses_1", with: "ses_2")),
      ("storage/message/ses_1/msg_1.json", openCode("msg_1")),
      ("storage/message/ses_1/msg_2.json", openCode("msg_2", output: 41)),
    ]
    #expect(keys(read("opencode", texts).log.requests) == ["msg_1", "msg_2"])
  }

  @Test func openCodeMessagesThatAreBeingWrittenAreHeldBack() {
    let (log, tally) = read("opencode", [("msg_1.json", openCode("msg_1", completed: ""))])
    #expect(log.requests.isEmpty && tally.lines.count == 1)
  }

  @Test func exportedSessionsAreRead() {
    let session = """
      {"info":{"id":"ses_1"},"messages":[{"info":\(openCode("msg_1")),"parts":[]},
        {"info":\(openCode("msg_2", output: 7)),"parts":[]}]}
      """
    #expect(keys(requests("opencode", session)) == ["msg_1", "msg_2"])
  }

  // MARK: Amp

  @Test func ampThreadsAreRead() {
    let usage = """
      {"model":"claude-haiku-4-5","inputTokens":10,"outputTokens":178,\
      "cacheCreationInputTokens":986,"cacheReadInputTokens":11372,"totalInputTokens":12368,\
      "timestamp":"2026-01-19T11:42:10.652Z"}
      """
    let messages = """
      {"role":"user","messageId":0},{"role":"assistant","messageId":1,"usage":\(usage)}
      """
    #expect(
      requests("amp", #"{"id":"T-a","messages":[\#(messages)]}"#) == [
        """
        {"account":"me","key":"T-a:1","model":"claude-haiku-4-5","usage":{"inputTokens":10,\
        "outputTokens":178,"cacheReadTokens":11372,"cacheWriteTokens":986},\
        "usedAt":"2026-01-19T11:42:10.652Z","tags":{"source":"amp","session":"T-a"}}
        """
      ])
    let ledger = """
      {"id":"T-a","usageLedger":{"events":[{"id":"e1","timestamp":"2026-01-19T11:42:11.000Z",\
      "model":"claude-haiku-4-5","credits":1.5,"toMessageId":1,\
      "tokens":{"input":10,"output":178}}]},"messages":[\(messages)]}
      """
    let found = requests("amp", ledger)
    #expect(keys(found) == ["e1"])
    #expect(found.map { member("usage.cacheReadTokens", of: $0) } == ["11372"])
    // A thread that was gone on with after there were ledgers.
    let later = messages.replacing("2026-01-19", with: "2026-03-19")
    #expect(keys(requests("amp", ledger.replacing(messages, with: later))) == ["e1", "T-a:1"])
  }

  // MARK: Copilot

  private func span(_ name: String, _ id: String, trace: String = "t1", _ more: String = "")
    -> String
  {
    """
    {"type":"span","traceId":"\(trace)","spanId":"\(id)","name":"\(name) gpt-5",\
    "startTime":[1771495200,967317833],"attributes":{"gen_ai.operation.name":"\(name)",\
    "gen_ai.response.model":"gpt-5","gen_ai.conversation.id":"c1",\
    "gen_ai.usage.input_tokens":100,"gen_ai.usage.output_tokens":30,\
    "gen_ai.usage.cache_read.input_tokens":60\(more)}}
    """
  }

  @Test func copilotCallsCountOnce() {
    #expect(
      requests("copilot", span("chat", "s1")) == [
        """
        {"account":"me","key":"t1:s1","model":"gpt-5","usage":{"inputTokens":40,\
        "outputTokens":30,"cacheReadTokens":60},"usedAt":"2026-02-19T10:00:00.967Z",\
        "tags":{"source":"copilot","session":"c1"}}
        """
      ])
    let inference = """
      {"hrTime":[1771495200,0],"attributes":{"gen_ai.response.id":"r1",\
      "event.name":"gen_ai.client.inference.operation.details","gen_ai.request.model":"gpt-5",\
      "gen_ai.usage.input_tokens":9,"gen_ai.usage.output_tokens":3}}
      """
    let response = #","gen_ai.response.id":"r1""#
    let lines = [
      span("invoke_agent", "s0"), inference, span("chat", "s1", response), span("chat", "s2"),
      span("invoke_agent", "s9", trace: "t2"), #"{"type":"metric","name":"gen_ai.usage."}"#,
    ]
    let (log, tally) = read("copilot", [("a.jsonl", lines.joined(separator: "\n"))])
    #expect(keys(log.requests) == ["r1", "t1:s2", "t2:s9"])
    #expect(tally.lines.map(\.count) == [2])
    #expect(keys(requests("copilot", inference)) == ["r1"])
  }

  /// As in a log of a session that was resumed, but for shorter numbers.
  private func shutdown(_ id: String, _ models: String) -> String {
    """
    {"type":"session.shutdown","data":{"shutdownType":"routine","totalPremiumRequests":82.5,\
    "sessionStartTime":1771495100000,"modelMetrics":{\(models)},"currentModel":"gpt-5.4"},\
    "id":"\(id)","timestamp":"2026-02-19T10:00:00.000Z","parentId":"p"}
    """
  }

  private func metrics(_ model: String, input: Int, read: Int = 0) -> String {
    """
    "\(model)":{"requests":{"count":12,"cost":82.5},"usage":{"inputTokens":\(input),\
    "outputTokens":70,"cacheReadTokens":\(read),"cacheWriteTokens":1,"reasoningTokens":30}}
    """
  }

  @Test func copilotSumsOfSessionsWithoutCallsCount() {
    let file = "home/.copilot/session-state/c1/events.jsonl"
    let sums = [
      shutdown("e1", metrics("gpt-5.4", input: 100, read: 90) + "," + metrics("opus", input: 7)),
      #"{"type":"user.message","data":{"content":"\"session.shutdown\""},"id":"e2"}"#,
      shutdown("e3", metrics("gpt-5.4", input: 50)), shutdown("e4", ""),
      #"{"type":"session.shutdown","data":{"shutdownType":"error"},"id":"e5"}"#,
    ].joined(separator: "\n")
    let (log, tally) = read("copilot", [(file, sums)])
    #expect(
      log.requests.first == """
        {"account":"me","key":"e1:gpt-5.4","model":"gpt-5.4","usage":{"inputTokens":9,\
        "outputTokens":70,"cacheReadTokens":90,"cacheWriteTokens":1},\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"copilot","session":"c1"}}
        """)
    #expect(keys(log.requests) == ["e1:gpt-5.4", "e1:opus", "e3:gpt-5.4"])
    #expect(tally.lines.isEmpty)
    let (both, omitted) = read("copilot", [(file, sums), ("otel.jsonl", span("chat", "s1"))])
    #expect(keys(both.requests) == ["t1:s1"] && omitted.lines.map(\.count) == [3])
  }

  private func span(_ name: String, _ id: String, _ more: String) -> String {
    span(name, id, trace: "t1", more)
  }

  // MARK: Droid

  @Test func droidSessionsAreSums() {
    let session = """
      {"model":"claude-sonnet-4-5","providerLock":"anthropic",
      "providerLockTimestamp":"2026-05-01T01:02:03.000Z","tokenUsage":{"inputTokens":100,
      "outputTokens":50,"cacheCreationTokens":20,"cacheReadTokens":10,"thinkingTokens":5}}
      """
    let texts: Texts = [
      ("/h/.factory/sessions/-home-ana/s1.settings.json", session),
      ("/h/.factory/sessions/old/s1.settings.json", session.replacing("50", with: "40")),
      ("zero.settings.json", #"{"model":"gpt-5","tokenUsage":{"inputTokens":0}}"#),
    ]
    #expect(
      read("droid", texts).log.requests == [
        """
        {"account":"me","key":"s1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,\
        "outputTokens":55,"cacheReadTokens":10,"cacheWriteTokens":20},\
        "usedAt":"2026-05-01T01:02:03.000Z","tags":{"source":"droid","project":"-home-ana",\
        "session":"s1"}}
        """
      ])
  }

  // MARK: Qwen, Kimi, Pi

  @Test func qwenLinesAreCalls() {
    #expect(
      requests("qwen", qwen(total: 140), qwen(total: 140)) == [
        """
        {"account":"me","key":"u1","model":"qwen3-coder-plus","usage":{"inputTokens":40,\
        "outputTokens":40,"cacheReadTokens":60},"usedAt":"2026-02-19T10:00:00.000Z",\
        "tags":{"source":"qwen","project":"/home/ana/app","session":"s1"}}
        """
      ])
    let beside = requests("qwen", qwen(total: 170))
    #expect(beside.map { member("usage.outputTokens", of: $0) } == ["70"])
  }

  @Test func piWritesForAnHour() {
    let line = """
      {"type":"message","id":"e","message":{"role":"assistant","model":"x","timestamp":1,\
      "usage":{"input":1,"output":2,"cacheWrite":100,"cacheWrite1h":60}}}
      """
    #expect(requests("pi", line).contains { $0.contains(#":40,"cacheWrite1hTokens":60}"#) })
    #expect(requests("pi", line.replacing("60", with: "101")).isEmpty)
  }

  @Test func kimiStepsAreCalls() {
    let update = """
      {"type":"StatusUpdate","payload":{"context_usage":0.5,"token_usage":{"input_other":100,\
      "output":50,"input_cache_read":10,"input_cache_creation":20},"message_id":"m1"}}
      """
    let nested = """
      {"type":"SubagentEvent","payload":{"agent_id":"a","event":\
      \(update.replacing("\"m1\"", with: "null"))}}
      """
    let lines = [
      #"{"type":"metadata","protocol_version":"1.1"}"#,
      #"{"timestamp":1771495200.123,"message":\#(update)}"#,
      #"{"timestamp":1771495201.5,"message":\#(nested)}"#,
      #"{"timestamp":1771495202,"message":{"type":"StatusUpdate","payload":{"token_usage":null}}}"#,
    ]
    let path = "/home/ana/.kimi/sessions/g/s1/wire.jsonl"
    let text = lines.joined(separator: "\n")
    let (log, tally) = read("kimi", [(path, text)])
    #expect(log.requests.isEmpty && tally.counts == ["it names no model; --model does": 2])
    let found = read("kimi", [(path, text)], .me.with { $0.model = "kimi-k2.6" }).log.requests
    #expect(keys(found) == ["m1", "s1:1771495201.5"])
    #expect(
      found.first == """
        {"account":"me","key":"m1","model":"kimi-k2.6","usage":{"inputTokens":100,\
        "outputTokens":50,"cacheReadTokens":10,"cacheWriteTokens":20},\
        "usedAt":"2026-02-19T10:00:00.123Z","tags":{"source":"kimi","session":"s1"}}
        """)
  }

  @Test func piEntriesAreCalls() {
    let header = """
      {"type":"session","version":3,"id":"s1","timestamp":"2026-02-19T09:59:00.000Z",\
      "cwd":"/home/ana/app"}
      """
    let entry = """
      {"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"2026-02-19T10:00:00.000Z",\
      "message":{"role":"assistant","provider":"anthropic","model":"claude-sonnet-4-5",\
      "usage":{"input":3,"output":50,"cacheRead":10,"cacheWrite":20,"totalTokens":83,\
      "cost":{"input":0,"total":0.25}},"stopReason":"stop","timestamp":1771495199000}}
      """
    // A fork repeats the entry in a session of its own.
    let texts: Texts = [
      ("a.jsonl", header + "\n" + entry),
      ("b.jsonl", header.replacing("s1", with: "s2") + "\n" + entry),
    ]
    #expect(
      read("pi", texts).log.requests == [
        """
        {"account":"me","key":"a1b2c3d4:1771495199000","model":"claude-sonnet-4-5",\
        "usage":{"inputTokens":3,"outputTokens":50,"cacheReadTokens":10,"cacheWriteTokens":20},\
        "reportedUSD":"0.25","usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"pi",\
        "project":"/home/ana/app","session":"s1"}}
        """
      ])
  }

  // MARK: Cline, Roo Code

  private func call(_ info: String, _ more: String = "", say: String = "api_req_started") -> String
  {
    let text = info.replacing("\"", with: "\\\"")
    return #"{"ts":1771495200000,"type":"say","say":"\#(say)","text":"\#(text)"\#(more)}"#
  }

  @Test func clineTasksAreRead() {
    let info = """
      {"request":"x","tokensIn":10,"tokensOut":20,"cacheWrites":30,"cacheReads":40,"cost":0.5}
      """
    let model = #","modelInfo":{"providerId":"anthropic","modelId":"claude-sonnet-4-5"}"#
    let running = #"{"tokensIn":1,"tokensOut":2}"#
    let path = "/h/globalStorage/saoudrizwan.claude-dev/tasks/1771495190000/ui_messages.json"
    let messages = [
      #"{"ts":1,"type":"say","say":"text","text":"hi"}"#, call(info, model),
      call(info, model, say: "subagent_usage"), call(info, model, say: "deleted_api_reqs"),
      call(running, model).replacing("5200000", with: "5300000"),
      call(#"{"request":"not begun"}"#, model),
    ]
    let (log, tally) = read("cline", [(path, "[" + messages.joined(separator: ",") + "]")])
    let task = "1771495190000:1771495200000"
    #expect(keys(log.requests) == [task, task + ":subagents"])
    #expect(
      log.requests.first == """
        {"account":"me","key":"\(task)","model":"claude-sonnet-4-5","usage":{"inputTokens":10,\
        "outputTokens":20,"cacheReadTokens":40,"cacheWriteTokens":30},"reportedUSD":"0.5",\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"cline","session":"1771495190000"}}
        """)
    #expect(tally.lines.map(\.count) == [1])
  }

  @Test func rooIncludesTheCachedPart() {
    let info = """
      {"request":"<environment_details><model>claude-sonnet-4</model></environment_details>",\
      "apiProtocol":"anthropic","tokensIn":100,"tokensOut":20,"cacheWrites":30,"cacheReads":40,\
      "cost":0.5}
      """
    let path = "tasks/t1/ui_messages.json"
    let found = read("roo", [(path, "[" + call(info) + "]")]).log.requests
    #expect(
      found.map { member("usage", of: $0) } == [
        """
        {"inputTokens":30,"outputTokens":20,"cacheReadTokens":40,"cacheWriteTokens":30}
        """
      ])
    #expect(found.map { member("model", of: $0) } == ["claude-sonnet-4"])
    let older = read("roo", [(path, call(info.replacing("100", with: "5")))]).log.requests
    #expect(older.map { member("usage.inputTokens", of: $0) } == ["5"])
  }

  // MARK: Damage

  private static let samples: [(format: String, text: String)] = [
    (
      "opencode",
      #"{"id":"m","role":"assistant","modelID":"x","time":{"created":1,"completed":2},"#
        + #""tokens":{"input":1,"output":2}}"#
    ),
    (
      "amp",
      #"{"id":"T","messages":[{"role":"assistant","messageId":1,"#
        + #""usage":{"model":"x","inputTokens":1}}]}"#
    ),
    (
      "copilot",
      #"{"type":"span","traceId":"t","spanId":"s","name":"chat x","attributes":{"#
        + #""gen_ai.request.model":"x","gen_ai.usage.input_tokens":1}}"#
    ),
    (
      "copilot",
      #"{"type":"session.shutdown","id":"e","data":{"modelMetrics":{"x":{"usage":{"#
        + #""inputTokens":1}}}}}"#
    ),
    (
      "qwen", #"{"uuid":"u","type":"assistant","model":"x","usageMetadata":{"promptTokenCount":1}}"#
    ),
    (
      "kimi",
      #"{"timestamp":1,"message":{"type":"StatusUpdate","payload":{"message_id":"m","#
        + #""token_usage":{"output":1}}}}"#
    ),
    (
      "pi",
      #"{"type":"message","id":"a","timestamp":"t","message":{"role":"assistant","model":"x","#
        + #""usage":{"input":1}}}"#
    ),
  ]

  /// Counts of another type or below 0, missing members, text that was cut.
  @Test(arguments: samples.indices)
  func damageIsCounted(_ number: Int) {
    let (format, text) = Self.samples[number]
    #expect(requests(format, text, selection: .me.with { $0.model = "x" }).count == 1)
    for bad in ["-1", "1.5", "\"x\"", "[]", "true", "99999999999999999999"] {
      let names = [
        "input", "inputTokens", "gen_ai.usage.input_tokens", "promptTokenCount", "output",
      ]
      for name in names {
        let damaged = text.replacing("\"\(name)\":1", with: "\"\(name)\":\(bad)")
        if damaged == text { continue }
        let (log, tally) = read(format, [("a", damaged)], .me.with { $0.model = "x" })
        #expect(log.requests.isEmpty && tally.lines.count == 1, "\(damaged)")
      }
    }
    for end in stride(from: 1, to: text.count, by: 3) {
      #expect(requests(format, String(text.prefix(end))).isEmpty)
    }
  }
}
