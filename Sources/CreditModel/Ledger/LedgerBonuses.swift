// What promotions of the catalog grant with a purchase.
extension Ledger {
  /// Grants the bonuses of a completed purchase. Their records come before the purchase's own, so
  /// that its balance is the one that the write leaves.
  /// - Returns: what was granted.
  /// - Throws: `amount_out_of_range`, `limit_exceeded`, `invalid_request`.
  func grantBonuses(of purchase: Transaction, on open: inout OpenAccount) throws(CreditError)
    -> [GrantedBonus]
  {
    guard purchase.kind.isSold, purchase.status == .completed,
      let product = try purchase.productID.flatMap(policy.prices.product)
    else { return [] }
    var granted: [GrantedBonus] = []
    let time = open.account.updatedAt
    for bonus in product.bonuses where bonus.isGranted(at: time) {
      let credits = try bonus.credits(of: purchase)
      let text = "\(purchase.id.text):\(bonus.id.text)"
      if credits == 0 { continue }
      if let problem = Name.problem(with: text, limit: Name.idLimit) {
        throw CreditError(.invalidRequest, "the id of the bonus \(quoted(text)) \(problem)")
      }
      let id = Name(trusted: text)
      // Who took the id before keeps it.
      if try books.transaction(id) != nil { continue }
      var transaction = Transaction(
        id: id, account: purchase.account, kind: .bonus, status: .completed, credits: credits,
        timestamp: time)
      transaction.purchase = purchase.id
      try transaction.takeTerms(of: bonus, at: time)
      let added = try open.account.take(transaction)
      open.precede(
        by: .topUp(
          TopUp(transaction: transaction, creditsAdded: added, newBalance: open.account.balance)))
      granted.append(GrantedBonus(id: id, credits: credits))
    }
    return granted
  }

  /// Takes back what is left of a purchase's bonuses.
  func takeBackBonuses(of purchase: TopUp, reason: String?, on open: inout OpenAccount)
    throws(CreditError)
  {
    for bonus in purchase.bonuses {
      guard let found = try books.transaction(bonus.id) else { continue }
      let entry = open.started(found)
      guard entry.topUp.transaction.status == .completed else { continue }
      var topUp = entry.topUp
      let shares = try open.account.takeBackRest(of: topUp)
      topUp.transaction.status = .refunded
      var refund = Refund(
        credits: shares.total, newBalance: open.account.balance,
        timestamp: open.account.updatedAt, reason: reason)
      refund.shares = shares
      refund.isVoid = true
      open.precede(by: .topUpRefund(topUp, refund), original: entry.position)
    }
  }

  /// Gives again what was taken back of a purchase's bonuses with it.
  func restoreBonuses(of purchase: TopUp, reason: String?, on open: inout OpenAccount)
    throws(CreditError)
  {
    for bonus in purchase.bonuses {
      guard let entry = try books.transaction(bonus.id), let refund = entry.lastRefund,
        refund.isVoid
      else { continue }
      var topUp = entry.topUp
      try open.account.giveAgain(refund, of: topUp)
      topUp.transaction.status = .completed
      let reversal = Refund(
        credits: -refund.total, newBalance: open.account.balance,
        timestamp: open.account.updatedAt, reason: reason)
      open.precede(by: .topUpRefund(topUp, reversal), original: entry.position)
    }
  }
}

extension OpenAccount {
  /// Has the record of an event come before the one that ends the write.
  mutating func precede(by event: LedgerEvent, original: RecordPosition? = nil) {
    account.count(event, isFirst: original == nil)
    preceding.append(LedgerRecord(event: event, account: account, original: original))
  }
}
