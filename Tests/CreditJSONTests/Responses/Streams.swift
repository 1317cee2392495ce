import Testing

@testable import CreditJSON

/// A stream of each form: its events, their result, and how many of them contain everything billed.
struct Stream: Sendable, CustomTestStringConvertible {
  let name: String
  let events: [String]
  let usage: String
  /// From how many events on it is complete; as server-sent events, the closing word is one more.
  let completeFrom: Int
  var closesByWord = false

  var testDescription: String { name }

  /// The first events, one a line.
  func lines(_ count: Int) -> String { events[..<count].map { $0 + "\n" }.joined() }

  /// The first events as server-sent ones; the closing word counts as the last.
  func sent(_ count: Int) -> String {
    let text = events.prefix(count).map { "data: \($0)\n\n" }.joined()
    return count > events.count ? text + "data: [DONE]\n\n" : text
  }

  /// The first events as elements of an array that is cut off after them.
  func elements(_ count: Int) -> String { "[" + events[..<count].joined(separator: "\n,\r\n") }

  /// Wherever it is cut, it is whole, cut, or no text of a response; never another usage.
  /// - Parameter step: the bytes between two cuts.
  func expectNoOtherUsage(every step: Int = 1, _ read: (String) -> UsageReading?) {
    for text in [lines(events.count), elements(events.count), sent(events.count + 1)] {
      let bytes = Array(text.utf8)
      for count in stride(from: 1, to: bytes.count, by: step) {
        guard let cut = String(validating: bytes[..<count], as: UTF8.self),
          let reading = read(cut)
        else { continue }
        let isWhole = reading.outcomeText == "complete" && usageText(reading.usage) == usage
        if !isWhole, reading.outcomeText != "cut" {
          Issue.record("\(reading.outcomeText): \(reading.usage): \(cut)")
          return
        }
      }
    }
  }

  static let all = [
    Stream(
      name: "OpenAI Chat, usage asked for",
      events: [
        #"""
        {"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,\#
        "delta":{"content":"Hi"},"finish_reason":null}],"usage":null}
        """#,
        #"{"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}"#,
        #"{"id":"c1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 3, closesByWord: true),
    Stream(
      name: "OpenAI Chat, usage in every chunk, two choices",
      events: [
        #"""
        {"id":"c1","choices":[{"index":0,"delta":{"content":"A"}}],"usage":{"prompt_tokens":5,\#
        "completion_tokens":1}}
        """#,
        #"""
        {"id":"c1","choices":[{"index":1,"delta":{"content":"B"}}],"usage":{"prompt_tokens":5,\#
        "completion_tokens":2}}
        """#,
        #"""
        {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],\#
        "usage":{"prompt_tokens":5,"completion_tokens":2}}
        """#,
        #"""
        {"id":"c1","choices":[{"index":1,"delta":{"content":"C"},"finish_reason":null}],\#
        "usage":{"prompt_tokens":5,"completion_tokens":3}}
        """#,
        #"""
        {"id":"c1","choices":[{"index":1,"delta":{},"finish_reason":"stop"}],\#
        "usage":{"prompt_tokens":5,"completion_tokens":4}}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":4}"#, completeFrom: 5, closesByWord: true),
    Stream(
      name: "OpenRouter, no reason at all",
      events: [
        #"{"id":"g1","choices":[{"index":0,"delta":{"content":"A"},"finish_reason":null}]}"#,
        #"""
        {"id":"g1","choices":[{"index":0,"delta":{"content":""},"finish_reason":null}],\#
        "usage":{"prompt_tokens":5,"completion_tokens":3}}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 3, closesByWord: true),
    Stream(
      name: "Groq, ids that change",
      events: [
        #"{"id":"c1","choices":[{"index":0,"delta":{"content":"A"},"finish_reason":null}]}"#,
        #"{"id":"c2","choices":[{"index":0,"delta":{"content":"B"},"finish_reason":null}]}"#,
        #"""
        {"id":"c3","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],\#
        "x_groq":{"usage":{"prompt_tokens":5,"completion_tokens":3}}}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 3, closesByWord: true),
    Stream(
      name: "OpenAI Completions",
      events: [
        #"""
        {"id":"c1","object":"text_completion","choices":[{"index":0,"text":"A",\#
        "finish_reason":null}]}
        """#,
        #"""
        {"id":"c1","object":"text_completion","choices":[{"index":0,"text":"",\#
        "finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":3}}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 2, closesByWord: true),
    Stream(
      name: "OpenAI Responses",
      events: [
        #"""
        {"type":"response.created","response":{"id":"r1","object":"response",\#
        "status":"in_progress","model":"m","usage":null}}
        """#,
        #"{"type":"response.output_text.delta","delta":"Hi"}"#,
        #"{"type":"response.output_item.done","item":{"status":"completed"}}"#,
        #"""
        {"type":"response.incomplete","response":{"id":"r1","status":"incomplete",\#
        "usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}}}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 4),
    Stream(
      name: "Anthropic",
      events: [
        #"""
        {"type":"message_start","message":{"id":"m1","type":"message","model":"m",\#
        "stop_reason":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":9,\#
        "cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":7},\#
        "output_tokens":1,"service_tier":"batch"}}}
        """#,
        #"{"type":"ping"}"#,
        #"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        #"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#,
        #"{"type":"content_block_stop","index":0}"#,
        #"{"type":"message_delta","delta":{},"usage":{"output_tokens":2}}"#,
        #"""
        {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3,\#
        "server_tool_use":{"web_search_requests":1}}}
        """#,
        #"{"type":"message_stop"}"#,
      ],
      usage:
        #"""
        {"inputTokens":5,"outputTokens":3,"cacheWriteTokens":2,"cacheWrite1hTokens":7,\#
        "webSearches":1,"serviceTier":"batch"}
        """#,
      completeFrom: 7),
    Stream(
      name: "Gemini",
      events: [
        #"""
        {"candidates":[{"index":0,"content":{}}],"usageMetadata":{"promptTokenCount":5,\#
        "candidatesTokenCount":1},"responseId":"r1"}
        """#,
        #"{"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2},"responseId":"r1"}"#,
        #"""
        {"candidates":[{"content":{},"finishReason":"STOP"}],\#
        "usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":3},"responseId":"r1"}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 3),
    Stream(
      name: "Gemini Interactions",
      events: [
        #"""
        {"event_type":"interaction.created","interaction":{"id":"i1","status":"in_progress",\#
        "model":"m"}}
        """#,
        #"{"event_type":"interaction.status_update","status":"in_progress"}"#,
        #"{"event_type":"step.delta","delta":{"text":"Hi"}}"#,
        #"""
        {"event_type":"interaction.completed","interaction":{"id":"i1","status":"completed",\#
        "usage":{"total_input_tokens":5,"total_output_tokens":3}}}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 4),
    Stream(
      name: "Bedrock Converse",
      events: [
        #"{"messageStart":{"role":"assistant"}}"#,
        #"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Hi"}}}"#,
        #"{"contentBlockStop":{"contentBlockIndex":0}}"#,
        #"{"messageStop":{"stopReason":"end_turn"}}"#,
        #"""
        {"metadata":{"usage":{"inputTokens":5,"outputTokens":3,"totalTokens":8},\#
        "metrics":{"latencyMs":9}}}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 5),
    Stream(
      name: "Cohere v2",
      events: [
        #"{"type":"message-start","id":"c1","delta":{"message":{"role":"assistant"}}}"#,
        #"{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Hi"}}}}"#,
        #"""
        {"type":"message-end","delta":{"finish_reason":"COMPLETE",\#
        "usage":{"billed_units":{"input_tokens":5,"output_tokens":3}}}}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 3),
    Stream(
      name: "Cohere v1",
      events: [
        #"{"is_finished":false,"event_type":"stream-start","generation_id":"g1"}"#,
        #"{"is_finished":false,"event_type":"text-generation","text":"Hi"}"#,
        #"""
        {"is_finished":true,"event_type":"stream-end","response":{"generation_id":"g1",\#
        "meta":{"billed_units":{"input_tokens":5,"output_tokens":3}}}}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 3),
    Stream(
      name: "Ollama",
      events: [
        #"{"model":"m","created_at":"1","response":"Hi","done":false}"#,
        #"""
        {"model":"m","created_at":"2","response":"","done":true,"prompt_eval_count":5,\#
        "eval_count":3}
        """#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 2),
    Stream(
      name: "llama.cpp, timings by token",
      events: [
        #"{"content":"A","stop":false,"timings":{"prompt_n":5,"predicted_n":1}}"#,
        #"{"content":"","stop":true,"timings":{"prompt_n":5,"predicted_n":3}}"#,
      ],
      usage: #"{"inputTokens":5,"outputTokens":3}"#, completeFrom: 2),
  ]
}
