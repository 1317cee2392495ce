/// A request in the plain form that nearly all of a long input have: names that are ASCII without
/// anything to escape, the common counts, nothing beside them. It owns no memory: its names are
/// parts of its run's text.
package struct PlainRequest: BitwiseCopyable, Sendable {
  package enum Action: UInt8, BitwiseCopyable, Sendable {
    /// A direct charge, by its key.
    case charge
    /// A charge under an authorization.
    case settle
    /// An authorization without a hold.
    case authorize
    /// A purchase by its transaction.
    case topUp
    /// A purchase by its key.
    case topUpByKey
  }

  /// A part of a run's text.
  package struct Part: BitwiseCopyable, Sendable {
    package let start: Int32
    package let count: Int32

    package init(start: Int, count: Int) {
      self.start = Int32(truncatingIfNeeded: start)
      self.count = Int32(truncatingIfNeeded: count)
    }

    /// Nothing: what the request does not say.
    package static let none = Part(start: 0, count: 0)
  }

  package let action: Action
  /// The line of standard input on which it stands.
  package let line: Int
  /// All of it.
  package var whole = Part.none
  /// Empty where it names none.
  package var account = Part.none
  /// The key, authorization or transaction that makes it once; empty where it has none.
  package var reference = Part.none
  /// The model of a charge, the product of a top-up; empty for a top-up of credits.
  package var subject = Part.none
  /// Whether it says what it used.
  package var hasUsage = false
  /// What a charge used, the first of the counts in their order.
  package var counts = CommonCounts()
  /// What a top-up adds, where it names no product.
  package var credits: Credits = 0

  package init(_ action: Action, line: Int) {
    self.action = action
    self.line = line
  }

  /// The same purchase by its key.
  package func topUp(byKey key: Part) -> PlainRequest {
    var request = PlainRequest(.topUpByKey, line: line)
    request.account = account
    request.reference = key
    request.subject = subject
    request.credits = credits
    return request
  }
}

/// The counts of which most usages consist.
package struct CommonCounts: BitwiseCopyable, Hashable, Sendable {
  package var inputTokens: Int64 = 0
  package var outputTokens: Int64 = 0
  package var cacheReadTokens: Int64 = 0
  package var cacheWriteTokens: Int64 = 0

  package init() {}

  package var usage: TokenUsage {
    TokenUsage(
      inputTokens: inputTokens, outputTokens: outputTokens, cacheReadTokens: cacheReadTokens,
      cacheWriteTokens: cacheWriteTokens)
  }
}
