import CreditModel

/// Our own shapes, and those that one provider or program has.
extension UsageShape {
  // Our own form and Bedrock's are one: counts none of which includes another. Only the names of
  // the cache's differ: people write Anthropic's, too. Bedrock writes some of them twice, and a sum
  // of the lifetimes in `cacheDetails`:
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CacheDetail.html How it was
  // served is beside the usage:
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
  static let ownTokens = UsageShape(
    "our own form, Amazon Bedrock Converse",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html",
    anyOf: ["inputTokens", "outputTokens"], noneOf: ["units"],
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
      UsageField("cacheWrite12hTokens", .cacheWrite12h),
      UsageField("totalTokens", .known),
      UsageField("cacheReadInputTokens", .cacheRead),
      UsageField("cacheReadInputTokenCount", .cacheRead),
      UsageField("cacheWriteInputTokens", .cacheWrite),
      UsageField("cacheWriteInputTokenCount", .cacheWrite),
      UsageField("cache_read_input_tokens", .cacheRead),
      UsageField("cache_creation_input_tokens", .cacheWrite),
    ],
    lists: [
      UsageList(
        "cacheDetails", tag: "ttl", count: "inputTokens",
        [UsageList.Tag("5m", .cacheWrite5m), UsageList.Tag("1h", .cacheWrite1h)])
    ])

  /// Counts without `inputTokens` and `outputTokens`, such as images: these are 0. The flags for
  /// them mean the same.
  static let ownCounts = UsageShape(
    "our own form, without tokens", "",
    anyOf: UsageCount.allCases.map { MemberPath(stringLiteral: $0.row.member) },
    noneOf: ["inputTokens", "outputTokens", "units"], within: [ResponseMark("usage")],
    absentInput: .zero, absentOutput: .zero,
    isOwnForm: true,
    [])

  static let ownUnits = UsageShape(
    "our own form, units", "",
    anyOf: ["units"], noneOf: ["inputTokens", "outputTokens"],
    isOwnForm: true, isUnits: true,
    [UsageField("units", .input)])

  // The processed `tokens` are more than the billed ones. Embeddings bill no output, and rerankings
  // search units: https://docs.cohere.com/reference/rerank
  static let cohere = UsageShape(
    "Cohere",
    "https://docs.cohere.com/v2/docs/how-does-cohere-pricing-work",
    anyOf: [
      "billed_units.input_tokens", "billed_units.output_tokens", "billed_units.search_units",
      "billed_units.images", "billed_units.pages",
    ],
    absentInput: .zeroBesideOthers, absentOutput: .zero,
    writesPoints: true,
    [
      UsageField("billed_units.input_tokens", .input),
      UsageField("billed_units.output_tokens", .output),
      UsageField("billed_units.image_tokens", .beside(.imageInputTokens)),
      UsageField("billed_units.search_units", .beside(.searchUnits)),
      UsageField("billed_units.images", .beside(.images)),
      UsageField("billed_units.pages", .beside(.pages)),
      UsageField("billed_units.classifications", .unread),
      UsageField("tokens", .known),
      UsageField("cached_tokens", .known),
    ])

  // Zeros are left out. Versions without a cached count only count evaluated tokens.
  static let ollama = UsageShape(
    "Ollama",
    "https://docs.ollama.com/api/usage",
    anyOf: ["prompt_eval_count", "eval_count"],
    absentInput: .zero, absentOutput: .zero,
    cacheCounts: .insideInput,
    isInlined: true,
    [
      UsageField("prompt_eval_count", .input),
      UsageField("eval_count", .output),
      UsageField("prompt_eval_cached_count", .cacheRead),
    ])

  // Amazon's own text models. The last chunk of a stream has the sum of the output; embeddings have
  // none.
  static let titan = UsageShape(
    "Amazon Titan",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-text.html",
    anyOf: ["inputTextTokenCount", "totalOutputTextTokenCount"],
    absentOutput: .zero,
    replacesCounts: true,
    isInlined: true,
    [
      UsageField("inputTextTokenCount", .input),
      UsageField("totalOutputTextTokenCount", .output),
    ],
    lists: [UsageList("results", count: "tokenCount", .output)])

  // In a stream the first chunk has the prompt's count, and each the output's so far.
  static let llama = UsageShape(
    "Meta Llama on Amazon Bedrock",
    "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-meta.html",
    anyOf: ["prompt_token_count", "generation_token_count"],
    replacesCounts: true,
    isInlined: true,
    [
      UsageField("prompt_token_count", .input),
      UsageField("generation_token_count", .output),
    ])

  // Embeddings and rerankings only have input. A total alone is not a usage elsewhere, so that the
  // response has to be such a list: https://docs.voyageai.com/reference/embeddings-api,
  // https://jina.ai/reranker
  static let inputOnly = UsageShape(
    "Voyage AI, Jina AI",
    "https://docs.voyageai.com/reference/embeddings-api",
    anyOf: ["total_tokens"],
    noneOf: ["prompt_tokens", "completion_tokens", "input_tokens", "output_tokens"],
    within: [ResponseMark("object", .says(["list"])), ResponseMark("results")],
    absentOutput: .zero,
    [
      UsageField("total_tokens", .input),
      UsageField("text_tokens", .known),
      UsageField("image_pixels", .unread),
      UsageField("video_pixels", .unread),
    ])

  // Documents are billed by the page. Pages that were annotated have a price of their own:
  // https://mistral.ai/pricing#api-pricing
  static let mistralOCR = UsageShape(
    "Mistral OCR",
    "https://docs.mistral.ai/api/endpoint/ocr",
    anyOf: ["pages_processed"],
    absentInput: .zeroBesideOthers, absentOutput: .zero,
    [
      UsageField("pages_processed", .beside(.pages)),
      UsageField("pages_processed_annotation", .unread),
      UsageField("doc_size_bytes", .known),
    ])

  // Recordings that are billed by the second. One that has begun counts, so that none is free.
  static let duration = UsageShape(
    "OpenAI transcriptions by duration",
    "https://platform.openai.com/docs/api-reference/audio/json-object",
    anyOf: ["seconds"], noneOf: ["input_tokens", "prompt_tokens", "units", "status"],
    isUnits: true,
    [UsageField("seconds", .input)])

  // Finished images are billed by the piece, though tokens may be counted beside them:
  // https://www.alibabacloud.com/help/en/model-studio/qwen-image-api. The usage of xAI only has the
  // cost: https://docs.x.ai/docs/guides/image-generations
  static let countedImages = UsageShape(
    "ByteDance Seedream, images of Alibaba DashScope and xAI",
    "https://docs.byteplus.com/en/docs/ModelArk/1541523",
    anyOf: ["generated_images", "image_count", "cost_in_usd_ticks"], noneOf: ["input_tokens"],
    within: [ResponseMark("usage")], absentInput: .zero, absentOutput: .zero,
    beside: ["data"],
    [
      UsageField("cost_in_usd_ticks", .known),
      UsageField("generated_images", .beside(.images)),
      UsageField("image_count", .beside(.images)),
      UsageField("output_tokens", .output),
      UsageField("total_tokens", .total),
    ])

  // Without `timings`, as versions before them had it.
  static let llamaCppNative = UsageShape(
    "llama.cpp, completions without timings",
    "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    anyOf: ["tokens_predicted"], alsoAnyOf: ["tokens_evaluated"],
    isInlined: true,
    [UsageField("tokens_evaluated", .input), UsageField("tokens_predicted", .output)])

  // Each result counts its own text.
  static let watsonx = UsageShape(
    "IBM watsonx.ai",
    "https://cloud.ibm.com/apidocs/watsonx-ai#text-generation",
    anyOf: ["results.0.generated_token_count"],
    absentInput: .zero, absentOutput: .zero,
    isInlined: true,
    [],
    lists: [
      UsageList("results", count: "input_token_count", .input),
      UsageList("results", count: "generated_token_count", .output),
    ])

  static let llamaCpp = UsageShape(
    "llama.cpp",
    "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    anyOf: ["timings.prompt_n", "timings.predicted_n"],
    isInlined: true,
    [
      UsageField("timings.prompt_n", .input),
      UsageField("timings.predicted_n", .output),
      UsageField("timings.cache_n", .cacheRead),
    ])

  /// Members of a response beside its usage. OpenAI's tools are counted at
  /// https://platform.openai.com/docs/api-reference/responses/object (`tool_usage`); images that
  /// one of them makes are another model's.
  static let besideUsage = UsageShape(
    "a response beside its usage", "",
    anyOf: [],
    [
      UsageField("service_tier", .condition(.serviceTier)),
      UsageField("response.service_tier", .condition(.serviceTier)),
      UsageField("response_metadata.service_tier", .condition(.serviceTier)),
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
      UsageField("svg_usage.total_tokens", .known),
      UsageField("svg_usage.reasoning_tokens", .known),
    ],
    lists: ["output", "response.output"].flatMap(outputItems) + [
      UsageList("data", count: nil, .beside(.images))
    ])

  /// The calls among the items of OpenAI's output, for a response that does not count them. Of the
  /// searches of the web a search is billed, and no page that is opened; code is billed by its
  /// container, an image by the tokens of its model:
  /// https://platform.openai.com/docs/guides/tools-web-search and
  /// https://platform.openai.com/docs/pricing
  private static func outputItems(_ path: StaticString) -> [UsageList] {
    [
      UsageList(
        path, tag: "type", count: nil,
        [UsageList.Tag("web_search_call", .beside(.webSearches))],
        where: ("action.type", ["search"])),
      UsageList(
        path, tag: "type", count: nil,
        [
          UsageList.Tag("file_search_call", .beside(.fileSearches)),
          UsageList.Tag("code_interpreter_call", .unread),
          UsageList.Tag("image_generation_call", .unread),
        ]),
      // A shell in a container of the provider's, not the caller's own.
      UsageList(
        path, tag: "type", count: nil, [UsageList.Tag("shell_call", .unread)],
        where: ("environment.type", ["container_reference", "container_auto"])),
    ]
  }
}
