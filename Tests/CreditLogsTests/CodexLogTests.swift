import CreditLogs
import CreditModel
import Testing

@Suite struct CodexLogTests {
  private func meta(
    _ id: String, at time: String = "10:00:00.000Z", fork: String? = nil, more: String = ""
  ) -> String {
    let forked = fork.map { "\"forked_from_id\":\"\($0)\"," } ?? ""
    return """
      {"timestamp":"2026-02-19T\(time)","type":"session_meta","payload":{"id":"\(id)",\(forked)\
      \(more)\
      "timestamp":"2026-02-19T\(time)","cwd":"/home/ana/app","originator":"codex_cli_rs"}}
      """
  }

  private func turn(_ model: String = "gpt-5-codex", at time: String = "10:00:00.000Z") -> String {
    """
    {"timestamp":"2026-02-19T\(time)","type":"turn_context","payload":{"cwd":"/home/ana/app",\
    "model":"\(model)"}}
    """
  }

  /// An event of a call, whose input is a hundred cached tokens and more.
  private func event(
    _ input: Int, _ output: Int, total: Int, at time: String, last: Bool = true
  ) -> String {
    let lastUsage = """
      "last_token_usage":{"input_tokens":\(input),"cached_input_tokens":100,\
      "output_tokens":\(output),\
      "reasoning_output_tokens":2,"total_tokens":\(input + output)},
      """
    return """
      {"timestamp":"2026-02-19T\(time)","type":"event_msg","payload":{"type":"token_count","info":{\
      \(last ? lastUsage : "")"total_token_usage":{"input_tokens":\(total - 10),\
      "cached_input_tokens":100,\
      "output_tokens":10,"reasoning_output_tokens":2,"total_tokens":\(total)},\
      "model_context_window":258400},"rate_limits":null}}
      """
  }

  private func keys(_ texts: [[String]]) -> [String?] {
    let texts = texts.enumerated().map { ("\($0).jsonl" as String?, $1.joined(separator: "\n")) }
    return read("codex", texts).log.requests.map { member("key", of: $0) }
  }

  @Test func makesARequestOfEachCall() {
    let lines = [
      meta("s1"), turn(), event(500, 20, total: 520, at: "10:00:10.000Z"),
      event(500, 20, total: 520, at: "10:00:11.000Z"), turn("gpt-5"),
      event(900, 30, total: 1450, at: "10:01:00.000Z"),
      #"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#,
    ]
    #expect(
      read("codex", [("/x/rollout.jsonl", lines.joined(separator: "\n"))]).log.requests == [
        """
        {"account":"me","key":"s1:520","model":"gpt-5-codex","usage":{"inputTokens":400,\
        "outputTokens":20,"cacheReadTokens":100},"usedAt":"2026-02-19T10:00:10.000Z",\
        "tags":{"source":"codex","project":"/home/ana/app","session":"s1"}}
        """,
        """
        {"account":"me","key":"s1:1450","model":"gpt-5","usage":{"inputTokens":800,\
        "outputTokens":30,"cacheReadTokens":100},"usedAt":"2026-02-19T10:01:00.000Z",\
        "tags":{"source":"codex","project":"/home/ana/app","session":"s1"}}
        """,
      ])
  }

  /// The same session again, as after archiving.
  @Test func countsASessionOnce() {
    let file = [meta("s1"), turn(), event(500, 20, total: 520, at: "10:00:10.000Z")]
    let longer = file + [event(500, 20, total: 1040, at: "10:02:10.000Z")]
    #expect(keys([file, longer]) == ["s1:520", "s1:1040"])
    #expect(keys([longer, file]) == ["s1:520", "s1:1040"])
  }

  @Test func takesDifferencesOfTotals() {
    let file = [
      meta("s1"), turn(), event(0, 0, total: 520, at: "10:00:10.000Z", last: false),
      event(0, 0, total: 900, at: "10:00:20.000Z", last: false),
    ]
    let requests = read("codex", [("f", file.joined(separator: "\n"))]).log.requests
    #expect(requests.map { member("usage.inputTokens", of: $0) } == ["410", "380"])
    #expect(requests.map { member("usage.outputTokens", of: $0) } == ["10", "0"])
  }

  @Test func refusesANegativeTotal() {
    let first = event(0, 0, total: 520, at: "10:00:10.000Z", last: false)
      .replacing("\"total_tokens\":520", with: "\"total_tokens\":\(Int64.min)")
    let file = [
      meta("s1"), turn(), first, event(0, 0, total: 900, at: "10:00:20.000Z", last: false),
    ]
    #expect(keys([file]) == ["s1:900"])
    let counts = read("codex", [("f", file.joined(separator: "\n"))]).tally.counts
    #expect(counts == ["its usage cannot be read": 1])
  }

  /// Agents that work side by side write their totals by turns.
  @Test func tellsCountersApart() {
    let totals = [100_000, 5000, 101_000, 6000, 102_000, 6000, 102_000]
    let file =
      [meta("s1"), turn()]
      + totals.enumerated().map { event(0, 0, total: $1, at: "10:00:1\($0).000Z", last: false) }
    #expect(
      keys([file]) == ["s1:100000", "s1:5000", "s1:101000", "s1:6000", "s1:102000"])
    let requests = read("codex", [("f", file.joined(separator: "\n"))]).log.requests
    let used = requests.map { member("usage.inputTokens", of: $0) }
    // The cached tokens and the output are those of the first event of each.
    #expect(used == ["99890", "4890", "1000", "1000", "1000"])
  }

  /// A session that continues in another file begins with a copy.
  @Test func skipsAnUnmarkedCopy() {
    let copy = [
      meta("c", at: "11:00:00.000Z"), turn(), event(500, 20, total: 520, at: "10:00:10.000Z"),
      event(600, 20, total: 1140, at: "10:00:40.000Z"),
      event(800, 20, total: 1960, at: "11:00:09.000Z"),
    ]
    #expect(keys([parent, copy]) == ["p:520", "p:1140", "p:1860", "c:1960"])
    #expect(keys([copy, parent]) == ["c:1960", "p:520", "p:1140", "p:1860"])
    let rewritten = [
      meta("c", at: "11:00:00.000Z"), turn(), event(500, 20, total: 520, at: "11:00:00.001Z"),
      event(600, 20, total: 1140, at: "11:00:00.002Z"),
      event(800, 20, total: 1960, at: "11:00:09.000Z"),
    ]
    #expect(keys([parent, rewritten]) == ["p:520", "p:1140", "p:1860", "c:1960"])
    // The same counts at another time are another call.
    let other = [
      meta("c", at: "11:00:00.000Z"), turn(), event(500, 20, total: 520, at: "11:00:09.000Z"),
    ]
    #expect(keys([parent, other]) == ["p:520", "p:1140", "p:1860", "c:520"])
  }

  /// A branch whose file does not even say which session it is of.
  @Test func skipsACopyWithoutMetadata() {
    let copied = [
      turn(), event(500, 20, total: 520, at: "10:00:10.000Z"),
      event(600, 20, total: 1140, at: "10:00:40.000Z"),
    ]
    let own = event(800, 20, total: 1960, at: "11:00:09.000Z")
    #expect(keys([parent, copied + [own]]) == ["p:520", "p:1140", "p:1860", "1:1960"])
    #expect(keys([copied + [own], parent]) == ["0:1960", "p:520", "p:1140", "p:1860"])
    #expect(keys([copied, copied + [own]]) == ["0:520", "0:1140", "1:1960"])
    let rewritten = [
      turn(), event(500, 20, total: 520, at: "11:00:00.001Z"),
      event(600, 20, total: 1140, at: "11:00:00.002Z"), own,
    ]
    #expect(keys([parent, rewritten]) == ["p:520", "p:1140", "p:1860", "1:1960"])
    #expect(keys([rewritten, copied]) == ["0:1960", "1:520", "1:1140"])
    // One call of the same counts at another time is another call.
    let other = [turn(), event(500, 20, total: 520, at: "11:00:00.001Z"), own]
    #expect(keys([parent, other]) == ["p:520", "p:1140", "p:1860", "1:520", "1:1960"])
  }

  private var parent: [String] {
    [
      meta("p"), turn(), event(500, 20, total: 520, at: "10:00:10.000Z"),
      event(600, 20, total: 1140, at: "10:00:40.000Z"),
      // After the fork.
      event(700, 20, total: 1860, at: "10:30:00.000Z"),
    ]
  }

  /// The parent's first two calls, with the time of the fork, and one of its own.
  private func fork(apart: Bool = false) -> [String] {
    [
      meta("c", at: "10:10:00.000Z", fork: "p"), meta("p", at: "10:10:00.001Z"),
      turn(at: "10:10:00.002Z"), event(500, 20, total: 520, at: "10:10:00.003Z"),
      event(600, 20, total: 1140, at: apart ? "10:10:08.000Z" : "10:10:00.004Z"),
      turn(at: "10:10:20.000Z"), event(700, 20, total: 1860, at: "10:10:30.000Z"),
    ]
  }

  @Test func skipsCopiesOfAFork() {
    #expect(keys([parent, fork()]) == ["p:520", "p:1140", "p:1860", "c:1860"])
    #expect(keys([fork(), parent]) == ["c:1860", "p:520", "p:1140", "p:1860"])
    #expect(keys([fork()]) == ["c:1860"])
    // The parent's file decides, at any times.
    #expect(keys([fork(apart: true), parent]) == ["c:1860", "p:520", "p:1140", "p:1860"])
    let counted = read("codex", [(nil, fork().joined(separator: "\n"))]).tally.counts
    #expect(counted == [LogOmission.copied.rawValue: 2])
  }

  /// A copy may keep the original times.
  @Test func skipsEventsOlderThanTheSession() {
    let spawned = [
      meta(
        "c", at: "10:10:00.000Z",
        more: #""source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}},"#),
      meta("p", at: "10:10:00.001Z"), turn(), event(500, 20, total: 520, at: "10:00:10.000Z"),
      event(300, 20, total: 320, at: "10:10:01.000Z"),
    ]
    #expect(keys([spawned]) == ["c:320"])
    #expect(keys([parent, spawned]).contains("c:320"))
    #expect(!keys([parent, spawned]).contains("c:520"))
  }

  /// A subagent's first calls are its own if it has no copies.
  @Test func takesTheFirstCallOfASubagent() {
    let spawned = [
      meta(
        "c", at: "10:10:00.000Z",
        more: #""source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}},"#),
      meta("p", at: "10:10:00.001Z"), turn(at: "10:10:00.002Z"),
      event(300, 20, total: 320, at: "10:10:00.900Z"),
    ]
    #expect(keys([spawned]) == ["c:320"])
    #expect(keys([parent, spawned]).contains("c:320"))
  }

  @Test func takesEventsAfterTheFirstTurnOfAFork() {
    let started = """
      {"timestamp":"2026-02-19T10:10:00.500Z","type":"event_msg","payload":{"type":"task_started",\
      "turn_id":"t","started_at":1771495800}}
      """
    let quick =
      Array(fork().prefix(5)) + [started, event(700, 20, total: 1860, at: "10:10:01.200Z")]
    #expect(keys([quick]) == ["c:1860"])
    let repeated =
      Array(fork().prefix(5)) + [
        meta("c", at: "10:10:00.005Z", fork: "p"), event(700, 20, total: 1860, at: "10:10:01.200Z"),
      ]
    #expect(keys([repeated]) == ["c:1860"])
  }

  @Test func readsTheOutputOfExec() {
    func run(_ input: Int, _ output: Int) -> [String] {
      [
        #"{"type":"thread.started","thread_id":"t1"}"#, #"{"type":"turn.started"}"#,
        #"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"usage"}}"#,
        """
        {"type":"turn.completed","usage":{"input_tokens":\(input),"cached_input_tokens":50,\
        "output_tokens":\(output)}}
        """,
      ]
    }
    let named = LogSelection.me.with { $0.model = Name(trusted: "gpt-5") }
    let texts: Texts = [
      ("2", run(900, 70).joined(separator: "\n")), ("1", run(400, 20).joined(separator: "\n")),
    ]
    let requests = read("codex", texts, named).log.requests
    #expect(requests.map { member("key", of: $0) } == ["t1:420", "t1:970"])
    #expect(requests.map { member("usage.inputTokens", of: $0) } == ["350", "500"])
    #expect(requests.map { member("usage.outputTokens", of: $0) } == ["20", "50"])
    #expect(requests.map { member("model", of: $0) } == ["gpt-5", "gpt-5"])
    #expect(read("codex", texts).tally.counts == ["it names no model; --model does": 2])
  }

  /// If names are sorted, the type of a long line is near its end.
  @Test func findsTypesAtAnyPlace() {
    let long = String(repeating: "usage ", count: 2000)
    let sorted = """
      {"payload":{"base_instructions":"\(long)","cwd":"/p","id":"s9"},\
      "timestamp":"2026-02-19T10:00:00Z","type":"session_meta"}
      """
    #expect(keys([[sorted, turn(), event(500, 20, total: 520, at: "10:00:10Z")]]) == ["s9:520"])
  }

  @Test func takesTheAccountFromTheSession() {
    let lines = [meta("s1"), turn(), event(500, 20, total: 520, at: "10:00:10Z")]
    let found = read("codex", [(nil, lines.joined(separator: "\n"))], .from("originator")).log
      .requests
    #expect(found.map { member("account", of: $0) } == ["codex_cli_rs"])
  }
}
