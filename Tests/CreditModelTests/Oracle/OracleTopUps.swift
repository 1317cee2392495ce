import CreditModel

// Top-ups.
extension LedgerOracle {
  mutating func topUp(_ request: TopUpRequest, _ newID: Name) throws(Refusal) -> String {
    let index = topUps.firstIndex {
      switch request.reference {
      case .transaction(let id): $0.id == id
      case .key(let key): $0.account == request.account && $0.key == key
      }
    }
    if let index {
      let first = topUps[index]
      let isSubscription = first.kind == .subscription
      guard first.account == request.account,
        first.kind == request.kind || isSubscription && request.kind == .purchase,
        Self.isSame(first.grant, as: request.grant)
      else { throw Refusal(code: .idempotencyConflict) }
      let isDone = [.completed, .refunded, .scheduled].contains(first.status)
      var stated = first.terms?.stated ?? StatedTerms()
      if isSubscription { stated.expiry = request.terms.expiry }
      if isDone, request.terms != stated { throw Refusal(code: .idempotencyConflict) }
      if isDone, !first.isExtended, let paid = first.paid,
        case .after(let span) = request.terms.expiry,
        span.milliseconds != paid.until.milliseconds - paid.since.milliseconds
      {
        throw Refusal(code: .idempotencyConflict)
      }
      if let extended = try extend(request, index) { return extended }
      if isDone || first.status == request.status {
        if request.isStrict { throw Refusal(code: .duplicateTransaction) }
        let clock = try account(first.account, at: now)?.clock ?? now
        return "topped up \(first.started(by: clock).text) again"
      }
    }
    let before = self
    return try whole { (books) throws(Refusal) in
      let account = try books.open(request.account, books.now)
      let takes = if case .credits(let credits) = request.grant { credits < 0 } else { false }
      if index == nil, account.isClosed, !takes, !request.isPaid {
        throw Refusal(code: .accountClosed)
      }
      let completes = request.status == .completed
      let counts = completes && !takes && !request.isPaid
      if let below = request.below, account.balance >= Int128(below) {
        books = before
        return "skipped \(request.account.text) balance \(account.balance)"
      }
      var grant = request.grant
      if case .target = request.grant {
        var met = index.map { books.topUps[$0].grant }
        if met == nil { met = try books.missing(to: request.grant, from: account.balance) }
        guard let met else {
          books = before
          return "skipped \(request.account.text) balance \(account.balance)"
        }
        grant = met
      }
      if counts { try books.checkWindow(request.account, account.clock) }
      var id = newID
      var key: Name?
      switch request.reference {
      case .transaction(let name): id = name
      case .key(let name): key = name
      }
      var topUp = TopUp(
        id: index.map { books.topUps[$0].id } ?? id, account: request.account,
        key: index.map { books.topUps[$0].key } ?? key, kind: request.kind,
        status: request.status, grant: grant, credits: try books.credits(grant),
        time: account.clock, added: 0, balance: 0)
      if try books.takePaid(&topUp, request, after: index.map { books.topUps[$0] }) {
        if completes, let paid = topUp.paid { books.enter(request.account, books.now, .paid(paid)) }
      } else {
        try topUp.take(request.terms, after: index.map { books.topUps[$0] })
      }
      if let index { topUp.credits = books.topUps[index].credits }
      try books.grantBonuses(with: &topUp, of: account)
      let expires = topUp.until.map { $0 <= account.clock } ?? false
      if counts, !expires {
        try books.checkWindow(request.account, account.clock, topUp.credits)
      }
      topUp.price = request.price ?? index.flatMap { books.topUps[$0].price }
      topUp.currency = request.currency ?? index.flatMap { books.topUps[$0].currency }
      if completes {
        if let until = topUp.until, until <= account.clock { throw Refusal(code: .invalidRequest) }
        if counts { topUp.countsAt = account.clock }
        let kind: Bucket.Kind = request.kind == .bonus ? .bonus : .purchased
        let terms = topUp.terms.map {
          OracleAccount.Terms(
            id: topUp.id, number: Int64(books.facts.count), priority: $0.priority,
            models: $0.models?.names.map(\.text))
        }
        if let start = topUp.terms?.startsAt, start > account.clock {
          topUp.status = .scheduled
          let lot = OracleAccount.Lot(
            kind: kind, credits: Int128(topUp.credits), until: topUp.until, grant: terms)
          books.enter(request.account, books.now, .scheduled(lot, start))
          let all = try books.account(request.account, at: books.now)
          let sum = all?.scheduled.reduce(all?.balance ?? 0) { $0 + $1.lot.credits } ?? 0
          if sum > Int128(Int64.max) { throw Refusal(code: .amountOutOfRange) }
        } else {
          topUp.added = topUp.credits
          books.enter(
            request.account, books.now,
            takes
              ? .grantRefunded(-topUp.credits)
              : .granted(topUp.credits, kind, until: topUp.until, terms))
        }
      } else {
        books.enter(request.account, books.now, .noted)
      }
      topUp.balance = try books.balance(request.account, books.now)
      if let index { books.topUps[index] = topUp } else { books.topUps.append(topUp) }
      return "topped up \(topUp.text)"
    }
  }

  private static func isSame(
    _ first: TopUpRequest.Grant, as grant: TopUpRequest.Grant
  ) -> Bool {
    switch (first, grant) {
    case (.product(let id, _), .target(_, let product)): id == product
    case (.credits(let credits), .target(_, nil)): credits > 0
    default: first == grant
    }
  }

  /// - Returns: nil if no credits are missing.
  private func missing(to grant: TopUpRequest.Grant, from balance: Int128) throws(Refusal)
    -> TopUpRequest.Grant?
  {
    guard case .target(let target, let product) = grant else { return grant }
    let missing = Int128(target) - balance
    if missing <= 0 { return nil }
    if missing > 1 << 53 { throw Refusal(code: .amountOutOfRange) }
    guard let product else { return .credits(Credits(missing)) }
    guard let credits = LedgerFixture.products.first(where: { $0.id == product })?.credits else {
      throw Refusal(code: .unknownProduct)
    }
    let quantity = (missing + Int128(credits) - 1) / Int128(credits)
    return .product(product, quantity: Int64(quantity))
  }

  /// The credits of new completed top-ups in a sliding window.
  private func checkWindow(_ account: Name, _ now: Timestamp, _ credits: Credits) throws(Refusal) {
    guard let limit = policy.topUpLimit, let most = limit.credits else { return }
    if credits > most { throw Refusal(code: .rateLimited) }
    let recent = topUps.filter { $0.account == account }
      .compactMap { topUp in topUp.countsAt.map { ($0, topUp.credits) } }
      .map { (freeAt: $0.0.milliseconds + limit.period.milliseconds, credits: $0.1) }
      .filter { $0.freeAt > now.milliseconds }.sorted { $0.freeAt < $1.freeAt }
    var sum = recent.reduce(Int128(credits)) { $0 + Int128($1.credits) }
    for topUp in recent where sum > most {
      sum -= Int128(topUp.credits)
      let wait = topUp.freeAt - now.milliseconds
      if sum <= most {
        throw Refusal(code: .rateLimited, retryAfter: wait / 1000 + (wait % 1000 > 0 ? 1 : 0))
      }
    }
  }

  /// New completed top-ups in a sliding window.
  private func checkWindow(_ account: Name, _ now: Timestamp) throws(Refusal) {
    guard let limit = policy.topUpLimit else { return }
    var waits: [Int64] = []
    for topUp in topUps where topUp.account == account {
      guard let countsAt = topUp.countsAt else { continue }
      let freeAt = countsAt.milliseconds + limit.period.milliseconds
      if freeAt > now.milliseconds { waits.append(freeAt - now.milliseconds) }
    }
    if waits.count < limit.count { return }
    // Enough of them must have left the window to leave room for one.
    let wait = waits.sorted()[waits.count - limit.count]
    throw Refusal(code: .rateLimited, retryAfter: wait / 1000 + (wait % 1000 > 0 ? 1 : 0))
  }

  private func credits(_ grant: TopUpRequest.Grant) throws(Refusal) -> Credits {
    switch grant {
    case .credits(let credits): return credits
    case .target: return 0
    case .product(let id, let quantity):
      guard let product = LedgerFixture.products.first(where: { $0.id == id }) else {
        throw Refusal(code: .unknownProduct)
      }
      let credits = Int128(product.credits) * Int128(quantity)
      guard credits <= 1 << 53 else { throw Refusal(code: .amountOutOfRange) }
      return Credits(credits)
    }
  }
}

extension LedgerOracle.TopUp {
  /// Terms that are stated now, with those of the earlier record.
  mutating func take(_ stated: StatedTerms, after first: LedgerOracle.TopUp?)
    throws(LedgerOracle.Refusal)
  {
    func instant(_ moment: StatedTerms.Moment, from start: Timestamp) -> Timestamp {
      switch moment {
      case .at(let time): time
      case .after(let span): Timestamp(milliseconds: start.milliseconds + span.milliseconds)
      }
    }
    let old = first?.terms
    if stated == StatedTerms(), old == nil { return }
    let fiveYears: Int64 = 5 * 366 * 86_400_000
    var start = old?.startsAt
    if let stated = stated.start {
      start = instant(stated, from: time)
      if let start, start.milliseconds > time.milliseconds + fiveYears {
        throw LedgerOracle.Refusal(code: .invalidRequest)
      }
    }
    until = first?.until
    if old?.startsAt == nil, case .after(let span) = old?.stated.expiry {
      until = Timestamp(milliseconds: time.milliseconds + span.milliseconds)
    }
    if let expiry = stated.expiry {
      until = instant(expiry, from: stated.start == nil ? time : start ?? time)
    }
    if let until, stated != StatedTerms(), until <= time {
      throw LedgerOracle.Refusal(code: .invalidRequest)
    }
    if let until, let start, until <= start { throw LedgerOracle.Refusal(code: .invalidRequest) }
    let all = StatedTerms(
      priority: stated.priority ?? old?.stated.priority, start: stated.start ?? old?.stated.start,
      expiry: stated.expiry ?? old?.stated.expiry, models: stated.models ?? old?.stated.models)
    terms = GrantTerms(
      priority: all.priority ?? 50, startsAt: start, models: all.models, stated: all)
  }

  /// The top-up as it is once its start has come.
  func started(by clock: Timestamp) -> LedgerOracle.TopUp {
    guard status == .scheduled, let start = terms?.startsAt, start <= clock else { return self }
    var topUp = self
    topUp.status = .completed
    topUp.added = credits
    topUp.time = start
    return topUp
  }
}

// Accounts and refunds.
extension LedgerOracle {
  mutating func refund(_ request: RefundRequest) throws(Refusal) -> String {
    switch request.reference {
    case .transaction(let id): return try refundTopUp(id, request, now)
    case .authorization(let id): return try refundCharge(id, now)
    case .key(let key, let account):
      let charge = authorizations.first { $0.account == account && $0.key == key }
      guard let charge else { throw Refusal(code: .unknownAuthorization) }
      return try refundCharge(charge.id, now)
    }
  }

  private mutating func refundTopUp(_ id: Name, _ request: RefundRequest, _ time: Timestamp)
    throws(Refusal) -> String
  {
    guard let index = topUps.firstIndex(where: { $0.id == id }) else {
      throw Refusal(code: .unknownTransaction)
    }
    let first = topUps[index].started(
      by: try account(topUps[index].account, at: time)?.clock ?? time)
    if first.credits < 0 { throw Refusal(code: .invalidRequest) }
    if first.status == .pending || first.status == .failed {
      throw Refusal(code: .transactionNotCompleted)
    }
    let stated = request.price.map { OraclePrice.thousandths($0.text) }
    var total = request.credits ?? first.refundable
    if request.isUnused {
      if first.terms == nil { throw Refusal(code: .invalidRequest) }
      let account = try account(first.account, at: time)
      let isVoid = account?.grants[id]?.isVoid ?? false
      total = first.refunded + Credits(account?.left(of: id) ?? 0)
      if first.status == .refunded, isVoid || first.refunded == first.refundable {
        if let stated, stated != first.lastPaidBack { throw Refusal(code: .idempotencyConflict) }
        return first.refund + " again"
      }
    } else if first.status == .scheduled, total < first.refundable {
      throw Refusal(code: .invalidRequest)
    }
    if total > first.refundable { throw Refusal(code: .invalidRequest) }
    if first.status == .refunded, total == first.refunded, !request.isUnused {
      if let stated, stated != first.lastPaidBack { throw Refusal(code: .idempotencyConflict) }
      return first.refund + " again"
    }
    if total < first.refunded { throw Refusal(code: .idempotencyConflict) }
    let back = try OraclePrice(first)?.paidBack(stated, upTo: total)
    if stated != nil, back == nil { throw Refusal(code: .invalidRequest) }
    return try whole { (books) throws(Refusal) in
      let taken = total - first.refunded
      books.topUps[index] = first
      books.topUps[index].lastPaidBack = back
      books.topUps[index].paidBack += back ?? 0
      try books.takeBackBonuses(of: first, time)
      if first.paid != nil { books.enter(first.account, time, .unpaid(id)) }
      books.enter(
        first.account, time,
        request.isUnused ? .voided(id) : .grantRefunded(taken, of: first.terms.map { _ in id }))
      let account = try books.account(first.account, at: time)
      let balance = try books.balance(first.account, time)
      let clock = account?.clock.text ?? ""
      books.topUps[index].status = .refunded
      books.topUps[index].refunded = total
      let lessened = first.terms == nil ? Int128(taken) : account?.lastTaken ?? 0
      books.topUps[index].refund =
        "refunded transaction \(id.text) \(lessened) for \(back ?? -1) balance \(balance) "
        + "at \(clock)"
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

  mutating func change(_ request: AccountRequest) throws(Refusal) -> String {
    try whole { (books) throws(Refusal) in
      let recorded = try books.account(request.account, at: .earliest)
      var account = try books.open(request.account, books.now, registers: true)
      if let recorded, recorded.hasTurned(into: account) {
        books.enter(request.account, books.now, .noted)
      }
      if let isExempt = request.isExempt, isExempt != account.isExempt {
        books.enter(request.account, books.now, .exempted(isExempt))
      }
      if let isClosed = request.isClosed, isClosed != account.isClosed {
        books.enter(request.account, books.now, .closed(isClosed))
      }
      switch request.plan {
      case nil: break
      case .remove:
        if account.planName != nil { books.enter(request.account, books.now, .planRemoved) }
      case .set(let id):
        guard let plan = books.policy.plans.first(where: { $0.id == id }) else {
          throw Refusal(code: .unknownPlan)
        }
        if account.changes(to: plan) { books.enter(request.account, books.now, .planSet(plan)) }
      }
      account = try books.account(request.account, at: books.now) ?? account
      return "account \(account.text)"
    }
  }
}
