internal import CreditModel

/// One line of a comparison: the bill and the books of a day and a model. A class, so that sums are
/// added in place.
public final class ComparedLine {
  public let day: CalendarDay?
  public let subject: Subject
  /// Currency of the bill's amount, if it is not dollars: it is not compared then.
  public let currency: String?
  var bill = BillSide()
  var books = BookSide()

  init(day: CalendarDay?, subject: Subject, currency: String?) {
    self.day = day
    self.subject = subject
    self.currency = currency
  }
}

struct BillSide {
  var rowCount = 0
  var usage = Quantities()
  var hasUsage = false
  /// True if some of its rows have a quantity that we do not count.
  var isUsagePartial = false
  /// In dollars, or in the line's currency.
  var money: ExactDecimal?
  /// The cost of each count, by its place, if the bill has it.
  var amounts: [Int: ExactDecimal] = [:]
  /// True if it has calls with the caller's own keys, which the provider bills.
  var hasOwnKeys = false
  var lacksCostOfOwnKeys = false
  /// The cost of the others.
  var costOfOwnKeys: ExactDecimal?
  /// Counts that these tools do not use, by their names there.
  private(set) var unread: [String: Int64] = [:]
  private(set) var descriptions: [String] = []
  /// Of a call, if the lines are by key: its model in the books, and its day.
  var call: (model: String, day: Int64?)?

  mutating func add(_ amount: ExactDecimal, of place: Int?) throws(CreditError) {
    try money.add(amount)
    if let place { try amounts[place].add(amount) }
  }

  mutating func add(_ count: Int64, unread name: String) throws(CreditError) {
    let (sum, overflow) = (unread[name] ?? 0).addingReportingOverflow(count)
    if overflow {
      throw CreditError(.amountOutOfRange, "a sum of \(quoted(name)) does not fit in 64 bits")
    }
    unread[name] = sum
  }

  /// Adds the bill's entry under another name of the same model: money, as usage names the model.
  mutating func add(_ other: BillSide) throws(CreditError) {
    rowCount += other.rowCount
    if let money = other.money { try add(money, of: nil) }
    for text in other.descriptions { describe(text) }
    for (name, count) in other.unread { try add(count, unread: name) }
  }

  mutating func describe(_ text: String) {
    if descriptions.count < 20, !descriptions.contains(text) {
      descriptions.append(text)
    }
  }

  var isUsageKnown: Bool { hasUsage && !isUsagePartial }
}

struct BookSide {
  static let keyLimit = 20

  var callCount: Int64 = 0
  /// Number of the history's lines in it, corrections included.
  var lineCount: Int64 = 0
  var usage = Quantities()
  /// In dollars; nil if no line has any.
  var money: ExactDecimal?
  var keys: [String] = []
  /// Number of calls that the bill lacks, though neither dollars nor counts show it.
  var unlistedCount: Int64 = 0
  /// The keys of some of those.
  private(set) var unlistedKeys: [String] = []

  /// True if corrections have taken all of it back.
  var isCancelled: Bool {
    guard lineCount > callCount, unlistedCount == 0, usage.isZero else { return false }
    return money?.isZero ?? (callCount == 0)
  }

  /// Keeps a call's key, if there is room.
  mutating func note(_ key: @autoclosure () -> String?, isUnlisted: Bool) {
    let isKept = keys.count < Self.keyLimit
    let isMissing = isUnlisted && unlistedKeys.count < Self.keyLimit
    guard isKept || isMissing, let key = key() else { return }
    if isKept { keys.append(key) }
    if isMissing { unlistedKeys.append(key) }
  }

  mutating func note(_ entry: BookEntry) { note(entry.key, isUnlisted: entry.isUnlisted) }

  /// Adds an entry, but for its key, or takes away one that was added.
  /// - Parameter sign: -1 to take it away.
  mutating func add(_ entry: BookEntry, times sign: Int64 = 1) throws(CreditError) {
    callCount += sign * entry.callCount
    lineCount += sign * entry.lineCount
    if entry.isUnlisted { unlistedCount += sign }
    try sign < 0 ? usage.subtract(entry.usage) : usage.add(entry.usage)
    try money.add(sign < 0 ? entry.money?.negated : entry.money)
    if lineCount == 0 { money = nil }
  }
}
