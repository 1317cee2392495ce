internal import CreditModel

/// Payments for the credits that are left, by currency.
///
/// The seller has the money, and owes the work.
struct DeferredRevenue {
  /// In the order of the codes, rounded to the digits of the currency.
  private(set) var all: [(currency: String, sum: DecimalSum)] = []
  /// Whether lines are missing that may change it.
  private(set) var isIncomplete = false

  /// - Throws: `amount_out_of_range`.
  init(_ book: GrantBook) throws(CreditError) {
    var sums: [String: FractionSum] = [:]
    for grant in book.grants {
      guard let currency = grant.currency, let value = try grant.value(of: grant.left) else {
        continue
      }
      var sum = sums[currency] ?? FractionSum()
      try sum.add(value)
      sums[currency] = sum
      isIncomplete = isIncomplete || grant.isIncomplete
    }
    for (currency, sum) in sums.sorted(by: { $0.key < $1.key }) {
      all.append((currency, try sum.rounded(places: Currency.minorDigits(of: currency))))
    }
  }
}
