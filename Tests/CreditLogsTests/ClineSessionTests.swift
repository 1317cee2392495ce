import CreditLogs
import Testing

/// Sessions of Cline's command line: `sessions/ID/ID.messages.json`.
@Suite struct ClineSessionTests {
  private let path = "/home/ana/.cline/data/sessions/s1/s1.messages.json"

  private func assistant(_ id: String, input: Int = 24067, model: Bool = true) -> String {
    let info = model ? #""modelInfo":{"id":"claude-sonnet-4.5","provider":"cline"},"# : ""
    return """
      {"id":"\(id)","role":"assistant","content":[{"type":"text","text":"hi"}],\
      "ts":1771495200000,\(info)"metrics":{"inputTokens":\(input),"outputTokens":193,\
      "cacheReadTokens":18432,"cacheWriteTokens":100,"cost":0.0110232}}
      """
  }

  private func session(_ messages: String...) -> String {
    """
    {"version":1,"agent":"lead","messages":[{"role":"user","content":"hi","ts":1},\
    \(messages.joined(separator: ","))]}
    """
  }

  @Test func messagesWithMetricsAreCalls() {
    let (log, tally) = read(
      "cline", [(path, session(assistant("m1"), assistant("m2", model: false)))])
    #expect(
      log.requests.first == """
        {"account":"me","key":"s1:m1","model":"claude-sonnet-4.5","usage":{"inputTokens":5535,\
        "outputTokens":193,"cacheReadTokens":18432,"cacheWriteTokens":100},\
        "reportedUSD":"0.0110232","usedAt":"2026-02-19T10:00:00.000Z",\
        "tags":{"source":"cline","session":"s1"}}
        """)
    // A message without a model is of the model before.
    #expect(
      log.requests.map { member("model", of: $0) }
        == Array(repeating: "claude-sonnet-4.5", count: 2))
    #expect(tally.lines.isEmpty)
  }

  @Test func damagedCountsTakeNoOtherMessageWithThem() {
    let (log, tally) = read("cline", [(path, session(assistant("m1", input: 5), assistant("m2")))])
    #expect(log.requests.map { member("key", of: $0) } == ["s1:m2"])
    #expect(tally.counts == ["its usage cannot be read": 1])
  }

  @Test func aSessionWithoutACallIsSilent() {
    let (log, tally) = read("cline", [(path, #"{"version":1,"messages":[]}"#)])
    #expect(log.requests.isEmpty && log.misfits.isEmpty && tally.lines.isEmpty)
  }
}
