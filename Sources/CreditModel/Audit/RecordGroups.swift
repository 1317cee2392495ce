/// Checks that the records of one write come together.
///
/// They are both sides of a transfer, a record and its shares, or a purchase and its bonuses. A
/// server has records of other accounts between bonuses and their purchase.
public struct RecordGroups: Sendable {
  /// Credits that the previous record gave to another account.
  private var given: Transfer?
  /// The shares whose records come next.
  private var shares: [ExpectedShare] = []
  /// Whether the rest of the group may have been dropped.
  private var mayEnd = false
  /// Whether the previous line cannot be read.
  private var followsGap = false
  /// The bonuses whose purchase has not come, by account.
  private var bonuses: [Name: PendingBonuses] = [:]

  private struct PendingBonuses: Sendable {
    let purchase: Name
    var granted: [GrantedBonus] = []
    /// Whether no record of the account is missing before them.
    var isSure: Bool
  }

  public init() {}

  /// Notes that lines follow that cannot be read.
  public mutating func addGap() {
    self = RecordGroups()
    followsGap = true
  }

  /// Checks the next record.
  /// - Parameters:
  ///   - mayBeAlone: true if the others of its group may have been dropped.
  ///   - isSure: true if no record of its account can be missing before it.
  public mutating func add(_ record: LedgerRecord, mayBeAlone: Bool = false, isSure: Bool)
    throws(RecordFault)
  {
    let (given, mayEnd, isAfterGap) = (given, mayEnd, followsGap)
    try addShare(record, mayBeAlone: mayBeAlone)
    try addPurchase(record, isSure: isSure)
    switch record.event {
    case .transferOut(let transfer) where transfer.to != .nobody: self.given = transfer
    case .transferIn(let transfer):
      if transfer == given { return }
      // The other side may be unreadable, dropped, or removed with its account.
      let isAlone = transfer.from == .nobody || isAfterGap || mayBeAlone
      if isAlone, given == nil || mayEnd { return }
      throw RecordFault("receives a transfer that the record before it does not give")
    default: break
    }
    if let given, !mayEnd {
      throw RecordFault("is not the other side of transfer \(quoted(given.id.text))")
    }
  }

  private mutating func addShare(_ record: LedgerRecord, mayBeAlone: Bool) throws(RecordFault) {
    let (expected, mayEnd, isAfterGap) = (shares, mayEnd, followsGap)
    (given, shares, self.mayEnd, followsGap) = (nil, [], mayBeAlone, false)
    if let next = expected.first {
      let fault = next.fault(of: record)
      if let fault, !mayEnd { throw RecordFault(fault) }
      if fault == nil {
        shares = Array(expected.dropFirst())
        self.mayEnd = mayEnd && mayBeAlone
        return
      }
    }
    guard case .share(let share) = record.event else {
      shares = record.expectedShares
      return
    }
    // The other account's record may be unreadable, dropped, or removed with its account.
    followsGap = isAfterGap
    if share.member != .nobody, !isAfterGap, !mayBeAlone {
      throw RecordFault("is a share that the record before it does not name")
    }
  }

  private mutating func addPurchase(_ record: LedgerRecord, isSure: Bool) throws(RecordFault) {
    let before = bonuses.isEmpty ? nil : bonuses.removeValue(forKey: record.account.name)
    /// - Parameter purchase: the one that the record is of; nil for another record.
    func check(_ purchase: Name?) throws(RecordFault) {
      guard let before, before.isSure, isSure, purchase != before.purchase else { return }
      throw RecordFault(
        "is not the purchase \(quoted(before.purchase.text)) of the bonuses before it")
    }
    if case .dropped = record.event { return }
    guard case .topUp(let topUp) = record.event else { return try check(nil) }
    let transaction = topUp.transaction
    if record.isOfBonus, let purchase = transaction.purchase {
      try check(purchase)
      var pending = before ?? PendingBonuses(purchase: purchase, isSure: isSure)
      pending.granted.append(GrantedBonus(id: transaction.id, credits: transaction.credits))
      bonuses[record.account.name] = pending
      return
    }
    try check(transaction.id)
    if isSure, before?.isSure ?? true, topUp.bonuses != before?.granted ?? [] {
      throw RecordFault("has bonuses other than those that were granted before it")
    }
  }

  /// The groups that are not whole: how a sentence about the books ends, and the account.
  public var unfinished: [(end: String, account: Name?)] {
    var all: [(end: String, account: Name?)] = []
    if let share = shares.first, !mayEnd {
      all.append(
        ("before all shares in authorization \(quoted(share.authorization.text))", share.member))
    }
    if let purchase = bonuses.values.lazy.filter(\.isSure).map(\.purchase).min() {
      all.append(("before the purchase \(quoted(purchase.text)), but after its bonuses", nil))
    }
    if let given, !mayEnd {
      all.append(("between the two sides of transfer \(quoted(given.id.text))", given.from))
    }
    return all
  }
}

extension LedgerRecord {
  /// True if it grants a promotion's bonus to a purchase, whose record follows.
  public var isOfBonus: Bool {
    guard case .topUp(let topUp) = event else { return false }
    return topUp.transaction.purchase != nil && original == nil
  }
}
