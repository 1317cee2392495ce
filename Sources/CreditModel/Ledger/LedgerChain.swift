internal import CreditBytes

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
    var ancestors: [Account] = climbs ? try self.ancestors(of: own.account) : []
    let parentCount = ancestors.count
    for other in others
    where other != .nobody && !ancestors.contains(where: { $0.name == other }) {
      guard let account = try books.account(other) else { throw ChainAbove.missingPayer }
      ancestors.append(account)
    }
    guard policy.clockIsSimulated else {
      return try chain(own, ancestors, parentCount, at: requested)
    }
    let latest = ancestors.reduce(own.account.updatedAt) { max($0, $1.updatedAt) }
    if latest == own.account.updatedAt {
      return try chain(own, ancestors, parentCount, at: latest)
    }
    return try chain(try open(name, at: latest), ancestors, parentCount, at: latest)
  }

  /// Opens an account and those with a part of its charge or hold.
  func openChain(
    of entry: AuthorizationEntry, paidBy: [PaidShare] = [], at requested: Timestamp?,
    climbs: Bool = true
  ) throws(CreditError) -> OpenChain {
    var others: [Name] = []
    for share in paidBy where !others.contains(share.account) { others.append(share.account) }
    return try openChain(
      entry.authorization.account, at: requested, with: others, climbs: climbs)
  }

  private func chain(
    _ own: consuming OpenAccount, _ ancestors: [Account], _ parentCount: Int,
    at requested: Timestamp?
  ) throws(CreditError) -> OpenChain {
    var above = ChainAbove()
    for (place, ancestor) in ancestors.enumerated() {
      var account = ancestor
      let before = account.balance
      let turns = try advance(&account, at: requested)
      let opened = ChainAccount(account, preceding: turns, balanceBefore: before)
      if place < parentCount { above.parents.append(opened) } else { above.others.append(opened) }
    }
    return OpenChain(own: own, above: above)
  }

  /// Returns the accounts above one, the nearest first, as their records left them.
  func ancestors(of account: Account) throws(CreditError) -> [Account] {
    var ancestors: [Account] = []
    var next = account.parent
    while let name = next {
      guard let parent = try books.account(name) else {
        throw account.missing(parent: name)
      }
      guard ancestors.count < Account.chainLimit - 1 else {
        throw account.endlessChain
      }
      ancestors.append(parent)
      next = parent.parent
    }
    return ancestors
  }
}

extension Account {
  /// The most accounts of a chain.
  public static let chainLimit = 5

  /// Repair of an account with a broken chain of parents.
  public static let parentRemedy = "credit-account --parent none mends it"

  /// The error of too many accounts above this one.
  var endlessChain: CreditError {
    CreditError(
      .corruptStore,
      "the accounts above \(quoted(name.text)) are a ring, or more than a chain may have; "
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
