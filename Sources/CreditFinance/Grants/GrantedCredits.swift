internal import CreditBytes
internal import CreditModel

/// A top-up, or an account's starter credits, with the use of its credits: the granted ones are
/// used, expired, refunded or left.
struct GrantedCredits {
  let id: String
  /// The number of its account.
  let account: Int
  let kind: HistoryLine.Kind
  /// Time of its record; for a pending purchase, of its completion.
  let time: Timestamp
  let terms: LotTerms
  /// Order of use: older ones have less.
  let order: Int
  private let payment: Payment?
  var granted: Int128
  var used: Int128 = 0
  var expired: Int128 = 0
  private(set) var refunded: Int128 = 0
  /// True if it has not started: its credits are not in the balance.
  var isScheduled: Bool
  /// Whether lines are missing that may be about it.
  var isIncomplete = false
  /// Credits that its refunds have taken from others, in place of missing ones.
  var substitutes: Int?

  init(_ event: GrantEvent, _ note: GrantNote, isScheduled: Bool, order: Int) {
    id = note.id
    account = event.account
    kind = event.kind
    time = event.time
    terms = note.terms
    payment = note.payment
    granted = Int128(event.credits)
    self.isScheduled = isScheduled
    self.order = order
  }

  var left: Int128 { granted - used - expired - refunded }

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

  /// Counts credits as refunded that were left of it.
  mutating func refund(left credits: Int128) { refunded += credits }

  /// Counts `credits` as refunded, which others were taken for.
  ///
  /// First they count as if they had not been used, then as if they had not expired.
  mutating func refund(insteadOfUse credits: Int128) {
    let unused = min(used, credits)
    used -= unused
    let unexpired = min(expired, credits - unused)
    expired -= unexpired
    refunded += unused + unexpired
    if unused + unexpired < credits { isIncomplete = true }
  }

  /// Counts a grant as refunded that has not started.
  mutating func refund(unstarted credits: Int128) {
    refunded += min(credits, left)
    isScheduled = false
  }

  /// Counts refunded credits as granted again.
  /// - Returns: their number.
  mutating func grantAgain(_ credits: Int128) -> Int128 {
    let back = min(credits, refunded)
    refunded -= back
    return back
  }

  // MARK: Money

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
