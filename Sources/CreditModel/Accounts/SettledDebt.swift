/// A debt that credits with an expiry, or those of a bonus, have settled.
///
/// A charge that was owed then has used those: if it goes back, its credits are of that kind again,
/// and expire as those would have.
package struct SettledDebt: Hashable, Sendable {
  /// What settled it, as plain credits.
  package var bucket: Bucket
  /// How many of these credits no charge has given back.
  package var left: Credits
  /// What was owed before: of that the oldest part is settled.
  package var debt: Credits
  package var at: Timestamp

  /// The most that are remembered of an account; the first of all goes first.
  package static let countLimit = 16

  package init(bucket: Bucket, left: Credits, debt: Credits, at: Timestamp) {
    self.bucket = bucket
    self.left = left
    self.debt = debt
    self.at = at
  }

  var isSound: Bool {
    bucket.credits > 0 && bucket.credits <= debt && 0...bucket.credits ~= left
      && bucket.grant == nil && (bucket.kind == .bonus || bucket.expiresAt != nil)
  }
}

/// The part of a charge that was not there to be taken: the end of what was owed after it.
struct OwedShare {
  var credits: Credits
  /// What was owed with it.
  let debt: Credits
  /// When.
  let at: Timestamp

  /// - Parameters:
  ///   - taken: what paid the charge.
  ///   - balance: the account's, right after.
  ///   - before: how many credits of the charge were given back already, the last ones.
  /// - Returns: nil if all was there, or was given back.
  init?(_ taken: BucketShares, balance: Credits, at: Timestamp, before: Credits = 0) {
    guard balance < 0, let last = taken.last, last.isSame(as: .plainPurchased) else { return nil }
    let all = 0 - max(balance, -Credits.max)
    credits = min(last.credits, all) - before
    debt = all - before
    self.at = at
    if credits <= 0 { return nil }
  }
}

extension Account {
  /// Remembers what settles a debt, if what it settles is not the same when it goes back.
  mutating func noteSettled(_ credits: Credits, by bucket: Bucket) {
    guard bucket.expiresAt != nil || bucket.grant != nil && bucket.kind == .bonus else { return }
    let plain = Bucket(kind: bucket.kind, credits: credits, expiresAt: bucket.expiresAt)
    var all = settledDebts
    all.append(SettledDebt(bucket: plain, left: credits, debt: debt, at: updatedAt))
    settledDebts = Array(all.suffix(SettledDebt.countLimit))
  }

  /// Shares of a charge that are to go back, with what has settled the part of them that was owed
  /// in its place. What else has settled it is plain purchased credits.
  mutating func settledShares(_ shares: BucketShares, _ owed: OwedShare?) -> BucketShares {
    guard let owed, !settledDebts.isEmpty, var last = shares.last,
      last.isSame(as: .plainPurchased)
    else { return shares }
    var low = owed.debt - owed.credits
    var high = owed.debt
    low = max(low, high - last.credits)
    var settled = BucketShares()
    var all = settledDebts
    for place in all.indices where all[place].at >= owed.at && low < high {
      // What was owed and is no longer was settled by others; the oldest first.
      let others = max(0, high - all[place].debt)
      (low, high) = (max(0, low - others), max(0, high - others))
      let credits = all[place].bucket.credits
      let share = min(all[place].left, max(0, min(high, credits) - low))
      all[place].left -= share
      settled.add(all[place].bucket.with(share))
      (low, high) = (max(0, low - credits), max(0, high - credits))
    }
    if settled.isEmpty { return shares }
    settledDebts = all
    // What is still owed goes back first.
    let rest = max(0, high - low)
    var result = BucketShares(shares.dropLast())
    last.credits -= settled.total
    result.add(last.with(last.credits - min(rest, last.credits)))
    for share in settled { result.add(share) }
    result.add(last.with(min(rest, last.credits)))
    return result
  }
}

extension [SettledDebt] {
  /// Whether it says nothing that other ones do not, and perhaps less: records of earlier tools say
  /// nothing, and what other accounts' charges give back is in their records.
  func isPart(of others: [SettledDebt]) -> Bool {
    var rest = others[...]
    for own in self {
      guard let place = rest.firstIndex(where: { own.isLess(than: $0) }) else { return false }
      rest = rest[(place + 1)...]
    }
    return true
  }
}

extension SettledDebt {
  fileprivate func isLess(than other: SettledDebt) -> Bool {
    var same = self
    same.left = other.left
    return same == other && left <= other.left
  }
}
