/// The rules over the books: a look-up, then the rule, then the record. A gate calls it, under the
/// lock that makes a batch whole. A class: a rule that is passed on copies one reference.
public final class Ledger {
  let books: any LedgerBooks
  public let policy: Policy
  /// The system's time, read under the lock that makes the batch whole.
  public let systemTime: Timestamp
  let makeID: (Timestamp) -> Name
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  /// Thresholds that the current request has crossed. For a repeat, those crossed when its answer
  /// was first given.
  @exclusivity(unchecked) private var crossed: [Credits]?
  /// The account that the current request has opened last, and its lowest balance since then.
  @exclusivity(unchecked) private var lowest: (account: Name, balance: Credits)?
  /// The accounts that were registered first.
  @exclusivity(unchecked) public private(set) var registered: [Name] = []

  /// The most of them: only few are noted.
  public static let registeredLimit = 4

  /// - Parameter makeID: makes a new, unique id for an event at a time.
  public init(
    books: any LedgerBooks, policy: Policy, systemTime: Timestamp,
    makeID: @escaping (Timestamp) -> Name
  ) {
    self.books = books
    self.policy = policy
    self.systemTime = systemTime
    self.makeID = makeID
  }

  /// Serves one request and appends its records to the books.
  /// - Throws: the request's error, if nothing was appended; or an error that ends the run.
  public func perform(_ request: GateRequest) throws(CreditError) -> GateResult {
    (crossed, lowest) = (nil, nil)
    let result = try serve(request)
    return crossed.map { .crossing(result, $0) } ?? result
  }

  /// Serves one request, and returns its own error as the answer.
  /// - Throws: an error that ends the run.
  public func answer(to request: GateRequest) throws(CreditError) -> GateAnswer {
    do throws(CreditError) {
      return .success(try perform(request))
    } catch {
      if error.endsRun { throw error }
      return .failure(error)
    }
  }

  private func serve(_ request: GateRequest) throws(CreditError) -> GateResult {
    switch request {
    case .authorize(let request): return try authorize(request)
    case .void(let request): return try void(request)
    case .charge(let request): return try charge(request)
    case .topUp(let request): return try addingPlan(try topUp(request), at: request.time)
    case .refund(let request): return try addingPlan(try refund(request), at: request.time)
    case .account(let request): return try changeAccount(request)
    case .transfer(let request): return try transfer(request)
    case .storeKit(let request): return try addingPlan(try storeKit(request), at: request.time)
    case .notification(let notification): return .notification(notification)
    case .payment(let request): return try addingPlan(try payment(request), at: request.time)
    }
  }

  /// Returns the account at a request's time, with the records that precede its next one.
  func open(_ name: Name, at requested: Timestamp?) throws(CreditError) -> OpenAccount {
    if var account = try books.take(name) {
      let before = lowestBalance(of: account)
      let turns = try advance(&account, at: requested)
      return OpenAccount(
        account: consume account, preceding: turns, requestedTime: requested,
        balanceBefore: before)
    }
    guard policy.registersAutomatically else { throw Self.unknownAccount(name) }
    return try register(name, at: requested)
  }

  /// Moves the clock of a stored account to a request's time.
  /// - Returns: the records of changes by time.
  func advance(_ account: inout Account, at requested: Timestamp?) throws(CreditError)
    -> [LedgerRecord]
  {
    let time = time(of: requested)
    if account.hasUndatedCreditsOnly {
      account.updatedAt = max(account.updatedAt, time)
      return []
    }
    return try account.advance(to: time, under: policy, topUp: startingTopUp)
  }

  /// Registers a new account with the policy's starter credits.
  /// - Parameter isMember: true if another account pays for it: then it gets none.
  func register(_ name: Name, at requested: Timestamp?, isMember: Bool = false)
    throws(CreditError) -> OpenAccount
  {
    var account =
      isMember
      ? Account(name: name, registeredAt: time(of: requested))
      : try Account(registering: name, at: time(of: requested), under: policy)
    let registration = account.record(
      .registration(starter: isMember ? 0 : policy.starterCredits))
    return OpenAccount(
      account: account, preceding: [registration], requestedTime: requested,
      balanceBefore: lowestBalance(of: account))
  }

  /// Returns the lowest balance since the request began, if the policy has thresholds. A write of
  /// several records, such as a grant and its refund, crosses from there.
  private func lowestBalance(of account: borrowing Account) -> Credits {
    if policy.lowBalance.isEmpty { return 0 }
    let known = lowest.flatMap { $0.account == account.name ? $0.balance : nil }
    let balance = min(known ?? .max, account.balance)
    lowest = (account.name, balance)
    return balance
  }

  /// Appends the preceding records, the event, and other accounts' shares in it: all or none.
  /// - Parameter above: the other accounts; most events have none.
  func record(
    _ event: consuming LedgerEvent, on open: inout OpenAccount,
    with above: ChainAbove = ChainAbove(), original: RecordPosition? = nil
  ) throws(CreditError) {
    if !above.isEmpty {
      try checkClock(open.requestedTime)
      for account in above.accounts where account.hasShares || account.done.isReached {
        for record in account.preceding { try books.append(record) }
      }
    }
    try recordPreceding(&open)
    let crossed = open.crossed(under: policy)
    note(crossed)
    if above.isEmpty {
      // In place: a record that is moved costs each charge a copy.
      return try books.append(open.closed(by: event, original: original, crossed: crossed))
    }
    let record = open.closed(by: event, original: original, crossed: crossed)
    let shares = above.shares(in: record, under: policy)
    try books.append(consume record)
    do {
      for share in shares { try books.append(share) }
    } catch {
      // A part of a group is invalid: an error that ends the run drops the batch.
      throw error.with(.outcome("none"))
    }
  }

  /// Appends the preceding records alone: a registration, or turns of the clock. Every write begins
  /// here.
  func recordPreceding(_ open: inout OpenAccount) throws(CreditError) {
    try checkClock(open.requestedTime)
    for record in open.preceding {
      if case .registration = record.event, registered.count < Self.registeredLimit {
        registered.append(record.account.name)
      }
      try books.append(record)
    }
  }

  static func unknownAccount(_ name: Name) -> CreditError {
    CreditError(
      .unknownAccount,
      "account \(quoted(name.text)) is not registered; credit-account registers it",
      [.account(name)])
  }
}

extension Ledger {
  /// Prices a charge at the prices of the time of use.
  /// - Throws: `invalid_request` for a future use; errors of ``Policy/model(_:at:)`` and
  ///   ``PriceRules``.
  func quote(_ request: ChargeRequest, at time: Timestamp) throws(CreditError) -> ChargeQuote {
    if let usedAt = request.usedAt, usedAt > time.adding(Self.clockTolerance) ?? .latest {
      throw .invalidRequest("usedAt is more than 5 minutes ahead of the time of the charge")
    }
    if let known = request.quote, known.source == policy.prices.id { return known }
    return try policy.price(request, at: request.usedAt ?? time)
  }
}

extension Policy {
  @inline(__always)
  func price(_ request: ChargeRequest, at time: Timestamp) throws(CreditError) -> ChargeQuote {
    try price(request, of: try model(request.model, at: time), at: time)
  }

  private func price(_ request: ChargeRequest, of model: PricedModel, at time: Timestamp?)
    throws(CreditError) -> ChargeQuote
  {
    let price = try priceRules.quote(
      request.usage, reportedUSD: request.reportedUSD, costIsNegative: request.costIsNegative,
      of: model, time: time)
    return ChargeQuote(
      price: price, model: price.isFallback ? nil : model.id, source: prices.id)
  }

  /// Returns a model whose prices never change; nil if there is no such model.
  func timeless(_ id: Name) -> PricedModel? {
    guard let model = (try? prices.model(id))?.undated, !model.pricing.dependsOnTime else {
      return nil
    }
    return model
  }

  /// Prices a charge before its time is known. If that fails, the rules find why.
  func quote(_ request: ChargeRequest, of model: PricedModel) {
    request.quote = try? price(request, of: model, at: nil)
  }
}

/// An account for a rule to change.
struct OpenAccount: ~Copyable {
  var account: Account
  /// Its registration, or the turns of its clock since its last record.
  var preceding: [LedgerRecord]
  /// The request's time; the account's clock may be ahead of it.
  let requestedTime: Timestamp?
  /// Its lowest balance in the write before this record, if the policy has thresholds.
  let balanceBefore: Credits

  /// Thresholds of the policy that the balance has now fallen below.
  @inline(__always)
  func crossed(under policy: Policy) -> [Credits]? {
    policy.crossed(from: balanceBefore, to: account.balance)
  }

  /// Returns the record of an event after which the account is in its current state.
  mutating func closed(
    by event: consuming LedgerEvent, original: RecordPosition? = nil, crossed: [Credits]?
  ) -> LedgerRecord {
    account.count(event, isFirst: original == nil)
    return LedgerRecord(event: event, account: account, original: original, crossed: crossed)
  }
}

extension Account {
  /// Makes a new account: "first launch initializes balance once" (Murmur's plan, US-01).
  public init(registering name: Name, at time: Timestamp, under policy: Policy)
    throws(CreditError)
  {
    self.init(name: name, registeredAt: time)
    try deposit(policy.starterCredits, kind: .starter)
  }
}

// Thresholds: each crossing is reported once, however many processes write.

extension Policy {
  /// Returns the thresholds that a balance has newly fallen below, the highest first. Returns nil
  /// if it crossed none.
  @inline(__always)
  public func crossed(from before: Credits, to after: Credits) -> [Credits]? {
    if lowBalance.isEmpty { return nil }
    let crossed = lowBalance.filter { before >= $0 && after < $0 }
    return crossed.isEmpty ? nil : crossed
  }
}

extension Ledger {
  func note(_ crossed: [Credits]?) { self.crossed = crossed ?? self.crossed }

  /// Makes the replay of a charge report its crossed thresholds, even after a refund. Then a
  /// correction's thresholds are not searched: the refund has undone them.
  func repeatCrossing(ofChargeIn entry: AuthorizationEntry) throws(CreditError) {
    guard case .refunded(let charge, _) = entry.state else { return note(entry.crossed) }
    if charge.amendment == nil { note(try books.record(at: entry.position)?.crossed) }
  }

  /// Makes the replay of a top-up report the thresholds that it crossed. It does so even if the
  /// top-up has started or was refunded since. In those cases it does not look up what a top-up
  /// that was pending first crossed when it went through.
  func repeatCrossing(ofTopUpIn entry: TransactionEntry) throws(CreditError) {
    let transaction = entry.topUp.transaction
    let hasStarted = transaction.terms?.startsAt != nil && transaction.status == .completed
    guard hasStarted || entry.refund != nil else { return note(entry.crossed) }
    let first = try books.record(at: entry.position)
    guard case .topUp(let topUp) = first?.event,
      topUp.transaction.status == .completed || topUp.transaction.status == .scheduled
    else { return }
    note(first?.crossed)
  }
}

// The time of a request's records.
extension Ledger {
  /// How far ahead of the system's clock a request's own time may be.
  public static let clockTolerance = TimeSpan.seconds(300)

  /// Returns the time of a request: its own, or else the system's.
  ///
  /// On a real clock that is never before the newest record: past states stay unchanged. On a
  /// simulated clock each account has its own time, which ``Account/advance(to:under:)`` never
  /// turns back.
  func time(of requested: Timestamp?) -> Timestamp {
    let time = requested ?? systemTime
    if policy.clockIsSimulated { return time }
    return max(time, books.latestTime ?? time)
  }

  /// Refuses a request whose time is too far ahead to be a clock error.
  func checkClock(_ requested: Timestamp?) throws(CreditError) {
    guard let requested, !policy.clockIsSimulated else { return }
    if requested <= systemTime.adding(Self.clockTolerance) ?? .latest { return }
    throw .invalidRequest(
      "the time is more than 5 minutes ahead of the system's clock; a policy with "
        + #""clock":"simulated" allows that"#)
  }
}
