internal import CreditModel

/// What a page says of the lines it was made from. Its size depends on how many accounts, models,
/// products and days there are, but for what is deferred, which takes a few bytes of each line.
struct PageBook {
  let period: ReportPeriod
  private(set) var lineCount = 0
  private(set) var sums = PeriodSums()
  private(set) var earlier = EarlierSums()
  private(set) var balances = BalanceBook()
  private(set) var usage = UsageBook()
  private(set) var sales = SalesBook()
  private(set) var accounts = AccountBook()
  private(set) var tags = TagBook()
  private(set) var counts = CountBook()
  private(set) var activity = ActivityBook()
  private(set) var newest = NewestLines()
  /// Nil where there were too many lines to tell what is deferred.
  private var timeline: GrantTimeline? = GrantTimeline()
  /// The first and the last day that the period's lines are of.
  private(set) var days: ClosedRange<CalendarDay>?

  init(of period: ReportPeriod) {
    self.period = period
    earlier = EarlierSums(before: period.since)
  }

  mutating func add(_ line: ReportLine) throws(CreditError) {
    if line.source == .history, try timeline?.add(line) == false { timeline = nil }
    if line.counts { addBalance(line) }
    try addBooked(line.booked, isNew: !line.repeatsSale)
  }

  /// - Parameter isNew: whether no line before it has said the sale that it says.
  private mutating func addBooked(_ line: ReportLine, isNew: Bool) throws(CreditError) {
    let payment = try line.payment()
    let time = period.time(of: line)
    if line.counts, isNew, period.isBefore(time) { try earlier.add(line, payment, at: time) }
    guard period.contains(time) else { return }
    let day = period.day(of: time)
    include(day)
    if newest.add(line, try line.statedPayment(), in: period) { lineCount += 1 }
    if !isNew { return }
    let account = try accounts.add(line, payment)
    guard line.counts else { return }
    try sums.add(line, payment)
    switch line.kind {
    case .usage:
      try usage.add(line, on: day)
      try tags.add(line)
      counts.add(line)
      if !line.isShare { activity.add(account: account, on: day) }
    case .purchase, .subscription, .refund: try sales.add(line, payment, on: day)
    default: break
    }
  }

  /// What is deferred at the end of the period.
  var deferred: DeferredRevenue? {
    get throws(CreditError) {
      guard let timeline else { return nil }
      return try DeferredRevenue(GrantBook(timeline, until: period.until))
    }
  }

  private mutating func addBalance(_ line: ReportLine) {
    let time = line.countedAt
    guard line.source == .history, !period.isAfter(time) else { return }
    let day = period.day(of: time)
    balances.add(line, on: day, isBefore: period.isBefore(time))
    if line.scheduledAt != nil, period.contains(time) { include(day) }
  }

  /// Has the page reach to a day.
  private mutating func include(_ day: CalendarDay) {
    days = days.map { min($0.lowerBound, day)...max($0.upperBound, day) } ?? day...day
  }
}

/// Sums of a period's lines, in the figures at the top of a page.
struct PeriodSums {
  private(set) var sold: Int128 = 0
  private(set) var spent: Int128 = 0
  /// Credits taken back with purchases.
  private(set) var takenBack: Int128 = 0
  /// Credits given back for charges.
  private(set) var givenBack: Int128 = 0
  private(set) var expired: Int128 = 0
  /// What was paid less what was paid back.
  private(set) var sales = MoneySums()
  private(set) var paidBack = MoneySums()

  /// Adds a line that counts.
  mutating func add(_ line: ReportLine, _ payment: Payment?) throws(CreditError) {
    let credits = Int128(line.credits)
    switch line.kind {
    case .purchase, .subscription: sold += credits
    case .usage: spent -= credits
    case .refund: if credits < 0 { takenBack -= credits } else { givenBack += credits }
    case .expiry: expired -= credits
    default: break
    }
    guard let payment else { return }
    try sales.add(payment)
    if payment.isBack { try paidBack.add(payment.amount, payment.currency) }
  }

  mutating func add(_ other: PeriodSums) throws(CreditError) {
    sold += other.sold
    spent += other.spent
    takenBack += other.takenBack
    givenBack += other.givenBack
    expired += other.expired
    try sales.add(other.sales)
    try paidBack.add(other.paidBack)
  }
}

/// Sums of money, one of each currency.
struct MoneySums {
  /// By currency, in the order of the codes.
  private(set) var all: [(currency: String, sum: DecimalSum)] = []

  mutating func add(_ payment: Payment) throws(CreditError) {
    try add(payment.received, payment.currency)
  }

  mutating func add(_ other: MoneySums) throws(CreditError) {
    for (currency, sum) in other.all { try add(sum, currency) }
  }

  mutating func add(_ amount: DecimalSum, _ currency: String) throws(CreditError) {
    let index = all.firstIndex { $0.currency >= currency } ?? all.count
    if index == all.count || all[index].currency != currency {
      all.insert((currency, DecimalSum()), at: index)
    }
    try all[index].sum.add(amount)
  }

  func sum(of currency: String) -> DecimalSum? { all.first { $0.currency == currency }?.sum }
}

/// Sums before a period, in spans of a day that end with its beginning.
///
/// The period's length may be known only at its end.
struct EarlierSums {
  private let since: Timestamp?
  private var spans: [Int64: PeriodSums] = [:]

  init(before since: Timestamp? = nil) { self.since = since }

  mutating func add(
    _ line: ReportLine, _ payment: Payment?, at time: Timestamp
  ) throws(CreditError) {
    guard let since else { return }
    let span = (since.milliseconds - 1 - time.milliseconds) / 86_400_000
    var sums = spans[span] ?? PeriodSums()
    try sums.add(line, payment)
    spans[span] = sums
  }

  /// Returns the sums of `count` days before the period.
  ///
  /// It is nil if the period has no beginning.
  func sums(ofDays count: Int64) throws(CreditError) -> PeriodSums? {
    guard since != nil else { return nil }
    var total = PeriodSums()
    for (span, sums) in spans where span < count { try total.add(sums) }
    return total
  }
}
