import CreditLogs
import Testing

@Suite struct ClaudeLogTests {
  private let path = "/home/ana/.claude/projects/-home-ana-my-app/5f.jsonl"

  /// A line of a transcript.
  private func line(
    _ id: String, output: Int = 50, stop: String? = "\"end_turn\"",
    at time: String = "10:00:00.000Z",
    session: String = "s1", more: String = ""
  ) -> String {
    let stopReason = stop.map { "\"stop_reason\":\($0)," } ?? ""
    return """
      {"parentUuid":null,"isSidechain":false,"cwd":"/home/ana/my-app/src","sessionId":"\(session)",\
      "type":"assistant","uuid":"u-\(id)-\(output)",\(more)"message":{"model":"claude-sonnet-4-5",\
      "id":"\(id)","type":"message","role":"assistant",\
      "content":[{"type":"text","text":"a \\"usage\\""}],\
      \(stopReason)"usage":{"input_tokens":3,"cache_read_input_tokens":2000,\
      "cache_creation_input_tokens":400,"output_tokens":\(output)}},\
      "timestamp":"2026-02-19T\(time)"}
      """
  }

  @Test func makesOneRequestOfAMessage() {
    let lines = [
      #"{"type":"user","message":{"role":"user","content":"usage"},"uuid":"x"}"#,
      line("msg_1", output: 1, stop: "null"),
      line("msg_1", output: 1, stop: "null", at: "10:00:01.000Z"),
      line("msg_1", output: 512, at: "10:00:02.000Z"),
    ]
    #expect(
      read("claude", [(path, lines.joined(separator: "\n"))]).log.requests == [
        """
        {"account":"me","key":"msg_1","model":"claude-sonnet-4-5","usage":{"inputTokens":3,\
        "outputTokens":512,"cacheReadTokens":2000,"cacheWriteTokens":400},\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"claude","project":"/home/ana/my-app",\
        "session":"s1"}}
        """
      ])
  }

  @Test func holdsBackMessagesWithoutFinalCounts() {
    let lines = [line("msg_1", output: 8, stop: "null"), line("msg_2")].joined(separator: "\n")
    let (log, tally) = read("claude", [(path, lines)])
    #expect(log.requests.map { member("key", of: $0) } == ["msg_2"])
    #expect(tally.counts == [LogOmission.notFinal.rawValue: 1])
    let all = read("claude", [(path, lines)], .me.with { $0.includesPartial = true }).log.requests
    #expect(all.map { member("key", of: $0) } == ["msg_1", "msg_2"])
    #expect(member("usage.outputTokens", of: all[0]) == "8")
  }

  /// Older versions wrote lines without the member at all.
  @Test func takesALineThatDoesNotSayWhyItStopped() {
    #expect(requests("claude", line("msg_1", stop: nil)).count == 1)
  }

  @Test func takesTheHighestOutputAndTheLatestOfSeveral() {
    let lines = [
      line("msg_1", output: 70, at: "10:00:01.000Z"), line("msg_1", output: 90, session: "s2"),
      line("msg_1", output: 90, at: "10:00:05.000Z", session: "s3"), line("msg_1", output: 5),
    ]
    let request = read("claude", [(path, lines.joined(separator: "\n"))]).log.requests
    #expect(request.count == 1)
    #expect(member("usage.outputTokens", of: request[0]) == "90")
    #expect(member("tags.session", of: request[0]) == "s3")
    #expect(member("usedAt", of: request[0]) == "2026-02-19T10:00:00.000Z")
  }

  /// A fork copies lines into a file of its own, and a subagent's stand in two.
  @Test func countsCopiesOnceInAnyOrder() {
    let original = [
      line("msg_1", output: 1, stop: "null"), line("msg_2"), line("msg_1", output: 600),
    ]
    let fork = [
      line("msg_2", session: "s9"), line("msg_1", output: 600, session: "s9"),
      line("msg_3", session: "s9"),
    ]
    let texts: Texts = [
      (path, original.joined(separator: "\n")),
      ("/home/ana/.claude/projects/-home-ana-my-app/9.jsonl", fork.joined(separator: "\n")),
    ]
    let forward = read("claude", texts).log.requests
    #expect(forward.sorted() == read("claude", texts.reversed()).log.requests.sorted())
    #expect(forward.map { member("key", of: $0) } == ["msg_1", "msg_2", "msg_3"])
    #expect(forward.map { member("usage.outputTokens", of: $0) } == ["600", "50", "50"])
  }

  @Test func readsTheMessageOfASubagentsProgress() {
    let progress = """
      {"type":"progress","sessionId":"s1","data":{"type":"agent_progress",\
      "message":\(line("msg_7"))}}
      """
    let both = requests("claude", progress, line("msg_7"), path: path)
    #expect(both.map { member("key", of: $0) } == ["msg_7"])
    #expect(requests("claude", progress).count == 1)
  }

  @Test func readsTheCostInALog() {
    let request = requests("claude", line("msg_1", more: #""costUSD":0.0123450,"#))
    #expect(member("reportedUSD", of: request[0]) == "0.0123450")
  }

  /// Tools' reports and Claude Code's own texts are not messages of the model.
  @Test func passesOverOtherUsages() {
    let others = requests(
      "claude",
      #"{"toolUseResult":{"usage":{"input_tokens":9,"output_tokens":9}},"message":{}}"#,
      line("msg_1").replacing("claude-sonnet-4-5", with: "<synthetic>"),
      line("msg_2", more: #""isApiErrorMessage":true,"#))
    #expect(others == [])
  }

  @Test func keysByRequestOrLineIfAMessageHasNoID() {
    let nameless = line("msg_1").replacing(#""id":"msg_1","#, with: "")
    #expect(member("key", of: requests("claude", nameless)[0]) == "u-msg_1-50")
    let requested = nameless.replacing(#""uuid""#, with: #""requestId":"req_1","uuid""#)
    #expect(member("key", of: requests("claude", requested)[0]) == "req_1")
  }

  @Test(arguments: [
    ("/x/projects/-home-ana-my-app/a.jsonl", "/home/ana/my-app/src", "/home/ana/my-app"),
    ("/x/projects/-home-ana-my-app/a.jsonl", "/home/ana/my-app", "/home/ana/my-app"),
    ("/x/projects/-home-ana-my-app/s/subagents/b.jsonl", "/home/ana/my.app", "/home/ana/my.app"),
    ("/x/projects/-home-ana-my-app/a.jsonl", "/elsewhere", "/home/ana/my/app"),
    ("/x/projects/-home-ana-my-app/a.jsonl", "/home/ana/my-apples", "/home/ana/my/app"),
    ("logs/-home-ana/a.jsonl", "/tmp", "/home/ana"),
    ("a.jsonl", "/home/ana", "/home/ana"),
  ])
  func decodesTheProject(path: String, cwd: String, project: String) {
    let line = line("msg_1").replacing("/home/ana/my-app/src", with: cwd)
    #expect(member("tags.project", of: requests("claude", line, path: path)[0]) == project)
  }

  @Test func findsTheUsualPlaces() {
    let places = ClaudeLogPlaces.of
    #expect(places(["HOME": "/h"]) == ["/h/.claude/projects", "/h/.config/claude/projects"])
    #expect(
      places(["HOME": "/h", "CLAUDE_CONFIG_DIR": "/a,/b/projects"]) == [
        "/a/projects", "/b/projects",
      ])
    #expect(places([:]) == [])
  }
}

private enum ClaudeLogPlaces {
  static func of(_ environment: [String: String]) -> [String] {
    LogFormats.named("claude")?.description.places { environment[$0] } ?? []
  }
}
