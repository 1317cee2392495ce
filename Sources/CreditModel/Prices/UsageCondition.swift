/// Something besides counts that a price depends on. A condition is declared here once, as a count
/// is.
package enum UsageCondition: UInt8, CaseIterable, Sendable {
  case serviceTier
  case speed
  case inferenceGeo
  case searchContext

  /// All of them, in their order: no array, as with counts.
  package struct AllCases: RandomAccessCollection, Sendable {
    package var startIndex: Int { 0 }
    package var endIndex: Int { Int(UsageCondition.searchContext.rawValue) + 1 }

    package subscript(place: Int) -> UsageCondition {
      UsageCondition(rawValue: UInt8(truncatingIfNeeded: place)) ?? .searchContext
    }

    /// Searches as any sequence does, but without a sequence's conformances. The runtime would make
    /// those at a start, in five pages that nothing else touches.
    package func contains(where matches: (UsageCondition) -> Bool) -> Bool {
      for place in startIndex..<endIndex where matches(self[place]) { return true }
      return false
    }
  }

  package static var allCases: AllCases { AllCases() }

  /// The member of a usage.
  package var member: StaticString {
    switch self {
    case .serviceTier: "serviceTier"
    case .speed: "speed"
    case .inferenceGeo: "inferenceGeo"
    case .searchContext: "searchContext"
    }
  }

  /// The flag, without its two hyphens.
  package var flag: String {
    switch self {
    case .serviceTier: "service-tier"
    case .speed: "speed"
    case .inferenceGeo: "inference-geo"
    case .searchContext: "search-context"
    }
  }

  /// Describes the condition, in a line without a full stop.
  package var summary: String {
    switch self {
    case .serviceTier: "How it was served: batch, flex or priority, say"
    case .speed: "How fast it was served: fast, say"
    case .inferenceGeo: "Where it was run: us, say"
    case .searchContext: "How much of what a search found was read: low, medium or high"
    }
  }

  /// The values, in any case, under which a model costs what it costs anyway.
  package static let ordinaryValues = [
    "standard", "default", "auto", "on_demand", "normal", "global", "not_available",
  ]

  /// The most bytes of a value.
  package static let valueLimit = 64

  /// The value as it is kept: its ASCII letters small; nil for an ordinary one.
  package static func kept(_ value: String) -> String? {
    let small = String(
      decoding: value.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    return ordinaryValues.contains(small) ? nil : small
  }
}
