import CreditModel
import Testing

@testable import CreditJSON

/// One response for each row of the table, and for optional parts of its provider.
@Suite struct UsageShapeTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let counts: [Int64]

    init(_ name: String, _ text: String, _ counts: [Int64]) {
      self.name = name
      self.text = text
      self.counts = counts
    }

    var testDescription: String { name }
  }

  static let examples = [
    Example("own form", #"{"usage":{"inputTokens":5,"outputTokens":3}}"#, [5, 3, 0, 0]),
    Example(
      "own form, cache",
      #"{"usage":{"inputTokens":5,"outputTokens":3,"cacheReadTokens":2,"cacheWriteTokens":1}}"#,
      [5, 3, 2, 1]),
    Example(
      "own form, a total that is not billed",
      #"{"usage":{"inputTokens":5,"outputTokens":3,"totalTokens":900}}"#, [5, 3, 0, 0]),
    Example(
      "Bedrock Converse, aliases",
      #"{"usage":{"cacheReadInputTokenCount":7,"cacheReadInputTokens":7,"cacheWriteInputTokens":4,"#
        + #""cacheWriteInputTokenCount":4,"inputTokens":5,"outputTokens":3,"totalTokens":19}}"#,
      [5, 3, 7, 4]),
    Example(
      "Bedrock Converse, streamed", #"{"metadata":{"usage":{"inputTokens":5,"outputTokens":3}}}"#,
      [5, 3, 0, 0]),
    Example(
      "OpenAI Chat",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,"#
        + #""prompt_tokens_details":{"cached_tokens":6,"cache_write_tokens":1,"audio_tokens":2},"#
        + #""completion_tokens_details":{"reasoning_tokens":3,"audio_tokens":1}}}"#,
      [1, 3, 6, 1]),
    Example(
      "OpenAI Chat, null details",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":null,"#
        + #""completion_tokens_details":{"reasoning_tokens":null}}}"#,
      [10, 4, 0, 0]),
    Example(
      "OpenAI embeddings", #"{"usage":{"prompt_tokens":10,"total_tokens":10}}"#, [10, 0, 0, 0]),
    Example(
      "both sets of names, as some gateways write",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,"input_tokens":0,"#
        + #""output_tokens":0,"input_tokens_details":null}}"#,
      [10, 4, 0, 0]),
    Example(
      "xAI, reasoning outside",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":21,"#
        + #""completion_tokens_details":{"reasoning_tokens":7}}}"#,
      [10, 11, 0, 0]),
    Example(
      "more reasoning than completion, but the total says no",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,"#
        + #""completion_tokens_details":{"reasoning_tokens":5}}}"#,
      [10, 4, 0, 0]),
    Example(
      "a total with hidden reasoning",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":99}}"#, [10, 4, 0, 0]),
    Example(
      "DeepSeek",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,"#
        + #""prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":2}}"#,
      [2, 4, 8, 0]),
    Example(
      "Mistral, the number under the second of its names",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"num_cached_tokens":8,"#
        + #""prompt_tokens_details":{"cached_tokens":0}}}"#,
      [2, 4, 8, 0]),
    Example(
      "Moonshot", #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"cached_tokens":8}}"#,
      [2, 4, 8, 0]),
    Example(
      "Moonshot, streamed",
      #"{"choices":[{"usage":{"prompt_tokens":10,"completion_tokens":4}}]}"#, [10, 4, 0, 0]),
    Example(
      "Groq, twice",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_time":0.01},"#
        + #""x_groq":{"usage":{"prompt_tokens":10,"completion_tokens":4}}}"#,
      [10, 4, 0, 0]),
    Example(
      "Groq, streamed",
      #"{"usage":null,"x_groq":{"usage":{"prompt_tokens":10,"completion_tokens":4}}}"#,
      [10, 4, 0, 0]),
    Example(
      "Perplexity, whose citations are priced apart",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,"#
        + #""citation_tokens":500,"reasoning_tokens":900,"search_context_size":"low"}}"#,
      [10, 4, 0, 0]),
    Example("a bare usage", #"{"prompt_tokens":10,"completion_tokens":4}"#, [10, 4, 0, 0]),
    Example(
      "OpenAI Responses",
      #"{"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":6,"#
        + #""cache_write_tokens":1},"output_tokens":4,"output_tokens_details":"#
        + #"{"reasoning_tokens":3},"total_tokens":14}}"#,
      [3, 4, 6, 1]),
    Example(
      "OpenAI Responses, streamed",
      #"{"type":"response.completed","response":{"usage":{"input_tokens":10,"output_tokens":4,"#
        + #""total_tokens":14}}}"#,
      [10, 4, 0, 0]),
    Example(
      "OpenAI Realtime",
      #"{"type":"response.done","response":{"usage":{"total_tokens":14,"input_tokens":10,"#
        + #""output_tokens":4,"input_token_details":{"audio_tokens":3,"cached_tokens":6}}}}"#,
      [1, 4, 6, 0]),
    Example(
      "Anthropic",
      #"{"type":"message","usage":{"input_tokens":10,"cache_creation_input_tokens":30,"#
        + #""cache_read_input_tokens":20,"cache_creation":{"ephemeral_5m_input_tokens":12,"#
        + #""ephemeral_1h_input_tokens":18},"output_tokens":4,"service_tier":"standard"}}"#,
      [10, 4, 20, 12]),
    Example(
      "Anthropic, null cache counts",
      #"{"usage":{"input_tokens":10,"cache_creation_input_tokens":null,"#
        + #""cache_read_input_tokens":null,"output_tokens":4,"server_tool_use":null}}"#,
      [10, 4, 0, 0]),
    Example(
      "Bedrock Converse, null cache counts",
      #"{"usage":{"inputTokens":10,"outputTokens":4,"totalTokens":14,"#
        + #""cacheReadInputTokens":null,"cacheWriteInputTokens":null,"cacheDetails":null},"#
        + #""serviceTier":null,"performanceConfig":null}"#,
      [10, 4, 0, 0]),
    Example(
      "Anthropic, compaction",
      #"{"usage":{"input_tokens":5,"output_tokens":1,"cache_read_input_tokens":0,"iterations":["#
        + #"{"type":"compaction","input_tokens":10,"output_tokens":2,"#
        + #""cache_creation_input_tokens":7},"#
        + #"{"type":"message","input_tokens":5,"output_tokens":1},"#
        + #"{"type":"advisor_message","input_tokens":500,"output_tokens":100}]}}"#,
      [15, 3, 0, 7]),
    Example(
      "Anthropic, steps that the counts include",
      #"{"usage":{"input_tokens":5,"output_tokens":1,"iterations":["#
        + #"{"type":"message","input_tokens":5,"output_tokens":1}]}}"#,
      [5, 1, 0, 0]),
    Example(
      "Gemini",
      #"{"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":6,"#
        + #""toolUsePromptTokenCount":2,"candidatesTokenCount":4,"thoughtsTokenCount":3,"#
        + #""totalTokenCount":19,"trafficType":"ON_DEMAND"}}"#,
      [6, 7, 6, 0]),
    Example(
      "Gemini, blocked", #"{"usageMetadata":{"promptTokenCount":10,"totalTokenCount":10}}"#,
      [10, 0, 0, 0]),
    Example(
      "Gemini, cut off while thinking",
      #"{"usageMetadata":{"promptTokenCount":10,"thoughtsTokenCount":3,"totalTokenCount":13}}"#,
      [10, 3, 0, 0]),
    Example(
      "Gemini Interactions",
      #"{"usage":{"total_input_tokens":10,"total_cached_tokens":6,"total_tool_use_tokens":2,"#
        + #""total_output_tokens":4,"total_thought_tokens":3,"total_tokens":19}}"#,
      [6, 7, 6, 0]),
    Example(
      "Codex",
      #"{"usage":{"input_tokens":10,"cached_input_tokens":6,"output_tokens":4,"#
        + #""reasoning_output_tokens":3}}"#,
      [4, 4, 6, 0]),
    Example(
      "Cohere v2",
      #"{"usage":{"billed_units":{"input_tokens":5,"output_tokens":3},"#
        + #""tokens":{"input_tokens":70,"output_tokens":3},"cached_tokens":64}}"#,
      [5, 3, 0, 0]),
    Example(
      "Cohere v2, streamed",
      #"{"type":"message-end","delta":{"usage":{"billed_units":{"input_tokens":5,"#
        + #""output_tokens":3}}}}"#,
      [5, 3, 0, 0]),
    Example(
      "Cohere v1", #"{"meta":{"billed_units":{"input_tokens":5,"output_tokens":3}}}"#,
      [5, 3, 0, 0]),
    Example(
      "Cohere v1, streamed",
      #"{"event_type":"stream-end","response":{"meta":{"billed_units":{"input_tokens":5,"#
        + #""output_tokens":3},"tokens":{"input_tokens":70,"output_tokens":3}}}}"#,
      [5, 3, 0, 0]),
    Example(
      "Cohere embeddings", #"{"meta":{"billed_units":{"input_tokens":5}}}"#, [5, 0, 0, 0]),
    Example(
      "Ollama", #"{"model":"m","done":true,"prompt_eval_count":5,"eval_count":3}"#, [5, 3, 0, 0]),
    Example(
      "Ollama, cached",
      #"{"done":true,"prompt_eval_count":5,"prompt_eval_cached_count":4,"eval_count":3}"#,
      [1, 3, 4, 0]),
    Example("Ollama, nothing evaluated", #"{"done":true,"eval_count":3}"#, [0, 3, 0, 0]),
    Example(
      "llama.cpp", #"{"timings":{"cache_n":7,"prompt_n":5,"predicted_n":3,"predicted_ms":1.5}}"#,
      [5, 3, 7, 0]),
    Example(
      "llama.cpp, usage first",
      #"{"usage":{"prompt_tokens":12,"completion_tokens":3},"timings":{"prompt_n":5,"#
        + #""predicted_n":3}}"#,
      [12, 3, 0, 0]),
    Example(
      "Gemini embeddings",
      #"{"usageMetadata":{"promptTokenCount":3,"promptTokenDetails":["#
        + #"{"modality":"TEXT","tokenCount":3}]}}"#,
      [3, 0, 0, 0]),
    Example(
      "Vertex AI predict",
      #"{"predictions":[{"embeddings":{"statistics":{"token_count":6}}}]}"#, [6, 0, 0, 0]),
    Example("Voyage", #"{"object":"list","usage":{"total_tokens":6}}"#, [6, 0, 0, 0]),
    Example("Mistral OCR", #"{"usage_info":{"pages_processed":2}}"#, [0, 0, 0, 0]),
    Example("Titan", #"{"inputTextTokenCount":9,"results":[{"tokenCount":17}]}"#, [9, 17, 0, 0]),
    Example(
      "OpenAI Images",
      #"{"data":[],"usage":{"input_tokens":9,"output_tokens":4,"input_tokens_details":{}}}"#,
      [9, 0, 0, 0]),
    Example(
      "Seedream",
      #"{"data":[],"usage":{"generated_images":1,"output_tokens":4,"total_tokens":4}}"#,
      [0, 4, 0, 0]),
    Example(
      "OpenAI speech",
      #"{"type":"speech.audio.done","usage":{"input_tokens":9,"output_tokens":4}}"#, [9, 0, 0, 0]),
    Example(
      "Gemini CLI",
      #"{"stats":{"models":{"m":{"tokens":{"prompt":9,"candidates":4,"cached":2}}}}}"#,
      [7, 4, 2, 0]),
    Example(
      "Gemini in Python",
      #"{"usage_metadata":{"prompt_token_count":9,"candidates_token_count":4}}"#, [9, 4, 0, 0]),
    Example(
      "xAI images", #"{"data":[{"url":"u"}],"usage":{"cost_in_usd_ticks":7}}"#, [0, 0, 0, 0]),
    Example("llama.cpp", #"{"tokens_evaluated":9,"tokens_predicted":4}"#, [9, 4, 0, 0]),
    Example(
      "watsonx.ai", #"{"results":[{"input_token_count":9,"generated_token_count":4}]}"#,
      [9, 4, 0, 0]),
    Example(
      "Llama on Bedrock", #"{"prompt_token_count":158,"generation_token_count":128}"#,
      [158, 128, 0, 0]),
  ]

  @Test(arguments: examples)
  func readsTheFourCounts(_ example: Example) throws {
    let usage = try usageReading(of: example.text).usage
    #expect(usageCounts(usage) == example.counts, "\(usage)")
  }

  @Test func readsUnits() throws {
    #expect(try usageReading(of: #"{"usage":{"units":7}}"#).usage == .counts(.units(7)))
  }

  @Test func readsCountsWithoutTokens() throws {
    let usage = try usageReading(of: #"{"usage":{"images":2,"webSearches":1}}"#).usage
    #expect(
      usageText(usage) == #"{"inputTokens":0,"outputTokens":0,"webSearches":1,"images":2}"#)
    // A member of the request itself is data.
    #expect(try usageReading(of: #"{"images":2}"#).usage.isAbsent)
    for text in [#"{"images":2,"units":1}"#, #"{"inputTokens":5}"#, #"{"images":null}"#] {
      guard case .unreadable = try usageReading(of: #"{"usage":\#(text)}"#).usage else {
        Issue.record("readable: \(text)")
        continue
      }
    }
  }

  @Test func everyRowHasItsExample() throws {
    for shape in UsageShape.all where !shape.isUnits && !shape.fields.isEmpty {
      let fitting = try Self.examples.filter { example in
        try JSONDocument(example.text).withRoot { root in
          guard case .known(let found, _) = UsageFinding(in: SearchedObject(root))
          else { return false }
          return found === shape
        }
      }
      #expect(!fitting.isEmpty, "\(shape.name)")
      #expect(shape.documentation.description.hasPrefix("https://"))
    }
  }
}
