import CreditModel

@testable import TestSupport

/// Random requests that a seed decides. Names come from small pools, so that repeats, conflicts and
/// races between ids happen all the time.
struct RandomRequests {
  private var random: SeededGenerator
  /// Whether amounts are as large as the decoders let through.
  private let isExtreme: Bool
  private var longJumpsLeft: Int
  private var zoneNumber: Int
  private var requests: [GateRequest] = []
  private var authorizations: [Name] = ["nothing"]
  private var transactions: [Name] = ["nothing"]

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    zoneNumber = Int(seed % UInt64(SlowZone.choices.count))
    isExtreme = random.once(in: 4)
    longJumpsLeft = random.once(in: 3) ? 1 : 0
  }

  mutating func configure(_ policy: inout Policy) {
    policy.clockIsSimulated = random.once(in: 2)
    policy.starterCredits = random.pick(0, 10, 100)
    policy.registersAutomatically = !random.once(in: 4)
    policy.allowsOverdraft = !random.once(in: 3)
    policy.holdExpiresIn = random.pick(.seconds(60), .seconds(3600))
    policy.priceRules.minimumCharge = random.pick(0, 1, 5)
    policy.priceRules.chargesMinimumForUnreadableUsage = random.once(in: 2)
    policy.plans = plans()
    policy.clock = .of(SlowZone.choices[zoneNumber])
    policy.lowBalance = random.pick([], [50], [100, 10, 0], [1000])
    if random.once(in: 3) {
      let period: TimeSpan = random.pick(.seconds(60), .seconds(3600), .seconds(86_400))
      policy.topUpLimit = TopUpLimit(
        count: random.pick(1, 3, 1000), credits: random.pick(nil, 30, 100), period: period)
    }
  }

  mutating func plans() -> [Plan] {
    let scale: Credits = isExtreme ? 1 << 46 : 1
    let all = [
      Plan(
        id: "monthly", quota: random.pick(100, 60) * scale,
        period: random.pick(.month, .anniversary(of: nil)), rolloverMax: random.pick(20, 150),
        rolloverFor: random.pick(nil, 1, 2)),
      Plan(
        id: "daily", quota: random.pick(10, 0) * scale, period: random.pick(.day, .day, .month)),
      Plan(
        id: "third", quota: 7 * scale, period: random.pick(.days(3), .anniversary(of: nil)),
        rolloverMax: random.pick(0, 30), rolloverFor: random.pick(nil, 1, 3)),
      Plan(id: "paid", quota: 30 * scale, period: .subscription),
    ]
    var plans = all.filter { _ in !random.once(in: 5) }
    if random.once(in: 4), let place = plans.firstIndex(where: { $0.id == "third" }) {
      plans[place].period = .subscription
      plans[place].rolloverMax = 0
      plans[place].rolloverFor = nil
    }
    return plans
  }

  mutating func editsPolicy() -> Bool { random.once(in: 30) }

  /// The clock of an edited policy: the same one, or another.
  mutating func nextClock() -> WindowClock {
    if random.once(in: 2) { zoneNumber = (zoneNumber + 1) % SlowZone.choices.count }
    return .of(SlowZone.choices[zoneNumber])
  }

  mutating func passTime(_ now: inout Timestamp) {
    var milliseconds: Int64
    switch Int.random(in: 0..<20, using: &random) {
    case 0...5: milliseconds = 0
    case 6: milliseconds = 1
    case 7...10: milliseconds = .random(in: 0...120_000, using: &random)
    case 11...14: milliseconds = .random(in: 0...7_200_000, using: &random)
    case 15...16: milliseconds = .random(in: 0...200_000_000, using: &random)
    case 17: milliseconds = .random(in: 0...(40 * 86_400_000), using: &random)
    case 18: milliseconds = 86_400_000 - now.milliseconds % 86_400_000
    default: milliseconds = -.random(in: 0...200_000_000, using: &random)
    }
    if longJumpsLeft > 0, random.once(in: 100) {
      longJumpsLeft -= 1
      milliseconds = 900 * 86_400_000
    }
    now = Timestamp(milliseconds: now.milliseconds + milliseconds)
  }

  mutating func later(than now: Timestamp) -> Timestamp {
    Timestamp(
      milliseconds: now.milliseconds + .random(in: 0...(50 * 86_400_000), using: &random))
  }

  /// A new request, or an earlier one again.
  mutating func next(at now: Timestamp) -> GateRequest {
    if random.once(in: 6), let earlier = requests.randomElement(using: &random) {
      return earlier.at(now)
    }
    let request = fresh(at: now)
    requests.append(request)
    return random.once(in: 3) ? request.at(nil) : request
  }

  /// Remembers the ids of a result, for later requests.
  mutating func learn(from result: GateResult) {
    if let id = result.authorization?.id ?? result.receipt?.authorization.id {
      authorizations.append(id)
    }
    if let topUp = result.topUp { transactions += [topUp.transaction.id] + topUp.bonuses.map(\.id) }
  }

  private mutating func fresh(at now: Timestamp) -> GateRequest {
    switch Int.random(in: 0..<26, using: &random) {
    case 22...25: subscribe(now)
    case 20...21: transfer(now)
    case 0...3: authorize(now)
    case 4: void(now)
    case 5...10: charge(now)
    case 11...14: topUp(now)
    case 15...17: refund(now)
    default: change(now)
    }
  }

  private mutating func account() -> Name { random.pick("alice", "alice", "bob", "carol") }

  private mutating func authorizationID() -> Name { Self.recent(authorizations, &random) }

  private mutating func transactionID() -> Name { Self.recent(transactions, &random) }

  private static func recent(_ names: [Name], _ random: inout SeededGenerator) -> Name {
    names[Int.random(in: max(0, names.count - 15)..<names.count, using: &random)]
  }

  private mutating func name(_ letter: String, _ count: Int) -> Name {
    Name(trusted: "\(letter)\(Int.random(in: 0..<count, using: &random))")
  }

  private mutating func amount() -> Int64 {
    if isExtreme, random.once(in: 3) {
      return random.pick(.max, .max - 1, .max / 2, 1 << 53, 1 << 62)
    }
    return .random(in: 1...40, using: &random)
  }

  private mutating func authorize(_ now: Timestamp) -> GateRequest {
    let account = account()
    let id = random.once(in: 2) ? name("a", 25) : nil
    let tags = someTags()
    let model: Name? = random.once(in: 3) ? random.pick("unit", "one", "half") : nil
    let hold = random.once(in: 2) ? amount() : nil
    let expiresIn: TimeSpan? =
      hold != nil && random.once(in: 2)
      ? .seconds(random.pick(1, 7, 30, 119, 3600, 86_400, 86_401)) : nil
    return .authorize(
      AuthorizeRequest(
        account: account, id: id, hold: hold, expiresIn: expiresIn, model: model, tags: tags,
        time: now))
  }

  private mutating func void(_ now: Timestamp) -> GateRequest {
    let account = random.once(in: 4) ? account() : nil
    return .void(VoidRequest(id: authorizationID(), account: account, time: now))
  }

  private mutating func charge(_ now: Timestamp) -> GateRequest {
    let reference: ChargeRequest.Reference
    if random.once(in: 2) {
      reference = .key(name("k", 30), account: account())
    } else {
      reference = .authorization(
        authorizationID(), account: random.once(in: 4) ? account() : nil)
    }
    let usage: ReportedUsage
    switch Int.random(in: 0..<12, using: &random) {
    case 0: usage = .unreadable(raw: random.pick("", "{}"), reason: "no usage")
    case 1: usage = tokens(1, 2)
    case 2: usage = units(0)
    case 3...5: usage = units(7)
    default: usage = units(amount())
    }
    let model: Name = random.pick(
      "unit", "unit", "unit", "one", "unit", "half", "half", "flat", "free", "gone", "routed",
      "dated")
    let reported = random.pick(nil, nil, nil, nil, "0", "0.0005", "0.5", "1.2345", "1e16")
    let minutes: Int64? = random.pick(nil, nil, nil, -5_000_000, -20_000, -1, 0, 5, 6)
    return .charge(
      ChargeRequest(
        reference: reference, model: model, usage: usage,
        reportedUSD: model == "routed" || random.once(in: 20) ? reported.map(decimal) : nil,
        usedAt: minutes.map { Timestamp(milliseconds: now.milliseconds + $0 * 60_000) },
        tags: someTags(), isArrears: random.once(in: 5), amends: random.once(in: 2), time: now))
  }

  /// Few tags, or as many or as long as there may be.
  private mutating func someTags() -> Tags? {
    var list = TagList()
    switch Int.random(in: 0..<8, using: &random) {
    case 0...4: return nil
    case 5: _ = list.add("project", random.pick("x", "y"))
    case 6:
      for _ in 0..<16 { _ = list.add(random.pick("a", "b", "") + name("", 20).text, "1") }
    default:
      for number in 0..<random.pick(3, 4) {
        _ = list.add("\(number)", String(repeating: "v", count: 255))
      }
    }
    return list.tags
  }

  private mutating func topUp(_ now: Timestamp) -> GateRequest {
    let reference: TopUpRequest.Reference
    switch Int.random(in: 0..<5, using: &random) {
    case 0...1: reference = .transaction(name("t", 25))
    case 2: reference = .transaction(transactionID())
    default: reference = .key(name("k", 25))
    }
    let grant: TopUpRequest.Grant
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      grant = .product(
        random.pick("pack", "deal", "deal", "huge", "none"), quantity: quantity())
    case 1...2: grant = .credits(20)
    case 3 where random.once(in: 2):
      grant = .target(
        random.pick(0, 50, 200), product: random.once(in: 3) ? random.pick("pack", "none") : nil)
    default: grant = .credits(min(amount(), .largestGrant))
    }
    let request = TopUpRequest(account: account(), reference: reference, grant: grant, time: now)
    request.kind = random.pick(.purchase, .purchase, .bonus, .bonus, .adjustment)
    request.status = random.pick(.completed, .completed, .completed, .pending, .failed)
    if request.kind != .adjustment { request.terms = terms(now) }
    if request.kind == .purchase, random.once(in: 2) {
      request.price = random.pick("9.99", "500", "0.125", "1.234", "0", "10")
      request.currency = random.pick("USD", "JPY", "KWD")
    }
    if random.once(in: 6) { request.below = random.pick(0, 50, .max) }
    if request.kind == .adjustment, random.once(in: 2) {
      request.grant = .credits(-min(amount(), .largestGrant))
      request.reason = "a mistake"
      request.below = nil
    }
    request.isStrict = random.once(in: 10)
    if case (.product, .transaction) = (grant, reference), request.kind == .purchase {
      request.isPaid = random.once(in: 3)
    }
    return .topUp(request)
  }

  /// A top-up of a subscription, under few ids: many are paid further, or end earlier.
  private mutating func subscribe(_ now: Timestamp) -> GateRequest {
    let product: Name = random.pick("sub", "sub", "other")
    let request = TopUpRequest(
      account: account(), reference: .transaction(name("s", 12)),
      grant: .product(product, quantity: random.once(in: 20) ? 2 : 1), time: now)
    let days: Int64 = random.pick(-1, 0, 1, 3, 10, 31)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: request.terms.expiry = .after(.seconds(random.pick(86_400, 86_400, 259_200)))
    case 1: request.terms.expiry = nil
    case 2...5: request.terms.expiry = .at(midnight(after: now))
    default:
      request.terms.expiry = .at(
        Timestamp(milliseconds: now.milliseconds + days * 86_400_000 + 3_600_000))
    }
    if random.once(in: 20) { request.terms.priority = 10 }
    request.kind = random.pick(.purchase, .purchase, .purchase, .subscription, .bonus)
    request.status = random.pick(.completed, .completed, .completed, .completed, .pending)
    if random.once(in: 3) { (request.price, request.currency) = ("9.99", "USD") }
    return .topUp(request)
  }

  /// Few top-ups have many terms.
  private mutating func terms(_ now: Timestamp) -> StatedTerms {
    var terms = StatedTerms()
    switch Int.random(in: 0..<6, using: &random) {
    case 0: terms.expiry = .after(random.pick(.seconds(90), .seconds(86_400)))
    case 1: terms.expiry = .at(midnight(after: now))
    default: break
    }
    if random.once(in: 5) { terms.priority = random.pick(0, 10, 50, 90) }
    if random.once(in: 5) {
      let models: [[Name]] = [["unit"], ["half"], ["unit", "half"]]
      terms.models = ModelPatterns(trusted: random.pick(models[0], models[1], models[2]))
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: terms.start = .after(random.pick(.seconds(90), .seconds(86_400)))
    case 1: terms.start = .at(midnight(after: now))
    default: break
    }
    return terms
  }

  private mutating func quantity() -> Int64 { isExtreme ? amount() : random.pick(1, 1, 2) }

  /// One of the next midnights, when quotas turn too; now and then the last one.
  private mutating func midnight(after now: Timestamp) -> Timestamp {
    let day: Int64 = 86_400_000
    let days = now.milliseconds / day + Int64.random(in: 0...5, using: &random)
    return Timestamp(milliseconds: days * day)
  }

  private mutating func refund(_ now: Timestamp) -> GateRequest {
    let reference: RefundRequest.Reference
    var credits: Credits?
    if random.once(in: 2) {
      reference = .transaction(transactionID())
      if random.once(in: 2) { credits = random.pick(1, 5, 10, 20, amount()) }
    } else {
      reference =
        random.once(in: 3)
        ? .key(name("k", 30), account: account()) : .authorization(authorizationID())
    }
    var request = RefundRequest(reference: reference, credits: credits, time: now)
    if case .transaction = reference, credits == nil { request.isUnused = random.once(in: 3) }
    if case .transaction = reference, random.once(in: 4) {
      request.price = decimal(random.pick("0", "0.12", "1", "5", "9.99"))
    }
    return .refund(request)
  }

  private mutating func transfer(_ now: Timestamp) -> GateRequest {
    .transfer(
      TransferRequest(
        from: account(), to: account(), credits: min(amount(), .largestGrant), key: name("k", 20),
        time: now))
  }

  private mutating func change(_ now: Timestamp) -> GateRequest {
    var request = AccountRequest(account: account(), time: now)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: request.plan = .remove
    case 1...3: request.plan = .set(random.pick("monthly", "daily", "third", "paid", "gone"))
    default: break
    }
    if random.once(in: 4) { request.isExempt = random.once(in: 3) }
    if random.once(in: 6) { request.isClosed = random.once(in: 3) }
    return .account(request)
  }
}

extension GateRequest {
  /// When it happens by its own word.
  var time: Timestamp? {
    switch self {
    case .authorize(let request): request.time
    case .void(let request): request.time
    case .charge(let request): request.time
    case .topUp(let request): request.time
    case .refund(let request): request.time
    case .account(let request): request.time
    case .transfer(let request): request.time
    case .storeKit(let request): request.time
    case .notification: nil
    case .payment(let request): request.time
    }
  }

  /// The same request at another time.
  fileprivate func at(_ time: Timestamp?) -> GateRequest {
    switch self {
    case .authorize(let request):
      return .authorize(
        AuthorizeRequest(
          account: request.account, id: request.id, hold: request.hold,
          expiresIn: request.expiresIn, model: request.model, tags: request.tags, time: time))
    case .void(var request):
      request.time = time
      return .void(request)
    case .charge(let request):
      return .charge(
        ChargeRequest(
          reference: request.reference, model: request.model, usage: request.usage,
          reportedUSD: request.reportedUSD, usedAt: request.usedAt, tags: request.tags,
          isArrears: request.isArrears, amends: request.amends, time: time))
    case .topUp(let request):
      request.time = time
      return .topUp(request)
    case .refund(var request):
      request.time = time
      return .refund(request)
    case .transfer(var request):
      request.time = time
      return .transfer(request)
    case .account(var request):
      request.time = time
      return .account(request)
    default:
      return self
    }
  }
}
