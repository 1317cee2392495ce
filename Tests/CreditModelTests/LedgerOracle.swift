import CreditModel

/// A slow, obvious ledger, written from the contract to compare the real one with. It keeps a list of
/// what was written and reckons every answer from the first of them.
struct LedgerOracle {
  enum Fact {
    case registered(starter: Credits)
    /// A write that moves no credits; it moves the account's clock.
    case noted
    case held(Name, Credits, until: Timestamp)
    case freed(Name)
    case charged(Name, Credits)
    case chargeRefunded(Name)
    case granted(Credits, Bucket.Kind, until: Timestamp?)
    case grantRefunded(Credits)
    case planSet(Plan)
    case planRemoved
    case exempted(Bool)
  }

  struct Entry {
    var account: Name
    var time: Timestamp
    /// The plans that the policy had then: turns seen by this write went by them.
    var plans: [Plan]
    var fact: Fact
  }

  struct Authorization {
    enum State { case open, voided, charged, refunded }
    var id: Name
    var account: Name
    var time: Timestamp
    var hold: Credits?
    var until: Timestamp?
    var state = State.open
    var key: Name?
    var model: Name?
    var usage: ReportedUsage?
    var charged: Credits = 0
    /// The answers that repeats get.
    var receipt = ""
    var refund = ""

    var text: String {
      "\(id.text) of \(account.text) at \(time.text)"
        + (hold.map { " hold \($0) until \(until?.text ?? "")" } ?? "")
    }
  }

  struct TopUp {
    var id: Name
    var account: Name
    var key: Name?
    var kind: Transaction.Kind
    var status: Transaction.Status
    var grant: TopUpRequest.Grant
    var credits: Credits
    var time: Timestamp
    var until: Timestamp?
    var added: Credits
    var balance: Credits
    var refund = ""

    var text: String {
      "\(id.text) of \(account.text) \(kind) \(status) \(grant) = \(credits) at \(time.text)"
        + (until.map { " until \($0.text)" } ?? "") + " added \(added) balance \(balance)"
    }
  }

  /// A refusal.
  struct Refusal: Error {
    var code: CreditError.Code
    var retryAfter: Int64?
  }

  var policy: Policy
  private(set) var entries: [Entry] = []
  private(set) var authorizations: [Authorization] = []
  private(set) var topUps: [TopUp] = []

  init(policy: Policy) {
    self.policy = policy
  }

  /// The answer to a request, as text.
  /// - Parameter newID: the id to give where one is made.
  mutating func answer(_ request: GateRequest, newID: Name) -> String {
    do {
      switch request {
      case .authorize(let request): return try authorize(request, newID)
      case .void(let request): return try void(request)
      case .charge(let request): return try charge(request, newID)
      case .topUp(let request): return try topUp(request, newID)
      case .refund(let request): return try refund(request)
      case .account(let request): return try change(request)
      }
    } catch {
      return "refused \(error.code.rawValue)" + (error.retryAfter.map { " for \($0) s" } ?? "")
    }
  }
}

// Reckoning from the list.
extension LedgerOracle {
  /// The account at a time, reckoned from its first entry; nil where it has none.
  func account(_ name: Name, at time: Timestamp) throws(Refusal) -> OracleAccount? {
    var account: OracleAccount?
    do throws(OracleAccount.OutOfRange) {
      for entry in entries where entry.account == name {
        try Self.apply(entry, to: &account)
      }
      try account?.pass(to: time, plans: policy.plans)
    } catch {
      throw Refusal(code: .amountOutOfRange)
    }
    return account
  }

  private static func apply(_ entry: Entry, to account: inout OracleAccount?)
    throws(OracleAccount.OutOfRange)
  {
    try account?.pass(to: entry.time, plans: entry.plans)
    switch entry.fact {
    case .registered(let starter):
      account = OracleAccount(clock: entry.time)
      account?.receive(Int128(starter), .starter, until: nil)
    case .noted: break
    case .held(let id, let credits, let until):
      account?.holds.append(.init(id: id, credits: Int128(credits), until: until))
    case .freed(let id): account?.holds.removeAll { $0.id == id }
    case .charged(let id, let credits): account?.spend(Int128(credits), for: id)
    case .chargeRefunded(let id): account?.giveBack(id)
    case .granted(let credits, let kind, let until):
      account?.receive(Int128(credits), kind, until: until)
    case .grantRefunded(let credits): account?.takeBack(Int128(credits))
    case .planSet(let plan): account?.setPlan(plan)
    case .planRemoved: account?.plan = nil
    case .exempted(let isExempt): account?.isExempt = isExempt
    }
    try account?.checkRange()
  }

  /// The account that a write is for, registered now where that is automatic.
  fileprivate mutating func open(_ name: Name, _ time: Timestamp, registers: Bool? = nil)
    throws(Refusal) -> OracleAccount
  {
    if let account = try account(name, at: time) { return account }
    guard registers ?? policy.registersAutomatically else { throw Refusal(code: .unknownAccount) }
    enter(name, time, .registered(starter: policy.starterCredits))
    guard let account = try account(name, at: time) else { throw Refusal(code: .corruptStore) }
    return account
  }

  fileprivate mutating func enter(_ name: Name, _ time: Timestamp, _ fact: Fact) {
    entries.append(Entry(account: name, time: time, plans: policy.plans, fact: fact))
  }

  /// Does something as a whole: where it is refused, nothing was done.
  fileprivate mutating func whole(_ body: (inout LedgerOracle) throws(Refusal) -> String)
    throws(Refusal) -> String
  {
    var copy = self
    let text = try body(&copy)
    self = copy
    return text
  }

  /// The balance after what was entered last.
  fileprivate func balance(_ name: Name, _ time: Timestamp) throws(Refusal) -> Credits {
    Credits(try account(name, at: time)?.balance ?? 0)
  }
}

// Section 4: authorize and charge.
extension LedgerOracle {
  private mutating func authorize(_ request: AuthorizeRequest, _ newID: Name) throws(Refusal)
    -> String
  {
    if let first = authorizations.first(where: { $0.id == request.id }) {
      guard first.account == request.account, first.hold == request.hold else {
        throw Refusal(code: .idempotencyConflict)
      }
      guard first.state == .open else { throw Refusal(code: .authorizationClosed) }
      return "authorized \(first.text) balance \(try balance(first.account, request.time)) again"
    }
    return try whole { (books) throws(Refusal) in
      let account = try books.open(request.account, request.time)
      let needed = request.hold ?? 1
      guard account.isExempt || account.available >= Int128(needed) else {
        throw Refusal(code: .insufficientCredits)
      }
      var authorization = Authorization(
        id: request.id ?? newID, account: request.account, time: account.clock, hold: request.hold)
      if let hold = request.hold {
        let span = request.expiresIn ?? books.policy.holdExpiresIn
        let until = Timestamp(milliseconds: account.clock.milliseconds + span.milliseconds)
        guard account.held + Int128(hold) <= Int128(Int64.max) else {
          throw Refusal(code: .amountOutOfRange)
        }
        authorization.until = until
        books.enter(request.account, request.time, .held(authorization.id, hold, until: until))
      } else {
        books.enter(request.account, request.time, .noted)
      }
      books.authorizations.append(authorization)
      return "authorized \(authorization.text) balance \(account.balance)"
    }
  }

  private mutating func void(_ request: VoidRequest) throws(Refusal) -> String {
    guard let index = authorizations.firstIndex(where: { $0.id == request.id }) else {
      throw Refusal(code: .unknownAuthorization)
    }
    let first = authorizations[index]
    switch first.state {
    case .charged, .refunded: throw Refusal(code: .authorizationClosed)
    case .voided: return "voided \(first.text) again"
    case .open: break
    }
    _ = try account(first.account, at: request.time)
    authorizations[index].state = .voided
    enter(first.account, request.time, .freed(first.id))
    return "voided \(first.text)"
  }

  private mutating func charge(_ request: ChargeRequest, _ newID: Name) throws(Refusal) -> String {
    switch request.reference {
    case .authorization(let id, let account):
      guard let index = authorizations.firstIndex(where: { $0.id == id }) else {
        throw Refusal(code: .unknownAuthorization)
      }
      if let account, account != authorizations[index].account {
        throw Refusal(code: .idempotencyConflict)
      }
      return try charge(request, index)
    case .key(let key, let account):
      let index = authorizations.firstIndex { $0.account == account && $0.key == key }
      if let index { return try charge(request, index) }
      return try whole { (books) throws(Refusal) in
        let state = try books.open(account, request.time)
        let price = try books.price(request)
        if price > 0, !state.isExempt, state.available <= 0 {
          throw Refusal(code: .insufficientCredits)
        }
        books.authorizations.append(
          Authorization(id: newID, account: account, time: state.clock, key: key))
        return try books.charge(request, books.authorizations.count - 1)
      }
    }
  }

  private mutating func charge(_ request: ChargeRequest, _ index: Int) throws(Refusal) -> String {
    let first = authorizations[index]
    switch first.state {
    case .voided: throw Refusal(code: .authorizationClosed)
    case .charged, .refunded:
      guard first.model == request.model, Self.isSame(first.usage, request.usage) else {
        throw Refusal(code: .idempotencyConflict)
      }
      return first.receipt + " again"
    case .open: break
    }
    return try whole { (books) throws(Refusal) in
      let account = try books.account(first.account, at: request.time)
      let full = try books.price(request)
      guard let account else { throw Refusal(code: .corruptStore) }
      let price = account.isExempt ? 0 : full
      let others = account.holds.filter { $0.id != first.id }.reduce(0) { $0 + $1.credits }
      if !books.policy.allowsOverdraft, price > 0, Int128(price) > account.balance - others {
        throw Refusal(code: .insufficientCredits)
      }
      books.enter(first.account, request.time, .freed(first.id))
      books.enter(first.account, request.time, .charged(first.id, price))
      let balance = try books.balance(first.account, request.time)
      var receipt = "charged \(first.text) \(request.model.text) \(price) balance \(balance)"
      receipt += " at \(account.clock.text)"
      if account.isExempt { receipt += " waived \(full)" }
      books.authorizations[index].state = .charged
      books.authorizations[index].model = request.model
      books.authorizations[index].usage = request.usage
      books.authorizations[index].charged = price
      books.authorizations[index].receipt = receipt
      return receipt
    }
  }

  private static func isSame(_ first: ReportedUsage?, _ second: ReportedUsage) -> Bool {
    switch (first, second) {
    case (.counts(let first), .counts(let second)): first == second
    case (.unreadable(let first, _), .unreadable(let second, _)): first == second
    default: false
    }
  }

  /// The prices of the fixture's models.
  private func price(_ request: ChargeRequest) throws(Refusal) -> Credits {
    let perUnit: Int64
    switch request.model.text {
    case "unit", "one": perUnit = 2
    case "half": perUnit = 1
    case "flat": return 3
    case "free": return 0
    default: throw Refusal(code: .unknownModel)
    }
    switch request.usage {
    case .counts(.units(0)): return 0
    case .counts(.units(let units)):
      // Twice the price, halved and rounded up, without leaving 64 bits.
      let exact = perUnit == 2 ? units : units / 2 + units % 2
      return max(exact, policy.priceRules.minimumCharge)
    case .counts(.tokens): throw Refusal(code: .invalidUsage)
    case .unreadable:
      guard policy.priceRules.chargesMinimumForUnreadableUsage else {
        throw Refusal(code: .invalidUsage)
      }
      return policy.priceRules.minimumCharge
    }
  }
}

// Section 5: top-ups.
extension LedgerOracle {
  private mutating func topUp(_ request: TopUpRequest, _ newID: Name) throws(Refusal) -> String {
    let index = topUps.firstIndex {
      switch request.reference {
      case .transaction(let id): $0.id == id
      case .key(let key): $0.account == request.account && $0.key == key
      }
    }
    if let index {
      let first = topUps[index]
      guard first.account == request.account, first.kind == request.kind,
        first.grant == request.grant
      else { throw Refusal(code: .idempotencyConflict) }
      let isDone = first.status == .completed || first.status == .refunded
      if isDone || first.status == request.status {
        if request.isStrict { throw Refusal(code: .duplicateTransaction) }
        return "topped up \(first.text) again"
      }
    }
    return try whole { (books) throws(Refusal) in
      let account = try books.open(request.account, request.time)
      let completes = request.status == .completed
      if completes, let below = request.below, account.balance >= Int128(below) {
        books = self
        return "skipped \(request.account.text) balance \(account.balance)"
      }
      if completes { try books.checkWindow(request.account, account.clock) }
      var id = newID
      var key: Name?
      switch request.reference {
      case .transaction(let name): id = name
      case .key(let name): key = name
      }
      var topUp = TopUp(
        id: index.map { books.topUps[$0].id } ?? id, account: request.account,
        key: index.map { books.topUps[$0].key } ?? key, kind: request.kind,
        status: request.status, grant: request.grant, credits: try books.credits(request.grant),
        time: account.clock, until: try Self.expiry(request.expiry, account.clock), added: 0,
        balance: 0)
      if completes {
        topUp.added = topUp.credits
        let kind: Bucket.Kind = request.kind == .bonus ? .bonus : .purchased
        books.enter(
          request.account, request.time, .granted(topUp.credits, kind, until: topUp.until))
      } else {
        books.enter(request.account, request.time, .noted)
      }
      topUp.balance = try books.balance(request.account, request.time)
      if let index { books.topUps[index] = topUp } else { books.topUps.append(topUp) }
      return "topped up \(topUp.text)"
    }
  }

  /// New completed top-ups in a sliding window.
  private func checkWindow(_ account: Name, _ now: Timestamp) throws(Refusal) {
    guard let limit = policy.topUpLimit else { return }
    var waits: [Int64] = []
    for topUp in topUps where topUp.account == account && topUp.added > 0 {
      let freeAt = topUp.time.milliseconds + limit.period.milliseconds
      if freeAt > now.milliseconds { waits.append(freeAt - now.milliseconds) }
    }
    if waits.count < limit.count { return }
    // So many of them must have left the window that the rest leaves room for one.
    let wait = waits.sorted()[waits.count - limit.count]
    throw Refusal(code: .rateLimited, retryAfter: wait / 1000 + (wait % 1000 > 0 ? 1 : 0))
  }

  private func credits(_ grant: TopUpRequest.Grant) throws(Refusal) -> Credits {
    switch grant {
    case .credits(let credits): return credits
    case .product(let id, let quantity):
      guard let product = LedgerFixture.products.first(where: { $0.id == id }) else {
        throw Refusal(code: .unknownProduct)
      }
      let credits = Int128(product.credits) * Int128(quantity)
      guard credits <= 1 << 53 else { throw Refusal(code: .amountOutOfRange) }
      return Credits(credits)
    }
  }

  private static func expiry(_ expiry: TopUpRequest.Expiry?, _ now: Timestamp) throws(Refusal)
    -> Timestamp?
  {
    let until: Timestamp
    switch expiry {
    case nil: return nil
    case .at(let instant): until = instant
    case .after(let span):
      until = Timestamp(milliseconds: now.milliseconds + span.milliseconds)
    }
    guard until > now else { throw Refusal(code: .invalidRequest) }
    return until
  }
}

// Section 6: accounts and refunds.
extension LedgerOracle {
  private mutating func refund(_ request: RefundRequest) throws(Refusal) -> String {
    switch request.reference {
    case .transaction(let id): return try refundTopUp(id, request.time)
    case .authorization(let id): return try refundCharge(id, request.time)
    }
  }

  private mutating func refundTopUp(_ id: Name, _ time: Timestamp) throws(Refusal) -> String {
    guard let index = topUps.firstIndex(where: { $0.id == id }) else {
      throw Refusal(code: .unknownTransaction)
    }
    let first = topUps[index]
    switch first.status {
    case .refunded: return first.refund + " again"
    case .pending, .failed: throw Refusal(code: .transactionNotCompleted)
    case .completed: break
    }
    return try whole { (books) throws(Refusal) in
      books.enter(first.account, time, .grantRefunded(first.added))
      let account = try books.account(first.account, at: time)
      let balance = try books.balance(first.account, time)
      let clock = account?.clock.text ?? ""
      books.topUps[index].status = .refunded
      books.topUps[index].refund =
        "refunded transaction \(id.text) \(first.added) balance \(balance) at \(clock)"
      return books.topUps[index].refund
    }
  }

  private mutating func refundCharge(_ id: Name, _ time: Timestamp) throws(Refusal) -> String {
    guard let index = authorizations.firstIndex(where: { $0.id == id }) else {
      throw Refusal(code: .unknownAuthorization)
    }
    let first = authorizations[index]
    switch first.state {
    case .refunded: return first.refund + " again"
    case .open, .voided: throw Refusal(code: .authorizationNotCharged)
    case .charged: break
    }
    return try whole { (books) throws(Refusal) in
      books.enter(first.account, time, .chargeRefunded(id))
      let account = try books.account(first.account, at: time)
      let restored = account?.lastRestored ?? 0
      let forfeited = Int128(first.charged) - restored
      books.authorizations[index].state = .refunded
      books.authorizations[index].refund =
        "refunded charge \(id.text) \(restored) forfeited \(forfeited) balance "
        + "\(account?.balance ?? 0) at \(account?.clock.text ?? "")"
      return books.authorizations[index].refund
    }
  }

  private mutating func change(_ request: AccountRequest) throws(Refusal) -> String {
    try whole { (books) throws(Refusal) in
      var account = try books.open(request.account, request.time, registers: true)
      if let isExempt = request.isExempt, isExempt != account.isExempt {
        books.enter(request.account, request.time, .exempted(isExempt))
      }
      switch request.plan {
      case nil: break
      case .remove:
        if account.plan != nil { books.enter(request.account, request.time, .planRemoved) }
      case .set(let id):
        guard let plan = books.policy.plans.first(where: { $0.id == id }) else {
          throw Refusal(code: .unknownPlan)
        }
        if account.plan?.plan != id { books.enter(request.account, request.time, .planSet(plan)) }
      }
      account = try books.account(request.account, at: request.time) ?? account
      return "account \(account.text)"
    }
  }
}
