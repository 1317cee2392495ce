/// The shapes that are known, and where in a request or a response a usage stands.
extension UsageShape {
  /// The first that fits is the one.
  static let all: [UsageShape] = [
    // Our own form and Bedrock's are one: four counts, none of which includes another. Only the names
    // of the cache's differ, and Bedrock writes some of them twice.
    UsageShape(
      "our own form, Amazon Bedrock Converse",
      "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html",
      anyOf: ["inputTokens", "outputTokens"], noneOf: ["units"],
      input: "inputTokens",
      output: "outputTokens",
      cacheRead: ["cacheReadTokens", "cacheReadInputTokens", "cacheReadInputTokenCount"],
      cacheWrite: ["cacheWriteTokens", "cacheWriteInputTokens", "cacheWriteInputTokenCount"],
      cacheCounts: .besideInput,
      isOwnForm: true),

    // Embeddings have no output, and say so by their total alone. The cache's names in order: OpenAI,
    // Azure, xAI, Groq, OpenRouter, vLLM and z.ai; Mistral, twice; Moonshot and Together; DeepSeek;
    // LiteLLM. Reasoning is within the completion but at xAI, whose total tells.
    UsageShape(
      "OpenAI Chat Completions",
      "https://platform.openai.com/docs/api-reference/chat/object",
      anyOf: ["prompt_tokens", "completion_tokens"],
      input: "prompt_tokens",
      output: "completion_tokens", absentOutput: .zeroByTotal,
      reasoning: ["completion_tokens_details.reasoning_tokens", "reasoning_tokens"],
      total: "total_tokens",
      cacheRead: [
        "prompt_tokens_details.cached_tokens", "prompt_token_details.cached_tokens",
        "num_cached_tokens", "cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens",
      ],
      cacheWrite: [
        "prompt_tokens_details.cache_write_tokens", "prompt_tokens_details.cache_creation_tokens",
        "prompt_tokens_details.cache_creation_input_tokens", "cache_creation_input_tokens",
      ],
      cacheCounts: .insideInput),

    // Zeros are left out, thoughts and what tools put into the prompt are counted apart.
    UsageShape(
      "Gemini, Vertex AI",
      "https://ai.google.dev/api/generate-content#UsageMetadata",
      anyOf: [
        "promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount",
        "toolUsePromptTokenCount",
      ],
      input: "promptTokenCount", absentInput: .zero, furtherInput: "toolUsePromptTokenCount",
      output: "candidatesTokenCount", absentOutput: .zero, furtherOutput: "thoughtsTokenCount",
      total: "totalTokenCount",
      cacheRead: ["cachedContentTokenCount"],
      cacheCounts: .insideInput),

    // What was processed, `tokens`, is more than what is billed. Embeddings bill no output.
    UsageShape(
      "Cohere",
      "https://docs.cohere.com/v2/docs/how-does-cohere-pricing-work",
      anyOf: ["billed_units.input_tokens", "billed_units.output_tokens"],
      input: "billed_units.input_tokens",
      output: "billed_units.output_tokens", absentOutput: .zero),

    // The Realtime API has `input_token_details`.
    UsageShape(
      "OpenAI Responses",
      "https://platform.openai.com/docs/api-reference/responses/object",
      anyOf: ["input_tokens", "output_tokens"],
      alsoAnyOf: ["input_tokens_details", "input_token_details", "total_tokens"],
      noneOf: ["cache_read_input_tokens", "cache_creation_input_tokens"],
      input: "input_tokens",
      output: "output_tokens",
      total: "total_tokens",
      cacheRead: ["input_tokens_details.cached_tokens", "input_token_details.cached_tokens"],
      cacheWrite: ["input_tokens_details.cache_write_tokens"],
      cacheCounts: .insideInput),

    // `cache_creation` repeats the count of cache writes by lifetime. In a stream `message_delta` has
    // the counts that have changed since `message_start`, as they are now.
    UsageShape(
      "Anthropic Messages",
      "https://docs.claude.com/en/docs/build-with-claude/prompt-caching",
      anyOf: ["input_tokens", "output_tokens"],
      input: "input_tokens",
      output: "output_tokens",
      cacheRead: ["cache_read_input_tokens"],
      cacheWrite: ["cache_creation_input_tokens"],
      cacheCounts: .besideInput,
      streaming: .replacesCounts,
      iterations: "iterations"),

    // Zeros are left out. Versions that do not count what was cached count only what was evaluated.
    UsageShape(
      "Ollama",
      "https://docs.ollama.com/api/usage",
      anyOf: ["prompt_eval_count", "eval_count"],
      input: "prompt_eval_count", absentInput: .zero,
      output: "eval_count", absentOutput: .zero,
      cacheRead: ["prompt_eval_cached_count"],
      cacheCounts: .insideInput),

    UsageShape(
      "llama.cpp",
      "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
      anyOf: ["timings.prompt_n", "timings.predicted_n"],
      input: "timings.prompt_n",
      output: "timings.predicted_n",
      cacheRead: ["timings.cache_n"],
      cacheCounts: .besideInput),

    UsageShape(
      "our own form, units", "",
      anyOf: ["units"], noneOf: ["inputTokens", "outputTokens"],
      input: "units",
      output: "units",
      isOwnForm: true, isUnits: true),
  ]

  /// Members that are a usage whatever is in them, so that one that fits no shape is malformed rather
  /// than absent.
  static let usageMembers: [MemberPath] = [
    "usage",
    "response.usage",  // OpenAI Responses, streamed
    "choices.0.usage",  // Moonshot, streamed
    "x_groq.usage",  // Groq, streamed
    "message.usage",  // Anthropic, streamed
    "metadata.usage",  // Bedrock Converse, streamed
    "delta.usage",  // Cohere v2, streamed
    "usageMetadata",  // Gemini
  ]

  /// Objects that may hold a usage among other things.
  static let usageHolders: [MemberPath] = [
    "meta",  // Cohere v1
    "response.meta",  // Cohere v1, streamed
    "",  // Ollama, llama.cpp
  ]

  /// Where a response names its model.
  static let models: [MemberPath] = ["model", "response.model", "message.model", "modelVersion"]

  /// The shape of a usage; nil for one that fits none.
  static func shape(of usage: JSONValue) -> UsageShape? {
    guard usage.isObject else { return nil }
    return all.first { $0.fits(usage) }
  }
}
