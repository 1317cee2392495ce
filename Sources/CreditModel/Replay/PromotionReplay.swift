/// Checks that a purchase and what promotions grant with it are one write: of an account the
/// records of the bonuses come right before the purchase's, which says them.
package struct PromotionReplay: Sendable {
  fileprivate struct Waiting: Sendable {
    let purchase: Name
    var bonuses: [GrantedBonus] = []
    /// Whether no record of the account is missing before them.
    var isSure: Bool
  }

  /// By account: a server has records of others in between.
  private var waiting: [Name: Waiting] = [:]

  package init() {}

  /// A purchase that has not come after its bonuses; nil if no purchase is missing.
  package var missing: Name? { waiting.values.lazy.filter(\.isSure).map(\.purchase).min() }

  /// Takes the next record.
  /// - Parameter isSure: whether no record of its account may be missing before it.
  /// - Throws: where it does not come with what it belongs to.
  package mutating func add(_ record: LedgerRecord, isSure: Bool) throws(ReplayFault) {
    let before = waiting.isEmpty ? nil : waiting.removeValue(forKey: record.account.name)
    if case .dropped = record.event { return }
    guard case .topUp(let topUp) = record.event else {
      try before?.check(isSure, nil)
      return
    }
    if record.isOfBonus, let purchase = topUp.transaction.purchase {
      try before?.check(isSure, purchase)
      var group = before ?? Waiting(purchase: purchase, isSure: isSure)
      group.bonuses.append(
        GrantedBonus(id: topUp.transaction.id, credits: topUp.transaction.credits))
      waiting[record.account.name] = group
      return
    }
    try before?.check(isSure, topUp.transaction.id)
    let isWhole = isSure && before?.isSure ?? true
    if isWhole, topUp.bonuses != before?.bonuses ?? [] {
      throw ReplayFault("says other bonuses than were granted before it")
    }
  }

  /// Forgets what waits: lines follow that can't be read.
  package mutating func addGap() { waiting = [:] }
}

extension PromotionReplay.Waiting {
  /// - Parameter purchase: which one the next record of the account is of; nil for none.
  fileprivate func check(_ isSure: Bool, _ purchase: Name?) throws(ReplayFault) {
    if !self.isSure || !isSure || purchase == self.purchase { return }
    throw ReplayFault(
      "is where the purchase \(quoted(self.purchase.text)) of the bonuses before it should")
  }
}

extension LedgerRecord {
  /// True if it grants a promotion's bonus to a purchase, whose record follows.
  package var isOfBonus: Bool {
    guard case .topUp(let topUp) = event else { return false }
    return topUp.transaction.purchase != nil && original == nil
  }
}
