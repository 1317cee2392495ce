/// What one LLM call used, as four disjoint counts, none of them negative.
package struct TokenUsage: Hashable, Sendable {
  /// Input that was neither read from nor written to the provider's cache.
  package var inputTokens: Int64
  package var outputTokens: Int64
  package var cacheReadTokens: Int64
  package var cacheWriteTokens: Int64

  package init(
    inputTokens: Int64, outputTokens: Int64, cacheReadTokens: Int64 = 0,
    cacheWriteTokens: Int64 = 0
  ) {
    self.inputTokens = inputTokens
    self.outputTokens = outputTokens
    self.cacheReadTokens = cacheReadTokens
    self.cacheWriteTokens = cacheWriteTokens
  }

  /// All input, cached or not: what a price tier goes by.
  var totalInput: UInt128 {
    UInt128(inputTokens.magnitude) + UInt128(cacheReadTokens.magnitude)
      + UInt128(cacheWriteTokens.magnitude)
  }

  var isZero: Bool {
    inputTokens == 0 && outputTokens == 0 && cacheReadTokens == 0 && cacheWriteTokens == 0
  }
}

/// What the work used: tokens, or units such as images, seconds or checks.
package enum Usage: Hashable, Sendable {
  case tokens(TokenUsage)
  /// Never negative.
  case units(Int64)

  var isZero: Bool {
    switch self {
    case .tokens(let tokens): tokens.isZero
    case .units(let units): units == 0
    }
  }
}

/// Usage as a request reports it: readable or not.
package enum ReportedUsage: Hashable, Sendable {
  case counts(Usage)
  /// Missing or malformed. `raw` is its text as sent (empty where missing), which tells a repeat from
  /// another request; `reason` is a sentence for people.
  case unreadable(raw: String, reason: String)
}
