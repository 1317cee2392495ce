/// Credits of one kind and one expiry. Two of the same kind and expiry are one.
package struct Bucket: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    // In burn order where the expiry is the same.
    case quota, bonus, starter, purchased

    var rank: Int {
      switch self {
      case .quota: 0
      case .bonus: 1
      case .starter: 2
      case .purchased: 3
      }
    }
  }

  package var kind: Kind
  /// Never 0. Only the purchased bucket may be negative: that is debt.
  package var credits: Credits
  package var expiresAt: Timestamp?

  package init(kind: Kind, credits: Credits, expiresAt: Timestamp? = nil) {
    self.kind = kind
    self.credits = credits
    self.expiresAt = expiresAt
  }

  /// Whether this is used up before `other`: soonest expiry first, then by kind.
  func burnsBefore(_ other: Bucket) -> Bool {
    let expiry = expiresAt ?? .latest
    let otherExpiry = other.expiresAt ?? .latest
    if expiry != otherExpiry { return expiry < otherExpiry }
    if (expiresAt == nil) != (other.expiresAt == nil) { return expiresAt != nil }
    return kind.rank < other.kind.rank
  }

  func isSame(kind: Kind, expiresAt: Timestamp?) -> Bool {
    self.kind == kind && self.expiresAt == expiresAt
  }
}
