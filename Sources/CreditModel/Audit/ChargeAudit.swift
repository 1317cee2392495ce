/// Authorizations, charges, their corrections and refunds, applied from their records.
extension Account {
  mutating func apply(_ recorded: CreditAuthorization, after earlier: LedgerRecord?)
    throws(CreditError)
  {
    try expect(earlier == nil, "the id is that of an earlier record")
    try requireOpen()
    // The credits of the accounts above are in their records.
    if parent == nil { try requireCredits(for: recorded.hold?.credits, of: recorded.model) }
    if let hold = recorded.hold {
      // Its accounts hold no more than it has; an exempt account above holds no part.
      let held = hold.heldBy.reduce(0 as Int128) { $0 + Int128($1.credits) }
      try expect(
        hold.credits > 0 && hold.heldBy.allSatisfy { $0.credits >= 0 }
          && held <= Int128(hold.credits)
          && (hold.heldBy.isEmpty || parent != nil && hold.heldBy[0].account == name),
        "held does not add up to the credits of the hold")
      try expect(
        HoldStep.isExpiry(hold.expiresAt, from: updatedAt), "expiresAt of the hold is wrong")
    }
    try expect(
      try authorize(recorded.id, recorded.hold, tags: recorded.tags, for: recorded.model)
        == recorded, "account, timestamp or model of the authorization is not as expected")
  }

  mutating func apply(_ recorded: Charge, after earlier: LedgerRecord?) throws(CreditError) {
    let receipt = recorded.receipt
    let (details, model) = (receipt.details, receipt.pricedModel)
    let isArrears = details?.isArrears ?? false
    try expect(recorded.hasSoundShares, "its shares do not add up to its credits")
    try expect(
      receipt.paidBy.isEmpty || parent != nil && !isExempt, "paidBy names an unneeded account")
    switch earlier?.event {
    case nil:
      try expect(
        recorded.key != nil && receipt.authorization.hold == nil
          && receipt.authorization.timestamp == updatedAt, "its key, hold or time is wrong")
      if isArrears {
        try expect(
          receipt.creditsCharged > 0 && (parent != nil || !isExempt && available(for: model) < 1)
            || countsAtUse(receipt), "arrears is true, but the account had credits")
      } else if receipt.creditsCharged > 0, parent == nil {
        try requireCredits(for: nil, of: model)
      }
    case .authorization(let authorization) where authorization.untagged == receipt.authorization:
      try expect(
        recorded.key == nil && (!isArrears || countsAtUse(receipt))
          && Tags.filling(details?.tags, from: authorization.tags) == details?.tags,
        "a key, arrears or tags differ from those of its authorization")
      release(authorization)
    default:
      throw CreditError(.corruptStore, "its authorization is not open")
    }
    try expect(
      details?.catalogModel.map { (goesByModel || parent != nil) && $0 != receipt.model } ?? true,
      "catalogModel is not needed")
    try expect(
      details?.limitUSD == nil || receipt.usd == nil && (countsDollars || parent != nil),
      "limitUSD is not needed")
    let paid = try pay(
      receipt.creditsCharged + (receipt.creditsWaived ?? 0), with: receipt.paidBy,
      countsWork ? recorded.measure : .none, for: model, at: recorded.countedAt)
    try expect(
      paid.price == receipt.creditsCharged && paid.waived == receipt.creditsWaived,
      "creditsCharged or creditsWaived is not as expected")
    try expect(
      paid.taken == recorded.taken && receipt.timestamp == updatedAt,
      "taken or timestamp is not as expected")
    try checkCrossings(of: recorded)
  }

  /// Whether limits count an arrears charge at the time of the work.
  private func countsAtUse(_ receipt: CreditReceipt) -> Bool {
    receipt.details?.usedAt != nil && (!limitCounters.isEmpty || parent != nil)
  }

  /// Checks that each share of a limit in a charge is reached. The number of that time is no longer
  /// known.
  private func checkCrossings(of charge: Charge) throws(CreditError) {
    for crossing in charge.receipt.details?.limitsCrossed ?? [] where crossing.account == name {
      let counter = limitCounters.first { $0.id == crossing.limit }
      try expect(
        counter?.used == crossing.used && counter?.unit == crossing.unit
          && LimitCrossing.isReached(crossing.percent, of: crossing.amount, by: crossing.used),
        "limitsCrossed names a share of a limit that is not reached")
    }
  }

  mutating func apply(
    amended recorded: Charge, after earlier: LedgerRecord?, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) {
    guard let charge = earlier?.event.charge else {
      throw CreditError(.corruptStore, "the record before it is not its charge")
    }
    try expect(charge.isSound && recorded.hasSoundShares, "its shares do not add up to its credits")
    let isReturn = recorded.amendment?.isReturn ?? false
    let follows = charge.amendment?.isReturn ?? false
    try expect(
      follows == (!isReturn && charge.isReturned(before: recorded.receipt.model)),
      "a change of model needs the return of all credits before it")
    var correction = isReturn ? Correction(toNothing: charge) : Correction(recorded: recorded)
    correction.take(sharesOf: recorded)
    // In earlier releases an account that was exempt by then paid the difference.
    try expect(
      [isExempt, false].contains {
        charge.waived(amendedTo: correction.credits, isExempt: $0) == correction.waived
      }, "creditsWaived is not as expected")
    try expect(
      try amend(charge, to: correction, purchase) == recorded, "the correction is not as expected")
    try checkCrossings(of: recorded)
  }

  mutating func apply(
    _ refund: Refund, of charge: Charge, after earlier: LedgerRecord?,
    _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) {
    var (first, last) = (earlier?.event.charge, Refund?.none)
    if case .chargeRefund(let refunded, let refund) = earlier?.event {
      (first, last) = (refunded, refund)
    }
    try expect(first == charge, "the record before it is not its charge")
    try expect(
      charge.isSound && charge.amendment?.isReturn != true, "no buckets paid for the charge")
    let (before, total) = (last?.requested ?? 0, refund.requested)
    // The credits requested back of each account: the account itself comes last.
    let above = refund.refundedTo.reduce(0 as Int128) {
      $0 + Int128($1.credits) + Int128($1.forfeited)
    }
    let asked = Int128(total) - Int128(before) - above
    try expect(
      before >= 0 && (last == nil ? total >= 0 : total > before)
        && total <= charge.receipt.creditsCharged
        && refund.refundedTo.allSatisfy { $0.credits >= 0 && $0.forfeited >= 0 }
        && (0...Int128(charge.receipt.ownCredits)).contains(asked), "its credits are out of range")
    var own = try self.refund(
      charge, Credits(asked), after: last, refundedTo: refund.refundedTo, reason: refund.reason,
      purchase)
    // Earlier releases recorded no buckets of a refund after a correction that settled a debt.
    if refund.shares == nil, charge.recordsMoves, !charge.taken.haveGrants { own.shares = nil }
    try expect(own == refund, "the refund is not as expected")
  }
}

extension LedgerEvent {
  var charge: Charge? {
    switch self {
    case .charge(let charge), .amend(let charge): charge
    default: nil
    }
  }
}
