import CreditModel
import Testing

@testable import CreditJSON

/// Whole responses whose usage does not stand in one object, or not under the usual names.
@Suite struct ProviderUsageTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let usage: String
    let unread: [String]

    init(_ name: String, _ text: String, _ usage: String, unread: [String] = []) {
      self.name = name
      self.text = text
      self.usage = usage
      self.unread = unread
    }

    var testDescription: String { name }
  }

  @Test(arguments: [
    Example(
      "an empty tier",
      #"{"object":"chat.completion","service_tier":"","choices":[],"usage":{"prompt_tokens":22,"#
        + #""completion_tokens":5,"total_tokens":27}}"#,
      #"{"inputTokens":22,"outputTokens":5}"#),
    Example(
      "Gemini embeddings of an image",
      #"{"embeddings":[],"usageMetadata":{"promptTokenCount":261,"promptTokenDetails":["#
        + #"{"modality":"IMAGE","tokenCount":258},{"modality":"TEXT","tokenCount":3}]}}"#,
      #"{"inputTokens":3,"outputTokens":0,"imageInputTokens":258}"#),
    Example(
      "Gemini details under both names count once",
      #"{"usageMetadata":{"promptTokenCount":261,"promptTokensDetails":["#
        + #"{"modality":"IMAGE","tokenCount":258}],"promptTokenDetails":["#
        + #"{"modality":"IMAGE","tokenCount":258}]}}"#,
      #"{"inputTokens":3,"outputTokens":0,"imageInputTokens":258}"#),
    Example(
      "Voxtral: audio beside the prompt, which the total shows",
      #"{"object":"chat.completion","choices":[],"usage":{"prompt_audio_seconds":3,"#
        + #""prompt_tokens":9,"total_tokens":632,"completion_tokens":248,"#
        + #""prompt_tokens_details":{"cached_tokens":0,"audio_tokens":375}}}"#,
      #"{"inputTokens":9,"outputTokens":248,"audioInputTokens":375}"#,
      unread: ["prompt_audio_seconds"]),
    Example(
      "OpenAI's calls among the items of the output",
      #"{"object":"response","status":"completed","output":["#
        + #"{"type":"web_search_call","status":"completed","action":{"type":"search"}},"#
        + #"{"type":"web_search_call","action":{"type":"open_page"}},"#
        + #"{"type":"web_search_call","action":{"type":"find_in_page"}},"#
        + #"{"type":"file_search_call"},{"type":"code_interpreter_call"},"#
        + #"{"type":"code_interpreter_call"},{"type":"image_generation_call"},"#
        + #"{"type":"function_call"},{"type":"message"}],"#
        + #""usage":{"input_tokens":100,"output_tokens":10,"total_tokens":110}}"#,
      #"{"inputTokens":100,"outputTokens":10,"webSearches":1,"fileSearches":1}"#,
      unread: ["output.code_interpreter_call", "output.image_generation_call"]),
    Example(
      "what OpenAI counts itself is not counted again",
      #"{"object":"response","status":"completed","output":["#
        + #"{"type":"web_search_call","action":{"type":"search"}}],"#
        + #""tool_usage":{"web_search":{"num_requests":4}},"#
        + #""usage":{"input_tokens":100,"output_tokens":10,"total_tokens":110}}"#,
      #"{"inputTokens":100,"outputTokens":10,"webSearches":4}"#),
    Example(
      "OpenAI: cache writes of 12 hours",
      #"{"object":"response","status":"completed","output":[],"usage":{"input_tokens":10000,"#
        + #""input_tokens_details":{"cached_tokens":500,"cache_write_tokens":9000,"#
        + #""cache_write_tokens_details":{"ttl_30m_tokens":1000,"ttl_12h_tokens":8000}},"#
        + #""output_tokens":10,"total_tokens":10010}}"#,
      #"{"inputTokens":500,"outputTokens":10,"cacheReadTokens":500,"cacheWriteTokens":1000,"#
        + #""cacheWrite12hTokens":8000}"#),
    Example(
      "Anthropic: an advisor is another model",
      #"{"type":"message","stop_reason":"end_turn","usage":{"input_tokens":2417,"#
        + #""output_tokens":133,"iterations":[{"type":"advisor_message","input_tokens":2529,"#
        + #""output_tokens":38},{"type":"message","input_tokens":2417,"output_tokens":133}]}}"#,
      #"{"inputTokens":2417,"outputTokens":133}"#, unread: ["iterations.advisor_message"]),
    Example(
      "OpenRouter: tools of its own",
      #"{"usage":{"prompt_tokens":5,"completion_tokens":3,"#
        + #""server_tool_use_details":{"tool_calls_requested":1,"tool_calls_executed":1}}}"#,
      #"{"inputTokens":5,"outputTokens":3}"#,
      unread: ["server_tool_use_details.tool_calls_executed"]),
    Example(
      "Titan",
      #"{"inputTextTokenCount":9,"results":[{"tokenCount":17,"outputText":"x"},"#
        + #"{"tokenCount":3,"outputText":"y"}]}"#,
      #"{"inputTokens":9,"outputTokens":20}"#),
    Example(
      "Titan embeddings", #"{"embedding":[0.1],"inputTextTokenCount":9}"#,
      #"{"inputTokens":9,"outputTokens":0}"#),
    Example(
      "Llama on Bedrock",
      #"{"generation":"x","prompt_token_count":158,"generation_token_count":128,"#
        + #""stop_reason":"length"}"#,
      #"{"inputTokens":158,"outputTokens":128}"#),
    Example(
      "Vertex AI predictions",
      #"{"predictions":[{"embeddings":{"statistics":{"truncated":false,"token_count":6}}},"#
        + #"{"embeddings":{"statistics":{"truncated":false,"token_count":4}}}]}"#,
      #"{"inputTokens":10,"outputTokens":0}"#),
    Example(
      "Voyage", #"{"object":"list","data":[],"model":"v","usage":{"total_tokens":10}}"#,
      #"{"inputTokens":10,"outputTokens":0}"#),
    Example(
      "Voyage: pixels are billed, too",
      #"{"object":"list","data":[],"usage":{"text_tokens":4,"image_pixels":2000,"#
        + #""total_tokens":10}}"#,
      #"{"inputTokens":10,"outputTokens":0}"#, unread: ["image_pixels"]),
    Example(
      "Jina's ranking", #"{"model":"j","usage":{"total_tokens":15},"results":[]}"#,
      #"{"inputTokens":15,"outputTokens":0}"#),
    Example(
      "Mistral OCR",
      #"{"pages":[],"model":"m","usage_info":{"pages_processed":3,"doc_size_bytes":12000}}"#,
      #"{"inputTokens":0,"outputTokens":0,"pages":3}"#),
    Example(
      "whisper", #"{"text":"x","usage":{"type":"duration","seconds":12}}"#, #"{"units":12}"#),
    Example(
      "whisper: a second that has begun", #"{"usage":{"type":"duration","seconds":6.04}}"#,
      #"{"units":7}"#),
    Example(
      "whisper: a recording of no length", #"{"usage":{"type":"duration","seconds":0.0}}"#,
      #"{"units":0}"#),
    Example(
      "Seedream",
      #"{"data":[{},{}],"usage":{"generated_images":2,"output_tokens":8,"total_tokens":8}}"#,
      #"{"inputTokens":0,"outputTokens":8,"images":2}"#),
    Example(
      "DashScope", #"{"output":{},"usage":{"height":9,"width":9,"image_count":3}}"#,
      #"{"inputTokens":0,"outputTokens":0,"images":3}"#),
    Example(
      "Gemini's batch",
      #"{"key":"r-1","response":{"candidates":[{"finishReason":"STOP"}],"responseId":"g1","#
        + #""usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":3}}}"#,
      #"{"inputTokens":5,"outputTokens":3,"serviceTier":"batch"}"#),
    Example(
      "xAI's batch",
      #"{"batch_request_id":"r-1","batch_result":{"response":{"chat_get_completion":{"id":"x","#
        + #""choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8}}}}}"#,
      #"{"inputTokens":5,"outputTokens":3,"serviceTier":"batch"}"#),
  ])
  func reads(_ example: Example) throws {
    for reading in [try usageReading(of: example.text), try response(example.text)] {
      #expect(usageText(reading.usage) == example.usage, "\(reading.usage)")
      #expect(reading.unread == example.unread)
    }
  }

  @Test func aTotalAloneIsNotAnotherUsage() throws {
    let reading = try usageReading(of: #"{"model":"m","usage":{"total_tokens":10}}"#)
    #expect(usageText(reading.usage) == nil)
  }

  @Test func ticksAreACostInDollars() throws {
    let reading = try response(
      #"{"usage":{"prompt_tokens":5,"completion_tokens":3,"cost_in_usd_ticks":37756000}}"#)
    #expect(reading.reportedUSD?.text == "0.0037756")
  }

  @Test func interactionsCountInEachStep() throws {
    let stream =
      #"data: {"event_type":"step.delta","delta":{},"metadata":{"usage":{"#
      + #""total_input_tokens":11,"total_output_tokens":37}}}"# + "\n\n"
      + #"data: {"event_type":"interaction.completed","interaction":{"id":"v1","#
      + #""status":"completed","usage":{"total_input_tokens":11,"total_output_tokens":42}}}"#
      + "\n\n"
    let reading = try response(stream)
    #expect(usageCounts(reading.usage) == [11, 42, 0, 0])
    #expect(reading.isComplete)
  }

  @Test func titanCountsItsStreamAtBothEnds() throws {
    let reading = try response(
      #"{"outputText":"a","index":0,"totalOutputTextTokenCount":null,"completionReason":null,"#
        + #""inputTextTokenCount":9}"# + "\n"
        + #"{"outputText":"b","index":0,"totalOutputTextTokenCount":17,"#
        + #""completionReason":"FINISH","inputTextTokenCount":null}"#)
    #expect(usageCounts(reading.usage) == [9, 17, 0, 0])
    #expect(reading.isComplete)
  }

  // MARK: Gemini's searches

  private func grounded(_ metadata: String, model: String?) throws -> UsageReading {
    let name = model.map { #","modelVersion":"\#($0)""# } ?? ""
    return try usageReading(
      of: #"{"candidates":[{"finishReason":"STOP","groundingMetadata":\#(metadata)}],"#
        + #""usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5}\#(name)}"#)
  }

  @Test(arguments: [
    ("gemini-3-flash-preview", 2), ("gemini-2.5-flash", 1), ("models/gemini-2.0-flash", 1),
  ])
  func searchesOfTheWebAreBilledByGeneration(model: String, count: Int64) throws {
    let reading = try grounded(#"{"webSearchQueries":["a","","b","a"]}"#, model: model)
    guard case .counts(.tokens(let tokens)) = reading.usage else {
      Issue.record("no counts")
      return
    }
    #expect(tokens[.webSearches] == count)
    #expect(reading.unread == [])
  }

  @Test func searchesOfUnknownModelsAreNamed() throws {
    for model in [nil, "other-3"] {
      let reading = try grounded(#"{"webSearchQueries":["a"]}"#, model: model)
      #expect(usageText(reading.usage) == #"{"inputTokens":10,"outputTokens":5}"#)
      #expect(reading.unread == ["groundingMetadata.webSearchQueries"])
    }
  }

  @Test func mapsAndStoredTextsAreNamed() throws {
    let reading = try grounded(
      #"{"retrievalQueries":["q"],"imageSearchQueries":[],"groundingChunks":[{"maps":{}}]}"#,
      model: "gemini-2.5-flash")
    #expect(
      reading.unread == [
        "groundingMetadata.retrievalQueries", "groundingMetadata.groundingChunks.maps",
      ])
  }

  @Test func searchesOutliveLaterCounts() throws {
    let stream =
      #"data: {"candidates":[{"content":{},"groundingMetadata":{"webSearchQueries":["a","b"]}}],"#
      + #""usageMetadata":{"promptTokenCount":10},"modelVersion":"gemini-3-pro"}"# + "\n\n"
      + #"data: {"candidates":[{"finishReason":"STOP"}],"#
      + #""usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5}}"# + "\n\n"
    let reading = try response(stream)
    #expect(usageText(reading.usage) == #"{"inputTokens":10,"outputTokens":5,"webSearches":2}"#)
  }
}
