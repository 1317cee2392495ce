package import CreditModel

/// The counts and conditions that flags give.
struct FlaggedUsage {
  private let flags: FlagMembers

  init(_ flags: FlagMembers) {
    self.flags = flags
  }

  private static let unitsKey: StaticString = "units"

  /// Whether a flag's member is one of a usage.
  static func isKey(_ key: StaticString) -> Bool {
    key.equals(unitsKey) || UsageCount.allCases.contains { $0.row.member.equals(key) }
      || UsageCondition.allCases.contains { $0.member.equals(key) }
  }

  subscript(count: UsageCount) -> Int64? { self[count.row.member] }

  var units: Int64? { self[Self.unitsKey] }

  private subscript(key: StaticString) -> Int64? {
    if case .integer(let count) = flags[key] { count } else { nil }
  }

  /// The value of a condition's flag.
  private subscript(condition: UsageCondition) -> String? {
    if case .text(let value) = flags[condition.member] { value } else { nil }
  }

  var hasTokens: Bool { UsageCount.allCases.contains { self[$0] != nil } }

  private var hasCounts: Bool { units != nil || hasTokens }

  var isEmpty: Bool { !flags.hasUsage }

  /// The usage that the flags alone state: a count that isn't flagged is 0.
  /// - Returns: nil if they give no count.
  var usage: ReportedUsage? {
    if !hasCounts { return nil }
    if isNegative { return .unreadable(raw: text, reason: Self.negative.reason) }
    if let units { return .counts(.units(units)) }
    var tokens = TokenUsage(inputTokens: 0, outputTokens: 0)
    for count in UsageCount.allCases { tokens[count] = self[count] ?? 0 }
    for condition in UsageCondition.allCases { tokens[condition] = self[condition] }
    return .counts(.tokens(tokens))
  }

  /// Returns a request's usage, with missing parts filled in by the flags.
  /// - Parameter reading: the usage that the request alone states.
  /// - Returns: nil if they state different things.
  /// - Throws: if the request has a usage that can't be read, flags or no flags.
  func usage(filling request: JSONValue, _ reading: UsageReading) throws(UsageProblem)
    -> ReportedUsage?
  {
    if reading.isResponse {
      switch reading.usage {
      case .counts(let usage):
        return agrees(with: usage) ? filled(usage).map(ReportedUsage.counts) : nil
      case .unreadable(_, let reason): throw UsageProblem(reason)
      }
    }
    switch UsageFinding(in: request) {
    case .none:
      return usage ?? .missing
    case .unknown(let found):
      // An empty object lacks everything.
      guard found.isObject, found.nodeCount == 1 else { throw UsageProblem(unknown: found) }
      return usage ?? .unknown(found)
    case .known(let shape, let found):
      let counts = try TokenCounts(of: found, shape, in: SearchedObject(request))
      guard let filled = counts.filled(by: self) else { return nil }
      if isNegative { throw Self.negative }
      return self.filled(try filled.usage, besides: found).map(ReportedUsage.counts)
    }
  }

  /// Returns a usage with the conditions of the flags.
  /// - Parameter given: the object of our own form that it was read from.
  /// - Returns: nil if it has another value for a condition.
  func filled(_ usage: Usage, besides given: JSONValue? = nil) -> Usage? {
    guard case .tokens(var tokens) = usage else {
      return UsageCondition.allCases.allSatisfy { self[$0] == nil } ? usage : nil
    }
    for condition in UsageCondition.allCases {
      guard let value = self[condition] else { continue }
      if tokens[condition] == nil, given?.member(condition.member) == nil {
        tokens[condition] = value
      }
      guard tokens[condition] == UsageCondition.kept(value) else { return nil }
    }
    return .tokens(tokens)
  }

  private func agrees(with usage: Usage) -> Bool {
    switch usage {
    case .units(let count): !hasTokens && units ?? count == count
    case .tokens(let counts):
      units == nil && UsageCount.allCases.allSatisfy { self[$0] ?? counts[$0] == counts[$0] }
    }
  }

  /// - Throws: if a flag's value is not valid for its condition.
  func checkConditions() throws(CreditError) {
    for condition in UsageCondition.allCases {
      guard let value = self[condition] else { continue }
      _ = try RequestReader.name(value, condition.member, limit: UsageCondition.valueLimit)
    }
  }

  private var isNegative: Bool { flags.hasNegativeCount }

  /// The usage that a request would have instead of the flags.
  private var text: String {
    let keys = UsageCount.allCases.map(\.row.member) + [Self.unitsKey]
    let members = keys.compactMap { key in self[key].map { "\"\(key)\":\($0)" } }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static let negative = UsageProblem("a count of the usage is negative")
}

/// The command line's flags for every request: they are members of a request.
package struct FlagMembers: Sendable {
  /// A flag's value, as its kind of member.
  package enum Value: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case bool(Bool)
    case time(AskedTime)
    case span(TimeSpan)
    case authorization(AuthorizationReference)
    case tags(Tags)
    case limits([LimitChange])
  }

  /// A class, as arrays of classes share one type: the runtime need not make one for these.
  private final class Member: Sendable {
    let key: StaticString
    let value: Value

    init(key: StaticString, value: Value) {
      self.key = key
      self.value = value
    }
  }

  private var members: [Member] = []
  /// Whether a count or condition of a usage is among them.
  private(set) var hasUsage = false
  /// Whether one of those counts is below 0.
  private(set) var hasNegativeCount = false

  package init() {}

  package mutating func set(_ key: StaticString, _ value: Value) {
    members.append(Member(key: key, value: value))
    guard FlaggedUsage.isKey(key) else { return }
    hasUsage = true
    if case .integer(let count) = value, count < 0 { hasNegativeCount = true }
  }

  package var isEmpty: Bool { members.isEmpty }

  package func has(_ key: StaticString) -> Bool { self[key] != nil }

  subscript(_ key: StaticString) -> Value? {
    // Requests on standard input mostly come without flags.
    members.isEmpty ? nil : members.first { $0.key.equals(key) }?.value
  }
}

extension StaticString {
  /// Returns true if both texts are the same, without making a string of either.
  func equals(_ other: StaticString) -> Bool {
    UnsafeRawBufferPointer(self).hasSameBytes(as: UnsafeRawBufferPointer(other))
  }
}
