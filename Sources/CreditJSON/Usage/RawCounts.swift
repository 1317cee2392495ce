import CreditModel

/// The numbers of a usage as its provider wrote them, not yet taken apart. Each is nil if absent.
struct RawCounts {
  var input: Int64?
  var furtherInput: Int64?
  var output: Int64?
  var furtherOutput: Int64?
  var reasoning: Int64?
  /// Whether the reasoning is outside of any other number.
  var reasoningIsApart = false
  /// True if a gateway leaves reasoning out of the output, for any total.
  var reasoningIsBeside = false
  var total: Int64?
  var cacheRead: Int64?
  var cacheWrite: Int64?
  var cacheWrite5m: Int64?
  var cacheWrite1h: Int64?
  var cacheWrite12h: Int64?
  /// The other counts and the conditions: parts as they are counted, cached ones and all.
  var others = TokenUsage(inputTokens: 0, outputTokens: 0)
  /// The counts of `others` that were there, 0 or not: a bit for each.
  private var given: UInt32 = 0
  /// Those of them that are parts of other numbers.
  private var parts: UInt32 = 0
  /// The path of the provider's note that any tools were called; nil without one.
  var callsPath: String?
  private var unreadPaths: [String] = []

  /// A count of our own form.
  subscript(count: UsageCount) -> Int64? {
    get {
      switch count {
      case .inputTokens: input
      case .outputTokens: output
      case .cacheReadTokens: cacheRead
      case .cacheWriteTokens: cacheWrite ?? cacheWrite5m
      case .cacheWrite1hTokens: cacheWrite1h
      case .cacheWrite12hTokens: cacheWrite12h
      default: given & Self.bit(count) == 0 ? nil : others[count]
      }
    }
    set {
      switch count {
      case .inputTokens: input = newValue
      case .outputTokens: output = newValue
      case .cacheReadTokens: cacheRead = newValue
      case .cacheWriteTokens: cacheWrite5m = newValue
      case .cacheWrite1hTokens: cacheWrite1h = newValue
      case .cacheWrite12hTokens: cacheWrite12h = newValue
      default: setOther(count, newValue ?? 0)
      }
    }
  }

  /// Takes a number by its meaning. Of two with the same meaning, the larger counts.
  mutating func take(_ number: Int64, as meaning: UsageField.Meaning) {
    switch meaning {
    case .input: Self.raise(&input, to: number)
    case .furtherInput: Self.raise(&furtherInput, to: number)
    case .output: Self.raise(&output, to: number)
    case .furtherOutput: Self.raise(&furtherOutput, to: number)
    case .reasoning: Self.raise(&reasoning, to: number)
    case .reasoningApart:
      Self.raise(&reasoning, to: number)
      reasoningIsApart = true
    case .total: Self.raise(&total, to: number)
    case .cacheRead: Self.raise(&cacheRead, to: number)
    case .cacheWrite: Self.raise(&cacheWrite, to: number)
    case .cacheWrite5m: Self.raise(&cacheWrite5m, to: number)
    case .cacheWrite1h: Self.raise(&cacheWrite1h, to: number)
    case .cacheWrite12h: Self.raise(&cacheWrite12h, to: number)
    case .part(let count):
      setOther(count, max(others[count], number))
      parts |= Self.bit(count)
    case .beside(let count):
      setOther(count, max(others[count], number))
      self[count] = others[count]
    case .served(let tier): if number > 0 { others[.serviceTier] = "\(tier)" }
    case .callsInAll, .condition, .known, .unread: break
    }
  }

  /// Adds a list's element to the counts of the others.
  mutating func add(_ number: Int64, as meaning: UsageField.Meaning) throws(UsageProblem) {
    switch meaning {
    case .input: input = try TokenCounts.sum(input ?? 0, number)
    case .output: output = try TokenCounts.sum(output ?? 0, number)
    case .part(let count):
      setOther(count, try TokenCounts.sum(others[count], number))
      parts |= Self.bit(count)
    case .beside(let count): setOther(count, try TokenCounts.sum(others[count], number))
    case .cacheWrite5m: cacheWrite5m = try TokenCounts.sum(cacheWrite5m ?? 0, number)
    case .cacheWrite1h: cacheWrite1h = try TokenCounts.sum(cacheWrite1h ?? 0, number)
    default: take(number, as: meaning)
    }
  }

  /// Returns these numbers, replaced by later ones of the same stream, if any.
  func replaced(by later: RawCounts) -> RawCounts {
    var counts = self
    counts.input = later.input ?? input
    counts.furtherInput = later.furtherInput ?? furtherInput
    counts.output = later.output ?? output
    counts.furtherOutput = later.furtherOutput ?? furtherOutput
    counts.reasoning = later.reasoning ?? reasoning
    counts.total = later.total ?? total
    counts.cacheRead = later.cacheRead ?? cacheRead
    counts.cacheWrite = later.cacheWrite ?? cacheWrite
    counts.cacheWrite5m = later.cacheWrite5m ?? cacheWrite5m
    counts.cacheWrite1h = later.cacheWrite1h ?? cacheWrite1h
    counts.cacheWrite12h = later.cacheWrite12h ?? cacheWrite12h
    for count in UsageCount.allCases where later.given & Self.bit(count) != 0 {
      counts.setOther(count, later.others[count])
    }
    counts.parts |= later.parts
    counts.callsPath = later.callsPath ?? callsPath
    counts.reasoningIsApart = reasoningIsApart || later.reasoningIsApart
    counts.reasoningIsBeside = reasoningIsBeside || later.reasoningIsBeside
    for condition in UsageCondition.allCases {
      if let value = later.others[condition] { counts.others[condition] = value }
    }
    for path in later.unreadPaths { counts.note(unread: path) }
    return counts
  }

  /// Notes a number above 0, not our count, that may be billed; once.
  mutating func note(unread path: String) {
    if !unreadPaths.contains(path) { unreadPaths.append(path) }
  }

  /// The paths of numbers above 0, not our counts, that may be billed.
  var unread: [String] {
    guard let callsPath, unreadPaths.isEmpty else { return unreadPaths }
    let isTold = UsageCount.allCases.contains { $0.row.kind == .calls && others[$0] > 0 }
    return isTold ? [] : [callsPath]
  }

  func isPart(_ count: UsageCount) -> Bool { parts & Self.bit(count) != 0 }

  private static func bit(_ count: UsageCount) -> UInt32 { 1 << UInt32(count.rawValue) }

  mutating func setOther(_ count: UsageCount, _ number: Int64) {
    given |= Self.bit(count)
    if others[count] != number { others[count] = number }
  }

  private static func raise(_ count: inout Int64?, to number: Int64) {
    if let known = count, known >= number { return }
    count = number
  }
}

/// The usages by model that a program prints which ran several models.
///
/// One model is billed. Claude Code's `usage` is its main loop's alone, and `modelUsage` that of
/// each model: https://code.claude.com/docs/en/headless. Gemini CLI prints the second kind only.
public struct ModelUsages {
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
    if let models = response.member(MemberName(Self.claude)), models.isObject {
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
  public static func models(in unread: [String]) -> [String] {
    let paths = ["\(claude)", "\(gemini.text)"]
    return unread.filter { path in
      paths.contains { path == $0 || path.hasPrefix("\($0).") }
    }
  }
}
