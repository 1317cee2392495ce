/// The cumulative counters of a session's file. Agents that work side by side write theirs by
/// turns.
struct CodexCounters {
  /// The last counts of each, the one that was written last at the end.
  private var counters: [CodexCounts] = []

  /// The most counters that are told apart.
  private static let limit = 64

  init() {}

  /// - Parameter text: what `text` wrote; nil for anything else.
  init?(text: String) {
    for counts in text.utf8.split(separator: UInt8(ascii: ";")) {
      guard let counts = String(counts).flatMap(CodexCounts.init(text:)) else { return nil }
      counters.append(counts)
    }
  }

  /// All of them, for a later run to go on with.
  var text: String { counters.map(\.text).joined(separator: ";") }

  /// Whether one of them has these counts.
  func contains(_ counts: CodexCounts) -> Bool { counters.contains(counts) }

  /// The counts that were written last; nil at first.
  var last: CodexCounts? { counters.last }

  /// The counts of the counter that these are the next ones of: the highest that they can follow;
  /// nil for a counter that begins.
  func before(_ counts: CodexCounts) -> CodexCounts? {
    counters.filter(counts.follow).max { $0.total < $1.total }
  }

  /// Moves a counter on.
  mutating func move(_ before: CodexCounts?, to counts: CodexCounts) {
    if let before, let place = counters.firstIndex(of: before) { counters.remove(at: place) }
    if counters.count == Self.limit { counters.removeFirst() }
    counters.append(counts)
  }
}
