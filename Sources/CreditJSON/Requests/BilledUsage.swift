package import CreditModel

/// What a price or a charge is for: a model and what it used.
package struct BilledUsage {
  package let model: Name
  package let usage: ReportedUsage
}

extension RequestReader {
  /// Reads model and usage from a request of our own, from a provider's response, or from flags.
  package func billedUsage() throws(CreditError) -> BilledUsage {
    let reading: UsageReading?
    switch source {
    case .flags: reading = nil
    case .value(let value): reading = UsageReading(of: value)
    case .response(let response): reading = response
    }
    let usage = try usage(reading)
    return BilledUsage(model: try model(reading), usage: usage)
  }

  /// A request's model must be what the flag says; a provider's own yields to the flag.
  private func model(_ reading: UsageReading?) throws(CreditError) -> Name {
    if let reading, reading.isResponse || source.value == nil {
      if case .text(let flag) = flags["model"] { return try Self.name(flag, "model") }
      if let model = reading.responseModel { return try Self.name(model, "model") }
    }
    guard let model = try name("model") else {
      throw Self.invalid("the request names no model, and neither does --model")
    }
    return model
  }

  private func usage(_ reading: UsageReading?) throws(CreditError) -> ReportedUsage {
    let flagged = FlaggedUsage(flags)
    guard let reading else { return flagged.usage ?? Self.absentUsage }
    if flagged.isEmpty { return reading.usage }
    if case .counts(let usage) = reading.usage {
      guard flagged.agrees(with: usage) else { throw disagreement("usage") }
      return reading.usage
    }
    return flagged.merged(with: source.value?.member("usage")) ?? reading.usage
  }

  private static let absentUsage = ReportedUsage.unreadable(
    raw: "", reason: "the request has no usage")
}

/// The counts that flags give.
private struct FlaggedUsage {
  private var tokens: [(key: StaticString, count: Int64)] = []
  private var units: Int64?

  init(_ flags: FlagMembers) {
    if flags.isEmpty { return }
    for key in Self.tokenKeys {
      if case .integer(let count) = flags[key] { tokens.append((key, count)) }
    }
    if case .integer(let count) = flags["units"] { units = count }
  }

  static let tokenKeys: [StaticString] = [
    "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens",
  ]

  var isEmpty: Bool { tokens.isEmpty && units == nil }

  /// What the flags say alone: a count that isn't flagged is 0. Nil where there are none.
  var usage: ReportedUsage? { isEmpty ? nil : merged(with: nil) }

  func agrees(with usage: Usage) -> Bool {
    switch usage {
    case .units(let count): tokens.isEmpty && (units ?? count) == count
    case .tokens(let counts):
      units == nil
        && tokens.allSatisfy { Self.count($0.key, of: counts) == $0.count }
    }
  }

  private static func count(_ key: StaticString, of usage: TokenUsage) -> Int64 {
    switch key.description {
    case "inputTokens": usage.inputTokens
    case "outputTokens": usage.outputTokens
    case "cacheReadTokens": usage.cacheReadTokens
    default: usage.cacheWriteTokens
    }
  }

  /// Completes a usage of our own form that lacks what the flags give; nil where it isn't of that
  /// form or disagrees.
  func merged(with usage: JSONValue?) -> ReportedUsage? {
    if let units {
      guard usage == nil || usage?.kind == .object, usage?.member("units") == nil, tokens.isEmpty
      else { return nil }
      return units >= 0 ? .counts(.units(units)) : Self.negative
    }
    var counts: [Int64] = []
    for key in Self.tokenKeys {
      let flagged = tokens.first { $0.key.description == key.description }?.count
      guard let member = usage?.member(key) else {
        counts.append(flagged ?? 0)
        continue
      }
      guard let count = member.int64, flagged == nil || flagged == count else { return nil }
      counts.append(count)
    }
    guard counts.allSatisfy({ $0 >= 0 }) else { return Self.negative }
    return .counts(
      .tokens(
        TokenUsage(
          inputTokens: counts[0], outputTokens: counts[1], cacheReadTokens: counts[2],
          cacheWriteTokens: counts[3])))
  }

  private static let negative = ReportedUsage.unreadable(
    raw: "negative", reason: "a count of the usage is negative")
}
