internal import CreditModel

/// State of each top-up's credits, computed from the lines of a history.
///
/// Lines are taken in the order in which they took effect. At any time, the credits used, expired,
/// refunded and left add up to those granted.
struct GrantBook {
  var grants = GrantList()
  var purses: [LotPurse]
  let timeline: GrantTimeline
  /// Credits used by charges that are given back or corrected later, and by refunds.
  var spendings: [Spending] = []
  var charges: [UInt64: Int] = [:]
  private var numbers: [UInt64: Int] = [:]
  /// The last payment for each account's subscription to a product.
  private var subscriptions: [UInt64: Int] = [:]
  /// All payments for each account's subscriptions.
  private var payments: [Int: [Int]] = [:]
  /// Credits given to another account that have not arrived there yet.
  private var given: [UInt64: [Lot]] = [:]
  /// Which grants' credits came to which other accounts.
  private var journeys: [(grant: Int, account: Int)] = []
  var lotCount = 0

  /// - Parameter until: only earlier events count; nil for all.
  init(_ timeline: GrantTimeline, until: Timestamp?) {
    self.init(timeline)
    timeline.forEachInstant(until: until) { addInstant($0) }
    markIncomplete()
  }

  /// The book before the first event.
  init(_ timeline: GrantTimeline) {
    self.timeline = timeline
    purses = timeline.accountNames.map { _ in LotPurse() }
  }

  /// Names the accounts with credits of top-ups that no line has; nil if all are there.
  var remarkOnMissing: String? {
    let known = Set(grants.map(\.account))
    let missing = purses.indices.filter { purses[$0].isIncomplete && !known.contains($0) }
    if missing.isEmpty { return nil }
    let names = missing.map { timeline.accountNames[$0] }.quotedInShort
    return "the input has no top-up of \(names), whose credits are "
      + "in no row: --by grant needs the whole history"
  }

  /// Names the accounts with missing lines whose top-ups have no row to say so; nil if there are
  /// none.
  func remarkOnHidden(_ isShown: (Int) -> Bool) -> String? {
    let hidden = grants.indices.filter { grants[$0].isIncomplete }.map { grants[$0].account }
    let names = Set(hidden).filter { !isShown($0) }.map { timeline.accountNames[$0] }
    if names.isEmpty { return nil }
    return "the input lacks lines of \(names.quotedInShort), whose top-ups have no row in this "
      + "time: --by grant needs the whole history"
  }

  /// Names the accounts that may have top-ups, or uses of them, that no line has.
  var incompleteAccounts: [String] {
    var book = self
    book.markIncomplete()
    let owners = Set(book.grants.filter(\.isIncomplete).map(\.account))
    return purses.indices.filter { purses[$0].isIncomplete || owners.contains($0) }.map {
      timeline.accountNames[$0]
    }
  }

  func accountName(of grant: GrantedCredits) -> String { timeline.accountNames[grant.account] }

  // MARK: Order

  /// The most passes over the lines of an instant to find the next ones.
  private static let passLimit = 64

  /// Adds the events of an instant, each behind the one whose balance it continues.
  mutating func addInstant(_ events: [GrantEvent]) {
    var waiting = Self.withStartsInPlace(events)
    for _ in 0..<Self.passLimit where !waiting.isEmpty {
      var left: [GrantEvent] = []
      for event in waiting {
        if follows(event) { add(event) } else { left.append(event) }
      }
      if left.count == waiting.count { add(left.removeFirst()) }
      waiting = left
    }
    for event in waiting { add(event) }
    for event in events where event.isEnd || event.kind == .refund { lapse(after: event) }
  }

  /// Returns the events with each start of a grant moved to its place.
  ///
  /// Its line is at the place of its record. It starts after expiries and resets at that instant,
  /// and before all other events then.
  private static func withStartsInPlace(_ events: [GrantEvent]) -> [GrantEvent] {
    if !events.contains(where: \.isStart) { return events }
    var ordered = events.filter { !$0.isStart }
    for start in events where start.isStart {
      var place = 0
      for (next, event) in ordered.enumerated() where event.account == start.account {
        guard [.expiry, .quota].contains(event.kind) || event.isStart else { break }
        if Int128(event.balance) == start.before { place = next + 1 }
      }
      ordered.insert(start, at: place)
    }
    return ordered
  }

  private func follows(_ event: GrantEvent) -> Bool {
    if event.isSchedule { return true }
    if event.isEnd { return ended(by: event) != nil }
    let isWaiting =
      event.kind == .transfer && event.credits > 0
      && timeline.given.contains(event.reference) && given[event.reference] == nil
    return !isWaiting && purses[event.account].balance == before(event)
  }

  /// The balance before an event. The refund of a grant that has not started leaves it as it is.
  private func before(_ event: GrantEvent) -> Int128 {
    refundedSchedule(event) == nil ? event.before : Int128(event.balance)
  }

  private func refundedSchedule(_ event: GrantEvent) -> Int? {
    guard event.kind == .refund, event.credits < 0, let grant = grant(refundedBy: event),
      grants[grant].isScheduled
    else { return nil }
    return grant
  }

  // MARK: Events

  private mutating func add(_ event: GrantEvent) {
    let note = timeline.note(of: event)
    if event.isSchedule {
      if let note, grant(note.id, of: event.account) == nil {
        register(event, note, isScheduled: true)
      }
      return
    }
    if event.isEnd {
      if let grant = ended(by: event) { grants[grant].end(at: event.time) }
      return
    }
    fillGap(before: event)
    purses[event.account].balance = event.balance
    let credits = Int128(event.credits)
    if event.kind == .refund, let grant = grant(refundedBy: event) {
      grants[grant].payBack(note?.payment?.amount, isReversal: note?.isReversal == true)
    }
    if let grant = refundedSchedule(event) {
      grants[grant].refund(unstarted: -credits)
    } else if credits < 0 {
      take(-credits, event, note)
    } else if credits > 0 || note?.isReversal == true
      || event.kind == .purchase || event.kind == .subscription
    {
      give(credits, event, note)
    }
  }

  /// Makes up for missing lines before an event.
  ///
  /// Credits that came are of no known grant, and credits that went count as used.
  private mutating func fillGap(before event: GrantEvent) {
    let missing = before(event) - Int128(purses[event.account].balance)
    if missing == 0 { return }
    purses[event.account].isIncomplete = true
    if missing < 0 {
      spend(-missing, of: event.account, from: purses[event.account].usualOrder)
    } else {
      deposit(newLot(nil, missing), to: .plainPurchased, of: event.account)
    }
  }

  private mutating func take(_ credits: Int128, _ event: GrantEvent, _ note: GrantNote?) {
    let account = event.account
    switch event.kind {
    case .expiry: expire(credits, event, note)
    case .transfer:
      let lots = purses[account].take(credits, from: .plainPurchased)
      given[event.reference] = lots.map(\.lot)
      spendMissing(credits - lots.credits, of: account)
    case .refund:
      guard let grant = grant(refundedBy: event) else { return spendMissing(credits, of: account) }
      takeBack(credits, of: grant, note?.taken, from: account)
    case .quota:
      let lots = purses[account].take(credits, from: .quota)
      spendMissing(credits - lots.credits, of: account)
    case .usage: spend(credits, note?.taken, event)
    case .purchase, .subscription, .bonus, .adjustment, .starter:
      if let taken = note?.taken {
        spend(credits, taken, event)
      } else {
        spend(credits, of: account, from: purses[account].purchasedFirst)
      }
    }
  }

  private mutating func give(_ credits: Int128, _ event: GrantEvent, _ note: GrantNote?) {
    let account = event.account
    switch event.kind {
    case .purchase, .subscription, .bonus, .adjustment, .starter:
      if let note { start(event, note) }
    case .quota: deposit(newLot(nil, credits), to: .quota, of: account)
    case .transfer: receive(credits, event, note)
    case .usage: giveBack(credits, note?.taken, of: charges[event.reference], at: event)
    case .refund:
      if note?.isReversal == true, let grant = grant(refundedBy: event) {
        return giveAgain(credits, of: grant, at: event)
      }
      let charge = GrantTimeline.subjects(ofRefund: note?.id ?? "").compactMap {
        charges[GrantTimeline.hash($0, of: account)]
      }.first
      giveBack(credits, note?.taken, of: charge, at: event)
    case .expiry: deposit(newLot(nil, credits), to: .plainPurchased, of: account)
    }
  }

  // MARK: Top-ups

  func grant(_ id: String, of account: Int) -> Int? {
    numbers[GrantTimeline.hash(id, of: account)]
  }

  /// Which top-up a refund, or the reversal of one, is of.
  private func grant(refundedBy event: GrantEvent) -> Int? {
    guard let id = timeline.note(of: event)?.id else { return nil }
    return GrantTimeline.subjects(ofRefund: id).compactMap { grant($0, of: event.account) }.first
  }

  /// The subscription's payment that an event ends; nil if its line has not been added yet.
  private func ended(by event: GrantEvent) -> Int? {
    timeline.note(of: event).flatMap { grant($0.id, of: event.account) }
  }

  @discardableResult
  private mutating func register(
    _ event: GrantEvent, _ note: GrantNote, isScheduled: Bool = false
  ) -> Int {
    lotCount += 1
    numbers[GrantTimeline.hash(note.id, of: event.account)] = grants.count
    grants.append(GrantedCredits(event, note, isScheduled: isScheduled, order: lotCount))
    if event.kind == .subscription { renew(grants.count - 1) }
    return grants.count - 1
  }

  /// Begins the time of an early renewal when the last payment's time ends.
  private mutating func renew(_ grant: Int) {
    let key = GrantTimeline.hash(grants[grant].product ?? "", of: grants[grant].account)
    guard let own = grants[grant].paidTime else { return }
    payments[grants[grant].account, default: []].append(grant)
    if (grants[grant].price ?? .zero).isZero { resume(by: grant, from: own.start) }
    if let last = subscriptions[key].flatMap({ grants[$0].planTime }), last.end > own.start {
      // A payment with an earlier end has no effect on it.
      if last.end >= own.end { return }
      grants[grant].paidTime = (last.end, own.end)
    }
    subscriptions[key] = grant
  }

  /// Defers the rest of payments again whose product a payment at price 0 gives back.
  private mutating func resume(by gift: Int, from start: Timestamp) {
    for place in payments[grants[gift].account] ?? []
    where grants[place].product == grants[gift].product {
      if let time = grants[place].paidTime, time.end > start { grants[place].resume() }
    }
  }

  /// Ends the time of payments that were refunded or ended early, if an end or a refund leaves no
  /// other in force.
  ///
  /// Until then they are earned to their own end: the rest pays for the other plan.
  private mutating func lapse(after event: GrantEvent) {
    let grant = event.isEnd ? ended(by: event) : grant(refundedBy: event)
    guard let grant, grants[grant].kind == .subscription else { return }
    let all = payments[event.account] ?? []
    if all.contains(where: { grants[$0].planTime.map { $0.end > event.time } ?? false }) { return }
    for place in all where grants[place].endedAt != nil || grants[place].isRefunded {
      grants[place].lapse(at: event.time)
    }
  }

  private mutating func start(_ event: GrantEvent, _ note: GrantNote) {
    let known = grant(note.id, of: event.account)
    let grant: Int
    if let known, grants[known].isScheduled {
      grant = known
      grants[grant].isScheduled = false
    } else {
      grant = register(event, note)
    }
    let lot = Lot(grant: grant, credits: Int128(event.credits), order: grants[grant].order)
    deposit(lot, to: grants[grant].key(grant), of: event.account)
  }

  private mutating func expire(_ credits: Int128, _ event: GrantEvent, _ note: GrantNote?) {
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
    // All that is left of a bucket expires at once.
    if purses[event.account].credits(in: key) != 0 { purses[event.account].isIncomplete = true }
  }

  private mutating func receive(_ credits: Int128, _ event: GrantEvent, _ note: GrantNote?) {
    var missing = credits
    for var lot in given.removeValue(forKey: event.reference) ?? [] {
      lot.credits = min(lot.credits, missing)
      missing -= lot.credits
      if let grant = lot.grant { journeys.append((grant, event.account)) }
      deposit(newLot(lot.grant, lot.credits), to: .plainPurchased, of: event.account)
    }
    guard missing > 0, let note else { return }
    // Its giver's line is not there.
    let grant = register(event, note)
    grants[grant].granted = missing
    grants[grant].isIncomplete = true
    deposit(newLot(grant, missing), to: .plainPurchased, of: event.account)
  }

  private mutating func markIncomplete() {
    for lot in given.values.joined() {
      if let grant = lot.grant { grants[grant].isIncomplete = true }
    }
    for (grant, account) in journeys where purses[account].isIncomplete {
      grants[grant].isIncomplete = true
    }
    for place in grants.indices where purses[grants[place].account].isIncomplete {
      grants[place].isIncomplete = true
    }
  }
}
