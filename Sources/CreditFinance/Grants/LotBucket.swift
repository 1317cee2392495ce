internal import CreditModel

/// Credits of one top-up that are in one bucket.
struct Lot {
  /// The number of the top-up's grant; nil if the top-up is unknown.
  var grant: Int?
  var credits: Int128
  /// When they came, among all: those that came first are used first.
  var order: Int
}

struct LotBucket {
  enum Key: Hashable {
    case quota
    case plain(Bucket.Kind)
    /// Bonuses of journals that have no grants, by their expiry.
    case dated(Bucket.Kind, Timestamp)
    case grant(Int)

    /// Nil for a grant's.
    var kind: Bucket.Kind? {
      switch self {
      case .quota: .quota
      case .plain(let kind), .dated(let kind, _): kind
      case .grant: nil
      }
    }

    var isOfGrant: Bool { kind == nil }

    static let plainPurchased = Key.plain(.purchased)
  }

  let key: Key
  let isScoped: Bool
  /// The bucket that is used first has the lowest.
  let rank: (priority: Int64, expiresAt: Timestamp, kind: Int, number: Int)
  /// The oldest first. Those before `start` are spent.
  private(set) var lots: [Lot] = []
  private var start = 0
  private(set) var credits: Int128 = 0

  /// An empty bucket. A quota's reset is not in the history: it counts as the first expiry.
  /// - Parameter grants: to find the terms of a grant's.
  init(_ key: Key, among grants: GrantList) {
    self.key = key
    let (terms, kind, number, expiresAt): (LotTerms?, Bucket.Kind, Int, Timestamp?) =
      switch key {
      case .quota: (nil, .quota, .max, .earliest)
      case .plain(let kind): (nil, kind, .max, nil)
      case .dated(let kind, let time): (nil, kind, .max, time)
      case .grant(let number):
        (grants[number].terms, grants[number].bucketKind, number, grants[number].terms.expiresAt)
      }
    isScoped = terms?.isScoped ?? false
    rank = (
      terms?.priority ?? Grant.usualPriority, expiresAt ?? .latest,
      Bucket.Kind.allCases.firstIndex(of: kind) ?? 0, number
    )
  }

  /// The earliest time for a quota, and the latest for credits without expiry.
  var expiresAt: Timestamp { rank.expiresAt }

  mutating func put(_ lot: Lot) {
    credits += lot.credits
    var place = lots.count
    while place > start, lots[place - 1].order > lot.order { place -= 1 }
    if place > start, lots[place - 1].order == lot.order, lots[place - 1].grant == lot.grant {
      lots[place - 1].credits += lot.credits
    } else {
      lots.insert(lot, at: place)
    }
  }

  /// Takes up to `wanted` credits, the oldest first.
  /// - Parameter grant: whose credits are taken before all others.
  mutating func take(_ wanted: Int128, preferring grant: Int? = nil) -> [Lot] {
    var missing = min(wanted, credits)
    var taken: [Lot] = []
    if let grant {
      for place in start..<lots.count where missing > 0 && lots[place].grant == grant {
        taken.append(take(&missing, at: place))
      }
    }
    var place = start
    while missing > 0 {
      if lots[place].credits > 0 { taken.append(take(&missing, at: place)) }
      place += 1
    }
    while start < lots.count, lots[start].credits == 0 { start += 1 }
    if 2 * start >= lots.count {
      lots.removeFirst(start)
      start = 0
    }
    return taken
  }

  private mutating func take(_ missing: inout Int128, at place: Int) -> Lot {
    var share = lots[place]
    share.credits = min(missing, share.credits)
    lots[place].credits -= share.credits
    credits -= share.credits
    missing -= share.credits
    return share
  }

  /// See ``LotPurse/reassign(_:from:to:)``.
  mutating func reassign(_ limit: Int128, from grant: Int?, to other: Int?) -> Int128 {
    var left = limit
    var rest: [Lot] = []
    for var lot in lots[start...] {
      var share = lot
      share.grant = other
      share.credits = lot.grant == grant ? min(left, lot.credits) : 0
      left -= share.credits
      lot.credits -= share.credits
      rest += [share, lot].filter { $0.credits > 0 }
    }
    lots = rest
    start = 0
    return limit - left
  }
}
