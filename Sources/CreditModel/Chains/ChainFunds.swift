/// What may still be spent on behalf of an account that others pay for.
package struct ChainFunds: Hashable, Sendable {
  /// The last account of its chain, which pays what no other can.
  package let payer: Name
  /// What may be taken of credits and limits.
  package let available: Credits

  package init(payer: Name, available: Credits) {
    self.payer = payer
    self.available = available
  }

  /// - Parameters:
  ///   - parents: the accounts above it, the nearest first.
  ///   - model: the id in the catalog of the model that the work is of.
  /// - Returns: nil for an account without any.
  package static func of(
    _ account: Account, below parents: [Account], under policy: Policy, for model: Name? = nil
  ) -> ChainFunds? {
    guard let payer = parents.last?.name else { return nil }
    // Nothing reaches those above an exempt account.
    let chain = [account] + parents
    let count = chain.firstIndex(where: \.isExempt).map { $0 + 1 } ?? chain.count
    if count == 1 { return ChainFunds(payer: payer, available: account.available(for: model)) }
    var credits: Credits = 0
    var charged: Credits = 0
    var mostByLimits: Credits = .max
    for member in chain[..<count] {
      for view in member.limitViews(under: policy)
      where view.limit.covers(model) && !member.isExempt {
        // What reaches the member is what those below it cannot pay.
        mostByLimits = min(mostByLimits, credits.addingSaturating(view.remaining ?? .max))
      }
      credits = credits.addingSaturating(max(0, member.available(for: model)))
      if !member.isExempt { charged = credits }
    }
    // Limits with room for all that is charged refuse nothing of what an exempt account waives.
    let isBound = mostByLimits < charged || !chain[count - 1].isExempt
    return ChainFunds(payer: payer, available: isBound ? min(credits, mostByLimits) : credits)
  }
}

extension OpenChain {
  func funds(under policy: Policy) -> ChainFunds? {
    if parents.isEmpty { return nil }
    return .of(own.account, below: parents.map(\.account), under: policy, for: model)
  }
}
