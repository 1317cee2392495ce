import CreditModel
import Testing

@testable import CreditFinance

@Suite struct AnthropicBillTests {
  /// The example of the page on cost_report: 123.45 cents are $1.2345.
  @Test func amountsAreTextInCents() throws {
    let page = """
      {"data":[{"starting_at":"2025-08-01T00:00:00Z","ending_at":"2025-08-02T00:00:00Z","results":[\
      {"amount":"123.45","currency":"USD","cost_type":"tokens","token_type":"output_tokens",\
      "description":"Claude Opus Usage - Output Tokens","model":"claude-opus-4-6",\
      "context_window":"0-200k","service_tier":"standard","inference_geo":"global",\
      "workspace_id":"wrkspc_01JwQvzr7rXLA5AGx3HKfFUJ"}]}],"has_more":false,"next_page":null}
      """
    let compared = try compare(AnthropicBill.self, [page])
    #expect(compared[0, "billUSD"] == "1.2345")
    #expect(compared[0, "cause"] == "not_in_books")
    #expect(compared[0, "description"] == "Claude Opus Usage - Output Tokens")
    #expect(compared[total: "differenceUSD"] == "1.2345")
  }

  /// The example of the page on usage_report/messages.
  @Test func usageIsReadByItsNames() throws {
    let page = """
      {"data":[{"starting_at":"2025-08-01T00:00:00Z","ending_at":"2025-08-02T00:00:00Z","results":[\
      {"uncached_input_tokens":1500,"cache_creation":{"ephemeral_1h_input_tokens":1000,\
      "ephemeral_5m_input_tokens":500},"cache_read_input_tokens":200,"output_tokens":500,\
      "server_tool_use":{"web_search_requests":10},"api_key_id":"apikey_01",\
      "model":"claude-opus-4-6","service_tier":"standard",\
      "context_window":"0-200k","inference_geo":"global"}]}],\
      "has_more":false,"next_page":null}
      """
    let history = usage(
      "1", "2025-08-01T12:00:00Z", "claude-opus-4-6",
      """
      "inputTokens":1500,"outputTokens":500,"cacheReadTokens":200,"cacheWriteTokens":500,\
      "cacheWrite1hTokens":1000,"webSearches":10,"codeExecutions":3
      """)
    let compared = try compare(AnthropicBill.self, [page], [history])
    #expect(compared.causes == [.equal])
    #expect(compared[0, "compared"] == nil || compared[0, "compared"] == "usage")
    #expect(compared[total: "ok"] == "true")
  }

  @Test func searchesAreSharedOutByTheirNumber() throws {
    let pages = [
      anthropicPage([
        [anthropicUsage("opus", searches: 3), anthropicUsage("haiku", searches: 1)]
      ]),
      anthropicPage([[anthropicCost("4", nil, nil, "Web Search Usage", type: "web_search")]]),
    ]
    let history = [
      usage("1", "2026-11-01T01:00:00Z", "opus", "\"webSearches\":3", usd: "0.03"),
      usage("2", "2026-11-01T01:00:00Z", "haiku", "\"webSearches\":1", usd: "0.01"),
    ]
    let compared = try compare(AnthropicBill.self, pages, history)
    #expect(compared.causes == [.equal, .equal])
    #expect(compared[total: "billUSD"] == "0.04")
  }

  @Test func searchesThatCannotBeSharedOutExactlyAreALineOfTheirOwn() throws {
    let pages = [
      anthropicPage([
        [anthropicUsage("opus", searches: 2), anthropicUsage("haiku", searches: 1)]
      ]),
      anthropicPage([[anthropicCost("1", nil, nil, "Web Search Usage", type: "web_search")]]),
    ]
    let compared = try compare(AnthropicBill.self, pages)
    #expect(compared.result.findings.map(\.subject.text) == ["haiku", "opus", "Web Search Usage"])
    #expect(compared[2, "billUSD"] == "0.01")
    #expect(compared[total: "billUSD"] == "0.01")
  }

  @Test func aBillWithoutModelsIsReported() throws {
    let page = anthropicPage([
      ["{\"amount\":\"100\",\"currency\":\"USD\",\"description\":null,\"model\":null}"]
    ])
    let error = failure { try compare(AnthropicBill.self, [page]) }
    #expect(error?.message.contains("fetch it by model, or compare --by day") == true)
    let byDay = try compare(AnthropicBill.self, [page]) { $0.grouping = .day }
    #expect(byDay[total: "billUSD"] == "1")
  }

  @Test func countsWithoutANameAreUnread() throws {
    let result = anthropicUsage("opus", input: 5).replacing(
      "\"output_tokens\"", with: "\"video_tokens\":7,\"output_tokens\"")
    let compared = try compare(AnthropicBill.self, [anthropicPage([[result]])])
    #expect(compared[0, "unread.video_tokens"] == "7")
  }

  @Test(arguments: ["-1", "1.5", "9223372036854775808", "\"1\"", "true", "1e3"])
  func anInvalidCountIsAnError(_ count: String) {
    let result = anthropicUsage("opus", input: 5).replacing(":5,", with: ":\(count),")
    let error = failure { try compare(AnthropicBill.self, [anthropicPage([[result]])]) }
    if count == "\"1\"" { return #expect(error == nil) }
    #expect(error?.code == .invalidUsage)
  }

  @Test func sumsBeyond64BitsAreAnError() {
    let large = anthropicUsage("opus", input: .max)
    let batch = large.replacing("null", with: "\"batch\"")
    let error = failure { try compare(AnthropicBill.self, [anthropicPage([[large, batch]])]) }
    #expect(error?.code == .amountOutOfRange)
  }

  @Test func otherCurrenciesAreSeparateLines() throws {
    let page = anthropicPage([
      [
        anthropicCost("100", "opus", nil),
        anthropicCost("250", "opus", nil, "Claude in euros", currency: "EUR"),
      ]
    ])
    let compared = try compare(AnthropicBill.self, [page])
    #expect(compared.lines.count == 2)
    #expect(compared[1, "currency"] == "EUR" && compared[1, "bill"] == "2.5")
    #expect(compared[total: "billUSD"] == "1")
    for wrong in ["EURO", "XXQ", "", "$"] {
      let page = anthropicPage([[anthropicCost("1", "opus", nil, currency: wrong)]])
      #expect(failure { try compare(AnthropicBill.self, [page]) }?.code == .invalidRequest)
    }
  }

  @Test func aMapGivesAChargeAModelOfTheBooks() throws {
    let page = anthropicPage([
      [anthropicCost("25", nil, nil, "Code Execution Usage", type: "code_execution")]
    ])
    let history = usage("1", "2026-11-01T01:00:00Z", "sandbox", "\"units\":1", usd: "0.25")
    let compared = try compare(
      AnthropicBill.self, [page], [history], maps: ["Code Execution Usage": "sandbox"])
    #expect(compared.causes == [.equal])
    #expect(compared[0, "compared"] == "usd")
  }
}
