// Accounts opened with those above them.
extension Ledger {
  /// Opens an account and those above it at one time; if each has its own clock, the latest.
  /// - Parameters:
  ///   - others: further accounts to change, in any chain.
  ///   - climbs: true if the accounts above it are needed.
  func openChain(
    _ name: Name, at requested: Timestamp?, with others: [Name] = [], climbs: Bool = true
  ) throws(CreditError) -> OpenChain {
    let own = try open(name, at: requested)
    if others.isEmpty, !climbs || own.account.parent == nil { return OpenChain(own: own) }
    var above = ChainAbove()
    if climbs { above.parents = try parents(of: own.account) }
    for other in others where other != .nobody && above.account(other) == nil {
      guard let account = try books.account(other) else { throw ChainAbove.missingPayer }
      above.others.append(ChainAccount(account, of: books))
    }
    guard policy.clockIsSimulated else {
      try advance(above, to: requested)
      return OpenChain(own: own, above: above)
    }
    let time = own.account.updatedAt
    let latest = above.accounts.reduce(time) { max($0, $1.account.updatedAt) }
    try advance(above, to: latest)
    return OpenChain(own: latest == time ? own : try open(name, at: latest), above: above)
  }

  /// Opens an account and those with a part of its charge or hold.
  func openChain(
    of entry: AuthorizationEntry, paidBy: [PaidShare] = [], at requested: Timestamp?,
    climbs: Bool = true
  ) throws(CreditError) -> OpenChain {
    var others: [Name] = []
    for share in paidBy where !others.contains(share.account) { others.append(share.account) }
    return try openChain(entry.authorization.account, at: requested, with: others, climbs: climbs)
  }

  /// Moves the clocks of accounts to a request's time.
  private func advance(_ above: ChainAbove, to requested: Timestamp?) throws(CreditError) {
    for open in above.accounts {
      open.preceding = try advance(&open.account, at: requested)
    }
  }

  /// Returns the accounts above one, the nearest first, as their records left them.
  func parents(of account: borrowing Account) throws(CreditError) -> [ChainAccount] {
    var parents: [ChainAccount] = []
    var next = account.parent
    while let name = next {
      guard let parent = try books.account(name) else { throw account.missing(parent: name) }
      guard parents.count < Account.chainLimit - 1 else { throw account.endlessChain }
      next = parent.parent
      parents.append(ChainAccount(consume parent, of: books))
    }
    return parents
  }
}

extension Account {
  /// The most accounts of a chain.
  public static let chainLimit = 5

  public func isBelow(_ parents: Set<Name>) -> Bool { parent.map(parents.contains) ?? false }

  /// Repair of an account with a broken chain of parents.
  public static let parentRemedy = "credit-account --parent none mends it"

  var endlessChain: CreditError {
    CreditError(
      .corruptStore,
      "the accounts above \(quoted(name.text)) form a ring or too long a chain; "
        + Self.parentRemedy,
      [.account(name)])
  }

  /// The error of an account above this one that is not in the books.
  func missing(parent name: Name) -> CreditError {
    CreditError(
      .corruptStore,
      "account \(quoted(name.text)), which pays for \(quoted(self.name.text)), is not in the "
        + "store; register it, or give the account another parent: \(Self.parentRemedy)",
      [.account(self.name)])
  }
}
