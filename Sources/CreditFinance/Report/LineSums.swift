internal import CreditJSON
internal import CreditModel

/// The sums of a group's lines. Money of other currencies is in other groups.
struct LineSums {
  private(set) var count: Int64 = 0
  /// Signed.
  private(set) var credits: Int128 = 0
  var spent: Int128 { 0 - credits }
  /// The money paid for purchases; nil if no purchase has a price.
  private(set) var price: ExactDecimal?
  /// The money paid back for purchases, these or earlier ones.
  private(set) var refundedPrice: ExactDecimal?
  fileprivate(set) var currency: String?
  /// The price of the usage less that of refunded charges, in dollars, without ``waivedUSD``.
  private(set) var usd: ExactDecimal?
  /// The price of usage that was waived; nil without any.
  private(set) var waivedUSD: ExactDecimal?
  /// Credits that no account paid for usage; nil without any.
  private(set) var creditsWaived: Int128?
  /// The providers' cost, of the usage that states it; refunds leave it.
  private(set) var costUSD: ExactDecimal?
  /// The rest of that usage's price.
  private(set) var marginUSD: ExactDecimal?
  /// Signed credits of refunds of charges; nil without any.
  private(set) var refundsOfCharges: Int128?
  /// Signed credits of refunds of purchases, and of their reversals; nil without any.
  private(set) var refundsOfPurchases: Int128?

  /// Credits that quotas have carried over, in both their expiries and their grants; nil without
  /// any.
  private(set) var carriedOver: Int128?

  /// Adds a line, or the part of it that one account paid.
  /// - Parameters:
  ///   - payment: the line's, if it is a purchase or a refund with a price.
  ///   - counts: false for a line that is a part of another one.
  mutating func add(
    _ amounts: LineAmounts, _ payment: Payment?, counts: Bool = true
  ) throws(CreditError) {
    if counts { count += 1 }
    credits += amounts.credits
    switch amounts.refund {
    case .ofCharge?: refundsOfCharges = Self.sum(refundsOfCharges, amounts.credits)
    case .ofPurchase?: refundsOfPurchases = Self.sum(refundsOfPurchases, amounts.credits)
    case nil: break
    }
    if let payment, payment.isBack {
      try payBack(payment)
    } else if let payment {
      currency = payment.currency
      try price.add(payment.amount)
    }
    if amounts.waived != 0 { creditsWaived = Self.sum(creditsWaived, amounts.waived) }
    if amounts.carriedOver != 0 { carriedOver = Self.sum(carriedOver, amounts.carriedOver) }
    guard let dollars = amounts.usd else { return }
    try usd.add(dollars)
    if let waived = amounts.waivedUSD { try waivedUSD.add(waived) }
    guard let cost = amounts.costUSD else { return }
    try costUSD.add(cost)
    try marginUSD.add(dollars)
    try marginUSD.add(cost.negated)
  }

  /// Adds a part of a charge, its correction or its refund: credits alone.
  mutating func add(credits: Int128 = 0, of kind: HistoryLine.Kind = .usage, count: Int64 = 0) {
    self.count += count
    self.credits += credits
    if kind == .refund { refundsOfCharges = Self.sum(refundsOfCharges, credits) }
  }

  mutating func payBack(_ payment: Payment) throws(CreditError) {
    currency = payment.currency
    try refundedPrice.add(payment.amount)
  }

  mutating func add(_ other: LineSums) throws(CreditError) {
    count += other.count
    credits += other.credits
    currency = currency ?? other.currency
    for sum in [\LineSums.price, \.refundedPrice, \.usd, \.waivedUSD, \.costUSD, \.marginUSD] {
      try self[keyPath: sum].add(other[keyPath: sum])
    }
    for sum in [
      \LineSums.creditsWaived, \.refundsOfCharges, \.refundsOfPurchases, \.carriedOver,
    ] { self[keyPath: sum] = Self.sum(self[keyPath: sum], other[keyPath: sum]) }
  }

  func listUSD() throws(CreditError) -> ExactDecimal? {
    var list = usd
    try list.add(waivedUSD)
    return list
  }

  private static func sum(_ left: Int128?, _ right: Int128?) -> Int128? {
    left == nil && right == nil ? nil : (left ?? 0) + (right ?? 0)
  }
}

/// Sums of lines by the values of some columns, of each currency apart.
struct SumTable: ~Copyable {
  /// The most groups there may be: memory has a limit.
  static let groupLimit = 2_000_000

  private let columns: [ReportColumn]
  private let period: ReportPeriod
  /// The account whose payments and work it has; nil for all.
  private let account: String?
  /// True if a charge counts with all that was paid for it: the lines of its payers are left out.
  let isOfChain: Bool
  private let isByMember: Bool
  private let payerPlace: Int?
  private let parentPlace: Int?
  private var numbers = NameTable()
  private var groups: [Group] = []
  private(set) var owners = ShareOwners()
  /// The parts of other payers as the charged accounts' lines name them, by payer, member, and the
  /// values of the payers' lines.
  private var named: [[String?]: (sums: LineSums, day: CalendarDay)] = [:]
  private var parents = ChargeParents<Part>()

  /// Lines that have the same in each column.
  struct Group {
    /// The columns' values; nil if the lines have no value.
    var values: [String?]
    var sums = LineSums()
    /// Number of payers' lines that count if no line of their members is here.
    fileprivate(set) var shareCount: Int64 = 0
    let firstDay: CalendarDay
  }

  private struct Part {
    var entries: [(values: [String?], amounts: LineAmounts)]
    var payment: Payment?
    let currency: String?
    var isCounted: Bool
    let isShare: Bool
    let day: CalendarDay
  }

  /// - Parameter account: whose payments and work it has, if by payer; nil for all.
  init(by columns: [ReportColumn], in period: ReportPeriod, of account: String? = nil) {
    self.columns = columns
    self.period = period
    self.account = account
    // The lines of other payers have no tags.
    isOfChain = columns.contains { if case .tag = $0 { true } else { $0.isOfChain } }
    isByMember = columns.contains(.member)
    payerPlace = columns.firstIndex(of: .payer)
    parentPlace = columns.firstIndex(of: .parent)
  }

  /// Reads each line that counts, also those outside the period.
  mutating func note(_ line: ReportLine) throws(CreditError) {
    guard parentPlace != nil else { return }
    for part in parents.parts(of: line) { try add(part, under: line.parent) }
  }

  /// Adds a line that counts and is of the period.
  /// - Parameter counts: false for a line that is a part of another one.
  mutating func add(_ line: ReportLine, counts: Bool = true) throws(CreditError) {
    let namesPayers = line.isOfWork && owners.add(line)
    if isOfChain, line.isShare { return }
    let part = try part(of: line, counts: counts)
    // A selection may leave out the own lines of other payers.
    for (payer, credits) in line.otherPayers where namesPayers && !isOfChain {
      let values = columns.map { column in
        column == .account
          ? payer : column == .member ? line.account : column.value(of: line, in: period)
      }
      named[[payer, line.account] + values, default: (LineSums(), part.day)].sums
        .add(credits: credits, of: line.kind, count: isByMember && part.isCounted ? 1 : 0)
    }
    guard parentPlace != nil, line.isOfCharge || line.isCorrection else { return try add(part) }
    if let parent = parents.parent(of: line, orKeep: part) { try add(part, under: parent.name) }
  }

  private func part(of line: ReportLine, counts: Bool) throws(CreditError) -> Part {
    var values = columns.map { $0.value(of: line, in: period) }
    var entries: [(values: [String?], amounts: LineAmounts)] = []
    if let payerPlace {
      for (payer, amounts) in try line.amountsByPayer()
      where account == nil || payer == account || line.account == account {
        values[payerPlace] = payer
        entries.append((values, amounts))
      }
    } else {
      entries = [(values, isOfChain ? try line.amountsOfAll() : try LineAmounts(line))]
    }
    return Part(
      entries: entries, payment: try line.payment(), currency: try line.currency(),
      isCounted: counts && !line.isStartOfSale, isShare: line.isShare, day: period.day(of: line))
  }

  private mutating func add(_ part: Part, under parent: String?) throws(CreditError) {
    var part = part
    if let parentPlace {
      for place in part.entries.indices { part.entries[place].values[parentPlace] = parent }
    }
    try add(part)
  }

  private mutating func add(_ part: Part) throws(CreditError) {
    for (values, amounts) in part.entries {
      let number = try group(of: values, part.currency, on: part.day)
      // A charge that several accounts have paid counts on the line of its own account; by members
      // the others' lines are asked for.
      let isCounted = part.isCounted && (isByMember || !part.isShare)
      try groups[number].sums.add(amounts, part.payment, counts: isCounted)
      if part.isCounted, !isCounted { groups[number].shareCount += 1 }
    }
  }

  mutating func finish() throws(CreditError) {
    for part in parents.takeRest() { try add(part) }
    for (key, part) in named where !owners.payers.contains(Array(key.prefix(2))) {
      let number = try group(of: Array(key.dropFirst(2)), nil, on: part.day)
      try groups[number].sums.add(part.sums)
    }
    guard owners.lacksAll else { return }
    for place in groups.indices { groups[place].sums.add(count: groups[place].shareCount) }
  }

  var remarks: [String] { parents.remarks }

  /// Adds credits alone, given back for a charge.
  mutating func add(_ values: [String?], credits: Int128, on day: CalendarDay) throws(CreditError) {
    let number = try group(of: values, nil, on: day)
    groups[number].sums.add(credits: credits)
  }

  private mutating func group(
    of values: [String?], _ currency: String?, on day: CalendarDay
  ) throws(CreditError) -> Int {
    // Only the same values have this text.
    let key = (values + [currency]).map { $0.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined()
    let (number, isNew) = numbers.enter(Name(trusted: key))
    if isNew {
      guard groups.count < Self.groupLimit else {
        throw CreditError(.limitExceeded, "there are more than \(Self.groupLimit) sums")
      }
      groups.append(Group(values: values, firstDay: day))
      groups[number].sums.currency = currency
    }
    return number
  }

  /// Returns the groups in the order of their columns. Rows without money are in the group of the
  /// only currency, or of their own.
  func sorted() throws(CreditError) -> [Group] {
    var sorted: [Group] = []
    let isApart =
      !columns.contains(.currency) && Set(groups.compactMap(\.sums.currency)).count > 1
    for group in groups.sorted(by: Self.precedes) {
      if !isApart, let last = sorted.last, last.values == group.values {
        try sorted[sorted.count - 1].sums.add(group.sums)
      } else {
        sorted.append(group)
      }
    }
    return sorted
  }

  private static func precedes(_ left: Group, _ right: Group) -> Bool {
    (left.values + [left.sums.currency]).lexicographicallyPrecedes(
      right.values + [right.sums.currency], by: precedes)
  }

  /// Orders absent values first, then text by its bytes.
  private static func precedes(_ left: String?, _ right: String?) -> Bool {
    guard let left else { return right != nil }
    guard let right else { return false }
    return Name(trusted: left) < Name(trusted: right)
  }
}

/// Credits and dollars of a line, or of the part that one account paid.
struct LineAmounts {
  /// Signed.
  var credits: Int128
  /// The price of usage in dollars, below 0 for a charge's refund, without ``waivedUSD``.
  var usd: ExactDecimal?
  /// The part of the price that was waived; nil if none was.
  var waivedUSD: ExactDecimal?
  /// Credits that no account paid.
  var waived: Int128 = 0
  let carriedOver: Int128
  /// The provider's cost; nil if ``usd`` is nil.
  var costUSD: ExactDecimal?
  /// Nil if it is no refund.
  let refund: RefundKind?

  enum RefundKind { case ofCharge, ofPurchase }

  init(_ line: ReportLine) throws(CreditError) {
    credits = Int128(line.credits)
    carriedOver = Int128(line.carriedOver)
    refund = line.kind != .refund ? nil : line.isOfCharge ? .ofCharge : .ofPurchase
    guard line.kind == .usage || line.kind == .refund else { return }
    waived = line.waived
    usd = try line.amount("usd")
    guard let price = usd else { return }
    costUSD = try line.amount("costUSD")
    waivedUSD = try line.amount("usdWaived")
    if waivedUSD == nil, line.value.int64("creditsWaived") != nil {
      let whole = waived - line.creditsOfAll
      // A correction by less than a credit moves none: no account pays it.
      waivedUSD = waived == 0 && whole == 0 ? price : try Self.share(of: price, waived, in: whole)
    }
    try usd.add(waivedUSD?.negated)
  }

  /// Returns a part of the credits, with its share of the dollars, rounded at 12 places.
  fileprivate func part(_ credits: Int128) throws(CreditError) -> LineAmounts {
    var part = self
    part.credits = credits
    part.usd = try Self.share(of: usd, credits, in: self.credits)
    part.waivedUSD = try Self.share(of: waivedUSD, credits, in: self.credits)
    part.costUSD = try Self.share(of: costUSD, credits, in: self.credits)
    part.waived = self.credits == 0 ? 0 : waived * credits / self.credits
    return part
  }

  static func share(
    of amount: ExactDecimal?, _ part: Int128, in whole: Int128
  ) throws(CreditError) -> ExactDecimal? {
    guard let amount else { return nil }
    if part == whole { return amount }
    // Credits that only moved from one payer to another have no price.
    if whole == 0 { return .zero }
    let places = max(12, amount.scale)
    guard let units = amount.coefficient(atScale: places) else { throw tooLong }
    let (product, overflow) = units.multipliedReportingOverflow(by: part)
    if overflow { throw tooLong }
    return ExactDecimal(product.divided(halfAwayFromZeroBy: whole), places: places)
  }

  private static var tooLong: CreditError {
    CreditError(.amountOutOfRange, "a price has too many digits to be shared among its payers")
  }
}

/// A charge with the parts of all its payers.
///
/// The line of the charged account names all payers: the lines of their shares are left out.
extension ReportLine {
  func amountsOfAll() throws(CreditError) -> LineAmounts {
    var amounts = try LineAmounts(self)
    amounts.credits = creditsOfAll
    return amounts
  }

  /// The amounts of each payer; the dollars go with the credits, and sum to the line's exactly.
  func amountsByPayer() throws(CreditError) -> [(payer: String?, amounts: LineAmounts)] {
    let parts = payers.filter { $0.credits != 0 }
    let all = try amountsOfAll()
    var rest = all
    var amounts: [(payer: String?, amounts: LineAmounts)] = []
    for part in parts.dropLast() {
      let amount = try all.part(part.credits)
      rest.credits -= amount.credits
      try rest.usd.add(amount.usd?.negated)
      try rest.waivedUSD.add(amount.waivedUSD?.negated)
      try rest.costUSD.add(amount.costUSD?.negated)
      rest.waived -= amount.waived
      amounts.append((part.account, amount))
    }
    return amounts + [(parts.last.map(\.account) ?? lastPayer, rest)]
  }
}
