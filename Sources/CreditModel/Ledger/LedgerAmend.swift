extension Ledger {
  /// Corrects a charge that is there: the price is worked out anew, at the prices of the time that
  /// the first one went by, and the difference is taken, into debt if need be, or given back.
  ///
  /// Where the model changes, all goes back by a record of its own, and is then taken anew: so the
  /// history's lines of a model sum to what it cost.
  func amend(
    _ charge: Charge, of entry: AuthorizationEntry, _ request: ChargeRequest,
    conflict: CreditError
  ) throws(CreditError) -> GateResult {
    let timeOfUse = charge.receipt.details?.usedAt ?? charge.chargedAt
    if let usedAt = request.usedAt, usedAt != timeOfUse {
      throw CreditError(
        .invalidRequest, "usedAt is another than that of the charge, which amending keeps")
    }
    var open = try open(entry.authorization.account, at: request.time)
    let before = open.account.limitCounters
    let quote = try quote(request, at: timeOfUse)
    // What may not be all, or could not be read, corrects nothing.
    if quote.isFallback || request.remarks?.isPartial == true { throw conflict }
    var charge = charge
    if request.model != charge.receipt.model {
      charge = try open.account.takeNothing(for: charge)
      open.account.count(.amend(charge), isFirst: false)
      open.preceding.append(
        LedgerRecord(event: .amend(charge), account: open.account, original: entry.position))
    }
    charge = try open.account.amend(charge, to: Correction(of: charge, request, quote))
    charge = charge.telling(open.account.limitsCrossed(since: before, under: policy))
    try record(.amend(charge), on: open, original: entry.position)
    return .receipt(charge, isReplay: false)
  }
}

extension Charge {
  /// When the work was charged first.
  var chargedAt: Timestamp { amendment?.chargedAt ?? receipt.timestamp }
}

/// What a charge is to become: all that does not follow from the account and the charge before.
struct Correction {
  let work: ChargedWork
  /// What it costs whoever is charged for it.
  let credits: Credits
  let usd: String?
  let costUSD: String?
  let tags: Tags?
  let remarks: UsageRemarks?
  /// The id in the catalog of the model that sets the price.
  let model: Name?
  /// Whether it only gives everything back.
  var isReturn = false

  init(of charge: Charge, _ request: ChargeRequest, _ quote: PriceQuote) {
    model = quote.model
    var unreadUsage: String?
    if case .unreadable(let raw, _) = request.usage { unreadUsage = raw }
    work = ChargedWork(
      model: request.model, usage: quote.usage, unreadUsage: unreadUsage,
      reportedUSD: request.reportedUSD)
    credits = quote.credits
    usd = quote.usd
    costUSD = quote.costUSD
    tags = .filling(request.tags, from: charge.receipt.details?.tags)
    remarks = .of(request.remarks, unpriced: quote.unpriced)
  }

  /// Gives all of a charge back.
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

  /// What a recorded charge says that it has become.
  init(recorded charge: Charge) {
    let receipt = charge.receipt
    work = charge.work
    credits = receipt.creditsWaived ?? receipt.creditsCharged
    usd = receipt.usd
    costUSD = receipt.details?.costUSD
    tags = receipt.details?.tags
    remarks = receipt.remarks
    model = charge.receipt.pricedModel
  }
}

extension Account {
  /// Gives all of a charge back.
  /// - Throws: as ``amend(_:to:)`` does.
  mutating func takeNothing(for charge: Charge) throws(CreditError) -> Charge {
    try amend(charge, to: Correction(toNothing: charge))
  }

  /// Makes a charge another one: takes what it costs more, though there be no credits, or gives
  /// back what it costs less, the last taken first. An exempt charge stays exempt.
  /// - Throws: `amount_out_of_range`, or `limit_exceeded` for one dated bucket too many.
  mutating func amend(_ charge: Charge, to new: Correction) throws(CreditError) -> Charge {
    let old = charge.receipt
    guard charge.isSound, new.credits >= 0 else {
      throw CreditError(.corruptStore, "the charge was paid by no buckets")
    }
    let isExempt = old.creditsWaived != nil
    let price = isExempt ? 0 : new.credits
    let before = balance
    var payment = Payment(taken: charge.taken, forfeited: charge.amendment?.forfeited ?? [])
    if price < old.creditsCharged {
      try giveBack(old.creditsCharged - price, of: &payment)
    } else {
      try take(price - old.creditsCharged, for: &payment)
    }
    guard payment.taken.count <= Self.entryLimit, payment.forfeited.count <= Self.entryLimit else {
      throw CreditError(
        .limitExceeded, "the charge has been amended too often to know what paid it",
        [.account(name)])
    }
    let (credits, overflow) = balance.subtractingReportingOverflow(before)
    if overflow { throw .amountOutOfRange("the correction would not fit in 64 bits") }
    count(old.creditsCharged, price, of: charge, as: new.model)
    // The return that makes room for another model is a part of the same amendment.
    let isSecond = charge.amendment?.isReturn ?? false
    let amendment = Amendment(
      number: (charge.amendment?.number ?? 0) &+ (isSecond ? 0 : 1), isReturn: new.isReturn,
      chargedAt: charge.chargedAt, first: charge.amendment?.first ?? charge.work,
      previousCredits: isSecond
        ? charge.amendment?.previousCredits ?? 0 : old.creditsCharged,
      previousPrice: PriceParts(old), credits: credits, forfeited: payment.forfeited)
    var receipt = CreditReceipt(
      authorization: old.authorization, model: new.work.model, usage: new.work.usage,
      creditsCharged: price, newBalance: balance, timestamp: updatedAt,
      creditsWaived: isExempt ? new.credits : nil, remarks: new.remarks)
    receipt.usd = new.usd
    receipt.details = ChargeDetails.of(
      usedAt: old.details?.usedAt, reportedUSD: new.work.reportedUSD, costUSD: new.costUSD,
      tags: new.tags, isArrears: old.details?.isArrears ?? false, amendment: amendment,
      catalogModel: catalogModel(new.model, insteadOf: new.work.model))
    return Charge(
      receipt: receipt, key: charge.key, taken: payment.taken, unreadUsage: new.work.unreadUsage)
  }

  /// Counts what a charge costs now instead of what it did, in the windows that have counted it.
  private mutating func count(
    _ old: Credits, _ new: Credits, of charge: Charge, as model: Name?
  ) {
    let before = charge.receipt.pricedModel
    if before == model { return count(new - old, for: model, at: charge.countedAt) }
    count(-old, for: before, at: charge.countedAt)
    count(new, for: model, at: charge.countedAt)
  }

  /// What paid a charge, and what was to be given back and could not be; both in the order taken,
  /// so that what goes up and down again is as it was.
  private struct Payment {
    var taken: BucketShares
    var forfeited: BucketShares
  }

  private mutating func giveBack(_ credits: Credits, of payment: inout Payment)
    throws(CreditError)
  {
    var missing = credits
    while missing > 0, var share = payment.taken.takeLast(upTo: missing) {
      missing -= share.credits
      share.credits -= try restore([share])
      payment.forfeited.add(share)
    }
  }

  private mutating func take(_ credits: Credits, for payment: inout Payment)
    throws(CreditError)
  {
    var missing = credits
    while missing > 0, let share = payment.forfeited.takeLast(upTo: missing) {
      missing -= share.credits
      payment.taken.add(share)
    }
    for bucket in try burn(missing) { payment.taken.add(bucket) }
  }
}

extension BucketShares {
  /// Takes up to so many credits out of the last bucket.
  /// - Returns: nil where there is none.
  fileprivate mutating func takeLast(upTo credits: Credits) -> Bucket? {
    guard var last = popLast() else { return nil }
    var share = last
    share.credits = Swift.min(credits, last.credits)
    last.credits -= share.credits
    if last.credits > 0 { append(last) }
    return share
  }

  /// Adds credits at the end, to the last bucket where they are of the same one.
  fileprivate mutating func add(_ bucket: Bucket) {
    if bucket.credits == 0 { return }
    guard var last, last.isSame(kind: bucket.kind, expiresAt: bucket.expiresAt) else {
      return append(bucket)
    }
    _ = popLast()
    last.credits += bucket.credits
    append(last)
  }
}
