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
      for bucket in paidBy[place].taken.last(due, before: known).reversed() {
        given += try account.getBack(bucket, purchase)
      }
      count(-given, upTo: place, of: paidBy, work)
      missing -= due
      restored += given
      forfeited += due - given
    }
    let shares = try self.own.account.restore(
      charge.taken.last(missing, before: before), purchase)
    let own = shares.total
    restored += own
    forfeited += missing - own
    self.own.account.count(-restored, for: work.model, at: work.instant)
    var refund = Refund(
      credits: restored, forfeited: forfeited, newBalance: self.own.account.balance,
      timestamp: self.own.account.updatedAt, reason: reason)
    if let last { refund.follow(last) }
    refund.shares = charge.taken.haveGrants ? shares : nil
    refund.refundedTo = above.reached.map {
      PaidBackShare(
        account: $0.account.name, credits: $0.done.credits, forfeited: $0.done.forfeited,
        newBalance: $0.account.balance)
    }
    return refund
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
