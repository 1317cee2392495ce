import Testing

@testable import CreditJSON

/// The output of programs that ran several models.
@Suite struct ModelUsagesTests {
  private static let loop =
    #""usage":{"input_tokens":3,"cache_creation_input_tokens":5,"cache_read_input_tokens":7,"#
    + #""output_tokens":11}"#

  private static func claude(_ models: String) -> String {
    #"{"type":"result","subtype":"success","total_cost_usd":0.5,\#(loop),"#
      + #""modelUsage":{\#(models)}}"#
  }

  private static func model(_ name: String, _ counts: [Int]) -> String {
    #""\#(name)":{"inputTokens":\#(counts[0]),"outputTokens":\#(counts[1]),"#
      + #""cacheReadInputTokens":\#(counts[2]),"cacheCreationInputTokens":\#(counts[3]),"#
      + #""webSearchRequests":0,"costUSD":0.1,"contextWindow":200000}"#
  }

  @Test(arguments: [
    (model("opus", [3, 11, 7, 5]), "opus", []),
    (
      model("haiku", [100, 4, 0, 0]) + "," + model("opus", [3, 11, 7, 5]), "opus",
      ["modelUsage.haiku"]
    ),
    // One that only searched.
    (
      model("opus", [3, 11, 7, 5]) + #","haiku":{"webSearchRequests":2}"#, "opus",
      ["modelUsage.haiku"]
    ),
    // A model without usage.
    (model("opus", [3, 11, 7, 5]) + "," + model("haiku", [0, 0, 0, 0]), "opus", []),
    // Agents beside the main loop used the same model.
    (model("opus", [300, 11, 7, 5]), nil, ["modelUsage.opus"]),
    (#""opus":{}"#, nil, []),
    ((1...20).map { model("m\($0)", [1, 1, 1, 1]) }.joined(separator: ","), nil, ["modelUsage"]),
  ])
  func claudeCountsItsMainLoop(models: String, model: String?, unread: [String]) throws {
    for reading in [
      try usageReading(of: Self.claude(models)), try response(Self.claude(models)),
    ] {
      #expect(usageCounts(reading.usage) == [3, 11, 7, 5])
      #expect(reading.responseModel == model)
      #expect(reading.unread == unread)
      #expect(reading.isComplete)
      #expect(ModelUsages.models(in: reading.unread + ["total_tokens"]) == unread)
    }
  }

  private static func gemini(_ models: String) -> String {
    #"{"session_id":"s","response":"x","stats":{"models":{\#(models)},"tools":{"totalCalls":0},"#
      + #""files":{"totalLinesAdded":0}}}"#
  }

  private static let pro =
    #""gemini-2.5-pro":{"api":{"totalRequests":2},"tokens":{"input":3676,"prompt":24939,"#
    + #""candidates":20,"total":25117,"cached":21263,"thoughts":154,"tool":4}}"#
  private static let lite =
    #""gemini-2.5-flash-lite":{"api":{"totalRequests":1},"tokens":{"prompt":3605,"#
    + #""candidates":52,"total":3852,"cached":0,"thoughts":195,"tool":0}}"#

  @Test func geminiCountsByModel() throws {
    for (models, unread) in [
      (Self.pro, []), (Self.lite + "," + Self.pro, ["stats.models.gemini-2.5-flash-lite"]),
    ] {
      for reading in [
        try usageReading(of: Self.gemini(models)), try response(Self.gemini(models)),
      ] {
        #expect(usageCounts(reading.usage) == [3680, 174, 21263, 0])
        #expect(reading.responseModel == "gemini-2.5-pro")
        #expect(reading.unread == unread)
        #expect(reading.isResponse && reading.isComplete)
      }
    }
  }

  @Test func aResponseWithoutModelsHasNoUsage() throws {
    let reading = try usageReading(of: Self.gemini(""))
    #expect(usageText(reading.usage) == nil)
  }
}
