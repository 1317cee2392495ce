import CreditJSON
import CreditModel

/// Batches of requests that a seed decides; the same ids come again and again.
struct RandomBatches {
  var random: SeededGenerator
  /// How small and how large a large batch is, about.
  var smallest = 8
  var largest = 50
  /// Whether every request says when it happens.
  var saysTimes = false
  /// Seconds of the shortest time of a grant: one that ends while batches are served, by a real
  /// clock, need not end between the same two batches of every store.
  var shortest: Int64 = 60
  private var requestCount = 0
  /// When the batch happens.
  private var now = Timestamp.earliest

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 1)
  }

  static let thresholds: [Credits] = [40, 5]

  /// The store's policy: prices in units, bonuses, limits, a subscription, and a quota whose resets
  /// are records of their own.
  static func policy(clockIsReal: Bool, in zone: SlowZone? = nil) -> String {
    """
    {"version":1,"starterCredits":50,"clock":"\(clockIsReal ? "real" : "simulated")",
    "timeZone":"\(zone?.name ?? "Z")",
    "overdraft":"allow","lowBalance":\(thresholds),
    "models":[{"id":"unit","creditsPerUnit":1},{"id":"chat","creditsPerUnit":2},
    {"id":"gpt","tokens":{"inputUSDPer1M":2500000,"outputUSDPer1M":10000000}}],
    "products":[{"id":"pack","credits":20,"price":"9.99","currency":"USD","bonuses":[
    {"id":"extra","percent":25,"expiresIn":"1d"},
    {"id":"hello","credits":7,"first":true,"models":["unit"]}]},
    {"id":"month","plan":"paid","credits":3,"gracePeriod":"1h"}],
    "plans":[{"id":"daily","quota":20,"period":"day","rolloverMax":30,"rolloverFor":2},
    {"id":"dated","quota":8,"period":"anniversary","rolloverMax":5},
    {"id":"paid","quota":9,"period":"subscription"},
    {"id":"member","limits":[{"id":"day","period":"day","credits":30,"alerts":[50,100]},
    {"id":"some","period":"week","credits":8,"models":["chat","gp*"]},
    {"id":"calls","period":"week","unit":"requests","credits":12,"alerts":[50]},
    {"id":"tokens","period":"day","unit":"tokens","credits":9000,"models":["gp*"]},
    {"id":"money","period":"total","unit":"usd","usd":"0.0605","alerts":[10,100]}]}]}
    """
  }

  static func decodedPolicy(clockIsReal: Bool, in zone: SlowZone? = nil) throws -> Policy {
    let document = try JSONDocument(Array(policy(clockIsReal: clockIsReal, in: zone).utf8))
    return try document.withRoot { value throws(CreditError) in
      try PolicyDecoder.decode(value, zones: { TestZones() })
    }
  }

  /// A charge to each of more accounts, under more keys, than a fresh index has room for.
  static func ofNewAccounts(at now: Timestamp) -> [GateRequest] {
    (0..<260).map { number in
      let reference = ChargeRequest.Reference.key("first", account: Name(trusted: "new-\(number)"))
      return .charge(
        ChargeRequest(
          reference: reference, model: "unit", usage: .counts(.units(1)), time: now))
    }
  }

  mutating func next(at now: Timestamp) -> [GateRequest] {
    self.now = now
    let count =
      switch random.number(below: 30) {
      case 0...17: 1
      case 18...28: 2 + random.number(below: 6)
      default: smallest + random.number(below: largest)
      }
    // Some say when they happen, which is in the past by the time that they are sent again.
    return (0..<count).map { _ in request(random.once(in: 3) && !saysTimes ? nil : now) }
  }

  /// The latest ids and keys of a kind, most of them used before.
  private mutating func name(_ letter: String) -> Name {
    requestCount += 1
    let number = max(0, requestCount / 3 - random.number(below: 12))
    return Name(trusted: "\(letter)\(number)")
  }

  static let accounts = (0..<6).map { Name(trusted: "account-\($0)") }

  /// An account that stays as most are: without a quota, a hold or an expiry.
  static let plainAccount: Name = "plain"

  private mutating func account() -> Name {
    Self.accounts[random.number(below: Self.accounts.count)]
  }

  private mutating func request(_ now: Timestamp?) -> GateRequest {
    switch random.number(below: 14) {
    case 0...1: return .authorize(authorize(now))
    case 2: return .void(VoidRequest(id: name("a"), time: now))
    case 3...4: return .charge(charge(.authorization(name("a"), account: nil), now))
    case 5...7: return .charge(charge(.key(name("k"), account: account()), now))
    case 8...9: return .topUp(topUp(now))
    case 10: return .refund(refund(now))
    case 11: return .transfer(transfer(now))
    case 12: return .payment(random.once(in: 3) ? subscription(now) : payment(now))
    default: return .account(change(now))
    }
  }

  /// Another plan, parent or limit.
  private mutating func change(_ now: Timestamp?) -> AccountRequest {
    var request = AccountRequest(account: account(), time: now)
    switch random.number(below: 8) {
    case 0: request.plan = .remove
    case 1...2: request.plan = .set(random.pick("daily", "dated"))
    case 3: request.plan = .set("member")
    case 4...6: request.parent = random.once(in: 4) ? .remove : .set(account())
    default:
      let id = random.pick("total", "week", "day") as Name
      let alerts: [Int64]? = random.once(in: 3) ? [25] : nil
      if let now, random.once(in: 2) { request.limitUntil = now.adding(.seconds(50_000)) }
      let credits: Credits = request.limitUntil == nil ? 40 : 25
      request.limits = [LimitChange(id: id, credits: credits, alerts: alerts)]
    }
    return request
  }

  private mutating func authorize(_ now: Timestamp?) -> AuthorizeRequest {
    if now == nil, random.once(in: 2) {
      return AuthorizeRequest(account: Self.plainAccount, id: name("a"))
    }
    let (account, id) = (account(), name("a"))
    let hold: Credits? = random.once(in: 3) ? random.pick(3, 3, 60) : nil
    let tags = random.once(in: 4) ? tags(["job": "night"]) : nil
    return AuthorizeRequest(account: account, id: id, hold: hold, tags: tags, time: now)
  }

  private mutating func charge(_ reference: ChargeRequest.Reference, _ now: Timestamp?)
    -> ChargeRequest
  {
    // Some are more than most accounts have: their parents pay.
    let units = random.once(in: 4) ? 45 : Int64(1 + random.number(below: 3))
    if now == nil, random.once(in: 2) {
      let usage = TokenUsage(inputTokens: units * 350, outputTokens: units * 10)
      var reference = reference
      if case .key(let key, account: _) = reference {
        reference = .key(key, account: Self.plainAccount)
      }
      return ChargeRequest(
        reference: reference, model: "gpt", usage: .counts(.tokens(usage)))
    }
    return ChargeRequest(
      reference: reference, model: random.once(in: 5) ? "chat" : "unit",
      usage: .counts(.units(units)),
      usedAt: random.once(in: 4) ? .earliest : nil,
      tags: random.once(in: 4) ? tags(["team": "red", "run": "7"]) : nil,
      isArrears: random.once(in: 8), amends: random.once(in: 4), time: now)
  }

  private mutating func topUp(_ now: Timestamp?) -> TopUpRequest {
    let reference: TopUpRequest.Reference =
      random.once(in: 2) ? .transaction(name("t")) : .key(name("k"))
    let request = TopUpRequest(
      account: account(), reference: reference, grant: .credits(20), time: now)
    if now == nil, random.once(in: 2) {
      request.account = Self.plainAccount
      return request
    }
    request.status = random.pick(.completed, .completed, .pending, .failed)
    if random.once(in: 5) {
      request.grant = .product("month", quantity: 1)
      // Two that end at one instant by one clock would not by another.
      let apart = saysTimes ? 0 : Int64(requestCount)
      request.terms.expiry = .after(.seconds(random.pick(shortest, 3600, 86_400) + apart))
    } else if random.once(in: 2) {
      request.kind = .bonus
      request.terms = terms()
    } else if random.once(in: 3) {
      request.grant = .product("pack", quantity: 1)
    } else if random.once(in: 6) {
      request.kind = .adjustment
      request.grant = .credits(-7)
      request.reason = "counted twice"
    }
    return request
  }

  /// The terms of a bonus' grant.
  private mutating func terms() -> StatedTerms {
    var terms = StatedTerms(expiry: .after(.seconds(86_400)))
    if random.once(in: 4) { terms.start = .after(.seconds(random.pick(shortest, 3600))) }
    if random.once(in: 4) { terms.priority = random.pick(0, 90) }
    if random.once(in: 4) { terms.models = ModelPatterns(trusted: ["unit", "gpt*"]) }
    return terms
  }

  /// An event of a payment's life, which comes to more and more of it given back.
  private mutating func payment(_ now: Timestamp?) -> PaymentRequest {
    let id = paymentID()
    let step: Int64 = random.pick(0, 1, 1, 2, 3, 4, 5, 6)
    let at = Timestamp(milliseconds: 1000 * step)
    var change = PaymentChange(transaction: id, .refunded(100 * step))
    switch step {
    case 0: change.effect = .purchase(.pending, reason: nil)
    case 1: change.effect = .purchase(.completed, reason: nil)
    case 2: (change.effect, change.others) = (.linked, [name("t"), paymentID()])
    case 5...6:
      // The amount is no part of a price in another currency.
      let currency = (id.text.utf8.last ?? 0) % 2 == 0 ? "EUR" : "USD"
      change.effect = .dispute(
        PaymentDispute(
          id: "dispute", isTaken: step == 5, at: at, amount: 333, currency: currency))
    default: break
    }
    if step < 2 {
      (change.account, change.product) = (account(), "pack")
      (change.price, change.currency) = ("9.99", "EUR")
    }
    if step > 0 { change.paid = 999 }
    var request = PaymentRequest(
      PaymentEvent(format: .stripe, id: name("e"), type: "event", at: at), [change])
    request.time = now
    return request
  }

  /// An event of a subscription's life: a paid invoice, its refund, a dispute that is lost or won,
  /// and the end of it all.
  private mutating func subscription(_ now: Timestamp?) -> PaymentRequest {
    let number = requestCount / 60 + random.number(below: 3)
    let at = Timestamp(milliseconds: self.now.milliseconds)
    var change = PaymentChange(
      transaction: Name(trusted: "in\(number)"), .purchase(.completed, reason: nil))
    change.account = Self.accounts[number / 2 % Self.accounts.count]
    (change.product, change.paid) = ("month", 999)
    change.subscription = Name(trusted: "sub\(number / 2)")
    let length = random.pick(shortest, 3600, 86_400) + Int64(requestCount)
    change.period = PaidPeriod(
      until: at.adding(.seconds(length)) ?? at, since: at.adding(.seconds(-60)))
    switch random.number(below: 8) {
    case 0...3: break
    case 4: change = PaymentChange(transaction: change.transaction, .refunded(999))
    case 5...6:
      let isTaken = random.once(in: 2)
      change = PaymentChange(
        transaction: change.transaction,
        .dispute(PaymentDispute(id: "dispute", isTaken: isTaken, at: at)))
    default:
      change.effect = .ended
      (change.transaction, change.paid) = (Name(trusted: "sub\(number / 2)"), nil)
    }
    if change.account == nil { change.paid = 999 }
    var request = PaymentRequest(
      PaymentEvent(format: .stripe, id: name("e"), type: "event", at: at), [change])
    request.time = now
    return request
  }

  /// One of few ids: payments are a small part of the events, and each has several.
  private mutating func paymentID() -> Name {
    Name(trusted: "p\(requestCount / 60 + random.number(below: 3))")
  }

  private mutating func transfer(_ now: Timestamp?) -> TransferRequest {
    TransferRequest(
      from: account(), to: account(), credits: Int64(1 + random.number(below: 20)),
      key: name("g"), time: now)
  }

  private mutating func refund(_ now: Timestamp?) -> RefundRequest {
    let reference: RefundRequest.Reference =
      random.once(in: 2) ? .transaction(name("t")) : .authorization(name("a"))
    var request = RefundRequest(reference: reference, time: now)
    if case .transaction = reference {
      switch random.number(below: 5) {
      case 0...1: request.credits = Credits(1 + random.number(below: 20))
      case 2: request.isUnused = true
      default: break
      }
    } else if random.once(in: 2) {
      request.credits = Credits(1 + random.number(below: 4))
    }
    return request
  }
}
