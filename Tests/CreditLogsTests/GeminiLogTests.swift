import CreditLogs
import Testing

@Suite struct GeminiLogTests {
  private let path = "/home/ana/.gemini/tmp/my-app/chats/session-2026-02-19T10-00-5f.jsonl"
  private let start = """
    {"sessionId":"s1","projectHash":"h","startTime":"2026-02-19T10:00:00.000Z","lastUpdated":"x"}
    """

  private func message(
    _ id: String, output: Int? = 40, cached: Int = 0, model: String = "gemini-2.5-pro"
  )
    -> String
  {
    let tokens = output.map {
      """
      {"input":1000,"output":\($0),"cached":\(cached),"thoughts":60,"tool":5,"total":\(1065 + $0)}
      """
    }
    return """
      {"id":"\(id)","timestamp":"2026-02-19T10:00:01.000Z","type":"gemini","content":"usage",\
      "thoughts":[],"tokens":\(tokens ?? "null"),"model":"\(model)"}
      """
  }

  @Test func makesOneRequestOfAMessage() {
    let lines = [
      start, #"{"id":"u","timestamp":"2026-02-19T10:00:00.000Z","type":"user","content":"hi"}"#,
      message("m1", output: nil), message("m1", output: 40, cached: 900),
      #"{"$set":{"lastUpdated":"2026-02-19T10:00:02.000Z"}}"#,
    ]
    #expect(
      read("gemini", [(path, lines.joined(separator: "\n"))]).log.requests == [
        """
        {"account":"me","key":"s1:m1","model":"gemini-2.5-pro","usage":{"inputTokens":105,\
        "outputTokens":100,"cacheReadTokens":900},"usedAt":"2026-02-19T10:00:01.000Z",\
        "tags":{"source":"gemini","project":"my-app","session":"s1"}}
        """
      ])
  }

  @Test func lastRecordOfAMessageStands() {
    let found = requests(
      "gemini", start, message("m1", output: 40), message("m1", output: 70),
      message("m1", output: nil),
      path: path)
    #expect(found.map { member("usage.outputTokens", of: $0) } == ["130"])
  }

  @Test func aRewindTakesNoCostBack() {
    let lines = [
      start, message("m1"), #"{"$rewindTo":"m1"}"#, message("m2"),
      #"{"$set":{"messages":["# + message("m2") + "]}}",
    ]
    let found = read("gemini", [(path, lines.joined(separator: "\n"))]).log.requests
    #expect(found.map { member("key", of: $0) } == ["s1:m1", "s1:m2"])
  }

  /// As they were written before there were lines: laid out over many of them.
  @Test func readsWholeSessions() {
    let session = """
      {
        "sessionId": "s1",
        "projectHash": "h",
        "messages": [
          \(message("m1")),
          \(message("m2", cached: 100))
        ]
      }
      """
    let texts: Texts = [
      ("session-a.json", session), ("session-a.jsonl", start + "\n" + message("m1")),
    ]
    let found = read("gemini", texts).log.requests
    #expect(found.map { member("key", of: $0) } == ["s1:m1", "s1:m2"])
    #expect(found.map { member("tags.project", of: $0) } == ["h", "h"])
  }

  /// `--session-file` begins a session with the messages of another one.
  @Test func importedMessagesAreCopies() {
    let imported = message("m1").replacing("10:00:01", with: "09:00:01")
    let lines = [
      start.replacing("s1", with: "s2"),
      #"{"id":"import-1","timestamp":"2026-02-19T10:00:00.000Z","type":"info","content":"x"}"#,
      imported, message("m2"), imported,
    ]
    let (log, tally) = read("gemini", [(path, lines.joined(separator: "\n"))])
    #expect(log.requests.map { member("key", of: $0) } == ["s2:m2"])
    #expect(tally.counts == [LogOmission.copied.rawValue: 2])
  }

  /// An answer without text has the counts of its call, and no model.
  @Test func anAnswerWithoutAModelIsOfTheOneBefore() {
    let model = #","model":"gemini-2.5-pro""#
    let patch = #"{"$patch":{"updates":[{"id":"m1","content":[]}],"removeIds":["m1"]}}"#
    let found = requests(
      "gemini", start, message("m1"), patch, message("m2").replacing(model, with: ""), path: path)
    #expect(found.map { member("model", of: $0) } == ["gemini-2.5-pro", "gemini-2.5-pro"])
    let first = read("gemini", [(path, start + "\n" + message("m2").replacing(model, with: ""))])
    #expect(first.tally.counts == ["it names no model; --model does": 1])
  }

  @Test func damagedCountsAreCounted() {
    let lines = [
      start, message("m1", cached: 2000),
      message("m2").replacing(#""input":1000"#, with: #""input":"x""#),
      message("m3"),
    ]
    let (log, tally) = read("gemini", [(path, lines.joined(separator: "\n"))])
    #expect(log.requests.map { member("key", of: $0) } == ["s1:m3"])
    #expect(tally.counts == ["its usage cannot be read": 2])
  }
}
