// How a charge that several accounts have paid goes back.
extension OpenChain {
  /// Gives a charge back up to `total` credits in all, the farthest payer first.
  /// - Parameter last: the refund before this one.
  /// - Throws: `amount_out_of_range`, `limit_exceeded`.
  mutating func refund(
    _ charge: Charge, upTo total: Credits, after last: Refund?, reason: String?,
    _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) -> Refund {
    let work = CountedWork(model: charge.receipt.pricedModel, instant: charge.countedAt)
    let paidBy = charge.receipt.paidBy
    var before = last?.totalOfCharge ?? 0
    var missing = total - before
    var restored: Credits = 0
    var forfeited: Credits = 0
    for place in paidBy.placesToGiveBack where missing > 0 {
      let known = min(before, paidBy[place].credits)
      before -= known
      let due = min(missing, paidBy[place].credits - known)
      if due == 0 { continue }
      let account = try payer(paidBy[place].account)
      var given: Credits = 0
      let owed = OwedShare(paidBy[place], at: charge.receipt.timestamp, before: known)
      let shares = paidBy[place].taken.last(due, before: known)
      for bucket in account.account.settledShares(shares, owed).reversed() {
        given += try account.getBack(bucket, purchase)
      }
      count(-given, upTo: place, of: paidBy, work)
      missing -= due
      restored += given
      forfeited += due - given
    }
    let (shares, isSettled) = try self.own.account.restore(
      missing, of: charge, before: before, purchase)
    let own = shares.total
    restored += own
    forfeited += missing - own
    self.own.account.count(-restored, for: work.model, at: work.instant)
    var refund = Refund(
      credits: restored, forfeited: forfeited, newBalance: self.own.account.balance,
      timestamp: self.own.account.updatedAt, reason: reason)
    if let last { refund.follow(last) }
    refund.shares = charge.taken.haveGrants || isSettled ? shares : nil
    refund.refundedTo = above.reached.map {
      PaidBackShare(
        account: $0.account.name, credits: $0.done.credits, forfeited: $0.done.forfeited,
        newBalance: $0.account.balance)
    }
    return refund
  }
}

extension OwedShare {
  /// The part of what an account above has paid.
  init?(_ paid: PaidShare, at: Timestamp, before: Credits = 0) {
    self.init(paid.taken, balance: paid.newBalance, at: at, before: before)
  }
}

extension Account {
  /// Gives back credits of a charge that it has paid.
  /// - Parameter before: how many of the charge were given back already.
  /// - Returns: what was given back, and whether the line of that has to say where it went, as that
  ///   is not where it came from.
  mutating func restore(
    _ credits: Credits, of charge: Charge, before: Credits, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) -> (shares: BucketShares, isSettled: Bool) {
    let receipt = charge.receipt
    let owed = OwedShare(
      charge.taken, balance: receipt.newBalance, at: receipt.timestamp, before: before)
    let taken = charge.taken.last(credits, before: before)
    let shares = settledShares(taken, owed)
    return (try restore(shares, purchase), shares != taken)
  }
}

extension Refund {
  /// Says that it is the refund of a charge after another one.
  mutating func follow(_ last: Refund) {
    number = last.number + 1
    before = last.before + last.credits
    forfeitedBefore = last.forfeitedBefore + last.forfeited
  }
}

extension BucketShares {
  /// Returns the shares that the last `credits` come from, in the order taken.
  ///
  /// The last one taken is the first to be given back.
  /// - Parameter skipped: how many of the last credits are passed over.
  func last(_ credits: Credits, before skipped: Credits) -> BucketShares {
    if skipped == 0, credits == reduce(0, { $0 + $1.credits }) { return self }
    var rest = self
    var passed = skipped
    while passed > 0, let share = rest.takeLast(upTo: passed) { passed -= share.credits }
    var wanted: [Bucket] = []
    var missing = credits
    while missing > 0, let share = rest.takeLast(upTo: missing) {
      missing -= share.credits
      wanted.append(share)
    }
    return BucketShares(wanted.reversed())
  }
}
