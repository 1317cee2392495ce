/// State of a charge before its amendment, and the credits the amendment moved. A class, as few
/// charges have one.
package final class Amendment: Hashable, Sendable {
  /// How many times the charge has been amended.
  package let number: Int64
  /// True if it only gives everything back; a charge for another model follows.
  package let isReturn: Bool
  /// When the work was charged first.
  package let chargedAt: Timestamp
  /// Work that it was charged for first; the charge is also known under it.
  package let first: ChargedWork
  /// What was charged before this amendment.
  package let previousCredits: Credits
  /// What the lines of the history before this one say that it cost.
  package let previousPrice: PriceParts
  /// What the balance changed by.
  package let credits: Credits
  /// Paid credits that could not be given back, the last taken first. They count as paid if a later
  /// amendment raises the charge.
  package let forfeited: BucketShares
  /// Credits taken or given back, if a grant is among the buckets; else nil.
  package let moved: BucketShares?
  /// Changes of the balances of the accounts above, in the order of their records.
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
  /// Amount that the provider took, if a markup made it differ.
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

  /// Returns these parts less the earlier ones. A part is nil if it is nil in both.
  func difference(from earlier: PriceParts) -> PriceParts {
    PriceParts(
      usd: DollarDifference.text(usd, minus: earlier.usd),
      costUSD: DollarDifference.text(costUSD, minus: earlier.costUSD),
      waived: waived == nil && earlier.waived == nil
        ? nil : (waived ?? 0).subtractingSaturating(earlier.waived ?? 0))
  }
}
