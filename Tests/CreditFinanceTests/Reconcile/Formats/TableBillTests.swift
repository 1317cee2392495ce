import CreditModel
import Testing

@testable import CreditFinance

/// Bills with a row for each day or call: OpenRouter's, LiteLLM's, and FOCUS.
@Suite struct TableBillTests {
  // MARK: OpenRouter

  private let activity = """
    {"data":[{"date":"2025-08-24","model":"openai/gpt-4.1",\
    "model_permaslug":"openai/gpt-4.1-2025-04-14",\
    "endpoint_id":"550e8400-e29b-41d4-a716-446655440000","provider_name":"OpenAI","usage":0.015,\
    "byok_usage_inference":0.012,"requests":5,"prompt_tokens":50,"completion_tokens":125,\
    "reasoning_tokens":25}]}
    """

  @Test func activityAddsUpAllInput() throws {
    let history = usage(
      "1", "2025-08-24T10:00:00Z", "openai/gpt-4.1",
      "\"inputTokens\":30,\"outputTokens\":125,\"cacheReadTokens\":15,\"cacheWriteTokens\":5",
      usd: "0.015")
    let compared = try compare(OpenRouterBill.self, [activity], [history])
    #expect(compared.causes == [.equal])
    #expect(compared[0, "usage.books.inputTokens"] == "50")
    let twice = failure { try compare(OpenRouterBill.self, [activity + activity]) }
    #expect(
      twice?.message.hasSuffix(
        "two rows for \"2025-08-24 openai/gpt-4.1 openai/gpt-4.1-2025-04-14 "
          + "550e8400-e29b-41d4-a716-446655440000 OpenAI\"") == true)
    #expect(try compare(OpenRouterBill.self, [activity, activity])[0, "billUSD"] == "0.015")
  }

  @Test func activityAsATable() throws {
    let csv = """
      date,model,usage,requests,prompt_tokens,completion_tokens\r
      2025-08-24,openai/gpt-4.1,0.015,5,50,125\r

      """
    let compared = try compare(OpenRouterBill.self, [csv])
    #expect(compared[0, "billUSD"] == "0.015")
    #expect(compared[0, "usage.bill.outputTokens"] == "125")
  }

  @Test func theExportIsComparedCallByCall() throws {
    let csv = """
      generation_id,created_at,cost_total,tokens_prompt,tokens_completion,tokens_cached,\
      model_permaslug
      gen-1,2026-11-01 10:00:00,0.5,100,10,60,a/b
      gen-2,2026-11-01 11:00:00,0.25,7,3,,a/b

      """
    let history = usage(
      "gen-1", "2026-11-01T10:00:00Z", "a/b",
      "\"inputTokens\":30,\"cacheWriteTokens\":10,\"cacheReadTokens\":60,\"outputTokens\":10",
      usd: "0.5"
    ).replacing("key-gen-1", with: "gen-1")
    let compared = try compare(OpenRouterBill.self, [csv], [history]) { $0.grouping = .key }
    #expect(compared.causes == [.equal, .notInBooks])
    #expect(compared[1, "key"] == "gen-2")
    let byDay = try compare(OpenRouterBill.self, [csv])
    #expect(byDay[0, "usage.bill.cacheReadTokens"] == "60")
    #expect(byDay[0, "billUSD"] == "0.75")
  }

  @Test func aGenerationNeedsATimeOnlyForItsDay() throws {
    let generation = """
      {"data":{"id":"gen-abc","model":"anthropic/claude-sonnet-4.6","native_tokens_prompt":18054,\
      "native_tokens_cached":18041,"native_tokens_completion":120,"total_cost":0.0055,\
      "cache_discount":0.0615}}
      """
    let error = failure { try compare(OpenRouterBill.self, [generation]) }
    #expect(error?.message.contains("does not say when") == true)
    let compared = try compare(
      OpenRouterBill.self, [generation], since: "2026-11-01", until: "2026-12-01"
    ) { $0.grouping = .key }
    #expect(compared[0, "usage.bill.inputTokens"] == "13")
    #expect(compared[0, "billUSD"] == "0.0055")
  }

  /// A call with a key of one's own: the provider bills it, OpenRouter its fee.
  private func ownKey(_ fee: String, _ upstream: String?) -> String {
    """
    {"id":"gen-1","model":"a/b","created_at":"2026-11-01T10:00:00Z","is_byok":true,\
    "native_tokens_prompt":10,"native_tokens_completion":5,"total_cost":\(fee)\
    \(upstream.map { ",\"upstream_inference_cost\":\($0)" } ?? "")}
    """
  }

  @Test(
    arguments: [
      ("0", "0.02", "0.02", Cause.equal), ("0.001", "0.02", "0.021", .equal),
      ("0.001", "0.02", "0.001", .equal), ("0", nil, "0.02", .equal), ("0", nil, "0", .equal),
      ("0.001", "0.02", "0.02", .price), ("0.001", "0.02", "0.05", .price),
      ("0.03", "0.02", "0.01", .price), ("0.05", "1", "0.99", .price),
    ] as [(String, String?, String, Cause)])
  func ofOwnKeysTheFeeIsCompared(
    _ fee: String, _ upstream: String?, _ books: String, _ cause: Cause
  ) throws {
    let history = usage(
      "1", "2026-11-01T10:00:00Z", "a/b", "\"inputTokens\":10,\"outputTokens\":5", usd: books)
    let compared = try compare(OpenRouterBill.self, [ownKey(fee, upstream)], [history])
    #expect(compared.causes == [cause], "\(compared.lines)")
    #expect(compared[0, "booksUSD"]?.hasPrefix("-") == false)
    if upstream == nil, books != fee { #expect(compared[0, "compared"] == "usage") }
    if books == "0.021" {
      #expect(compared[0, "booksUSD"] == "0.001" && compared[0, "ownKeyUSD"] == "0.02")
    }
  }

  @Test func anActivityOmitsTheCostOfOwnKeys() throws {
    let history = usage(
      "1", "2025-08-24T10:00:00Z", "openai/gpt-4.1", "\"inputTokens\":50,\"outputTokens\":125",
      usd: "0.027")
    let compared = try compare(OpenRouterBill.self, [activity], [history])
    #expect(compared.causes == [.equal])
    #expect(compared[0, "booksUSD"] == "0.015" && compared[0, "ownKeyUSD"] == "0.012")
  }

  // MARK: LiteLLM

  /// The rows of a list are read one by one, so that it may have any length.
  @Test func spendLogsAsOneList() throws {
    func row(_ number: Int) -> String {
      """
      {"request_id":"r\(number)","model":"m","prompt_tokens":1,"completion_tokens":0,"spend":0.5,\
      "startTime":"2026-11-01 10:00:00","messages":"\(String(repeating: "x", count: 500))"}
      """
    }
    let list = "[\n" + (0..<50).map(row).joined(separator: " ,\n") + "\n]\n"
    let compared = try compare(LiteLLMBill.self, [list + row(50) + "[]" + "[" + row(51) + "]"])
    #expect(compared[0, "billUSD"] == "26")
    for broken in ["[", "[\(row(1)),]", "[\(row(1)) \(row(2))]", "[\(row(1))", "[,\(row(1))]"] {
      let error = failure { try compare(LiteLLMBill.self, [broken]) }
      #expect(error?.code == .invalidJSON, "\(broken)")
    }
  }

  @Test func spendLogs() throws {
    let csv = """
      request_id,model,prompt_tokens,completion_tokens,spend,startTime,status
      r1,gpt-4o,1500,20,0.00217,2026-11-01 10:00:00.5,success
      r2,gpt-4o,10,0,0,2026-11-01 10:00:00,failure
      r3,gpt-4o,10,1,1e-05,2026-11-02 00:00:00,success

      """
    let history = [
      usage(
        "r1", "2026-11-01T10:00:00Z", "gpt-4o", "\"inputTokens\":1500,\"outputTokens\":20",
        usd: "0.00217"),
      usage(
        "r3", "2026-11-02T00:00:00Z", "gpt-4o", "\"inputTokens\":10,\"outputTokens\":1",
        usd: "0.00001"),
    ]
    let compared = try compare(LiteLLMBill.self, [csv], history)
    #expect(compared.causes == [.equal, .equal])
    #expect(compared[total: "billUSD"] == "0.00218")
    let twice = failure { try compare(LiteLLMBill.self, [csv + csv]) }
    #expect(twice?.code.exitStatus == 65)
  }

  @Test(arguments: [
    "request_id,model\nr1,m,extra\n", "request_id,model\nr1,\"m\n",
    "request_id,model,startTime,prompt_tokens\nr1,m,,5\n",
    "request_id,model,startTime,prompt_tokens\nr1,m,2026-11-01 10:00:00,5.5\n",
    "request_id,model,startTime,prompt_tokens,spend\nr1,m,2026-11-01 10:00:00,5,x\n",
  ])
  func aRowThatCannotBeReadIsAnError(_ text: String) {
    #expect(failure { try compare(LiteLLMBill.self, [text]) }?.code.exitStatus == 65, "\(text)")
  }

  // MARK: FOCUS

  private let head =
    "BilledCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ConsumedQuantity,"
    + "ConsumedUnit,ChargeDescription,SkuMeter,x_Model\n"

  @Test func focusRows() throws {
    let csv =
      head + """
        1.50,USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,1.5,1K tokens,in,Input tokens,opus
        0.50,USD,2026-11-01 00:00:00 UTC,2026-11-02 00:00:00 UTC,Usage,0.0002,1M Tokens,,Output,opus
        0.25,USD,2026-11-01T00:00Z,2026-12-01T00:00Z,Tax,,,VAT,,
        -2,USD,2026-11-01T00:00:00Z,2026-12-01T00:00:00Z,Credit,,,Promotion,,
        9,EUR,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,,,Elsewhere,,opus

        """
    let history = usage(
      "1", "2026-11-01T10:00:00Z", "opus", "\"inputTokens\":1500,\"outputTokens\":200", usd: "2")
    let compared = try compare(FocusBill.self, [csv], [history]) { $0.modelColumn = "x_Model" }
    #expect(
      compared.result.findings.map(\.subject.text) == ["opus", "opus", "Promotion", "VAT"])
    #expect(compared.causes == [.equal, .notInBooks, .credit, .notInBooks])
    #expect(compared[total: "differenceUSD"] == "-1.75")
    #expect(compared[total: "causes.credit"] == "-2")
    let twice = try compare(FocusBill.self, [csv, csv], [history]) { $0.modelColumn = "x_Model" }
    #expect(twice.lines == compared.lines)
  }

  /// A day of two files with the same rows counts once; with some in common it is an error.
  @Test func focusFilesMayOverlap() throws {
    func bill(_ rows: String...) -> String {
      head
        + rows.map { row in
          let parts = row.split(separator: " ")
          return "\(parts[1]),USD,2026-11-0\(parts[0])T00:00:00Z,,Usage,,,Use,,opus\n"
        }.joined()
    }
    func cost(_ bills: String...) throws -> String? {
      try compare(FocusBill.self, bills) { $0.modelColumn = "x_Model" }[total: "billUSD"]
    }
    #expect(try cost(bill("1 3", "2 5", "2 5"), bill("2 5", "2 5", "3 5")) == "18")
    #expect(try cost(bill("1 3", "2 5"), bill("2 5", "3 5"), bill("2 5", "3 5", "4 1")) == "14")
    #expect(try cost(bill("1 3", "1 3"), bill("1 4")) == "10")
    for other in [bill("2 5", "2 6"), bill("2 5", "2 5")] {
      let error = failure {
        try compare(FocusBill.self, [bill("1 3", "2 5"), other]) { $0.grouping = .day }
      }
      #expect(error?.code == .incompleteBill)
      #expect(error?.message.contains("some rows of 2026-11-02 in common") == true)
    }
  }

  @Test func quantitiesOfOtherUnitsAreUnread() throws {
    let csv =
      head
      + "1,USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,3,Hours,in,Input,opus\n"
    let history = usage("1", "2026-11-01T10:00:00Z", "opus", "\"inputTokens\":7", usd: "1")
    let compared = try compare(FocusBill.self, [csv], [history]) { $0.modelColumn = "x_Model" }
    #expect(compared.causes == [.unread])
    #expect(compared[0, "compared"] == "usd" && compared[0, "unread.Hours"] == "3")
    #expect(compared.result.findings[0].words == "unread: 3 Hours")
  }

  @Test(arguments: [
    "1,USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,0.0001,1K tokens,,Input,opus",
    "1,USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,-5,Tokens,,Input,opus",
    "1,USD,2026-11-01T00:00:00Z,2026-12-02T00:00:00Z,Usage,5,Tokens,,Input,opus",
    ",USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,5,Tokens,,Input,opus",
    "1,XQX,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,5,Tokens,,Input,opus",
    "1,USD,2026-11-01T00:00:00Z,2026-10-31T00:00:00Z,Usage,5,Tokens,,Input,opus",
    "1,USD,2026-11-01T00:00:00Z,2026-10-31T00:00:00Z,Tax,,,VAT,,",
    "1,USD,then,2026-11-02T00:00:00Z,Usage,5,Tokens,,Input,opus",
  ])
  func aFocusRowThatCannotBeReadIsAnError(_ row: String) {
    let error = failure {
      try compare(FocusBill.self, [head + row + "\n"]) { $0.modelColumn = "x_Model" }
    }
    #expect(error?.code.exitStatus == 65, "\(row)")
  }

  @Test func aWrongValueIsQuotedOnceIfItIsText() {
    let row = "abc,USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,5,Tokens,,Input,opus\n"
    let text = failure { try compare(FocusBill.self, [head + row]) { $0.grouping = .day } }
    #expect(text?.message == #"bill1: line 2: BilledCost is not a decimal number: "abc""#)
    let count = failure {
      try compare(AnthropicBill.self, [anthropicPage([[anthropicUsage("opus", input: -1)]])])
    }
    #expect(count?.message.hasSuffix("uncached_input_tokens is not a count: -1") == true)
  }

  @Test func aColumnThatIsNotThereIsAnError() {
    let row = "1,USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,5,Tokens,,Input,opus\n"
    let error = failure {
      try compare(FocusBill.self, [head + row]) { $0.modelColumn = "Model" }
    }
    #expect(error?.message == "bill1: line 2: there is no column \"Model\"")
  }
}
