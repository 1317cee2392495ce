import CreditLogs
import Testing

/// Wire logs of Kimi Code, of protocol 1.4 on.
@Suite struct KimiLogTests {
  private let path = "/home/ana/.kimi-code/sessions/wd_my_app_5a6b7c8d9e0f/session_1/agents/main"

  private func record(
    _ input: Int, at time: Int, model: String? = "kimi-code/kimi-for-coding", scope: String = "turn"
  ) -> String {
    let model = model.map { #""model":"\#($0)","# } ?? ""
    return """
      {"type":"usage.record",\(model)"usage":{"inputOther":\(input),"output":51,\
      "inputCacheRead":1024,"inputCacheCreation":500},"usageScope":"\(scope)","time":\(time)}
      """
  }

  private func keys(_ texts: Texts) -> [String?] {
    read("kimi", texts).log.requests.map { member("key", of: $0) }
  }

  @Test func recordsOfTurnsAndCompactionsAreCalls() {
    let lines = [
      #"{"type":"metadata","protocol_version":"1.4","created_at":1}"#,
      record(21237, at: 1_781_156_608_362), record(112, at: 1_781_156_708_033, scope: "session"),
    ]
    let text = lines.joined(separator: "\n")
    let (log, tally) = read("kimi", [(path + "/wire.jsonl", text)])
    #expect(
      log.requests.first == """
        {"account":"me","key":"main:1781156608362:21237:1024:51","model":"kimi-for-coding",\
        "usage":{"inputTokens":21237,"outputTokens":51,"cacheReadTokens":1024,\
        "cacheWriteTokens":500},"usedAt":"2026-06-11T05:43:28.362Z","tags":{"source":"kimi",\
        "project":"my_app","session":"session_1"}}
        """)
    #expect(log.requests.count == 2)
    #expect(tally.lines.isEmpty)
  }

  @Test func modelsHaveTheNamesOfTheirRequests() {
    let request = """
      {"type":"llm.request","model":"kimi-k2.6","modelAlias":"kimi-code/kimi-for-coding","time":1}
      """
    let lines = [request, record(1, at: 1_781_156_608_362)]
    let found = requests("kimi", lines[0], lines[1], path: path + "/wire.jsonl")
    #expect(found.map { member("model", of: $0) } == ["kimi-k2.6"])
  }

  @Test func agentsOfASessionAreApartAndItsForksAreCopies() {
    let text = record(1, at: 1_781_156_608_362)
    let other = path.replacing("agents/main", with: "agents/sub1")
    let fork = path.replacing("session_1", with: "session_2")
    #expect(
      keys([
        (path + "/wire.jsonl", text), (other + "/wire.jsonl", text), (fork + "/wire.jsonl", text),
      ]) == ["main:1781156608362:1:1024:51", "sub1:1781156608362:1:1024:51"])
  }

  @Test func recordsOfNothingAreNoCalls() {
    let zero = """
      {"type":"usage.record","model":"k3","usage":{"inputOther":0,"output":0},"time":1781156608362}
      """
    let (log, tally) = read("kimi", [(path + "/wire.jsonl", zero)])
    #expect(log.requests.isEmpty && log.misfits.isEmpty && tally.lines.isEmpty)
  }
}
