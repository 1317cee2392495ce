/// Credits of one kind: those of a grant, those of one expiry, or all others of the kind.
package struct Bucket: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    // In the order of use where priority and expiry are the same.
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
  /// Never 0. Only the purchased bucket without terms may be negative: that is debt.
  package var credits: Credits
  package var expiresAt: Timestamp?
  /// The grant whose credits they are; nil for plain ones.
  package var grant: Grant?

  package init(
    kind: Kind, credits: Credits, expiresAt: Timestamp? = nil, grant: Grant? = nil
  ) {
    self.kind = kind
    self.credits = credits
    self.expiresAt = expiresAt
    self.grant = grant
  }

  /// Lower is used first.
  package var priority: Int64 { grant?.priority ?? Grant.usualPriority }

  /// How old it is among those of its account; plain credits, which come at any time, are the last.
  var number: Int64 { grant?.number ?? .max }

  /// Whether the credits are for some models only.
  package var isScoped: Bool { grant?.models != nil }

  /// Returns true if it is used up before `other`.
  ///
  /// The order is by priority, then soonest expiry, then kind, then the older grant.
  func burnsBefore(_ other: Bucket) -> Bool {
    if grant != nil || other.grant != nil {
      let (own, others) = (priority, other.priority)
      if own != others { return own < others }
    }
    let expiry = expiresAt ?? .latest
    let otherExpiry = other.expiresAt ?? .latest
    if expiry != otherExpiry { return expiry < otherExpiry }
    if (expiresAt == nil) != (other.expiresAt == nil) { return expiresAt != nil }
    if kind != other.kind { return kind.rank < other.kind.rank }
    return number < other.number
  }

  /// Whether it has an expiry, but is neither a grant's nor a quota's.
  var isDatedAlone: Bool { expiresAt != nil && grant == nil && kind != .quota }

  /// Whether its credits and those of `other` are in one bucket.
  func isSame(as other: Bucket) -> Bool {
    kind == other.kind && expiresAt == other.expiresAt && grant?.id == other.grant?.id
  }

  /// Whether nothing differs but the credits.
  func hasSameTerms(as other: Bucket) -> Bool {
    kind == other.kind && expiresAt == other.expiresAt && grant == other.grant
  }

  /// Whether it pays for a model.
  /// - Parameter model: its id in the catalog; nil for work that no model's price was found for.
  func pays(for model: Name?) -> Bool {
    guard let models = grant?.models else { return true }
    return model.map(models.include) ?? false
  }

  /// The same bucket with other credits.
  package func with(_ credits: Credits) -> Bucket {
    var copy = self
    copy.credits = credits
    return copy
  }
}
