// Holds along a chain.
extension OpenChain {
  /// An authorization, and its hold.
  /// - Throws: `invalid_request`, `limit_exceeded`, `amount_out_of_range`.
  mutating func authorize(id: Name, hold credits: Credits?, expiresIn: TimeSpan, tags: Tags?)
    throws(CreditError) -> CreditAuthorization
  {
    let time = own.account.updatedAt
    var hold: CreditAuthorization.Hold?
    if let credits {
      guard let expiresAt = HoldStep.expiry(after: expiresIn, from: time) else {
        throw CreditError(.invalidRequest, "the hold would expire after the year 9999")
      }
      var made = CreditAuthorization.Hold(credits: credits, expiresAt: expiresAt)
      let parts = chargedParts(of: credits)
      if parts != [credits] {
        let names = [own.account.name] + paying.map(\.account.name)
        made.heldBy = zip(names, parts).map { HeldShare(account: $0, credits: $1) }
      }
      try own.account.setAside(made.part(0))
      for (parent, place) in zip(paying, made.heldBy.indices.dropFirst()) {
        try parent.hold(made.part(place))
      }
      hold = made
    }
    return CreditAuthorization(
      id: id, account: own.account.name, timestamp: time, hold: hold, tags: tags,
      model: own.account.hasScopedCredits ? model : nil)
  }

  /// Frees every part of a hold. The accounts that have one are open.
  mutating func release(_ authorization: CreditAuthorization) {
    guard let hold = authorization.hold else { return }
    own.account.release(hold.part(0))
    if hold.expiresAt <= own.account.updatedAt { return }
    for place in hold.heldBy.indices.dropFirst() {
      account(hold.heldBy[place].account)?.release(hold.part(place))
    }
  }
}
