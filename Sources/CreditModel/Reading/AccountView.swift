/// An account as `credit-balance` and `credit-account` show it.
package struct AccountView: Hashable, Sendable {
  package let account: Account
  /// False for an account that nothing has been written for: it is shown as it would start.
  package let isRegistered: Bool
  /// The time of the account's last record.
  package let updatedAt: Timestamp
  package let limits: [LimitView]
  /// What those who pay for it leave to it; nil for an account that pays for itself.
  package let funds: ChainFunds?
  /// The id in the catalog of the model for which credits are available; nil for what is available
  /// for all.
  package let model: Name?
  /// Whether a subscription has set a plan that the policy no longer has.
  package let isPlanRemoved: Bool

  /// - Parameters:
  ///   - updatedAt: where the account is shown as of another time than its own.
  ///   - model: that of `funds`, too.
  package init(
    _ account: Account, isRegistered: Bool = true, updatedAt: Timestamp? = nil,
    limits: [LimitView] = [], funds: ChainFunds? = nil,
    model: Name? = nil, isPlanRemoved: Bool = false
  ) {
    self.account = account
    self.isRegistered = isRegistered
    self.updatedAt = updatedAt ?? account.updatedAt
    self.limits = limits
    self.funds = funds
    self.model = model
    self.isPlanRemoved = isPlanRemoved
  }

  /// What a new hold, or a charge without overdraft, may take of credits and limits; of an exempt
  /// account, which nothing is refused, its own credits.
  package var available: Credits {
    if account.isExempt { return account.available(for: model) }
    if let funds { return funds.available }
    return limits.reduce(account.available(for: model)) { available, view in
      guard view.limit.covers(model), let remaining = view.remaining else { return available }
      return min(available, remaining)
    }
  }
}
