import CreditModel

/// The usages by model that a program prints which ran several models.
///
/// One model is billed. Claude Code's `usage` is its main loop's alone, and `modelUsage` that of
/// each model: https://code.claude.com/docs/en/headless. Gemini CLI prints the second kind only.
package struct ModelUsages {
  /// The billed model and its usage; nil if several are possible.
  let main: (model: String, usage: JSONValue)?
  /// The paths of the others that used anything.
  let unread: [String]

  private static let claude: StaticString = "modelUsage"
  private static let gemini: MemberPath = "stats.models"

  /// The most models that are named one by one.
  private static let limit = 16

  /// Looks for them in a response; nil if it has none.
  init?(in response: SearchedObject) {
    if let models = response.member(Self.claude), models.isObject {
      self.init(models, at: "\(Self.claude)", Self.claudeCounts) { _, counts in
        guard let usage = response.member("usage") else { return false }
        return counts == Self.claudeLoop.map { $0.value(in: usage)?.int64 ?? 0 }
      }
    } else if let models = Self.gemini.value(in: response), models.isObject {
      // Most tokens are of the model that does the work; others choose models and sum up.
      var most: Int64 = 0
      for (_, model) in models.members { most = max(most, Self.total(of: model)) }
      self.init(models, at: "\(Self.gemini.text)", Self.geminiCounts) { model, _ in
        Self.total(of: model) == most
      }
    } else {
      return nil
    }
  }

  /// - Parameters:
  ///   - counts: the places of each model's counts.
  ///   - isMain: true for a model that may be billed; the first one is.
  private init(
    _ models: JSONValue, at path: String, _ counts: [MemberPath],
    _ isMain: (JSONValue, [Int64]) -> Bool
  ) {
    var main: (model: String, usage: JSONValue)?
    var unread: [String] = []
    for (name, model) in models.members {
      let numbers = counts.map { $0.value(in: model)?.int64 ?? 0 }
      if main == nil, let name = name.string, isMain(model, numbers) {
        main = (name, model.member("tokens") ?? model)
      } else if numbers.contains(where: { $0 > 0 }) {
        unread.append("\(path).\(name.string ?? "")")
      }
    }
    self.main = main
    self.unread = unread.count > Self.limit ? [path] : unread
  }

  private static func total(of model: JSONValue) -> Int64 {
    model.member("tokens")?.int64("total") ?? 0
  }

  /// The counts of a model, and those of the loop, in the same order.
  private static let claudeCounts: [MemberPath] = [
    "inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens",
    "webSearchRequests",
  ]
  private static let claudeLoop: [MemberPath] = [
    "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens",
    "server_tool_use.web_search_requests",
  ]
  private static let geminiCounts: [MemberPath] = [
    "tokens.total", "tokens.prompt", "tokens.candidates", "tokens.thoughts", "tokens.tool",
  ]

  /// The models among the paths of counts that were not read.
  package static func models(in unread: [String]) -> [String] {
    let paths = ["\(claude)", "\(gemini.text)"]
    return unread.filter { path in
      paths.contains { path == $0 || path.hasPrefix("\($0).") }
    }
  }
}
