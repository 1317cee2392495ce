import CreditLogs
import Testing

/// Counts, keys and models of agents' logs that depend on more than one record.
@Suite struct AgentCountTests {
  /// Ids that are unique within a session alone.
  @Test func qwenIdsRepeatAcrossSessions() {
    func line(_ session: String, _ time: String, prompt: Int) -> String {
      qwen(total: 170).replacing("\"s1\"", with: "\"\(session)\"")
        .replacing("10:00:00", with: time).replacing(":100,", with: ":\(prompt),")
    }
    let first = line("s1", "10:00:00", prompt: 100)
    let texts: Texts = [
      ("/a/chats/2.jsonl", line("s2", "11:00:00", prompt: 200)),
      ("/a/chats/1.jsonl", first),
      // A branch has copies.
      ("/a/chats/3.jsonl", first.replacing("\"s1\"", with: "\"s3\"")),
    ]
    for texts in [texts, texts.reversed()] {
      #expect(
        read("qwen", texts).log.requests.map { member("key", of: $0) }.sorted {
          $0 ?? "" < $1 ?? ""
        }
          == ["s2:u1", "u1"])
    }
  }

  @Test func rooNamesTheModelInTheConversation() {
    let message = """
      [{"type":"say","say":"api_req_started","ts":1771495200000,"text":"{\\"tokensIn\\":5,\
      \\"tokensOut\\":7,\\"cost\\":0.1}"}]
      """
    let conversation = """
      [{"role":"user","ts":1771495199000,"content":[{"type":"text","text":"<environment_details>\
      <model>glm-5</model></environment_details>"}]}]
      """
    let texts: Texts = [
      ("/tasks/a/api_conversation_history.json", conversation),
      ("/tasks/a/ui_messages.json", message),
    ]
    let found = read("roo", texts).log.requests
    #expect(found.map { member("model", of: $0) } == ["glm-5"])
    #expect(read("roo", [texts[1]]).tally.counts == ["it names no model; --model does": 1])
    let other: Texts = [texts[0], ("/tasks/b/ui_messages.json", message)]
    #expect(read("roo", other).log.requests.isEmpty)
  }

  /// A call that condensed the conversation has no counts.
  @Test func rooSaysThatACostHasNoCounts() {
    let condensed = """
      [{"type":"say","say":"condense_context","ts":1771495200000,"contextCondense":{"cost":0.05,\
      "prevContextTokens":90000,"newContextTokens":9000,"summary":"s"}}]
      """
    let free = condensed.replacing("0.05", with: "0")
    let texts: Texts = [("/tasks/a/ui_messages.json", condensed), ("/b/ui_messages.json", free)]
    let (log, tally) = read("roo", texts)
    #expect(log.requests.isEmpty && tally.counts == ["it has a cost, but no counts": 1])
  }

  // MARK: Qwen

  private func telemetry(_ more: String, thoughts: Int = 21, total: Int = 16968) -> String {
    """
    {"uuid":"t1","parentUuid":"u1","sessionId":"s1","timestamp":"2026-04-23T00:39:51.104Z",\
    "type":"system","subtype":"ui_telemetry","cwd":"/app","version":"0.15.0","systemPayload":{\
    "uiEvent":{"event.name":"qwen-code.api_response","response_id":"chatcmpl-1",\
    "model":"qwen3.5-plus","status_code":200,"input_token_count":16928,"output_token_count":40,\
    "cached_content_token_count":28,"thoughts_token_count":\(thoughts),"tool_token_count":0,\
    "total_token_count":\(total),\(more)}}}
    """
  }

  /// The chat has the calls of subagents among its statistics alone, beside those of its own.
  @Test func qwenSubagentsAreCalls() {
    let own = #""prompt_id":"db69c0b90dc7d","auth_type":"openai""#
    let named = own + #","subagent_name":"explore""#
    #expect(
      requests("qwen", telemetry(own), telemetry(named)) == [
        """
        {"account":"me","key":"t1","model":"qwen3.5-plus","usage":{"inputTokens":16900,\
        "outputTokens":40,"cacheReadTokens":28},"usedAt":"2026-04-23T00:39:51.104Z",\
        "tags":{"source":"qwen","project":"/app","session":"s1"}}
        """
      ])
    let older = telemetry(#""prompt_id":"s1#explore-7f#3""#, total: 16989)
    #expect(requests("qwen", older).map { member("usage.outputTokens", of: $0) } == ["61"])
    #expect(requests("qwen", telemetry(#""prompt_id":"s1########3""#)).isEmpty)
  }

  @Test func qwenTranscriptsOfSubagentsAreNotBilled() {
    let line = qwen(total: 140).replacing(#""model":"#, with: #""isSidechain":true,"name":"#)
    let (log, tally) = read("qwen", [("/p/subagents/s1/agent-a.jsonl", line)])
    #expect(log.requests.isEmpty && tally.counts == [LogOmission.subagent.rawValue: 1])
  }

  /// Such a session refers to its counts by the hashes of other files.
  @Test func qwenSaysThatAManagedSessionHasNoCounts() {
    let header = """
      {"uuid":"h","parentUuid":null,"sessionId":"s1","type":"system",\
      "subtype":"managed_session_header_v1","managedSession":{"formatVersion":1,"engine":"managed"}}
      """
    let (log, tally) = read("qwen", [("/p/chats/s1.jsonl", header)])
    #expect(log.requests.isEmpty && log.problems.count == 1)
    #expect(tally.counts == ["its counts are in other files, which no format reads": 1])
  }

  // MARK: Pi

  /// Summaries, warmed caches and tools use models, too.
  @Test func piCallsBesideTheConversationAreBilled() {
    let usage = #""usage":{"input":5,"output":7,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.1}}"#
    let entries = [
      #"{"type":"session","version":3,"id":"s1","cwd":"/app"}"#,
      #"{"type":"model_change","id":"m1","provider":"openai","modelId":"gpt-5.5"}"#,
      #"{"type":"compaction","id":"c1","timestamp":"2026-09-01T10:00:00.000Z",\#(usage)}"#,
      #"{"type":"branch_summary","id":"b1","timestamp":"2026-09-01T10:01:00.000Z",\#(usage)}"#,
      #"{"type":"usage","id":"w1","timestamp":"2026-09-01T10:02:00.000Z","kind":"cache_warm","#
        + #""provider":"anthropic","model":"claude-opus-4-6",\#(usage)}"#,
      #"{"type":"message","id":"t1","timestamp":"2026-09-01T10:03:00.000Z","message":{"#
        + #""role":"toolResult","toolName":"agent","timestamp":1788257000000,\#(usage)}}"#,
    ]
    let found = read("pi", [("a.jsonl", entries.joined(separator: "\n"))]).log.requests
    #expect(
      keys(found) == [
        "c1:2026-09-01T10:00:00.000Z", "b1:2026-09-01T10:01:00.000Z",
        "w1:2026-09-01T10:02:00.000Z", "t1:1788257000000",
      ])
    #expect(
      found.map { member("model", of: $0) } == ["gpt-5.5", "gpt-5.5", "claude-opus-4-6", "gpt-5.5"])
    #expect(found.map { member("reportedUSD", of: $0) } == ["0.1", "0.1", "0.1", "0.1"])
  }

  // MARK: Amp, Droid

  /// Events may have the counts of the cache, and a ledger may leave messages out.
  @Test func ampLedgersMayBePartial() {
    let thread = """
      {"id":"T","usageLedger":{"events":[{"id":"e1","timestamp":"2026-04-08T12:00:00Z","model":"x",\
      "toMessageId":1,"tokens":{"input":100,"output":20,"cacheReadInputTokens":30}},\
      {"id":"e2","timestamp":"2026-04-08T12:00:01Z","model":"x","tokens":{"total":345}}]},\
      "messages":[{"role":"assistant","messageId":1,"usage":{"model":"x","inputTokens":100}},\
      {"role":"assistant","messageId":2,"usage":{"model":"x","inputTokens":50,"outputTokens":10}}]}
      """
    let (log, tally) = read("amp", [("T.json", thread)])
    #expect(keys(log.requests) == ["e1", "T:2"])
    #expect(log.requests.map { member("usage.cacheReadTokens", of: $0) } == ["30", nil])
    #expect(tally.counts == ["its usage cannot be read": 1])
  }

  /// `inclusiveTokenUsage` has the counts of sessions with files of their own.
  @Test func droidSessionsCountTheirOwn() {
    let counts = #"{"inputTokens":5,"outputTokens":2,"factoryCredits":3}"#
    let all = counts.replacing("5", with: "50")
    let children = #","childInclusiveTokenUsageBySessionId":{"c":\#(counts)}"#
    func session(_ name: String, _ members: String) -> (path: String?, text: String) {
      ("/h/.factory/sessions/-a/\(name).settings.json", #"{"model":"x",\#(members)}"#)
    }
    let inclusive = #""inclusiveTokenUsage":\#(all)"#
    let texts = [
      session("a", #""tokenUsage":\#(counts),\#(inclusive)\#(children)"#),
      session("b", inclusive), session("c", inclusive + children),
    ]
    let (log, tally) = read("droid", texts)
    #expect(log.requests.map { member("usage.inputTokens", of: $0) } == ["5", "50"])
    #expect(tally.counts == ["its usage cannot be read": 1])
  }
}
