/// Authorizations, charges, their corrections and refunds, done again from their records.
extension Account {
  mutating func replay(_ recorded: CreditAuthorization) throws(CreditError) {
    try expect(
      recorded.account == name && recorded.timestamp == updatedAt,
      "the authorization is of another time")
    try requireOpen()
    try requireCredits(for: recorded.hold?.credits)
    guard let hold = recorded.hold else { return }
    try expect(hold.credits > 0, "the hold holds nothing")
    try expect(
      HoldStep.isExpiry(hold.expiresAt, from: updatedAt), "the hold expires at another time")
    try setAside(hold.credits, until: hold.expiresAt)
  }

  mutating func replayRelease(of authorization: CreditAuthorization) throws(CreditError) {
    try expect((authorization.hold?.credits ?? 1) > 0, "the hold holds nothing")
    release(authorization.hold)
  }

  mutating func replay(_ recorded: Charge, after earlier: LedgerRecord?)
    throws(CreditError)
  {
    let receipt = recorded.receipt
    try expect(receipt.creditsCharged >= 0, "a negative charge")
    try expect(
      isExempt
        ? receipt.creditsCharged == 0 && (receipt.creditsWaived ?? -1) >= 0
        : receipt.creditsWaived == nil,
      "an exempt account is charged nothing, and no other has credits waived")
    switch earlier?.event {
    case nil:
      try expect(
        recorded.key != nil && receipt.authorization.hold == nil
          && receipt.authorization.timestamp == updatedAt, "it has neither authorization nor key")
      if receipt.details?.isArrears == true {
        try expect(
          receipt.creditsCharged > 0 && !mayStart || countsAtUse(receipt), "it is no arrears")
      } else if receipt.creditsCharged > 0 {
        try requireCredits(for: nil)
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
    try expect(try burn(receipt.creditsCharged) == recorded.taken, "it was paid by other buckets")
    try expect(receipt.timestamp == updatedAt, "its receipt is of another time")
    count(receipt.creditsCharged, for: receipt.pricedModel, at: recorded.countedAt)
    try checkCrossings(of: recorded)
  }

  /// Whether limits count an arrears charge when the work was done.
  private func countsAtUse(_ receipt: CreditReceipt) -> Bool {
    receipt.details?.usedAt != nil && !limitCounters.isEmpty
  }

  /// A share of a limit that a charge says it has come to has to be reached. The number of the time
  /// is not known any more.
  private func checkCrossings(of charge: Charge) throws(CreditError) {
    for crossing in charge.receipt.details?.limitsCrossed ?? [] where crossing.account == name {
      let counter = limitCounters.first { $0.id == crossing.limit }
      try expect(
        counter?.used == crossing.used
          && LimitCrossing.isReached(crossing.percent, of: crossing.credits, by: crossing.used),
        "it says that it has come to a share of a limit that it has not")
    }
  }

  /// Corrects a charge as a record says.
  mutating func replay(amended recorded: Charge, after earlier: LedgerRecord?)
    throws(CreditError)
  {
    guard let charge = earlier?.event.charge else {
      throw CreditError(.corruptStore, "no such charge stands before it")
    }
    let isReturn = recorded.amendment?.isReturn ?? false
    let follows = charge.amendment?.isReturn ?? false
    try expect(
      follows == (!isReturn && recorded.receipt.model != charge.receipt.model),
      "another model takes nothing before all has been given back")
    let made =
      isReturn
      ? try takeNothing(for: charge)
      : try amend(charge, to: Correction(recorded: recorded))
    try expect(
      made.telling(recorded.receipt.details?.limitsCrossed ?? []) == recorded,
      "it says another correction")
    try checkCrossings(of: recorded)
  }

  mutating func replay(_ refund: Refund, of charge: Charge) throws(CreditError) {
    try expect(
      charge.isSound && charge.amendment?.isReturn != true, "the charge was paid by no buckets")
    let restored = try restore(charge.taken)
    count(-restored, for: charge.receipt.pricedModel, at: charge.countedAt)
    let (total, overflow) = restored.addingReportingOverflow(refund.forfeited)
    try expect(
      restored == refund.credits && !overflow && total == charge.receipt.creditsCharged,
      "it gave back another amount")
    try expect(refund.timestamp == updatedAt, "it is of another time")
  }
}

extension LedgerEvent {
  /// The charge that the event has made.
  var charge: Charge? {
    switch self {
    case .charge(let charge), .amend(let charge): charge
    default: nil
    }
  }
}
