import CreditModel

/// Why a usage cannot be read: a phrase for people, lower case, no full stop.
public struct UsageProblem: Error {
  public let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// A provider's counts of a usage, with their meaning by its shape. A class, as they are many.
final class TokenCounts {
  private let shape: UsageShape
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private var raw: RawCounts

  private init(_ shape: UsageShape, _ raw: RawCounts) {
    self.shape = shape
    self.raw = raw
  }

  /// Reads the counts of a usage that `shape` fits, and the members of the response beside it.
  /// - Throws: if one of them is not a count.
  init(of usage: JSONValue, _ shape: UsageShape, in response: SearchedObject? = nil)
    throws(UsageProblem)
  {
    self.shape = shape
    var walk = UsageWalk(shape)
    try walk.read(usage)
    raw = walk.end()
    if let steps = shape.iterations?.value(in: usage) { try addUp(steps) }
    guard let response else { return }
    for place in shape.beside {
      guard let value = place.value(in: response), !value.isNull else { continue }
      var walk = UsageWalk(.besideUsage, at: place.text)
      try walk.readMember(value)
      raw = walk.end().replaced(by: raw)
    }
    if shape.beside.isEmpty || shape.isOwnForm { return }
    if raw.others[.webSearches] > 0, OpenAIBodies.searchByPreview(response) {
      raw.setOther(.webSearchPreviews, raw.others[.webSearches])
      raw.setOther(.webSearches, 0)
    }
    if raw.reasoning ?? 0 > 0, OpenAIBodies.gatewayMarks.anyOccurs(in: response) {
      raw.reasoningIsBeside = true
    }
    if OpenAIBodies.batchMark.occurs(in: response) { raw.others[.serviceTier] = "batch" }
    if raw.others[.serviceTier] == "provisioned",
      OpenAIBodies.openRouterMarks.anyOccurs(in: response)
    {
      raw.others[.serviceTier] = nil
    }
  }

  /// These counts after later ones of the same stream.
  func followed(by later: TokenCounts) -> TokenCounts {
    guard later.shape === shape, shape.replacesCounts else { return later }
    return TokenCounts(shape, raw.replaced(by: later.raw))
  }

  /// Returns these counts of our own form; the flags give those missing.
  /// - Returns: nil if a flag gives another count, or counts of another kind.
  func filled(by flags: FlaggedUsage) -> TokenCounts? {
    let counts = TokenCounts(shape, raw)
    if shape.isUnits {
      if counts.raw.input == nil { counts.raw.input = flags.units }
      return !flags.hasTokens && flags.units ?? counts.raw.input == counts.raw.input ? counts : nil
    }
    if flags.units != nil { return nil }
    for count in UsageCount.allCases {
      guard let flag = flags[count] else { continue }
      if counts.raw[count] == nil { counts.raw[count] = flag }
      if counts.raw[count] != flag { return nil }
    }
    return counts
  }

  /// The paths of numbers above 0, not our counts, that may be billed.
  var unread: [String] {
    if let reasoning = raw.reasoning, let output = raw.output, reasoning > output,
      reasoningBesideOutput == 0
    {
      return raw.unread + [shape.reasoningName(isApart: raw.reasoningIsApart).description]
    }
    guard raw.unread.isEmpty, hidesCounts else { return raw.unread }
    let total = shape.fields.first { if case .total = $0.meaning { true } else { false } }
    return ["\(total?.path ?? "total")"]
  }

  /// Whether the total is more than all that is counted. It is if thoughts are left out:
  /// https://ai.google.dev/gemini-api/docs/openai#thinking
  private var hidesCounts: Bool {
    guard shape.cacheCounts == .insideInput, let total = raw.total, raw.input != nil else {
      return false
    }
    if Int128(total) <= known { return false }
    var counted = known + Int128(raw.others[.citationTokens])
    for part in [UsageCount.audioOutputTokens, .imageOutputTokens] where !raw.isPart(part) {
      counted += Int128(raw.others[part])
    }
    if raw.reasoningIsApart || reasoningBesideOutput > 0 { counted += Int128(raw.reasoning ?? 0) }
    if audioIsBesideInput { counted += Int128(raw.others[.audioInputTokens]) }
    if cacheIsBesideInput { counted += Int128(raw.cacheRead ?? 0) + writtenInAll }
    return Int128(total) > counted
  }

  /// Whether the total shows that the input leaves out cached tokens. It does if a proxy gives
  /// another provider's counts these names.
  private var cacheIsBesideInput: Bool {
    let cached = Int128(raw.cacheRead ?? 0) + writtenInAll
    guard cached > 0, let total = raw.total else { return false }
    return known + cached == Int128(total)
  }

  private var writtenInAll: Int128 {
    max(
      Int128(raw.cacheWrite ?? 0),
      Int128(raw.cacheWrite5m ?? 0) + Int128(raw.cacheWrite1h ?? 0)
        + Int128(raw.cacheWrite12h ?? 0))
  }

  /// The usage.
  /// - Throws: if a count is missing, or counts contradict one another or are too large.
  var usage: Usage {
    get throws(UsageProblem) {
      if !shape.isUnits { return .tokens(try tokenUsage) }
      let other =
        UsageCount.allCases.first { raw.others[$0] > 0 }?.row.member
        ?? UsageCondition.allCases.first { raw.others[$0] != nil }?.member
      if let other { throw UsageProblem(mixing: "units", with: other) }
      return .units(try input)
    }
  }

  /// The counts, disjoint.
  private var tokenUsage: TokenUsage {
    get throws(UsageProblem) {
      // A number of another name may be the tokens.
      if shape === UsageShape.ownCounts, let name = raw.unread.first {
        throw UsageProblem(
          "the usage has \(quoted(name)), but neither inputTokens nor outputTokens")
      }
      var usage = raw.others
      usage.inputTokens = try Self.sum(try input, raw.furtherInput ?? 0)
      usage.outputTokens = try Self.sum(
        try Self.sum(
          try required(raw.output, shape.outputName, shape.absentOutput), raw.furtherOutput ?? 0),
        reasoningBesideOutput)
      usage.cacheReadTokens = raw.cacheRead ?? 0
      // A sum of all lifetimes that is smaller than its parts leaves them out.
      let parts = try Self.sum(
        try Self.sum(raw.cacheWrite5m ?? 0, raw.cacheWrite1h ?? 0), raw.cacheWrite12h ?? 0)
      let written = max(raw.cacheWrite ?? 0, parts)
      usage.cacheWriteTokens = written - (raw.cacheWrite1h ?? 0) - (raw.cacheWrite12h ?? 0)
      usage[.cacheWrite1hTokens] = raw.cacheWrite1h ?? 0
      usage[.cacheWrite12hTokens] = raw.cacheWrite12h ?? 0
      if shape.isOwnForm { return usage }
      if shape.cacheCounts == .insideInput, !cacheIsBesideInput {
        // None of the three is negative, so that the differences cannot overflow.
        let rest = usage.inputTokens - usage.cacheReadTokens
        guard rest >= 0, rest - written >= 0 else {
          throw UsageProblem(
            "the cached tokens are more than \(shape.inputName), which includes them")
        }
        usage.inputTokens = rest - written
      }
      if !usage.isCommon { try subtractParts(of: &usage) }
      return usage
    }
  }

  private var input: Int64 {
    get throws(UsageProblem) { try required(raw.input, shape.inputName, shape.absentInput) }
  }

  private func required(_ count: Int64?, _ name: StaticString, _ absence: UsageShape.Absence)
    throws(UsageProblem) -> Int64
  {
    if let count { return count }
    let isZero =
      switch absence {
      case .refused: false
      case .zero: raw.total.map { Int128($0) <= known } ?? true
      case .zeroByTotal: raw.total.map { Int128($0) <= known } ?? false
      case .zeroBesideOthers: !raw.others.isCommon
      }
    if isZero { return 0 }
    let advice = shape.isOwnForm ? "; it may be 0" : " (\(shape.name))"
    throw UsageProblem("\(name) is missing from the usage\(advice)")
  }

  /// The sum of the counts that are there.
  private var known: Int128 {
    Int128(raw.input ?? 0) + Int128(raw.furtherInput ?? 0) + Int128(raw.output ?? 0)
      + Int128(raw.furtherOutput ?? 0)
  }

  /// Reasoning that the output leaves out, which the total or the gateway shows.
  private var reasoningBesideOutput: Int64 {
    if raw.reasoningIsBeside { return raw.reasoning ?? 0 }
    guard let input = raw.input, let output = raw.output, let reasoning = raw.reasoning,
      let total = raw.total
    else { return 0 }
    return Int128(input) + Int128(output) + Int128(reasoning) == Int128(total) ? reasoning : 0
  }

  /// Whether the total shows that the input leaves out audio. Mistral's does:
  /// https://docs.mistral.ai/capabilities/audio/
  private var audioIsBesideInput: Bool {
    let audio = raw.others[.audioInputTokens]
    guard audio > 0, let total = raw.total else { return false }
    return known + Int128(audio) == Int128(total)
  }

  /// Subtracts audio and images, which have their own counts, from other numbers.
  private func subtractParts(of usage: inout TokenUsage) throws(UsageProblem) {
    func take(_ part: Int64, outOf whole: inout Int64, _ name: StaticString) throws(UsageProblem) {
      guard part <= whole else {
        throw UsageProblem("the audio and images are more than \(name), which includes them")
      }
      whole -= part
    }
    let name = shape.inputName
    let parts: [(UsageCount, cached: UsageCount)] = [
      (.audioInputTokens, .cacheReadAudioTokens), (.imageInputTokens, .cacheReadImageTokens),
    ]
    for (part, cached) in parts where raw.isPart(part) || raw.isPart(cached) {
      if part == .audioInputTokens, audioIsBesideInput { continue }
      try take(usage[cached], outOf: &usage.cacheReadTokens, name)
      // The cached part belongs to the input, if that is split by kind.
      usage[part] = max(0, usage[part] - usage[cached])
      // A cached part that is not split by kind is of this kind as far as it does not fit beside
      // it.
      let excess = min(max(0, usage[part] - usage.inputTokens), usage[part])
      try take(excess, outOf: &usage.cacheReadTokens, name)
      usage[part] -= excess
      usage[cached] += excess
      try take(usage[part], outOf: &usage.inputTokens, name)
    }
    for part in [UsageCount.audioOutputTokens, .imageOutputTokens] where raw.isPart(part) {
      try take(usage[part], outOf: &usage.outputTokens, shape.outputName)
    }
  }

  /// Whether anything was used.
  private var hasCounts: Bool { known > 0 || (raw.cacheRead ?? 0) > 0 || (raw.cacheWrite ?? 0) > 0 }

  static func sum(_ left: Int64, _ right: Int64) throws(UsageProblem) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    if overflow { throw UsageProblem("the counts of the usage add up to more than \(Int64.max)") }
    return sum
  }

  // MARK: Steps of a call, each with a usage of its own

  /// Replaces counts that omit a compaction's steps by the sum of all steps.
  ///
  /// Also takes the lifetimes of cache writes from the steps, which a stream's last event omits.
  private func addUp(_ steps: JSONValue) throws(UsageProblem) {
    var isCompacted = false
    var sum = TokenUsage(inputTokens: 0, outputTokens: 0)
    for step in steps.elements {
      let type = step.member("type")
      // An advisor, and a model that declined before the one that answered, is another model.
      if type?.utf8Equals("advisor_message") == true {
        if try TokenCounts(of: step, shape).hasCounts {
          raw.note(unread: "iterations.advisor_message")
        }
        continue
      }
      if type?.utf8Equals("fallback_message") == true {
        if sum.outputTokens > 0 {
          raw.note(unread: "iterations.message")
        }
        sum = TokenUsage(inputTokens: 0, outputTokens: 0)
      }
      if type?.utf8Equals("compaction") == true { isCompacted = true }
      let usage = try TokenCounts(of: step, shape).tokenUsage
      for count in UsageCount.allCases where usage[count] != 0 {
        sum[count] = try Self.sum(sum[count], usage[count])
      }
    }
    if isCompacted {
      raw.input = sum.inputTokens
      raw.output = sum.outputTokens
      raw.cacheRead = sum.cacheReadTokens
      raw.cacheWrite = try Self.sum(sum.cacheWriteTokens, sum[.cacheWrite1hTokens])
      raw.cacheWrite5m = sum.cacheWriteTokens
      raw.cacheWrite1h = sum[.cacheWrite1hTokens]
    } else if raw.cacheWrite5m == nil, raw.cacheWrite1h == nil, let written = raw.cacheWrite {
      raw.cacheWrite1h = min(written, sum[.cacheWrite1hTokens])
    }
  }
}
