public import CreditBytes

/// A debt that credits with an expiry, or those of a bonus or a quota, have settled.
///
/// A charge that was owed then has used these credits. If it goes back, its credits get their kind
/// and expiry again.
public struct SettledDebt: Hashable, Sendable {
  /// The settling credits as a plain bucket.
  public var bucket: Bucket
  /// Credits of it that no charge has given back.
  public var left: Credits
  /// The debt before: its oldest part was settled.
  public var debt: Credits
  public var at: Timestamp

  /// The most that an account keeps; the first of all is dropped first.
  public static let countLimit = 16

  public init(bucket: Bucket, left: Credits, debt: Credits, at: Timestamp) {
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

/// The unpaid part of a charge: the end of the debt after it.
struct OwedShare {
  var credits: Credits
  /// The debt after it.
  let debt: Credits
  let at: Timestamp

  /// - Parameters:
  ///   - taken: the buckets that paid the charge.
  ///   - balance: the account's, right after.
  ///   - before: the charge's last credits that were given back already.
  /// - Returns: nil if everything was paid or given back.
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
  /// Notes a bucket that settles a debt, if the credits would differ when they go back.
  mutating func noteSettled(_ credits: Credits, by bucket: Bucket) {
    guard bucket.expiresAt != nil || bucket.grant != nil && bucket.kind == .bonus else { return }
    let plain = Bucket(kind: bucket.kind, credits: credits, expiresAt: bucket.expiresAt)
    var all = settledDebts
    all.append(SettledDebt(bucket: plain, left: credits, debt: debt, at: updatedAt))
    settledDebts = Array(all.suffix(SettledDebt.countLimit))
  }

  /// Returns a charge's shares with its owed part replaced by the credits that settled it. Any
  /// other settlement is plain purchased credits.
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
      // The difference to the known debt was settled by other credits; the oldest first.
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
    // The part still owed goes back first.
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
  /// Whether other debts contain all of these.
  ///
  /// Records of earlier tools have none, and other accounts' records have what their charges give
  /// back.
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
