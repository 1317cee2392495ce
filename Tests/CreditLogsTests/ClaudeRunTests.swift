import Testing

/// The output of `claude -p`: messages without final counts, a result with those of each model.
@Suite struct ClaudeRunTests {
  private func printed(_ id: String, _ output: Int, stop: String = "null") -> String {
    """
    {"type":"assistant","session_id":"s1","uuid":"\(id)","message":{"id":"\(id)","model":"opus",\
    "stop_reason":\(stop),"usage":{"input_tokens":10,"output_tokens":\(output)}}}
    """
  }

  private func result(_ id: String, _ models: String) -> String {
    """
    {"type":"result","subtype":"success","session_id":"s1","uuid":"\(id)",\
    "usage":{"input_tokens":1,"output_tokens":1},"modelUsage":{\(models)}}
    """
  }

  private func totals(_ model: String, _ input: Int, _ output: Int) -> String {
    """
    "\(model)":{"inputTokens":\(input),"outputTokens":\(output),"cacheReadInputTokens":0,\
    "cacheCreationInputTokens":0,"costUSD":0.5}
    """
  }

  private func counts(_ lines: String...) -> [String] {
    requests("claude", lines.joined(separator: "\n")).map { request in
      ["key", "model", "usage.inputTokens", "usage.outputTokens", "reportedUSD"].map {
        member($0, of: request) ?? "-"
      }.joined(separator: " ")
    }
  }

  @Test func aRunsResultHasTheFinalCounts() {
    #expect(counts(printed("m1", 1), printed("m2", 1)) == [])
    let models = totals("opus[1m]", 20, 300) + "," + totals("haiku", 5, 6)
    #expect(
      counts(printed("m1", 1), printed("m2", 1), result("r1", models)) == [
        "r1:opus opus 20 300 0.5", "r1:haiku haiku 5 6 0.5",
      ])
  }

  @Test func aMessageWithFinalCountsIsBilledOnce() {
    #expect(
      counts(printed("m1", 40, stop: "\"end_turn\""), result("r1", totals("opus", 30, 100))) == [
        "r1:opus opus 20 60 -", "m1 opus 10 40 -",
      ])
  }

  @Test func laterResultsAreTotals() {
    #expect(
      counts(result("r1", totals("opus", 20, 30)), result("r2", totals("opus", 50, 40))) == [
        "r1:opus opus 20 30 0.5", "r2:opus opus 30 10 -",
      ])
  }

  @Test func aResultMayHaveOneUsage() {
    let plain = """
      {"type":"result","session_id":"s1","uuid":"r1","total_cost_usd":0.02,\
      "usage":{"input_tokens":7,"output_tokens":9}}
      """
    #expect(counts(printed("m1", 1), plain) == ["r1:opus opus 7 9 0.02"])
  }

  @Test func anArrayOfMessagesIsReadHoweverItIsLaidOut() {
    let models = totals("opus", 20, 300)
    let lines = [printed("m1", 1), printed("m2", 40, stop: "\"end_turn\""), result("r1", models)]
    let expected = counts(lines[0], lines[1], lines[2])
    #expect(expected.count == 2)
    #expect(counts("[" + lines.joined(separator: ",") + "]") == expected)
    let pretty = lines.map { $0.replacing(",\"", with: ",\n    \"") }.joined(separator: ",\n  ")
    #expect(counts("[\n  " + pretty + "\n]") == expected)
  }
}
