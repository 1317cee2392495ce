/// The usage of one call: disjoint counts, none negative, and the conditions of its price.
public struct TokenUsage: Hashable, Sendable {
  /// Input that was neither read from nor written to the provider's cache.
  public var inputTokens: Int64
  public var outputTokens: Int64
  public var cacheReadTokens: Int64
  public var cacheWriteTokens: Int64
  /// Counts and conditions that few usages have. Nil if all are 0 or absent, as in most.
  private var rare: RareUsage?

  public init(
    inputTokens: Int64, outputTokens: Int64, cacheReadTokens: Int64 = 0,
    cacheWriteTokens: Int64 = 0
  ) {
    self.inputTokens = inputTokens
    self.outputTokens = outputTokens
    self.cacheReadTokens = cacheReadTokens
    self.cacheWriteTokens = cacheWriteTokens
    rare = nil
  }

  /// Whether it only has the four common counts.
  @inline(__always)
  public var isCommon: Bool { rare == nil }

  public subscript(_ count: UsageCount) -> Int64 {
    get {
      switch count {
      case .inputTokens: inputTokens
      case .outputTokens: outputTokens
      case .cacheReadTokens: cacheReadTokens
      case .cacheWriteTokens: cacheWriteTokens
      default: rare?.counts[RareUsage.place(of: count)] ?? 0
      }
    }
    set {
      switch count {
      case .inputTokens: inputTokens = newValue
      case .outputTokens: outputTokens = newValue
      case .cacheReadTokens: cacheReadTokens = newValue
      case .cacheWriteTokens: cacheWriteTokens = newValue
      default:
        if rare == nil && newValue == 0 { return }
        rare = .changed(rare) { counts, _ in counts[RareUsage.place(of: count)] = newValue }
      }
    }
  }

  /// The value of a condition; nil if it is ordinary or not stated. The setter drops ordinary
  /// values, and converts others to lower case.
  public subscript(_ condition: UsageCondition) -> String? {
    get { rare?.conditions[Int(condition.rawValue)] }
    set {
      let kept = newValue.flatMap(UsageCondition.kept)
      if rare == nil && kept == nil { return }
      rare = .changed(rare) { _, conditions in conditions[Int(condition.rawValue)] = kept }
    }
  }

  /// All input, of any kind, cached or not: it decides the price tier.
  public var totalInput: UInt128 {
    let common =
      UInt128(inputTokens.magnitude) + UInt128(cacheReadTokens.magnitude)
      + UInt128(cacheWriteTokens.magnitude)
    return rare.map { common + $0.input } ?? common
  }

  public var isZero: Bool {
    inputTokens == 0 && outputTokens == 0 && cacheReadTokens == 0 && cacheWriteTokens == 0
      && rare?.isZero ?? true
  }

  /// A count beyond the window of any model, which has some million tokens; nil in most usages.
  public var improbable: UsageCount? {
    let common = inputTokens | outputTokens | cacheReadTokens | cacheWriteTokens
    if isCommon, common < 1 << 23 { return nil }
    for place in 0..<(isCommon ? UsageCount.commonTotal : UsageCount.total) {
      let count = UsageCount(at: place)
      if self[count] >= (count.row.kind == .output ? 10_000_000 : 100_000_000) { return count }
    }
    return nil
  }
}

/// The counts of a usage beyond the four common ones, and its conditions. A class, so that a usage
/// without them only takes one more reference.
private final class RareUsage: Hashable, Sendable {
  /// One for each count after the common ones.
  let counts: [Int64]
  /// A value for each condition; nil if it is ordinary.
  let conditions: [String?]

  private init(counts: [Int64], conditions: [String?]) {
    self.counts = counts
    self.conditions = conditions
  }

  static func place(of count: UsageCount) -> Int { Int(count.rawValue) - UsageCount.commonTotal }

  /// Returns a changed copy; nil if all of it is 0 or absent.
  static func changed(
    _ other: RareUsage?, _ change: (inout [Int64], inout [String?]) -> Void
  ) -> RareUsage? {
    var counts =
      other?.counts ?? [Int64](repeating: 0, count: UsageCount.total - UsageCount.commonTotal)
    var conditions =
      other?.conditions ?? [String?](repeating: nil, count: UsageCondition.allCases.count)
    change(&counts, &conditions)
    let changed = RareUsage(counts: counts, conditions: conditions)
    return changed.isZero && conditions.allSatisfy { $0 == nil } ? nil : changed
  }

  var isZero: Bool { counts.allSatisfy { $0 == 0 } }

  var input: UInt128 {
    var sum: UInt128 = 0
    for place in counts.indices where counts[place] != 0 {
      let count = UsageCount(at: place + UsageCount.commonTotal)
      if count.row.kind == .input { sum += UInt128(counts[place].magnitude) }
    }
    return sum
  }

  static func == (left: RareUsage, right: RareUsage) -> Bool {
    left === right || left.counts == right.counts && left.conditions == right.conditions
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(counts)
    hasher.combine(conditions)
  }
}

/// The usage of the work: tokens, or units such as images, seconds or checks.
public enum Usage: Equatable, Sendable {
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
public enum ReportedUsage: Equatable, Sendable {
  case counts(Usage)
  /// Missing or malformed. `raw` is its text as sent (empty if missing), which distinguishes a
  /// repeat from another request; `reason` is a sentence for people.
  case unreadable(raw: String, reason: String)

  /// Nil if it cannot be read.
  public var counts: Usage? { if case .counts(let counts) = self { counts } else { nil } }

  /// True if a response has no usage, or `null` or `{}` for one.
  public var isAbsent: Bool {
    if case .unreadable(let raw, _) = self { ["", "null", "{}"].contains(raw) } else { false }
  }
}

/// Something besides counts that a price depends on. Like a count, a condition is declared once,
/// here.
public enum UsageCondition: UInt8, CaseIterable, Sendable {
  case serviceTier
  case speed
  case inferenceGeo
  case searchContext

  /// All of them, in their order. Not an array, as with counts.
  public struct AllCases: RandomAccessCollection, Sendable {
    public var startIndex: Int { 0 }
    public var endIndex: Int { Int(UsageCondition.searchContext.rawValue) + 1 }

    public subscript(place: Int) -> UsageCondition {
      UsageCondition(rawValue: UInt8(truncatingIfNeeded: place)) ?? .searchContext
    }
  }

  public static var allCases: AllCases { AllCases() }

  public var member: StaticString {
    switch self {
    case .serviceTier: "serviceTier"
    case .speed: "speed"
    case .inferenceGeo: "inferenceGeo"
    case .searchContext: "searchContext"
    }
  }

  /// The flag, without its two hyphens.
  public var flag: String {
    switch self {
    case .serviceTier: "service-tier"
    case .speed: "speed"
    case .inferenceGeo: "inference-geo"
    case .searchContext: "search-context"
    }
  }

  /// Describes the condition, in a line without a full stop.
  public var summary: String {
    switch self {
    case .serviceTier: "How it was served: batch, flex or priority, say"
    case .speed: "How fast it was served: fast, say"
    case .inferenceGeo: "Where it was run: us, say"
    case .searchContext: "How much of a search's results was read: low, medium or high"
    }
  }

  /// The values, in any case, that do not change a model's price.
  public static let ordinaryValues = [
    "standard", "default", "auto", "on_demand", "normal", "global", "not_available",
  ]

  /// The most bytes of a value.
  public static let valueLimit = 64

  /// The value as it is kept, in lower case; nil for an ordinary one.
  public static func kept(_ value: String) -> String? {
    let small = String(
      decoding: value.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    return ordinaryValues.contains(small) ? nil : small
  }
}

/// Remarks on a usage that was priced all the same. A class, as most have none.
public final class UsageRemarks: Equatable, Sendable {
  /// True if the response was cut off, so that its usage may be incomplete.
  public let isPartial: Bool
  /// Paths of unread numbers in a provider's usage that may be billed.
  public let unread: [String]
  /// The counts and conditions that were charged without a price.
  public let unpriced: [String]

  private init(_ isPartial: Bool, _ unread: [String], _ unpriced: [String]) {
    self.isPartial = isPartial
    self.unread = unread
    self.unpriced = unpriced
  }

  /// - Returns: nil if there are no remarks.
  public static func of(isPartial: Bool = false, unread: [String] = [], unpriced: [String] = [])
    -> UsageRemarks?
  {
    if !isPartial, unread.isEmpty, unpriced.isEmpty { return nil }
    return UsageRemarks(isPartial, unread, unpriced)
  }

  /// Returns a request's remarks, with the unpriced counts and conditions.
  static func of(_ remarks: UsageRemarks?, unpriced: [String]) -> UsageRemarks? {
    if unpriced.isEmpty { return remarks }
    return of(
      isPartial: remarks?.isPartial ?? false, unread: remarks?.unread ?? [], unpriced: unpriced)
  }

  public static func == (left: UsageRemarks, right: UsageRemarks) -> Bool {
    left.isPartial == right.isPartial && left.unread == right.unread
      && left.unpriced == right.unpriced
  }
}
