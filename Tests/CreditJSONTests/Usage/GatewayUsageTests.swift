import Testing

@testable import CreditJSON

/// Responses of gateways, libraries and tools that add to OpenAI's form or write another.
@Suite struct GatewayUsageTests {
  typealias Example = ProviderUsageTests.Example

  private static func chat(_ usage: String, _ more: String = "") -> String {
    #"{"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{}}]"#
      + more + #","usage":{\#(usage)}}"#
  }

  private static func responses(_ more: String) -> String {
    #"{"object":"response","status":"completed","output":[{"type":"web_search_call","#
      + #""action":{"type":"search"}}],"usage":{"input_tokens":7,"output_tokens":2,"#
      + #""total_tokens":9},\#(more)}"#
  }

  private static let searched = #"{"inputTokens":7,"outputTokens":2,"webSearches":1}"#
  private static let previewed = #"{"inputTokens":7,"outputTokens":2,"webSearchPreviews":1}"#

  @Test(arguments: [
    Example(
      "Vercel's gateway leaves reasoning out of the completion",
      chat(
        #""prompt_tokens":61,"completion_tokens":10,"total_tokens":71,"cost":0.0002833,"#
          + #""market_cost":0.0002833,"completion_tokens_details":{"reasoning_tokens":96}"#,
        #","generationId":"gen_1""#),
      #"{"inputTokens":61,"outputTokens":106}"#),
    Example(
      "and out of the output of the Responses form",
      #"{"object":"response","status":"completed","output":[],"providerMetadata":{"gateway":{}},"#
        + #""usage":{"input_tokens":61,"output_tokens":10,"total_tokens":71,"#
        + #""output_tokens_details":{"reasoning_tokens":96}}}"#,
      #"{"inputTokens":61,"outputTokens":106}"#),
    Example(
      "more reasoning than completion is not within it",
      chat(
        #""prompt_tokens":61,"completion_tokens":10,"total_tokens":71,"#
          + #""completion_tokens_details":{"reasoning_tokens":96}"#),
      #"{"inputTokens":61,"outputTokens":10}"#,
      unread: ["completion_tokens_details.reasoning_tokens"]),
    Example(
      "nor is more reasoning than output",
      #"{"object":"response","status":"completed","output":[],"usage":{"input_tokens":61,"#
        + #""output_tokens":10,"total_tokens":71,"#
        + #""output_tokens_details":{"reasoning_tokens":96}}}"#,
      #"{"inputTokens":61,"outputTokens":10}"#,
      unread: ["output_tokens_details.reasoning_tokens"]),
    Example(
      "as much reasoning as completion may be within it",
      chat(
        #""prompt_tokens":61,"completion_tokens":96,"total_tokens":157,"#
          + #""completion_tokens_details":{"reasoning_tokens":96}"#),
      #"{"inputTokens":61,"outputTokens":96}"#),
    Example(
      "LangChain: what is cached is within the input",
      #"{"type":"ai","content":"x","usage_metadata":{"input_tokens":1000,"output_tokens":17,"#
        + #""total_tokens":1017,"input_token_details":{"cache_read":900}}}"#,
      #"{"inputTokens":100,"outputTokens":17,"cacheReadTokens":900}"#),
    Example(
      "LangChain: cache writes by lifetime",
      #"{"type":"ai","usage_metadata":{"input_tokens":23554,"output_tokens":10,"#
        + #""total_tokens":23564,"input_token_details":{"cache_read":19971,"cache_creation":0,"#
        + #""ephemeral_5m_input_tokens":3000,"ephemeral_1h_input_tokens":580},"#
        + #""output_token_details":{"reasoning":4}}}"#,
      #"{"inputTokens":3,"outputTokens":10,"cacheReadTokens":19971,"cacheWriteTokens":3000,"#
        + #""cacheWrite1hTokens":580}"#),
    Example(
      "LangChain: a tier by the names of its tokens",
      #"{"type":"ai","usage_metadata":{"input_tokens":100,"output_tokens":20,"#
        + #""total_tokens":120,"input_token_details":{"flex_cache_read":40,"flex":60},"#
        + #""output_token_details":{"flex_reasoning":5,"flex":15}}}"#,
      #"{"inputTokens":60,"outputTokens":20,"cacheReadTokens":40,"serviceTier":"flex"}"#),
    Example(
      "the usage of a whole batch of OpenAI's",
      #"{"id":"batch_1","object":"batch","endpoint":"/v1/responses","model":"m","#
        + #""status":"completed","usage":{"input_tokens":101,"output_tokens":27,"#
        + #""total_tokens":128,"input_tokens_details":{"cached_tokens":0}}}"#,
      #"{"inputTokens":101,"outputTokens":27,"serviceTier":"batch"}"#),
    Example(
      "Inception: a flat number of cached tokens",
      chat(#""prompt_tokens":100,"completion_tokens":20,"cached_input_tokens":64"#),
      #"{"inputTokens":36,"outputTokens":20,"cacheReadTokens":64}"#),
    Example(
      "OpenRouter's tier of its own",
      chat(
        #""prompt_tokens":22,"completion_tokens":5,"cost":0.001"#,
        #","id":"gen-1","provider":"Google","service_tier":"provisioned""#),
      #"{"inputTokens":22,"outputTokens":5}"#),
    Example(
      "what anybody else calls so is not known",
      chat(#""prompt_tokens":22,"completion_tokens":5"#, #","service_tier":"provisioned""#),
      #"{"inputTokens":22,"outputTokens":5,"serviceTier":"provisioned"}"#),
    Example(
      "OpenAI's other name of a tier",
      chat(#""prompt_tokens":22,"completion_tokens":5"#, #","service_tier":"fast""#),
      #"{"inputTokens":22,"outputTokens":5,"serviceTier":"priority"}"#),
    Example(
      "Gemini's tier by its enumeration",
      #"{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"#
        + #""candidatesTokenCount":3,"serviceTier":"SERVICE_TIER_PRIORITY"}}"#,
      #"{"inputTokens":5,"outputTokens":3,"serviceTier":"priority"}"#),
    Example(
      "Gemini's ordinary tier",
      #"{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"#
        + #""candidatesTokenCount":3,"serviceTier":"SERVICE_TIER_STANDARD"}}"#,
      #"{"inputTokens":5,"outputTokens":3}"#),
    Example(
      "OpenAI's speech is audio",
      #"{"type":"speech.audio.done","usage":{"input_tokens":14,"output_tokens":101,"#
        + #""total_tokens":115}}"#,
      #"{"inputTokens":14,"outputTokens":0,"audioOutputTokens":101}"#),
    Example(
      "Cohere's numbers with a point",
      #"{"finish_reason":"COMPLETE","usage":{"billed_units":{"input_tokens":5.0,"#
        + #""output_tokens":26.0},"tokens":{"input_tokens":498.0,"output_tokens":26.0}}}"#,
      #"{"inputTokens":5,"outputTokens":26}"#),
    Example(
      "Cohere Parse", #"{"id":"p","meta":{"billed_units":{"pages":4.0}}}"#,
      #"{"inputTokens":0,"outputTokens":0,"pages":4}"#),
    Example(
      "Perplexity's context",
      chat(#""prompt_tokens":27,"completion_tokens":93,"search_context_size":"low""#),
      #"{"inputTokens":27,"outputTokens":93,"searchContext":"low"}"#),
    Example("a search of the web", responses(#""tools":[{"type":"web_search"}]"#), searched),
    Example(
      "a search of the web, dated", responses(#""tools":[{"type":"web_search_2025_08_26"}]"#),
      searched),
    Example("a search without its tool", responses(#""tools":[]"#), searched),
    Example(
      "a search by the preview",
      responses(#""tools":[{"type":"function"},{"type":"web_search_preview_2025_03_11"}]"#),
      previewed),
    Example(
      "searches by the preview, counted",
      responses(
        #""tools":[{"type":"web_search_preview"}],"tool_usage":{"web_search":{"num_requests":3}}"#),
      #"{"inputTokens":7,"outputTokens":2,"webSearchPreviews":3}"#),
    Example(
      "a Responses body that has nothing but its two counts",
      #"{"output":[{"type":"web_search_call","action":{"type":"search"}},"#
        + #"{"type":"code_interpreter_call"}],"service_tier":"flex","#
        + #""usage":{"input_tokens":7,"output_tokens":2}}"#,
      #"{"inputTokens":7,"outputTokens":2,"webSearches":1,"serviceTier":"flex"}"#,
      unread: ["output.code_interpreter_call"]),
  ])
  func reads(_ example: Example) throws {
    for reading in [try usageReading(of: example.text), try response(example.text)] {
      #expect(usageText(reading.usage) == example.usage, "\(reading.usage)")
      #expect(reading.unread == example.unread)
      #expect(reading.isComplete)
    }
  }

  @Test func aFractionIsNotACount() throws {
    for count in ["5.5", "1e-1", "-5.0", "99999999999999999999.0"] {
      let text = #"{"usage":{"billed_units":{"input_tokens":\#(count),"output_tokens":1}}}"#
      #expect(usageText(try usageReading(of: text).usage) == nil)
    }
    let chat = Self.chat(#""prompt_tokens":5.0,"completion_tokens":1"#)
    #expect(usageText(try usageReading(of: chat).usage) == nil)
  }

  @Test(arguments: [
    ("in_progress", "cut"), ("finalizing", "cut"), ("completed", "complete"),
    ("expired", "complete"), ("failed", "failed_response"), ("cancelled", "failed_response"),
  ])
  func aBatchIsBilledAtItsEnd(status: String, outcome: String) throws {
    let text =
      #"{"id":"batch_1","object":"batch","status":"\#(status)","usage":{"input_tokens":1,"#
      + #""output_tokens":2,"total_tokens":3}}"#
    for reading in [try usageReading(of: text), try response(text)] {
      #expect(reading.outcomeText == outcome)
    }
  }

  @Test func aCostBelowZeroIsNotACost() throws {
    for (cost, isNegative) in [
      (#""cost":-1"#, true), (#""cost":{"total_cost":-0.5}"#, true), (#""cost":-0.0"#, false),
      (#""cost":0.5"#, false), (#""cost":null"#, false), (#""cost_in_usd_ticks":-3"#, true),
    ] {
      let text = Self.chat(#""prompt_tokens":5,"completion_tokens":3,\#(cost)"#)
      for reading in [try usageReading(of: text), try response(text)] {
        #expect(reading.costIsNegative == isNegative, "\(cost)")
        #expect((reading.reportedUSD != nil) == (cost == #""cost":0.5"#))
      }
    }
  }
}
