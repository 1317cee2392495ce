internal import CreditJSON
internal import CreditModel

/// The sums of a page. Its size depends on the number of accounts, models, products and days,
/// except for deferred revenue, which takes a few bytes of each line.
final class PageBook {
  let period: ReportPeriod
  /// The account whose members' work it has; nil for all of the lines' accounts.
  let team: String?
  /// True if all its lines are of work.
  private var isOfWork = true
  /// False to leave out the names of payers and parents that are not on the page.
  let namesOthers: Bool
  private(set) var lineCount = 0
  private(set) var sums = PeriodSums()
  private(set) var earlier: EarlierSums
  private(set) var balances = BalanceBook()
  private(set) var usage = UsageBook()
  private(set) var unpriced = UnpricedUse()
  private(set) var unpricedSales = 0
  private(set) var lateUse = LateUse()
  private(set) var sales = SalesBook()
  private(set) var accounts = AccountBook()
  /// The accounts that have lines up to the period's end.
  private(set) var knownAccounts: Set<String> = []
  private(set) var tags = TagBook()
  /// The spending of each team's members, or of a team's each member, with the parts of all payers.
  private(set) var teams: SumTable
  private(set) var counts = CountBook()
  private(set) var activity = ActivityBook()
  private(set) var newest = NewestLines()
  /// The subjects of grants of any time, by the ids that the expiries of their credits have.
  private(set) var grants: [String: String] = [:]
  private(set) var owners = ShareOwners()
  /// The plans that are paid for, their ends, and if these came early, by payment.
  private(set) var plans: [String: (plan: String, until: Timestamp, isCut: Bool)] = [:]
  private var parts: PayerParts
  /// Nil if there were too many lines for deferred revenue.
  private(set) var timeline: GrantTimeline? = GrantTimeline()
  /// The first and the last day that the period's lines are of.
  private(set) var days: ClosedRange<CalendarDay>?

  init(of period: ReportPeriod, team: String? = nil, namesOthers: Bool = true) {
    self.period = period
    self.team = team
    self.namesOthers = namesOthers
    (newest.namesOthers, newest.isOfTeam) = (namesOthers, team != nil)
    teams = SumTable(by: team == nil ? [.parent] : [.parent, .account], in: period)
    earlier = EarlierSums(before: period)
    parts = PayerParts(in: period)
  }

  /// True if a tag has selected its lines: the accounts' balances are of other work, too.
  var isOfTag: Bool { isOfWork && tags.tags.contains { !$0.isParted } }

  func add(_ line: ReportLine) throws(CreditError) {
    isOfWork = isOfWork && line.isOfWork
    if line.counts { try teams.note(line) }
    if !line.subject.isEmpty, line.value.hasMember("expiresAt") {
      grants["expiry:\(line.id)"] = line.subject
    }
    counts.add(line, isOfPeriod: period.contains(period.time(of: line)))
    if line.source == .history, try timeline?.add(line) == false { timeline = nil }
    let time = line.countedAt
    if line.counts, line.source == .history, !period.isAfter(time) {
      let day = period.day(of: time)
      balances.add(line, on: day, isBefore: period.isBefore(time))
      if line.scheduledAt != nil, period.contains(time) { include(day) }
    }
    let known = line.known(in: period)
    list(known, try known.statedPayment(), isNew: !line.repeatsSale)
    for part in line.parts { try addPart(part) }
  }

  /// Adds a line of a member's work. Its balance is the member's own.
  func add(ofMember line: ReportLine) throws(CreditError) {
    try teams.note(line)
    counts.add(line, isOfPeriod: period.contains(line))
    list(line, try line.statedPayment(), isNew: true)
    for part in line.parts { try addPart(part) }
  }

  func add(repeated line: ReportLine) throws(CreditError) {
    try timeline?.add(endIn: line)
    try teams.note(line)
    if period.contains(line) { notePlan(of: line) }
  }

  /// Lists a transaction as it was at the period's end, and before its credits started.
  /// - Parameter isNew: true if its sale was in no previous line.
  private func list(_ line: ReportLine, _ payment: Payment?, isNew: Bool) {
    if !period.isAfter(period.time(of: line)) { knownAccounts.insert(line.account) }
    guard period.contains(line), !line.isEmptyRefund(payment) else { return }
    include(period.day(of: line))
    if newest.add(line, payment, in: period) { lineCount += 1 }
    if isNew { _ = accounts.number(of: line.account) }
  }

  private func addPart(_ line: ReportLine) throws(CreditError) {
    let payment = try line.payment()
    let time = period.time(of: line)
    lateUse.add(line, in: period)
    if period.isBefore(time) {
      try earlier.add(line, payment, at: time)
      accounts.note(earlier: line)
      if line.isOfWork { parts.add(line, before: time) }
    }
    guard period.contains(time), !line.isEmptyRefund(payment) else { return }
    let day = period.day(of: time)
    let account = try accounts.add(line, payment)
    try sums.add(line, payment)
    if line.isOfWork {
      owners.add(line)
      parts.add(line, usage.key(of: line, on: day))
    }
    switch line.kind {
    case .usage:
      try usage.add(line, on: day)
      unpriced.add(line)
      try tags.add(line)
      if line.parent != nil { try teams.add(line, counts: line.isCharge) }
      if !line.isShare { activity.add(account: account, on: day) }
    case .refund where line.isOfCharge:
      try usage.giveBack(line)
      try tags.add(line)
      try teams.add(line, counts: false)
    case .purchase, .subscription, .refund:
      try sales.add(line, payment, on: day)
      if line.kind == .purchase, line.counts, payment == nil, !line.isStartOfSale {
        unpricedSales += 1
      }
      notePlan(of: line)
    default: break
    }
  }

  private func notePlan(of line: ReportLine) {
    guard let plan = line.text("plan"), let paid = line.paidEnd(in: period) else { return }
    let end = paid.endedAt
    let changedAt = line.value.timestamp("updatedAt")
    let isRefunded = line.isRefunded && !(changedAt.map(period.isAfter) ?? false)
    plans[line.id] = isRefunded ? nil : (plan, min(paid.until, end ?? paid.until), end != nil)
  }

  func finish() throws(CreditError) {
    try teams.finish()
    for part in parts.missing {
      try sums.add(part.sums)
      try earlier.add(part.earlier)
      usage.add(part)
    }
    if owners.lacksAll { usage.countShares() }
  }

  /// The days of its charts: those of the whole period, up to now, but at most a month more than
  /// its lines have on each side.
  func chartDays(at now: Timestamp) -> ClosedRange<CalendarDay>? {
    guard let days else { return nil }
    var (first, last) = (days.lowerBound, days.upperBound)
    if let start = period.firstDay, first.number - start.number < 31 { first = min(first, start) }
    if let end = period.lastDay, end <= period.day(of: now), end.number - last.number < 31 {
      last = max(last, end)
    }
    return first...last
  }

  private func include(_ day: CalendarDay) {
    days = days.map { min($0.lowerBound, day)...max($0.upperBound, day) } ?? day...day
  }
}

/// Sums of a period's lines, in the figures at the top of a page.
struct PeriodSums {
  private(set) var sold: Int128 = 0
  private(set) var spent: Int128 = 0
  /// Credits taken back of purchases, less those of reversed refunds.
  private(set) var takenBack: Int128 = 0
  private(set) var givenBack: Int128 = 0
  private(set) var expired: Int128 = 0
  /// The part of it that plans took at their end.
  private(set) var endedQuota: Int128 = 0
  /// Credits that were given, adjusted or transferred, and those of quotas: the rest of the change.
  private(set) var other: Int128 = 0
  /// Amounts paid less those paid back.
  private(set) var sales = MoneySums()
  private(set) var paidBack = MoneySums()
  /// The last line of a quota or of the refund of a plan, with the quota's credits.
  private var last: (account: String, time: Timestamp, quota: Int128?)?

  /// Adds a line that counts.
  mutating func add(_ line: ReportLine, _ payment: Payment?) throws(CreditError) {
    let credits = Int128(line.credits)
    switch line.kind {
    case .purchase, .subscription: sold += credits
    case .usage: spent -= credits
    case .refund: if line.isOfCharge { givenBack += credits } else { takenBack -= credits }
    case .expiry: expired -= credits
    case .quota where credits < 0:
      expired -= credits
      endedQuota -= credits
    case .quota:
      expired -= Int128(line.carriedOver)
      other += credits - Int128(line.carriedOver)
    default: other += credits
    }
    countRefundedQuota(line)
    guard let payment else { return }
    try sales.add(payment.received, payment.currency)
    if payment.isBack { try paidBack.add(payment.amount, payment.currency) }
  }

  /// Counts credits as taken back that a quota lost by the refund of its plan, or got back by the
  /// reversal: the lines of both have one time, and follow one another.
  private mutating func countRefundedQuota(_ line: ReportLine) {
    let quota = line.kind == .quota ? Int128(line.credits) : nil
    guard quota != nil || line.kind == .refund && line.text("plan") != nil else { return }
    let other = last
    last = (line.account, line.recordedAt, quota)
    guard let other, (other.account, other.time) == (line.account, line.recordedAt),
      (other.quota == nil) != (quota == nil), let credits = other.quota ?? quota
    else { return }
    last = nil
    takenBack -= credits
    self.other -= max(0, credits)
    expired += min(0, credits)
    endedQuota += min(0, credits)
  }

  mutating func add(_ credits: Int128, of line: ReportLine) {
    if line.kind == .usage { spent -= credits } else { givenBack += credits }
  }

  mutating func add(_ other: PeriodSums) throws(CreditError) {
    for sum in [
      \PeriodSums.sold, \.spent, \.takenBack, \.givenBack, \.expired, \.endedQuota, \.other,
    ] {
      self[keyPath: sum] += other[keyPath: sum]
    }
    try sales.add(other.sales)
    try paidBack.add(other.paidBack)
  }
}

struct MoneySums {
  /// By currency, in the order of the codes.
  private(set) var all: [(currency: String, sum: ExactDecimal)] = []

  mutating func add(_ other: MoneySums) throws(CreditError) {
    for (currency, sum) in other.all { try add(sum, currency) }
  }

  mutating func add(_ amount: ExactDecimal, _ currency: String) throws(CreditError) {
    let index = all.firstIndex { $0.currency >= currency } ?? all.count
    if index == all.count || all[index].currency != currency {
      all.insert((currency, ExactDecimal.zero), at: index)
    }
    try all[index].sum.add(amount)
  }

  func sum(of currency: String) -> ExactDecimal? { all.first { $0.currency == currency }?.sum }
}

/// Sums before a period, in spans of a day that end with its beginning.
///
/// The period's length may be known only at its end. Before a month they are of another month.
struct EarlierSums {
  private let since: Timestamp?
  private let month: Timestamp?
  private var spans: [Int64: PeriodSums] = [:]

  init(before period: ReportPeriod) { (since, month) = (period.since, period.previousMonth) }

  mutating func add(
    _ line: ReportLine, _ payment: Payment?, at time: Timestamp
  ) throws(CreditError) {
    guard let since, time >= month ?? .earliest else { return }
    try spans[Self.span(before: since, time), default: PeriodSums()].add(line, payment)
  }

  mutating func add(_ credits: Int128, of line: ReportLine, at time: Timestamp) {
    guard let since, time >= month ?? .earliest else { return }
    spans[Self.span(before: since, time), default: PeriodSums()].add(credits, of: line)
  }

  mutating func add(_ other: EarlierSums) throws(CreditError) {
    for (span, sums) in other.spans { try spans[span, default: PeriodSums()].add(sums) }
  }

  private static func span(before since: Timestamp, _ time: Timestamp) -> Int64 {
    (since.milliseconds - 1 - time.milliseconds) / 86_400_000
  }

  /// Returns the sums of the month before the period, or else of `count` days.
  ///
  /// It is nil if the period has no beginning.
  func sums(ofDays count: Int64) throws(CreditError) -> PeriodSums? {
    guard since != nil else { return nil }
    var total = PeriodSums()
    for (span, sums) in spans where month != nil || span < count { try total.add(sums) }
    return total
  }
}

/// Use of each kind: tokens that went in, came out, were cached, and the providers' other counts.
struct CountBook: ~Copyable {
  private var counter = UsageCounter()
  private var sums = [Int128](repeating: 0, count: UsageKind.all.count)

  /// - Parameter isOfPeriod: false for a line that only tells the use before a correction.
  mutating func add(_ line: ReportLine, isOfPeriod: Bool) {
    for change in counter.changes(by: line, in: isOfPeriod ? 0 : nil) {
      sums[change.kind.number] += Int128(change.count)
    }
  }

  /// The kinds with a count, tokens first.
  var used: [(kind: UsageKind, count: Int128)] {
    let used = UsageKind.all.map { (kind: $0, count: sums[$0.number]) }.filter { $0.count != 0 }
    return used.filter { $0.kind.isTokens } + used.filter { !$0.kind.isTokens }
  }
}

struct SalesBook: ~Copyable {
  private var numbers = NameTable()
  private(set) var products: [ProductSums] = []
  /// By month, and by the number of the product.
  private(set) var months: [CalendarDay: [Int: ExactDecimal]] = [:]

  /// A product in one currency, or without a price.
  struct ProductSums {
    let id: String?
    let name: String?
    let currency: String?
    var sums = LineSums()

    /// The money after refunds.
    func kept() throws(CreditError) -> ExactDecimal {
      var kept = sums.price ?? .zero
      try kept.add((sums.refundedPrice ?? .zero).negated)
      return kept
    }
  }

  /// Adds a purchase that counts, or a refund of one that was paid back.
  mutating func add(_ line: ReportLine, _ payment: Payment?, on day: CalendarDay)
    throws(CreditError)
  {
    if line.kind == .refund, payment == nil { return }
    let id = line.text("productID")
    let currency = try line.currency()
    let (number, isNew) = numbers.enter(Name(trusted: "\(currency ?? "") \(id ?? "")"))
    if isNew { products.append(ProductSums(id: id, name: line.productName, currency: currency)) }
    if let payment, payment.isBack { return try products[number].sums.payBack(payment) }
    try products[number].sums.add(LineAmounts(line), payment, counts: !line.isStartOfSale)
    guard let payment else { return }
    try months[day.monthStart, default: [:]][number].add(payment.amount)
  }

  /// The money of all products in a currency, after refunds; 0 if more of one was paid back than
  /// paid: the others would have shares above 100 %.
  func kept(in currency: String) throws(CreditError) -> ExactDecimal {
    var sum = ExactDecimal.zero
    for product in products where product.currency == currency {
      if try product.kept() < .zero { return .zero }
      try sum.add(product.kept())
    }
    return sum
  }
}
