package import CreditModel
package import CreditReport

/// What the lines of a comparison sum to. The causes sum to the difference.
package struct Totals {
  /// The first day, and the first one after.
  let days: Range<Int64>
  /// When these begin.
  package let since: Timestamp
  package let until: Timestamp
  let tolerance: Tolerance
  /// Sums of the lines whose dollars are compared. Nil if there are no such lines.
  package private(set) var billUSD: DecimalSum?
  package private(set) var booksUSD: DecimalSum?
  package private(set) var differenceUSD: DecimalSum?
  /// What the books have of lines whose dollars the bill does not have.
  private(set) var uncomparedUSD: DecimalSum?
  /// The difference by cause.
  private(set) var causes: [Cause: DecimalSum] = [:]
  /// How many lines each cause has.
  private(set) var lineCounts: [Cause: Int64] = [:]
  private var models: Set<String> = []
  private var dayNumbers: Set<Int64> = []
  var movedCount: Int64 = 0
  var outsideCount: Int64 = 0
  var repeatedCount: Int64 = 0

  init(days: Range<Int64>, since: Timestamp, until: Timestamp, _ tolerance: Tolerance) {
    self.days = days
    self.since = since
    self.until = until
    self.tolerance = tolerance
  }

  mutating func add(_ finding: Finding) throws(CreditError) {
    lineCounts[finding.cause, default: 0] += 1
    if let day = finding.line.day { dayNumbers.insert(day.number) }
    if case .model(let id) = finding.subject { models.insert(id) }
    guard let difference = finding.differenceUSD else {
      if finding.line.currency == nil { try uncomparedUSD.add(finding.booksUSD) }
      return
    }
    try billUSD.add(finding.billUSD ?? DecimalSum())
    try booksUSD.add(finding.booksUSD ?? DecimalSum())
    try differenceUSD.add(difference)
    var sum = causes[finding.cause] ?? DecimalSum()
    try sum.add(difference)
    causes[finding.cause] = sum
  }

  var dayCount: Int64 { Int64(dayNumbers.count) }
  var modelCount: Int64 { Int64(models.count) }

  package var lineCount: Int64 { lineCounts.values.reduce(0, +) }

  package var differingCount: Int64 {
    lineCounts.reduce(0) { $0 + ($1.key.isDifference ? $1.value : 0) }
  }

  /// Whether no line differs by more than is allowed.
  package var isOK: Bool { differingCount == 0 }

  /// The difference in hundredths of the bill: `3.37`.
  package var percent: String? { billUSD.flatMap { differenceUSD?.percent(of: $0) } }

  /// The difference, in a sentence.
  package var sentence: String {
    let lines =
      "\(differingCount) of \(lineCount) \(lineCount == 1 ? "line" : "lines") "
      + (differingCount == 1 ? "differs" : "differ")
    guard let difference = differenceUSD else { return lines }
    if difference.isZero { return lines + ": the bill and the books sum to the same" }
    let side = difference.coefficient > 0 ? "above" : "below"
    let share = percent.map { " (\($0.drop { $0 == "-" }) %)" } ?? ""
    return lines + ": the bill is \(difference.size.shown) USD \(side) the books" + share
  }
}
