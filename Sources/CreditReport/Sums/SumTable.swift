internal import CreditModel

/// Sums of lines by the values of some columns, of each currency apart.
struct SumTable {
  /// The most groups there may be: memory has a limit.
  static let groupLimit = 2_000_000

  private let columns: [ReportColumn]
  private let period: ReportPeriod
  private var numbers = NameTable()
  private var groups: [Group] = []

  /// Lines that have the same in each column.
  struct Group {
    /// The columns' values; nil if the lines have no value.
    let values: [String?]
    var sums = LineSums()
    /// The day of the line that came first.
    let firstDay: CalendarDay
  }

  init(by columns: [ReportColumn], in period: ReportPeriod) {
    self.columns = columns
    self.period = period
  }

  /// Adds a line that counts and is of the period.
  mutating func add(_ line: ReportLine) throws(CreditError) {
    let values = columns.map { $0.value(of: line, in: period) }
    let payment = try line.payment()
    let number = try group(of: values, payment?.currency, on: period.day(of: line))
    try groups[number].sums.add(line, payment, counts: !line.isStartOfSale)
  }

  /// Adds credits alone.
  mutating func add(_ values: [String?], credits: Int128, on day: CalendarDay) throws(CreditError) {
    let number = try group(of: values, nil, on: day)
    groups[number].sums.add(credits: credits)
  }

  private mutating func group(
    of values: [String?], _ currency: String?, on day: CalendarDay
  ) throws(CreditError) -> Int {
    let (number, isNew) = numbers.enter(Name(trusted: Self.key(values + [currency])))
    if isNew {
      guard groups.count < Self.groupLimit else {
        throw CreditError(.limitExceeded, "there are more than \(Self.groupLimit) sums")
      }
      groups.append(Group(values: values, firstDay: day))
    }
    return number
  }

  /// A text that only the same values have.
  private static func key(_ values: [String?]) -> String {
    var key = ""
    for value in values { key += value.map { "\($0.utf8.count):\($0)" } ?? "-" }
    return key
  }

  /// The groups, in the order of their columns. Where all money is of one currency, what has none
  /// is with it.
  func sorted() throws(CreditError) -> [Group] {
    var sorted: [Group] = []
    let hasOneCurrency = Set(groups.compactMap(\.sums.currency)).count < 2
    for group in groups.sorted(by: Self.precedes) {
      if hasOneCurrency, let last = sorted.last, last.values == group.values {
        try sorted[sorted.count - 1].sums.add(group.sums)
      } else {
        sorted.append(group)
      }
    }
    return sorted
  }

  private static func precedes(_ left: Group, _ right: Group) -> Bool {
    let pairs = zip(left.values + [left.sums.currency], right.values + [right.sums.currency])
    for (left, right) in pairs where left != right {
      return precedes(left, right)
    }
    return false
  }

  /// Orders absent values first, then text by its bytes.
  private static func precedes(_ left: String?, _ right: String?) -> Bool {
    guard let left else { return right != nil }
    guard let right else { return false }
    return Name(trusted: left) < Name(trusted: right)
  }
}
