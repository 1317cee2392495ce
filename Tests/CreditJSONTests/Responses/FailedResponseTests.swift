import Testing

@testable import CreditJSON

/// Responses that failed, as providers say so.
@Suite struct FailedResponseTests {
  @Test(arguments: [
    (
      #"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
      #"the response failed: "overloaded_error", "Overloaded""#
    ),
    (
      #"{"error":{"message":"Rate limit","type":"","param":null,"code":"rate_limit_exceeded"}}"#,
      #"the response failed: "rate_limit_exceeded", "Rate limit""#
    ),
    (
      #"{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED"}}"#,
      #"the response failed: "429", "Quota""#
    ),
    (
      #"{"error":{"message":"m","type":"tokens","code":"rate_limit_exceeded"}}"#,
      #"the response failed: "rate_limit_exceeded", "m""#
    ),
    (#"{"error":"model not found"}"#, #"the response failed: "model not found""#),
    (#"{"code":"c","error":"bad"}"#, #"the response failed: "c", "bad""#),
    (
      #"{"object":"error","message":"m","type":"invalid_request_error","code":"1"}"#,
      #"the response failed: "invalid_request_error", "m""#
    ),
    (
      #"{"__type":"ThrottlingException","message":"m"}"#,
      #"the response failed: "ThrottlingException", "m""#
    ),
    (
      #"{"error":{"error":{"type":"t","message":"m"},"type":"error"}}"#,
      #"the response failed: "t", "m""#
    ),
    (#"{"error":true}"#, "the response failed"),
    (#"{"id":"i","finish_reason":"ERROR","message":{}}"#, #"the response failed: "ERROR""#),
    (
      #"{"type":"message-end","delta":{"finish_reason":"ERROR"}}"#,
      #"the response failed: "ERROR""#
    ),
    (#"{"model":"m","usage":null,"error":{"message":"m"}}"#, #"the response failed: "m""#),
    (
      #"{"choices":[{"finish_reason":"error","error":{"code":502,"message":"m"}}]}"#,
      #"the response failed: "502", "m""#
    ),
    (
      #"{"object":"response","status":"failed","error":{"code":"server_error","message":"m"},"#
        + #""usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}}"#,
      #"the response failed: "server_error", "m""#
    ),
    (
      #"{"object":"response","status":"cancelled","error":null,"#
        + #""usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}}"#,
      #"the response failed: "cancelled""#
    ),
    (
      #"{"object":"thread.run","status":"failed","last_error":{"code":"c","message":"m"},"#
        + #""usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8}}"#,
      #"the response failed: "c", "m""#
    ),
  ])
  func failsWholeAndOnALine(_ text: String, message: String) throws {
    #expect(try usageReading(of: text).refusal == message)
    #expect(try response(text).refusal == message)
    #expect(try response(text).outcomeText == "failed_response")
  }

  @Test func quotesAndBoundsProvidersMessages() throws {
    let text = String(repeating: "x", count: 500)
    let reading = try usageReading(of: #"{"error":{"type":"a\nb","message":"\#(text)\u202e"}}"#)
    let message = try #require(reading.refusal)
    #expect(message.hasPrefix(#"the response failed: "a\nb", "xxx"#))
    #expect(message.utf8.count < 450)
  }

  /// After any number of events, and before any others.
  @Test(arguments: Stream.all)
  func aStreamFailsAnywhere(_ stream: Stream) throws {
    let failures = [
      "event: error\ndata: {\"error\":{\"type\":\"t\",\"message\":\"m\"}}\n\n",
      "event: error\ndata: {\"type\":\"t\",\"message\":\"m\"}\n\n",
      "event:error\ndata: it is over\n\n", "event: error\n\n",
      "data: {\"type\":\"error\",\"error\":{\"message\":\"m\"}}\n\n",
      "data: {\"error\":{\"message\":\"m\"},\"choices\":[]}\n\n",
      "data: {\"modelStreamErrorException\":{\"message\":\"m\"}}\n\n",
    ]
    for count in 1...stream.events.count {
      for failure in failures {
        let reading = try response(stream.sent(count) + failure)
        #expect(reading.outcomeText == "failed_response", "\(failure)")
      }
    }
  }

  @Test func anEventNamedErrorHasItsReason() throws {
    let start = Stream.all[6].sent(3)
    let event = "event: error\ndata: {\"type\":\"t\",\"message\":\"m\"}\n\n"
    #expect(try response(start + event).refusal == #"the response failed: "t", "m""#)
    #expect(
      try response(start + "event: error\ndata: gone\n\n").refusal
        == #"the response failed: "error""#)
    // The name of another event is no failure.
    #expect(try response(start + "event: errors\n\n").outcomeText == "cut")
  }

  @Test func failsByTheStatusOfAStream() throws {
    let events = [
      #"{"type":"response.created","response":{"id":"r","status":"in_progress","usage":null}}"#,
      #"""
      {"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"c",\#
      "message":"m"},
      """#
        + #""usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}}}"#,
    ]
    #expect(
      try response(events.joined(separator: "\n")).refusal == #"the response failed: "c", "m""#)
    #expect(
      try response(
        #"""
        {"type":"response.done","response":{"status":"failed",\#
        "status_details":{"error":{"code":"c"}}}}
        """#
      ).refusal == #"the response failed: "c""#)
  }

  /// A provider bills a usage in spite of an error beside it.
  @Test(arguments: [
    #"{"error":{"code":400,"message":"m"},"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
    #"""
    {"error":null,"object":"response","status":"completed","usage":{"input_tokens":5,\#
    "output_tokens":3,"total_tokens":8}}
    """#,
    #"{"error":{},"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
    #"{"error":"data","usage":{"inputTokens":5,"outputTokens":3}}"#,
    #"""
    {"error":"data","status":"failed","usage":{"inputTokens":5,"outputTokens":3,\#
    "cacheReadTokens":0}}
    """#,
  ])
  func anErrorBesideAUsageIsData(_ text: String) throws {
    let reading = try usageReading(of: text)
    #expect(reading.outcomeText == "complete")
    #expect(usageCounts(reading.usage) == [5, 3, 0, 0])
  }

  @Test(arguments: [
    #"{"error":null}"#, #"{"error":false}"#, #"{"error":""}"#, #"{"error":{}}"#, #"{"error":[]}"#,
    #"{"status":"failed","key":"k"}"#, #"{"message":"hello","key":"k"}"#,
  ])
  func isNoFailure(_ text: String) throws {
    #expect(try usageReading(of: text).outcomeText == "complete")
  }

  /// Gateways and some providers only send a message.
  @Test(arguments: [
    (#"{"message":"Too many requests"}"#, #"the response failed: "Too many requests""#),
    (#"{"statusCode":429,"message":"Slow down"}"#, #"the response failed: "Slow down""#),
    (#"{"detail":"Not found"}"#, #"the response failed: "Not found""#),
    (
      #"{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]}"#,
      #"the response failed: "Field required""#
    ),
    (
      #"{"success":false,"errors":[{"code":7003,"message":"No route"}],"result":null}"#,
      #"the response failed: "No route""#
    ),
    (
      #"{"id":"i","name":"content_moderation","errors":["flagged"]}"#,
      #"the response failed: "content_moderation", "flagged""#
    ),
    (#"{"status":"Error","message":"m"}"#, #"the response failed: "Error", "m""#),
    (#"{"data":[{"status":"failed"}]}"#, #"the response failed: "failed""#),
  ])
  func aMessageAloneIsAFailure(_ text: String, message: String) throws {
    #expect(try response(text).refusal == message)
  }

  @Test(arguments: [
    #"{"code":200,"msg":"success","data":{"taskId":"abc"}}"#, #"{"data":{"video_id":"x"}}"#,
    #"{"code":0,"message":"SUCCEED","data":{"task_id":"1"}}"#, #"{"result":"pending"}"#,
    #"{"image":{"url":null,"content_type":"image/png"}}"#,
    #"{"status":"success","id":"job1","message":"queued"}"#,
    #"{"data":[{"taskUUID":"x","status":"processing"}]}"#, #"{"data":[{"id":"x"},null]}"#,
    #"{"code":200,"data":{"outputs":[],"urls":{"get":"u"},"status":"created"}}"#,
    #"{"data":[{"status":"processing"},{"status":"success","url":"u"}]}"#,
    #"{"text":""}"#, #"{"query":"x","results":[]}"#, #"{"id":"1","raises":3}"#,
  ])
  func anAcceptedJobIsNotFinished(_ text: String) throws {
    #expect(try response(text).outcomeText == "cut_response", "\(text)")
  }

  @Test(arguments: [
    #"{"data":[{"is_image_safe":false,"url":null}]}"#, #"{"success":false,"result":{"url":"u"}}"#,
    #"{"url":"u","respect_moderation":false}"#, #"{"images":[],"text":"I cannot draw that"}"#,
    #"{"generated_images":[{"image":null,"rai_filtered_reason":"x"}]}"#,
    #"{"done":true,"response":{"raiMediaFilteredCount":1,"raiMediaFilteredReasons":["x"]}}"#,
    #"{"response":{"generateVideoResponse":{"raiMediaFilteredCount":1}}}"#,
    #"{"error":"overloaded","url":"u"}"#, #"{"error":"m","status":"completed"}"#,
  ])
  func aRefusedProductIsAFailure(_ text: String) throws {
    #expect(try response(text).outcomeText == "failed_response", "\(text)")
  }

  @Test(arguments: [
    (#"{"created":1,"data":[{"url":"https://x","b64_json":""}]}"#, 1),
    (#"{"results":[{"images":["a","b","c","d"]}]}"#, 4),
    (#"{"status":"completed_with_errors","images":["a"]}"#, 1),
    (#"{"error":"one of two failed","images":["a"]}"#, 1),
    (#"{"state":"Waiting for rain","results":[{"title":"t"}]}"#, 1),
    (#"{"audio_file":{"url":"u"}}"#, 1), (#"{"audioContent":"AAAA"}"#, 1),
    (#"{"generatedImages":[{"image":{"imageBytes":"A"}},{"image":{"imageBytes":"B"}}]}"#, 2),
    (#"{"response":{"generateVideoResponse":{"generatedSamples":[{"video":{"uri":"u"}}]}}}"#, 1),
    (#"{"data":[{"embedding":[0.5,0.25]},{"embedding":[1,2]}]}"#, 2),
    (#"{"result":{"sample":"u"},"status":"Ready"}"#, 1),
  ])
  func countsFinishedProducts(_ text: String, count: Int64) throws {
    let reading = try response(text)
    #expect(reading.outcomeText == "complete", "\(text)")
    #expect(reading.productCount == count, "\(text)")
  }
}
