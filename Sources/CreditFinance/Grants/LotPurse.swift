internal import CreditModel

/// An account's credits by their origin, and its debts.
struct LotPurse {
  /// In the order of use.
  private(set) var buckets: [LotBucket] = []
  /// The debts, the oldest first.
  private(set) var debts: [Debt] = []
  /// Credits that the quota has had since its reset.
  var quota: Int128 = 0
  /// By the account's newest line.
  var balance: Int64 = 0
  var isIncomplete = false
  /// True if its lines of one time fit in several orders, and the input does not decide.
  var isUnordered = false

  /// Credits that were used and not there.
  struct Debt {
    /// The number of the spending that used them. Nil if it never gives credits back.
    let spending: Int?
    /// How they count for the top-up that settles it; nil if another account has them.
    let count: GrantedCredits.Count?
    var credits: Int128
  }

  func credits(in key: LotBucket.Key) -> Int128 {
    buckets.first { $0.key == key }?.credits ?? 0
  }

  var usedQuota: Int128 { quota - credits(in: .quota) }

  /// - Parameter bucket: the lot's bucket, in its empty form.
  mutating func put(_ lot: Lot, into bucket: LotBucket) {
    if let place = buckets.firstIndex(where: { $0.key == bucket.key }) {
      return buckets[place].put(lot)
    }
    var bucket = bucket
    bucket.put(lot)
    buckets.insert(
      bucket, at: buckets.firstIndex { bucket.rank < $0.rank } ?? buckets.endIndex)
  }

  /// Takes up to `wanted` credits from one bucket, the oldest first.
  /// - Parameter grant: whose credits are taken before all others.
  mutating func take(_ wanted: Int128, from key: LotBucket.Key, preferring grant: Int? = nil)
    -> [SpentLot]
  {
    guard wanted > 0, let place = buckets.firstIndex(where: { $0.key == key }) else { return [] }
    let lots = buckets[place].take(wanted, preferring: grant)
    // Plain buckets are filled again.
    if buckets[place].credits == 0, key.isOfGrant { buckets.remove(at: place) }
    return lots.map { SpentLot(key: key, lot: $0) }
  }

  /// Takes up to `wanted` credits from several buckets, in their order.
  mutating func take(
    _ wanted: Int128, from keys: [LotBucket.Key], preferring grant: Int? = nil
  ) -> [SpentLot] {
    var taken: [SpentLot] = []
    var missing = wanted
    for key in keys where missing > 0 {
      let lots = take(missing, from: key, preferring: grant)
      missing -= lots.credits
      taken += lots
    }
    return taken
  }

  /// The buckets that pay for a charge whose line names no grant: plain credits in the order of
  /// use; and grants for all models, which an adjustment's line does not name.
  var usualOrder: [LotBucket.Key] {
    let open = buckets.filter { !$0.isScoped && $0.credits > 0 }.map(\.key)
    return open.filter { !$0.isOfGrant } + open.filter(\.isOfGrant)
  }

  /// Returns the buckets that a line may mean by a kind: plain credits, or those whose expiry lines
  /// of earlier tools lack.
  func keys(of kind: Bucket.Kind) -> [LotBucket.Key] {
    if kind == .purchased { return [.plainPurchased] }
    if kind == .quota { return [.quota] }
    return [.plain(kind)] + buckets.map(\.key).filter { $0.kind == kind && $0 != .plain(kind) }
  }

  /// Moves up to `limit` credits of a grant to another, or to or from no grant.
  /// - Returns: their number.
  mutating func reassign(_ limit: Int128, from grant: Int?, to other: Int?) -> Int128 {
    var left = limit
    for place in buckets.indices where left > 0 && (grant != nil || buckets[place].key != .quota) {
      left -= buckets[place].reassign(left, from: grant, to: other)
    }
    return limit - left
  }

  // MARK: Debts

  mutating func owe(_ credits: Int128, for spending: Int?, as count: GrantedCredits.Count?) {
    if credits <= 0 { return }
    if let last = debts.last, last.spending == spending, last.count == count {
      debts[debts.count - 1].credits += credits
    } else {
      debts.append(Debt(spending: spending, count: count, credits: credits))
    }
  }

  /// Settles up to `limit` credits of the oldest debt.
  /// - Returns: the settled part; nil if there is no debt.
  mutating func settle(_ limit: Int128) -> Debt? {
    guard limit > 0, var debt = debts.first else { return nil }
    let paid = min(limit, debt.credits)
    debts[0].credits -= paid
    if debts[0].credits == 0 { debts.removeFirst() }
    debt.credits = paid
    return debt
  }

  /// Reduces the debts for something that was given back.
  mutating func forgive(_ credits: Int128, for spending: Int) {
    var left = credits
    for place in debts.indices.reversed() where debts[place].spending == spending {
      let share = min(left, debts[place].credits)
      debts[place].credits -= share
      left -= share
    }
    debts.removeAll { $0.credits == 0 }
  }
}

/// Credits that were used, with the bucket that they came from.
struct SpentLot {
  /// Nil for debt.
  var key: LotBucket.Key?
  var lot: Lot
  /// Bucket to which it may go back after settling a debt; nil for other credits.
  var settledKey: LotBucket.Key?
}

extension [SpentLot] {
  var credits: Int128 { reduce(0) { $0 + $1.lot.credits } }
}

/// Credits that a charge, or a top-up's refund, has used, in the order used.
struct Spending {
  private var lots: [SpentLot] = []

  mutating func add(_ lot: SpentLot) { lots.append(lot) }

  /// Replaces the debt for it by the credits that settled it.
  mutating func settle(_ settled: SpentLot) {
    var left = settled.lot.credits
    while left > 0, let place = lots.firstIndex(where: { $0.key == nil }) {
      let paid = Swift.min(left, lots[place].lot.credits)
      lots[place].lot.credits -= paid
      left -= paid
      let isPaid = lots[place].lot.credits == 0
      var share = settled
      share.lot.credits = paid
      lots.insert(share, at: place)
      if isPaid { lots.remove(at: place + 1) }
    }
  }

  /// Returns the place of the credits that go back first: the last used ones.
  /// - Parameters:
  ///   - isOpen: whether a bucket takes credits back; others are skipped.
  ///   - wanted: the buckets whose credits go before all others; nil for none.
  func lastPlace(_ wanted: [LotBucket.Key]?, _ isOpen: (LotBucket.Key) -> Bool) -> Int? {
    let best = wanted.flatMap { wanted in
      lots.lastIndex { wanted.contains($0.settledKey ?? $0.key ?? .plainPurchased) }
    }
    return best ?? lots.lastIndex { $0.key.map(isOpen) ?? true }
  }

  /// Takes back up to `limit` credits of a place.
  mutating func take(upTo limit: Int128, at place: Int) -> SpentLot {
    var share = lots[place]
    share.lot.credits = Swift.min(limit, share.lot.credits)
    lots[place].lot.credits -= share.lot.credits
    if lots[place].lot.credits == 0 { lots.remove(at: place) }
    return share
  }
}
