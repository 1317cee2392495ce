import Testing

@testable import CreditJSON

/// The counts and conditions that few usages have, as each provider writes them.
@Suite struct UsageCountTests {
  typealias Example = ProviderUsageTests.Example

  @Test(arguments: [
    Example(
      "Anthropic: cache writes by lifetime, searches, tier, speed, place",
      #"{"usage":{"input_tokens":10,"cache_creation_input_tokens":30,"cache_creation":{"#
        + #""ephemeral_5m_input_tokens":12,"ephemeral_1h_input_tokens":18},"output_tokens":4,"#
        + #""server_tool_use":{"web_search_requests":2,"web_fetch_requests":5},"#
        + #""service_tier":"priority","speed":"fast","inference_geo":"us"}}"#,
      #"{"inputTokens":10,"outputTokens":4,"cacheWriteTokens":12,"cacheWrite1hTokens":18,"#
        + #""webSearches":2,"serviceTier":"priority","speed":"fast","inferenceGeo":"us"}"#),
    Example(
      "Anthropic: what is ordinary is left out",
      #"{"usage":{"input_tokens":10,"output_tokens":4,"service_tier":"standard","#
        + #""speed":"standard","inference_geo":"not_available","server_tool_use":null}}"#,
      #"{"inputTokens":10,"outputTokens":4}"#),
    Example(
      "Anthropic: a sum of 0 beside its parts",
      #"{"usage":{"input_tokens":10,"output_tokens":4,"cache_creation_input_tokens":0,"#
        + #""cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":7}}}"#,
      #"{"inputTokens":10,"outputTokens":4,"cacheWrite1hTokens":7}"#),
    Example(
      "Anthropic: steps say the lifetimes that the sum does not",
      #"{"usage":{"input_tokens":10,"output_tokens":4,"cache_creation_input_tokens":9,"#
        + #""iterations":[{"type":"message","input_tokens":10,"output_tokens":4,"#
        + #""cache_creation_input_tokens":9,"cache_creation":{"ephemeral_5m_input_tokens":2,"#
        + #""ephemeral_1h_input_tokens":7}}]}}"#,
      #"{"inputTokens":10,"outputTokens":4,"cacheWriteTokens":2,"cacheWrite1hTokens":7}"#),
    Example(
      "Anthropic: a fallback's counts are those of the top",
      #"{"usage":{"input_tokens":412,"output_tokens":264,"iterations":["#
        + #"{"type":"message","input_tokens":408,"output_tokens":0},"#
        + #"{"type":"fallback_message","input_tokens":412,"output_tokens":264}]}}"#,
      #"{"inputTokens":412,"outputTokens":264}"#),
    Example(
      "OpenAI Chat: audio and images, in and out, and the tier beside the usage",
      #"{"service_tier":"flex","usage":{"prompt_tokens":100,"completion_tokens":50,"#
        + #""prompt_tokens_details":{"cached_tokens":10,"audio_tokens":20,"image_tokens":30,"#
        + #""text_tokens":50},"completion_tokens_details":{"audio_tokens":40,"#
        + #""accepted_prediction_tokens":3,"rejected_prediction_tokens":4}}}"#,
      #"{"inputTokens":40,"outputTokens":10,"cacheReadTokens":10,"imageInputTokens":30,"#
        + #""audioInputTokens":20,"audioOutputTokens":40,"serviceTier":"flex"}"#),
    Example(
      "OpenAI Chat: what is cached is audio where nothing else is left",
      #"{"usage":{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"#
        + #""cached_tokens":90,"audio_tokens":60}}}"#,
      #"{"inputTokens":0,"outputTokens":5,"cacheReadTokens":40,"audioInputTokens":10,"#
        + #""cacheReadAudioTokens":50}"#),
    Example(
      "OpenAI Realtime: what is cached, by kind",
      #"{"type":"response.done","response":{"status":"completed","usage":{"input_tokens":200,"#
        + #""output_tokens":50,"total_tokens":250,"input_token_details":{"text_tokens":80,"#
        + #""audio_tokens":100,"image_tokens":20,"cached_tokens":60,"cached_tokens_details":{"#
        + #""text_tokens":10,"audio_tokens":45,"image_tokens":5}},"#
        + #""output_token_details":{"text_tokens":20,"audio_tokens":30}}}}"#,
      #"{"inputTokens":70,"outputTokens":20,"cacheReadTokens":10,"imageInputTokens":15,"#
        + #""audioInputTokens":55,"audioOutputTokens":30,"cacheReadAudioTokens":45,"#
        + #""cacheReadImageTokens":5}"#),
    Example(
      "OpenAI Images",
      #"{"usage":{"input_tokens":50,"input_tokens_details":{"image_tokens":40,"text_tokens":10},"#
        + #""output_tokens":60,"output_tokens_details":{"image_tokens":55,"text_tokens":5},"#
        + #""total_tokens":110}}"#,
      #"{"inputTokens":10,"outputTokens":5,"imageInputTokens":40,"imageOutputTokens":55}"#),
    Example(
      "OpenAI Responses: searches are counted beside the usage",
      #"{"object":"response","status":"completed","service_tier":"default","tool_usage":{"#
        + #""web_search":{"num_requests":3},"image_gen":{"output_tokens":0}},"usage":{"#
        + #""input_tokens":10,"input_tokens_details":{"cached_tokens":0},"output_tokens":4,"#
        + #""total_tokens":14}}"#,
      #"{"inputTokens":10,"outputTokens":4,"webSearches":3}"#),
    Example(
      "Gemini: kinds in and out, cached by kind, and what tools put in",
      #"{"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":40,"#
        + #""toolUsePromptTokenCount":7,"candidatesTokenCount":30,"thoughtsTokenCount":5,"#
        + #""promptTokensDetails":[{"modality":"TEXT","tokenCount":20},"#
        + #"{"modality":"AUDIO","tokenCount":50},{"modality":"IMAGE","tokenCount":20},"#
        + #"{"modality":"VIDEO","tokenCount":10}],"cacheTokensDetails":["#
        + #"{"modality":"AUDIO","tokenCount":30},{"modality":"IMAGE","tokenCount":4}],"#
        + #""toolUsePromptTokensDetails":[{"modality":"IMAGE","tokenCount":2}],"#
        + #""candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":11},"#
        + #"{"modality":"IMAGE","tokenCount":12}],"trafficType":"ON_DEMAND_PRIORITY"}}"#,
      // Of 107 that went in 40 were cached, 20 more are audio and 18 images.
      #"{"inputTokens":29,"outputTokens":12,"cacheReadTokens":6,"imageInputTokens":18,"#
        + #""audioInputTokens":20,"audioOutputTokens":11,"imageOutputTokens":12,"#
        + #""cacheReadAudioTokens":30,"cacheReadImageTokens":4,"serviceTier":"priority"}"#),
    Example(
      "Vertex: enumerations as numbers",
      #"{"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":3,"trafficType":2,"#
        + #""promptTokensDetails":[{"modality":1,"tokenCount":4},{"modality":4,"tokenCount":6}]}}"#,
      #"{"inputTokens":4,"outputTokens":3,"audioInputTokens":6,"#
        + #""serviceTier":"provisioned_throughput"}"#),
    Example(
      "Gemini Interactions: kinds in small letters",
      #"{"usage":{"total_input_tokens":10,"total_output_tokens":4,"input_tokens_by_modality":["#
        + #"{"modality":"audio","tokens":6}],"grounding_tool_count":["#
        + #"{"type":"google_search","count":2}]}}"#,
      #"{"inputTokens":4,"outputTokens":4,"audioInputTokens":6,"webSearches":2}"#),
    Example(
      "Bedrock Converse: lifetimes, tier, latency",
      #"{"serviceTier":{"type":"flex"},"performanceConfig":{"latency":"optimized"},"usage":{"#
        + #""inputTokens":5,"outputTokens":3,"cacheWriteInputTokens":9,"cacheDetails":["#
        + #"{"ttl":"1h","inputTokens":6},{"ttl":"5m","inputTokens":3}]}}"#,
      #"{"inputTokens":5,"outputTokens":3,"cacheWriteTokens":3,"cacheWrite1hTokens":6,"#
        + #""serviceTier":"flex","speed":"optimized"}"#),
    Example(
      "xAI: tools by name",
      #"{"usage":{"input_tokens":10,"output_tokens":4,"total_tokens":14,"#
        + #""num_server_side_tools_used":6,"server_side_tool_usage_details":{"#
        + #""web_search_calls":1,"x_search_calls":2,"code_interpreter_calls":3,"mcp_calls":9},"#
        + #""context_details":{"input_tokens":7,"output_tokens":3}}}"#,
      #"{"inputTokens":10,"outputTokens":4,"webSearches":1,"xSearches":2,"codeExecutions":3}"#),
    Example(
      "xAI: sources of a live search",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"num_sources_used":5}}"#,
      #"{"inputTokens":10,"outputTokens":4,"searchSources":5}"#),
    Example(
      "Perplexity: citations and queries",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,"#
        + #""citation_tokens":500,"num_search_queries":3,"search_context_size":"low"}}"#,
      #"{"inputTokens":10,"outputTokens":4,"citationTokens":500,"webSearches":3,"#
        + #""searchContext":"low"}"#),
    Example(
      "Cohere: search units alone", #"{"meta":{"billed_units":{"search_units":1}}}"#,
      #"{"inputTokens":0,"outputTokens":0,"searchUnits":1}"#),
    Example(
      "Cohere: images beside the input",
      #"{"meta":{"billed_units":{"input_tokens":5,"image_tokens":9}}}"#,
      #"{"inputTokens":5,"outputTokens":0,"imageInputTokens":9}"#),
    Example(
      "OpenRouter: searches, by both names",
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"server_tool_use":{"#
        + #""web_search_requests":2},"server_tool_use_details":{"web_search_requests":2}}}"#,
      #"{"inputTokens":10,"outputTokens":4,"webSearches":2}"#),
    Example(
      "LiteLLM: Anthropic's lifetimes inside the prompt",
      #"{"usage":{"prompt_tokens":100,"completion_tokens":4,"cache_creation_input_tokens":30,"#
        + #""prompt_tokens_details":{"cached_tokens":20,"cache_creation_tokens":30,"#
        + #""cache_creation_token_details":{"ephemeral_5m_input_tokens":10,"#
        + #""ephemeral_1h_input_tokens":20}}}}"#,
      #"{"inputTokens":50,"outputTokens":4,"cacheReadTokens":20,"cacheWriteTokens":10,"#
        + #""cacheWrite1hTokens":20}"#),
    Example(
      "our own form",
      #"{"usage":{"inputTokens":5,"outputTokens":3,"cacheWriteTokens":1,"cacheWrite1hTokens":2,"#
        + #""webSearches":4,"serviceTier":"Batch","speed":"standard"}}"#,
      #"{"inputTokens":5,"outputTokens":3,"cacheWriteTokens":1,"cacheWrite1hTokens":2,"#
        + #""webSearches":4,"serviceTier":"batch"}"#),
  ])
  func readsCountsAndConditions(_ example: Example) throws {
    let reading = try usageReading(of: example.text)
    #expect(usageText(reading.usage) == example.usage, "\(reading.usage)")
    #expect(reading.unread == [])
  }

  @Test(
    arguments: [
      (#"{"usage":{"prompt_tokens":10,"completion_tokens":4,"new_tokens":5}}"#, ["new_tokens"]),
      (
        #"{"usage":{"input_tokens":1,"output_tokens":1,"server_tool_use":{"#
          + #""code_execution_requests":2,"web_fetch_requests":3}}}"#,
        ["server_tool_use.code_execution_requests"]
      ),
      (
        #"{"usage":{"prompt_tokens":13,"completion_tokens":151,"prompt_audio_seconds":36.5}}"#,
        ["prompt_audio_seconds"]
      ),
      (
        #"{"usage_info":{"pages_processed":3,"pages_processed_annotation":2,"figure_pages":1}}"#,
        ["pages_processed_annotation", "figure_pages"]
      ),
      (
        #"{"usageMetadata":{"promptTokenCount":5,"groundingQueries":2,"speechSeconds":1e2}}"#,
        ["groundingQueries", "speechSeconds"]
      ),
      (#"{"usage":{"inputTokens":5,"outputTokens":3,"holoTokens":1}}"#, ["holoTokens"]),
      // None of it, or no count at all.
      (
        #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"new_tokens":0,"x_tokens":0.0,"#
          + #""y_tokens":"7","z_tokens":null,"max_tokens":512,"queue_time":0.5,"cost":0.1,"#
          + #""n_tokens":-1}}"#,
        []
      ),
      // Billed by a call that is no count here, or not told by tool.
      (
        #"{"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2,"#
          + #""num_server_side_tools_used":2,"server_side_tool_usage_details":{"#
          + #""image_generation_calls":2}}}"#,
        ["server_side_tool_usage_details.image_generation_calls"]
      ),
      (
        #"{"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2,"num_sources_used":0,"#
          + #""num_server_side_tools_used":2}}"#,
        ["num_server_side_tools_used"]
      ),
      (
        #"{"status":"completed","object":"response","tool_usage":{"image_gen":{"input_tokens":9,"#
          + #""total_tokens":9}},"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}"#,
        ["tool_usage.image_gen.input_tokens"]
      ),
      // Reasoning that can't be within the completion and is not in the total.
      (
        #"{"usage":{"prompt_tokens":33,"completion_tokens":7163,"total_tokens":7196,"#
          + #""citation_tokens":20016,"num_search_queries":18,"reasoning_tokens":73997}}"#,
        ["reasoning_tokens"]
      ),
      (
        #"{"usage":{"prompt_tokens":33,"completion_tokens":100,"total_tokens":133,"#
          + #""reasoning_tokens":90}}"#,
        []
      ),
      // Ollama's and llama.cpp's counts are among other numbers.
      (#"{"done":true,"prompt_eval_count":5,"eval_count":3,"options":{"num_tokens":9}}"#, []),
      (#"{"timings":{"prompt_n":5,"predicted_n":3},"tokens":7,"settings":{"n_tokens":9}}"#, []),
    ] as [(String, [String])])
  func namesUnreadNumbers(_ text: String, unread: [String]) throws {
    let reading = try usageReading(of: text)
    #expect(reading.unread == unread)
    #expect(usageText(reading.usage) != nil)
  }

  @Test(arguments: [
    (
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"#
        + #""prompt_tokens_details":{"audio_tokens":11}}}"#,
      "audio and images are more than prompt_tokens"
    ),
    (
      #"{"usage":{"prompt_tokens":10,"completion_tokens":4,"#
        + #""completion_tokens_details":{"audio_tokens":3,"image_tokens":2}}}"#,
      "audio and images are more than completion_tokens"
    ),
    (
      #"{"usage":{"input_tokens":1,"output_tokens":1,"server_tool_use":{"#
        + #""web_search_requests":"two"}}}"#,
      "server_tool_use.web_search_requests must be a whole number"
    ),
    (
      #"{"usage":{"input_tokens":1,"output_tokens":1,"cache_creation":{"#
        + #""ephemeral_5m_input_tokens":9223372036854775807,"ephemeral_1h_input_tokens":1}}}"#,
      "add up to more"
    ),
    (#"{"usage":{"inputTokens":1,"outputTokens":1,"serviceTier":""}}"#, "serviceTier is empty"),
    (
      #"{"usage":{"inputTokens":1,"outputTokens":1,"serviceTier":null}}"#, "serviceTier must be"
    ),
    (#"{"usage":{"inputTokens":1,"outputTokens":1,"webSearches":-1}}"#, "webSearches must be"),
    (
      #"{"usage":{"promptTokens":1500,"completionTokens":5,"cacheReadTokens":1}}"#,
      #"the usage has "promptTokens", but neither inputTokens nor outputTokens"#
    ),
    (#"{"usage":{"total_tokens":1500,"images":1}}"#, #"the usage has "total_tokens""#),
    (#"{"usage":{"totalTokens":1500,"images":1}}"#, #"the usage has "totalTokens""#),
  ])
  func refuses(_ text: String, because phrase: String) throws {
    let usage = try usageReading(of: text).usage
    #expect(usageReason(usage)?.contains(phrase) == true, "\(usage)")
  }

  @Test(arguments: [
    (#"{"cacheReadTokens":1500}"#, #""cacheReadTokens":1500"#),
    (#"{"cacheWriteTokens":7,"images":1}"#, #""cacheWriteTokens":7,"images":1"#),
    (#"{"cacheWrite1hTokens":8}"#, #""cacheWrite1hTokens":8"#),
    (#"{"cacheWrite12hTokens":9}"#, #""cacheWrite12hTokens":9"#),
    (
      #"{"inputTokens":0,"outputTokens":0,"cacheWriteTokens":7,"cacheWrite12hTokens":9}"#,
      #""cacheWriteTokens":7,"cacheWrite12hTokens":9"#
    ),
  ])
  func ownFormKeepsTheCachesCounts(_ usage: String, counts: String) throws {
    let reading = try usageReading(of: #"{"usage":\#(usage)}"#)
    #expect(usageText(reading.usage) == #"{"inputTokens":0,"outputTokens":0,\#(counts)}"#)
  }
}
