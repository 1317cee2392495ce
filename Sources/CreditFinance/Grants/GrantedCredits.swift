internal import CreditModel

/// The top-ups of a history, and which of them have changed.
struct GrantList: RandomAccessCollection {
  private var all: [GrantedCredits] = []
  private var changed: Set<Int> = []
  var isWatched = false

  var startIndex: Int { 0 }
  var endIndex: Int { all.count }

  subscript(place: Int) -> GrantedCredits {
    get { all[place] }
    _modify {
      if isWatched { changed.insert(place) }
      yield &all[place]
    }
  }

  mutating func append(_ grant: GrantedCredits) {
    if isWatched { changed.insert(all.count) }
    all.append(grant)
  }

  /// Returns the places that have changed since the last call.
  mutating func takeChanged() -> Set<Int> {
    defer { changed.removeAll(keepingCapacity: true) }
    return changed
  }
}

/// A top-up, or an account's starter credits, with the use of its credits: the granted ones are
/// used, expired, refunded or left.
struct GrantedCredits {
  let id: String
  let account: Int
  let kind: HistoryLine.Kind
  /// Time of its record; for a pending purchase, of its completion.
  let time: Timestamp
  let terms: LotTerms
  let product: String?
  /// The time that a subscription's payment is for.
  var paidTime: (start: Timestamp, end: Timestamp)?
  /// The last extension of that time, and the part of the price that was not earned then.
  private var spread: (from: Timestamp, rest: Int128, whole: Int128)?
  /// Order of use: older ones have less.
  let order: Int
  private let payment: Payment?
  var granted: Int128
  var used: Int128 = 0
  var expired: Int128 = 0
  /// Credits that refunds took, and those that negative adjustments took.
  var (returned, adjusted): (Int128, Int128) = (0, 0)
  private(set) var refundedPrice: ExactDecimal?
  /// True if a refund of it, or of a part of it, is in effect.
  private(set) var isRefunded = false
  /// When its provider, or a payment for another plan, ended its time early; nil if none did.
  private(set) var endedAt: Timestamp?
  /// When no payment was in force any more that its rest was carried over to; nil while one is.
  private var lapsedAt: Timestamp?
  /// The end and the product of the last payment in force, to which its rest is carried over.
  private var carrier: (end: Timestamp, product: String?)?
  /// True if it has not started: its credits are not in the balance.
  var isScheduled: Bool
  var isIncomplete = false
  /// Credits that its refunds have taken from others, in place of missing ones.
  var substitutes: Int?

  init(_ event: GrantEvent, _ note: GrantNote, isScheduled: Bool, order: Int) {
    (account, kind, time) = (event.account, event.kind, event.time)
    (id, terms, payment, product) = (note.id, note.terms, note.payment, note.product)
    if kind == .subscription, let until = note.paidUntil { paidTime = (time, max(time, until)) }
    granted = Int128(event.credits)
    self.isScheduled = isScheduled
    self.order = order
  }

  var refunded: Int128 { returned + adjusted }
  var left: Int128 { granted - used - expired - refunded }

  /// A way in which its credits go: used, expired or adjusted.
  typealias Count = WritableKeyPath<GrantedCredits, Int128>

  /// Returns the bucket that its credits go to, under its number.
  func key(_ number: Int) -> LotBucket.Key {
    if terms.priority != nil { return .grant(number) }
    if kind == .bonus, let expiresAt = terms.expiresAt { return .dated(.bonus, expiresAt) }
    return .plain(bucketKind)
  }

  var bucketKind: Bucket.Kind {
    switch kind {
    case .bonus: .bonus
    case .starter: .starter
    default: .purchased
    }
  }

  // MARK: Refunds

  /// Counts up to `limit` credits as refunded that others are taken for: used ones first, then
  /// expired ones, then adjusted ones.
  /// - Returns: how many, and the count that they leave.
  mutating func refund(lostUpTo limit: Int128) -> (count: Count, credits: Int128) {
    for count in [\GrantedCredits.used, \.expired, \.adjusted] where self[keyPath: count] > 0 {
      let part = min(limit, self[keyPath: count])
      self[keyPath: count] -= part
      returned += part
      return (count, part)
    }
    isIncomplete = true
    return (\.used, limit)
  }

  /// Counts refunded credits as granted again, and the rest of them as expired if its time is over.
  /// - Returns: the number of those granted.
  mutating func grantAgain(_ credits: Int128, lasts: Bool) -> Int128 {
    let back = min(credits, returned)
    returned -= back
    if !lasts { (expired, returned) = (expired + returned, 0) }
    return back
  }

  // MARK: Money

  /// Notes money paid back; below 0 if a refund was reversed.
  mutating func payBack(_ amount: ExactDecimal?, isReversal: Bool) {
    isRefunded = !isReversal
    if isReversal, endedAt == nil { resume() }
    guard let amount else { return }
    let sum = (refundedPrice ?? .zero).adding(amount)
    if sum == nil { isIncomplete = true }
    refundedPrice = sum.flatMap { $0.isZero ? nil : $0 }
  }

  /// Spreads the rest of a subscription's price over a longer time, from an extension on.
  ///
  /// The rest is an exact part of the price, or one rounded to 11 places after several extensions.
  mutating func extend(to end: Timestamp, at time: Timestamp) {
    guard let paid = paidTime else { return }
    var (rest, whole) = self.rest(of: paid, at: time)
    let limit: Int128 = 100_000_000_000
    if whole > limit { (rest, whole) = ((rest * limit + whole / 2) / whole, limit) }
    spread = (max(time, spread?.from ?? paid.start), rest, whole)
    paidTime = (paid.start, end)
    if isRefunded { return }
    endedAt = nil
    resume()
  }

  /// Returns the part of a subscription's time that is left, or that of its price.
  private func rest(of paid: (start: Timestamp, end: Timestamp), at time: Timestamp)
    -> (rest: Int128, whole: Int128)
  {
    let (start, rest, whole) = spread ?? (paid.start, 1, 1)
    let length = Int128(max(1, paid.end.milliseconds - start.milliseconds))
    let left = min(length, max(0, Int128(paid.end.milliseconds) - Int128(time.milliseconds)))
    return (rest * left, whole * length)
  }

  func isOver(at time: Timestamp) -> Bool { paidTime.map { $0.end <= time } ?? true }

  mutating func end(at time: Timestamp) { endedAt = endedAt ?? time }

  /// Notes that the rest of a payment that ended early, or was refunded, is owed no longer than
  /// another is in force. A late renewal of that one carries it further.
  mutating func lapse(with last: (end: Timestamp, product: String?), at time: Timestamp) {
    let end = carrier.map { min($0.end, time) } ?? time
    if last.end > time, end == time || carrier?.product == last.product {
      carrier = last
    } else {
      lapsedAt = lapsedAt ?? end
    }
  }

  /// Notes that the rest is owed again: the plan was given back.
  mutating func resume() { (lapsedAt, carrier) = (nil, nil) }

  /// The time that was paid for, unless a refund or an end without another payment has ended it.
  var timeInForce: (start: Timestamp, end: Timestamp)? { lapsedAt == nil ? paidTime : nil }

  /// The same, unless a refund has ended it, or another payment has replaced it.
  var planTime: (start: Timestamp, end: Timestamp)? {
    endedAt == nil && !isRefunded ? timeInForce : nil
  }

  /// Returns the earned part of its price, by the use of credits or by time. Nil without a price.
  /// - Throws: `amount_out_of_range` for a price that is too long.
  func revenue(at time: Timestamp) throws(CreditError) -> FractionSum? {
    try kind == .subscription ? share(until: time, .over) : value(of: used)
  }

  func deferred(at time: Timestamp) throws(CreditError) -> FractionSum? {
    try kind == .subscription ? share(until: time, .rest) : value(of: left)
  }

  /// The price of its credits that have expired, or of a subscription's time after its early end.
  func breakage(at time: Timestamp) throws(CreditError) -> FractionSum? {
    try kind == .subscription ? share(until: time, .lapsed) : value(of: expired)
  }

  /// The price of its refunded credits beyond the money paid back for them; below 0 if more was
  /// paid back. All that a refund of a subscription leaves is revenue.
  func kept() throws(CreditError) -> FractionSum? {
    guard kind != .subscription else { return price.map { _ in FractionSum() } }
    guard var kept = try value(of: refunded) else { return nil }
    if let refundedPrice { try kept.add(refundedPrice.negated, times: 1, over: 1) }
    return kept
  }

  /// Parts of a subscription's paid time; the lapsed one is the rest after its early end.
  private enum TimePart { case over, rest, lapsed }

  /// Returns the part of a subscription's price, less the money paid back, for a part of its time.
  private func share(until time: Timestamp, _ part: TimePart) throws(CreditError) -> FractionSum? {
    guard var kept = price else { return nil }
    if let refundedPrice { try kept.add(refundedPrice.negated) }
    let lapsed = lapsedAt ?? carrier.flatMap { $0.end < time ? $0.end : nil }
    // Once its rest is not owed after a refund, all that was kept is earned.
    let isKept = isRefunded && lapsed != nil
    let lapsedAt = isKept ? nil : lapsed
    let paid = (isKept ? nil : paidTime) ?? (time, time)
    let (rest, length) = self.rest(of: paid, at: lapsedAt.map { min($0, time) } ?? time)
    let isLapsed = lapsedAt != nil
    let share = part == .over ? length - rest : isLapsed == (part == .lapsed) ? rest : 0
    var sum = FractionSum()
    try sum.add(kept, times: share, over: length)
    return sum
  }

  var currency: String? { payment?.currency }

  /// The digits after the point that amounts of the currency are written with.
  var minorDigits: Int { currency.map(Currency.minorDigits) ?? 0 }

  /// The payment; 0 for a gift, nil if it is unknown.
  var price: ExactDecimal? {
    switch kind {
    case .purchase, .subscription: payment?.amount
    case .bonus, .adjustment, .starter: ExactDecimal.zero
    default: nil
    }
  }

  /// Returns the exact price of `credits` of its credits. Nil if it has no price.
  /// - Throws: `amount_out_of_range` for a price that is too long.
  func value(of credits: Int128) throws(CreditError) -> FractionSum? {
    guard let price, granted > 0 else { return nil }
    var value = FractionSum()
    try value.add(price, times: credits, over: granted)
    return value
  }
}

/// An account's payments for plans, by their places in the list of grants.
struct PlanPayments {
  /// The one that began last.
  var newest: Int?
  /// In the order of their ends; some are in force no more, or twice here.
  private var inForce: [Int] = []
  /// Those refunded or ended early whose rest is carried over to the last one in force.
  var carried: [Int] = []
  /// Those whose rest is not.
  var lapsed: [Int] = []

  /// Adds a payment in force. Of two with one end the older one is the last.
  mutating func insert(_ payment: Int, of grants: GrantList) {
    let end = grants[payment].paidTime?.end ?? .earliest
    let before = inForce.lastIndex { grants[$0].paidTime?.end ?? .earliest < end }
    inForce.insert(payment, at: before.map { $0 + 1 } ?? 0)
  }

  /// Adds a payment that was refunded or ended early, unless it is over.
  mutating func carry(_ payment: Int, of grants: GrantList) {
    guard let newest, payment == newest || !grants[payment].isOver(at: grants[newest].time),
      !carried.contains(payment)
    else { return }
    carried.append(payment)
  }

  /// Returns the payment in force that ends last.
  mutating func last(of grants: GrantList) -> (end: Timestamp, product: String?) {
    while let last = inForce.last {
      if let time = grants[last].planTime { return (time.end, grants[last].product) }
      inForce.removeLast()
    }
    return (.earliest, nil)
  }
}
