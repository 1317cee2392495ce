// What promotions of the catalog grant with a purchase.
extension Ledger {
  /// Grants the bonuses of a completed purchase. Their records come before the purchase's own, so
  /// that its balance is the one that the write leaves.
  /// - Parameter isPaid: see ``Account/take(_:isPaid:)``.
  /// - Returns: what was granted.
  /// - Throws: `amount_out_of_range`, `limit_exceeded`, `invalid_request`.
  func grantBonuses(
    of purchase: Transaction, isPaid: Bool, on open: inout OpenAccount
  ) throws(CreditError) -> [GrantedBonus] {
    guard purchase.kind.isSold, purchase.status == .completed,
      let product = try purchase.productID.flatMap(policy.prices.product)
    else { return [] }
    var granted: [GrantedBonus] = []
    let time = open.account.updatedAt
    let bonuses = product.bonuses.filter { $0.isGranted(at: time) }
    let asksForFirst = bonuses.contains(where: \.isForFirst)
    let isFirst = asksForFirst ? try isFirstPurchase(of: open) : false
    for bonus in bonuses where isFirst || !bonus.isForFirst {
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
      let added = try open.account.take(transaction, isPaid: isPaid).added
      open.precede(
        by: .topUp(
          TopUp(transaction: transaction, creditsAdded: added, newBalance: open.account.balance)))
      granted.append(GrantedBonus(id: id, credits: credits))
    }
    // The purchase itself says so: the next one need not look for it.
    if asksForFirst { open.account.hasBought = true }
    return granted
  }

  /// Returns true if the account has had no completed purchase of any product. A purchase counts
  /// even if it was refunded since, or made before the catalog had promotions.
  private func isFirstPurchase(of open: borrowing OpenAccount) throws(CreditError) -> Bool {
    if open.account.hasBought || open.preceding.contains(where: \.isOfPurchase) { return false }
    return try !books.hasPurchase(open.account.name)
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
      refund.follow(entry)
      refund.shares = shares
      refund.isVoid = true
      open.precede(by: .topUpRefund(topUp, refund), original: entry.position)
    }
  }

  /// Gives again what was taken back of a purchase's bonuses with it: not of one that was voided by
  /// hand before, nor of one that would have expired meanwhile.
  /// - Parameter last: the purchase's last refund.
  func restoreBonuses(
    of purchase: TopUp, after last: Refund, reason: String?, on open: inout OpenAccount
  ) throws(CreditError) {
    for bonus in purchase.bonuses {
      guard let entry = try books.transaction(bonus.id), let refund = entry.lastRefund,
        refund.isVoid, !last.isFirst || refund.timestamp == last.timestamp,
        entry.topUp.transaction.expiresAt.map({ $0 > open.account.updatedAt }) ?? true
      else { continue }
      var topUp = entry.topUp
      try open.account.giveAgain(refund, of: topUp)
      topUp.transaction.status = .completed
      let reversal = Refund(reversing: refund, of: topUp, on: open.account, reason: reason)
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
