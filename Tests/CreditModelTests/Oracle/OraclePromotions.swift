import CreditModel

// Promotions.
extension LedgerOracle {
  /// Enters the product's promotions with a purchase that comes next.
  mutating func grantBonuses(with topUp: inout TopUp, of account: OracleAccount) throws(Refusal) {
    guard [.purchase, .subscription].contains(topUp.kind), topUp.status == .completed,
      topUp.terms?.startsAt.map({ $0 <= account.clock }) ?? true,
      topUp.until.map({ $0 > account.clock }) ?? true,
      case .product(let id, _) = topUp.grant,
      let product = LedgerFixture.products.first(where: { $0.id == id })
    else { return }
    let name = topUp.account
    let hasBought = topUps.contains {
      guard $0.account == name else { return false }
      switch $0.kind {
      case .purchase: return $0.started(by: account.clock).added > 0
      // It may come without credits.
      case .subscription: return $0.status == .completed || $0.status == .refunded
      case .bonus, .adjustment: return false
      }
    }
    for bonus in product.bonuses {
      if let from = bonus.from, account.clock < from { continue }
      if let until = bonus.until, account.clock >= until { continue }
      if bonus.isForFirst, hasBought { continue }
      let credits: Credits
      switch bonus.amount {
      case .credits(let fixed): credits = fixed
      case .percent(let percent):
        credits = Credits(Int128(topUp.credits) * Int128(percent) / 100)
      }
      let id = Name(trusted: topUp.id.text + ":" + bonus.id.text)
      if credits == 0 || topUps.contains(where: { $0.id == id }) { continue }
      var granted = TopUp(
        id: id, account: name, kind: .bonus, status: .completed, grant: .credits(credits),
        credits: credits, time: account.clock, added: credits, balance: 0)
      try granted.take(bonus.terms, after: nil)
      granted.terms = GrantTerms(
        priority: bonus.terms.priority ?? 50, models: bonus.terms.models, stated: StatedTerms())
      let terms = OracleAccount.Terms(
        id: id, number: Int64(facts.count), priority: bonus.terms.priority ?? 50,
        models: bonus.terms.models?.names.map(\.text))
      enter(name, now, .granted(credits, .bonus, until: granted.until, terms))
      granted.balance = try balance(name, now)
      topUps.append(granted)
      topUp.bonuses.append(id)
    }
  }

  /// Takes back the rest of a purchase's bonuses.
  mutating func takeBackBonuses(of topUp: TopUp, _ time: Timestamp) throws(Refusal) {
    for id in topUp.bonuses {
      guard let place = topUps.firstIndex(where: { $0.id == id }),
        topUps[place].status == .completed
      else { continue }
      let left = try account(topUp.account, at: time)?.left(of: id) ?? 0
      enter(topUp.account, time, .voided(id))
      let after = try account(topUp.account, at: time)
      topUps[place].status = .refunded
      topUps[place].refunded = Credits(left)
      topUps[place].refund =
        "refunded transaction \(id.text) \(left) for -1 balance \(after?.balance ?? 0) at "
        + (after?.clock.text ?? "")
    }
  }
}
