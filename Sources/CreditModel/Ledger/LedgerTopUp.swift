extension Ledger {
  /// Adds purchased or granted credits, once. Checks in order: replay, `below`, rate limit, grant.
  ///
  /// Source: "must use transaction_id for idempotency" (Echo), "top-up increases balance
  /// atomically" (Murmur's plan, US-08).
  func topUp(_ request: TopUpRequest) throws(CreditError) -> GateResult {
    let entry = try earlier(request)
    if let entry {
      try checkSame(request, entry)
      if let extended = try extend(request, entry) { return extended }
      if let replay = try replay(request, entry) { return replay }
    }
    let open = try open(request.account, at: request.time)
    let needsOpen = entry == nil && !request.isPaid && !request.grant.takes
    let isPassed = needsOpen && request.isListedAsClosed && open.account.isClosed
    if needsOpen, !isPassed { try open.account.requireOpen() }
    let isEnough = isPassed || request.below.map { open.account.balance >= $0 } ?? false
    guard !isEnough, let grant = try grant(of: request, entry, to: open.account) else {
      return .skipped(account: request.account, key: request.key, balance: open.account.balance)
    }
    return try add(grant, of: request, entry, to: open)
  }

  /// Adds a request's grant, after its target was resolved.
  private func add(
    _ grant: TopUpRequest.Grant, of request: TopUpRequest, _ entry: TransactionEntry?,
    to open: consuming OpenAccount
  ) throws(CreditError) -> GateResult {
    // A payment has to be granted: its sender stops repeating it after a few days.
    let isLimited = request.status == .completed && !grant.takes && !request.isPaid
    var window: [RecentTopUp] = []
    if isLimited { window = try open.account.window(withRoomUnder: policy.topUpLimit) }
    var transaction = try transaction(grant, of: request, entry, of: open.account)
    if transaction.status == .completed {
      try subscribe(transaction, saidBy: request.payment?.event, on: &open)
      // Its end may have been reported before it.
      transaction.end(on: open.account)
    }
    // A change of plans is no sale of its own.
    let bonuses =
      request.prorated == nil
      ? try grantBonuses(of: transaction, isPaid: request.isPaid, on: &open) : []
    if isLimited {
      window = try open.account.window(window, with: transaction.credits, under: policy.topUpLimit)
      open.account.setWindow(window)
    }
    let (added, taken) = try open.account.take(transaction, isPaid: request.isPaid)
    let topUp = TopUp(
      transaction: transaction, creditsAdded: added, newBalance: open.account.balance,
      news: request.news ?? entry?.topUp.news, payment: request.payment ?? entry?.topUp.payment,
      bonuses: bonuses, taken: taken)
    try record(.topUp(topUp), on: &open, original: entry?.position)
    if transaction.paid != nil { try recordEnds(in: request.account, at: request.time) }
    return try settle(request) ?? .topUp(topUp, isReplay: false)
  }

  /// Applies earlier events to a sale that a person enters.
  /// - Returns: nil if they move no credits.
  private func settle(_ request: TopUpRequest) throws(CreditError) -> GateResult? {
    guard mayHaveEvents(request) else { return nil }
    let sale = try sale(of: request)
    guard let news = sale.news else { return nil }
    var past = PaymentRequest(news.event)
    past.time = request.time
    let results = try settle(sale, to: news, past)
    // Another account's sale may have the same key as an id.
    if request.key == nil { try record([request.reference.id], of: sale, nil, past) }
    return results.first
  }

  /// True if events may report the sale of a request, too.
  private func mayHaveEvents(_ request: TopUpRequest) -> Bool {
    !request.isPaid && request.kind.isSold && !policy.payments.isEmpty
  }

  /// Returns the grant of a request. For a request with a target, that is the credits missing to
  /// it, or those recorded when it was pending or failed.
  /// - Returns: nil if nothing is missing.
  private func grant(
    of request: TopUpRequest, _ entry: TransactionEntry?, to account: Account
  ) throws(CreditError) -> TopUpRequest.Grant? {
    guard case .target(let target, let product) = request.grant else { return request.grant }
    if let first = entry?.topUp.transaction { return first.grant }
    let (missing, overflow) = target.subtractingReportingOverflow(account.balance)
    if !overflow && missing <= 0 { return nil }
    guard !overflow, missing <= Credits.largestGrant else {
      throw .amountOutOfRange("more than 2^53 credits are missing to the target")
    }
    guard let product else { return .credits(missing) }
    let offer = try policy.product(product)
    if offer.plan != nil { throw offer.notForSubscription("target") }
    return .product(product, quantity: (missing - 1) / max(1, offer.credits) + 1)
  }

  /// Returns the recorded top-up with the request's id or key, or the sale that has it.
  private func earlier(_ request: TopUpRequest) throws(CreditError) -> TransactionEntry? {
    let entry =
      switch request.reference {
      case .transaction(let id): try books.transaction(id)
      case .key(let key): try books.topUp(account: request.account, key: key)
      }
    guard entry?.topUp.transaction.status.isUnpaid ?? true, mayHaveEvents(request) else {
      return entry
    }
    let sale = try sale(of: request)
    // With the id of a subscription it is the payment for the same time.
    let until = request.terms.expiry?.time(from: time(of: request.time))
    let renewals = sale.renewals.filter {
      $0.topUp.transaction.paid?.period.ends(near: until ?? .earliest) ?? false
    }
    let found = sale.entries.filter { $0.isPaidFor && (entry == nil || $0.isGranted) } + renewals
    return found.first { $0.topUp.transaction.grant == request.grant } ?? found.first
      ?? (request.key == nil ? sale.foreign : nil) ?? entry
  }

  /// Returns the sale that a person enters. As a key an id is of its account alone.
  private func sale(of request: TopUpRequest) throws(CreditError) -> Sale {
    let sale = try sale(of: [request.reference.id], for: request.account)
    let isOwn =
      request.key == nil || sale.foreign == nil
      || sale.entries.contains { $0.topUp.transaction.key != request.key }
    return isOwn ? sale : Sale()
  }

  /// Checks that the same id has the same account, type and amount.
  private func checkSame(_ request: TopUpRequest, _ entry: TransactionEntry) throws(CreditError) {
    let first = entry.topUp.transaction
    let isRefunded = first.status == .refunded
    let noun = request.key == nil ? "transaction" : "key"
    let again = isRefunded ? ": " + shellFlag(noun, (request.key ?? first.id).again.text) : ""
    let isWhole = first.status == .completed && first.paid == nil
    let advice = "\(again)\(isWhole ? ", and if the first was wrong, \(first.undo) undoes it" : "")"
    let what = first.kind.isSold ? "sale" : first.kind.rawValue
    let hint = CreditError.Detail.hint("; another \(what) needs another \(noun)\(advice)")
    guard first.account == request.account else {
      throw CreditError(
        .idempotencyConflict,
        "\(request.reference.phrase) belongs to another account; nothing was credited", [hint])
    }
    // The first one with a target granted the credits missing then.
    let isSame =
      if case .target(_, let product) = request.grant {
        first.productID == product && first.credits > 0
      } else { request.grant == first.grant }
    // A subscription's kind follows from the product.
    let isSameKind =
      first.kind == request.kind || first.kind == .subscription && request.kind == .purchase
    if isSame, isSameKind, request.terms.isSame(as: first) { return }
    let difference =
      !isSame
      ? "\(first.grant.phrase), not \(request.grant.phrase)"
      : isSameKind
        ? request.terms.difference(from: first)
        : "type \(first.kind.rawValue), not \(request.kind.rawValue)"
    throw CreditError(
      .idempotencyConflict,
      "\(request.reference.phrase) was recorded with \(difference)"
        + "\(isRefunded ? ", and refunded" : ""); nothing was credited",
      [.account(first.account), .transaction(first), hint])
  }

  /// Returns the first result again; nil if a pending or failed purchase moves on.
  private func replay(_ request: TopUpRequest, _ entry: TransactionEntry) throws(CreditError)
    -> GateResult?
  {
    let first = entry.topUp.transaction
    if first.status.isUnpaid, request.status != first.status { return nil }
    if first.status == .refunded, request.reversesRefund { return nil }
    if request.isStrict {
      throw CreditError(
        .duplicateTransaction,
        "\(request.reference.phrase) has been processed already",
        [.account(first.account), .transaction(first)])
    }
    try repeatCrossing(ofTopUpIn: entry)
    guard first.status == .scheduled else { return .topUp(entry.topUp, isReplay: true) }
    // It may have started, even if no write has recorded that yet.
    let open = try open(first.account, at: request.time)
    return .topUp(open.started(entry).topUp, isReplay: true)
  }
}

extension OpenAccount {
  /// Returns a top-up as it will be once the clock's turns are recorded.
  borrowing func started(_ entry: TransactionEntry) -> TransactionEntry {
    guard entry.topUp.transaction.status == .scheduled else { return entry }
    let id = entry.topUp.transaction.id
    for record in preceding.reversed() {
      guard case .topUp(let topUp) = record.event, topUp.transaction.id == id else { continue }
      return TransactionEntry(
        topUp: topUp, refund: entry.refund, position: entry.position, crossed: entry.crossed)
    }
    return entry
  }
}

extension Transaction {
  fileprivate var grant: TopUpRequest.Grant {
    productID.map { .product($0, quantity: quantity) } ?? .credits(credits)
  }
}

extension TopUpRequest.Grant {
  /// The grant in a message.
  var phrase: String {
    switch self {
    case .product(let id, quantity: 1): "product \(quoted(id.text))"
    case .product(let id, let quantity): "\(quantity) of product \(quoted(id.text))"
    case .credits(let credits): "\(credits) credit\(credits == 1 ? "" : "s")"
    case .target(_, let product): product.map { "product \(quoted($0.text))" } ?? "a target"
    }
  }

  /// True if it is a negative adjustment, which takes credits as a refund does.
  fileprivate var takes: Bool {
    if case .credits(let credits) = self { credits < 0 } else { false }
  }
}

extension StatedTerms {
  /// Whether a repeat with these terms is of the same top-up.
  ///
  /// One that is not granted yet may get other terms; a subscription may be extended by another
  /// end. An expiry of a bonus recorded before there were grants is not compared.
  fileprivate func isSame(as first: Transaction) -> Bool {
    if first.status.isUnpaid { return true }
    if first.kind == .subscription {
      if self != StatedTerms(expiry: expiry) { return false }
      // Its duration is not compared after an extension.
      guard case .after(let span) = expiry, let paid = first.paid, paid.extendedAt == nil else {
        return true
      }
      return paid.since.adding(span) == paid.until
    }
    guard let stated = first.terms?.stated else {
      return self.isEmpty || first.expiresAt != nil && self == StatedTerms(expiry: expiry)
    }
    return self == stated
  }

  /// The first term that differs from the recorded ones, for a message.
  fileprivate func difference(from first: Transaction) -> String {
    func names(_ models: ModelPatterns?) -> String? {
      models.map { plainOrQuoted($0.names.map(\.text).joined(separator: ",")) }
    }
    let known = first.terms?.stated ?? StatedTerms(expiry: first.expiresAt.map(Moment.at))
    let terms: [(name: String, known: String?, asked: String?)] = [
      ("priority", known.priority?.description, priority?.description),
      ("start", known.start?.text, start?.text),
      ("expiry", known.expiry?.text ?? first.paid?.until.text, expiry?.text),
      ("models", names(known.models), names(models)),
    ]
    guard let term = terms.first(where: { $0.known != $0.asked }) else { return "other terms" }
    let first = term.known.map { "\(term.name) \($0)" } ?? "no \(term.name)"
    return "\(first), not \(term.asked ?? "none")"
  }
}

extension Account {
  /// Applies a top-up: adds its credits, takes them, or keeps them until the grant starts.
  /// - Parameter isPaid: true for a payment or its bonus, whose number is not limited.
  /// - Returns: the credits added; and if it takes credits and a grant is among their buckets,
  ///   these buckets.
  /// - Throws: `amount_out_of_range`; `limit_exceeded` for one grant too many.
  mutating func take(_ transaction: Transaction, isPaid: Bool) throws(CreditError)
    -> (added: Credits, taken: [Bucket])
  {
    if transaction.status.isUnpaid || transaction.status == .refunded { return (0, []) }
    let credits = transaction.credits
    if credits < 0 {
      let taken = try burnPurchasedFirst(-credits)
      return (credits, taken.haveGrants ? Array(taken) : [])
    }
    let bucket = transaction.bucket(number: recordCount + 1)
    if !isPaid, bucket.grant != nil, credits > 0,
      buckets.grantCount + scheduled.count >= Grant.countLimit
    {
      throw CreditError(
        .limitExceeded,
        "account \(quoted(name.text)) has \(Grant.countLimit) grants with credits left already; "
          + "give larger ones less often, or ones that end sooner",
        [.account(name)])
    }
    guard transaction.status == .scheduled, let startsAt = transaction.terms?.startsAt else {
      try deposit(credits, to: bucket)
      return (credits, [])
    }
    let grant = ScheduledGrant(bucket, startsAt: startsAt)
    scheduled.insert(
      grant, at: scheduled.firstIndex { grant.startsBefore($0) } ?? scheduled.endIndex)
    let sum = scheduled.reduce(Int128(balance)) { $0 + Int128($1.bucket.credits) }
    if sum > Int128(Credits.max) { throw .amountOutOfRange("the balance would not fit in 64 bits") }
    return (0, [])
  }

  /// Returns the top-ups in the sliding window, if it has room for one more.
  /// - Throws: `rate_limited`, with the seconds until there is room.
  func window(withRoomUnder limit: TopUpLimit?) throws(CreditError) -> [RecentTopUp] {
    guard let limit else { return [] }
    let start = updatedAt.milliseconds - limit.period.milliseconds
    var window = recentTopUps
    window.removeAll { $0.time.milliseconds <= start }
    // If the limit was lowered since, the window may have more than it now allows.
    if window.count >= limit.count {
      throw limited(
        "has had \(limit.count) top-ups in the last \(limit.period.text); try again later",
        until: window[window.count - limit.count].time, in: limit)
    }
    return window
  }

  /// Returns the policy's sliding window with a further completed top-up.
  /// - Throws: `rate_limited` if its credits are too many, with the seconds until they are not.
  func window(_ window: [RecentTopUp], with credits: Credits, under limit: TopUpLimit?)
    throws(CreditError) -> [RecentTopUp]
  {
    guard let limit else { return [] }
    guard let most = limit.credits else { return window + [RecentTopUp(updatedAt)] }
    let period = limit.period.text
    if credits > most {
      throw CreditError(
        .rateLimited,
        "account \(quoted(name.text)) may be topped up with \(most) credits in \(period), and "
          + "never with \(credits) at once", [.account(name)])
    }
    var sum = window.reduce(Int128(0)) { $0 + Int128($1.credits ?? 0) }
    let had = sum
    for topUp in window where sum + Int128(credits) > Int128(most) {
      sum -= Int128(topUp.credits ?? 0)
      if sum + Int128(credits) <= Int128(most) {
        throw limited(
          "has been topped up with \(had) of \(most) credits in the last \(period), and "
            + "\(credits) more are too many; try again later", until: topUp.time, in: limit)
      }
    }
    return window + [RecentTopUp(updatedAt, credits: credits)]
  }

  mutating func setWindow(_ window: [RecentTopUp]) {
    if !window.isEmpty || !recentTopUps.isEmpty { recentTopUps = window }
  }

  /// The refusal of a top-up until another one leaves the window.
  private func limited(_ problem: String, until freeing: Timestamp, in limit: TopUpLimit)
    -> CreditError
  {
    let wait = freeing.milliseconds - (updatedAt.milliseconds - limit.period.milliseconds)
    return CreditError(
      .rateLimited, "account \(quoted(name.text)) \(problem)",
      [.account(name), .retryAfter(max(1, (wait + 999) / 1000))])
  }
}

extension TopUpRequest.Reference {
  /// The top-up's name in messages: the request's action.
  fileprivate var phrase: String {
    switch self {
    case .transaction(let id): "transaction \(quoted(id.text))"
    case .key(let key): "key \(quoted(key.text))"
    }
  }
}
