internal import CreditModel

/// How much was used of each kind: tokens that went in, came out, were cached, and what else
/// providers count.
struct CountBook {
  private var counter = UsageCounter()
  private var sums = [Int128](repeating: 0, count: UsageKind.all.count)

  /// Adds a line of usage that counts.
  mutating func add(_ line: ReportLine) {
    for change in counter.changes(by: line, in: 0) {
      sums[change.kind.number] += Int128(change.count)
    }
  }

  /// The kinds with a count above 0, tokens first.
  var used: [(kind: UsageKind, count: Int128)] {
    let used = UsageKind.all.map { (kind: $0, count: sums[$0.number]) }.filter { $0.count > 0 }
    return used.filter { $0.kind.isTokens } + used.filter { !$0.kind.isTokens }
  }
}
