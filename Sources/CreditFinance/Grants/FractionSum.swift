internal import CreditBytes
internal import CreditModel

/// An exact sum of shares of amounts of money, each a numerator over a denominator. It is only
/// rounded for display.
struct FractionSum {
  /// By denominator, above 0. A shop has few packs, so there are few.
  private var numerators: [Int128: Int128] = [:]

  /// Number of a fraction's places that are computed before rounding.
  private static let workedPlaces = 30
  /// Numbers below ten times this fit in 128 bits.
  private static let denominatorLimit: Int128 = .max / 10

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
      denominator.partialValue < Self.denominatorLimit
    else { throw Self.tooLong }
    try add(numerator, over: denominator.partialValue)
  }

  mutating func add(_ other: FractionSum) throws(CreditError) {
    for (denominator, numerator) in other.numerators { try add(numerator, over: denominator) }
  }

  mutating func subtract(_ other: FractionSum) throws(CreditError) {
    for (denominator, numerator) in other.numerators {
      try add(0 &- numerator, over: denominator)
    }
  }

  private mutating func add(_ numerator: Int128, over denominator: Int128) throws(CreditError) {
    let (sum, overflow) = (numerators[denominator] ?? 0).addingReportingOverflow(numerator)
    if overflow { throw Self.tooLong }
    numerators[denominator] = sum
  }

  /// Returns the sum rounded to `places`, below 30, half to even.
  ///
  /// If there are several denominators, it is worked out to 30 places; a sum no further than that
  /// from a half counts as the half.
  /// - Throws: `amount_out_of_range`.
  func rounded(places: Int) throws(CreditError) -> ExactDecimal {
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
    let kept = Self.rounded(fraction, cutCount, places: places, after: shown)
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
    _ fraction: Int128, _ cutCount: Int128, places: Int, after whole: Int128
  ) -> Int128 {
    var unit: Int128 = 1
    for _ in places..<workedPlaces { unit *= 10 }
    let (quotient, rest) = fraction.quotientAndRemainder(dividingBy: unit)
    let half = unit / 2
    // The cut part is less than one of the last place for each.
    let isAbove = rest > half || rest == half && cutCount > 0
    let isHalf = !isAbove && (rest == half || rest + max(0, cutCount - 1) >= half)
    let isOdd = (whole ^ quotient) & 1 != 0
    return quotient + (isAbove || isHalf && isOdd ? 1 : 0)
  }

  private static var tooLong: CreditError {
    CreditError(.amountOutOfRange, "a price has too many digits to be shared among its credits")
  }
}

/// Money that was paid and is earned, or still owed as work, in a period.
struct GrantRevenue {
  /// Payments for the credits used, and for the days of subscriptions that are over.
  let earned: MoneySums
  /// Payments for expired credits, and the rest of subscriptions that ended early.
  let breakage: MoneySums
  /// Prices of refunded credits beyond the money paid back for them.
  let kept: MoneySums
  /// Payments for the rest, at the end of the period.
  let deferred: MoneySums
  /// Whether lines are missing that may change it.
  let isIncomplete: Bool
  /// Whether sums were rounded: those of amounts that are rounded before may differ by cents.
  let isRounded: Bool

  /// - Parameter now: subscriptions are earned up to here, or to the newest line if that is later.
  /// - Throws: `amount_out_of_range`.
  init(
    _ timeline: GrantTimeline, in period: ReportPeriod, now: Timestamp
  ) throws(CreditError) {
    let end = period.end(after: now, timeline)
    let before = period.since.map { (GrantBook(timeline, until: $0).grants, min($0, end)) }
    try self.init(of: GrantBook(timeline, until: period.until).grants, at: end, since: before)
  }

  /// - Parameter before: the grants at the period's beginning, if it has one.
  private init(
    of grants: GrantList, at end: Timestamp, since before: (GrantList, Timestamp)?
  ) throws(CreditError) {
    var isRounded = false
    func rounded(_ sums: [String: FractionSum]) throws(CreditError) -> MoneySums {
      var money = MoneySums()
      for (currency, sum) in sums {
        let amount = try sum.rounded(places: Currency.minorDigits(of: currency))
        if try sum.worked() != amount { isRounded = true }
        try money.add(amount, currency)
      }
      return money
    }
    func income(
      _ part: (GrantedCredits, Timestamp) throws(CreditError) -> FractionSum?
    ) throws(CreditError) -> MoneySums {
      var sums = try grants.sums { (grant) throws(CreditError) in try part(grant, end) }
      if let (grants, start) = before {
        let earlier = try grants.sums { (grant) throws(CreditError) in try part(grant, start) }
        for (currency, sum) in earlier {
          try sums[currency, default: FractionSum()].subtract(sum)
        }
      }
      return try rounded(sums)
    }
    earned = try income { (grant, time) throws(CreditError) in try grant.revenue(at: time) }
    breakage = try income { (grant, _) throws(CreditError) in try grant.breakage }
    kept = try income { (grant, _) throws(CreditError) in try grant.kept }
    deferred = try rounded(
      grants.sums { (grant) throws(CreditError) in try grant.deferred(at: end) })
    isIncomplete = grants.contains { $0.isIncomplete && $0.currency != nil }
    self.isRounded = isRounded
  }
}

extension GrantList {
  /// Returns sums of a part of each grant's money, by currency.
  fileprivate func sums(
    _ part: (GrantedCredits) throws(CreditError) -> FractionSum?
  ) throws(CreditError) -> [String: FractionSum] {
    var sums: [String: FractionSum] = [:]
    for grant in self {
      guard let currency = grant.currency, let value = try part(grant) else { continue }
      try sums[currency, default: FractionSum()].add(value)
    }
    return sums
  }
}

/// The income of each day from sales that were paid before, for a journal.
///
/// A sale is a liability first. It becomes income when its credits are used or expire, and a
/// subscription's at the end of each month. Each top-up's entries sum to its price less the money
/// paid back, as amounts are rounded from the exact state of each day: to the currency's digits, or
/// to those of a price that has more.
struct DeferredSales: ~Copyable {
  private let period: ReportPeriod
  private var book: GrantBook
  private var states: [Int: Income] = [:]
  /// The subscriptions whose time is not over yet.
  private var running: Set<Int> = []
  private var day: CalendarDay?
  private(set) var entries: [Entry] = []
  /// The accounts with sales whose use is not known.
  private(set) var incomplete: [String] = []

  /// Income of a top-up so far, or of a product's sales on a day.
  struct Income {
    var earned = ExactDecimal.zero
    var expired = ExactDecimal.zero
    /// Price of refunded credits beyond the money paid back for them.
    var kept = ExactDecimal.zero

    var isZero: Bool { earned.isZero && expired.isZero && kept.isZero }

    mutating func add(_ later: Income, since earlier: Income) throws(CreditError) {
      for part in [\Income.earned, \.expired, \.kept] {
        try self[keyPath: part].add(later[keyPath: part])
      }
      try subtract(earlier)
    }

    mutating func subtract(_ earlier: Income) throws(CreditError) {
      for part in [\Income.earned, \.expired, \.kept] {
        try self[keyPath: part].add(earlier[keyPath: part].negated)
      }
    }
  }

  typealias Entry = (day: CalendarDay, product: String?, currency: String, income: Income)

  /// - Parameter now: subscriptions are earned up to here, or to the newest line if that is later.
  /// - Throws: `amount_out_of_range`.
  init(_ timeline: GrantTimeline, in period: ReportPeriod, now: Timestamp) throws(CreditError) {
    self.period = period
    book = GrantBook(timeline)
    book.grants.isWatched = true
    try timeline.forEachInstant(until: period.until) { (events) throws(CreditError) in
      if let event = events.first { try advance(to: event.time) }
      book.addInstant(events)
    }
    let end = period.end(after: now, timeline)
    let last = Timestamp(milliseconds: end.milliseconds - 1)
    if let day, day < period.day(of: last) { try advance(to: last) }
    if let day { try close(day, at: end, isMonthEnd: true) }
    incomplete = book.incompleteAccounts
  }

  /// Closes the days before a time.
  private mutating func advance(to time: Timestamp) throws(CreditError) {
    let next = period.day(of: time)
    var current = day ?? next
    while current < next {
      let following = CalendarDay(number: current.number + 1)
      let isMonthEnd = following == following.monthStart
      try close(current, at: period.start(of: following), isMonthEnd: isMonthEnd)
      let nextMonth = CalendarDay(number: following.monthStart.number + 31).monthStart
      current = running.isEmpty ? next : min(next, CalendarDay(number: nextMonth.number - 1))
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
    var sums: [String: Entry] = [:]
    for place in places.sorted() { try add(place, at: time, on: day, to: &sums) }
    guard period.contains(Timestamp(milliseconds: time.milliseconds - 1)) else { return }
    entries += sums.sorted { $0.key < $1.key }.map(\.value).filter { !$0.income.isZero }
  }

  /// Adds the change of a top-up since its last entry.
  private mutating func add(
    _ place: Int, at time: Timestamp, on day: CalendarDay, to sums: inout [String: Entry]
  ) throws(CreditError) {
    let grant = book.grants[place]
    guard let currency = grant.currency, let state = try grant.parts(at: time)?.income else {
      return
    }
    let before = states.updateValue(state, forKey: place) ?? Income()
    let key = "\(currency) \(grant.product ?? "")"
    try sums[key, default: (day, grant.product, currency, Income())]
      .income.add(state, since: before)
  }
}

extension GrantedCredits {
  /// Returns all income of it so far, and the liability that is left, in the digits of its currency
  /// or of its price. With the money paid back they sum to the price. Nil without a price.
  func parts(
    at time: Timestamp
  ) throws(CreditError) -> (income: DeferredSales.Income, deferred: ExactDecimal)? {
    guard let price else { return nil }
    var shown = ShownPlaces(minorDigits)
    for amount in [price, refundedPrice ?? .zero] { shown.include(allOf: amount) }
    let places = min(12, shown.count)
    guard let deferred = try deferred(at: time)?.rounded(places: places),
      let expired = try breakage?.rounded(places: places)
    else { return nil }
    let kept = try kept?.rounded(places: places) ?? .zero
    var income = DeferredSales.Income(earned: price, expired: expired, kept: kept)
    for part in [deferred, expired, kept, refundedPrice ?? .zero] {
      try income.earned.add(part.negated)
    }
    return (income, deferred)
  }
}
