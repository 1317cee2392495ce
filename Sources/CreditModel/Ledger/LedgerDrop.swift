// What the books say where records are missing that could not be read any more.
//
// The record of ``LedgerEvent/dropped(credits:)`` says by how much the missing ones had changed the
// account's balance. What they did otherwise is not known: so the record after it is taken as it
// is, and the rules go on from there.

/// What of an account the record after a drop is held against.
package struct AccountFooting: Sendable {
  package var balance: Credits
  package var recordCount: Int64
  package var transactionCount: Int64

  /// Of an account that has no record.
  package static let none = AccountFooting(balance: 0, recordCount: 0, transactionCount: 0)

  init(_ account: Account) {
    self.init(
      balance: account.balance, recordCount: account.recordCount,
      transactionCount: account.transactionCount)
  }

  package init(balance: Credits, recordCount: Int64, transactionCount: Int64) {
    self.balance = balance
    self.recordCount = recordCount
    self.transactionCount = transactionCount
  }
}

extension LedgerRecord {
  /// Returns a record that notes missing records before the account's next one. Returns nil if that
  /// next record's balance cannot be right.
  /// - Parameter footing: the account as the record before the missing ones left it.
  package static func dropped(before next: LedgerRecord, after footing: AccountFooting)
    -> LedgerRecord?
  {
    let (balance, isTooLarge) = next.account.balance.subtractingReportingOverflow(
      next.event.movedCredits)
    let (credits, overflow) = balance.subtractingReportingOverflow(footing.balance)
    if isTooLarge || overflow { return nil }
    // How the balance was made up is not known.
    var account = Account(name: next.account.name, registeredAt: next.account.registeredAt)
    account.updatedAt = next.account.updatedAt
    account.buckets = Buckets(UndatedCredits(purchased: balance), listed: nil)
    var record = LedgerRecord(event: .dropped(credits: credits), account: account)
    record.renumber(after: footing)
    return record
  }

  /// The record that says that all records are missing of an account that others have above them.
  package static func dropped(parent name: Name, at time: Timestamp) -> LedgerRecord {
    var account = Account(name: name, registeredAt: time)
    account.hasChildren = true
    var record = LedgerRecord(event: .dropped(credits: 0), account: account)
    record.renumber(after: .none)
    return record
  }

  /// Counts the record as the next one of its account, which it was not when it was written.
  package mutating func renumber(after footing: AccountFooting) {
    account.recordCount = footing.recordCount
    account.transactionCount = footing.transactionCount
    account.count(event, isFirst: original == nil)
  }

  /// Checks a record whose state is taken as it is: one that says that records are missing, or the
  /// one after it.
  package func check(on footing: AccountFooting) throws(ReplayFault) {
    guard account.isSound else { throw ReplayFault("has a state that no rule makes") }
    var made = self
    made.renumber(after: footing)
    guard made.account.recordCount == account.recordCount,
      made.account.transactionCount == account.transactionCount
    else { throw ReplayFault("is counted as another record of its account") }
    let (balance, overflow) = footing.balance.addingReportingOverflow(event.movedCredits)
    guard !overflow, balance == account.balance else {
      throw ReplayFault(
        "has the balance \(account.balance) where its events make it \(balance)")
    }
  }
}

extension LedgerEvent {
  /// What the event says that the balance changed by.
  package var movedCredits: Credits {
    switch self {
    case .registration(let credits), .settings(let credits), .refill(let credits),
      .expiry(_, let credits, _), .dropped(let credits):
      credits
    case .authorization, .void, .topUpNews, .claim, .payment: 0
    case .charge(let charge): 0 &- charge.receipt.ownCredits
    case .amend(let charge): charge.amendment?.credits ?? 0
    case .chargeRefund(_, let refund): refund.ownCredits
    case .share(let share): share.credits
    case .topUp(let topUp): topUp.creditsAdded
    // What has never been part of the balance is not taken from it.
    case .topUpRefund(let topUp, let refund): 0 &- min(refund.credits, topUp.creditsAdded)
    case .transferOut(let transfer): 0 &- transfer.credits
    case .transferIn(let transfer): transfer.credits
    }
  }

  /// True if another record of the same id may or must come before.
  package var mayFollowAnother: Bool {
    switch self {
    case .void, .charge, .amend, .chargeRefund, .topUp, .topUpRefund, .topUpNews: true
    default: false
    }
  }
}
