// How the accounts of a chain pay for a charge.
extension OpenChain {
  /// The rule of the deduction; the charge's own hold must be released before.
  /// - Throws: `insufficient_credits` without overdraft, `spend_limit`, `amount_out_of_range`.
  mutating func charge(
    _ quote: PriceQuote, for request: ChargeRequest, under authorization: CreditAuthorization,
    key: Name? = nil, isArrears: Bool = false, policy: Policy
  ) throws(CreditError) -> Charge {
    let owed = own.account.isExempt ? 0 : quote.credits
    if owed > 0, !request.isArrears {
      try requireRoom(for: owed, isDirect: key != nil, under: policy)
    }
    let counters = own.account.limitCounters
    let catalogModel = catalogModel(model, insteadOf: request.model)
    var (taken, paidBy) = try pay(owed)
    let waived = paidBy.reduce(0) { $0 + $1.waived }
    let price = owed - waived
    // At the time of use it counts only where it is no more than billed: nobody can get around a
    // limit by saying when something was used.
    let countsAtUse = request.isArrears && request.usedAt != nil && mayCount
    let countedAt = own.account.instant(
      of: min(countsAtUse ? request.usedAt ?? .latest : .latest, own.account.updatedAt))
    own.account.count(price, for: model, at: countedAt)
    count(&paidBy, for: model, at: countedAt.time)
    for place in paidBy.indices { noteBalance(in: &paidBy[place], under: policy) }
    var unreadUsage: String?
    if case .unreadable(let raw, _) = request.usage { unreadUsage = raw }
    return Charge(
      receipt: CreditReceipt(
        authorization: authorization.untagged, model: request.model, usage: quote.usage,
        creditsCharged: price, newBalance: own.account.balance, timestamp: own.account.updatedAt,
        usd: quote.usd,
        details: .of(
          usedAt: request.usedAt, reportedUSD: request.reportedUSD, costUSD: quote.costUSD,
          tags: .filling(request.tags, from: authorization.tags),
          isArrears: isArrears || countsAtUse,
          catalogModel: catalogModel, paidBy: paidBy, countedAfter: countedAt.after,
          limitsCrossed: limitsCrossed(since: counters, under: policy)),
        creditsWaived: own.account.isExempt ? quote.credits : waived > 0 ? waived : nil,
        isFallback: quote.isFallback,
        remarks: .of(request.remarks, unpriced: quote.unpriced)),
      key: key, taken: taken, unreadUsage: unreadUsage)
  }

  /// Takes what is owed from each account, as far as it has credits free of holds, and the rest
  /// from the payer.
  /// - Returns: what came from the account's own buckets, and what each that was reached above it
  ///   has paid.
  private mutating func pay(_ owed: Credits) throws(CreditError) -> (BucketShares, [PaidShare]) {
    let paying = paying
    if paying.isEmpty || owed == 0 { return (try own.account.burn(owed, for: model), []) }
    var rest = owed - ownPart(of: owed)
    let taken = try own.account.burn(owed - rest, for: model)
    var paidBy: [PaidShare] = []
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
    return (taken, paidBy)
  }

  /// Counts in the limits of each account above what was paid by it and above it.
  private func count(_ paidBy: inout [PaidShare], for model: Name?, at time: Timestamp) {
    var reached = paidBy.reduce(0) { $0 + $1.credits }
    for place in paidBy.indices {
      guard let parent = account(paidBy[place].account) else { continue }
      let instant = parent.account.instant(of: time)
      parent.count(reached, for: model, at: instant)
      paidBy[place].countedAfter = instant.after
      reached -= paidBy[place].credits
    }
  }

  func noteBalance(in share: inout PaidShare, under policy: Policy) {
    guard let account = account(share.account) else { return }
    share.newBalance = account.account.balance
    share.crossed = account.crossed(under: policy)
  }

  /// Whether an account of the chain has limits.
  var mayCount: Bool {
    if !own.account.limitCounters.isEmpty { return true }
    return parents.contains { !$0.account.limitCounters.isEmpty }
  }

  /// The catalog id of a model, where a record has to say it: limits or credits go by it, and the
  /// request named the model otherwise.
  func catalogModel(_ id: Name?, insteadOf model: Name) -> Name? {
    let isSaid = own.account.goesByModel || parents.contains { $0.account.goesByModel }
    return isSaid && id != model ? id : nil
  }

  /// The shares of limits that the accounts of the chain have come to, its own first.
  /// - Parameter counters: its own, as they were before.
  func limitsCrossed(since counters: [LimitCounter], under policy: Policy) -> [LimitCrossing] {
    if hasNoLimits { return [] }
    var crossings = own.account.limitsCrossed(since: counters, under: policy)
    for parent in above.accounts {
      crossings += parent.account.limitsCrossed(since: parent.countersBefore, under: policy)
    }
    return crossings
  }
}
