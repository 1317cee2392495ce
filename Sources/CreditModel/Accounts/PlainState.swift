/// What an account has that nearly all accounts are, most of the time: without a plan, open, with
/// credits that do not expire, with nothing held.
package struct PlainState: Sendable {
  package let updatedAt: Timestamp
  package let registeredAt: Timestamp
  package let recordCount: Int64
  package let transactionCount: Int64
  package private(set) var credits = UndatedCredits()

  package var balance: Credits { credits.balance }

  fileprivate init(_ account: borrowing Account) {
    updatedAt = account.updatedAt
    registeredAt = account.registeredAt
    recordCount = account.recordCount
    transactionCount = account.transactionCount
    for bucket in account.buckets {
      switch bucket.kind {
      case .bonus: credits.bonus = bucket.credits
      case .starter: credits.starter = bucket.credits
      case .purchased: credits.purchased = bucket.credits
      case .quota: break
      }
    }
  }
}

extension Account {
  /// The account, which has just been registered and has credits, after that was counted.
  package mutating func registerPlainly() -> PlainState? {
    guard isPlain, hasMore(than: 0), recordCount == 0 else { return nil }
    count(.registration(starter: balance), isFirst: true)
    return PlainState(self)
  }
}

// What the rules do to such an account is little, and stands here; where this says no they are
// asked, and they come to the same.
extension Account {
  /// Whether the account is neither exempt nor closed, and time does nothing to it but pass.
  @inline(__always)
  fileprivate var isPlain: Bool {
    !isExempt && hasNothingRare && holds.isEmpty && recentTopUps.isEmpty
  }

  /// Whether the first bucket, which burns first, does not expire (then none does) and has more
  /// than a price.
  @inline(__always)
  fileprivate func hasMore(than price: Credits) -> Bool {
    guard let first = buckets.first else { return false }
    return first.expiresAt == nil && first.credits > price
  }

  /// Charges a price above 0, where that does no more than take it from the first bucket.
  /// - Parameter time: of the charge, not before the account's own.
  /// - Returns: the account as the charge has left it; nil where nothing has changed.
  package mutating func chargePlainly(_ price: Credits, at time: Timestamp) -> PlainState? {
    guard isPlain, time >= updatedAt, hasMore(than: price) else { return nil }
    buckets[0].credits &-= price
    updatedAt = time
    recordCount &+= 1
    transactionCount &+= 1
    return PlainState(self)
  }

  /// Adds purchased credits, where there is no debt that they would settle.
  /// - Parameter credits: above 0 and not more than the largest grant.
  /// - Returns: the account as the purchase has left it; nil where nothing has changed.
  package mutating func depositPlainly(_ credits: Credits, at time: Timestamp) -> PlainState? {
    guard isPlain, time >= updatedAt, buckets.first?.expiresAt == nil, debt == 0,
      balance <= Credits.largestGrant
    else { return nil }
    addToBucket(credits, kind: .purchased, expiresAt: nil)
    updatedAt = time
    recordCount &+= 1
    transactionCount &+= 1
    return PlainState(self)
  }

  /// Counts an authorization without a hold, where the account may start for certain.
  /// - Returns: the account as that has left it; nil where nothing has changed.
  package mutating func authorizePlainly(at time: Timestamp) -> PlainState? {
    guard isPlain, time >= updatedAt, hasMore(than: 0) else { return nil }
    updatedAt = time
    recordCount &+= 1
    return PlainState(self)
  }
}
