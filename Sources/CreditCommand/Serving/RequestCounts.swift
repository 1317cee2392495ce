internal import CreditModel

/// How many requests of a run succeeded, and how many failed of what.
struct RequestCounts {
  private var succeeded = 0
  private var codes: [CreditError.Code] = []
  /// How many failed with each of the codes.
  private var failed: [Int] = []

  mutating func succeed(_ count: Int = 1) { succeeded += count }

  mutating func fail(_ code: CreditError.Code) {
    if let index = codes.firstIndex(of: code) {
      failed[index] += 1
    } else {
      codes.append(code)
      failed.append(1)
    }
  }

  /// `300 requests: 165 succeeded, 133 insufficient_credits, 2 invalid_usage`: the most frequent
  /// first. Nil where none failed, or there was but one.
  var summary: String? {
    let total = failed.reduce(succeeded, +)
    guard total > 1, !codes.isEmpty else { return nil }
    var text = "\(total) requests: \(succeeded) succeeded"
    for index in codes.indices.sorted(by: { (failed[$1], $0) < (failed[$0], $1) }) {
      text += ", \(failed[index]) \(codes[index].rawValue)"
    }
    return text
  }
}
