/// What was not printed, by reason, for the end of the run to say.
package struct LogTally {
  /// A reason, how often it was met, and where first.
  package struct Line {
    package let reason: String
    package fileprivate(set) var count: Int
    /// The place; nil where that says nothing.
    package let first: String?
    /// Whether the records are damaged, rather than none that are billed.
    package let isDamage: Bool
  }

  package private(set) var lines: [Line] = []

  package init() {}

  mutating func add(_ reason: String, at place: @autoclosure () -> String?, isDamage: Bool) {
    // There are few reasons.
    if let number = lines.firstIndex(where: { $0.reason == reason }) {
      lines[number].count += 1
    } else {
      lines.append(Line(reason: reason, count: 1, first: place(), isDamage: isDamage))
    }
  }
}
