internal import CreditModel

// Which buckets paid, where a record need not say it.
extension Account {
  /// What a charge of so many credits took, where its record does not say: mostly all came from the
  /// bucket that is the account's first one after it.
  /// - Returns: nil where no bucket can have paid it.
  func takenFromFirst(_ credits: Credits) -> BucketShares? {
    if credits == 0 { return [] }
    guard let first = buckets.first else { return nil }
    return BucketShares(first.with(credits))
  }

  /// Whether ``takenFromFirst(_:)`` says what a charge took.
  func wasTakenFromFirst(_ taken: BucketShares, _ credits: Credits) -> Bool {
    if credits == 0 { return taken.isEmpty }
    // Most accounts have plain credits alone, which are compared by their kinds.
    if buckets.listed == nil {
      return buckets.undated.firstKind.map { taken.isPlain(credits, $0) } ?? false
    }
    guard taken.count == 1, taken[0].credits == credits, let first = buckets.first else {
      return false
    }
    return taken[0] == first.with(credits)
  }
}
