/// What a charge was before it was amended, and what that moved. A class, as few charges have one.
package final class Amendment: Hashable, Sendable {
  /// How many times the charge has been amended.
  package let number: Int64
  /// Whether it only gives everything back, as another model takes it again next.
  package let isReturn: Bool
  /// When the work was charged first.
  package let chargedAt: Timestamp
  /// What it was charged for first, under which it is known as well.
  package let first: ChargedWork
  /// What was charged before this amendment.
  package let previousCredits: Credits
  /// What the lines of the history before this one say that it cost.
  package let previousPrice: PriceParts
  /// What the balance changed by.
  package let credits: Credits
  /// What was paid and could not be given back, the last taken first. It counts as paid when a
  /// later amendment rises.
  package let forfeited: BucketShares
  /// What was taken, or given back, if a grant is among the buckets; else nil.
  package let moved: BucketShares?
  /// What the balances of the accounts above changed by, in the order of their records.
  package let shares: [HeldShare]

  package init(
    number: Int64, isReturn: Bool, chargedAt: Timestamp, first: ChargedWork,
    previousCredits: Credits, previousPrice: PriceParts, credits: Credits,
    forfeited: BucketShares, moved: BucketShares? = nil, shares: [HeldShare] = []
  ) {
    self.number = number
    self.isReturn = isReturn
    self.chargedAt = chargedAt
    self.first = first
    self.previousCredits = previousCredits
    self.previousPrice = previousPrice
    self.credits = credits
    self.forfeited = forfeited
    self.moved = moved
    self.shares = shares
  }

  package static func == (left: Amendment, right: Amendment) -> Bool {
    left.number == right.number && left.isReturn == right.isReturn
      && left.chargedAt == right.chargedAt && left.first == right.first
      && left.previousCredits == right.previousCredits
      && left.previousPrice == right.previousPrice && left.credits == right.credits
      && left.forfeited == right.forfeited && left.moved == right.moved
      && left.shares == right.shares
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// What a charge cost beside the credits that were taken.
package struct PriceParts: Hashable, Sendable {
  /// In dollars.
  package var usd: String?
  /// What the provider took of it, where a markup made that another amount.
  package var costUSD: String?
  /// What an exempt account would have been charged.
  package var waived: Credits?

  package init(usd: String? = nil, costUSD: String? = nil, waived: Credits? = nil) {
    self.usd = usd
    self.costUSD = costUSD
    self.waived = waived
  }

  init(_ receipt: CreditReceipt) {
    self.init(
      usd: receipt.usd, costUSD: receipt.details?.costUSD, waived: receipt.creditsWaived)
  }

  /// What these are more than others; each is nil where both are.
  func difference(from earlier: PriceParts) -> PriceParts {
    PriceParts(
      usd: DollarDifference.text(usd, minus: earlier.usd),
      costUSD: DollarDifference.text(costUSD, minus: earlier.costUSD),
      waived: waived == nil && earlier.waived == nil
        ? nil : (waived ?? 0).subtractingSaturating(earlier.waived ?? 0))
  }
}
