/// Marks beside the usage in bodies of OpenAI's form, which gateways write, too.
enum OpenAIBodies {
  /// Marks of Vercel's gateway, whose completion and total leave out the reasoning.
  ///
  /// The cost beside them includes it: https://vercel.com/docs/ai-gateway
  static let gatewayMarks: [ResponseMark] = [
    ResponseMark("usage.market_cost"), ResponseMark("response.usage.market_cost"),
    ResponseMark("usage.gateway_cost"), ResponseMark("generationId", .begins("gen_")),
    ResponseMark("provider_metadata.gateway"), ResponseMark("providerMetadata.gateway"),
    ResponseMark("choices.0.message.provider_metadata.gateway"),
    ResponseMark("choices.0.delta.provider_metadata.gateway"),
  ]

  /// Marks of OpenRouter, whose tier `provisioned` costs what the model costs.
  static let openRouterMarks: [ResponseMark] = [
    ResponseMark("provider"), ResponseMark("openrouter_metadata"),
    ResponseMark("id", .begins("gen-")), ResponseMark("response.id", .begins("gen-")),
  ]

  /// The mark of a batch object, which has the usage of all its requests.
  ///
  /// Source: https://platform.openai.com/docs/api-reference/batch/object
  static let batchMark = ResponseMark("object", .says(["batch"]))

  private static let tools: [MemberPath] = ["tools", "response.tools"]

  /// True if OpenAI's preview tool, which has its own price, searched the web.
  ///
  /// Source: https://platform.openai.com/docs/pricing#built-in-tools
  static func searchByPreview(_ response: SearchedObject) -> Bool {
    tools.contains { place in
      place.value(in: response)?.elements.contains { tool in
        tool.member("type")?.withUTF8 { $0.starts(with: "web_search_preview".utf8) } ?? false
      } ?? false
    }
  }
}
