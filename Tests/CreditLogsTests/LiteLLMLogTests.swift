import CreditLogs
import Testing

@Suite struct LiteLLMLogTests {
  private let row = """
    {"request_id":"chatcmpl-1","call_type":"acompletion","api_key":"88dc","spend":0.00217,\
    "total_tokens":1520,"prompt_tokens":1500,"completion_tokens":20,\
    "startTime":"2026-02-19T10:00:00.000000+00:00","endTime":"2026-02-19T10:00:02Z",\
    "model":"gpt-4o","model_group":"chat","custom_llm_provider":"openai","user":"ana",\
    "cache_hit":"False",\
    "session_id":"s1","status":"success","metadata":{"status":"success","additional_usage_values":\
    {"completion_tokens_details":{"reasoning_tokens":5},\
    "prompt_tokens_details":{"cached_tokens":1000}}}}
    """

  @Test func makesARequestOfARow() {
    #expect(
      requests("litellm", row, row) == [
        """
        {"account":"me","key":"chatcmpl-1","model":"gpt-4o","usage":{"inputTokens":500,\
        "outputTokens":20,"cacheReadTokens":1000},"reportedUSD":"0.00217",\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"litellm","session":"s1"}}
        """
      ])
  }

  /// LiteLLM includes in the input the counts that Anthropic has beside it.
  @Test func readsCacheCountsUnderEachName() {
    let anthropic = row.replacing(
      #""prompt_tokens_details":{"cached_tokens":1000}"#,
      with: #""cache_read_input_tokens":900,"cache_creation_input_tokens":100"#)
    #expect(member("usage.inputTokens", of: requests("litellm", anthropic)[0]) == "500")
    #expect(member("usage.cacheWriteTokens", of: requests("litellm", anthropic)[0]) == "100")
    let whole = anthropic.replacing("additional_usage_values", with: "usage_object")
    #expect(member("usage.cacheReadTokens", of: requests("litellm", whole)[0]) == "900")
  }

  @Test func readsMetadataThatIsText() {
    let text = """
      {"request_id":"a","model":"m","prompt_tokens":1500,"completion_tokens":2,"metadata":\
      "{\\"team\\":\\"blue\\",\\"additional_usage_values\\":{\\"cache_read_input_tokens\\":1000}}"}
      """
    #expect(member("usage.cacheReadTokens", of: requests("litellm", text)[0]) == "1000")
    let found = requests("litellm", text, selection: .from("metadata.team"))
    #expect(found.map { member("account", of: $0) } == ["blue"])
  }

  @Test func skipsFreeCalls() {
    let free = row.replacing("0.00217", with: "0.0")
    let rows = [
      free.replacing(#""status":"success","metadata""#, with: #""status":"failure","metadata""#),
      free.replacing(#"{"status":"success""#, with: #"{"status":"failure""#),
      free.replacing("chatcmpl-1", with: "chatcmpl-1_cache_hit1771495200.5"),
      row.replacing(#""cache_hit":"False""#, with: #""cache_hit":"True""#),
    ]
    let (log, tally) = read("litellm", [(nil, rows.joined(separator: "\n"))])
    #expect(log.requests == [])
    #expect(
      tally.counts == [LogOmission.failed.rawValue: 2, LogOmission.cacheHit.rawValue: 2])
    #expect(tally.lines.allSatisfy { $0.first == nil })
  }

  /// A stream that broke has the cost of the part that came.
  @Test func failedCallsWithASpendAreBilled() {
    let broken = row.replacing(#""success""#, with: #""failure""#)
    #expect(requests("litellm", broken) == requests("litellm", row))
    let negative = broken.replacing("0.00217", with: "-0.00217")
    #expect(requests("litellm", negative).isEmpty)
  }

  @Test func readsALoggingPayload() {
    let payload = """
      {"id":"c2","trace_id":"t","model":"gpt-4o","prompt_tokens":7,"completion_tokens":3,\
      "response_cost":1.25e-05,"startTime":1771495200.5,"endTime":1771495201,"status":"success",\
      "metadata":{"usage_object":null}}
      """
    let request = requests("litellm", payload)
    #expect(member("reportedUSD", of: request[0]) == "1.25e-05")
    #expect(member("usedAt", of: request[0]) == "2026-02-19T10:00:00.500Z")
    #expect(member("tags.session", of: request[0]) == "t")
  }

  /// A count that is absent is 0 if the total shows it, as of embeddings.
  @Test(arguments: ["\"completion_tokens\":null,", "\"completion_tokens\":\"\",", ""])
  func absentCountsAreNotGuessed(_ output: String) {
    func row(_ counts: String) -> String {
      "{\"request_id\":\"a\",\"model\":\"m\",\(counts)\"status\":\"success\"}"
    }
    let prompt = "\"prompt_tokens\":100,\(output)"
    let embedding = requests("litellm", row(prompt + "\"total_tokens\":100,"))
    #expect(embedding.map { member("usage.outputTokens", of: $0) } == ["0"])
    let cost = requests("litellm", row("\"spend\":\"0.5\","))
    #expect(cost.map { member("reportedUSD", of: $0) } == ["0.5"])
    let total = "\"total_tokens\":110,"
    for unknown in [output, prompt, prompt + total, output + total] {
      let (log, tally) = read("litellm", [(nil, row(unknown))])
      #expect(log.requests == [] && tally.lines.count == 1, "\(unknown)")
    }
  }

  /// A spreadsheet in a language with decimal commas.
  @Test(arguments: [";", "\t"]) func otherSeparatorsAreFound(_ separator: String) {
    let rows = [
      ["request_id", "model", "prompt_tokens", "completion_tokens", "\"a,b\""],
      ["r1", "gpt-4o", "10", "5", "\"1,5;2\t3\""],
    ]
    let text = rows.map { $0.joined(separator: separator) }.joined(separator: "\n")
    #expect(requests("litellm", text).map { member("key", of: $0) } == ["r1"])
    let other = text.replacing(separator, with: "|")
    #expect(read("litellm", [(nil, other)]).tally.lines.count == 1)
  }
}
