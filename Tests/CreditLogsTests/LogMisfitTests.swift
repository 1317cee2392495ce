import CreditLogs
import Testing

/// Logs of other programs, which are never passed over in silence.
@Suite struct LogMisfitTests {
  private func misfits(_ format: String, _ text: String) -> [String] {
    read(format, [("/x/a.jsonl", text)]).log.misfits
  }

  private static let codex = """
    {"timestamp":"2026-02-19T10:00:00.000Z","type":"session_meta","payload":{"id":"s1"}}
    {"timestamp":"2026-02-19T10:00:00.000Z","type":"event_msg","payload":{"type":"other"}}
    """

  private static let claude = """
    {"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"Hi"}}
    """

  @Test func anothersLogIsNamed() {
    #expect(
      misfits("claude", Self.codex) == ["claude: no call in /x/a.jsonl; it looks like codex"])
    #expect(
      misfits("codex", Self.claude) == ["codex: no call in /x/a.jsonl; it looks like claude"])
    for line in [
      #"{"message":{"id":"msg_1","role":"assistant"},"requestId":"req_1","type":"assistant"}"#,
      #"{"type":"assistant","message":{"id":"msg_1","role":"assistant"},"session_id":"s"}"#,
    ] {
      #expect(misfits("codex", line) == ["codex: no call in /x/a.jsonl; it looks like claude"])
    }
    #expect(misfits("kimi", #"{"a":1}"#) == ["kimi: no call in /x/a.jsonl"])
  }

  /// Its lines have responses, each of which could be charged by itself.
  @Test(arguments: ["openai", "anthropic"])
  func aSessionIsNoBatchOfResponses(format: String) {
    let line =
      #"{"isSidechain":false,"sessionId":"s","message":{"id":"m","model":"x","#
      + #""stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}}"#
    for text in [line, line + "\n" + line] {
      let (log, tally) = read(format, [("a", text)])
      #expect(log.misfits == ["\(format): no call in a; it looks like claude"])
      #expect(tally.lines.map(\.reason) == ["it is not the result of a batch's request"])
    }
  }

  /// A log that has just begun has no call either.
  @Test func aLogWithoutACallYetIsSilent() {
    #expect(misfits("codex", Self.codex) == [])
    #expect(misfits("claude", Self.claude) == [])
    for format in LogFormats.all {
      let name = "\(format.description.name)"
      for text in ["", "\n\n", "[]", " [ ]\n"] { #expect(misfits(name, text) == [], "\(name)") }
    }
  }

  /// The last line of a log that is being written is torn.
  @Test func aDamagedLineIsOfNoFormat() {
    for (format, damage) in [("codex", "{\"cut"), ("roo", "{\"cut"), ("roo", "5")] {
      let (log, tally) = read(format, [("a", Self.claude + "\n" + damage)])
      #expect(log.misfits == ["\(format): no call in a; it looks like claude"])
      #expect(tally.lines.count == 1)
    }
    #expect(misfits("codex", Self.codex + "\n{\"cut") == [])
  }

  /// Chats of any program have roles and messages.
  @Test func commonNamesAreNoSigns() {
    let chat = #"{"sessionId":"s","message":{"role":"user","content":"Hi"},"messages":[]}"#
    for format in LogFormats.all {
      let name = "\(format.description.name)"
      let (log, tally) = read(name, [("/x/a.jsonl", chat)])
      let isTold = log.misfits == ["\(name): no call in /x/a.jsonl"]
      #expect(isTold || log.misfits == [] && !tally.lines.isEmpty)
    }
    for name in ["roo", "cline", "qwen"] {
      let text = "\(name): no call in /x/a.jsonl; it looks like claude"
      #expect(misfits(name, Self.claude) == [text])
    }
  }

  /// A chat begins with a question.
  @Test func chatsWithoutACallYetAreSilent() {
    let qwen = #"{"parentUuid":null,"type":"user","message":{"role":"user","parts":[]}}"#
    #expect(misfits("qwen", qwen) == [])
    let conversation = ("/t/api_conversation_history.json", #"[{"role":"user","content":"Hi"}]"#)
    #expect(read("roo", [conversation]).log.misfits == [])
    #expect(misfits("roo", #"[{"ts":1,"type":"say","say":"text","text":"Hi"}]"#) == [])
  }

  /// A damaged record is reported as such.
  @Test func aProblemIsNoMisfit() {
    let text = #"{"message":{"usage":{"input_tokens":-1,"output_tokens":2},"id":"m","model":"x"}}"#
    let (log, tally) = read("claude", [("a", text)])
    #expect(log.misfits == [] && tally.lines.count == 1)
  }
}
