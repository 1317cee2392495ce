internal import CreditModel

/// An exact sum of shares of amounts of money, each a numerator over a denominator. It is only
/// rounded for display.
struct FractionSum {
  /// By denominator, above 0. A shop has few packs, so there are few.
  private var numerators: [Int128: Int128] = [:]

  enum HalfRounding { case toEven, up, down }

  /// Number of a fraction's places that are computed before rounding.
  private static let workedPlaces = 30

  /// Adds `amount` × `part` / `whole`.
  /// - Parameter whole: above 0.
  /// - Throws: `amount_out_of_range`.
  mutating func add(_ amount: ExactDecimal, times part: Int128, over whole: Int128)
    throws(CreditError)
  {
    let (numerator, isLarge) = amount.coefficient.multipliedReportingOverflow(by: part)
    let unit = Int128.powerOfTen(amount.scale)
    let denominator = unit?.multipliedReportingOverflow(by: whole)
    guard !isLarge, let denominator, !denominator.overflow,
      // Ten times it is worked with.
      denominator.partialValue < Int128.max / 10
    else { throw Self.tooLong }
    try add(numerator, over: denominator.partialValue)
  }

  /// - Parameter sign: -1 to subtract it.
  mutating func add(_ other: FractionSum, times sign: Int128 = 1) throws(CreditError) {
    for (denominator, numerator) in other.numerators {
      try add(sign &* numerator, over: denominator)
    }
  }

  private mutating func add(_ numerator: Int128, over denominator: Int128) throws(CreditError) {
    let (sum, overflow) = (numerators[denominator] ?? 0).addingReportingOverflow(numerator)
    if overflow { throw Self.tooLong }
    numerators[denominator] = sum == 0 ? nil : sum
  }

  /// Returns the sum rounded to `places`, below 30.
  ///
  /// If there are several denominators, it is worked out to 30 places; a sum no further than that
  /// from a half counts as the half.
  /// - Throws: `amount_out_of_range`.
  func rounded(
    places: Int, half: HalfRounding = .toEven
  ) throws(CreditError) -> ExactDecimal {
    var whole: Int128 = 0
    var fraction: Int128 = 0
    // Number of the fraction's summands that were cut after their last place.
    var cutCount: Int128 = 0
    for (denominator, numerator) in numerators {
      var (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
      if remainder < 0 { (quotient, remainder) = (quotient - 1, remainder + denominator) }
      let (sum, overflow) = whole.addingReportingOverflow(quotient)
      if overflow { throw Self.tooLong }
      whole = sum
      var digits: Int128 = 0
      for _ in 0..<Self.workedPlaces {
        remainder *= 10
        digits = digits * 10 + remainder / denominator
        remainder %= denominator
      }
      fraction += digits
      if remainder > 0 { cutCount += 1 }
    }
    guard let shown = ExactDecimal(whole, places: 0).coefficient(atScale: places)
    else { throw Self.tooLong }
    let kept = Self.rounded(fraction, cutCount, places: places, half, after: shown)
    let (sum, overflow) = shown.addingReportingOverflow(kept)
    if overflow { throw Self.tooLong }
    return ExactDecimal(sum, places: places)
  }

  /// Returns the sum with enough places that its reader rounds it like the exact one.
  /// - Throws: `amount_out_of_range`.
  func worked() throws(CreditError) -> ExactDecimal {
    if let fine = try? rounded(places: Self.workedPlaces - 2) { return fine }
    return try rounded(places: 12)
  }

  /// - Parameter whole: the integer part, which decides what is even.
  private static func rounded(
    _ fraction: Int128, _ cutCount: Int128, places: Int, _ mode: HalfRounding, after whole: Int128
  ) -> Int128 {
    let unit = Int128.powerOfTen(workedPlaces - places) ?? 1
    let (quotient, rest) = fraction.quotientAndRemainder(dividingBy: unit)
    let half = unit / 2
    // The cut part is less than one of the last place for each.
    let isAbove = rest > half || rest == half && cutCount > 0
    let isHalf = !isAbove && (rest == half || rest + max(0, cutCount - 1) >= half)
    let isOdd = (whole ^ quotient) & 1 != 0
    let goesUp = mode == .up || mode == .toEven && isOdd
    return quotient + (isAbove || isHalf && goesUp ? 1 : 0)
  }

  private static var tooLong: CreditError {
    CreditError(.amountOutOfRange, "a price has too many digits to be shared among its credits")
  }
}

/// The exact money of sales at a time. It is rounded once: to the currency's digits, or to those of
/// a price that has more.
struct SalesSum {
  private(set) var (price, paidBack) = (ExactDecimal.zero, ExactDecimal.zero)
  private var (earned, expired, kept) = (FractionSum(), FractionSum(), FractionSum())
  private var digits = 0

  init() {}

  /// Nil if the top-up has no price.
  init?(_ grant: GrantedCredits, at time: Timestamp) throws(CreditError) {
    guard let price = grant.price, let earned = try grant.revenue(at: time),
      let expired = try grant.breakage(at: time), let kept = try grant.kept()
    else { return nil }
    (self.price, paidBack) = (price, grant.refundedPrice ?? .zero)
    var shown = ShownPlaces(grant.minorDigits)
    for amount in [price, paidBack] { shown.include(allOf: amount) }
    digits = min(12, shown.count)
    (self.earned, self.expired, self.kept) = (earned, expired, kept)
  }

  /// - Parameter sign: -1 to subtract it.
  mutating func add(_ other: SalesSum, times sign: Int128 = 1) throws(CreditError) {
    digits = max(digits, other.digits)
    for sum in [\SalesSum.price, \.paidBack] {
      try self[keyPath: sum].add(sign < 0 ? other[keyPath: sum].negated : other[keyPath: sum])
    }
    try earned.add(other.earned, times: sign)
    try expired.add(other.expired, times: sign)
    try kept.add(other.kept, times: sign)
  }

  /// Returns all income so far, and the liability that is left: they sum to the money paid.
  ///
  /// No sale changes an income, and no use or refund changes the breakage. The liability is the
  /// rest: none is left if the parts make the price, as half of the last digit goes up in revenue,
  /// and down in the others.
  func rounded() throws(CreditError) -> (income: SalesIncome, deferred: ExactDecimal) {
    let earned = try earned.rounded(places: digits, half: .up)
    let expired = try self.expired.rounded(places: digits, half: .down)
    var unused = self.expired
    try unused.add(self.kept)
    var (kept, deferred) = (try unused.rounded(places: digits, half: .down), price)
    for part in [earned, kept, paidBack] { try deferred.add(part.negated) }
    try kept.add(expired.negated)
    return (SalesIncome(earned: earned, expired: expired, kept: kept), deferred)
  }
}

struct SalesIncome {
  /// Payments for the credits used, and for the days of subscriptions that are over.
  var earned = ExactDecimal.zero
  /// Payments for expired credits, and the rest of subscriptions that ended early.
  var expired = ExactDecimal.zero
  /// Prices of refunded credits beyond the money paid back for them.
  var kept = ExactDecimal.zero

  var isZero: Bool { earned.isZero && expired.isZero && kept.isZero }

  mutating func subtract(_ earlier: SalesIncome) throws(CreditError) {
    for part in [\SalesIncome.earned, \.expired, \.kept] {
      try self[keyPath: part].add(earlier[keyPath: part].negated)
    }
  }
}

/// Money that was paid and is earned, or still owed as work, in a period. The sum of a product's
/// sales is rounded, as in a journal.
struct GrantRevenue {
  /// Opening and sales, less the next four, make the deferred money at the end.
  enum Part: Int { case opening, sold, paidBack, earned, breakage, kept, deferred }

  typealias Row = (product: String?, currency: String, parts: [ExactDecimal])

  /// The parts of each product, and behind those of a currency their sums, without a product.
  private(set) var rows: [Row] = []
  let hasDays: Bool
  /// False if lines of the deferred money are missing, or out of order.
  private(set) var isExact = true
  /// Sentences about lines that are missing, and about credits that expire after the newest one.
  private(set) var notes: [String] = []

  subscript(part: Part) -> [(currency: String, sum: ExactDecimal)] {
    rows.filter { $0.product == nil }.map { ($0.currency, $0.parts[part.rawValue]) }
  }

  /// - Parameter now: subscriptions are earned up to here, or to the newest line if that is later.
  /// - Throws: `amount_out_of_range`.
  init(
    _ timeline: GrantTimeline, in period: ReportPeriod, now: Timestamp
  ) throws(CreditError) {
    let end = period.end(after: now, timeline)
    let before = period.since.map {
      (GrantBook(timeline, until: $0, end: min($0, end)).grants, min($0, end))
    }
    let book = GrantBook(timeline, until: period.until, end: end)
    try self.init(of: book.grants, at: end, since: before)
    if !rows.isEmpty { notes = book.doubts }
    isExact = notes.isEmpty
    notes += [book.remarkOnExpiries].compactMap(\.self)
  }

  /// - Parameter before: the grants at the period's beginning, if it has one.
  init(
    of grants: GrantList, at end: Timestamp, since before: (grants: GrantList, start: Timestamp)?
  ) throws(CreditError) {
    hasDays = grants.contains { $0.kind == .subscription && $0.currency != nil }
    let earlier = try before.map { (before) throws(CreditError) in
      try before.grants.sales(at: before.start)
    }
    var totals: [String: [ExactDecimal]] = [:]
    for (product, sum) in try grants.sales(at: end).sorted(by: { $0.key < $1.key }) {
      let before = earlier?[product] ?? SalesSum()
      let (opening, closing) = (try before.rounded(), try sum.rounded())
      var (change, income) = (sum, closing.income)
      try change.add(before, times: -1)
      try income.subtract(opening.income)
      let parts = [
        opening.deferred, change.price, change.paidBack, income.earned, income.expired, income.kept,
        closing.deferred,
      ]
      var total = totals.removeValue(forKey: product.currency) ?? parts.map { _ in .zero }
      for (place, part) in parts.enumerated() { try total[place].add(part) }
      totals[product.currency] = total
      if parts.allSatisfy(\.isZero) { continue }
      rows.append((product.name ?? "no product", product.currency, parts))
    }
    for (currency, total) in totals.sorted(by: { $0.key < $1.key }) {
      let end = rows.lastIndex { $0.currency == currency }.map { $0 + 1 } ?? rows.count
      rows.insert((nil, currency, total), at: end)
    }
  }
}

extension GrantList {
  fileprivate func sales(at time: Timestamp) throws(CreditError) -> [SoldProduct: SalesSum] {
    var sums: [SoldProduct: SalesSum] = [:]
    for grant in self {
      guard let product = SoldProduct(grant), let sum = try SalesSum(grant, at: time) else {
        continue
      }
      try sums[product, default: SalesSum()].add(sum)
    }
    return sums
  }
}

/// A product and a currency; nil as the product of other sales.
struct SoldProduct: Hashable, Comparable {
  let currency: String
  let name: String?

  static func < (left: SoldProduct, right: SoldProduct) -> Bool {
    (left.currency, left.name ?? "") < (right.currency, right.name ?? "")
  }

  /// Nil if the top-up has no currency.
  init?(_ grant: GrantedCredits) {
    guard let currency = grant.currency else { return nil }
    (self.currency, name) = (currency, grant.product)
  }
}

/// The income of each day from sales that were paid before, for a journal.
///
/// A sale is a liability first. It becomes income when its credits are used or expire, and a
/// subscription's at the end of each month. An entry is the change of a product's rounded sum, so
/// that all of them sum to the prices less the money paid back.
struct DeferredSales: ~Copyable {
  private let period: ReportPeriod
  private(set) var book: GrantBook
  /// Each top-up's money as it is in its product's sum.
  private var states: [Int: SalesSum] = [:]
  private var sums: [SoldProduct: (sum: SalesSum, booked: SalesIncome)] = [:]
  /// The subscriptions whose time is not over yet.
  private var running: Set<Int> = []
  private var day: CalendarDay?
  private(set) var entries: [Entry] = []

  typealias Entry = (day: CalendarDay, product: String?, currency: String, income: SalesIncome)

  /// - Parameter now: subscriptions are earned up to here, or to the newest line if that is later.
  /// - Throws: `amount_out_of_range`.
  init(_ timeline: GrantTimeline, in period: ReportPeriod, now: Timestamp) throws(CreditError) {
    self.period = period
    book = GrantBook(timeline)
    book.grants.isWatched = true
    try timeline.forEachInstant(until: period.until) { (events, isCertain) throws(CreditError) in
      if let event = events.first { try advance(to: event.time) }
      book.addInstant(events, isCertain: isCertain)
    }
    let end = period.end(after: now, timeline)
    for expiry in book.expiries(before: period.until, end) {
      try advance(to: expiry.time)
      book.expire(expiry)
    }
    let last = Timestamp(milliseconds: end.milliseconds - 1)
    if let day, day < period.day(of: last) { try advance(to: last) }
    if let day { try close(day, at: end, isMonthEnd: true) }
  }

  private mutating func advance(to time: Timestamp) throws(CreditError) {
    let next = period.day(of: time)
    var current = day ?? next
    while current < next {
      let following = CalendarDay(number: current.number + 1)
      let isMonthEnd = following == following.monthStart
      try close(current, at: period.start(of: following), isMonthEnd: isMonthEnd)
      let monthEnd = CalendarDay(number: following.nextMonth.number - 1)
      current = running.isEmpty ? next : min(next, monthEnd)
    }
    day = next
  }

  /// Adds the entries of a day.
  /// - Parameters:
  ///   - time: the day's end.
  ///   - isMonthEnd: true to book the income of subscriptions.
  private mutating func close(
    _ day: CalendarDay, at time: Timestamp, isMonthEnd: Bool
  ) throws(CreditError) {
    var places = book.grants.takeChanged()
    running.formUnion(places.filter { book.grants[$0].timeInForce != nil })
    if isMonthEnd {
      places.formUnion(running)
      running = running.filter { book.grants[$0].timeInForce.map { $0.end > time } ?? false }
    } else {
      places = places.filter { book.grants[$0].timeInForce == nil }
    }
    var changed: Set<SoldProduct> = []
    for place in places.sorted() {
      if let product = try update(place, at: time) { changed.insert(product) }
    }
    let isShown = period.contains(Timestamp(milliseconds: time.milliseconds - 1))
    for product in changed.sorted() {
      guard let (sum, booked) = sums[product] else { continue }
      var change = try sum.rounded().income
      sums[product]?.booked = change
      try change.subtract(booked)
      if isShown, !change.isZero {
        entries.append((day, product.name, product.currency, change))
      }
    }
  }

  /// Takes over the state of a top-up.
  /// - Returns: its product; nil if it has no price.
  private mutating func update(_ place: Int, at time: Timestamp) throws(CreditError)
    -> SoldProduct?
  {
    let grant = book.grants[place]
    guard let product = SoldProduct(grant), let state = try SalesSum(grant, at: time) else {
      return nil
    }
    let before = states.updateValue(state, forKey: place) ?? SalesSum()
    try sums[product, default: (SalesSum(), SalesIncome())].sum.add(state)
    try sums[product]?.sum.add(before, times: -1)
    return product
  }
}
