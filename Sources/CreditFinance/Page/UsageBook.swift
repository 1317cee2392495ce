internal import CreditModel

struct UsageBook: ~Copyable {
  private var numbers = NameTable()
  private(set) var models: [ModelSums] = []
  private(set) var days: [DayAndModel: Int128] = [:]

  struct ModelSums {
    let name: String?
    var sums = LineSums()
    /// Number of payers' lines, without corrections.
    fileprivate var shareCount: Int64 = 0
  }

  struct DayAndModel: Hashable {
    let day: CalendarDay
    let model: Int
  }

  mutating func add(_ line: ReportLine, on day: CalendarDay) throws(CreditError) {
    let number = number(of: line)
    try models[number].sums.add(LineAmounts(line), nil, counts: line.isCharge && !line.isShare)
    if line.isCharge, line.isShare { models[number].shareCount += 1 }
    days[DayAndModel(day: day, model: number), default: 0] -= Int128(line.credits)
  }

  /// Takes a charge's refund from its model's sums. The use of its day stays.
  mutating func giveBack(_ line: ReportLine) throws(CreditError) {
    // Lines of earlier tools name no model.
    if line.text("model") == nil { return }
    try models[number(of: line)].sums.add(LineAmounts(line), nil, counts: false)
  }

  /// Adds parts of payers whose lines are not here.
  mutating func add(_ part: PayerParts.Part) {
    for (key, credits) in part.credits {
      days[key, default: 0] -= credits
      models[key.model].sums.add(credits: credits)
    }
    for (model, credits) in part.givenBack { models[model].sums.add(credits: credits) }
  }

  /// Counts the payers' lines: those of the charged accounts are not here.
  mutating func countShares() {
    for model in models.indices { models[model].sums.add(count: models[model].shareCount) }
  }

  /// Returns the day and model of a line; nil for a refund without a model.
  mutating func key(of line: ReportLine, on day: CalendarDay) -> DayAndModel? {
    if line.kind == .refund, line.text("model") == nil { return nil }
    return DayAndModel(day: day, model: number(of: line))
  }

  private mutating func number(of line: ReportLine) -> Int {
    let name = line.text("model")
    // No model has an empty name.
    let (number, isNew) = numbers.enter(Name(trusted: name ?? ""))
    if isNew { models.append(ModelSums(name: name)) }
    return number
  }
}

/// Parts of charges that other accounts have paid, as the lines of the charged accounts tell them.
///
/// A payer's own lines have these parts, too. On a page without them, such as a member's, they are
/// counted from here.
struct PayerParts {
  private let period: ReportPeriod
  private var parts: [String: Part] = [:]
  private var payers: Set<String> = []

  struct Part {
    var sums = PeriodSums()
    var earlier: EarlierSums
    /// Below 0 for spent credits.
    var credits: [UsageBook.DayAndModel: Int128] = [:]
    /// Credits given back, by the number of the model.
    var givenBack: [Int: Int128] = [:]
  }

  init(in period: ReportPeriod) { self.period = period }

  /// Adds a line of a charge, a correction or a refund.
  /// - Parameters:
  ///   - time: its time, if it is before the period.
  ///   - key: its day and model; nil if the line has no model, or is before the period.
  mutating func add(
    _ line: ReportLine, before time: Timestamp? = nil, _ key: UsageBook.DayAndModel? = nil
  ) {
    if line.isShare { payers.insert(line.account) }
    for (payer, credits) in line.otherPayers {
      var part = parts.removeValue(forKey: payer) ?? Part(earlier: EarlierSums(before: period))
      if let time {
        part.earlier.add(credits, of: line, at: time)
      } else {
        part.sums.add(credits, of: line)
      }
      if let key, line.kind == .usage { part.credits[key, default: 0] += credits }
      if let key, line.kind == .refund { part.givenBack[key.model, default: 0] += credits }
      parts[payer] = part
    }
  }

  var missing: [Part] { parts.filter { !payers.contains($0.key) }.map(\.value) }
}

struct AccountBook: ~Copyable {
  private var numbers = NameTable()
  private(set) var accounts: [AccountSums] = []
  private var earlierBuyers = NameTable()

  /// Notes a line of a time before the period.
  mutating func note(earlier line: ReportLine) {
    if line.kind.isSold { _ = earlierBuyers.add(Name(trusted: line.account)) }
  }

  /// Number of accounts that bought in the period, and of those that had bought before.
  var buyers: (all: Int, again: Int) {
    let buyers = accounts.filter { $0.orderCount > 0 }
    let again = buyers.filter {
      $0.orderCount > 1 || earlierBuyers.number(of: Name(trusted: $0.name)) != nil
    }
    return (buyers.count, again.count)
  }

  struct AccountSums {
    let name: String
    /// The price of its charges, with the parts of other payers.
    var spent: Int128 = 0
    /// Its own part of that, and its part of its members' charges.
    var paid: Int128 = 0
    var bought: Int128 = 0
    /// Number of orders: the lines of one invoice are one.
    var orderCount = 0
    var lastOrder: Order?
    /// Amounts paid less those paid back.
    var sales = MoneySums()

    mutating func add(_ other: AccountSums) throws(CreditError) {
      spent += other.spent
      paid += other.paid
      bought += other.bought
      try sales.add(other.sales)
    }

    /// An order of several lines, whose ids begin alike.
    struct Order: Equatable {
      let id: Substring
      let time: Timestamp
    }
  }

  mutating func number(of account: String) -> Int {
    let (number, isNew) = numbers.enter(Name(trusted: account))
    if isNew { accounts.append(AccountSums(name: account)) }
    return number
  }

  /// Adds a line that counts.
  /// - Returns: the number of the line's account.
  mutating func add(_ line: ReportLine, _ payment: Payment?) throws(CreditError) -> Int {
    let number = number(of: line.account)
    switch line.kind {
    case .usage:
      accounts[number].paid -= Int128(line.credits)
      if !line.isShare { accounts[number].spent -= line.creditsOfAll }
    case .purchase, .subscription:
      accounts[number].bought += Int128(line.credits)
      if line.isStartOfSale { break }
      let order = line.id.lastIndex(of: "/").map {
        AccountSums.Order(id: line.id[..<$0], time: line.timestamp)
      }
      if order == nil || order != accounts[number].lastOrder { accounts[number].orderCount += 1 }
      accounts[number].lastOrder = order
    default: break
    }
    if let payment { try accounts[number].sales.add(payment.received, payment.currency) }
    return number
  }
}

/// Which accounts used something on which days: a bit for each.
struct ActivityBook {
  /// By day, and by block: 64 accounts of those numbered.
  private var bits: [CalendarDay: [Int: UInt64]] = [:]

  mutating func add(account number: Int, on day: CalendarDay) {
    bits[day, default: [:]][number / 64, default: 0] |= 1 << UInt64(number % 64)
  }

  var accountsByDay: [CalendarDay: Int] {
    bits.mapValues { blocks in blocks.values.reduce(0) { $0 + $1.nonzeroBitCount } }
  }
}
