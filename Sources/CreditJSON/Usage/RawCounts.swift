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
  private var callsPath: String?
  /// The paths of other counts that may be billed.
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
    case .beside(let count): setOther(count, max(others[count], number))
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

  /// Counts the searches of the web as searches by OpenAI's preview tool.
  mutating func takeSearchesForPreviews() {
    setOther(.webSearchPreviews, others[.webSearches])
    setOther(.webSearches, 0)
  }

  /// Notes that the provider reports tool calls without their names.
  mutating func noteCalls(at path: String) { callsPath = path }

  /// The paths of numbers above 0, not our counts, that may be billed.
  var unread: [String] {
    guard let callsPath, unreadPaths.isEmpty else { return unreadPaths }
    let isTold = UsageCount.allCases.contains { $0.row.kind == .calls && others[$0] > 0 }
    return isTold ? [] : [callsPath]
  }

  func isPart(_ count: UsageCount) -> Bool { parts & Self.bit(count) != 0 }

  private static func bit(_ count: UsageCount) -> UInt32 { 1 << UInt32(count.rawValue) }

  private mutating func setOther(_ count: UsageCount, _ number: Int64) {
    given |= Self.bit(count)
    if others[count] != number { others[count] = number }
  }

  private static func raise(_ count: inout Int64?, to number: Int64) {
    if let known = count, known >= number { return }
    count = number
  }
}
