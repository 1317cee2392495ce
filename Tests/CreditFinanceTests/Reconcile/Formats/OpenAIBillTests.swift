import CreditModel
import Testing

@testable import CreditFinance

@Suite struct OpenAIBillTests {
  private func page(_ results: String..., more: Bool = false) -> String {
    """
    {"object":"page","data":[{"object":"bucket","start_time":1730419200,"end_time":1730505600,\
    "results":[\(results.joined(separator: ","))]}],"has_more":\(more),"next_page":null}
    """
  }

  private func cost(_ value: String, _ item: String) -> String {
    """
    {"object":"organization.costs.result","amount":{"value":\(value),"currency":"usd"},\
    "line_item":\(item),"project_id":null,"api_key_id":null}
    """
  }

  /// The example of the reference, which is of no line item.
  @Test func amountsAreNumbersInDollars() throws {
    let compared = try compare(OpenAIBill.self, [page(cost("0.06", "null"))]) {
      $0.grouping = .day
    }
    #expect(compared[0, "day"] == "2024-11-01")
    #expect(compared[total: "billUSD"] == "0.06")
    #expect(
      failure { try compare(OpenAIBill.self, [page(cost("0.06", "null"))]) }?.code
        == .invalidRequest)
  }

  /// All digits of a float are kept.
  @Test func noDigitIsLost() throws {
    let compared = try compare(
      OpenAIBill.self, [page(cost("0.1300000000000000000001", "\"web search tool calls\""))])
    #expect(compared[0, "billUSD"] == "0.1300000000000000000001")
  }

  /// Some line items are just the name of the model, whichever file comes first.
  @Test func aLineItemMayBeAModelsName() throws {
    let images = page(
      """
      {"object":"organization.usage.images.result","images":2,"num_model_requests":1,\
      "model":"gpt-image-1"}
      """)
    let costs = page(cost("0.08", "\"gpt-image-1\""), cost("0.5", "\"storage\""))
    let history = usage("1", "2024-11-01T01:00:00Z", "gpt-image-1", "\"images\":2", usd: "0.08")
    for bills in [[images, costs], [costs, images], [costs]] {
      let compared = try compare(OpenAIBill.self, bills, [history])
      #expect(compared.causes == [.equal, .notInBooks], "\(compared.lines)")
      #expect(compared[0, "model"] == "gpt-image-1" && compared[1, "description"] == "storage")
      #expect(compared[total: "differenceUSD"] == "0.5")
    }
  }

  /// OpenAI counts images, and its responses have tokens: equal dollars are enough.
  @Test func dollarsAloneAreComparedIfNoCountIsOfTheSameKind() throws {
    let images = page(
      """
      {"object":"organization.usage.images.result","images":1,"num_model_requests":1,\
      "model":"gpt-image-1"}
      """)
    let costs = page(cost("0.0425", "\"gpt-image-1\""))
    func history(_ usd: String) -> [String] {
      let counts = "\"inputTokens\":50,\"outputTokens\":0,\"imageOutputTokens\":1056"
      return [usage("1", "2024-11-01T01:00:00Z", "gpt-image-1", counts, usd: usd)]
    }
    let equal = try compare(OpenAIBill.self, [images, costs], history("0.0425"))
    #expect(equal.causes == [.equal], "\(equal.lines)")
    #expect(equal[0, "compared"] == "usd" && equal[0, "usage.bill.images"] == "1")
    #expect(
      equal.result.findings[0].words == "equal; by dollars alone, as the bill counts images")
    let other = try compare(OpenAIBill.self, [images, costs], history("0.05"))
    #expect(other.causes == [.quantity] && other[0, "compared"] == nil)
    let alone = try compare(OpenAIBill.self, [images], history("0.0425"))
    #expect(alone.causes == [.quantity], "without costs no dollars agree")
  }

  @Test func inputIsTakenApart() throws {
    let completions = page(
      """
      {"object":"organization.usage.completions.result","input_tokens":1000,"output_tokens":500,\
      "input_cached_tokens":300,"input_cached_audio_tokens":20,"input_cache_write_tokens":100,\
      "input_audio_tokens":50,"input_image_tokens":7,"output_audio_tokens":40,\
      "input_uncached_tokens":600,"num_model_requests":5,"model":"gpt-4.1"}
      """)
    let costs = page(
      cost("1", "\"gpt-4.1, input\""), cost("2", "\"gpt-4.1, cached input\""),
      cost("3", "\"batch | gpt-4.1, output, long context\""), cost("0.5", "\"storage\""))
    let history = usage(
      "1", "2024-11-01T23:59:59Z", "gpt-4.1",
      """
      "inputTokens":543,"outputTokens":460,"cacheReadTokens":280,"cacheReadAudioTokens":20,\
      "cacheWriteTokens":100,"audioInputTokens":50,"imageInputTokens":7,"audioOutputTokens":40
      """, usd: "6")
    let compared = try compare(OpenAIBill.self, [completions, costs], [history])
    #expect(compared.causes == [.equal, .notInBooks])
    #expect(compared[1, "description"] == "storage")
    #expect(compared[total: "differenceUSD"] == "0.5")
  }

  @Test func partsThatAreMoreThanTheirSumAreAnError() {
    let completions = page(
      """
      {"object":"organization.usage.completions.result","input_tokens":10,"output_tokens":5,\
      "input_cached_tokens":8,"input_audio_tokens":9223372036854775807,"model":"gpt-4.1"}
      """)
    #expect(failure { try compare(OpenAIBill.self, [completions]) }?.code == .invalidUsage)
  }

  @Test func otherUsage() throws {
    func result(_ kind: String, _ members: String) -> String {
      page("{\"object\":\"organization.usage.\(kind).result\",\(members)}")
    }
    let compared = try compare(
      OpenAIBill.self,
      [
        result("embeddings", "\"input_tokens\":9,\"num_model_requests\":1,\"model\":\"embed\""),
        result("images", "\"images\":2,\"num_model_requests\":1,\"model\":\"image\""),
        result("audio_speeches", "\"characters\":11,\"num_model_requests\":1,\"model\":\"tts\""),
        result("moderations", "\"input_tokens\":99,\"num_model_requests\":1,\"model\":\"mod\""),
        result("web_searches", "\"num_requests\":4,\"num_model_requests\":1,\"model\":\"gpt\""),
        result("code_interpreter_sessions", "\"num_sessions\":3,\"project_id\":null"),
      ],
      [
        usage("1", "2024-11-01T01:00:00Z", "embed", "\"inputTokens\":9"),
        usage("2", "2024-11-01T01:00:00Z", "image", "\"images\":2"),
        usage("3", "2024-11-01T01:00:00Z", "gpt", "\"webSearches\":3"),
      ])
    let found = Dictionary(
      uniqueKeysWithValues: compared.result.findings.map { ($0.subject.text, $0.cause) })
    #expect(
      found == [
        "embed": .equal, "image": .equal, "tts": .notInBooks, "mod": .equal, "gpt": .quantity,
        "code interpreter sessions": .notInBooks,
      ])
    let speech = try #require(compared.lines.first { $0.contains("tts") })
    #expect(Compared.member("unread.characters", of: speech) == "11")
  }

  @Test(arguments: [
    ("gpt-5.5-2026-04-23, input", "gpt-5.5-2026-04-23", UsageCount.inputTokens),
    ("gpt-5-mini-2025-08-07, output", "gpt-5-mini-2025-08-07", .outputTokens),
    ("gpt-4o-mini-2024-07-18, cached input", "gpt-4o-mini-2024-07-18", .cacheReadTokens),
    ("gpt-4o-2024-08-06, Input", "gpt-4o-2024-08-06", .inputTokens),
    ("priority | gpt-5.6-sol, output, long context", "gpt-5.6-sol", .outputTokens),
    ("gpt-audio-mini-2025-12-15 audio, input", "gpt-audio-mini-2025-12-15", .audioInputTokens),
    ("gpt-image-2.5-flare image, output", "gpt-image-2.5-flare", .imageOutputTokens),
    ("gpt-image-2.5-sunburst text, cached input", "gpt-image-2.5-sunburst", .cacheReadTokens),
  ])
  func lineItemsOfModels(_ text: String, _ model: String, _ count: UsageCount) {
    let item = OpenAILineItem(text)
    #expect(item.model == model && item.place == Int(count.rawValue))
  }

  @Test(arguments: ["web search tool calls", "Vector storage", "", ",", "a b c, input", "|", " , "])
  func lineItemsOfNoModel(_ text: String) {
    let item = OpenAILineItem(text)
    #expect(item.model == nil)
    #expect(item.isWebSearch == text.hasPrefix("web search"))
  }
}
