// Who pays for an account.
extension Ledger {
  /// Returns the accounts that are to be above an account, the nearest first. Empty if its parent
  /// is to be removed; nil if its parent stays as it is.
  /// - Throws: `unknown_account`, `account_closed`; `invalid_request` for a ring, and for a chain
  ///   of too many accounts.
  func parents(for request: AccountRequest, of stored: Account?) throws(CreditError) -> [Account]? {
    switch request.parent {
    case nil: return nil
    case .remove: return stored?.parent == nil ? nil : []
    case .set(let name):
      if stored?.parent == name { return nil }
      guard name != request.account else { throw Self.ring(request.account, name) }
      guard let parent = try books.account(name) else { throw Self.unknownAccount(name) }
      try parent.requireOpen()
      let above = [parent] + (try ancestors(of: parent))
      if above.contains(where: { $0.name == request.account }) {
        throw Self.ring(request.account, name)
      }
      let height = stored?.hasChildren ?? false ? try self.height(of: request.account) : 1
      if above.count + height > Account.chainLimit {
        throw CreditError(
          .invalidRequest,
          "with \(quoted(name.text)) as its parent, account \(quoted(request.account.text)) would "
            + "be in a chain of \(above.count + height) accounts; it has at most "
            + "\(Account.chainLimit)",
          [.account(request.account)])
      }
      return above
    }
  }

  private static func ring(_ account: Name, _ parent: Name) -> CreditError {
    CreditError(
      .invalidRequest,
      "account \(quoted(account.text)) pays for \(quoted(parent.text)) and cannot be below it",
      [.account(account)])
  }

  /// How many accounts the longest chain has that ends with an account, itself among them. Whoever
  /// puts another below one of them works on this account, too: the chains do not grow meanwhile.
  private func height(of account: Name) throws(CreditError) -> Int {
    var level = [account]
    var height = 0
    while !level.isEmpty, height <= Account.chainLimit {
      height += 1
      var next: [Name] = []
      for name in level { next += try books.children(of: name) }
      level = next
    }
    return height
  }

  /// Records of an account that others are below it from now on.
  func recordFirstChild(of parent: Account, at time: Timestamp?) throws(CreditError) {
    var open = try open(parent.name, at: time)
    open.account.hasChildren = true
    try record(.settings(credits: 0), on: open)
  }

  /// The time of a request that works on several accounts: where each has a clock of its own, the
  /// latest.
  func sharedTime(_ requested: Timestamp?, _ accounts: Account?...) -> Timestamp? {
    if !policy.clockIsSimulated { return requested }
    let known = accounts.compactMap { $0?.updatedAt }
    return known.isEmpty ? requested : max(requested ?? systemTime, known.max() ?? systemTime)
  }
}
