// How a charge that several accounts have paid is amended.
extension OpenChain {
  /// Gives back a charge's decrease, the farthest payer first, or takes its increase.
  ///
  /// It takes them by the current chain, even without credits. The accounts that have paid are
  /// open.
  /// - Parameter counters: the counters as they were before; nil if crossed limits are not noted
  ///   yet.
  /// - Throws: `amount_out_of_range`, `limit_exceeded`.
  mutating func amend(
    _ charge: Charge, to correction: Correction, since counters: [[LimitCounter]]? = nil,
    under policy: Policy, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) -> Charge {
    var new = correction
    model = new.model
    new.catalogModel = catalogModel(new.model, insteadOf: new.work.model)
    new.limitUSD = recorded(limitUSD: new.limitUSD, among: above.accounts)
    new.waived = charge.waived(amendedTo: new.credits, isExempt: own.account.isExempt)
    if !charge.isExempt {
      new.paidBy = try shares(of: charge, amendedTo: new, purchase)
      for place in new.paidBy.indices {
        guard let payer = above.account(new.paidBy[place].account), payer.done.isReached else {
          new.paidBy[place].crossed = nil
          continue
        }
        note(payer, in: &new.paidBy[place], under: policy)
      }
      new.shares = above.reached.map {
        HeldShare(account: $0.account.name, credits: $0.done.credits)
      }
    }
    var amended = try own.account.amend(charge, to: new, purchase)
    guard let counters else { return amended }
    let crossed = limitsCrossed(since: counters, under: policy)
    if !crossed.isEmpty { amended = amended.telling(crossed) }
    return amended
  }

  /// Returns the payments of the accounts above for an amended charge, and makes them.
  private mutating func shares(
    of charge: Charge, amendedTo new: Correction, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) -> [PaidShare] {
    var paidBy = charge.receipt.paidBy
    let before = charge.receipt.creditsCharged + paidBy.waived
    var work = CountedWork(model: new.model, instant: charge.countedAt)
    work.chargedAt = charge.receipt.timestamp
    let due = new.credits - new.waived
    if due < before {
      try giveBack(before - due, to: &paidBy, work, purchase)
    } else if !paying.isEmpty {
      let lost = charge.amendment?.forfeited.reduce(0) { $0 + $1.credits } ?? 0
      try take(due - before, regaining: lost, from: &paidBy, work)
    }
    while let last = paidBy.last, last.isEmpty { paidBy.removeLast() }
    count(from: .of(charge), to: ReachedWork(measure: new.measure, paidBy: paidBy), work)
    return paidBy
  }

  /// Counts a change of work at the accounts above that the charge reached before or reaches now.
  func count(
    from old: @autoclosure () -> ReachedWork, to new: @autoclosure () -> ReachedWork,
    _ work: CountedWork
  ) {
    if !above.accounts.contains(where: { $0.account.countsWork }) { return }
    let (old, new) = (old(), new())
    for account in above.accounts where account.account.countsWork {
      let (before, now) = (old.share(of: account), new.share(of: account))
      guard let share = now ?? before else { continue }
      let change =
        (now == nil ? .none : new.measure) - (before == nil ? .none : old.measure)
      if change == .none { continue }
      account.count(
        0, change, for: work.model,
        at: CountedInstant(work.instant.time, after: share.countedAfter))
    }
  }

  /// The work of a charge, and the accounts above that it reaches.
  struct ReachedWork {
    let measure: WorkMeasure
    let paidBy: [PaidShare]

    /// - Parameter refunded: credits of the charge that were refunded; nil before a refund.
    static func of(_ charge: Charge, less refunded: Credits? = nil) -> ReachedWork {
      ReachedWork(measure: charge.measure(less: refunded), paidBy: charge.receipt.paidBy)
    }

    /// Returns an account's first share if credits reach it: it pays, or one above it does.
    func share(of account: ChainAccount) -> PaidShare? {
      paidBy.indices.first { place in
        paidBy[place].account == account.account.name
          && paidBy[place...].contains { $0.way == paidBy[place].way && $0.credits > 0 }
      }.map { paidBy[$0] }
    }
  }

  /// How limits count a charge.
  struct CountedWork {
    let model: Name?
    /// For its own account.
    let instant: CountedInstant
    /// When the corrected work was charged, or corrected last.
    var chargedAt = Timestamp.latest
  }

  /// Gives credits back to the accounts above first; the rest is for the account itself.
  private func giveBack(
    _ credits: Credits, to paidBy: inout [PaidShare], _ work: CountedWork,
    _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) {
    var missing = credits
    for place in paidBy.placesToGiveBack where missing > 0 {
      let unwaived = min(missing, paidBy[place].waived)
      paidBy[place].waived -= unwaived
      missing -= unwaived
      let due = min(missing, paidBy[place].credits)
      if due == 0 { continue }
      let account = try payer(paidBy[place].account)
      paidBy[place].settle(in: account, work.chargedAt)
      var rest = due
      while rest > 0, var bucket = paidBy[place].taken.takeLast(upTo: rest) {
        rest -= bucket.credits
        bucket.credits -= try account.getBack(bucket, purchase)
        paidBy[place].forfeited.add(bucket)
      }
      paidBy[place].credits -= due
      missing -= due
      count(-due, upTo: place, of: paidBy, work)
    }
  }

  func count(_ credits: Credits, upTo place: Int, of paidBy: [PaidShare], _ work: CountedWork) {
    for passed in paidBy[...place] where passed.way == paidBy[place].way {
      above.account(passed.account)?.count(
        credits, .none, for: work.model,
        at: CountedInstant(work.instant.time, after: passed.countedAfter))
    }
  }

  /// - Parameter lost: credits that the account itself could not be given back, which count as
  ///   paid.
  private func take(
    _ credits: Credits, regaining lost: Credits, from paidBy: inout [PaidShare],
    _ work: CountedWork
  ) throws(CreditError) {
    var rest = credits - min(credits, lost + max(0, own.account.available(for: model)))
    if rest == 0 { return }
    let first = startOfWay(in: &paidBy)
    for (step, parent) in paying.enumerated() where rest > 0 {
      let place = first + step
      if place == paidBy.count {
        paidBy.append(
          PaidShare(
            account: parent.account.name, way: paidBy.last?.way ?? 0,
            countedAfter: paidBy.first { $0.account == parent.account.name }?.countedAfter
              ?? parent.countedAfter))
        if step == 0 { paidBy[place].way = place == 0 ? 0 : paidBy[place - 1].way + 1 }
      }
      let isLast = step == paying.count - 1
      let regained = paidBy[place].forfeited.reduce(0) { $0 + $1.credits }
      let part = isLast ? rest : min(rest, regained + max(0, parent.account.available(for: model)))
      rest -= part
      if parent.account.isExempt {
        paidBy[place].waived += part
        parent.done.isReached = true
        continue
      }
      paidBy[place].settle(in: parent, work.chargedAt)
      var missing = part
      while missing > 0, let bucket = paidBy[place].forfeited.takeLast(upTo: missing) {
        missing -= bucket.credits
        paidBy[place].taken.add(bucket)
      }
      for bucket in try parent.pay(missing, for: model) { paidBy[place].taken.add(bucket) }
      paidBy[place].credits += part
      if part > 0 { count(part, upTo: place, of: paidBy, work) }
    }
  }

  /// Returns the start of the current way in the list. A last payment by the same way is extended.
  private func startOfWay(in paidBy: inout [PaidShare]) -> Int {
    guard let last = paidBy.last else { return 0 }
    let first = paidBy.firstIndex { $0.way == last.way } ?? 0
    let names = paidBy[first...].map(\.account)
    let isSame = zip(names, paying).allSatisfy { $0 == $1.account.name }
    return isSame ? first : paidBy.count
  }
}

extension PaidShare {
  /// Replaces its owed part by the credits that settled it.
  fileprivate mutating func settle(in payer: ChainAccount, _ chargedAt: Timestamp) {
    taken = payer.account.settledShares(taken, OwedShare(self, at: chargedAt)).shares
  }
}
