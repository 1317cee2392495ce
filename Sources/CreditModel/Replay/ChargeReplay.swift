/// Authorizations, charges, their corrections and refunds, replayed from their records.
extension Account {
  mutating func replay(_ recorded: CreditAuthorization) throws(CreditError) {
    try expect(
      recorded.account == name && recorded.timestamp == updatedAt,
      "the authorization is of another time")
    try requireOpen()
    try expect(recorded.model == nil || hasScopedCredits, "it names its model needlessly")
    // The credits of the accounts above are in their records.
    if parent == nil { try requireCredits(for: recorded.hold?.credits, of: recorded.model) }
    guard let hold = recorded.hold else { return }
    try expect(
      hold.heldBy.isEmpty
        || parent != nil && hold.heldBy[0].account == name
          && hold.heldBy.allSatisfy { $0.credits >= 0 }
          // An exempt account above sets nothing aside.
          && hold.heldBy.reduce(0 as Int128) { $0 + Int128($1.credits) } <= Int128(hold.credits),
      "the shares of the hold do not add up")
    try expect(hold.credits > 0, "the hold holds nothing")
    try expect(
      HoldStep.isExpiry(hold.expiresAt, from: updatedAt), "the hold expires at another time")
    try setAside(hold.part(0))
  }

  mutating func replayRelease(of authorization: CreditAuthorization) throws(CreditError) {
    try expect((authorization.hold?.credits ?? 1) > 0, "the hold holds nothing")
    if let hold = authorization.hold { release(hold.part(0)) }
  }

  mutating func replay(_ recorded: Charge, after earlier: LedgerRecord?)
    throws(CreditError)
  {
    let receipt = recorded.receipt
    try expect(receipt.creditsCharged >= 0 && recorded.isSound, "its shares do not add up")
    let waived = receipt.paidBy.reduce(0) { $0 + $1.waived }
    try expect(
      isExempt
        ? receipt.creditsCharged == 0 && (receipt.creditsWaived ?? -1) >= 0
        : receipt.creditsWaived == (waived > 0 ? waived : nil),
      "an exempt account is charged nothing, and no other has credits waived")
    try expect(receipt.paidBy.isEmpty || parent != nil, "another account paid without need")
    switch earlier?.event {
    case nil:
      try expect(
        recorded.key != nil && receipt.authorization.hold == nil
          && receipt.authorization.timestamp == updatedAt, "it has neither authorization nor key")
      if receipt.details?.isArrears == true {
        try expect(
          receipt.creditsCharged > 0
            && (parent != nil || !isExempt && available(for: receipt.pricedModel) < 1)
            || countsAtUse(receipt), "it is no arrears")
      } else if receipt.creditsCharged > 0, parent == nil {
        try requireCredits(for: nil, of: receipt.pricedModel)
      }
    case .authorization(let authorization) where authorization.untagged == receipt.authorization:
      try expect(
        recorded.key == nil && (receipt.details?.isArrears != true || countsAtUse(receipt)),
        "it has an authorization and a key")
      let tags = receipt.details?.tags
      try expect(
        Tags.filling(tags, from: authorization.tags) == tags, "it lacks its authorization's tags")
      try replayRelease(of: receipt.authorization)
    default:
      throw CreditError(.corruptStore, "its authorization is not open")
    }
    try expect(
      receipt.details?.catalogModel.map {
        (goesByModel || parent != nil) && $0 != receipt.model
      } ?? true, "it names the model of the catalog needlessly")
    try expect(
      try burn(receipt.ownCredits, for: receipt.pricedModel) == recorded.taken,
      "it was paid by other buckets")
    try expect(receipt.timestamp == updatedAt, "its receipt is of another time")
    count(receipt.creditsCharged, for: receipt.pricedModel, at: recorded.countedAt)
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
        counter?.used == crossing.used
          && LimitCrossing.isReached(crossing.percent, of: crossing.credits, by: crossing.used),
        "it says that it has come to a share of a limit that it has not")
    }
  }

  /// Replays a correction of a charge.
  mutating func replay(
    amended recorded: Charge, after earlier: LedgerRecord?, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) {
    guard let charge = earlier?.event.charge else {
      throw CreditError(.corruptStore, "no such charge comes before it")
    }
    try expect(charge.isSound && recorded.isSound, "its shares do not add up")
    let isReturn = recorded.amendment?.isReturn ?? false
    let follows = charge.amendment?.isReturn ?? false
    try expect(
      follows == (!isReturn && recorded.receipt.model != charge.receipt.model),
      "another model takes nothing before all has been given back")
    var correction = isReturn ? Correction(toNothing: charge) : Correction(recorded: recorded)
    correction.take(sharesOf: recorded)
    // In earlier releases an account that was exempt by then paid the difference.
    try expect(
      [isExempt, false].contains {
        charge.waived(amendedTo: correction.credits, isExempt: $0) == correction.waived
      }, "it waives another amount")
    try expect(
      try amend(charge, to: correction, purchase) == recorded, "it says another correction")
    try checkCrossings(of: recorded)
  }

  /// - Parameter last: the previous refund of the charge.
  mutating func replay(
    _ refund: Refund, of charge: Charge, after last: Refund?, _ purchase: GrantPurchase.LookUp
  ) throws(CreditError) {
    try expect(
      charge.isSound && charge.amendment?.isReturn != true, "the charge was paid by no buckets")
    var first = Refund(credits: 0, newBalance: 0, timestamp: updatedAt)
    if let last { first.follow(last) }
    try expect(
      refund.number == first.number && refund.before == first.before
        && refund.forfeitedBefore == first.forfeitedBefore, "it follows another refund")
    let before = last?.totalOfCharge ?? 0
    let total = refund.totalOfCharge
    try expect(
      refund.credits >= 0 && refund.forfeited >= 0 && total <= charge.receipt.creditsCharged
        && total >= before && (last == nil || total > before), "it gave back another amount")
    // The credits requested back of each account: the account itself comes last.
    let above = refund.refundedTo.reduce(0) { $0 + $1.credits + $1.forfeited }
    let paidAbove = charge.receipt.creditsCharged - charge.receipt.ownCredits
    let asked = total - before - above
    try expect(
      asked >= 0 && asked <= charge.receipt.ownCredits, "it gave back another amount")
    let (restored, isSettled) = try restore(
      asked, of: charge, before: max(0, before - paidAbove), purchase)
    try expect(
      refund.shares == (charge.taken.haveGrants || isSettled ? restored : nil),
      "it gave back to other buckets")
    let lost = refund.refundedTo.reduce(refund.forfeited) { $0 - $1.forfeited }
    try expect(
      restored.total == refund.ownCredits && restored.total + lost == asked,
      "it gave back another amount")
    try expect(refund.timestamp == updatedAt, "it is of another time")
    count(-refund.credits, for: charge.receipt.pricedModel, at: charge.countedAt)
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
