/// Whose credits: the whole state of one account, from which every rule works.
///
/// Invariants: `buckets` are in burn order, merged by kind and expiry, none of them empty and none
/// of kind quota (what remains of the quota is in `quota`); a debt never stands beside credits;
/// `holds` are in order of expiry.
package struct Account: Hashable, Sendable {
  package internal(set) var name: Name
  package var registeredAt: Timestamp
  /// The time of the last record; the account's clock never runs behind it.
  package var updatedAt: Timestamp
  /// How many records the account has: the number of the newest one.
  package var recordCount: Int64 = 0
  /// How many lines the account's history has.
  package var transactionCount: Int64 = 0
  /// Whether the account is authorized whatever its balance and charged nothing.
  package var isExempt = false
  package var buckets: [Bucket] = []
  package var quota: Quota? {
    get { rest.quota }
    set { rest.quota = newValue }
  }
  /// Whether nothing new may begin for it: see ``requireOpen()``.
  package var isClosed: Bool {
    get { rest.isClosed }
    set { rest.isClosed = newValue }
  }
  private var boxedRest = BoxedRest.none
  package var holds: [HoldSum] = []
  /// The times of the completed top-ups that count against the policy's limit.
  package var recentTopUps: [Timestamp] = []

  /// What few accounts have, out of the way: an account is copied several times in each request,
  /// and is half as large without it.
  private struct Rest: Hashable {
    var quota: Quota?
    var isClosed = false
  }

  private indirect enum BoxedRest: Hashable {
    case none
    case some(Rest)
  }

  /// Whether it has nothing of what few accounts have.
  @inline(__always)
  var hasNothingRare: Bool { if case .none = boxedRest { true } else { false } }

  private var rest: Rest {
    get { if case .some(let rest) = boxedRest { rest } else { Rest() } }
    set { boxedRest = newValue == Rest() ? .none : .some(newValue) }
  }

  /// The most dated buckets, and the most different hold expiries, that an account may have: a
  /// record's size has a bound.
  package static let entryLimit = 1000

  /// The account has as many different expiries of a kind as there may be.
  func tooManyExpiries(_ what: String) -> CreditError {
    CreditError(
      .limitExceeded,
      "account \(quoted(name.text)) has \(what) with too many different expiries already",
      [.account(name)])
  }

  package init(name: Name, registeredAt: Timestamp) {
    self.name = name
    self.registeredAt = registeredAt
    updatedAt = registeredAt
  }

  /// What the account has, holds included; the rules keep it within 64 bits.
  package var balance: Credits {
    var sum = quota?.remaining ?? 0
    for bucket in buckets { sum &+= bucket.credits }
    return sum
  }

  /// What a new hold, or a charge without overdraft, may take.
  package var available: Credits {
    let (difference, overflow) = balance.subtractingReportingOverflow(held)
    return overflow ? .min : difference
  }

  /// What the account owes: a negative purchased bucket.
  var debt: Credits {
    guard let last = buckets.last, last.kind == .purchased else { return 0 }
    return max(0, -last.credits)
  }

  /// All buckets in burn order, the quota's remainder among them.
  package var bucketsInBurnOrder: [Bucket] {
    guard let quota, quota.remaining > 0 else { return buckets }
    let bucket = Bucket(kind: .quota, credits: quota.remaining, expiresAt: quota.resetsAt)
    var all = buckets
    all.insert(bucket, at: all.firstIndex { bucket.burnsBefore($0) } ?? all.count)
    return all
  }
}
