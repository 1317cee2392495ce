import CreditModel

@testable import TestSupport

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
      guard first.account == request.account, first.kind == request.kind,
        Self.isSame(first.grant, as: request.grant)
      else { throw Refusal(code: .idempotencyConflict) }
      let isDone = first.status == .completed || first.status == .refunded
      if isDone || first.status == request.status {
        if request.isStrict { throw Refusal(code: .duplicateTransaction) }
        return "topped up \(first.text) again"
      }
    }
    let before = self
    return try whole { (books) throws(Refusal) in
      let account = try books.open(request.account, books.now)
      let takes = if case .credits(let credits) = request.grant { credits < 0 } else { false }
      if index == nil, account.isClosed, !takes { throw Refusal(code: .accountClosed) }
      let completes = request.status == .completed
      if let below = request.below, account.balance >= Int128(below) {
        books = before
        return "skipped \(request.account.text) balance \(account.balance)"
      }
      var request = request
      if case .target = request.grant {
        var grant = index.map { books.topUps[$0].grant }
        if grant == nil { grant = try books.missing(to: request.grant, from: account.balance) }
        guard let grant else {
          books = before
          return "skipped \(request.account.text) balance \(account.balance)"
        }
        request.grant = grant
      }
      if completes, !takes { try books.checkWindow(request.account, account.clock) }
      var id = newID
      var key: Name?
      switch request.reference {
      case .transaction(let name): id = name
      case .key(let name): key = name
      }
      var topUp = TopUp(
        id: index.map { books.topUps[$0].id } ?? id, account: request.account,
        key: index.map { books.topUps[$0].key } ?? key, kind: request.kind,
        status: request.status, grant: request.grant,
        credits: try books.credits(request.grant),
        time: account.clock, until: try Self.expiry(request.expiry, account.clock), added: 0,
        balance: 0)
      if let index {
        topUp.credits = books.topUps[index].credits
        topUp.until = topUp.until ?? books.topUps[index].until
      }
      let expires = topUp.until.map { $0 <= account.clock } ?? false
      if completes, !takes, !expires {
        try books.checkWindow(request.account, account.clock, topUp.credits)
      }
      topUp.price = request.price ?? index.flatMap { books.topUps[$0].price }
      topUp.currency = request.currency ?? index.flatMap { books.topUps[$0].currency }
      if completes {
        if let until = topUp.until, until <= account.clock { throw Refusal(code: .invalidRequest) }
        topUp.added = topUp.credits
        let kind: Bucket.Kind = request.kind == .bonus ? .bonus : .purchased
        books.enter(
          request.account, books.now,
          takes
            ? .grantRefunded(-topUp.credits)
            : .granted(topUp.credits, kind, until: topUp.until))
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

  /// - Returns: nil where nothing is missing.
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
    let recent = topUps.filter { $0.account == account && $0.added > 0 }
      .map { (freeAt: $0.time.milliseconds + limit.period.milliseconds, credits: $0.added) }
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
    let first = topUps[index]
    if first.credits < 0 { throw Refusal(code: .invalidRequest) }
    if first.status == .pending || first.status == .failed {
      throw Refusal(code: .transactionNotCompleted)
    }
    let total = request.credits ?? first.added
    let stated = request.price.map { OraclePrice.thousandths($0.text) }
    if total > first.added { throw Refusal(code: .invalidRequest) }
    if first.status == .refunded, total == first.refunded {
      if let stated, stated != first.lastPaidBack { throw Refusal(code: .idempotencyConflict) }
      return first.refund + " again"
    }
    if total < first.refunded { throw Refusal(code: .idempotencyConflict) }
    let back = try OraclePrice(first)?.paidBack(stated, upTo: total)
    if stated != nil, back == nil { throw Refusal(code: .invalidRequest) }
    return try whole { (books) throws(Refusal) in
      let taken = total - first.refunded
      books.topUps[index].lastPaidBack = back
      books.topUps[index].paidBack += back ?? 0
      books.enter(first.account, time, .grantRefunded(taken))
      let account = try books.account(first.account, at: time)
      let balance = try books.balance(first.account, time)
      let clock = account?.clock.text ?? ""
      books.topUps[index].status = .refunded
      books.topUps[index].refunded = total
      books.topUps[index].refund =
        "refunded transaction \(id.text) \(taken) for \(back ?? -1) balance \(balance) at \(clock)"
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
        if account.plan != nil { books.enter(request.account, books.now, .planRemoved) }
      case .set(let id):
        guard let plan = books.policy.plans.first(where: { $0.id == id }) else {
          throw Refusal(code: .unknownPlan)
        }
        if account.plan?.plan != id { books.enter(request.account, books.now, .planSet(plan)) }
      }
      account = try books.account(request.account, at: books.now) ?? account
      return "account \(account.text)"
    }
  }
}
