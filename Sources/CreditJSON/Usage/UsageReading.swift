public import CreditModel

/// The usage and model in a request or a provider's response. A class, as it is passed on often.
public final class UsageReading {
  enum Outcome {
    case complete
    /// It ends before all billed usage is reported; the form that shows it, if any.
    case cut(ResponseForm?)
    /// It is not billed, for this reason.
    case refused(CreditError)
  }

  /// Whether it is a provider's response rather than a request of our own form.
  public let isResponse: Bool
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  /// True if it is a request, with an account or a key of its own.
  @exclusivity(unchecked) public internal(set) var isRequest = false
  /// The amounts used, or the reason why they cannot be read.
  @exclusivity(unchecked) public internal(set) var usage: ReportedUsage
  /// The model that a response names itself.
  public let responseModel: String?
  /// The cost in dollars that a response gives.
  @exclusivity(unchecked) public internal(set) var reportedUSD: ExactDecimal?
  /// True if it only has a cost below 0.
  @exclusivity(unchecked) var costIsNegative = false
  @exclusivity(unchecked) var outcome = Outcome.complete
  /// Number of finished products, such as images, that a response shows.
  @exclusivity(unchecked) public internal(set) var productCount: Int64 = 0
  /// Whether it is of a job that is not finished.
  @exclusivity(unchecked) public internal(set) var isPending = false
  @exclusivity(unchecked) public internal(set) var batch: BatchLine?
  /// The paths of numbers in a provider's usage that are not our counts. They are above 0 and may
  /// be billed.
  @exclusivity(unchecked) public internal(set) var unread: [String] = []

  /// Whether it is not billed at all. The usage that it gives does not matter.
  public var hasFailed: Bool {
    if case .refused(let error) = outcome { error.code != .cutResponse } else { false }
  }

  /// Whether only the caller knows the usage.
  public var needsCaller: Bool {
    if case .unreadable = usage { !hasFailed && !isPending } else { false }
  }

  /// Whether all billed usage is reported.
  public var isComplete: Bool { if case .complete = outcome { true } else { false } }

  /// Whether it is a part of a response.
  public var isPiece: Bool { if case .cut = outcome { true } else { false } }

  init(isResponse: Bool, usage: ReportedUsage, responseModel: String?) {
    self.isResponse = isResponse
    self.usage = usage
    self.responseModel = responseModel
  }

  func add(unread paths: [String]) { if !paths.isEmpty { unread += paths } }

  /// Takes other counts in place of those of the response, which are a sum of more than its own.
  public func take(_ tokens: TokenUsage) { usage = .counts(.tokens(tokens)) }

  /// The tier of service that a provider calls so; nil for an ordinary one.
  public static func tier(named text: String) -> String? {
    UsageShape.plainCondition(text, of: .serviceTier, isOwnForm: false)
  }

  /// Returns the paths of numbers in a provider's usage that are not our counts. They may be
  /// billed.
  public static func unread(in usage: JSONValue) -> [String] {
    UsageShape.shape(of: SearchedObject(usage)).flatMap { try? TokenCounts(of: usage, $0) }?.unread
      ?? []
  }

  /// Reads an object: a request with a usage of our own form, or a provider's response.
  /// - Parameters:
  ///   - mayBePlain: whether it has not been looked at yet for no more than common counts.
  ///   - isJudged: whether the result that it shows decides, if it has no usage.
  ///   - countsShown: whether images that it shows count beside a usage.
  public static func of(
    _ value: JSONValue, mayBePlain: Bool = true, isJudged: Bool = false,
    countsShown: (String?) -> Bool = { _ in false }
  ) -> UsageReading {
    if mayBePlain, let usage = value.member("usage").flatMap(TokenUsage.init(plain:)) {
      return UsageReading(isResponse: false, usage: .counts(.tokens(usage)), responseModel: nil)
    }
    var response = StreamedResponse(isStream: false, isLine: true, isJudged: isJudged)
    response.add(value, countsShown: countsShown)
    return response.reading
  }
}

extension TokenUsage {
  /// Reads a usage of our own form with only the common counts, as most requests have. Nil
  /// otherwise; it may be a usage all the same.
  public init?(plain usage: JSONValue) {
    var tokens = TokenUsage(inputTokens: -1, outputTokens: -1)
    for (name, value) in usage.members {
      guard let count = value.int64, count >= 0 else { return nil }
      if name.isName("inputTokens") {
        tokens.inputTokens = count
      } else if name.isName("outputTokens") {
        tokens.outputTokens = count
      } else if name.isName("cacheReadTokens") {
        tokens.cacheReadTokens = count
      } else if name.isName("cacheWriteTokens") {
        tokens.cacheWriteTokens = count
      } else {
        return nil
      }
    }
    guard tokens.inputTokens >= 0, tokens.outputTokens >= 0 else { return nil }
    self = tokens
  }
}

/// Gemini's searches for an answer. A response has them beside its usage, and a stream may have
/// them in another chunk than the last counts.
///
/// From Gemini 3 on each different, nonempty search is billed; before that the prompt with any
/// number of searches: https://ai.google.dev/gemini-api/docs/google-search#pricing
struct Grounding {
  private var searches: [String] = []
  private var others: [String] = []

  /// The most searches that are distinguished. A response has a few.
  private static let limit = 1_000

  /// Takes the searches of a response or a chunk.
  mutating func add(_ response: SearchedObject) {
    if let candidates = response.member("candidates") {
      for candidate in candidates.elements { add(of: candidate) }
    }
    if let content = response.member("serverContent") { add(of: content) }
  }

  private mutating func add(of holder: JSONValue) {
    guard let metadata = holder.member("groundingMetadata") else { return }
    for search in metadata.member("webSearchQueries")?.elements.map(\.string) ?? [] {
      guard let search, !search.isEmpty, searches.count < Self.limit, !searches.contains(search)
      else { continue }
      searches.append(search)
    }
    note(metadata.member("imageSearchQueries"), "imageSearchQueries")
    note(metadata.member("retrievalQueries"), "retrievalQueries")
    if metadata.member("groundingChunks")?.elements.contains(where: { $0.member("maps") != nil })
      == true
    {
      note("groundingChunks.maps")
    }
  }

  /// Returns a usage with its searches, and the paths of those that cannot be counted.
  /// - Parameter model: the model that answered.
  func added(to usage: ReportedUsage, of model: String?) -> (ReportedUsage, unread: [String]) {
    guard !searches.isEmpty, case .counts(.tokens(var tokens)) = usage,
      tokens[.webSearches] == 0
    else { return (usage, others) }
    switch Self.generation(of: model) {
    case .some(3...): tokens[.webSearches] = Int64(searches.count)
    case .some: tokens[.webSearches] = 1
    case nil: return (usage, others + ["groundingMetadata.webSearchQueries"])
    }
    return (.counts(.tokens(tokens)), others)
  }

  private mutating func note(_ list: JSONValue?, _ name: String) {
    if list?.elements.contains(where: { $0.string?.isEmpty == false }) == true { note(name) }
  }

  private mutating func note(_ name: String) {
    let path = "groundingMetadata.\(name)"
    if !others.contains(path) { others.append(path) }
  }

  /// Returns the number in a name such as `gemini-2.5-flash`; nil without one.
  private static func generation(of model: String?) -> Int? {
    let mark = "gemini-"
    guard let name = model?.split(separator: "/").last, name.hasPrefix(mark) else { return nil }
    return Int(name.dropFirst(mark.count).prefix { $0.isASCII && $0.isNumber })
  }
}

/// Marks beside the usage in bodies of OpenAI's form, which gateways write, too.
enum OpenAIBodies {
  /// Marks of Vercel's gateway, whose completion and total leave out the reasoning.
  ///
  /// The cost beside them includes it: https://vercel.com/docs/ai-gateway
  static let gatewayMarks: ResponseMarks = [
    ResponseMark("usage.market_cost"), ResponseMark("response.usage.market_cost"),
    ResponseMark("usage.gateway_cost"), ResponseMark("generationId", .begins("gen_")),
    ResponseMark("provider_metadata.gateway"), ResponseMark("providerMetadata.gateway"),
    ResponseMark("choices.0.message.provider_metadata.gateway"),
    ResponseMark("choices.0.delta.provider_metadata.gateway"),
  ]

  /// Marks of OpenRouter, whose tier `provisioned` costs what the model costs.
  static let openRouterMarks: ResponseMarks = [
    ResponseMark("provider"), ResponseMark("openrouter_metadata"),
    ResponseMark("id", .begins("gen-")), ResponseMark("response.id", .begins("gen-")),
  ]

  /// The mark of a batch object, which has the usage of all its requests.
  ///
  /// Source: https://platform.openai.com/docs/api-reference/batch/object
  static let batchMark = ResponseMark("object", .says(["batch"]))

  private static let tools: MemberPaths = ["tools", "response.tools"]

  /// True if OpenAI's preview tool, which has its own price, searched the web.
  ///
  /// Source: https://platform.openai.com/docs/pricing#built-in-tools
  static func searchByPreview(_ response: SearchedObject) -> Bool {
    let isPreview = { (tool: JSONValue) in
      tool.member("type")?.withUTF8 { $0.starts(with: "web_search_preview".utf8) } ?? false
    }
    return tools.first(in: response, where: { $0.elements.contains(where: isPreview) }) != nil
  }
}
