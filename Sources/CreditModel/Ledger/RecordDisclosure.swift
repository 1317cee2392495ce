/// Rules for the accounts in copied books: each is kept, renamed or removed.
public struct RecordDisclosure: Sendable {
  /// The new names, by the old ones.
  public let renamed: [Name: Name]
  /// The accounts of which only ids are kept.
  public let removed: Set<Name>
  /// The ids of removed accounts that have been claimed.
  private var claimed: Set<RecordKey> = []
  /// The ids of their transactions, and of payments that have such parts.
  private var payments: Set<Name> = []

  public init(renamed: [Name: Name] = [:], removed: Set<Name> = []) {
    self.renamed = renamed
    self.removed = removed
  }

  public var isWhole: Bool { renamed.isEmpty && removed.isEmpty }

  /// Learns an id of a removed account's payments, first from its own records, then from news.
  public mutating func learn(_ record: LedgerRecord) {
    if case .payment(let id, let news) = record.event {
      if news.parts.contains(where: payments.contains) { payments.insert(id) }
    } else if removed.contains(record.account.name) {
      for case .transaction(let id)? in [record.event.id, record.event.originalID] {
        payments.insert(id)
      }
    }
  }

  /// Returns the records that replace one, in the order of the books. A removed account's record is
  /// replaced by claims of its new ids.
  public mutating func records(for record: LedgerRecord) -> [LedgerRecord] {
    if isWhole { return [record] }
    guard removed.contains(record.account.name) else { return [disclosed(record)] }
    let ids = [record.event.id, record.event.originalID].compactMap { $0 }
    return ids.filter { claimed.insert($0).inserted }.map {
      LedgerRecord(
        event: .claim($0),
        account: Account(name: .nobody, registeredAt: record.account.updatedAt))
    }
  }

  /// Returns the record of an account that stays. It contains the account's name once, and the
  /// other account's name if it is of a transfer.
  private func disclosed(_ record: LedgerRecord) -> LedgerRecord {
    var record = record
    record.account.name = name(of: record.account.name)
    record.account.parent = record.account.parent.map(name)
    switch record.event {
    case .transferOut(var transfer):
      (transfer.from, transfer.to) = (record.account.name, name(of: transfer.to))
      if transfer.to == .nobody { (transfer.reason, transfer.toBalance) = (nil, 0) }
      record.event = .transferOut(transfer)
    case .transferIn(var transfer):
      (transfer.from, transfer.to) = (name(of: transfer.from), record.account.name)
      if transfer.from == .nobody { (transfer.reason, transfer.fromBalance) = (nil, 0) }
      record.event = .transferIn(transfer)
    case .authorization(let authorization): record.event = .authorization(disclosed(authorization))
    case .void(let authorization): record.event = .void(disclosed(authorization))
    case .charge(let charge): record.event = .charge(disclosed(charge))
    case .amend(let charge): record.event = .amend(disclosed(charge))
    case .chargeRefund(let charge, var refund):
      for place in refund.refundedTo.indices {
        refund.refundedTo[place].account = name(of: refund.refundedTo[place].account)
      }
      record.event = .chargeRefund(disclosed(charge), refund)
    case .share(let share):
      record.event = .share(share.renamed(member: name(of: share.member)))
    case .payment(let id, var news):
      news.account = news.account.flatMap { removed.contains($0) ? nil : name(of: $0) }
      if payments.contains(id) {
        (news.paid, news.refunded, news.refunds, news.disputes) = (nil, nil, [], [])
      }
      record.event = .payment(id, news)
    default: break
    }
    return record
  }

  private func disclosed(_ authorization: CreditAuthorization) -> CreditAuthorization {
    guard var hold = authorization.hold, !hold.heldBy.isEmpty else { return authorization }
    for place in hold.heldBy.indices {
      hold.heldBy[place].account = name(of: hold.heldBy[place].account)
    }
    return CreditAuthorization(
      id: authorization.id, account: authorization.account, timestamp: authorization.timestamp,
      hold: hold, tags: authorization.tags, model: authorization.model)
  }

  private func disclosed(_ charge: Charge) -> Charge {
    var receipt = charge.receipt
    receipt.authorization = disclosed(receipt.authorization)
    if let details = receipt.details {
      var paidBy = details.paidBy
      for place in paidBy.indices { paidBy[place].account = name(of: paidBy[place].account) }
      receipt.details = details.with(
        reportedUSD: details.reportedUSD, costUSD: details.costUSD, tags: details.tags,
        amendment: details.amendment.map(disclosed), catalogModel: details.catalogModel,
        limitUSD: details.limitUSD, paidBy: paidBy,
        limitsCrossed: details.limitsCrossed.compactMap {
          var crossing = $0
          crossing.account = name(of: crossing.account)
          return crossing.account == .nobody ? nil : crossing
        })
    }
    return Charge(
      receipt: receipt, key: charge.key, taken: charge.taken, unreadUsage: charge.unreadUsage)
  }

  private func disclosed(_ amendment: Amendment) -> Amendment {
    Amendment(
      number: amendment.number, isReturn: amendment.isReturn, chargedAt: amendment.chargedAt,
      first: amendment.first, previousCredits: amendment.previousCredits,
      previousPrice: amendment.previousPrice, credits: amendment.credits,
      forfeited: amendment.forfeited, moved: amendment.moved,
      shares: amendment.shares.map { HeldShare(account: name(of: $0.account), credits: $0.credits) }
    )
  }

  private func name(of account: Name) -> Name {
    removed.contains(account) ? .nobody : renamed[account] ?? account
  }
}
