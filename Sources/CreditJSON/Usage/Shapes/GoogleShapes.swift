import CreditModel

extension UsageShape {
  // Zeros are left out; thoughts and the tools' additions to the prompt are counted separately. The
  // cached part belongs to the prompt, of each kind and in all. Video and documents cost the same
  // as text: https://ai.google.dev/gemini-api/docs/pricing. The Live API's output is
  // `responseTokenCount`: https://ai.google.dev/api/live#UsageMetadata. `trafficType`:
  // https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse
  static let gemini = UsageShape(
    "Gemini, Vertex AI",
    "https://ai.google.dev/api/generate-content#UsageMetadata",
    anyOf: [
      "promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount",
      "toolUsePromptTokenCount", "responseTokenCount",
    ],
    absentInput: .zero, absentOutput: .zero,
    cacheCounts: .insideInput,
    [
      UsageField("promptTokenCount", .input),
      UsageField("toolUsePromptTokenCount", .furtherInput),
      UsageField("candidatesTokenCount", .output),
      UsageField("responseTokenCount", .output),
      UsageField("thoughtsTokenCount", .furtherOutput),
      UsageField("totalTokenCount", .total),
      UsageField("cachedContentTokenCount", .cacheRead),
      UsageField("trafficType", .condition(.serviceTier)),
      UsageField("serviceTier", .condition(.serviceTier)),
    ],
    lists: [
      modalities("promptTokensDetails", inputModalities),
      modalities("toolUsePromptTokensDetails", inputModalities),
      modalities("cacheTokensDetails", cachedModalities),
      modalities("candidatesTokensDetails", outputModalities),
      modalities("responseTokensDetails", outputModalities),
    ])

  // Embeddings name the details of the prompt in the singular.
  static let geminiEmbeddings = UsageShape(
    "Gemini embeddings",
    "https://ai.google.dev/api/embeddings#UsageMetadata",
    anyOf: ["promptTokenDetails"], noneOf: ["promptTokensDetails", "candidatesTokenCount"],
    absentInput: .zero, absentOutput: .zero,
    cacheCounts: .insideInput,
    [
      UsageField("promptTokenCount", .input), UsageField("totalTokenCount", .total),
      UsageField("trafficType", .condition(.serviceTier)),
    ],
    lists: [modalities("promptTokenDetails", inputModalities)])

  // Google's library for Python prints members with underscores.
  static let geminiInPython = UsageShape(
    "Gemini, as its library for Python prints it",
    "https://googleapis.github.io/python-genai/genai.html",
    anyOf: ["prompt_token_count", "candidates_token_count", "thoughts_token_count"],
    noneOf: ["generation_token_count"],
    within: [ResponseMark("usage_metadata")],
    absentInput: .zero, absentOutput: .zero,
    cacheCounts: .insideInput,
    [
      UsageField("prompt_token_count", .input),
      UsageField("tool_use_prompt_token_count", .furtherInput),
      UsageField("candidates_token_count", .output),
      UsageField("response_token_count", .output),
      UsageField("thoughts_token_count", .furtherOutput),
      UsageField("total_token_count", .total),
      UsageField("cached_content_token_count", .cacheRead),
      UsageField("traffic_type", .condition(.serviceTier)),
      UsageField("service_tier", .condition(.serviceTier)),
    ],
    lists: [
      modalities("prompt_tokens_details", count: "token_count", inputModalities),
      modalities("tool_use_prompt_tokens_details", count: "token_count", inputModalities),
      modalities("cache_tokens_details", count: "token_count", cachedModalities),
      modalities("candidates_tokens_details", count: "token_count", outputModalities),
      modalities("response_tokens_details", count: "token_count", outputModalities),
    ])

  // Each prediction counts its own text.
  static let vertexPredictions = UsageShape(
    "Vertex AI predict",
    "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api",
    anyOf: ["predictions.0.embeddings.statistics.token_count"],
    absentOutput: .zero,
    isInlined: true,
    [],
    lists: [UsageList("predictions", count: "embeddings.statistics.token_count", .input)])

  static let interactions = UsageShape(
    "Gemini Interactions",
    "https://ai.google.dev/api/interactions-api",
    anyOf: ["total_input_tokens", "total_output_tokens"],
    absentInput: .zero, absentOutput: .zero,
    cacheCounts: .insideInput,
    beside: ["service_tier", "interaction.service_tier"],
    [
      UsageField("total_input_tokens", .input),
      UsageField("total_tool_use_tokens", .furtherInput),
      UsageField("total_output_tokens", .output),
      UsageField("total_thought_tokens", .furtherOutput),
      UsageField("total_tokens", .total),
      UsageField("total_cached_tokens", .cacheRead),
      UsageField("total_reasoning_tokens", .known),
    ],
    lists: [
      modalities("input_tokens_by_modality", count: "tokens", inputModalities),
      modalities("tool_use_tokens_by_modality", count: "tokens", inputModalities),
      modalities("cached_tokens_by_modality", count: "tokens", cachedModalities),
      modalities("output_tokens_by_modality", count: "tokens", outputModalities),
      UsageList(
        "grounding_tool_count", tag: "type", count: "count",
        [UsageList.Tag("google_search", .beside(.webSearches))]),
    ])

  // `gemini --output-format json` prints these counts of each model that it used.
  static let geminiCommand = UsageShape(
    "Gemini CLI",
    "https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/headless.md",
    anyOf: ["prompt"], alsoAnyOf: ["candidates"],
    within: [ResponseMark("stats.models")],
    cacheCounts: .insideInput,
    [
      UsageField("prompt", .input),
      UsageField("tool", .furtherInput),
      UsageField("candidates", .output),
      UsageField("thoughts", .furtherOutput),
      UsageField("total", .total),
      UsageField("cached", .cacheRead),
      UsageField("input", .known),
    ])

  private static func modalities(
    _ path: StaticString, count: MemberPath = "tokenCount", _ tags: [UsageList.Tag]
  ) -> UsageList {
    UsageList(path, tag: "modality", count: count, tags)
  }

  // The numbers replace the names if enumerations are encoded as such.
  private static let inputModalities = [
    UsageList.Tag("AUDIO", number: 4, .part(.audioInputTokens)),
    UsageList.Tag("IMAGE", number: 2, .part(.imageInputTokens)),
  ]
  private static let cachedModalities = [
    UsageList.Tag("AUDIO", number: 4, .part(.cacheReadAudioTokens)),
    UsageList.Tag("IMAGE", number: 2, .part(.cacheReadImageTokens)),
  ]
  private static let outputModalities = [
    UsageList.Tag("AUDIO", number: 4, .part(.audioOutputTokens)),
    UsageList.Tag("IMAGE", number: 2, .part(.imageOutputTokens)),
  ]
}
