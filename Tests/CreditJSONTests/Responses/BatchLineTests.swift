import Testing

@testable import CreditJSON

/// Lines of the files of results that batches make.
@Suite struct BatchLineTests {
  private static let openAI =
    #"{"id":"batch_req_1","custom_id":"q-1","response":{"status_code":200,"request_id":"r","#
    + #""body":{"id":"chatcmpl-1","object":"chat.completion","model":"m","choices":["#
    + #"{"message":{},"finish_reason":"stop"}],"service_tier":"default","usage":{"#
    + #""prompt_tokens":5,"completion_tokens":3}}},"error":null}"#
  private static let anthropic =
    #"{"custom_id":"q-1","result":{"type":"succeeded","message":{"id":"msg_1","type":"message","#
    + #""model":"m","stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":3,"#
    + #""service_tier":"batch"}}}}"#

  @Test(arguments: [(openAI, "chatcmpl-1"), (anthropic, "msg_1")])
  func readsTheResponseOnTheLine(_ text: String, id: String) throws {
    for reading in [try usageReading(of: text), try response(text)] {
      #expect(reading.outcomeText == "complete")
      #expect(
        usageText(reading.usage)
          == #"{"inputTokens":5,"outputTokens":3,"serviceTier":"batch"}"#)
      #expect(reading.responseModel == "m")
      #expect(reading.batch?.responseID == id)
      #expect(reading.batch?.customID == "q-1")
    }
  }

  @Test(arguments: [
    (
      #"{"custom_id":"q","response":null,"error":{"code":"batch_expired","message":"m"}}"#,
      #"the response failed: "batch_expired", "m""#
    ),
    (
      #"{"custom_id":"q","error":null,"response":{"status_code":429,"body":{"error":{"#
        + #""type":"t","message":"m"}}}}"#,
      #"the response failed: "t", "m""#
    ),
    (
      #"{"custom_id":"q","error":null,"response":{"status_code":500,"body":{"id":"c","usage":{"#
        + #""prompt_tokens":5,"completion_tokens":3}}}}"#,
      #"the response failed: "500""#
    ),
    (
      #"{"custom_id":"q","result":{"type":"errored","error":{"type":"error","error":{"#
        + #""type":"invalid_request","message":"m"}}}}"#,
      #"the response failed: "invalid_request", "m""#
    ),
    (
      #"{"custom_id":"q","error":null,"response":{"status_code":302,"body":{"id":"c","usage":{"#
        + #""prompt_tokens":5,"completion_tokens":3}}}}"#,
      #"the response failed: "302""#
    ),
    (#"{"custom_id":"q","result":{"type":"canceled"}}"#, #"the response failed: "canceled""#),
    (#"{"custom_id":"q","result":{"type":"expired"}}"#, #"the response failed: "expired""#),
    (
      #"{"custom_id":"q","response":null,"error":null}"#,
      #"the response failed: "there is no response""#
    ),
  ])
  func namesTheFailure(_ text: String, message: String) throws {
    #expect(try usageReading(of: text).refusal == message)
    #expect(try response(text).refusal == message)
  }

  @Test func twoLinesAreTwoResponses() throws {
    let other = Self.openAI.replacing("chatcmpl-1", with: "chatcmpl-2")
    #expect(try response(Self.openAI + "\n" + other).outcomeText == "invalid_usage")
  }

  @Test(arguments: [
    #"{"custom_id":"q","usage":{"inputTokens":5,"outputTokens":3,"cacheReadTokens":1}}"#,
    #"{"result":"x","usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
    #"{"response":{"usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}}}"#,
  ])
  func ignoresOtherObjects(_ text: String) throws {
    #expect(try usageReading(of: text).batch == nil)
  }
}
