/// The other accounts of a request: those above its own in the chain, now or when an ending work
/// began.
struct ChainAbove {
  /// The nearest first.
  var parents: [ChainAccount] = []
  var others: [ChainAccount] = []

  var isEmpty: Bool { parents.isEmpty && others.isEmpty }

  var accounts: [ChainAccount] { others.isEmpty ? parents : parents + others }

  /// Returns nil for an account that is not open.
  func account(_ name: Name) -> ChainAccount? {
    parents.first { $0.account.name == name } ?? others.first { $0.account.name == name }
  }

  var reached: [ChainAccount] { accounts.filter(\.done.isReached) }

  /// Returns the records of the accounts' shares in a record, in the order in which it names them.
  func shares(in record: LedgerRecord, under policy: Policy) -> [LedgerRecord] {
    guard case .authorization(let id) = record.event.id else { return [] }
    var accounts = reached
    if accounts.count > 1 { accounts = record.expectedShares.compactMap { account($0.account) } }
    return accounts.map { $0.closeShare(in: record, id, under: policy) }
  }

  static var missingPayer: CreditError {
    CreditError(.corruptStore, "an account that has a share in it is not in the store")
  }
}

/// An account for a rule to change, with those above it. Its parent pays what it cannot, and so on.
/// Most accounts are alone.
struct OpenChain: ~Copyable {
  var own: OpenAccount
  let above: ChainAbove
  /// The parents that may have to pay. An exempt account and those above it are charged nothing.
  let paying: ArraySlice<ChainAccount>
  /// Catalog id of the work's model, for which credits are counted; nil if unknown.
  var model: Name?

  init(own: consuming OpenAccount, above: ChainAbove = ChainAbove()) {
    let last = above.parents.firstIndex { $0.account.isExempt } ?? above.parents.count - 1
    paying = above.parents.isEmpty || own.account.isExempt ? [] : above.parents[...last]
    self.own = own
    self.above = above
  }

  var parents: [ChainAccount] { above.parents }

  /// True if it is one account without limits, as most are.
  var hasNoLimits: Bool { !own.account.hasRareState && above.isEmpty }

  /// Whether an account that pays has limits of other units than credits.
  var countsWork: Bool {
    !hasNoLimits
      && (own.account.countsWork || parents.contains { $0.ask { $0.countsWork } })
  }

  /// Returns an account that will get back its payment.
  /// - Throws: `authorization_closed` if it was removed from the books.
  func payer(_ name: Name) throws(CreditError) -> ChainAccount {
    if let account = above.account(name) { return account }
    guard name == .nobody else { throw ChainAbove.missingPayer }
    throw CreditError(
      .authorizationClosed, "an account that has been removed has paid a part of the charge",
      [.account(own.account.name)])
  }

  var payer: Name { parents.last?.account.name ?? own.account.name }

  /// Whether an exempt account waives the credits that the others cannot pay.
  var isWaived: Bool { own.account.isExempt || paying.last?.account.isExempt ?? false }

  /// Returns the credits that may pay for a new hold, or for a charge without overdraft. It changes
  /// no credits, but a function that borrows the chain would get a copy.
  mutating func available() -> Credits {
    if parents.isEmpty { return own.account.available(for: model) }
    return paying.reduce(max(0, own.account.available(for: model))) { sum, parent in
      sum.addingSaturating(max(0, parent.ask { $0.available(for: model) }))
    }
  }

  /// Returns the parts of credits that the accounts of the chain pay.
  ///
  /// Each account pays up to its available credits, and the last one the rest. The first part is
  /// that of the own account; parents that no credits reach have no part.
  func parts(of credits: Credits) -> [Credits] {
    let paying = paying
    if paying.isEmpty { return [credits] }
    var parts = [ownPart(of: credits)]
    var rest = credits - parts[0]
    for place in paying.indices where rest > 0 {
      let part = paying[place].part(of: rest, isLast: place == paying.endIndex - 1, for: model)
      parts.append(part)
      rest -= part
    }
    return parts
  }

  func ownPart(of credits: Credits) -> Credits {
    min(credits, max(0, own.account.available(for: model)))
  }

  /// The same, without the credits that an exempt account waives.
  func chargedParts(of credits: Credits) -> [Credits] {
    var parts = parts(of: credits)
    if parts.count > paying.count, paying.last?.account.isExempt ?? false { parts.removeLast() }
    return parts
  }
}

// Refusals.
extension OpenChain {
  /// Refuses new work if an account of the chain is closed.
  mutating func requireOpen() throws(CreditError) {
    try own.account.requireOpen()
    for parent in parents where parent.account.isClosed {
      throw parent.account.closed(for: own.account)
    }
  }

  /// Refuses a hold for which free credits are missing, or a start without any. An exempt account
  /// in the chain is never refused.
  mutating func requireCredits(for hold: Credits?) throws(CreditError) {
    if parents.isEmpty { return try own.account.requireCredits(for: hold, of: model) }
    if isWaived || available() >= hold ?? 1 { return }
    throw tooFew(
      hold.map { "too few for a hold of \($0)" }, advice: model == nil ? "name the model" : nil)
  }

  private mutating func requirePrice(_ price: Credits) throws(CreditError) {
    if parents.isEmpty { return try own.account.requirePrice(price, of: model) }
    if isWaived || price <= available() { return }
    throw tooFew("and the price is \(price)")
  }

  /// - Parameter advice: advice if there are credits for other models; nil for a top-up.
  private mutating func tooFew(_ what: String?, advice: String? = nil) -> CreditError {
    let (account, available) = (own.account, available())
    var text = "account \(quoted(account.name.text)) and those that pay for it have \(available) "
    text += "credits available"
    let others = ([account] + paying.map(\.account)).credits(beside: model)
    if let others { text += ", and \(others.credits) \(others.models)" }
    if let what { text += ", \(what)" }
    let usual = "top up account \(quoted(payer.text)) to continue"
    return CreditError(
      .insufficientCredits, "\(text); \(others == nil ? usual : advice ?? usual)",
      [
        .account(account.name), .balance(account.balance), .available(available), .payer(payer),
      ])
  }

  /// Returns the limits without room for the credits, of the accounts they would reach.
  ///
  /// If the number of credits is not known, these are the limits without room for any.
  /// - Parameters:
  ///   - work: the work of a charge; nil if it is not done yet.
  ///   - isDirect: whether the charge is a start, too.
  mutating func limitsRefusing(
    _ credits: Credits?, _ work: WorkMeasure?, isDirect: Bool = false, for model: Name?,
    under policy: Policy
  ) -> [LimitRefusal] {
    if hasNoLimits { return [] }
    guard let credits else { return limitsRefusingStart(for: model, under: policy) }
    func demand(_ credits: Credits) -> LimitDemand {
      if isDirect, let work { return .direct(credits, work) }
      return .fitting(credits, work)
    }
    let parts = chargedParts(of: credits)
    var reached = parts.reduce(0, +)
    if reached == 0 { return [] }
    var refusals = own.account.limitsRefusing(demand(reached), for: model, under: policy)
    for (parent, place) in zip(paying, parts.indices.dropFirst()) {
      reached -= parts[place - 1]
      if reached == 0 { break }
      refusals += parent.ask { $0.limitsRefusing(demand(reached), for: model, under: policy) }
    }
    return refusals
  }

  /// Up to the first account with available credits. Waived credits reach no account.
  private func limitsRefusingStart(for model: Name?, under policy: Policy) -> [LimitRefusal] {
    if isWaived, chargedParts(of: 1).allSatisfy({ $0 == 0 }) { return [] }
    var refusals = own.account.limitsRefusing(.start, for: model, under: policy)
    var hasCredits = own.account.available(for: model) > 0
    for parent in paying where !hasCredits {
      refusals += parent.ask { $0.limitsRefusing(.start, for: model, under: policy) }
      hasCredits = parent.ask { $0.available(for: model) } > 0
    }
    return refusals
  }

  /// Refuses a price that does not fit without overdraft.
  ///
  /// Also refuses a direct charge that may not begin.
  mutating func requireRoom(
    for price: Credits, _ work: WorkMeasure, isDirect: Bool,
    under policy: Policy
  ) throws(CreditError) {
    if !policy.allowsOverdraft {
      try requirePrice(price)
    } else if !isDirect {
      return
    }
    let refusals = limitsRefusing(
      policy.allowsOverdraft ? nil : price, work, isDirect: isDirect, for: model, under: policy)
    if refusals.isEmpty { return }
    throw CreditError(spendLimitsOf: own.account.name, refusals, price: price)
  }
}

/// Credits that may still be spent for an account that others pay for.
public struct ChainFunds: Equatable, Sendable {
  /// The last account of its chain, which pays the rest.
  public let payer: Name
  /// Credits that may be taken within credits and limits.
  public let available: Credits

  /// - Parameters:
  ///   - parents: the accounts above it, the nearest first.
  ///   - model: catalog id of the work's model.
  /// - Returns: nil for an account without parents.
  public static func of(
    _ account: Account, below parents: [Account], under policy: Policy, for model: Name? = nil
  ) -> ChainFunds? {
    guard let payer = parents.last?.name else { return nil }
    // No credits reach the accounts above an exempt one.
    let chain = [account] + parents
    let count = chain.firstIndex(where: \.isExempt).map { $0 + 1 } ?? chain.count
    if !account.isExempt, chain.contains(where: \.isClosed) {
      return ChainFunds(payer: payer, available: 0)
    }
    if count == 1 { return ChainFunds(payer: payer, available: account.available(for: model)) }
    var credits: Credits = 0
    var charged: Credits = 0
    var mostByLimits: Credits = .max
    for member in chain[..<count] {
      for view in member.limitViews(under: policy)
      where view.limit.covers(model) && !member.isExempt {
        // The member gets the credits that those below it cannot pay.
        mostByLimits = min(mostByLimits, credits.addingSaturating(view.remainingCredits ?? .max))
      }
      credits = credits.addingSaturating(max(0, member.available(for: model)))
      if !member.isExempt { charged = credits }
    }
    // Limits with room for all charged credits do not refuse waived ones.
    let isBound = mostByLimits < charged || !chain[count - 1].isExempt
    return ChainFunds(payer: payer, available: isBound ? min(credits, mostByLimits) : credits)
  }
}

// Holds along a chain.
extension OpenChain {
  func funds(under policy: Policy) -> ChainFunds? {
    if parents.isEmpty { return nil }
    return .of(own.account, below: parents.map(\.account), under: policy, for: model)
  }

  /// Returns an authorization with its hold.
  /// - Throws: `invalid_request`, `limit_exceeded`, `amount_out_of_range`.
  mutating func authorize(id: Name, hold credits: Credits?, expiresIn: TimeSpan, tags: Tags?)
    throws(CreditError) -> CreditAuthorization
  {
    guard let credits else { return try own.account.authorize(id, nil, tags: tags, for: model) }
    guard let expiresAt = HoldStep.expiry(after: expiresIn, from: own.account.updatedAt) else {
      throw CreditError(.invalidRequest, "the hold would expire after the year 9999")
    }
    var hold = CreditAuthorization.Hold(credits: credits, expiresAt: expiresAt)
    let parts = chargedParts(of: credits)
    if parts != [credits] {
      let names = [own.account.name] + paying.map(\.account.name)
      hold.heldBy = zip(names, parts).map { HeldShare(account: $0, credits: $1) }
    }
    let authorization = try own.account.authorize(id, hold, tags: tags, for: model)
    for (parent, place) in zip(paying, hold.heldBy.indices.dropFirst()) {
      try parent.hold(hold.part(place))
    }
    return authorization
  }

  /// Frees every part of a hold. The accounts that have one are open.
  mutating func release(_ authorization: CreditAuthorization) {
    own.account.release(authorization)
    guard let hold = authorization.hold, hold.expiresAt > own.account.updatedAt else { return }
    for place in hold.heldBy.indices.dropFirst() {
      above.account(hold.heldBy[place].account)?.release(hold.part(place))
    }
  }
}

extension Account {
  /// Authorizes the account itself, and sets aside its part of a hold.
  /// - Throws: `amount_out_of_range`, `limit_exceeded`.
  mutating func authorize(
    _ id: Name, _ hold: CreditAuthorization.Hold?, tags: Tags?, for model: Name?
  ) throws(CreditError) -> CreditAuthorization {
    if let hold { try setAside(hold.part(0)) }
    return CreditAuthorization(
      id: id, account: name, timestamp: updatedAt, hold: hold, tags: tags,
      model: hasScopedCredits ? model : nil)
  }

  mutating func release(_ authorization: CreditAuthorization) {
    if let hold = authorization.hold { release(hold.part(0)) }
  }
}
