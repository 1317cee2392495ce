import CreditModel

extension UsageShape {
  // Embeddings have no output, and only a total. Reasoning is within the completion except at xAI,
  // whose total shows it. Additions to OpenAI's members:
  // - Azure, Groq, Together, Cerebras, vLLM, z.ai and others: none, or times and repetitions
  // - Mistral: https://docs.mistral.ai/api/endpoint/chat (`num_cached_tokens`,
  //   `prompt_audio_seconds`)
  // - Moonshot: https://platform.moonshot.ai/docs/api/chat (`cached_tokens`)
  // - DeepSeek: https://api-docs.deepseek.com/api/create-chat-completion
  //   (`prompt_cache_hit_tokens`)
  // - xAI: https://docs.x.ai/docs/guides/live-search (`num_sources_used`) and, of the Responses
  //   shape too, https://docs.x.ai/docs/guides/tools/overview (`server_side_tool_usage_details`)
  // - Perplexity: https://docs.perplexity.ai/guides/pricing (`citation_tokens`,
  //   `num_search_queries`; the reasoning of deep research is billed apart from the completion)
  // - OpenRouter: https://openrouter.ai/docs/use-cases/usage-accounting (`cost`, `server_tool_use`)
  // - LiteLLM: https://docs.litellm.ai/docs/completion/usage (Anthropic's members beside OpenAI's,
  //   all of them inside the prompt)
  static let chat = UsageShape(
    "OpenAI Chat Completions",
    "https://platform.openai.com/docs/api-reference/chat/object",
    anyOf: ["prompt_tokens", "completion_tokens"],
    absentOutput: .zeroByTotal,
    cacheCounts: .insideInput,
    beside: openAIPlaces,
    [
      UsageField("prompt_tokens", .input),
      UsageField("completion_tokens", .output),
      UsageField("total_tokens", .total),
      UsageField("prompt_tokens_details.cached_tokens", .cacheRead),
      UsageField("prompt_tokens_details.cache_write_tokens", .cacheWrite),
      UsageField("prompt_tokens_details.cache_write_tokens_details.ttl_30m_tokens", .known),
      UsageField(
        "prompt_tokens_details.cache_write_tokens_details.ttl_12h_tokens", .cacheWrite12h),
      UsageField("prompt_tokens_details.audio_tokens", .part(.audioInputTokens)),
      UsageField("prompt_tokens_details.image_tokens", .part(.imageInputTokens)),
      UsageField("prompt_tokens_details.text_tokens", .known),
      UsageField("prompt_tokens_details.video_tokens", .known),
      UsageField("prompt_tokens_details.multimodal_tokens", .known),
      UsageField("completion_tokens_details.reasoning_tokens", .reasoning),
      UsageField("completion_tokens_details.audio_tokens", .part(.audioOutputTokens)),
      UsageField("completion_tokens_details.image_tokens", .part(.imageOutputTokens)),
      UsageField("completion_tokens_details.text_tokens", .known),
      UsageField("completion_tokens_details.accepted_prediction_tokens", .known),
      UsageField("completion_tokens_details.rejected_prediction_tokens", .known),
      UsageField("reasoning_tokens", .reasoningApart),
      UsageField("prompt_token_details.cached_tokens", .cacheRead),
      UsageField(
        "prompt_tokens_details.cached_tokens_details.audio_tokens", .part(.cacheReadAudioTokens)),
      UsageField(
        "prompt_tokens_details.cached_tokens_details.image_tokens", .part(.cacheReadImageTokens)),
      UsageField("prompt_tokens_details.cached_tokens_details.text_tokens", .known),
      // Moonshot, Mistral, Inception, DeepSeek
      UsageField("cached_tokens", .cacheRead),
      UsageField("num_cached_tokens", .cacheRead),
      UsageField("cached_input_tokens", .cacheRead),
      UsageField("prompt_cache_hit_tokens", .cacheRead),
      UsageField("prompt_cache_miss_tokens", .known),
      // Mistral's agents
      UsageField("connectors.web_search", .beside(.webSearches)),
      UsageField("connectors.web_search_premium", .unread),
      UsageField("connectors.code_interpreter", .beside(.codeExecutions)),
      UsageField("connectors.document_library", .beside(.documentSearches)),
      UsageField("connectors.image_generation", .unread),
      // Perplexity
      UsageField("citation_tokens", .beside(.citationTokens)),
      UsageField("num_search_queries", .beside(.webSearches)),
      UsageField("search_context_size", .condition(.searchContext)),
      // OpenRouter
      UsageField("server_tool_use.web_search_requests", .beside(.webSearches)),
      UsageField("server_tool_use_details.web_search_requests", .beside(.webSearches)),
      // LiteLLM
      UsageField("cache_read_input_tokens", .cacheRead),
      UsageField("cache_creation_input_tokens", .cacheWrite),
      UsageField("cache_creation.ephemeral_5m_input_tokens", .cacheWrite5m),
      UsageField("cache_creation.ephemeral_1h_input_tokens", .cacheWrite1h),
      UsageField("prompt_tokens_details.cache_creation_tokens", .cacheWrite),
      UsageField("prompt_tokens_details.cache_creation_input_tokens", .cacheWrite),
      UsageField("prompt_tokens_details.cache_creation.ephemeral_5m_input_tokens", .cacheWrite5m),
      UsageField(
        "prompt_tokens_details.cache_creation_token_details.ephemeral_5m_input_tokens",
        .cacheWrite5m),
      UsageField(
        "prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens",
        .cacheWrite1h),
      UsageField("prompt_tokens_details.web_search_requests", .beside(.webSearches)),
      UsageField("server_tool_use.web_fetch_requests", .known),
      UsageField("server_tool_use.tool_search_requests", .known),
      UsageField("service_tier", .condition(.serviceTier)),
      UsageField("inference_geo", .condition(.inferenceGeo)),
      UsageField("speed", .condition(.speed)),
      // Google's through LiteLLM and OpenRouter
      UsageField("prompt_tokens_details.cached_audio_tokens", .part(.cacheReadAudioTokens)),
      UsageField("completion_tokens_details.video_tokens", .known),
      // Groq: the memory in which cached tokens were found
      UsageField("dram_cached_tokens", .known),
      UsageField("sram_cached_tokens", .known),
    ] + xAIFields)

  // The Realtime API has `input_token_details`, Codex a flat `cached_input_tokens`, which is a part
  // of the input: https://github.com/openai/codex (codex-rs/protocol, `TokenUsage`). Images are
  // counted as https://platform.openai.com/docs/api-reference/images/object says, transcriptions as
  // https://platform.openai.com/docs/api-reference/audio/json-object. LangChain gives the counts of
  // all providers these names, and the cached ones are within the input:
  // https://reference.langchain.com/python/langchain-core/messages/ai/UsageMetadata
  static let responses = UsageShape(
    "OpenAI Responses",
    "https://platform.openai.com/docs/api-reference/responses/object",
    anyOf: ["input_tokens", "output_tokens"],
    alsoAnyOf: [
      "input_tokens_details", "input_token_details", "total_tokens", "cached_input_tokens",
    ],
    orWithin: [
      ResponseMark("object", .says(["response"])), ResponseMark("output"),
      ResponseMark("response.output"),
    ],
    noneOf: ["cache_read_input_tokens", "cache_creation_input_tokens"],
    cacheCounts: .insideInput,
    beside: openAIPlaces,
    [
      UsageField("input_tokens", .input),
      UsageField("output_tokens", .output),
      UsageField("total_tokens", .total),
      UsageField("input_tokens_details.cached_tokens", .cacheRead),
      UsageField("input_tokens_details.cache_write_tokens", .cacheWrite),
      UsageField("input_tokens_details.cache_write_tokens_details.ttl_30m_tokens", .known),
      UsageField(
        "input_tokens_details.cache_write_tokens_details.ttl_12h_tokens", .cacheWrite12h),
      UsageField("input_tokens_details.audio_tokens", .part(.audioInputTokens)),
      UsageField("input_tokens_details.image_tokens", .part(.imageInputTokens)),
      UsageField("input_tokens_details.text_tokens", .known),
      UsageField(
        "input_tokens_details.cached_tokens_details.audio_tokens", .part(.cacheReadAudioTokens)),
      UsageField(
        "input_tokens_details.cached_tokens_details.image_tokens", .part(.cacheReadImageTokens)),
      UsageField("input_tokens_details.cached_tokens_details.text_tokens", .known),
      UsageField("output_tokens_details.reasoning_tokens", .reasoning),
      UsageField("output_tokens_details.audio_tokens", .part(.audioOutputTokens)),
      UsageField("output_tokens_details.image_tokens", .part(.imageOutputTokens)),
      UsageField("output_tokens_details.text_tokens", .known),
      UsageField("output_tokens_details.accepted_prediction_tokens", .known),
      UsageField("output_tokens_details.rejected_prediction_tokens", .known),
      // Realtime
      UsageField("input_token_details.cached_tokens", .cacheRead),
      UsageField("input_token_details.audio_tokens", .part(.audioInputTokens)),
      UsageField("input_token_details.image_tokens", .part(.imageInputTokens)),
      UsageField("input_token_details.text_tokens", .known),
      UsageField(
        "input_token_details.cached_tokens_details.audio_tokens", .part(.cacheReadAudioTokens)),
      UsageField(
        "input_token_details.cached_tokens_details.image_tokens", .part(.cacheReadImageTokens)),
      UsageField("input_token_details.cached_tokens_details.text_tokens", .known),
      UsageField("output_token_details.audio_tokens", .part(.audioOutputTokens)),
      UsageField("output_token_details.image_tokens", .part(.imageOutputTokens)),
      UsageField("output_token_details.text_tokens", .known),
      UsageField("output_token_details.reasoning_tokens", .reasoning),
      // LangChain
      UsageField("input_token_details.cache_read", .cacheRead),
      UsageField("input_token_details.cache_creation", .cacheWrite),
      UsageField("input_token_details.ephemeral_5m_input_tokens", .cacheWrite5m),
      UsageField("input_token_details.ephemeral_1h_input_tokens", .cacheWrite1h),
      UsageField("input_token_details.audio", .part(.audioInputTokens)),
      UsageField("input_token_details.image", .part(.imageInputTokens)),
      UsageField("output_token_details.reasoning", .reasoning),
      UsageField("output_token_details.audio", .part(.audioOutputTokens)),
      UsageField("output_token_details.image", .part(.imageOutputTokens)),
      UsageField("input_token_details.priority", .served("priority")),
      UsageField("input_token_details.priority_cache_read", .cacheRead),
      UsageField("output_token_details.priority", .served("priority")),
      UsageField("output_token_details.priority_reasoning", .reasoning),
      UsageField("input_token_details.flex", .served("flex")),
      UsageField("input_token_details.flex_cache_read", .cacheRead),
      UsageField("output_token_details.flex", .served("flex")),
      UsageField("output_token_details.flex_reasoning", .reasoning),
      // DashScope: https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-dashscope
      UsageField("prompt_tokens_details.cached_tokens", .cacheRead),
      UsageField("prompt_tokens_details.cache_creation_input_tokens", .cacheWrite),
      UsageField("prompt_tokens_details.cache_creation.ephemeral_5m_input_tokens", .cacheWrite5m),
      UsageField("image_tokens", .part(.imageInputTokens)),
      UsageField("audio_tokens", .part(.audioInputTokens)),
      // Codex
      UsageField("cached_input_tokens", .cacheRead),
      UsageField("cache_write_input_tokens", .cacheWrite),
      UsageField("reasoning_output_tokens", .reasoning),
      UsageField("service_tier", .condition(.serviceTier)),
    ] + xAIFields)

  // If the images interface does not split its output, it is images:
  // https://platform.openai.com/docs/api-reference/images/object
  static let images = UsageShape(
    "OpenAI Images",
    "https://platform.openai.com/docs/api-reference/images/object",
    anyOf: ["output_tokens"], alsoAnyOf: ["input_tokens_details"],
    noneOf: ["output_tokens_details", "cache_read_input_tokens"],
    within: [
      ResponseMark("data"), ResponseMark("type", .begins("image_generation.")),
      ResponseMark("type", .begins("image_edit.")),
    ],
    absentOutput: .zeroBesideOthers,
    cacheCounts: .insideInput,
    beside: ["svg_usage"],
    [
      UsageField("input_tokens", .input),
      UsageField("output_tokens", .beside(.imageOutputTokens)),
      UsageField("total_tokens", .total),
      UsageField("input_tokens_details.image_tokens", .part(.imageInputTokens)),
      UsageField("input_tokens_details.text_tokens", .known),
      UsageField("input_tokens_details.cached_tokens", .cacheRead),
    ])

  // The output is audio.
  static let speech = UsageShape(
    "OpenAI speech",
    "https://platform.openai.com/docs/api-reference/audio/speech-audio-done-event",
    anyOf: ["input_tokens", "output_tokens"],
    within: [ResponseMark("type", .says(["speech.audio.done"]))],
    absentOutput: .zeroBesideOthers,
    cacheCounts: .insideInput,
    [
      UsageField("input_tokens", .input),
      UsageField("output_tokens", .beside(.audioOutputTokens)),
      UsageField("total_tokens", .total),
      UsageField("input_token_details.text_tokens", .known),
      UsageField("input_token_details.audio_tokens", .part(.audioInputTokens)),
    ])

  /// The places outside of the usage in OpenAI's responses: how it was served, and the provider's
  /// own tools that were used.
  private static let openAIPlaces: [MemberPath] = [
    "service_tier", "response.service_tier", "response_metadata.service_tier", "tool_usage",
    "response.tool_usage", "output", "response.output", "svg_usage",
  ]

  /// The calls of xAI's own tools. `context_details` repeats the tokens of the last step.
  private static let xAIFields = [
    UsageField("num_sources_used", .beside(.searchSources)),
    UsageField("server_side_tool_usage_details.web_search_calls", .beside(.webSearches)),
    UsageField("server_side_tool_usage_details.x_search_calls", .beside(.xSearches)),
    UsageField("server_side_tool_usage_details.code_interpreter_calls", .beside(.codeExecutions)),
    UsageField("server_side_tool_usage_details.file_search_calls", .beside(.fileSearches)),
    UsageField(
      "server_side_tool_usage_details.document_search_calls", .beside(.documentSearches)),
    // The tools behind the protocol belong to others: https://docs.x.ai/docs/models#tool-pricing
    UsageField("server_side_tool_usage_details.mcp_calls", .known),
    UsageField("server_side_tool_usage_details.image_generation_calls", .unread),
    UsageField("server_side_tool_usage_details.view_image_calls", .known),
    UsageField("server_side_tool_usage_details.view_x_video_calls", .known),
    UsageField("num_server_side_tools_used", .callsInAll),
    // OpenRouter's own tools
    UsageField("server_tool_use_details.tool_calls_executed", .callsInAll),
    UsageField("server_tool_use_details.tool_calls_requested", .known),
    UsageField("context_details", .known),
    UsageField("cached_prompt_text_tokens", .cacheRead),
    UsageField("prompt_text_tokens", .known),
    UsageField("prompt_image_tokens", .part(.imageInputTokens)),
  ]
}
