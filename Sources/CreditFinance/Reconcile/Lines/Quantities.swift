internal import CreditModel

/// Sums of usages' counts, and of units, in the order of the counts.
public struct Quantities: Hashable, Sendable {
  static let unitsPlace = UsageCount.total
  static let placeCount = UsageCount.total + 1

  private(set) var sums = [Int64](repeating: 0, count: Quantities.placeCount)

  subscript(place: Int) -> Int64 { sums[place] }

  var isZero: Bool { sums.allSatisfy { $0 == 0 } }

  var places: [Int] { sums.indices.filter { sums[$0] != 0 } }

  static func member(at place: Int) -> String { UsageKind(number: place).member.description }

  /// Returns the place of a count's sum. Providers' reports do not distinguish the two kinds of web
  /// search.
  static func place(of name: JSONValue) -> Int? {
    let kind = UsageKind.all.first { name.utf8Equals($0.member) }
    return kind?.number == Int(UsageCount.webSearchPreviews.rawValue)
      ? Int(UsageCount.webSearches.rawValue) : kind?.number
  }

  /// Returns true if a place counts calls of the provider's tools.
  ///
  /// They are priced by the thousand.
  static func isOfCalls(_ place: Int) -> Bool {
    place != unitsPlace && UsageCount(at: place).row.kind == .calls
  }

  /// - Throws: `amount_out_of_range` if the sum does not fit in 64 bits.
  mutating func add(_ number: Int64, at place: Int) throws(CreditError) {
    let (sum, overflow) = sums[place].addingReportingOverflow(number)
    if overflow { throw Self.outOfRange(place) }
    sums[place] = sum
  }

  mutating func add(_ number: Int64, _ count: UsageCount) throws(CreditError) {
    try add(number, at: Int(count.rawValue))
  }

  mutating func add(_ other: Quantities) throws(CreditError) {
    for place in other.places { try add(other[place], at: place) }
  }

  mutating func subtract(_ other: Quantities) throws(CreditError) {
    for place in other.places {
      let (difference, overflow) = sums[place].subtractingReportingOverflow(other[place])
      if overflow { throw Self.outOfRange(place) }
      sums[place] = difference
    }
  }

  /// Returns the surplus of these over others.
  func less(_ other: Quantities) throws(CreditError) -> Quantities {
    var difference = self
    try difference.subtract(other)
    return difference
  }

  private static func outOfRange(_ place: Int) -> CreditError {
    CreditError(.amountOutOfRange, "a sum of \(member(at: place)) does not fit in 64 bits")
  }
}

/// How finely a bill splits counts. The books are added up in the same way before they are
/// compared.
enum CountDetail: Int {
  /// As usages do.
  case full
  /// Only cache reads are split from other input: cache writes and images are input there.
  case cacheReads
  /// All input is one number, and all output.
  case totals

  /// The place that a count is added up in.
  private func place(of place: Int) -> Int {
    if self == .full || place == Quantities.unitsPlace { return place }
    let count = UsageCount(at: place)
    let isRead =
      count == .cacheReadTokens || count == .cacheReadAudioTokens || count == .cacheReadImageTokens
    if self == .cacheReads, isRead { return Int(UsageCount.cacheReadTokens.rawValue) }
    return switch count.row.kind {
    case .input: Int(UsageCount.inputTokens.rawValue)
    case .output: Int(UsageCount.outputTokens.rawValue)
    case .calls: place
    }
  }

  /// Counts as such a bill has them.
  /// - Parameter callPlaces: the calls of tools that it counts at all.
  func folded(_ counts: Quantities, callPlaces: Set<Int>) throws(CreditError) -> Quantities {
    var folded = Quantities()
    for place in counts.places
    where !Quantities.isOfCalls(place) || callPlaces.contains(place) {
      try folded.add(counts[place], at: self.place(of: place))
    }
    return folded
  }
}
