import CreditLogs
import Testing

@Suite struct BatchLogTests {
  private let openAI = """
    {"id":"batch_req_1","custom_id":"row-1","response":{"status_code":200,"request_id":"r","body":\
    {"id":"chatcmpl-9","object":"chat.completion","created":1771495200,"model":"gpt-4o-2024-08-06",\
    "choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],\
    "usage":{"prompt_tokens":100,"completion_tokens":9,"total_tokens":109,\
    "prompt_tokens_details":{"cached_tokens":40}}}},"error":null}
    """
  private let anthropic = """
    {"custom_id":"row-1","result":{"type":"succeeded","message":{"id":"msg_9","type":"message",\
    "role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"hi"}],\
    "stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":34}}}}
    """

  @Test func readsResultsOfOpenAI() {
    #expect(
      requests("openai", openAI, openAI) == [
        """
        {"account":"me","key":"chatcmpl-9","model":"gpt-4o-2024-08-06","usage":{"inputTokens":60,\
        "outputTokens":9,"cacheReadTokens":40,"serviceTier":"batch"},\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"openai","custom_id":"row-1"}}
        """
      ])
  }

  @Test func readsResultsOfAnthropic() {
    #expect(
      requests("anthropic", anthropic) == [
        """
        {"account":"me","key":"msg_9","model":"claude-sonnet-4-5","usage":{"inputTokens":10,\
        "outputTokens":34,"serviceTier":"batch"},"tags":{"source":"anthropic","custom_id":"row-1"}}
        """
      ])
  }

  @Test func failuresAreNotBilled() {
    let failed = [
      openAI.replacing(#""error":null"#, with: #""error":{"code":"batch_expired","message":"m"}"#),
      openAI.replacing(#""status_code":200"#, with: #""status_code":400"#),
      openAI.replacing(#""status_code":200"#, with: #""status_code":302"#),
      openAI.replacing(#""model":"gpt"#, with: #""status":"failed","model":"gpt"#),
      #"{"id":"batch_req_2","custom_id":"row-2","response":null,"error":{"code":"batch_expired"}}"#,
    ]
    let openAI = read("openai", [(nil, failed.joined(separator: "\n"))])
    #expect(openAI.log.requests == [])
    #expect(openAI.tally.counts == [LogOmission.failed.rawValue: 5])
    let errored = #"{"custom_id":"a","result":{"type":"errored","error":{"type":"error"}}}"#
    let expired = #"{"custom_id":"b","result":{"type":"expired"}}"#
    let anthropic = read("anthropic", [(nil, errored + "\n" + expired)])
    #expect(anthropic.tally.counts == [LogOmission.failed.rawValue: 2])
  }

  @Test func takesSucceededAndPendingRequests() {
    let created = openAI.replacing(#""status_code":200"#, with: #""status_code":201"#)
    #expect(requests("openai", created).count == 1)
    let begun = """
      {"id":"b","custom_id":"c","response":{"status_code":200,"body":{"id":"resp_1",\
      "object":"response","status":"in_progress","model":"gpt-5",\
      "usage":{"input_tokens":1,"output_tokens":2,\
      "total_tokens":3}}},"error":null}
      """
    #expect(read("openai", [(nil, begun)]).tally.counts == [LogOmission.notFinal.rawValue: 1])
  }

  @Test func usesTheLineIfTheResponseHasNoID() {
    let embeddings = """
      {"id":"batch_req_3","custom_id":"e","response":{"status_code":200,"body":{"object":"list",\
      "model":"text-embedding-3-small","usage":{"prompt_tokens":8,"total_tokens":8}}},"error":null}
      """
    #expect(requests("openai", embeddings).map { member("key", of: $0) } == ["batch_req_3"])
  }

  @Test func findsTheAccountInTheRequestsName() {
    let found = requests("anthropic", anthropic, selection: .from("custom_id"))
    #expect(found.map { member("account", of: $0) } == ["row-1"])
    let inside = requests("openai", openAI, selection: .from("response.body.model"))
    #expect(inside.map { member("account", of: $0) } == ["gpt-4o-2024-08-06"])
  }
}
