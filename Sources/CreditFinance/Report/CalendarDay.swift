public import CreditBytes
internal import CreditModel

/// A day of the proleptic Gregorian calendar.
public struct CalendarDay: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01.
  public let number: Int64

  public init(number: Int64) { self.number = number }

  public init(of time: Timestamp) { number = time.dayNumber }

  public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
    left.number < right.number
  }

  private var date: (year: Int64, month: Int64, day: Int64) { Timestamp.civil(dayNumber: number) }

  /// `2026-02-19`
  public var text: String { "\(monthText)-\(date.day.padded(2))" }

  /// `2026-02`
  var monthText: String { "\(date.year.padded(4))-\(date.month.padded(2))" }

  /// `2026`
  var yearText: String { date.year.padded(4) }

  /// `Feb`
  var monthName: String {
    let names = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return names[Int(date.month) - 1]
  }

  var dayOfMonth: Int64 { date.day }

  /// The week of ISO 8601: `2026-W08`, which begins on a Monday and belongs to its Thursday's year.
  var weekText: String {
    let thursday = CalendarDay(number: weekStart.number + 3)
    let newYear = Timestamp.dayNumber(year: thursday.date.year, month: 1, day: 1)
    return "\(thursday.yearText)-W\(((thursday.number - newYear) / 7 + 1).padded(2))"
  }

  /// The Monday of its week.
  var weekStart: CalendarDay { CalendarDay(number: CalendarUnit.week.firstDay(with: number)) }

  var monthStart: CalendarDay { CalendarDay(number: CalendarUnit.month.firstDay(with: number)) }

  var nextMonth: CalendarDay { CalendarDay(number: monthStart.number + 31).monthStart }

  var yearStart: CalendarDay {
    CalendarDay(number: Timestamp.dayNumber(year: date.year, month: 1, day: 1))
  }
}

/// All accounts' balances together at the end of each day.
struct BalanceBook: ~Copyable {
  private(set) var changes: [CalendarDay: Int128] = [:]
  private var numbers = NameTable()
  private var newest: [NewestBalance] = []
  private var order = LineOrder()

  /// An account's balance by its newest line, and the sum of its lines of the period.
  private struct NewestBalance {
    var time: Timestamp
    /// The balances after the first and the last of the lines with that time.
    var first: Int64 = 0
    var last: Int64 = 0
    /// Those after all of them, up to a number.
    var all: [Int64] = []
    /// The balance after a quota's reset, if only expiries are beside it: they come before.
    private var reset: Int64?
    private var hasOthers = false
    var sum: Int128 = 0
    var chain = BalanceChain()

    /// The balance to which the account's lines lead: the order of the input may differ. If they
    /// lead to several, or to none, it decides.
    func balance(_ order: LineOrder) -> Int64 {
      let usual = order.isNewestFirst ? first : last
      let known = [chain.total, hasOthers ? nil : reset, usual].compactMap(\.self)
      return chain.end(among: known + all) ?? usual
    }

    private static let limit = 4096

    init(of line: ReportLine) {
      time = line.recordedAt
      begin(with: line)
    }

    mutating func begin(with line: ReportLine) {
      time = line.recordedAt
      (first, last, all) = (line.balance, line.balance, [])
      (reset, hasOthers) = (nil, false)
      add(line)
    }

    mutating func add(_ line: ReportLine) {
      last = line.balance
      if line.kind == .quota, line.credits > 0 { reset = line.balance }
      hasOthers = hasOthers || line.kind != .quota && line.kind != .expiry
      if all.count < Self.limit { all.append(line.balance) }
    }

    func isComplete(_ order: LineOrder) -> Bool { chain.end(among: [balance(order)]) != nil }

    /// The balance at the period's beginning, from which the period's changes lead to the last one.
    func opening(_ order: LineOrder) -> Int128 { Int128(balance(order)) - sum }
  }

  /// Adds a line that counts.
  mutating func add(_ line: ReportLine, on day: CalendarDay, isBefore: Bool) {
    if !isBefore { changes[day, default: 0] += Int128(line.credits) }
    order.note(line)
    let account = Name(trusted: line.account)
    let time = line.recordedAt
    let (number, isNew) = numbers.enter(account)
    if isNew { newest.append(NewestBalance(of: line)) }
    newest[number].chain.add(line)
    if !isBefore { newest[number].sum += Int128(line.credits) }
    if isNew || time < newest[number].time { return }
    if time == newest[number].time { return newest[number].add(line) }
    newest[number].begin(with: line)
  }

  /// Returns an account's last balance; nil if it has no line that counts.
  func balance(of account: String) -> Int64? {
    numbers.number(of: Name(trusted: account)).map { newest[$0].balance(order) }
  }

  /// Returns true if no line of an account is missing before its newest.
  func isComplete(_ account: String) -> Bool {
    numbers.number(of: Name(trusted: account)).map { newest[$0].isComplete(order) } ?? true
  }

  var isComplete: Bool { newest.allSatisfy { $0.isComplete(order) } }

  /// The balance of all accounts at the end.
  var total: BalanceTotal { newest.reduce(into: BalanceTotal()) { $0.add($1.balance(order)) } }

  /// The balance of all accounts at the period's beginning.
  ///
  /// In a whole history it is the sum of the earlier lines.
  var opening: Int128 { newest.reduce(0) { $0 + $1.opening(order) } }

  /// The same, with credits and debts apart.
  var openings: BalanceTotal {
    newest.reduce(into: BalanceTotal()) { $0.add(Credits(clamping: $1.opening(order))) }
  }
}

/// Spending under each tag. Names and values beyond its limits are summed together: a tag may have
/// another value in each line.
struct TagBook: ~Copyable {
  /// The most names that are distinguished; the others are left out.
  static let nameLimit = 16
  /// The most values of a name that are distinguished.
  static let valueLimit = 10_000

  private var numbers = NameTable()
  private(set) var tags: [TagSums] = []
  /// Whether there were more names than that.
  private(set) var isCut = false
  /// The sum of all lines, with tags and without.
  private var all = LineSums()

  struct TagSums {
    let name: String
    private var numbers: [Name: Int] = [:]
    private(set) var values: [(value: String, sums: LineSums)] = []
    private(set) var others = LineSums()
    fileprivate(set) var untagged: LineSums

    init(name: String, untagged: LineSums) { (self.name, self.untagged) = (name, untagged) }

    fileprivate mutating func add(
      _ amounts: LineAmounts, _ value: String, counts: Bool
    ) throws(CreditError) {
      let key = Name(trusted: value)
      guard let number = numbers[key] ?? newNumber(of: key, value) else {
        return try others.add(amounts, nil, counts: counts)
      }
      try values[number].sums.add(amounts, nil, counts: counts)
    }

    private mutating func newNumber(of key: Name, _ value: String) -> Int? {
      guard values.count < TagBook.valueLimit else { return nil }
      numbers[key] = values.count
      values.append((value, LineSums()))
      return values.count - 1
    }

    var spent: Int128 { values.reduce(-others.credits) { $0 - $1.sums.credits } }

    /// Whether it has several values or lines without one.
    var isParted: Bool { values.count > 1 || untagged.count > 0 }
  }

  /// Adds a line of usage that counts, or of a charge's refund.
  mutating func add(_ line: ReportLine) throws(CreditError) {
    // The lines of other payers have no tags.
    if line.isShare { return }
    let amounts = try line.amountsOfAll()
    var given: [Int] = []
    for tag in line.value.member("tags").map({ Array($0.members) }) ?? [] {
      guard let name = tag.name.string, let value = tag.value.string else { continue }
      let key = Name(trusted: name)
      guard let number = numbers.number(of: key) ?? newNumber(of: key, name) else { continue }
      given.append(number)
      try tags[number].add(amounts, value, counts: line.isCharge)
    }
    for number in tags.indices where !given.contains(number) {
      try tags[number].untagged.add(amounts, nil, counts: line.isCharge)
    }
    try all.add(amounts, nil, counts: line.isCharge)
  }

  private mutating func newNumber(of key: Name, _ name: String) -> Int? {
    isCut = tags.count == Self.nameLimit
    if isCut { return nil }
    tags.append(TagSums(name: name, untagged: all))
    return numbers.enter(key).number
  }
}
