import CreditModel

/// Why a usage cannot be read: a phrase for people, lower case, no full stop.
struct UsageProblem: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// The counts of a usage as its provider wrote them, before they are taken apart; nil where absent.
struct TokenCounts {
  private let shape: UsageShape
  private var input: Int64?
  private var furtherInput: Int64?
  private var output: Int64?
  private var furtherOutput: Int64?
  private var reasoning: Int64?
  private var total: Int64?
  private var cacheRead: Int64?
  private var cacheWrite: Int64?

  /// Reads the counts of a usage that `shape` fits.
  /// - Throws: where one of them is no count.
  init(of usage: JSONValue, _ shape: UsageShape) throws(UsageProblem) {
    self.shape = shape
    input = try shape.count(shape.input, in: usage)
    output = try shape.count(shape.output, in: usage)
    // Most usages of our own form have these two and nothing else.
    if input != nil, output != nil, usage.nodeCount == 5 { return }
    cacheRead = try shape.count(firstOf: shape.cacheRead, in: usage)
    cacheWrite = try shape.count(firstOf: shape.cacheWrite, in: usage)
    if shape.isOwnForm { return }
    furtherInput = try shape.count(shape.furtherInput, in: usage)
    furtherOutput = try shape.count(shape.furtherOutput, in: usage)
    reasoning = try shape.count(firstOf: shape.reasoning, in: usage)
    total = try shape.count(shape.total, in: usage)
    if let iterations = shape.iterations?.value(in: usage) { try addUp(iterations) }
  }

  /// Puts the sum of all steps in the place of the counts that leave out those of a compaction.
  private mutating func addUp(_ iterations: JSONValue) throws(UsageProblem) {
    var isCompacted = false
    var sum = TokenUsage(inputTokens: 0, outputTokens: 0)
    for iteration in iterations.elements {
      let type = iteration.member("type")
      // An advisor is another model, at another price.
      if type?.utf8Equals("advisor_message") == true { continue }
      if type?.utf8Equals("compaction") == true { isCompacted = true }
      let step = try TokenCounts(of: iteration, shape).tokenUsage
      sum.inputTokens = try Self.sum(sum.inputTokens, step.inputTokens)
      sum.outputTokens = try Self.sum(sum.outputTokens, step.outputTokens)
      sum.cacheReadTokens = try Self.sum(sum.cacheReadTokens, step.cacheReadTokens)
      sum.cacheWriteTokens = try Self.sum(sum.cacheWriteTokens, step.cacheWriteTokens)
    }
    guard isCompacted else { return }
    input = sum.inputTokens
    output = sum.outputTokens
    cacheRead = sum.cacheReadTokens
    cacheWrite = sum.cacheWriteTokens
  }

  /// These counts after later ones of the same stream.
  func followed(by later: TokenCounts) -> TokenCounts {
    guard later.shape === shape, shape.streaming == .replacesCounts else { return later }
    var counts = self
    counts.input = later.input ?? input
    counts.furtherInput = later.furtherInput ?? furtherInput
    counts.output = later.output ?? output
    counts.furtherOutput = later.furtherOutput ?? furtherOutput
    counts.reasoning = later.reasoning ?? reasoning
    counts.total = later.total ?? total
    counts.cacheRead = later.cacheRead ?? cacheRead
    counts.cacheWrite = later.cacheWrite ?? cacheWrite
    return counts
  }

  /// These counts of our own form, and the flags' where there are none.
  /// - Returns: nil where a flag says another count, or counts of another kind.
  func filled(by flags: FlaggedUsage) -> TokenCounts? {
    func fill(_ count: inout Int64?, _ flag: Int64?) -> Bool {
      if count == nil { count = flag }
      return flag == nil || flag == count
    }
    var counts = self
    let agrees =
      if shape.isUnits {
        !flags.hasTokens && fill(&counts.input, flags.units)
      } else {
        flags.units == nil && fill(&counts.input, flags[.inputTokens])
          && fill(&counts.output, flags[.outputTokens])
          && fill(&counts.cacheRead, flags[.cacheReadTokens])
          && fill(&counts.cacheWrite, flags[.cacheWriteTokens])
      }
    return agrees ? counts : nil
  }

  /// What was used.
  /// - Throws: where a count is missing, or counts contradict one another or are too large.
  var usage: Usage {
    get throws(UsageProblem) {
      if shape.isUnits { return .units(try required(input, shape.input, .refused)) }
      return .tokens(try tokenUsage)
    }
  }

  private var tokenUsage: TokenUsage {
    get throws(UsageProblem) {
      let input = try required(input, shape.input, shape.absentInput)
      let output = try required(output, shape.output, shape.absentOutput)
      let read = cacheRead ?? 0
      let written = cacheWrite ?? 0
      return TokenUsage(
        inputTokens: try Self.sum(try uncached(input, read, written), furtherInput ?? 0),
        outputTokens: try Self.sum(
          try Self.sum(output, furtherOutput ?? 0), reasoningBeside(input, output)),
        cacheReadTokens: read, cacheWriteTokens: written)
    }
  }

  private func required(_ count: Int64?, _ member: MemberPath, _ absence: UsageShape.Absence)
    throws(UsageProblem) -> Int64
  {
    if let count { return count }
    let isZero =
      switch absence {
      case .refused: false
      case .zero: total.map { Int128($0) <= known } ?? true
      case .zeroByTotal: total.map { Int128($0) <= known } ?? false
      }
    if isZero { return 0 }
    throw UsageProblem("\(member.text) is missing from the usage (\(shape.name))")
  }

  /// The sum of the counts that are there.
  private var known: Int128 {
    Int128(input ?? 0) + Int128(furtherInput ?? 0) + Int128(output ?? 0)
      + Int128(furtherOutput ?? 0)
  }

  private func uncached(_ input: Int64, _ read: Int64, _ written: Int64)
    throws(UsageProblem) -> Int64
  {
    if shape.cacheCounts == .besideInput { return input }
    // None of the three is negative, so that the differences cannot overflow.
    let uncached = input - read
    guard uncached >= 0, uncached - written >= 0 else {
      throw UsageProblem("the cached tokens are more than \(shape.input.text), which includes them")
    }
    return uncached - written
  }

  /// Reasoning that the output leaves out, which the total shows.
  private func reasoningBeside(_ input: Int64, _ output: Int64) -> Int64 {
    guard let reasoning, let total else { return 0 }
    return Int128(input) + Int128(output) + Int128(reasoning) == Int128(total) ? reasoning : 0
  }

  private static func sum(_ left: Int64, _ right: Int64) throws(UsageProblem) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    if overflow { throw UsageProblem("the counts of the usage add up to more than \(Int64.max)") }
    return sum
  }
}

extension UsageShape {
  /// A count of a usage; nil where there is none.
  fileprivate func count(_ member: MemberPath?, in usage: JSONValue) throws(UsageProblem) -> Int64?
  {
    guard let member, let value = member.value(in: usage) else { return nil }
    if value.isNull, !isOwnForm { return nil }
    guard let count = value.int64, count >= 0 else {
      throw UsageProblem(
        "\(member.text) must be a whole number from 0 to \(Int64.max), not \(value.phrase)")
    }
    return count
  }

  /// The first of several names of one count that is not 0.
  fileprivate func count(firstOf members: [MemberPath], in usage: JSONValue)
    throws(UsageProblem) -> Int64?
  {
    var found: Int64?
    for member in members {
      guard let count = try count(member, in: usage) else { continue }
      if count > 0 { return count }
      found = 0
    }
    return found
  }
}

extension JSONValue {
  /// How many nodes the value takes: an object of two members has five, if these are no containers.
  var nodeCount: Int { Int(node.next) - index }

  /// What a message says of a value that is none of the expected: a number in full, else its kind.
  fileprivate var phrase: String {
    switch kind {
    case .object: "an object"
    case .array: "an array"
    case .string: "text"
    case .number: String(decoding: raw.prefix(40), as: UTF8.self)
    case .true, .false: "a truth value"
    case .null: "null"
    }
  }
}
