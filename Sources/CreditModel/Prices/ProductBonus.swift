/// What a purchase of a product grants besides: a promotion.
package struct ProductBonus: Hashable, Sendable {
  package enum Amount: Hashable, Sendable {
    case credits(Credits)
    /// Of the purchase's credits, rounded down.
    case percent(Int64)
  }

  package var id: Name
  package var amount: Amount
  /// The times from which and until which it is granted; each nil if unlimited.
  package var from: Timestamp?
  package var until: Timestamp?
  /// Whether only an account's first completed purchase has it.
  package var isForFirst: Bool
  package var terms: StatedTerms

  /// The most bonuses of a product.
  package static let countLimit = 8
  /// The percentages that one may have.
  package static let percents: ClosedRange<Int64> = 1...10_000

  package init(
    id: Name, amount: Amount, from: Timestamp? = nil, until: Timestamp? = nil,
    isForFirst: Bool = false, terms: StatedTerms = StatedTerms()
  ) {
    self.id = id
    self.amount = amount
    self.from = from
    self.until = until
    self.isForFirst = isForFirst
    self.terms = terms
  }

  func isGranted(at time: Timestamp) -> Bool {
    time >= from ?? .earliest && time < until ?? .latest
  }

  /// - Throws: `amount_out_of_range`.
  func credits(of purchase: Transaction) throws(CreditError) -> Credits {
    switch amount {
    case .credits(let credits): return credits
    case .percent(let percent):
      let share = Int128(purchase.credits) * Int128(percent) / 100
      guard share <= Int128(Credits.largestGrant) else {
        throw .amountOutOfRange("the bonus would be more than 2^53 credits")
      }
      return Credits(share)
    }
  }
}

/// What a promotion has granted with a purchase.
package struct GrantedBonus: Hashable, Sendable {
  /// Of its transaction.
  package var id: Name
  package var credits: Credits

  package init(id: Name, credits: Credits) {
    self.id = id
    self.credits = credits
  }
}
