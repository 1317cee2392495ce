@testable import CreditModel
@testable import TestSupport

/// Rules for a store's records apart from the ledger's, checked as they come: every balance is the
/// sum of the account's changes, no action happens twice, and all acknowledged ones exist.
struct RecordAudit {
  /// Actions that happen at most once.
  private enum Deed: Hashable {
    case registered(Name)
    case authorized(Name)
    /// Charged or voided, but not both.
    case closed(Name)
    case chargedByKey(account: Name, Name)
    case amended(Name, Int64)
    case chargeRefunded(Name, Int64)
    case granted(Name)
    case grantedByKey(account: Name, Name)
    /// A reversal lets refunds count on.
    case topUpRefunded(Name, Int64)
    case given(Name)
    case givenByKey(account: Name, Name)
  }

  /// Whether no record may be earlier than the one before it; turns are of when they took effect.
  let clockIsReal: Bool
  private var latest = Timestamp.earliest
  private(set) var balances: [Name: Credits] = [:]
  /// The balances that the last write left, turns aside.
  private var written: [Name: Credits] = [:]
  /// The balances after a return whose charge for another model follows by the same write.
  private var returned: [Name: Credits] = [:]
  private var isAfterReturn = false
  /// When the plans end that subscriptions have set.
  private var planEnds: [Name: Timestamp] = [:]
  /// The previous record's transfer to the account of the next one.
  private var given: Transfer?
  /// The shares of others in the previous record: they come next.
  private var shares: [ExpectedShare] = []
  /// The record that says so.
  private var sharedRecord: LedgerRecord?
  private var counters: CounterAudit
  /// The actions that have happened, and the credits that each moved.
  private var deeds: [Deed: Credits] = [:]
  /// Actions acknowledged since the records were last complete.
  private var acknowledged: [(deed: Deed, credits: Credits?)] = []

  /// - Parameter zone: the wall clock of windows; nil for UTC.
  init(clockIsReal: Bool, in zone: SlowZone? = nil) {
    self.clockIsReal = clockIsReal
    counters = CounterAudit(zone: zone)
  }

  var sumOfBalances: Int128 { balances.values.reduce(0) { $0 + Int128($1) } }

  // MARK: Records

  /// Looks at the next record.
  mutating func take(_ record: LedgerRecord) throws(Violation) {
    try checkTime(record)
    let name = record.account.name
    let balance = balances[name, default: 0] + record.event.balanceChange
    guard balance == record.account.balance else {
      throw Violation(
        "\(name.text) has \(record.account.balance) credits, and its records come to \(balance)")
    }
    try checkCrossing(record)
    balances[name] = balance
    planEnds[name] = record.account.subscriptions.active?.endsAt
    try checkPair(record.event)
    try checkShares(record)
    try counters.take(record)
    switch record.event {
    case .registration(let starter): try note(.registered(name), starter)
    case .settings, .expiry, .refill, .topUpNews, .claim, .payment, .share: break
    case .dropped: throw Violation("a record was dropped, and no journal was damaged")
    case .authorization(let authorization): try note(.authorized(authorization.id), 0)
    case .void(let authorization): try note(.closed(authorization.id), 0)
    case .charge(let charge):
      try note(.closed(charge.receipt.authorization.id), charge.receipt.creditsCharged)
      if let key = charge.key { try note(.chargedByKey(account: name, key), 0) }
    case .amend(let charge):
      guard let amendment = charge.amendment else { throw Violation("an amendment of nothing") }
      if amendment.isReturn { break }
      try note(
        .amended(charge.receipt.authorization.id, amendment.number),
        charge.receipt.creditsCharged)
    case .chargeRefund(let charge, let refund):
      try note(.chargeRefunded(charge.receipt.authorization.id, refund.number), refund.credits)
    case .topUp(let topUp): try note(topUp, of: name)
    case .topUpRefund(let topUp, let refund): try note(refund, of: topUp.transaction)
    case .transferOut(let transfer):
      try note(.given(transfer.id), transfer.credits)
      try note(.givenByKey(account: name, transfer.key), 0)
    case .transferIn: break
    }
  }

  /// A write reports the thresholds crossed since the previous one, and its turns report none.
  private mutating func checkCrossing(_ record: LedgerRecord) throws(Violation) {
    let name = record.account.name
    let after = record.account.balance
    var crossed: [Credits] = []
    endReturn(before: record)
    switch record.event {
    case .expiry, .refill: break
    case .topUp where record.isStart: break
    // The purchase's own record ends the write.
    case .topUp(let topUp) where topUp.isBonus: break
    case .topUpRefund(let topUp, _) where topUp.isBonus: break
    // It makes room for another model, by the same write.
    case .amend(let charge) where charge.amendment?.isReturn == true:
      isAfterReturn = true
      returned[name] = after
    case .share(let share) where share.isOfReturn: returned[name] = after
    // A change of limits is recorded before the write that reports crossed ones.
    case .settings where record.crossed == nil:
      let before = written[name] ?? after
      let falls = RandomBatches.thresholds.contains { before >= $0 && after < $0 }
      if !falls { written[name] = after }
    default:
      let before = written[name] ?? after
      crossed = RandomBatches.thresholds.filter { before >= $0 && after < $0 }
      // The refund that its news reports follows by the same write.
      let topUp = record.event.topUp.topUp
      let isRefunded = topUp?.payment?.share.part ?? 0 > 0
      let isUnfinished = isRefunded && topUp?.transaction.status == .completed
      written[name] = isUnfinished ? min(before, after) : after
      returned[name] = nil
    }
    if record.crossed ?? [] != crossed {
      throw Violation("crossed \(record.crossed ?? []), not \(crossed): \(record.event)")
    }
  }

  /// Takes over the balances after a return, if the event begins another write. An account that
  /// the return has paid back need not pay for the other model.
  private mutating func endReturn(before record: LedgerRecord) {
    switch record.event {
    case .expiry, .refill, .share: return
    case .topUp where record.isStart: return
    case .amend where isAfterReturn: isAfterReturn = false
    default:
      written.merge(returned) { $1 }
      returned = [:]
      isAfterReturn = false
    }
  }

  /// Both sides of a transfer are there, side by side, or none.
  private mutating func checkPair(_ event: LedgerEvent) throws(Violation) {
    if case .transferIn(let transfer) = event {
      guard given == transfer else { throw Violation("received, but not given: \(transfer)") }
      given = nil
    } else if let given {
      throw Violation("given, but not received: \(given)")
    }
    if case .transferOut(let transfer) = event { given = transfer }
  }

  /// The shares of a record follow it, all or none.
  private mutating func checkShares(_ record: LedgerRecord) throws(Violation) {
    if let expected = shares.first {
      if let fault = expected.fault(of: record) ?? sharedRecord?.faultOfWork(in: record) {
        throw Violation("a record \(fault)")
      }
      shares.removeFirst()
    } else if case .share = record.event {
      throw Violation("a share of nothing")
    } else {
      shares = record.expectedShares
      sharedRecord = record
    }
  }

  private mutating func checkTime(_ record: LedgerRecord) throws(Violation) {
    switch record.event {
    case .expiry, .refill: return
    case .topUp where record.isStart: return
    case .settings where planEnds[record.account.name] == record.account.updatedAt: return
    default: break
    }
    let time = record.account.updatedAt
    if clockIsReal, time < latest {
      throw Violation("\(record.event) of \(time.text) after a record of \(latest.text)")
    }
    latest = time
  }

  private mutating func note(_ topUp: TopUp, of account: Name) throws(Violation) {
    guard topUp.transaction.status == .completed else { return }
    try note(.granted(topUp.transaction.id), topUp.creditsAdded)
    if let key = topUp.transaction.key { try note(.grantedByKey(account: account, key), 0) }
  }

  private mutating func note(_ refund: Refund, of transaction: Transaction) throws(Violation) {
    if transaction.status == .completed { return }
    try note(.topUpRefunded(transaction.id, refund.number), refund.credits)
  }

  private mutating func note(_ deed: Deed, _ credits: Credits) throws(Violation) {
    guard deeds.updateValue(credits, forKey: deed) == nil else {
      throw Violation("\(deed) for the second time")
    }
  }

  // MARK: Results

  /// Notes a result that a process has given.
  mutating func acknowledge(_ result: GateResult) {
    switch result {
    case .crossing(let result, _), .funds(let result, _), .plan(let result, _):
      acknowledge(result)
    case .authorization(let authorization, _, _):
      acknowledged.append((.authorized(authorization.id), 0))
    case .voided(let authorization, _): acknowledged.append((.closed(authorization.id), 0))
    case .receipt(let charge, _), .refundedReceipt(let charge, _):
      let id = charge.receipt.authorization.id
      let deed = charge.amendment.map { Deed.amended(id, $0.number) } ?? .closed(id)
      acknowledged.append((deed, charge.receipt.creditsCharged))
    case .topUp(let topUp, let isReplay):
      if [.pending, .failed, .scheduled].contains(topUp.transaction.status) { return }
      // A grant starts by arithmetic: its repeat is answered before a write has recorded that.
      if isReplay, topUp.transaction.terms?.startsAt != nil { return }
      // An extension of a subscription adds no credits, and a reversal adds those that the refunds
      // had taken.
      let isWhole = topUp.creditsAdded == topUp.transaction.credits
      acknowledged.append((.granted(topUp.transaction.id), isWhole ? topUp.creditsAdded : nil))
    case .transactionRefund(let transaction, let refund, _):
      acknowledged.append((.topUpRefunded(transaction.id, refund.number), refund.credits))
    case .chargeRefund(let authorization, _, let refund, _):
      acknowledged.append((.chargeRefunded(authorization.id, refund.number), refund.credits))
    case .account(let view):
      acknowledged.append((.registered(view.account.name), nil))
    case .transfer(let transfer, _):
      acknowledged.append((.given(transfer.id), transfer.credits))
    case .payments(_, let results):
      for result in results { acknowledge(result) }
    case .skipped, .notification, .event, .subscriptionEnd: break
    }
  }

  /// Says that every record that is there was taken.
  mutating func checkAcknowledged() throws(Violation) {
    if let given { throw Violation("given, but not received: \(given)") }
    if let share = shares.first { throw Violation("a share is lost: \(share)") }
    for result in acknowledged {
      guard deeds[result.deed].map({ $0 == result.credits ?? $0 }) ?? false else {
        throw Violation("\(result.deed) was acknowledged, and is not there")
      }
    }
    acknowledged.removeAll(keepingCapacity: true)
  }
}

extension LedgerRecord {
  /// True if a grant has started, perhaps long before its record.
  fileprivate var isStart: Bool {
    guard case .topUp(let topUp) = event, topUp.creditsAdded > 0 else { return false }
    return topUp.transaction.terms?.startsAt == topUp.transaction.timestamp
  }
}

extension TopUp {
  /// Whether a promotion granted it with a purchase.
  fileprivate var isBonus: Bool { transaction.purchase != nil }
}

extension Share {
  fileprivate var isOfReturn: Bool {
    if case .amend(_, isReturn: true) = step { true } else { false }
  }
}
