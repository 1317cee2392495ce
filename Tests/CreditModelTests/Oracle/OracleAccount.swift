import CreditModel

@testable import TestSupport

/// One account as the contract describes it, for comparison: credits lie in separate lots, a debt
/// is a number of its own, holds are kept one by one, and time passes event by event.
struct OracleAccount {
  struct Lot {
    var kind: Bucket.Kind
    var credits: Int128
    var until: Timestamp?
    var grant: Terms?

    func pays(for model: Name?) -> Bool {
      guard let models = grant?.models else { return true }
      return model.map { models.contains($0.text) } ?? false
    }

    /// Order of use, least first: priority, expiry, kind, age.
    var order: [Int64] {
      let rank = Bucket.Kind.allCases.firstIndex(of: kind) ?? 0
      return [
        grant?.priority ?? 50, until?.milliseconds ?? .max, Int64(rank), grant?.number ?? .max,
      ]
    }
  }

  /// The terms of a grant.
  struct Terms {
    var id: Name
    /// How many facts there were before it.
    var number: Int64
    var priority: Int64
    var models: [String]?
  }

  /// Facts of a whole grant.
  struct Known {
    var granted: Int128
    var refunded: Int128 = 0
    var isVoid = false
    var expired: Int128 = 0
    /// Refunded credits that were not taken, as they had expired.
    var gone: Int128 = 0
  }

  struct Hold {
    var id: Name
    var credits: Int128
    var until: Timestamp
  }

  struct PlanState {
    var plan: Name
    var period: QuotaPeriod
    var limit: Int128
    var used: Int128
    var resetsAt: Timestamp
    /// How many periods carried credits last; nil if they do not expire.
    var lasts: Int?
    /// The rests, each with the number of periods that it was carried through: the oldest first.
    var left: [(age: Int, size: Int128, credits: Int128)] = []
    var remaining: Int128 { limit > used ? limit - used : 0 }

    /// Uses credits, the oldest first; gives back if negative, the newest first.
    mutating func use(_ credits: Int128) {
      let before = remaining
      used = max(0, used + credits)
      var moved = before - remaining
      for place in moved > 0 ? Array(left.indices) : left.indices.reversed() {
        let part = left[place]
        let share = moved > 0 ? min(moved, part.credits) : max(moved, part.credits - part.size)
        left[place].credits -= share
        moved -= share
      }
    }
  }

  /// A transaction that has paid for a plan.
  struct Paid {
    var id: Name
    var product: Name
    var plan: Name
    var since: Timestamp
    var until: Timestamp
    /// In milliseconds.
    var grace: Int64
    var isRefunded = false
    /// A plan by hand has taken its place.
    var isSetAside = false
    /// Another product has taken its place.
    var isSuperseded = false
    var isGone = false
    /// Its place among all that were recorded.
    var number = 0
    var end: Timestamp { Timestamp(milliseconds: until.milliseconds + grace) }

    func begins(after other: Paid) -> Bool { (since, number) > (other.since, other.number) }
  }

  /// Origin of a charge's credits.
  enum Source {
    case lot(Bucket.Kind, until: Timestamp?, Terms?)
    case quota(resetsAt: Timestamp)
    case debt

    var isPlainPurchased: Bool {
      switch self {
      case .debt, .lot(.purchased, until: nil, nil): true
      case .lot, .quota: false
      }
    }
  }

  /// Credits that have settled a debt.
  struct Settled {
    var kind: Bucket.Kind
    var until: Timestamp?
    var credits: Int128
    var left: Int128
    /// The debt before.
    var owed: Int128
    var at: Timestamp
    /// Older debt than the settled one, if a charge gave up its own.
    var from: Int128 = 0
  }

  struct OutOfRange: Error {}

  var clock: Timestamp
  /// The wall clock of the policy; nil for UTC.
  var zone: SlowZone?
  var isExempt = false
  var isClosed = false
  var lots: [Lot] = []
  var scheduled: [(lot: Lot, start: Timestamp)] = []
  var grants: [Name: Known] = [:]
  var debt: Int128 = 0
  var plan: PlanState?
  /// The plan that it is on, with a quota or without.
  var planName: Name?
  var payments: [Paid] = []
  var paymentCount = 0
  /// The ends of periods whose charges the present quota counts.
  var sharedEnds: [Timestamp] = []
  var holds: [Hold] = []
  /// Credits that each charge took, in order.
  var taken: [Name: [(source: Source, credits: Int128)]] = [:]
  /// Balance after each charge, or its last correction, with the time.
  var after: [Name: (balance: Int128, at: Timestamp)] = [:]
  /// The oldest first, the newest sixteen.
  var settled: [Settled] = []
  /// Credits that each charge could not give back, in order.
  var lost: [Name: [(source: Source, credits: Int128)]] = [:]
  /// Credits that the last refund of a grant took.
  var lastTaken: Int128 = 0
  /// Credits that the last refund of a charge gave back.
  var lastRestored: Int128 = 0

  init(clock: Timestamp) {
    self.clock = clock
  }

  var balance: Int128 {
    lots.reduce(0) { $0 + $1.credits } + (plan?.remaining ?? 0) - debt
  }
  var held: Int128 { holds.reduce(0) { $0 + $1.credits } }
  var available: Int128 { available(for: nil) }

  func available(for model: Name?) -> Int128 {
    balance - held - lots.reduce(0) { $0 + ($1.pays(for: model) ? 0 : $1.credits) }
  }

  func checkRange() throws(OutOfRange) {
    if balance > Int128(Int64.max) || balance < -Int128(Int64.max) { throw OutOfRange() }
  }
}

// Credits that come and go.
extension OracleAccount {
  /// All incoming credits settle debt first, except those for some models only.
  /// - Parameter own: credits that settle the debt of the charge that returns them.
  mutating func receive(
    _ credits: Int128, _ kind: Bucket.Kind, until: Timestamp?, _ grant: Terms? = nil,
    own: Int128 = 0
  ) {
    let paid = grant?.models == nil ? min(debt, credits) : 0
    let mine = min(own, paid)
    if until != nil || grant != nil && kind == .bonus {
      settle(paid, kind, until: until)
    } else if plan != nil || !settled.isEmpty {
      debt -= mine
      settle(paid - mine, .purchased, until: nil)
      debt += mine
    }
    debt -= paid
    lots.append(Lot(kind: kind, credits: credits - paid, until: until, grant: grant))
    lots.removeAll { $0.credits == 0 }
  }

  /// Takes credits in the order of use; missing ones become debt.
  mutating func spend(_ credits: Int128, of model: Name? = nil, for id: Name) {
    var missing = credits
    var sources: [(source: Source, credits: Int128)] = []
    while missing > 0, let next = nextToBurn(model) {
      if let lot = next {
        let share = min(missing, lots[lot].credits)
        sources.append((.lot(lots[lot].kind, until: lots[lot].until, lots[lot].grant), share))
        lots[lot].credits -= share
        if lots[lot].credits == 0 { lots.remove(at: lot) }
        missing -= share
      } else if let quota = plan {
        let share = min(missing, quota.remaining)
        sources.append((.quota(resetsAt: quota.resetsAt), share))
        plan?.use(share)
        missing -= share
      }
    }
    if missing > 0 {
      sources.append((.debt, missing))
      debt += missing
    }
    taken[id, default: []] += sources
    after[id] = (balance, clock)
  }

  /// The lot to use next, or the quota if that is nil; nil if there are no credits.
  private func nextToBurn(_ model: Name?) -> Int?? {
    var offers: [(lot: Int?, order: [Int64])] = []
    for (index, lot) in lots.enumerated() where lot.pays(for: model) {
      offers.append((index, lot.order))
    }
    if let plan, plan.remaining > 0 {
      let lot = Lot(kind: .quota, credits: plan.remaining, until: plan.resetsAt)
      offers.append((nil, lot.order))
    }
    return offers.min { $0.order.lexicographicallyPrecedes($1.order) }.map { $0.lot }
  }

  /// A plain purchase goes back: from plain purchased credits, then from others for all models,
  /// then as debt.
  mutating func takeBack(_ credits: Int128) {
    takeBack(credits) { $0.kind == .purchased && $0.grant == nil }
  }

  /// A grant goes back: from its own credits first.
  mutating func takeBack(_ credits: Int128, of grant: Name) {
    var credits = credits
    lastTaken = credits
    if let known = grants[grant], known.expired > 0 {
      // Expired credits are not taken again; used ones are, after them.
      let gone = min(credits, max(0, known.expired - known.gone))
      lastTaken = credits - gone
      grants[grant]?.gone += gone
    }
    grants[grant]?.refunded += credits
    credits = lastTaken
    if let place = scheduled.firstIndex(where: { $0.lot.grant?.id == grant }) {
      scheduled.remove(at: place)
      return
    }
    takeBack(credits) { $0.grant?.id == grant }
  }

  mutating func takeBackRest(of grant: Name) {
    takeBack(left(of: grant), of: grant)
    grants[grant]?.isVoid = true
  }

  func left(of grant: Name) -> Int128 {
    (lots + scheduled.map(\.lot)).reduce(0) { $0 + ($1.grant?.id == grant ? $1.credits : 0) }
  }

  private mutating func takeBack(_ credits: Int128, first isFirst: (Lot) -> Bool) {
    var missing = credits
    for index in lots.indices where isFirst(lots[index]) {
      let share = min(missing, lots[index].credits)
      lots[index].credits -= share
      missing -= share
    }
    lots.removeAll { $0.credits == 0 }
    spend(missing, for: "")
  }

  /// Returns a charge to its buckets; credits of an expired bucket are forfeited.
  mutating func giveBack(_ id: Name) {
    let before = balance
    var own = tellSettled(id)
    for (source, credits) in (taken[id] ?? []).reversed() {
      giveBack(credits, to: source, &own)
    }
    lastRestored = balance - before
  }

  /// - Parameter own: the part of the charge's debt that it still has to give up.
  private mutating func giveBack(_ credits: Int128, to source: Source, _ own: inout Int128) {
    switch source {
    case .debt:
      receive(credits, .purchased, until: nil, own: own)
      own -= min(own, credits)
    case .lot(let kind, let until, let grant):
      if let until, until <= clock { return }
      guard let grant, let known = grants[grant.id] else {
        return receive(credits, kind, until: until)
      }
      if known.isVoid { return }
      // No more than has been used of it: the rest was paid by others.
      let used = min(credits, max(0, known.granted - known.refunded - left(of: grant.id)))
      receive(used, kind, until: until, grant)
      receive(credits - used, .purchased, until: nil)
    case .quota(let resetsAt):
      guard let quota = plan else { return }
      if quota.period == .subscription {
        // The same paid period, or its days of grace.
        if resetsAt != quota.resetsAt, resetsAt != active?.until, !sharedEnds.contains(resetsAt) {
          return
        }
      } else if resetsAt <= clock, resetsAt != quota.resetsAt {
        return
      }
      plan?.use(-credits)
      settleDebtFromPlan()
    }
  }

  /// Returns a part of a charge, the last taken first. The rest is lost, and counts as paid when
  /// the charge rises again.
  mutating func giveBack(_ credits: Int128, of id: Name) {
    var due = credits
    var own = tellSettled(id)
    while due > 0, let (source, all) = taken[id]?.popLast() {
      let share = min(due, all)
      if all > share { taken[id]?.append((source, all - share)) }
      let before = balance
      giveBack(share, to: source, &own)
      due -= share
      let missing = share - (balance - before)
      if missing > 0 { lost[id, default: []].append((source, missing)) }
    }
    after[id] = (balance, clock)
  }

  /// Increases a charge: first by lost credits, then by others.
  mutating func increase(_ credits: Int128, of model: Name?, for id: Name) {
    var missing = credits
    while missing > 0, let (source, all) = lost[id]?.popLast() {
      let share = min(missing, all)
      if all > share { lost[id]?.append((source, all - share)) }
      taken[id, default: []].append((source, share))
      missing -= share
    }
    spend(missing, of: model, for: id)
  }

  /// A change keeps the use. A plan by the paid period has a quota only after a payment.
  mutating func setPlan(_ new: Plan) {
    if planName != new.id { setAside() }
    if plan?.plan == new.id, plan?.period != .subscription || new.period == .subscription { return }
    planName = new.id
    if new.period == .subscription {
      plan = nil
      return
    }
    let period = new.period.asOf(min(clock, active?.since ?? clock), after: nil)
    var next = PlanState(
      plan: new.id, period: period, limit: Int128(new.quota ?? 0), used: 0,
      resetsAt: OracleCalendar.turn(of: period, after: clock, in: zone),
      lasts: new.rolloverFor.map { Int($0) })
    next.left = [(0, next.limit, next.limit)]
    next.use(plan?.used ?? 0)
    plan = next
    settleDebtFromPlan()
  }
}
