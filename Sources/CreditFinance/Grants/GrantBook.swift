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
  private var payments: [Int: PlanPayments] = [:]
  /// Credits given to another account that have not arrived there yet.
  private(set) var given: [UInt64: (lots: [Lot], receiver: String?)] = [:]
  /// The accounts with missing lines, and the owners of the top-ups that these leave incomplete.
  var gaps: [String: Set<Int>] = [:]
  /// Which grants' credits came to which other accounts.
  private(set) var journeys: [(grant: Int, account: Int)] = []
  var lotCount = 0
  /// Credits that expire after the newest line.
  var expiredLater: Int128 = 0

  /// - Parameters:
  ///   - until: only earlier events count; nil for all.
  ///   - end: credits expire up to here.
  init(_ timeline: GrantTimeline, until: Timestamp?, end: Timestamp = .earliest) {
    self.init(timeline)
    timeline.forEachInstant(until: until) { addInstant($0, isCertain: $1) }
    for expiry in expiries(before: until, end) { expire(expiry) }
    markIncomplete()
  }

  init(_ timeline: GrantTimeline) {
    self.timeline = timeline
    purses = timeline.accountNames.map { _ in LotPurse() }
  }

  func accountName(of grant: GrantedCredits) -> String { timeline.accountNames[grant.account] }

  // MARK: Order

  /// Adds the events of an instant, each behind the one whose balance it continues.
  /// - Parameter isCertain: false if the input does not show their order.
  mutating func addInstant(_ events: [GrantEvent], isCertain: Bool) {
    var waiting = inOrder(events, isCertain)
    // Each pass may find givers of transfers.
    for _ in 0..<1024 where !waiting.isEmpty {
      var left: [GrantEvent] = []
      var stopped: Set<Int> = []
      for event in waiting {
        let isEarly = event.isEnd && grant(of: event) == nil
        let awaitsGiver =
          event.kind == .transfer && event.credits > 0
          && timeline.given.contains(event.reference) && given[event.reference] == nil
        if isEarly || stopped.contains(event.account) || awaitsGiver {
          left.append(event)
          if !isEarly { stopped.insert(event.account) }
        } else {
          add(event)
        }
      }
      if left.count == waiting.count { add(left.removeFirst()) }
      waiting = left
    }
    for event in waiting { add(event) }
    let moves = events.filter { [.subscription, .refund].contains($0.kind) && noteMove($0) }
    for event in moves { lapse(in: event.account, at: event.time) }
  }

  /// Returns an instant's events with those of each account in the order of their balances.
  private mutating func inOrder(_ events: [GrantEvent], _ isCertain: Bool) -> [GrantEvent] {
    if events.count == 1 { return events }
    var ordered = events
    let moves = events.indices.filter { !events[$0].isSchedule && !events[$0].isEnd }
    for (account, places) in Dictionary(grouping: moves, by: { events[$0].account })
    where places.count > 1 {
      let own = inOrder(places.map { events[$0] }, of: account, isCertain)
      for (place, event) in zip(places, own) { ordered[place] = event }
    }
    return ordered
  }

  /// Returns events of an account in the order of the input, with moved ones in its gaps.
  ///
  /// If that has other gaps, or is not certain, the balances decide.
  private mutating func inOrder(
    _ events: [GrantEvent], of account: Int, _ isCertain: Bool
  ) -> [GrantEvent] {
    let start = Int128(purses[account].balance)
    var fixed = events.filter { !$0.isMoved }[...]
    let starts = events.filter(\.isMoved)
    var moved = starts
    var (ordered, balance, hasGap): ([GrantEvent], Int128, Bool) = ([], start, false)
    while !fixed.isEmpty || !moved.isEmpty {
      let place = moved.firstIndex { before($0, starts) == balance }
      let event: GrantEvent
      if let first = fixed.first, before(first, starts) == balance || place == nil {
        event = fixed.removeFirst()
      } else {
        event = moved.remove(at: place ?? 0)
      }
      hasGap = hasGap || before(event, starts) != balance
      ordered.append(event)
      balance = Int128(event.balance)
    }
    if isCertain, !hasGap { return ordered }
    guard let trail = trail(of: events, starts, from: start) else { return ordered }
    if !trail.isOnly { purses[account].isUnordered = true }
    return hasGap ? trail.events : ordered
  }

  /// Returns events so that each begins with the balance of the one before.
  ///
  /// It is the only order if no balance comes three times, and no two come in turns.
  /// - Returns: nil if lines are missing.
  private func trail(
    of events: [GrantEvent], _ starts: [GrantEvent], from start: Int128
  ) -> (events: [GrantEvent], isOnly: Bool)? {
    var rest = Dictionary(grouping: events.reversed(), by: { before($0, starts) })
    var (way, trail): ([GrantEvent?], [GrantEvent]) = ([nil], [])
    while let last = way.last {
      if let next = rest[last.map { Int128($0.balance) } ?? start]?.popLast() {
        way.append(next)
      } else {
        way.removeLast()
        if let last { trail.append(last) }
      }
    }
    trail.reverse()
    var balance = start
    var (open, counts, isOnly) = ([start], [start: 1], trail.count == events.count)
    for event in trail {
      guard before(event, starts) == balance else { return nil }
      balance = Int128(event.balance)
      counts[balance, default: 0] += 1
      if counts[balance] == 1 {
        open.append(balance)
      } else {
        while let last = open.last, last != balance { open.removeLast() }
        isOnly = isOnly && counts[balance] == 2 && !open.isEmpty
      }
    }
    return trail.count == events.count ? (trail, isOnly) : nil
  }

  /// The balance before an event. The refund of a grant that has not started leaves it as it is.
  /// - Parameter moved: others of that time, among which it may start before.
  private func before(_ event: GrantEvent, _ moved: [GrantEvent] = []) -> Int128 {
    guard let scheduled = refundedSchedule(event) else { return event.before }
    let starts = moved.contains { grant(of: $0) == scheduled }
    return starts ? event.before : Int128(event.balance)
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
      guard let note, let grant = grant(of: event) else { return }
      extend(grant, to: note.paidUntil ?? .earliest, at: event.time)
      if note.isEndedEarly { grants[grant].end(at: event.time) }
      return
    }
    fillGap(before: event)
    purses[event.account].balance = event.balance
    let credits = Int128(event.credits)
    if event.kind == .refund, let grant = grant(refundedBy: event) {
      grants[grant].payBack(note?.payment?.amount, isReversal: note?.isReversal == true)
    }
    if let grant = refundedSchedule(event) {
      grants[grant].returned += min(-credits, grants[grant].left)
      grants[grant].isScheduled = false
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
      given[event.reference] = (lots.map(\.lot), note?.counterparty)
      spendMissing(credits - lots.credits, of: account)
    case .refund:
      guard let grant = grant(refundedBy: event) else { return spendMissing(credits, of: account) }
      takeBack(credits, of: grant, note?.taken, from: account)
    case .quota:
      let used = purses[account].usedQuota
      var lots = purses[account].take(credits, from: .quota)
      purses[account].quota -= credits
      // Credits that expire before its reset were used first.
      let dated = purses[account].buckets.filter { !$0.key.isOfGrant && $0.expiresAt < .latest }
      lots += purses[account].take(min(credits - lots.credits, used), from: dated.map(\.key))
      use(lots.filter { $0.key != .quota }, as: nil)
      spendMissing(credits - lots.credits, of: account)
    case .usage: spend(credits, note?.taken, event)
    case .purchase, .subscription, .bonus, .adjustment, .starter:
      adjust(credits, note?.taken, of: account)
    }
  }

  private mutating func give(_ credits: Int128, _ event: GrantEvent, _ note: GrantNote?) {
    let account = event.account
    switch event.kind {
    case .purchase, .subscription, .bonus, .adjustment, .starter:
      if let note { start(event, note) }
    case .quota:
      if purses[account].credits(in: .quota) == 0 { purses[account].quota = 0 }
      purses[account].quota += credits
      deposit(newLot(nil, credits), to: .quota, of: account)
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

  /// The top-up that an event starts or ends; nil if its line has not been added yet.
  private func grant(of event: GrantEvent) -> Int? {
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
    let (account, product) = (grants[grant].account, grants[grant].product)
    guard let own = grants[grant].paidTime else { return }
    var known = payments.removeValue(forKey: account) ?? PlanPayments()
    defer { payments[account] = known }
    known.newest = grant
    // Those that are over change no more.
    known.carried.removeAll { grants[$0].isOver(at: own.start) }
    if (grants[grant].price ?? .zero).isZero {
      // A payment at price 0 gives a product back: the rest of its payments is deferred again.
      known.lapsed.removeAll { grants[$0].isOver(at: own.start) }
      known.carried += known.lapsed.filter { grants[$0].product == product }
      known.lapsed.removeAll { grants[$0].product == product }
      for place in known.carried where grants[place].product == product { grants[place].resume() }
    }
    known.insert(grant, of: grants)
    let key = GrantTimeline.hash(product ?? "", of: account)
    if let last = subscriptions[key].flatMap({ grants[$0].planTime }), last.end > own.start {
      // A payment with an earlier end has no effect on it.
      if last.end >= own.end { return }
      grants[grant].paidTime = (last.end, own.end)
    }
    subscriptions[key] = grant
  }

  /// Takes over a later end of a payment's time.
  private mutating func extend(_ grant: Int, to until: Timestamp, at time: Timestamp) {
    if grants[grant].paidTime.map({ until <= $0.end }) ?? true { return }
    grants[grant].extend(to: until, at: time)
    let account = grants[grant].account
    let key = GrantTimeline.hash(grants[grant].product ?? "", of: account)
    if let last = subscriptions[key].flatMap({ grants[$0].paidTime }), last.end < until {
      subscriptions[key] = grant
    }
    payments[account, default: PlanPayments()].insert(grant, of: grants)
  }

  /// Notes that a payment for a plan was made, refunded, restored or ended.
  /// - Returns: false if the event is of no such payment.
  private mutating func noteMove(_ event: GrantEvent) -> Bool {
    let grant = event.kind == .refund ? grant(refundedBy: event) : grant(of: event)
    guard let grant, var known = payments.removeValue(forKey: event.account) else { return false }
    defer { payments[event.account] = known }
    if grants[grant].planTime != nil {
      // A refund was reversed.
      if event.kind == .refund { known.insert(grant, of: grants) }
    } else if grants[grant].timeInForce != nil {
      known.carry(grant, of: grants)
    }
    return grants[grant].kind == .subscription
  }

  /// Ends the time of payments that were refunded or ended early with the last one in force.
  ///
  /// Until then they are earned to their own end: the rest pays for the other plan.
  private mutating func lapse(in account: Int, at time: Timestamp) {
    guard payments[account]?.carried.isEmpty == false,
      var known = payments.removeValue(forKey: account)
    else { return }
    defer { payments[account] = known }
    let last = known.last(of: grants)
    for place in known.carried where grants[place].planTime == nil {
      grants[place].lapse(with: last, at: time)
    }
    known.lapsed += known.carried.filter { grants[$0].timeInForce == nil }
    known.carried.removeAll { grants[$0].timeInForce == nil }
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

  private mutating func receive(_ credits: Int128, _ event: GrantEvent, _ note: GrantNote?) {
    var missing = credits
    for var lot in given.removeValue(forKey: event.reference)?.lots ?? [] {
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
    let giver = note.counterparty ?? timeline.accountNames[event.account]
    gaps[giver, default: []].insert(event.account)
    deposit(newLot(grant, missing), to: .plainPurchased, of: event.account)
  }
}
