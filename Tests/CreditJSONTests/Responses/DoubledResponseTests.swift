import Testing

@testable import CreditJSON

/// Input with more than one response in it.
@Suite struct DoubledResponseTests {
  private func renamed(_ stream: Stream) -> Stream {
    var events = stream.events
    for (old, new) in [
      ("\"id\":\"", "\"id\":\"x"), ("responseId\":\"", "responseId\":\"x"),
      ("generation_id\":\"", "generation_id\":\"x"), ("created_at\":\"", "created_at\":\"x"),
    ] {
      events = events.map { $0.replacing(old, with: new) }
    }
    return Stream(
      name: stream.name, events: events, usage: stream.usage, completeFrom: stream.completeFrom)
  }

  @Test(arguments: Stream.all)
  func twoStreamsAreTwo(_ stream: Stream) throws {
    let count = stream.events.count
    let other = renamed(stream)
    if !stream.closesByWord {
      #expect(
        try response(stream.lines(count) + other.lines(count)).outcomeText == "invalid_usage")
    }
    let both = stream.sent(count + 1) + other.sent(count + 1)
    #expect(try response(both).outcomeText == "invalid_usage")
  }

  @Test func oneThatIsCutIsAResponseToo() throws {
    let (chat, other) = (Stream.all[1], renamed(Stream.all[1]))
    let piece = #"{"id":"a","choices":[{"delta":{"content":"A"},"finish_reason":null}]}"# + "\n"
    for text in [
      chat.lines(2) + other.lines(other.events.count), piece + piece + Self.chat("b", 3),
      Self.chat("a", 3) + "\n{\"id\":\"b", Stream.all[0].sent(4) + "data: {\"id\":\"b",
    ] {
      #expect(try response(text).outcomeText == "invalid_usage", "\(text)")
    }
  }

  @Test(arguments: [
    // Whole responses, by their ids, or by their usage if they have none.
    [
      #"""
      {"id":"a","object":"chat.completion","choices":[{"message":{},"finish_reason":"stop"}],\#
      "usage":{"prompt_tokens":5,"completion_tokens":3}}
      """#,
      #"""
      {"id":"b","object":"chat.completion","choices":[{"message":{},"finish_reason":"stop"}],\#
      "usage":{"prompt_tokens":5,"completion_tokens":3}}
      """#,
    ],
    [
      #"{"model":"a","usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
      #"{"model":"b","usage":{"prompt_tokens":9,"completion_tokens":7}}"#,
    ],
    [
      #"""
      {"id":"a","type":"message","stop_reason":"end_turn","usage":{"input_tokens":5,\#
      "output_tokens":3}}
      """#,
      #"""
      {"id":"b","type":"message","stop_reason":"end_turn","usage":{"input_tokens":5,\#
      "output_tokens":3}}
      """#,
    ],
    [
      #"""
      {"id":"a","object":"response","status":"completed","usage":{"input_tokens":5,\#
      "output_tokens":3,"total_tokens":8}}
      """#,
      #"""
      {"id":"b","object":"response","status":"completed","usage":{"input_tokens":5,\#
      "output_tokens":3,"total_tokens":8}}
      """#,
    ],
    // Of two providers.
    [
      #"""
      {"id":"a","type":"message","stop_reason":"end_turn","usage":{"input_tokens":5,\#
      "output_tokens":3}}
      """#,
      #"""
      {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,\#
      "candidatesTokenCount":3}}
      """#,
    ],
    [
      #"{"inputTokens":5,"outputTokens":3}"#, #"{"usage":{"inputTokens":7,"outputTokens":3}}"#,
    ],
    // One begins within the other.
    [
      #"""
      {"type":"message_start","message":{"id":"a","usage":{"input_tokens":5,"output_tokens":1}}}
      """#,
      #"""
      {"type":"message_start","message":{"id":"b","usage":{"input_tokens":5,"output_tokens":1}}}
      """#,
      #"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#,
    ],
    [#"{"messageStart":{}}"#, #"{"messageStart":{}}"#],
    // Two final usages under one id, of streams and of whole responses.
    anthropic("a", 5_000) + anthropic("a", 16),
    anthropic("a", 16) + anthropic("a", 5_000),
    responses("a", 6_000) + responses("a", 61),
    responses("a", 61) + responses("a", 6_000),
    [message("a", 5_000), message("a", 16)], [message("a", 16), message("a", 5_000)],
    [whole("a", 6_000), whole("a", 61)], [whole("a", 61), whole("a", 6_000)],
    [chat("a", 6_000), chat("a", 61)], [chat("a", 61), chat("a", 6_000)],
    // A response that began again and did not end has less than the known one.
    anthropic("a", 5_000) + anthropic("a", 5_000).dropLast(2),
    responses("a", 6_000) + responses("a", 6_000).dropLast(),
    // Less after a final usage, within one stream.
    Array(anthropic("a", 5_000).dropLast() + anthropic("a", 16).dropFirst()),
    [message("a", 5_000), message("a", 16, stopReason: "null")],
  ])
  func twoAreTwo(_ chunks: [String]) throws {
    for separator in ["\n", ""] {
      let reading = try response(chunks.joined(separator: separator))
      #expect(reading.outcomeText == "invalid_usage")
      #expect(reading.refusal?.contains("--response takes one") == true)
    }
    #expect(
      try response("[" + chunks.joined(separator: ",") + "]").outcomeText == "invalid_usage")
  }

  private static func anthropic(_ id: String, _ output: Int) -> [String] {
    [
      #"{"type":"message_start","message":{"id":"\#(id)","usage":{"input_tokens":5,"#
        + #""output_tokens":1}}}"#,
      #"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":"#
        + #"\#(output)}}"#,
      #"{"type":"message_stop"}"#,
    ]
  }

  private static func message(_ id: String, _ output: Int, stopReason: String = #""end_turn""#)
    -> String
  {
    #"{"id":"\#(id)","type":"message","stop_reason":\#(stopReason),"usage":{"input_tokens":5,"#
      + #""output_tokens":\#(output)}}"#
  }

  private static func responses(_ id: String, _ output: Int) -> [String] {
    [
      #"{"type":"response.created","response":{"id":"\#(id)","status":"in_progress"}}"#,
      #"{"type":"response.completed","response":{"id":"\#(id)","status":"completed","#
        + #""usage":{"input_tokens":5,"output_tokens":\#(output),"total_tokens":\#(output + 5)}}}"#,
    ]
  }

  private static func whole(_ id: String, _ output: Int) -> String {
    #"{"id":"\#(id)","object":"response","status":"completed","usage":{"input_tokens":5,"#
      + #""output_tokens":\#(output),"total_tokens":\#(output + 5)}}"#
  }

  private static func chat(_ id: String, _ output: Int) -> String {
    #"{"id":"\#(id)","object":"chat.completion","choices":[{"message":{},"#
      + #""finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":\#(output)}}"#
  }

  @Test(arguments: [
    // The same again.
    anthropic("a", 3) + anthropic("a", 3), responses("a", 3) + responses("a", 3),
    [message("a", 3), message("a", 3)], [whole("a", 3), whole("a", 3)],
    [chat("a", 3), chat("a", 3)],
    // Lines of a message of which the last is as it ended.
    [message("a", 1, stopReason: "null"), message("a", 3)],
    // Counts that grow after the first final ones of a stream.
    Array(anthropic("a", 2).dropLast() + anthropic("a", 3).dropFirst()),
    [
      #"{"id":"a","choices":[{"delta":{},"finish_reason":"stop"}],"#
        + #""usage":{"prompt_tokens":5,"completion_tokens":2}}"#,
      #"{"id":"a","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
    ],
    [
      #"""
      {"type":"message_start","message":{"id":"a","usage":{"input_tokens":5,"output_tokens":1}}}
      """#,
      #"""
      {"type":"message_start","message":{"id":"a","usage":{"input_tokens":5,"output_tokens":1}}}
      """#,
      #"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#,
    ],
    [
      #"{"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
      #"{"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
    ],
    // Each chunk of an old Gemini stream says that it stops.
    [
      #"""
      {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,\#
      "candidatesTokenCount":1}}
      """#,
      #"""
      {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,\#
      "candidatesTokenCount":3}}
      """#,
    ],
    // Ids that change from event to event, and a usage without an id.
    [
      #"{"type":"response.created","response":{"id":"a","status":"in_progress"}}"#,
      #"{"type":"response.in_progress","response":{"id":"b","status":"in_progress"}}"#,
      #"""
      {"type":"response.completed","response":{"id":"c","status":"completed",\#
      "usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}}}
      """#,
    ],
    [
      #"{"id":"a","choices":[{"delta":{},"finish_reason":"stop"}]}"#,
      #"{"id":"","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
      #"{"id":"a","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
    ],
    [
      #"{"id":"a","choices":[{"delta":{}}]}"#,
      #"{"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
    ],
  ])
  func oneIsOne(_ chunks: [String]) throws {
    let reading = try response(chunks.joined(separator: "\n"))
    #expect(reading.outcomeText == "complete")
    #expect(usageCounts(reading.usage) == [5, 3, 0, 0])
  }
}
