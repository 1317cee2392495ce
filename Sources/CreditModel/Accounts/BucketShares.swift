/// Credits taken from buckets, in the order taken. Mostly that is one bucket, which needs no
/// memory.
public struct BucketShares: RandomAccessCollection, Equatable, Sendable {
  private var only: Bucket?
  /// All of them, if there are several; else nil.
  private var several: [Bucket]?

  public init() {}

  public init(_ share: Bucket) { only = share }

  public init(_ shares: some Sequence<Bucket>) {
    for share in shares { append(share) }
  }

  public var startIndex: Int { 0 }

  public var endIndex: Int { several?.count ?? (only == nil ? 0 : 1) }

  public subscript(place: Int) -> Bucket {
    if let several { return several[place] }
    guard place == 0, let only else { preconditionFailure("no share at place \(place)") }
    return only
  }

  /// Returns true if it is one share of `credits` plain credits of a kind.
  public func isPlain(_ credits: Credits, _ kind: Bucket.Kind) -> Bool {
    guard let only else { return false }
    return only.credits == credits && only.kind == kind && only.expiresAt == nil
      && only.grant == nil
  }

  public mutating func append(_ share: Bucket) {
    if several != nil {
      several?.append(share)
    } else if let first = only {
      several = [first, share]
      only = nil
    } else {
      only = share
    }
  }

  mutating func popLast() -> Bucket? {
    guard var list = several else {
      defer { only = nil }
      return only
    }
    several = nil
    let last = list.popLast()
    if list.count == 1 { only = list[0] } else { several = list }
    return last
  }

  /// Adds credits at the end; to the last bucket if they belong there.
  mutating func add(_ bucket: Bucket) {
    if bucket.credits == 0 { return }
    guard var last, last.isSame(as: bucket) else { return append(bucket) }
    _ = popLast()
    last.credits += bucket.credits
    append(last)
  }

  /// The sum of parts of one charge or refund.
  var total: Credits { reduce(0) { $0 + $1.credits } }

  /// Whether credits of a grant are among them.
  var haveGrants: Bool {
    several == nil ? only?.grant != nil : contains { $0.grant != nil }
  }
}

extension BucketShares: ExpressibleByArrayLiteral {
  public init(arrayLiteral shares: Bucket...) { self.init(shares) }
}

/// State of a grant's top-up when credits go back to it.
public struct GrantPurchase: Sendable {
  /// Credits granted, less those refunded.
  public var rest: Credits
  /// True if its rest was taken back, so that no credits return to it.
  public var isVoided: Bool
  /// Its credits that have expired, as a record says.
  public var expired: Credits = 0

  public typealias LookUp = (Name) throws(CreditError) -> GrantPurchase?
}

extension Account {
  /// Gives a charge's credits back to their buckets, the last taken first.
  ///
  /// So a debt that the charge made is settled first.
  /// - Parameter own: the plain credits that settle it, the first of all; the rest of them in the
  ///   end.
  /// - Returns: the credits given back, in that order; the rest came from buckets that have expired
  ///   or were voided since.
  /// - Throws: `amount_out_of_range`, or `limit_exceeded` for one bucket with terms too many.
  mutating func restore(
    _ taken: BucketShares, own: inout Credits, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) -> BucketShares {
    var restored = BucketShares()
    for bucket in taken.reversed() {
      if bucket.kind == .quota {
        restored.add(bucket.with(try restoreToQuota(bucket)))
      } else if bucket.expiresAt.map({ $0 > updatedAt }) ?? true {
        for share in try shares(of: bucket, purchase) {
          try deposit(share.credits, to: share, own: own)
          if share.isSame(as: .plainPurchased) { own -= min(own, share.credits) }
          restored.add(share)
        }
      }
    }
    return restored
  }

  /// Returns the buckets that a share goes back to. A grant takes back at most the credits used of
  /// it: its refund took the missing ones from other buckets, to which the rest goes.
  private func shares(of bucket: Bucket, _ purchase: GrantPurchase.LookUp) throws(CreditError)
    -> BucketShares
  {
    guard let grant = bucket.grant else { return [bucket] }
    guard let purchase = try purchase(grant.id), !purchase.isVoided else { return [] }
    let used = purchase.rest - (buckets.bucket(of: grant.id)?.credits ?? 0)
    let own = min(bucket.credits, max(0, used))
    var shares = BucketShares()
    shares.add(bucket.with(own))
    shares.add(Bucket.plainPurchased.with(bucket.credits - own))
    return shares
  }

  /// Gives credits back to the current quota, at most those used of it.
  ///
  /// The quota may have another plan or reset time by now. Credits from a period that has ended do
  /// not go back.
  private mutating func restoreToQuota(_ bucket: Bucket) throws(CreditError) -> Credits {
    guard let old = quota, isInCurrentPeriod(bucket, of: old) else { return 0 }
    var quota = old
    quota.used -= min(old.used, bucket.credits)
    let restored = quota.remaining - old.remaining
    _ = try balance.adding(restored)
    self.quota = quota
    settleDebtFromQuota()
    return restored
  }

  /// A paid period ends when it is renewed, even if early. It continues in its days of grace, and
  /// under another plan that takes over its use.
  private func isInCurrentPeriod(_ bucket: Bucket, of quota: Quota) -> Bool {
    guard let expiry = bucket.expiresAt else { return false }
    if expiry == quota.resetsAt { return true }
    if quota.period != .subscription { return expiry > updatedAt }
    return expiry == subscriptions.active?.until
      || subscriptions.shared.contains(expiry)
  }
}
