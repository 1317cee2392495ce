import CreditModel
import Testing

@testable import CreditCommand
@testable import CreditJSON
@testable import TestSupport

/// The usage of a request beside usage flags.
@Suite struct BilledUsageTests {
  private func billed(
    _ request: String?, _ flags: [(StaticString, Int64)], fallback: Bool = false
  ) throws -> ReportedUsage {
    var arguments = ParsedArguments(.charge)
    arguments.add(.model, .text("m"))
    for (member, count) in flags {
      let flag = Flag.usage.first { $0.usagePart?.member.description == member.description }
      arguments.add(try #require(flag), .integer(count))
    }
    var policy = Policy(prices: PriceCatalog())
    policy.priceRules.chargesMinimumForUnreadableUsage = fallback
    let context = RequestContext(flags: try RequestFlags(arguments), under: policy)
    func read(_ source: RequestSource) throws -> ReportedUsage {
      try #require(try RequestReader(source, context).billedUsage()).usage
    }
    guard let request else { return try read(.flags) }
    return try JSONDocument(request).withRoot { try read(.value($0)) }
  }

  private func code(_ request: String, _ flags: [(StaticString, Int64)], fallback: Bool = false)
    -> CreditError.Code?
  {
    (failure { try billed(request, flags, fallback: fallback) } as? CreditError)?.code
  }

  private func tokens(_ input: Int64, _ output: Int64, read: Int64 = 0) -> ReportedUsage {
    .counts(
      .tokens(TokenUsage(inputTokens: input, outputTokens: output, cacheReadTokens: read)))
  }

  @Test func theModelOfTheRequestBeforeIsNotTakenForAnother() throws {
    let context = RequestContext(
      flags: try RequestFlags(ParsedArguments(.charge)), now: .earliest,
      under: Policy(prices: PriceCatalog()))
    func model(_ text: String) throws -> String {
      try JSONDocument(#"{"usage":{"units":1},"model":\#(text)}"#).withRoot { value in
        let reader = try RequestReader(.value(value), context)
        return try #require(try reader.billedUsage()).model.text
      }
    }
    for name in ["a", "a", "b", "claude-sonnet-4.5", "claude-sonnet-4.5", "claude-sonnet-4.6"] {
      #expect(try model("\"\(name)\"") == name)
    }
    #expect(try model(#""\u0061""#) == "a")
    #expect(try model(#""\u0061""#) == "a")
    #expect(throws: CreditError.self) { try model("5") }
    #expect(throws: CreditError.self) { try model(#""a ""#) }
    #expect(try model(#""a""#) == "a")
  }

  @Test(arguments: [("default", nil), ("flex", "flex")] as [(String, String?)])
  func bedrockHasItsTierInAnObject(type: String, tier: String?) throws {
    for total in ["", #","totalTokens":8"#] {
      let text =
        #"{"output":{},"usage":{"inputTokens":3,"outputTokens":5\#(total)},"#
        + #""serviceTier":{"type":"\#(type)"}}"#
      var expected = TokenUsage(inputTokens: 3, outputTokens: 5)
      expected[.serviceTier] = tier
      #expect(try billed(text, []) == .counts(.tokens(expected)))
      #expect(try billed(text, [("outputTokens", 5)]) == .counts(.tokens(expected)))
    }
    for tier in ["5", "[]", #"{"type":5}"#] {
      let text = #"{"usage":{"inputTokens":3,"outputTokens":5},"serviceTier":\#(tier)}"#
      #expect(code(text, []) == .invalidRequest)
    }
  }

  @Test func flagsFillInMissingCounts() throws {
    let input: [(StaticString, Int64)] = [("inputTokens", 3)]
    #expect(try billed("{}", input) == tokens(3, 0))
    #expect(try billed(#"{"usage":{}}"#, input) == tokens(3, 0))
    #expect(try billed(#"{"usage":{"outputTokens":5}}"#, input) == tokens(3, 5))
    #expect(try billed(#"{"usage":{"inputTokens":3,"outputTokens":5}}"#, input) == tokens(3, 5))
    #expect(
      try billed(#"{"usage":{"inputTokens":3,"outputTokens":5}}"#, [("cacheReadTokens", 7)])
        == tokens(3, 5, read: 7))
    #expect(try billed("{}", [("units", 2)]) == .counts(.units(2)))
    #expect(try billed(#"{"usage":{"units":2}}"#, [("units", 2)]) == .counts(.units(2)))
  }

  /// Under the fallback such a usage would cost the minimum, and the flag would have no effect.
  @Test(arguments: [
    #"{"usage":{"prompt_tokens":"3","completion_tokens":500000}}"#,
    #"{"usage":{"prompt_tokens":3}}"#,
    #"{"usage":{"input_tokens":3,"output_tokens":-1}}"#,
    #"{"usage":{"inputTokens":"3","outputTokens":5}}"#,
    #"{"usage":{"inputTokens":null,"outputTokens":5}}"#,
    #"{"usage":{"inputTokens":null}}"#,
    #"{"usage":{"inputTokens":3,"outputTokens":-5}}"#,
    #"{"usage":{"inputTokens":3}}"#,
    #"{"usage":{"inputTokens":3,"outputTokens":5,"units":1}}"#,
    #"{"usage":{"total_tokens":3}}"#,
    #"{"usage":null}"#, #"{"usage":3}"#, #"{"usage":"3"}"#, #"{"usage":[]}"#, #"{"usage":[3]}"#,
    #"{"usageMetadata":{"promptTokenCount":"3","candidatesTokenCount":500000}}"#,
    #"{"usageMetadata":null}"#,
    #"{"response":{"usage":"3"}}"#,
    #"{"meta":{"billed_units":{"input_tokens":"3","output_tokens":1}}}"#,
    #"{"prompt_eval_count":1.5,"eval_count":500000}"#,
  ])
  func flagsDoNotRepairAnUnreadableUsage(_ request: String) {
    #expect(code(request, [("inputTokens", 3)]) == .invalidUsage)
    #expect(code(request, [("inputTokens", 3)], fallback: true) == .invalidRequest)
    #expect(code(request, []) == nil)
  }

  @Test(arguments: [
    #"{"usage":{"inputTokens":4}}"#,
    #"{"usage":{"inputTokens":4,"outputTokens":5}}"#,
    #"{"usage":{"inputTokens":3,"outputTokens":5,"cacheReadTokens":1}}"#,
    #"{"usage":{"units":3}}"#,
    #"{"usage":{"prompt_tokens":4,"completion_tokens":5}}"#,
    // A provider's counts are compared in their billed form.
    #"{"usage":{"prompt_tokens":3,"completion_tokens":5,"#
      + #""prompt_tokens_details":{"cached_tokens":1}}}"#,
    #"{"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":5}}"#,
  ])
  func flagsAreTheOperatorsWord(_ request: String) {
    let flags: [(StaticString, Int64)] = [("inputTokens", 3), ("cacheReadTokens", 0)]
    #expect(code(request, flags) == .invalidRequest)
    #expect(code(request, flags, fallback: true) == .invalidRequest)
  }

  @Test func flagsMayRepeatAProvidersCounts() throws {
    let request = #"""
      {"usage":{"prompt_tokens":10,"completion_tokens":5,
                "prompt_tokens_details":{"cached_tokens":7}}}
      """#
    #expect(
      try billed(request, [("inputTokens", 3), ("cacheReadTokens", 7)]) == tokens(3, 5, read: 7))
    #expect(code(request, [("inputTokens", 10)]) == .invalidRequest)
    #expect(code(request, [("cacheWriteTokens", 1)]) == .invalidRequest)
  }

  @Test func negativeFlagsAreDistinguished() throws {
    #expect(
      try billed(nil, [("inputTokens", -1), ("outputTokens", 2)])
        == .unreadable(
          raw: #"{"inputTokens":-1,"outputTokens":2}"#,
          reason: "--input-tokens must be 0 or more, not -1"))
    #expect(try billed(nil, [("units", -1)]) != billed(nil, [("units", -2)]))
    #expect(code(#"{"usage":{"inputTokens":1}}"#, [("outputTokens", -2)]) == .invalidUsage)
  }
}
