extension Ledger {
  /// Authorizes an account to start. Refuses a balance less open holds of 0 or less; never deducts.
  ///
  /// Source: "authorize() fails when balance <= 0" (Murmur's plan, section 4).
  func authorize(_ request: AuthorizeRequest) throws(CreditError) -> GateResult {
    if let id = request.id, let entry = try books.authorization(id) {
      return try repeated(request, entry)
    }
    var chain = try openChain(request.account, at: request.time)
    let model =
      if let model = request.model { try policy.model(model, at: time(of: request.time)).id } else {
        Name?.none
      }
    chain.model = model
    let id = if let id = request.id { id } else { try newID(for: chain.own.account) }
    try chain.requireOpen()
    try chain.requireCredits(for: request.hold)
    let refusals = chain.limitsRefusing(request.hold, nil, for: model, under: policy)
    if !refusals.isEmpty {
      throw CreditError(spendLimitsOf: request.account, refusals, hold: request.hold)
    }
    let authorization = try chain.authorize(
      id: id, hold: request.hold, expiresIn: request.expiresIn ?? policy.holdExpiresIn,
      tags: request.tags)
    let funds = chain.funds(under: policy)
    let balance = chain.own.account.balance
    try record(.authorization(authorization), on: &chain.own, with: chain.above)
    return .authorization(authorization, balance: balance, isReplay: false).of(funds)
  }

  private func repeated(_ request: AuthorizeRequest, _ entry: AuthorizationEntry)
    throws(CreditError) -> GateResult
  {
    let first = entry.authorization
    try checkAccount(request.account, of: entry)
    let closed: CreditError? = if case .open = entry.state { nil } else { Self.closed(entry) }
    guard first.hold?.credits == request.hold else {
      let void = "credit-authorize \(shellFlag("void", first.id.text))"
      throw CreditError(
        .idempotencyConflict,
        "authorization \(quoted(first.id.text)) exists already with "
          + "\(first.hold.map { "a hold of \($0.credits)" } ?? "no hold"), not "
          + (request.hold?.description ?? "none") + (closed.map { "; \($0.message)" } ?? ""),
        closed?.details ?? [
          .account(first.account), .authorization(first),
          .hint(
            "; another hold needs another id: \(shellFlag("authorization", first.id.again.text)), "
              + "and if the first was wrong, \(void) gives it up"),
        ])
    }
    if let closed { throw closed }
    let chain = try openChain(request.account, at: request.time)
    note(entry.crossed)
    return .authorization(first, balance: chain.own.account.balance, isReplay: true)
      .of(chain.funds(under: policy))
  }

  /// Closes an open authorization without a charge, and frees its hold.
  func void(_ request: VoidRequest) throws(CreditError) -> GateResult {
    guard let entry = try books.authorization(request.id) else {
      throw Self.unknownAuthorization(request.id)
    }
    try checkAccount(request.account, of: entry)
    switch entry.state {
    case .voided:
      note(entry.crossed)
      return .voided(entry.authorization, isReplay: true)
    case .charged(let charge):
      throw Self.closed(entry).with(.hint("; credit-refund \(charge.reference) gives it back"))
    case .refunded: throw Self.closed(entry)
    case .open: break
    }
    var chain = try openChain(
      entry.authorization.account, at: request.time,
      with: entry.authorization.heldAbove.map(\.account), climbs: false)
    chain.release(entry.authorization)
    try record(.void(entry.authorization), on: &chain.own, with: chain.above)
    return .voided(entry.authorization, isReplay: false)
  }

  static func unknownAuthorization(_ id: Name) -> CreditError {
    CreditError(
      .unknownAuthorization, "no authorization \(quoted(id.text)) in the store",
      [.unknown(.authorization(id))])
  }

  /// Checks that a given account is the authorization's. The refusal does not reveal the owner.
  func checkAccount(_ account: Name?, of entry: AuthorizationEntry) throws(CreditError) {
    if let account, account != entry.authorization.account {
      throw CreditError(ofAnotherAccount: entry.authorization.id)
    }
  }

  static func closed(
    _ entry: AuthorizationEntry, for reference: ChargeRequest.Reference? = nil
  ) -> CreditError {
    let (end, charge, isUndone): (String, Charge?, Bool) =
      switch entry.state {
      case .charged(let charge): ("charged", charge, false)
      case .refunded(let charge, _): ("charged and refunded", charge, true)
      case .open, .voided: ("voided", nil, true)
      }
    let (id, account) = (entry.authorization.id, entry.authorization.account)
    let key = reference == nil ? charge?.key.map { " under the key \(quoted($0.text))" } : nil
    let hint =
      entry.partLeft?.hint ?? reference?.hint(in: account)
      ?? .hint("; new work needs a new id: \(shellFlag("authorization", id.again.text))")
    return CreditError(
      .authorizationClosed,
      "\(reference?.phrase ?? "authorization \(quoted(id.text))") has been \(end)\(key ?? "")"
        + (entry.partLeft?.text ?? reference?.advice ?? ""),
      [.account(account), .authorization(entry.authorization)]
        + (charge.map { [.receipt($0)] } ?? []) + (isUndone ? [hint] : []))
  }
}

extension AuthorizationEntry {
  /// The rest of a charge that was refunded in part: the ends of a message and a hint.
  public var partLeft: (text: String, hint: CreditError.Detail)? {
    guard case .refunded(let charge, let refund) = state,
      case let credits = charge.receipt.creditsCharged, refund.requested < credits
    else { return nil }
    return (
      " in part: \(credits - refund.requested) of its \(credits) credits are still charged",
      .hint("; to charge other work, first give them back: credit-refund \(charge.reference)")
    )
  }
}

extension CreditError {
  /// An authorization is not the account's that a request names.
  public init(ofAnotherAccount id: Name) {
    self.init(.idempotencyConflict, "authorization \(quoted(id.text)) belongs to another account")
  }
}

extension Account {
  /// Refuses an account whose credits free of holds do not cover a new hold. Without a hold, it
  /// needs at least one credit. An exempt account is never refused. The account pays for itself.
  /// - Parameter model: the model of the work; nil if it is not named.
  func requireCredits(for hold: Credits?, of model: Name?) throws(CreditError) {
    let available = available(for: model)
    if isExempt || available >= hold ?? 1 { return }
    var what = "account \(quoted(name.text)) has \(balance) credits"
    let others = [self].credits(beside: model)
    if let others { what += hint(of: others.credits, others.models) }
    if held > 0 { what += ", and \(held) are held already" }
    if let hold { what += ", too few for a hold of \(hold)" }
    let advice = others != nil && model == nil ? "name the model" : "top up to continue"
    throw CreditError(
      .insufficientCredits, "\(what); \(advice)",
      [.account(name), .balance(balance), .available(available)])
  }

  /// Describes credits for other models in a refusal, behind the balance that includes them.
  private func hint(of credits: Credits, _ models: String) -> String {
    if debt > 0 { return ", \(credits) \(models) less a debt of \(debt)" }
    return credits == balance ? " \(models)" : ", \(credits) of them \(models)"
  }
}

extension [Account] {
  /// Returns their credits for other models, and those models, for a refusal. Nil if they have no
  /// such credits.
  /// - Parameter model: the model of the work; nil if it is not named.
  func credits(beside model: Name?) -> (credits: Credits, models: String)? {
    let others = flatMap { $0.buckets.filter { !$0.pays(for: model) } }
    if others.isEmpty { return nil }
    let credits = others.reduce(0 as Credits) { $0.addingSaturating($1.credits) }
    var names: [String] = []
    for name in others.flatMap({ $0.grant?.models?.names ?? [] }).map({ quoted($0.text) })
    where !names.contains(name) { names.append(name) }
    let more = names.count > 3 ? " and \(names.count - 3) more" : ""
    return (credits, "for \(names.prefix(3).joined(separator: ", "))\(more) only")
  }
}

/// The pre-check that a charge refers to; its id is the charge's idempotency key. A class: its
/// record, its entry of the books and receipts share one.
public final class CreditAuthorization: Equatable, Sendable {
  public let id: Name
  public let account: Name
  public let timestamp: Timestamp
  /// Credits set aside, if any.
  public let hold: Hold?
  /// The tags of charges under it that have none of their own.
  public let tags: Tags?
  /// Catalog id of the requested model, if one was named.
  ///
  /// Nil unless the account had limits or credits for some models only.
  public let model: Name?

  public struct Hold: Equatable, Sendable {
    public var credits: Credits
    public var expiresAt: Timestamp
    /// The part that each account of its chain holds, its own first.
    ///
    /// Empty if its own account holds all of it.
    public var heldBy: [HeldShare] = []

    public init(credits: Credits, expiresAt: Timestamp) {
      self.credits = credits
      self.expiresAt = expiresAt
    }
  }

  public init(
    id: Name, account: Name, timestamp: Timestamp, hold: Hold? = nil, tags: Tags? = nil,
    model: Name? = nil
  ) {
    self.id = id
    self.account = account
    self.timestamp = timestamp
    self.hold = hold
    self.tags = tags
    self.model = model
  }

  public static func == (left: CreditAuthorization, right: CreditAuthorization) -> Bool {
    left.id == right.id && left.account == right.account && left.timestamp == right.timestamp
      && left.hold == right.hold && left.tags == right.tags && left.model == right.model
  }
}
