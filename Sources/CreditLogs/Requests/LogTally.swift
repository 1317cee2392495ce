/// Records that were not printed, counted by reason, to report at the run's end.
package struct LogTally {
  /// A reason, and how often it was met.
  package struct Line {
    package let reason: String
    package fileprivate(set) var count = 1
    /// Place and problem of the first record that should have been billed.
    ///
    /// It is nil for records that are not wrong.
    package let first: String?
  }

  package private(set) var lines: [Line] = []

  package init() {}

  mutating func add(_ omission: LogOmission) { add(omission.rawValue) { nil } }

  mutating func add(_ problem: LogProblem, in file: LogFile, line: Int) {
    add(problem.reason) {
      let place = "\(file.displayName):\(line)"
      return problem.detail.isEmpty ? place : "\(place): \(problem.detail)"
    }
  }

  private mutating func add(_ reason: String, first: () -> String?) {
    // There are few reasons.
    if let number = lines.firstIndex(where: { $0.reason == reason }) {
      lines[number].count += 1
    } else {
      lines.append(Line(reason: reason, first: first()))
    }
  }
}
