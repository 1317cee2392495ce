import CreditModel

/// Our own shapes, and those that one provider or program has.
extension UsageShape {
  // Our own form and Bedrock's are one: counts none of which includes another. Only the names of
  // the cache's differ, and Bedrock writes some of them twice, and a sum of the lifetimes in
  // `cacheDetails`:
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CacheDetail.html How it was
  // served stands beside the usage:
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
  static let ownTokens = UsageShape(
    "our own form, Amazon Bedrock Converse",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html",
    anyOf: ["inputTokens", "outputTokens"], noneOf: ["units"],
    cacheCounts: .besideInput,
    beside: [
      "serviceTier.type", "performanceConfig.latency", "metadata.serviceTier.type",
      "metadata.performanceConfig.latency",
    ],
    isOwnForm: true,
    [
      UsageField("inputTokens", .input),
      UsageField("outputTokens", .output),
      UsageField("cacheReadTokens", .cacheRead),
      UsageField("cacheWriteTokens", .cacheWrite5m),
      UsageField("cacheWrite1hTokens", .cacheWrite1h),
      UsageField("totalTokens", .known),
      UsageField("cacheReadInputTokens", .cacheRead),
      UsageField("cacheReadInputTokenCount", .cacheRead),
      UsageField("cacheWriteInputTokens", .cacheWrite),
      UsageField("cacheWriteInputTokenCount", .cacheWrite),
    ],
    lists: [
      UsageList(
        "cacheDetails", tag: "ttl", count: "inputTokens",
        [UsageList.Tag("5m", .cacheWrite5m), UsageList.Tag("1h", .cacheWrite1h)])
    ])

  static let ownUnits = UsageShape(
    "our own form, units", "",
    anyOf: ["units"], noneOf: ["inputTokens", "outputTokens"],
    isOwnForm: true, isUnits: true,
    [UsageField("units", .input)])

  // What was processed, `tokens`, is more than what is billed. Embeddings bill no output, and
  // rerankings search units: https://docs.cohere.com/reference/rerank
  static let cohere = UsageShape(
    "Cohere",
    "https://docs.cohere.com/v2/docs/how-does-cohere-pricing-work",
    anyOf: [
      "billed_units.input_tokens", "billed_units.output_tokens", "billed_units.search_units",
    ],
    absentInput: .zeroBesideOthers, absentOutput: .zero,
    [
      UsageField("billed_units.input_tokens", .input),
      UsageField("billed_units.output_tokens", .output),
      UsageField("billed_units.image_tokens", .beside(.imageInputTokens)),
      UsageField("billed_units.search_units", .beside(.searchUnits)),
      UsageField("billed_units.images", .unread),
      UsageField("billed_units.classifications", .unread),
      UsageField("tokens", .known),
      UsageField("cached_tokens", .known),
    ])

  // Zeros are left out. Versions that do not count what was cached count only what was evaluated.
  static let ollama = UsageShape(
    "Ollama",
    "https://docs.ollama.com/api/usage",
    anyOf: ["prompt_eval_count", "eval_count"],
    absentInput: .zero, absentOutput: .zero,
    cacheCounts: .insideInput,
    standsAmongOthers: true,
    [
      UsageField("prompt_eval_count", .input),
      UsageField("eval_count", .output),
      UsageField("prompt_eval_cached_count", .cacheRead),
    ])

  static let llamaCpp = UsageShape(
    "llama.cpp",
    "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    anyOf: ["timings.prompt_n", "timings.predicted_n"],
    cacheCounts: .besideInput,
    standsAmongOthers: true,
    [
      UsageField("timings.prompt_n", .input),
      UsageField("timings.predicted_n", .output),
      UsageField("timings.cache_n", .cacheRead),
    ])

  /// What a response says beside its usage. The tools of OpenAI's are counted at
  /// https://platform.openai.com/docs/api-reference/responses/object (`tool_usage`); images that
  /// one of them makes are another model's.
  static let besideUsage = UsageShape(
    "a response beside its usage", "",
    anyOf: [],
    [
      UsageField("service_tier", .condition(.serviceTier)),
      UsageField("response.service_tier", .condition(.serviceTier)),
      UsageField("interaction.service_tier", .condition(.serviceTier)),
      UsageField("serviceTier.type", .condition(.serviceTier)),
      UsageField("performanceConfig.latency", .condition(.speed)),
      UsageField("metadata.serviceTier.type", .condition(.serviceTier)),
      UsageField("metadata.performanceConfig.latency", .condition(.speed)),
      UsageField("tool_usage.web_search.num_requests", .beside(.webSearches)),
      UsageField("response.tool_usage.web_search.num_requests", .beside(.webSearches)),
      UsageField("tool_usage.image_gen.total_tokens", .known),
      UsageField("response.tool_usage.image_gen.total_tokens", .known),
      UsageField("tool_usage.image_gen.input_tokens_details", .known),
      UsageField("response.tool_usage.image_gen.input_tokens_details", .known),
      UsageField("tool_usage.image_gen.output_tokens_details", .known),
      UsageField("response.tool_usage.image_gen.output_tokens_details", .known),
    ])
}
