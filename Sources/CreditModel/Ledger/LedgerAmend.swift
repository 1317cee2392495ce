extension Ledger {
  /// Corrects an existing charge at the prices of its original time. The price is computed again,
  /// and the difference is taken, into debt if necessary, or given back.
  ///
  /// If the model changes, a separate record first returns everything, and it is then taken again:
  /// so the history's lines of a model add up to its cost.
  func amend(
    _ charge: Charge, of entry: AuthorizationEntry, _ request: ChargeRequest,
    conflict: () -> CreditError
  ) throws(CreditError) -> GateResult {
    var chain = try openChain(of: entry, paidBy: charge.receipt.paidBy, at: request.time)
    let counters =
      [chain.own.account.limitCounters] + chain.above.accounts.map(\.account.limitCounters)
    let quote = try policy.price(request, at: charge.pricedAt)
    // An incomplete or unreadable usage corrects nothing.
    if quote.price.isFallback || request.remarks?.isPartial == true { throw conflict() }
    var charge = charge
    if charge.isReturned(before: request.model) {
      charge = try chain.amend(charge, to: Correction(toNothing: charge), under: policy, purchase)
      chain.own.account.count(.amend(charge), isFirst: false)
      let record = LedgerRecord(
        event: .amend(charge), account: chain.own.account, original: entry.position)
      chain.own.preceding.append(record)
      chain.own.preceding += chain.above.shares(in: record, under: policy)
    }
    charge = try chain.amend(
      charge, to: Correction(of: charge, request, quote), since: counters,
      under: policy, purchase)
    try record(.amend(charge), on: &chain.own, with: chain.above, original: entry.position)
    return .receipt(charge, isReplay: false)
  }
}

extension Charge {
  /// Time of the first charge for the work.
  public var chargedAt: Timestamp { amendment?.chargedAt ?? receipt.timestamp }

  /// The time of the prices of its corrections. Logs restate a message later: the first time stays.
  var pricedAt: Timestamp { receipt.details?.usedAt ?? chargedAt }

  /// Returns the price that a correction would give to a request for its work.
  public func price(of request: ChargeRequest, under policy: Policy) -> PriceQuote? {
    try? policy.price(request, at: pricedAt).price
  }

  /// Whether its last amendment recorded the buckets that it moved. Its next corrections and its
  /// refunds record theirs then, as the line of the charge may name others.
  var recordsMoves: Bool { amendment?.moved != nil }

  /// Whether a record that returns everything comes before an amendment to a model.
  func isReturned(before model: Name) -> Bool { receipt.model != model }

  /// True if the charge's account was exempt, so that nothing was paid.
  var isExempt: Bool {
    receipt.creditsWaived != nil && receipt.creditsCharged == 0
      && !receipt.paidBy.contains { $0.waived > 0 }
  }

  /// Returns the credits that its own account is not charged if the amount changes.
  ///
  /// An exempt charge stays exempt. For another charge, an account that is exempt now waives the
  /// increase, which is returned first.
  func waived(amendedTo credits: Credits, isExempt isExemptNow: Bool) -> Credits {
    if isExempt { return credits }
    let rise = credits - receipt.creditsCharged - (receipt.creditsWaived ?? 0)
    return rise > 0 && !isExemptNow ? receipt.ownWaived : max(0, receipt.ownWaived + rise)
  }
}

/// A charge's new state, except for parts that follow from the account.
struct Correction {
  let work: ChargedWork
  /// The price for the charged account.
  let credits: Credits
  let usd: String?
  let costUSD: String?
  let tags: Tags?
  let remarks: UsageRemarks?
  let model: Name?
  /// The same, if the record has to have it.
  var catalogModel: Name?
  /// Dollars of a price in credits, if a limit counts them.
  var limitUSD: String?
  /// Whether it only returns everything.
  var isReturn = false
  /// Payments of the accounts above after it; `shares` are the changes of their balances.
  var paidBy: [PaidShare] = []
  var shares: [HeldShare] = []
  var limitsCrossed: [LimitCrossing] = []
  /// Credits that its own account is not charged.
  var waived: Credits = 0
  /// Whether its record lacks the buckets: earlier releases recorded them of the first correction
  /// of a settled debt only.
  var omitsMoves = false

  /// Its work as limits of other units than credits count it.
  var measure: WorkMeasure { isReturn ? .none : WorkMeasure(of: work.usage, usd: limitUSD ?? usd) }

  init(of charge: Charge, _ request: ChargeRequest, _ quote: ChargeQuote) {
    let price = quote.price
    var unreadUsage: String?
    if case .unreadable(let raw, _) = request.usage { unreadUsage = raw }
    work = ChargedWork(
      model: request.model, usage: request.usage.counts, unreadUsage: unreadUsage,
      reportedUSD: request.reportedUSD)
    credits = price.credits
    usd = price.usd
    costUSD = price.costUSD
    tags = .filling(request.tags, from: charge.receipt.details?.tags)
    remarks = .of(request.remarks, unpriced: price.unpriced)
    limitUSD = price.limitUSD
    model = quote.model
  }

  init(toNothing charge: Charge) {
    work = charge.work
    credits = 0
    usd = nil
    costUSD = nil
    tags = charge.receipt.details?.tags
    remarks = charge.receipt.remarks
    model = charge.receipt.pricedModel
    isReturn = true
  }

  init(recorded charge: Charge) {
    let receipt = charge.receipt
    work = charge.work
    credits = receipt.creditsCharged + (receipt.creditsWaived ?? 0)
    usd = receipt.usd
    costUSD = receipt.details?.costUSD
    tags = receipt.details?.tags
    remarks = receipt.remarks
    model = receipt.pricedModel
  }

  /// Takes over a recorded charge's members of other accounts and of limits.
  mutating func take(sharesOf charge: Charge) {
    let details = charge.receipt.details
    catalogModel = details?.catalogModel
    limitUSD = details?.limitUSD
    paidBy = charge.receipt.paidBy
    shares = charge.amendment?.shares ?? []
    limitsCrossed = details?.limitsCrossed ?? []
    waived = charge.receipt.ownWaived
    omitsMoves = charge.amendment?.moved == nil
  }
}

extension Account {
  /// Amends a charge for the part that the account itself pays.
  ///
  /// Takes an increase, even without credits, or returns a decrease, the last taken first.
  /// - Parameter new: includes the payments of the accounts above.
  /// - Throws: `amount_out_of_range`, or `limit_exceeded` for one bucket with terms too many.
  mutating func amend(
    _ charge: Charge, to new: Correction, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) -> Charge {
    let old = charge.receipt
    guard charge.isSound, new.credits >= 0 else {
      throw CreditError(.corruptStore, "the charge was paid by no buckets")
    }
    let waivedAbove = new.paidBy.waived
    let price = new.credits - waivedAbove - new.waived
    let own = price - new.paidBy.credits
    guard own >= 0 else { throw CreditError(.corruptStore, "more was paid than the charge costs") }
    let before = balance
    let owed = OwedShare(charge.taken, balance: old.newBalance, at: old.timestamp)
    let (paid, place) = settledShares(charge.taken, owed)
    // Its own debt is the newest one from now on.
    var returned = noteReturned(place)
    var payment = Payment(taken: paid, forfeited: charge.amendment?.forfeited ?? [])
    if own < old.ownCredits {
      try giveBack(old.ownCredits - own, of: &payment, own: &returned, purchase)
    } else {
      var missing = own - old.ownCredits
      while missing > 0, let share = payment.forfeited.takeLast(upTo: missing) {
        missing -= share.credits
        payment.taken.add(share)
      }
      payment.moved = try burn(missing, for: new.model)
      for bucket in payment.moved { payment.taken.add(bucket) }
    }
    let isRecorded =
      payment.moved.haveGrants || charge.taken.haveGrants || paid != charge.taken
      || charge.recordsMoves && !new.omitsMoves
    guard payment.taken.count <= Self.entryLimit, payment.forfeited.count <= Self.entryLimit else {
      throw CreditError(
        .limitExceeded, "the charge has been amended too often to know what paid it",
        [.account(name)])
    }
    let (credits, overflow) = balance.subtractingReportingOverflow(before)
    if overflow { throw .amountOutOfRange("the correction would not fit in 64 bits") }
    count(
      price - old.creditsCharged,
      countsWork && !charge.isExempt ? new.measure - charge.measure : .none,
      for: new.model, at: charge.countedAt)
    // The return before a charge for another model is part of the same amendment.
    let isSecond = charge.amendment?.isReturn ?? false
    let amendment = Amendment(
      number: (charge.amendment?.number ?? 0) &+ (isSecond ? 0 : 1), isReturn: new.isReturn,
      chargedAt: charge.chargedAt, first: charge.amendment?.first ?? charge.work,
      previousCredits: isSecond
        ? charge.amendment?.previousCredits ?? 0 : old.creditsCharged,
      previousPrice: PriceParts(old), credits: credits, forfeited: payment.forfeited,
      moved: isRecorded ? payment.moved : nil, shares: new.shares,
      returned: isSecond ? charge.amendment : nil)
    var receipt = CreditReceipt(
      authorization: old.authorization, model: new.work.model, usage: new.work.usage,
      creditsCharged: price, newBalance: balance, timestamp: updatedAt,
      creditsWaived: charge.isExempt || new.credits > price ? new.credits - price : nil,
      remarks: new.remarks)
    receipt.usd = new.usd
    receipt.details = (old.details ?? .empty).with(
      reportedUSD: new.work.reportedUSD, costUSD: new.costUSD, tags: new.tags,
      amendment: amendment, catalogModel: new.catalogModel, limitUSD: new.limitUSD,
      paidBy: new.paidBy, limitsCrossed: new.limitsCrossed)
    return Charge(
      receipt: receipt, key: charge.key, taken: payment.taken, unreadUsage: new.work.unreadUsage)
  }

  /// Credits that paid a charge, and those that could not be returned. Both are in the order taken,
  /// so that an increase and its decrease cancel out.
  struct Payment {
    var taken: BucketShares
    var forfeited: BucketShares
    /// Credits that the amendment has taken or given back, in that order.
    var moved = BucketShares()
  }

  private mutating func giveBack(
    _ credits: Credits, of payment: inout Payment, own: inout Credits,
    _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) {
    var missing = credits
    while missing > 0, var share = payment.taken.takeLast(upTo: missing) {
      missing -= share.credits
      for restored in try restore([share], own: &own, purchase) {
        share.credits -= restored.credits
        payment.moved.add(restored)
      }
      payment.forfeited.add(share)
    }
  }
}

extension BucketShares {
  /// Takes credits out of the last bucket, up to a limit.
  /// - Returns: nil if there is no bucket.
  mutating func takeLast(upTo credits: Credits) -> Bucket? {
    guard var last = popLast() else { return nil }
    var share = last
    share.credits = Swift.min(credits, last.credits)
    last.credits -= share.credits
    if last.credits > 0 { append(last) }
    return share
  }
}
