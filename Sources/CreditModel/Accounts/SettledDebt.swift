/// A debt that credits have settled.
///
/// A charge that was owed then has used these credits. If it goes back, its credits get their kind
/// and expiry again.
public struct SettledDebt: Equatable, Sendable {
  /// The settling credits as a plain bucket: purchased ones, unless they have an expiry, or are
  /// those of a bonus or a quota.
  public var bucket: Bucket
  /// Credits of it that no charge has given back.
  public var left: Credits
  /// The debt before: its oldest part was settled.
  public var debt: Credits
  public var at: Timestamp
  /// Older debt that stays, if a charge gave up its own debt; else 0.
  public var from: Credits

  /// The most that an account keeps; the first of all is dropped first.
  public static let countLimit = 16

  public init(bucket: Bucket, left: Credits, debt: Credits, at: Timestamp, from: Credits = 0) {
    (self.bucket, self.left, self.debt, self.at, self.from) = (bucket, left, debt, at, from)
  }

  var isSound: Bool {
    bucket.credits > 0 && bucket.credits <= debt && 0...bucket.credits ~= left
      && 0...(debt - bucket.credits) ~= from && bucket.grant == nil
      && (isPlain || bucket.kind == .bonus || bucket.expiresAt != nil)
  }

  var isPlain: Bool { bucket.isSame(as: .plainPurchased) }
}

/// The unpaid part of a charge: the end of the debt after it.
struct OwedShare {
  var credits: Credits
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

  /// Of the same time only credits that are not plain count as later.
  func isBefore(_ settled: SettledDebt) -> Bool {
    settled.isPlain ? settled.at > at : settled.at >= at
  }
}

extension Account {
  /// Notes a bucket that settles a debt, if the credits would differ when they go back. Plain ones
  /// are noted as well while a quota may settle the next debt, and after others have.
  /// - Parameter own: the most plain credits of a charge that settle its own debt; these are noted
  ///   apart, as they settle no older debt.
  mutating func noteSettled(_ credits: Credits, by bucket: Bucket, own: Credits = 0) {
    var plain = Bucket(kind: bucket.kind, credits: credits, expiresAt: bucket.expiresAt)
    if plain.expiresAt == nil, bucket.grant == nil || bucket.kind != .bonus {
      plain.kind = .purchased
      plain.credits -= min(own, credits)
      if plain.credits == 0 || quota == nil && settledDebts.isEmpty { return }
    }
    let others = debt - (credits - plain.credits)
    note(SettledDebt(bucket: plain, left: plain.credits, debt: others, at: updatedAt))
  }

  /// Notes that a charge gives up its own debt, if there is newer debt, which moves.
  /// - Parameter own: its place in the account's debt, of which the oldest is at 0.
  /// - Returns: its credits.
  mutating func noteReturned(_ own: Range<Credits>) -> Credits {
    let credits = own.upperBound - own.lowerBound
    if credits > 0, own.upperBound < debt, quota != nil || !settledDebts.isEmpty {
      let plain = Bucket.plainPurchased.with(credits)
      note(SettledDebt(bucket: plain, left: 0, debt: debt, at: updatedAt, from: own.lowerBound))
    }
    return credits
  }

  private mutating func note(_ new: SettledDebt) {
    settledDebts = (settledDebts + [new]).suffix(SettledDebt.countLimit)
  }

  /// Returns a charge's shares with its owed part replaced by the credits that settled it, and the
  /// place of the part still owed in the account's debt. A settlement without a note was by plain
  /// purchased credits.
  mutating func settledShares(_ shares: BucketShares, _ owed: OwedShare?)
    -> (shares: BucketShares, own: Range<Credits>)
  {
    guard let owed, var last = shares.last, last.isSame(as: .plainPurchased) else {
      return (shares, 0..<0)
    }
    var (low, high) = (owed.debt - min(owed.credits, last.credits), owed.debt)
    var settled = BucketShares()
    var all = settledDebts
    for place in all.indices where owed.isBefore(all[place]) && low < high {
      // The difference to the known debt was settled by other credits; the oldest first.
      let others = max(0, high - all[place].debt)
      (low, high) = (max(0, low - others), max(0, high - others))
      let start = all[place].from
      let end = start + all[place].bucket.credits
      let share = min(all[place].left, max(0, min(high, end) - max(low, start)))
      all[place].left -= share
      settled.add(all[place].bucket.with(share))
      low -= max(0, min(low, end) - start)
      high -= max(0, min(high, end) - start)
    }
    let excess = max(0, high - debt)
    let own = max(0, low - excess)..<(high - excess)
    if settled.isEmpty { return (shares, own) }
    settledDebts = all
    // The part still owed goes back first.
    last.credits -= settled.total
    let rest = min(high - low, last.credits)
    var result = BucketShares(shares.dropLast())
    result.add(last.with(last.credits - rest))
    for share in settled { result.add(share) }
    result.add(last.with(rest))
    return (result, own)
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
      let place = rest.firstIndex {
        $0.bucket == own.bucket && $0.debt == own.debt && $0.at == own.at && $0.left >= own.left
          && $0.from == own.from
      }
      guard let place else { return false }
      rest = rest[(place + 1)...]
    }
    return true
  }
}
