import CreditModel

/// The shapes that are known, and where in a request or a response a usage is.
extension UsageShape {
  /// The first that fits is the one.
  static let all: [UsageShape] = [
    ownTokens, chat, geminiEmbeddings, gemini, interactions, geminiInPython, cohere, images,
    speech, responses, anthropic, inputOnly, mistralOCR, duration, imagesByCost, ollama, llamaCpp,
    llamaCppNative,
    titan, llama, watsonx, vertexPredictions, geminiCommand, ownUnits,
  ]

  /// Members that are a usage whatever is in them, so that one that fits no shape is malformed
  /// rather than absent.
  static let usageMembers: [MemberPath] = [
    "usage",
    "response.usage",  // OpenAI Responses, streamed
    "choices.0.usage",  // Moonshot, streamed
    "x_groq.usage",  // Groq, streamed
    "message.usage",  // Anthropic, streamed
    "metadata.usage",  // Bedrock Converse, streamed
    "delta.usage",  // Cohere v2, streamed
    "usageMetadata",  // Gemini
    "usage_metadata",  // Gemini, as Python prints it
    "usage_info",  // Mistral OCR
    "interaction.usage",  // Gemini Interactions, streamed
    "result.usage",  // Cloudflare Workers AI
  ]

  /// Objects that may hold a usage among other things.
  static let usageHolders: [MemberPath] = [
    "meta",  // Cohere v1
    "response.meta",  // Cohere v1, streamed
    "",  // Ollama, llama.cpp, Bedrock InvokeModel, Vertex AI predict
  ]

  /// The paths of a response's cost in dollars, unless its usage has it. LiteLLM:
  /// https://docs.litellm.ai/docs/proxy/cost_tracking. In the usage the cost is the `cost` of
  /// OpenRouter, https://openrouter.ai/docs/use-cases/usage-accounting (with `cost_details`), whose
  /// `total_cost` is Perplexity's, https://docs.perplexity.ai/api-reference/chat-completions-post,
  /// or the `cost_usd_total` of LLM Gateway, https://docs.llmgateway.io/features/cost-breakdown.
  /// The output of `claude -p --output-format json` has `total_cost_usd`:
  /// https://code.claude.com/docs/en/headless
  static let costs: [MemberPath] = ["response_cost", "spend", "total_cost_usd"]

  /// The decimal places of xAI's `cost_in_usd_ticks`: https://docs.x.ai/docs/models
  static let tickScale = 10

  /// Where a response names its model.
  static let models: [MemberPath] = [
    "model", "response.model", "message.model", "modelVersion", "interaction.model",
    "model_version", "model_id", "result.model", "response_metadata.model_name",
  ]

  /// Returns the shape of a usage; nil if it fits no shape.
  /// - Parameter response: what it was found in; nil if that is not known.
  static func shape(of usage: JSONValue, in response: SearchedObject? = nil) -> UsageShape? {
    guard usage.isObject else { return nil }
    let usage = SearchedObject(usage)
    return all.first { $0.fits(usage, in: response) }
  }

  /// What a provider's word for a condition is here. Google's traffic types are
  /// cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse;
  /// a number stands for one where enumerations are encoded as such. Its tiers may have the name of
  /// their enumeration before them. `fast` is OpenAI's other name of `priority`:
  /// https://platform.openai.com/docs/guides/priority-processing
  static func plainCondition(_ text: String, of condition: UsageCondition, isOwnForm: Bool)
    -> String?
  {
    let enumeration = "SERVICE_TIER_"
    let text = text.hasPrefix(enumeration) ? String(text.dropFirst(enumeration.utf8.count)) : text
    return switch text {
    case "fast" where condition == .serviceTier && !isOwnForm: "priority"
    case "ON_DEMAND_PRIORITY": "priority"
    case "ON_DEMAND_FLEX": "flex"
    case "PROVISIONED_THROUGHPUT", "2": "provisioned_throughput"
    case "0", "1", "TRAFFIC_TYPE_UNSPECIFIED", "UNSPECIFIED", "unspecified": nil
    default: text
    }
  }
}
