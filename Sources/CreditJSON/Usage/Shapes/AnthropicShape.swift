import CreditModel

/// Anthropic's shape, which Bedrock's InvokeModel, Vertex AI and many proxies have, too.
extension UsageShape {
  // Thinking is within the output. `cache_creation` has the cache writes by lifetime. In a stream
  // `message_delta` has the counts that have changed since `message_start`, as they are now. What
  // is billed by the call:
  // https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool What is not:
  // https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-fetch-tool and
  // https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool What else the price
  // depends on: https://docs.claude.com/en/api/service-tiers,
  // https://docs.claude.com/en/build-with-claude/fast-mode and
  // https://docs.claude.com/en/build-with-claude/data-residency
  static let anthropic = UsageShape(
    "Anthropic Messages",
    "https://docs.claude.com/en/docs/build-with-claude/prompt-caching",
    anyOf: ["input_tokens", "output_tokens"],
    cacheCounts: .besideInput,
    streaming: .replacesCounts,
    iterations: "iterations",
    [
      UsageField("input_tokens", .input),
      UsageField("output_tokens", .output),
      UsageField("total_tokens", .known),
      UsageField("cache_read_input_tokens", .cacheRead),
      UsageField("cache_creation_input_tokens", .cacheWrite),
      UsageField("cache_creation.ephemeral_5m_input_tokens", .cacheWrite5m),
      UsageField("cache_creation.ephemeral_1h_input_tokens", .cacheWrite1h),
      UsageField("output_tokens_details.thinking_tokens", .known),
      UsageField("server_tool_use.web_search_requests", .beside(.webSearches)),
      UsageField("server_tool_use.web_fetch_requests", .known),
      UsageField("server_tool_use.tool_search_requests", .known),
      UsageField("service_tier", .condition(.serviceTier)),
      UsageField("speed", .condition(.speed)),
      UsageField("inference_geo", .condition(.inferenceGeo)),
    ])
}
