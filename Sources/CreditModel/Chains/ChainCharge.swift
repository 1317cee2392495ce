// How the accounts of a chain pay for a charge.
extension OpenChain {
  /// Charges the accounts; the charge's own hold must be released before.
  /// - Throws: `insufficient_credits` without overdraft, `spend_limit`, `amount_out_of_range`.
  mutating func charge(
    _ quote: PriceQuote, for request: ChargeRequest, under authorization: CreditAuthorization,
    key: Name? = nil, isArrears: Bool = false, policy: Policy
  ) throws(CreditError) -> Charge {
    let owed = own.account.isExempt ? 0 : quote.credits
    // The work is that of the record: other accounts' records are checked by it.
    let limitUSD = recorded(limitUSD: quote.limitUSD, among: parents)
    let work =
      countsWork ? WorkMeasure(of: request.usage.counts, usd: limitUSD ?? quote.usd) : .none
    if owed > 0, !request.isArrears {
      try requireRoom(for: owed, work, isDirect: key != nil, under: policy)
    }
    let catalogModel = catalogModel(model, insteadOf: request.model)
    var paidBy = try payAbove(owed)
    // It counts at the time of use only if it is merely billed: otherwise a caller could bypass a
    // limit by stating another time.
    let countsAtUse =
      request.isArrears && request.usedAt != nil
      && (!own.account.limitCounters.isEmpty
        || parents.contains { !$0.account.limitCounters.isEmpty })
    let countedAt = own.account.instant(
      of: min(countsAtUse ? request.usedAt ?? .latest : .latest, own.account.updatedAt))
    // The shares of the account's own limits that its payment will reach.
    var crossed: [LimitCrossing] = []
    if own.account.hasRareState {
      crossed = own.account.limitsCrossed(
        by: quote.credits - own.account.waived(quote.credits, with: paidBy),
        own.account.isExempt ? .none : work, for: model, at: countedAt, under: policy)
    }
    let paid = try own.account.pay(quote.credits, with: paidBy, work, for: model, at: countedAt)
    if !paidBy.isEmpty {
      count(&paidBy, work, at: countedAt.time, crossing: &crossed, under: policy)
    }
    var unreadUsage: String?
    if case .unreadable(let raw, _) = request.usage { unreadUsage = raw }
    return Charge(
      receipt: CreditReceipt(
        authorization: authorization.untagged, model: request.model, usage: request.usage.counts,
        creditsCharged: paid.price, newBalance: own.account.balance,
        timestamp: own.account.updatedAt,
        usd: quote.usd,
        details: .of(
          usedAt: request.usedAt, reportedUSD: request.reportedUSD, costUSD: quote.costUSD,
          tags: .filling(request.tags, from: authorization.tags),
          isArrears: isArrears || countsAtUse, catalogModel: catalogModel, limitUSD: limitUSD,
          paidBy: paidBy, countedAfter: countedAt.after, limitsCrossed: crossed),
        creditsWaived: paid.waived, isFallback: quote.isFallback,
        remarks: .of(request.remarks, unpriced: quote.unpriced)),
      key: key, taken: paid.taken, unreadUsage: unreadUsage)
  }

  /// Takes the credits that the account itself cannot pay: from the free credits of each account
  /// above, and the rest from the payer.
  private mutating func payAbove(_ owed: Credits) throws(CreditError) -> [PaidShare] {
    let paying = paying
    if paying.isEmpty || owed == 0 { return [] }
    var rest = owed - ownPart(of: owed)
    var paidBy: [PaidShare] = []
    paidBy.reserveCapacity(paying.count)
    for place in paying.indices where rest > 0 {
      let parent = paying[place]
      let part = parent.part(of: rest, isLast: place == paying.endIndex - 1, for: model)
      rest -= part
      let credits = parent.account.isExempt ? 0 : part
      paidBy.append(
        PaidShare(
          account: parent.account.name, credits: credits, waived: part - credits,
          taken: try parent.pay(credits, for: model)))
    }
    return paidBy
  }

  /// Counts in each account above the credits paid by it and above it, and the work if there are
  /// any. The shares belong to the first accounts of `paying`: `payAbove` skips none.
  /// - Parameter crossed: gets the shares of limits that are reached.
  private func count(
    _ paidBy: inout [PaidShare], _ work: WorkMeasure, at time: Timestamp,
    crossing crossed: inout [LimitCrossing], under policy: Policy
  ) {
    var reached = paidBy.credits
    for place in paidBy.indices {
      let parent = paying[paying.startIndex + place]
      let instant = parent.ask { $0.instant(of: time) }
      let work = reached > 0 ? work : .none
      crossed += parent.ask {
        $0.limitsCrossed(by: reached, work, for: model, at: instant, under: policy)
      }
      parent.count(reached, work, for: model, at: instant)
      paidBy[place].countedAfter = instant.after
      note(parent, in: &paidBy[place], under: policy)
      reached -= paidBy[place].credits
    }
  }

  func note(_ account: ChainAccount, in share: inout PaidShare, under policy: Policy) {
    share.newBalance = account.ask { $0.balance }
    share.crossed = account.crossed(under: policy)
  }

  /// The dollars of a price in credits, if a record has to have them: a limit counts them.
  mutating func recorded(limitUSD usd: String?, among accounts: [ChainAccount]) -> String? {
    if usd == nil || own.account.isExempt { return nil }
    let isCounted = own.account.countsDollars || accounts.contains { $0.account.countsDollars }
    return isCounted ? usd : nil
  }

  /// The catalog id of a model, if a record has to have it: limits or credits depend on it, and the
  /// request used another name.
  mutating func catalogModel(_ id: Name?, insteadOf model: Name) -> Name? {
    let isRelevant = own.account.goesByModel || parents.contains { $0.account.goesByModel }
    return isRelevant && id != model ? id : nil
  }

  /// Returns the shares of limits reached in the chain, in the order of ``limitCounters``.
  /// - Parameter counters: the counters as they were before.
  func limitsCrossed(since counters: [[LimitCounter]], under policy: Policy) -> [LimitCrossing] {
    var crossings = own.account.limitsCrossed(since: counters[0], under: policy)
    for (parent, before) in zip(above.accounts, counters.dropFirst()) {
      crossings += parent.account.limitsCrossed(since: before, under: policy)
    }
    return crossings
  }
}

extension Account {
  /// The part of a price that is not charged.
  fileprivate func waived(_ credits: Credits, with paidBy: [PaidShare]) -> Credits {
    isExempt ? credits : paidBy.waived
  }

  /// Pays a price, less the payments of the accounts above. An exempt account pays 0, and its
  /// limits count no work.
  /// - Returns: the price for the account and those above it, and the buckets that paid.
  /// - Throws: `amount_out_of_range`.
  mutating func pay(
    _ credits: Credits, with paidBy: [PaidShare], _ work: WorkMeasure,
    for model: Name?, at instant: CountedInstant
  ) throws(CreditError) -> (price: Credits, waived: Credits?, taken: BucketShares) {
    let waived = waived(credits, with: paidBy)
    let price = credits - waived
    let taken = try burn(price - paidBy.credits, for: model)
    count(price, isExempt ? .none : work, for: model, at: instant)
    return (price, isExempt || waived > 0 ? waived : nil, taken)
  }

  /// Gives back credits of a charge, of which the account itself has paid some.
  /// - Parameters:
  ///   - credits: the credits for the account itself.
  ///   - last: the previous refund.
  ///   - refundedTo: the refunds of the accounts above it.
  /// - Throws: `amount_out_of_range`, `limit_exceeded`.
  mutating func refund(
    _ charge: Charge, _ credits: Credits, after last: Refund?, refundedTo: [PaidBackShare],
    reason: String?, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) -> Refund {
    let receipt = charge.receipt
    let before = max(0, (last?.requested ?? 0) - (receipt.creditsCharged - receipt.ownCredits))
    let owed = OwedShare(
      charge.taken, balance: receipt.newBalance, at: receipt.timestamp, before: before)
    let taken = charge.taken.last(credits, before: before)
    let (paid, place) = settledShares(taken, owed)
    var own = noteReturned(place)
    let shares = try restore(paid, own: &own, purchase)
    let restored = refundedTo.reduce(shares.total) { $0 + $1.credits }
    let total = refundedTo.reduce((last?.requested ?? 0) + credits) {
      $0 + $1.credits + $1.forfeited
    }
    let work =
      countsWork
      ? charge.measure(less: total) - charge.measure(less: last?.requested) : .none
    count(-restored, work, for: charge.receipt.pricedModel, at: charge.countedAt)
    var refund = Refund(
      credits: restored,
      forfeited: refundedTo.reduce(credits - shares.total) { $0 + $1.forfeited },
      newBalance: balance, timestamp: updatedAt, reason: reason)
    if let last {
      refund.number = last.number &+ 1
      refund.before = last.before &+ last.credits
      refund.forfeitedBefore = last.forfeitedBefore &+ last.forfeited
    }
    // Its line has to have the buckets if they differ from the original ones.
    let isRecorded = charge.taken.haveGrants || paid != taken || charge.recordsMoves
    refund.shares = isRecorded ? shares : nil
    refund.refundedTo = refundedTo
    return refund
  }
}

// How a charge that several accounts have paid is refunded.
extension OpenChain {
  /// Refunds a charge up to `total` credits in all, the farthest payer first.
  /// - Parameter last: the previous refund.
  /// - Throws: `amount_out_of_range`, `limit_exceeded`.
  mutating func refund(
    _ charge: Charge, upTo total: Credits, after last: Refund?, reason: String?,
    _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) -> Refund {
    let work = CountedWork(model: charge.receipt.pricedModel, instant: charge.countedAt)
    let paidBy = charge.receipt.paidBy
    var before = last?.requested ?? 0
    var missing = total - before
    for place in paidBy.placesToGiveBack where missing > 0 {
      let known = min(before, paidBy[place].credits)
      before -= known
      let due = min(missing, paidBy[place].credits - known)
      if due == 0 { continue }
      let account = try payer(paidBy[place].account)
      var given: Credits = 0
      let owed = OwedShare(paidBy[place], at: charge.receipt.timestamp, before: known)
      let shares = paidBy[place].taken.last(due, before: known)
      for bucket in account.account.settledShares(shares, owed).shares.reversed() {
        given += try account.getBack(bucket, purchase)
      }
      count(-given, upTo: place, of: paidBy, work)
      missing -= due
    }
    count(
      from: .of(charge, less: last?.requested), to: .of(charge, less: total), work)
    let refundedTo = above.reached.map {
      PaidBackShare(
        account: $0.account.name, credits: $0.done.credits, forfeited: $0.done.forfeited,
        newBalance: $0.account.balance)
    }
    return try own.account.refund(
      charge, missing, after: last, refundedTo: refundedTo, reason: reason, purchase)
  }
}

extension OwedShare {
  /// The owed part of a payment by an account above.
  init?(_ paid: PaidShare, at: Timestamp, before: Credits = 0) {
    self.init(paid.taken, balance: paid.newBalance, at: at, before: before)
  }
}

extension BucketShares {
  /// Returns the shares of the last `credits`, in the order taken.
  ///
  /// The last one taken is the first to be given back.
  /// - Parameter skipped: number of the last credits that are skipped.
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
