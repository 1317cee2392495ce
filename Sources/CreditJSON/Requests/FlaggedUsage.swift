import CreditModel

/// The counts that flags give.
struct FlaggedUsage {
  private let flags: FlagMembers

  init(_ flags: FlagMembers) {
    self.flags = flags
  }

  var inputTokens: Int64? { self["inputTokens"] }
  var outputTokens: Int64? { self["outputTokens"] }
  var cacheReadTokens: Int64? { self["cacheReadTokens"] }
  var cacheWriteTokens: Int64? { self["cacheWriteTokens"] }
  var units: Int64? { self["units"] }

  private static let tokenKeys = [
    "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens",
  ]
  private static let keys = tokenKeys + ["units"]

  private subscript(key: String) -> Int64? {
    if case .integer(let count) = flags[key] { count } else { nil }
  }

  var hasTokens: Bool { Self.tokenKeys.contains { self[$0] != nil } }

  var isEmpty: Bool { flags.isEmpty || !hasTokens && units == nil }

  /// What the flags say alone: a count that isn't flagged is 0.
  var usage: ReportedUsage {
    if isNegative { return .unreadable(raw: text, reason: Self.negative.reason) }
    if let units { return .counts(.units(units)) }
    return .counts(
      .tokens(
        TokenUsage(
          inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0,
          cacheReadTokens: cacheReadTokens ?? 0, cacheWriteTokens: cacheWriteTokens ?? 0)))
  }

  /// What a request and the flags say together: the flags fill in what its usage lacks.
  /// - Returns: nil where they say different things.
  /// - Throws: where the request has a usage that can't be read, flags or no flags.
  func usage(filling request: JSONValue) throws(UsageProblem) -> ReportedUsage? {
    switch UsageFinding(in: request) {
    case .none:
      return usage
    case .unknown(let found):
      // An empty object says nothing, so it lacks everything.
      guard found.isObject, found.nodeCount == 1 else { throw UsageProblem(unknown: found) }
      return usage
    case .known(let shape, let found):
      let counts = try TokenCounts(of: found, shape)
      guard shape.isOwnForm else {
        let usage = try counts.usage
        return agrees(with: usage) ? .counts(usage) : nil
      }
      guard let filled = counts.filled(by: self) else { return nil }
      if isNegative { throw Self.negative }
      return .counts(try filled.usage)
    }
  }

  private func agrees(with usage: Usage) -> Bool {
    func isSame(_ flag: Int64?, _ count: Int64) -> Bool { flag ?? count == count }
    return switch usage {
    case .units(let count):
      !hasTokens && isSame(units, count)
    case .tokens(let counts):
      units == nil && isSame(inputTokens, counts.inputTokens)
        && isSame(outputTokens, counts.outputTokens)
        && isSame(cacheReadTokens, counts.cacheReadTokens)
        && isSame(cacheWriteTokens, counts.cacheWriteTokens)
    }
  }

  private var isNegative: Bool { Self.keys.contains { (self[$0] ?? 0) < 0 } }

  /// The usage that a request would have instead of the flags.
  private var text: String {
    let members = Self.keys.compactMap { key in self[key].map { "\"\(key)\":\($0)" } }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static let negative = UsageProblem("a count of the usage is negative")
}
