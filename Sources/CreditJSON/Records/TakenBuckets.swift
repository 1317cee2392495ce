internal import CreditModel

/// Which buckets paid a charge, where its record need not say it: mostly all came from the bucket
/// that is the account's first one after it.
extension Account {
  /// What a charge of so many credits took; nil where no bucket can have paid it.
  func takenFromFirst(_ credits: Credits) -> BucketShares? {
    if credits == 0 { return [] }
    guard let first = buckets.first else { return nil }
    return BucketShares(first.with(credits))
  }

  /// Whether ``takenFromFirst(_:)`` says what a charge took.
  func wasTakenFromFirst(_ taken: BucketShares, _ credits: Credits) -> Bool {
    if credits == 0 { return taken.isEmpty }
    guard taken.count == 1, taken[0].credits == credits, let first = buckets.first else {
      return false
    }
    return taken[0] == first.with(credits)
  }
}
