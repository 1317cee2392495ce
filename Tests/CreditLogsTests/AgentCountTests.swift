import CreditLogs
import CreditModel
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
}
