import CreditModel
import Testing

@testable import CreditJSON

@Suite struct StandardPolicyTests {
  private let text = PolicyText.standard
  /// On 2026-11-26.
  private let now = Timestamp(milliseconds: 1_795_700_000_000)

  private func decoded() throws -> Policy {
    try JSONDocument(text).withRoot { value throws(CreditError) in
      try PolicyDecoder.decode(value)
    }
  }

  /// Each model's JSON, by its id.
  private func models(_ body: (Name, JSONValue) throws -> Void) throws {
    let document = try JSONDocument(text)
    try document.withRoot { value in
      for model in value.elements("models") { try body(try #require(model.name("id")), model) }
    }
  }

  @Test func everyNameIsFound() throws {
    let policy = try decoded()
    try models { id, value in
      for name in value.modelNames {
        let found = try policy.model(name, at: now)
        #expect(found.id == id)
      }
    }
  }

  @Test func otherNamesAreNotFound() throws {
    let policy = try decoded()
    for name in ["", "usdPer1M", "claude-sonnet-2", "pack.1000", "\"", "{"] {
      #expect(throws: CreditError.self) { try policy.model(Name(trusted: name), at: now) }
    }
    #expect(try policy.prices.names(.model).contains(Name(trusted: "claude-sonnet-4.5")))
    #expect(try policy.product(Name(trusted: "pack.1000")).credits == 1000)
  }

  /// Its settings are the defaults of an empty policy.
  @Test func itsSettingsAreTheDefaults() throws {
    let (said, unsaid) = (try decoded(), Policy(prices: PriceCatalog()))
    func settings(_ policy: Policy) -> String {
      let rules = policy.priceRules
      return """
        \(policy.unit) \(policy.starterCredits) \(policy.registersAutomatically)
        \(policy.allowsOverdraft) \(policy.holdExpiresIn) \(policy.clockIsSimulated)
        \(policy.acceptsUnverifiedTransactions) \(policy.plans) \(policy.topUpLimit as Any)
        \(policy.appStore as Any) \(rules.usdMicrosPerCredit) \(rules.minimumCharge)
        \(rules.markup) \(rules.chargesMinimumForUnreadableUsage)
        \(rules.chargesBaseForUnpricedUsage)
        """
    }
    #expect(settings(said) == settings(unsaid))
  }

  @Test func everyPriceHasItsSource() throws {
    try models { id, model in
      let source = try #require(model.string("source"), "\(id)")
      guard let tokens = model.member("usdPer1M") else { return }
      #expect(source.hasPrefix("https://") && source.contains(", 2026-"), "\(id)")
      func contains(_ words: String...) -> Bool { words.contains { id.text.contains($0) } }
      let isOneWithBatches =
        ["claude", "gpt", "gemini", "mistral"].contains { id.text.hasPrefix($0) }
        && !contains("codex", "audio", "realtime", "transcribe", "-tts", "chat-latest")
        && !contains("gemini-2.0", "gemini-3-pro-preview", "gemini-2.5-flash-image")
      #expect(tokens.member("when")?.member("serviceTier=batch") != nil || !isOneWithBatches)
      if id.text.hasPrefix("claude") {
        #expect(tokens.member("cacheWrite1h") != nil)
        #expect(tokens.member("webSearchPer1000") != nil)
      }
      if id.text.hasPrefix("gemini"), !contains("image", "banana", "-tts", "embedding", "2.0") {
        #expect(tokens.member("audioInput") != nil)
        #expect(tokens.member("cacheReadAudio") != nil)
      }
      if id.text.hasPrefix("gpt-5"), !contains("codex", "5-pro", "5.2-pro", "chat-latest") {
        #expect(tokens.member("when")?.member("serviceTier=flex") != nil)
      }
    }
  }

  /// The providers' prices of each dimension, by their pages.
  @Test(arguments: [
    ("claude-sonnet-4.5", ["cacheWrite1hTokens": 1_000_000], [:], "6"),
    ("claude-sonnet-4.5", ["webSearches": 1000, "inputTokens": 1_000_000], [:], "13"),
    (
      "claude-opus-4.8", ["webSearches": 1000, "inputTokens": 1_000_000],
      ["serviceTier": "batch"], "12.5"
    ),
    (
      "claude-opus-4.8", ["outputTokens": 1_000_000], ["speed": "fast", "inferenceGeo": "us"], "55"
    ),
    ("claude-opus-4.6", ["inputTokens": 1_000_000], ["speed": "fast"], "30"),
    ("gpt-5.6", ["inputTokens": 272_000], [:], "1.088"),
    ("gpt-5.6", ["inputTokens": 272_001], ["serviceTier": "priority"], "4.352016"),
    ("gpt-5.5", ["cacheReadTokens": 100_000], ["serviceTier": "priority"], "0.125"),
    ("gpt-4.1", ["cacheReadTokens": 1_000_000], ["serviceTier": "batch"], "1"),
    ("o4-mini", ["cacheReadTokens": 1_000_000], ["serviceTier": "flex"], "0.138"),
    ("gpt-4o-mini", ["outputTokens": 1_000_000], ["serviceTier": "priority"], "1"),
    ("gemini-2.5-flash", ["audioInputTokens": 1_000_000], [:], "1"),
    (
      "gemini-2.5-flash", ["cacheReadAudioTokens": 1_000_000], ["serviceTier": "priority"], "0.18"
    ),
    ("gemini-2.5-flash", ["cacheReadTokens": 1_000_000], ["serviceTier": "batch"], "0.03"),
    ("gemini-2.5-pro", ["audioInputTokens": 200_001], ["serviceTier": "flex"], "0.25000125"),
    ("gemini-2.5-pro", ["inputTokens": 200_001], ["serviceTier": "priority"], "0.9000045"),
    ("mistral-large-latest", ["outputTokens": 1_000_000], ["serviceTier": "batch"], "0.75"),
    (
      "gpt-5.6-sol", ["inputTokens": 1000, "cacheWrite12hTokens": 9000, "outputTokens": 10], [:],
      "0.0942"
    ),
    ("gpt-4o", ["webSearches": 1000, "fileSearches": 1000], [:], "12.5"),
    ("gpt-4.1", ["webSearches": 1], [:], "0.01"),
    ("gpt-4.1", ["webSearchPreviews": 1], [:], "0.025"),
    ("gpt-5.4", ["webSearchPreviews": 1], [:], "0.01"),
    ("gpt-5.4-mini-2026-03-17", ["inputTokens": 1_000_000], [:], "0.75"),
    ("gpt-5.4-nano-20260317", ["outputTokens": 1_000_000], [:], "1.25"),
    ("claude-haiku-4-5-latest", ["inputTokens": 1_000_000], [:], "1"),
    ("gpt-4o-2024-05-13", ["inputTokens": 1_000_000], [:], "5"),
    ("mistral-large-4", ["outputTokens": 1_000_000], [:], "2.1"),
    ("mistral-large-4-0", ["inputTokens": 1_000_000], ["serviceTier": "batch"], "0.35"),
    ("Qwen/Qwen3.7-Max", ["cacheReadTokens": 1_000_000], [:], "0.5"),
    ("gemini-3.8-flash", ["inputTokens": 1_000_000], [:], "0.75"),
    ("gemini-3.1-flash-lite", ["audioInputTokens": 1_000_000], ["serviceTier": "flex"], "0.25"),
    (
      "gemini-3.5-flash", ["cacheReadAudioTokens": 1_000_000], ["serviceTier": "priority"], "0.27"
    ),
    ("sonar", ["inputTokens": 27, "outputTokens": 93], ["searchContext": "low"], "0.00512"),
    ("sonar-pro", ["inputTokens": 1], ["searchContext": "high"], "0.014003"),
    ("kimi-k3", ["cacheWrite1hTokens": 1_000_000], [:], "6"),
    ("mistral-ocr-latest", ["pages": 3], ["serviceTier": "batch"], "0.006"),
    ("openai/gpt-oss-20b", ["cacheReadTokens": 1_000_000], ["serviceTier": "batch"], "0.0375"),
    ("claude-haiku-5-5", ["inputTokens": 100_001], [:], "0.0500005"),
    ("claude-opus-5", ["outputTokens": 1_000_000], ["speed": "fast", "inferenceGeo": "us"], "55"),
    ("gpt-6.1-terra", ["inputTokens": 1_000_000], ["serviceTier": "batch"], "1"),
    ("gemini-3.1-pro-preview", ["inputTokens": 200_001], [:], "0.800004"),
    ("grok-4.7", ["inputTokens": 200_000], [:], "0.8"),
    ("kimi-k3.1-pro", ["cacheReadTokens": 1_000_000], [:], "0.2"),
    ("text-embedding-3-small", ["inputTokens": 1_000_000], ["serviceTier": "batch"], "0.01"),
  ])
  func dimensions(
    _ id: String, _ counts: [String: Int64], _ conditions: [String: String], _ usd: String
  ) throws {
    var usage = TokenUsage(inputTokens: 0, outputTokens: 0)
    for count in UsageCount.allCases {
      if let number = counts["\(count.row.member)"] { usage[count] = number }
    }
    for condition in UsageCondition.allCases {
      usage[condition] = conditions["\(condition.member)"]
    }
    let model = try decoded().model(Name(trusted: id), at: now)
    let quote = try PriceRules().quote(.counts(.tokens(usage)), at: model.pricing)
    #expect(quote.usd == usd)
  }

  /// Prices that change on a day.
  @Test(arguments: [
    ("mistral-large-4", "2026-10-19", "0.68"), ("mistral-large-4", "2026-10-28", "1.36"),
    ("gemini-flash-latest", "2026-12-31", "0.75"), ("gemini-3.7-flash", "2027-01-01", "1.5"),
    ("gemini-4-argon", "2026-11-30", "2"), ("gemini-4-argon", "2026-12-01", "4"),
    ("grok-code-fast-1", "2026-04-01", "0.2"), ("grok-code-fast", "2026-05-15", "2"),
  ])
  func dates(_ id: String, _ day: String, _ usd: String) throws {
    let time = try #require(Timestamp(text: day + "T00:00:00Z"))
    let model = try decoded().model(Name(trusted: id), at: time)
    let usage = TokenUsage(inputTokens: 1_000_000, outputTokens: 0)
    #expect(try PriceRules().quote(.counts(.tokens(usage)), at: model.pricing).usd == usd)
  }

  @Test func noneIsImprobable() throws {
    var prices = ImprobablePrices(at: 1000)
    try JSONDocument(text).withRoot { prices.add(modelsOf: $0) }
    #expect(prices.count == 0)
  }
}
