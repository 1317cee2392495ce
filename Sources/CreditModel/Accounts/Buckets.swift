/// An account's buckets in the order of use, except for its quota's. None is empty or double.
///
/// Plain credits are three numbers, so that a copy needs no memory. The few others, with an expiry
/// or of grants, are in one list.
public struct Buckets: Sequence, Equatable, Sendable {
  public private(set) var undated = UndatedCredits()
  /// The buckets with terms, in the order of use; nil if no bucket has terms.
  public private(set) var listed: ListedBuckets?

  public init() {}

  /// - Parameter buckets: in any order; equal ones are merged.
  public init(_ buckets: some Sequence<Bucket>) {
    for bucket in buckets { add(bucket.credits, to: bucket) }
  }

  /// Buckets as a record contains them.
  /// - Parameter listed: in the order of use; nil if no bucket has terms.
  public init(_ undated: UndatedCredits, listed: ListedBuckets?) {
    self.undated = undated
    self.listed = listed
  }

  /// Merges the list with the plain ones.
  public struct Iterator: IteratorProtocol {
    fileprivate var undated: UndatedCredits
    fileprivate let listed: ListedBuckets?
    fileprivate var place = 0

    public mutating func next() -> Bucket? {
      let plain = undated.first
      if let listed, place < listed.count {
        let bucket = listed[place]
        if plain.map(bucket.burnsBefore) ?? true {
          place += 1
          return bucket
        }
      }
      if let plain { undated[plain.kind] = 0 }
      return plain
    }
  }

  public func makeIterator() -> Iterator { Iterator(undated: undated, listed: listed) }

  /// The bucket that is used first; nil if there are no buckets.
  public var first: Bucket? {
    if listed == nil { return undated.first }
    var all = makeIterator()
    return all.next()
  }

  var grantCount: Int { listed?.terms.grantCount ?? 0 }

  public var balance: Credits {
    guard let listed else { return undated.balance }
    return undated.balance &+ listed.balance
  }

  var nextExpiry: Timestamp? { listed?.terms.nextExpiry }

  func bucket(of grant: Name) -> Bucket? { listed?.first { $0.grant?.id == grant } }

  /// Adds credits to the bucket that is the same as one; takes them if negative.
  mutating func add(_ credits: Credits, to bucket: Bucket) {
    if bucket.expiresAt == nil, bucket.grant == nil {
      undated[bucket.kind] += credits
      return
    }
    guard var list = listed else {
      listed = credits == 0 ? nil : ListedBuckets([bucket.with(credits)])
      return
    }
    listed = nil
    if list.add(credits, to: bucket) { listed = list }
  }

  mutating func removeFirst(expiringAt time: Timestamp) -> Bucket? {
    guard var list = listed, let place = list.firstIndex(where: { $0.expiresAt == time }) else {
      return nil
    }
    listed = nil
    let bucket = list[place]
    if list.remove(at: place) { listed = list }
    return bucket
  }
}

extension Buckets: ExpressibleByArrayLiteral {
  public init(arrayLiteral buckets: Bucket...) { self.init(buckets) }
}

/// How credits enter and leave an account's buckets.
extension Account {
  /// Adds plain credits of a kind, which settle a debt first.
  /// - Throws: `amount_out_of_range`.
  mutating func deposit(_ credits: Credits, kind: Bucket.Kind) throws(CreditError) {
    try deposit(credits, to: Bucket(kind: kind, credits: credits))
  }

  /// Adds credits to a bucket. They settle a debt first, unless they are for some models only.
  /// - Parameter own: see ``noteSettled(_:by:own:)``.
  /// - Throws: `amount_out_of_range`, or `limit_exceeded` for one bucket with terms too many.
  mutating func deposit(_ credits: Credits, to bucket: Bucket, own: Credits = 0)
    throws(CreditError)
  {
    precondition(credits >= 0 && bucket.kind != .quota)
    _ = try balance.adding(credits)
    let settled = bucket.isScoped ? 0 : min(credits, debt)
    if settled > 0 {
      noteSettled(settled, by: bucket, own: own)
      buckets.add(settled, to: .plainPurchased)
    }
    if credits == settled { return }
    buckets.add(credits - settled, to: bucket)
    if buckets.listed?.count ?? 0 > Self.entryLimit { throw tooManyExpiries("credits") }
  }

  /// Takes credits in the order of use; the missing ones become debt.
  /// - Parameter model: the catalog id of the model that they pay for; nil if only credits for all
  ///   models may pay.
  /// - Returns: the credits of each bucket, in that order.
  /// - Throws: `amount_out_of_range`.
  mutating func burn(_ credits: Credits, for model: Name? = nil) throws(CreditError)
    -> BucketShares
  {
    precondition(credits >= 0)
    _ = try balance.subtracting(credits)
    if credits == 0 { return [] }
    if let first = firstBucket, first.credits >= credits, first.pays(for: model) {
      // Most accounts, most of the time.
      take(credits, from: first)
      return BucketShares(first.with(credits))
    }
    var missing = credits
    var taken = BucketShares()
    for bucket in bucketsInBurnOrder
    where missing > 0 && bucket.credits > 0 && bucket.pays(for: model) {
      let share = min(missing, bucket.credits)
      take(share, from: bucket)
      taken.append(bucket.with(share))
      missing -= share
    }
    if missing > 0 {
      buckets.add(-missing, to: .plainPurchased)
      // If purchased credits are used last, they and the debt are one entry.
      if let last = taken.last, last.isSame(as: .plainPurchased) {
        _ = taken.popLast()
        missing += last.credits
      }
      taken.append(Bucket(kind: .purchased, credits: missing))
    }
    return taken
  }

  /// Takes a plain purchase back.
  ///
  /// Takes plain purchased credits first, then others for all models in the order of use; the
  /// missing ones become debt.
  /// - Returns: the credits of each bucket.
  /// - Throws: `amount_out_of_range`.
  @discardableResult
  mutating func burnPurchasedFirst(_ credits: Credits) throws(CreditError) -> BucketShares {
    try burn(credits, first: Bucket(kind: .purchased, credits: buckets.undated.purchased))
  }

  /// Takes credits from one bucket, then from those for all models, then as debt.
  /// - Throws: `amount_out_of_range`.
  mutating func burn(_ credits: Credits, first bucket: Bucket) throws(CreditError) -> BucketShares {
    _ = try balance.subtracting(credits)
    var taken = BucketShares()
    let share = min(credits, max(0, bucket.credits))
    if share > 0 {
      take(share, from: bucket)
      taken.append(bucket.with(share))
    }
    for other in try burn(credits - share) { taken.add(other) }
    return taken
  }

  private mutating func take(_ credits: Credits, from bucket: Bucket) {
    if bucket.kind == .quota {
      quota?.used += credits
    } else {
      buckets.add(-credits, to: bucket)
    }
  }

  mutating func settleDebtFromQuota() {
    guard debt > 0, let rest = quotaBucket else { return }
    let settled = min(debt, rest.credits)
    noteSettled(settled, by: rest)
    take(settled, from: rest)
    buckets.add(settled, to: .plainPurchased)
  }
}

extension Bucket {
  /// The bucket of purchased credits without terms, whose credits below 0 are debt.
  static var plainPurchased: Bucket { Bucket(kind: .purchased, credits: 0) }
}

/// Credits of the buckets without an expiry, in burn order; 0 if there is no bucket of the kind.
public struct UndatedCredits: Equatable, Sendable, BitwiseCopyable {
  public var bonus: Credits = 0
  public var starter: Credits = 0
  public var purchased: Credits = 0

  public init() {}

  init(purchased: Credits) { self.purchased = purchased }

  public var balance: Credits { bonus &+ starter &+ purchased }

  /// The credits of a kind; a quota's always expire.
  subscript(kind: Bucket.Kind) -> Credits {
    get {
      switch kind {
      case .bonus: bonus
      case .starter: starter
      case .purchased: purchased
      case .quota: 0
      }
    }
    set {
      switch kind {
      case .bonus: bonus = newValue
      case .starter: starter = newValue
      case .purchased: purchased = newValue
      case .quota: assertionFailure("a quota expires")
      }
    }
  }

  /// The bucket that burns first; nil if there are no credits.
  var first: Bucket? { firstKind.map { Bucket(kind: $0, credits: self[$0]) } }

  public var firstKind: Bucket.Kind? {
    if bonus != 0 { return .bonus }
    if starter != 0 { return .starter }
    return purchased == 0 ? nil : .purchased
  }
}
