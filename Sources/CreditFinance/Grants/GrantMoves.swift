internal import CreditModel

// How credits are used, and given back.
extension GrantBook {
  /// Credits that have just come.
  mutating func newLot(_ grant: Int?, _ credits: Int128) -> Lot {
    lotCount += 1
    return Lot(grant: grant, credits: credits, order: lotCount)
  }

  /// Puts credits into a bucket. They settle a debt first, unless they are for some models only:
  /// the debtor has used them. Credits of a grant stay used if a charge is refunded.
  mutating func deposit(_ lot: Lot, to key: LotBucket.Key, of account: Int) {
    var lot = lot
    let bucket = LotBucket(key, among: grants)
    while !bucket.isScoped, let paid = purses[account].settle(lot.credits) {
      if let grant = lot.grant {
        let lent = paid.count == nil ? reassign(paid.credits, from: nil, to: grant, account) : 0
        grants[grant][keyPath: paid.count ?? \.used] += paid.credits - lent
      }
      if let spending = paid.spending {
        var used = Lot(grant: lot.grant, credits: paid.credits, order: lot.order)
        if key.isOfGrant { used.grant = nil }
        spendings[spending].settle(
          SpentLot(key: .plainPurchased, lot: used, settledKey: settledKey(key)))
      }
      lot.credits -= paid.credits
    }
    if lot.credits > 0 { purses[account].put(lot, into: bucket) }
  }

  /// Returns the bucket of credits that settled a debt, if the debt's charge goes back.
  ///
  /// As the charge's line records it, they are plain credits then. Lines of earlier tools lack
  /// this: it means purchased credits.
  private func settledKey(_ key: LotBucket.Key) -> LotBucket.Key? {
    switch key {
    case .grant(let number):
      let kind = grants[number].bucketKind
      return grants[number].terms.expiresAt.map { .dated(kind, $0) } ?? .plain(kind)
    case .dated: return key
    case .quota, .plain: return nil
    }
  }

  // MARK: Use

  /// Uses credits of some buckets, in their order; missing ones become debt.
  mutating func spend(
    _ credits: Int128, of account: Int, from keys: [LotBucket.Key], as spending: Int? = nil
  ) {
    let taken = purses[account].take(credits, from: keys)
    use(taken, as: spending)
    owe(credits - taken.credits, of: account, for: spending)
  }

  /// Uses credits that should have been somewhere else.
  mutating func spendMissing(_ credits: Int128, of account: Int) {
    if credits <= 0 { return }
    purses[account].isIncomplete = true
    spend(credits, of: account, from: purses[account].usualOrder)
  }

  /// Uses the credits in a charge's line, or the default ones if the line has none.
  mutating func spend(_ credits: Int128, _ taken: GrantNote.Shares?, _ event: GrantEvent) {
    let spending = spending(of: event)
    guard let taken else {
      let order = purses[event.account].usualOrder
      return spend(credits, of: event.account, from: order, as: spending)
    }
    var missing = credits
    for (source, share) in taken where share > 0 {
      let share = min(missing, Int128(share))
      let keys = keys(of: source, in: event.account)
      let lots = purses[event.account].take(share, from: keys)
      use(lots, as: spending)
      missing -= lots.credits
      if case .kind(.purchased, expiresAt: nil) = source {
        owe(share - lots.credits, of: event.account, for: spending)
        missing -= share - lots.credits
      }
    }
    spendMissing(missing, of: event.account)
  }

  mutating func use(_ lots: [SpentLot], as spending: Int?) {
    for spent in lots {
      if let grant = spent.lot.grant { grants[grant].used += spent.lot.credits }
      if let spending { spendings[spending].add(spent) }
    }
  }

  private mutating func owe(_ credits: Int128, of account: Int, for spending: Int?) {
    purses[account].owe(credits, for: spending, as: \.used)
    if let spending, credits > 0 {
      spendings[spending].add(SpentLot(key: nil, lot: Lot(grant: nil, credits: credits, order: 0)))
    }
  }

  private func keys(of source: GrantSource, in account: Int) -> [LotBucket.Key] {
    switch source {
    case .grant(let id): grant(id, of: account).map { [.grant($0)] } ?? []
    case .kind(let kind, expiresAt: let time?): [.dated(kind, time)]
    case .kind(let kind, expiresAt: nil): purses[account].keys(of: kind)
    }
  }

  /// Returns the record of a charge's use; nil if it is never corrected or refunded.
  private mutating func spending(of event: GrantEvent) -> Int? {
    guard timeline.corrected.contains(event.reference) else { return nil }
    if let known = charges[event.reference] { return known }
    charges[event.reference] = spendings.count
    return newSpending()
  }

  private mutating func newSpending() -> Int {
    spendings.append(Spending())
    return spendings.count - 1
  }

  // MARK: Giving charges back

  /// Gives credits of a charge back to their buckets, the last used first.
  /// - Parameter taken: their buckets, below 0, if the line has them.
  mutating func giveBack(
    _ credits: Int128, _ taken: GrantNote.Shares?, of charge: Int?, at event: GrantEvent
  ) {
    var missing = credits
    for (source, share) in taken ?? [] where share < 0 {
      let share = min(missing, 0 - Int128(share))
      missing -= share - giveBack(share, to: source, of: charge, at: event)
    }
    missing = giveBack(missing, to: nil, of: charge, at: event)
    if missing == 0 { return }
    purses[event.account].isIncomplete = true
    deposit(newLot(nil, missing), to: .plainPurchased, of: event.account)
  }

  /// - Returns: the credits that the charge had not used.
  private mutating func giveBack(
    _ credits: Int128, to source: GrantSource?, of charge: Int?, at event: GrantEvent
  ) -> Int128 {
    guard let charge else { return credits }
    let account = event.account
    let wanted = source.map { keys(of: $0, in: account) }
    var missing = credits
    while missing > 0,
      let spent = takeLast(upTo: missing, of: charge, at: event.time, wanted)
    {
      missing -= spent.lot.credits
      guard var key = spent.key else {
        purses[account].forgive(spent.lot.credits, for: charge)
        continue
      }
      if wanted != nil, let settled = spent.settledKey { key = settled }
      let isWanted = wanted?.contains(key) ?? true
      restore(spent.lot, to: isWanted ? key : wanted?.first ?? key, of: account, at: event.time)
    }
    return missing
  }

  /// Whether a bucket takes credits back: it has not expired.
  private func isOpen(_ key: LotBucket.Key, at now: Timestamp) -> Bool {
    switch key {
    case .dated(_, let expiresAt): expiresAt > now
    case .grant(let number): grants[number].terms.expiresAt.map { $0 > now } ?? true
    case .quota, .plain: true
    }
  }

  private mutating func takeLast(
    upTo limit: Int128, of spending: Int, at now: Timestamp, _ wanted: [LotBucket.Key]? = nil
  ) -> SpentLot? {
    let place = spendings[spending].lastPlace(wanted) { isOpen($0, at: now) }
    guard let place else { return nil }
    return spendings[spending].take(upTo: limit, at: place)
  }

  /// Makes used credits unused. Credits that a refund has taken back of their top-up meanwhile were
  /// paid by others, which become unused: in the same bucket, unless that is a grant's own. A
  /// debt of their owner for credits that go back to another account is lent then.
  private mutating func restore(
    _ lot: Lot, to key: LotBucket.Key, of account: Int, at now: Timestamp
  ) {
    let rest = key.isOfGrant ? .plainPurchased : key
    var waiting = [(lot: lot, key: key)]
    while let (lot, key) = waiting.popLast() {
      guard let grant = lot.grant else {
        deposit(lot, to: key, of: account)
        continue
      }
      var own = lot
      own.credits = min(lot.credits, grants[grant].used)
      grants[grant].used -= own.credits
      deposit(own, to: key, of: account)
      var missing = lot.credits - own.credits
      let owner = grants[grant].account
      while missing > 0, let substitutes = grants[grant].substitutes,
        let spent = takeLast(upTo: missing, of: substitutes, at: now)
      {
        missing -= spent.lot.credits
        if spent.key == nil {
          purses[owner].forgive(spent.lot.credits, for: substitutes)
          if owner == account { continue }
          purses[owner].owe(spent.lot.credits, for: nil, as: nil)
          deposit(newLot(nil, spent.lot.credits), to: rest, of: account)
        } else {
          waiting.append((spent.lot, rest))
        }
      }
      deposit(newLot(nil, missing), to: rest, of: account)
    }
  }

  // MARK: Taking back

  /// Takes credits for a negative adjustment: they count as refunded, not as used.
  ///
  /// Credits at price 0 go first, also if a bucket with others paid: sold ones take their place.
  /// Credits of a grant with terms stay in its bucket.
  mutating func adjust(_ credits: Int128, _ shares: GrantNote.Shares?, of account: Int) {
    let taken = take(credits, shares, from: account)
    var gifts = gifts(of: account)
    for lot in taken.map(\.lot) {
      guard let grant = lot.grant else { continue }
      var left = lot.credits
      let isPlain = grants[grant].kind == .purchase && grants[grant].terms.priority == nil
      if isPlain, grants[grant].price?.isZero == false {
        while left > 0, let gift = gifts.last {
          let moved = purses[account].reassign(left, from: gift, to: grant)
          grants[gift].adjusted += moved
          left -= moved
          if left > 0 { gifts.removeLast() }
        }
      }
      grants[grant].adjusted += left
    }
    purses[account].owe(credits - taken.credits, for: nil, as: \.adjusted)
  }

  /// The grants at price 0 without terms of which an account has credits, the newest last.
  private func gifts(of account: Int) -> [Int] {
    let lots = purses[account].buckets.flatMap(\.lots).filter { $0.credits > 0 }
    return Set(lots.compactMap(\.grant)).sorted().filter {
      grants[$0].terms.priority == nil && grants[$0].price?.isZero == true
    }
  }

  /// Takes credits from the buckets of a line; without any, purchased ones first.
  private mutating func take(
    _ credits: Int128, _ shares: GrantNote.Shares?, from account: Int, preferring grant: Int? = nil
  ) -> [SpentLot] {
    guard let shares else {
      let open = purses[account].buckets.filter { !$0.isScoped && $0.credits > 0 }.map(\.key)
      return purses[account].take(credits, from: [.plainPurchased] + open, preferring: grant)
    }
    var taken: [SpentLot] = []
    for (source, share) in shares where share > 0 {
      let share = min(credits - taken.credits, Int128(share))
      taken += purses[account].take(share, from: keys(of: source, in: account), preferring: grant)
    }
    return taken
  }

  /// Takes credits of a top-up back: its own first. Those that others pay for it are used, expired
  /// or adjusted of these, as they were of it, or at another account.
  mutating func takeBack(
    _ credits: Int128, of grant: Int, _ shares: GrantNote.Shares?, from account: Int
  ) {
    let taken = take(credits, shares, from: account, preferring: grant)
    let own = taken.filter { $0.lot.grant == grant }.credits
    grants[grant].returned += own
    if own == credits { return }
    let spending = grants[grant].substitutes ?? newSpending()
    grants[grant].substitutes = spending
    let owed = SpentLot(key: nil, lot: Lot(grant: nil, credits: credits - taken.credits, order: 0))
    // The oldest ones are used first.
    var unmoved = max(0, credits - own - grants[grant].left)
    for var spent in taken.filter({ $0.lot.grant != grant }) + [owed] {
      let rest = max(0, spent.lot.credits - unmoved)
      unmoved -= spent.lot.credits - rest
      let moved = reassign(rest, from: grant, to: spent.lot.grant, account)
      if spent.key == nil { purses[account].owe(moved, for: nil, as: nil) }
      var left = spent.lot.credits - moved
      while left > 0 {
        let lost = grants[grant].refund(lostUpTo: left)
        spent.lot.credits = lost.credits
        left -= lost.credits
        if let other = spent.lot.grant { grants[other][keyPath: lost.count] += lost.credits }
        let use = lost.count == \.used ? spending : nil
        if let use { spendings[use].add(spent) }
        if spent.key == nil { purses[account].owe(lost.credits, for: use, as: lost.count) }
      }
    }
  }

  /// Replaces the rest of a refunded top-up by the top-up that was taken from.
  ///
  /// That is, in buckets that a refund does not take from, or at other accounts.
  /// - Returns: the number of credits.
  private mutating func reassign(
    _ limit: Int128, from grant: Int?, to other: Int?, _ account: Int
  ) -> Int128 {
    var left = limit
    for place in [account] + purses.indices.filter({ $0 != account }) {
      if left == 0 || grant.map({ grants[$0].left == 0 }) == true { break }
      left -= purses[place].reassign(left, from: grant, to: other)
    }
    if let grant { grants[grant].returned += limit - left }
    return limit - left
  }

  /// Takes the refund of a top-up back: its credits are left of it again.
  mutating func giveAgain(_ credits: Int128, of grant: Int, at event: GrantEvent) {
    let terms = grants[grant].terms
    let lasts = terms.expiresAt.map { $0 > event.time } ?? true
    let own = Lot(
      grant: grant, credits: grants[grant].grantAgain(credits, lasts: lasts),
      order: grants[grant].order)
    let key = terms.priority != nil && lasts ? LotBucket.Key.grant(grant) : .plainPurchased
    deposit(own, to: key, of: event.account)
    if own.credits == credits { return }
    purses[event.account].isIncomplete = true
    deposit(newLot(nil, credits - own.credits), to: .plainPurchased, of: event.account)
  }

  // MARK: Expiries

  mutating func expire(_ credits: Int128, _ event: GrantEvent, _ note: GrantNote?) {
    let key: LotBucket.Key
    if let id = note?.grant {
      guard let grant = grant(id, of: event.account) else {
        return spendMissing(credits, of: event.account)
      }
      key = .grant(grant)
    } else {
      let kind = (note?.id.split(separator: ":").last).flatMap {
        Bucket.Kind(rawValue: String($0))
      }
      key = kind == .quota ? .quota : .dated(kind ?? .bonus, event.time)
    }
    let lots = purses[event.account].take(credits, from: key)
    for spent in lots {
      if let grant = spent.lot.grant { grants[grant].expired += spent.lot.credits }
    }
    spendMissing(credits - lots.credits, of: event.account)
    if key == .quota { purses[event.account].quota = 0 }
    // All that is left of a bucket expires at once.
    let rest = purses[event.account].credits(in: key)
    if rest == 0 { return }
    if case .dated = key, rest <= purses[event.account].usedQuota {
      // It was used before a quota with a later reset, though no line says when that is.
      use(purses[event.account].take(rest, from: key), as: nil)
      deposit(newLot(nil, rest), to: .quota, of: event.account)
    } else {
      purses[event.account].isIncomplete = true
    }
  }

  /// An expiry after the newest line.
  typealias Expiry = (time: Timestamp, account: Int, key: LotBucket.Key)

  /// The expiries that are known to follow the newest line, in the order of their times.
  func expiries(before until: Timestamp?, _ end: Timestamp) -> [Expiry] {
    let open = purses.indices.flatMap { account in
      purses[account].buckets.map { ($0.expiresAt, account, $0.key) }
    }
    let scheduled = grants.indices.filter { grants[$0].isScheduled }.map {
      (grants[$0].terms.expiresAt ?? .latest, grants[$0].account, LotBucket.Key.grant($0))
    }
    return (open + scheduled)
      .filter { timeline.newest < $0.0 && $0.0 <= end && $0.0 < until ?? .latest }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
  }

  /// Expires all credits of a bucket, or of a grant that has not started.
  mutating func expire(_ expiry: Expiry) {
    var lots = purses[expiry.account].take(.max, from: expiry.key).map(\.lot)
    if case .grant(let grant) = expiry.key, grants[grant].isScheduled {
      lots.append(Lot(grant: grant, credits: grants[grant].left, order: 0))
    }
    for case (let grant?, let credits) in lots.map({ ($0.grant, $0.credits) }) {
      expiredLater += credits
      grants[grant].expired += credits
    }
  }

  /// Says that credits count as expired after the newest line; nil if none do.
  var remarkOnExpiries: String? {
    if expiredLater == 0 { return nil }
    return "the newest line is of \(timeline.newest.text): \(expiredLater.separated) credits that "
      + "were left then, and expire by the report's end, count as expired"
  }
}
