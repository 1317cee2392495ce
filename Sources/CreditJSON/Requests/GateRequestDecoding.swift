package import CreditModel

/// The requests of the tools that write.
extension RequestReader {
  /// - Parameter namesModel: whether `model` is that of the work to be authorized.
  package func authorizeRequest(under policy: Policy, namesModel: Bool = true)
    throws(CreditError) -> GateRequest
  {
    let account = try account()
    let id = try name("authorization")
    let hold = try integer("hold", in: 1...Int64.max)
    let expiresIn = try span("expiresIn")
    let time = try time(under: policy)
    let model = namesModel ? try name("model") : nil
    let tags = try tags()
    if expiresIn != nil, hold == nil { throw Self.invalid("expiresIn goes with hold") }
    return .authorize(
      AuthorizeRequest(
        account: account, id: id, hold: hold, expiresIn: expiresIn, model: model, tags: tags,
        time: time))
  }

  /// - Parameters:
  ///   - isArrears: whether the work is done and only has to be billed.
  ///   - amends: whether other work under the same reference corrects the charge.
  package func chargeRequest(under policy: Policy, isArrears: Bool = false, amends: Bool = false)
    throws(CreditError) -> GateRequest
  {
    let billed = try billedUsage(under: policy.priceRules)
    let reference = try chargeReference(of: billed.batch)
    return .charge(
      ChargeRequest(
        reference: reference, model: billed.model, usage: billed.usage,
        reportedUSD: billed.reportedUSD, costIsNegative: billed.costIsNegative,
        remarks: billed.remarks, usedAt: try time("usedAt"),
        tags: try tags(customID: billed.batch?.customID), isArrears: isArrears, amends: amends,
        time: try time(under: policy)))
  }

  /// - Parameter batch: the line of a batch's results that the response is on.
  private func chargeReference(of batch: BatchLine?) throws(CreditError)
    -> ChargeRequest.Reference
  {
    let account = try name("account", limit: Name.accountLimit)
    if let reference = try authorizationReference() {
      if let account, let owner = reference.account, account != owner {
        throw CreditError(ofAnotherAccount: reference.id)
      }
      return .authorization(reference.id, account: account ?? reference.account)
    }
    var key = try name("key")
    if key == nil { key = try batch?.key() }
    guard let key else {
      throw Self.invalid(
        "a charge needs an authorization, or a key that makes it once, so that a retry can't "
          + "charge twice")
    }
    return .key(key, account: account ?? .defaultAccount)
  }

  package func topUpRequest(under policy: Policy, isStrict: Bool) throws(CreditError)
    -> GateRequest
  {
    for key in StoreKitForm.accountTokens where try text(key) != nil {
      throw Self.invalid("\(key) goes with a transaction of StoreKit's")
    }
    var request = TopUpRequest(
      account: try account(), reference: try topUpReference(), grant: try grant(),
      time: try time(under: policy))
    request.kind = try choice("type", Transaction.Kind.self) ?? .purchase
    request.status = try topUpStatus()
    request.reason = try note("reason")
    request.tags = try tags()
    request.price = try price()
    request.currency = try text("currency")
    if let currency = request.currency, !CurrencyCode.isValid(currency) {
      throw Self.invalid("currency \(CurrencyCode.problem)")
    }
    request.terms = try terms()
    if request.kind == .subscription, case .credits = request.grant {
      throw Self.invalid("a subscription needs a product that has a plan")
    }
    if !request.terms.isEmpty, request.kind == .adjustment {
      throw Self.invalid(
        "an adjustment has no priority, start, expiry or models: a purchase or a bonus may")
    }
    request.below = try integer("below", in: Int64.min...Int64.max)
    try check(request)
    request.isStrict = isStrict
    return .topUp(request)
  }

  /// A negative adjustment takes credits: that has a reason, and no other condition.
  private func check(_ request: TopUpRequest) throws(CreditError) {
    guard case .credits(let credits) = request.grant, credits <= 0 else { return }
    guard credits < 0, request.kind == .adjustment else {
      throw Self.invalid(
        "credits must be from 1 to \(Credits.largestGrant); only an adjustment may take some")
    }
    if request.reason == nil { throw Self.invalid("a negative adjustment needs a reason") }
    if request.below != nil { throw Self.invalid("a negative adjustment takes no below") }
  }

  private func topUpStatus() throws(CreditError) -> Transaction.Status {
    guard let text = try text("status") else { return .completed }
    guard let status = Transaction.Status(rawValue: text), status != .refunded,
      status != .scheduled
    else {
      throw Self.invalid("status must be one of pending, completed, failed; credit-refund refunds")
    }
    return status
  }

  private func topUpReference() throws(CreditError) -> TopUpRequest.Reference {
    switch (try name("transaction"), try name("key")) {
    case (let id?, nil): return .transaction(id)
    case (nil, let key?): return .key(key)
    case (nil, nil):
      throw Self.invalid(
        "a top-up needs a transaction or a key, so that a retry can't credit twice")
    case (_?, _?):
      throw Self.invalid("a top-up takes a transaction or a key, not both")
    }
  }

  private func grant() throws(CreditError) -> TopUpRequest.Grant {
    let product = try name("product")
    let quantity = try integer("quantity", in: 1...Int64.max)
    let credits = try integer("credits", in: -Credits.largestGrant...Credits.largestGrant)
    if let target = try integer("to", in: 0...Credits.largestGrant) {
      if credits != nil { throw Self.invalid("a top-up takes credits or to, not both") }
      if quantity != nil { throw Self.invalid("a top-up takes quantity or to, not both") }
      return .target(target, product: product)
    }
    switch (product, credits) {
    case (let product?, nil):
      return .product(product, quantity: quantity ?? 1)
    case (nil, let credits?):
      if quantity ?? 1 != 1 { throw Self.invalid("quantity goes with product") }
      return .credits(credits)
    case (nil, nil):
      throw Self.invalid("a top-up needs a product, credits or to")
    case (_?, _?):
      throw Self.invalid("a top-up takes a product or credits, not both")
    }
  }

  /// Decimal text, or a number whose digits are kept as they are.
  func price() throws(CreditError) -> String? {
    guard let number = member("price"), number.kind == .number else {
      guard let price = try text("price") else { return nil }
      guard ExactDecimal(text: price) != nil, price.utf8.count <= 40 else {
        throw Self.invalid("price must be decimal text, such as \"9.99\"")
      }
      return price
    }
    guard ExactDecimal(text: number.raw) != nil, number.raw.count <= 40 else {
      throw Self.invalid("price must be a decimal number that is not negative")
    }
    let digits = String(decoding: number.raw, as: UTF8.self)
    if case .text(let flag) = flags["price"], flag != digits { throw disagreement("price") }
    return digits
  }

  /// A remark for people: at most 1,024 bytes.
  private func note(_ key: StaticString) throws(CreditError) -> String? {
    try name(key, limit: 1024)?.text
  }

  package func refundRequest(under policy: Policy) throws(CreditError) -> GateRequest {
    let reference: RefundRequest.Reference
    var account = try name("account", limit: Name.accountLimit)
    let authorization = try authorizationReference()
    // As with charges, a key beside an authorization is passed over.
    let key = authorization == nil ? try name("key") : nil
    switch (try name("transaction"), authorization, key) {
    case (let id?, nil, nil): reference = .transaction(id)
    case (nil, let charge?, _):
      if let account, let owner = charge.account, account != owner {
        throw CreditError(ofAnotherAccount: charge.id)
      }
      account = account ?? charge.account
      reference = .authorization(charge.id)
    case (nil, nil, let key?): reference = .key(key, account: account ?? .defaultAccount)
    case (nil, nil, nil):
      throw Self.invalid(
        "a refund needs the transaction, or the authorization or key of the charge, to give back")
    case (_?, _, _):
      throw Self.invalid("a refund takes a transaction, an authorization or a key, not two of them")
    }
    let credits = try integer("credits", in: 1...Int64.max)
    let price = try price().flatMap(ExactDecimal.init(text:))
    if price != nil {
      guard case .transaction = reference else {
        throw Self.invalid("price goes with transaction: a charge was paid in credits")
      }
    }
    var request = RefundRequest(
      reference: reference, account: account, credits: credits, price: price,
      reason: try note("reason"), time: try time(under: policy))
    request.isUnused = try bool("unused") ?? false
    if request.isUnused {
      guard case .transaction = reference, credits == nil else {
        throw Self.invalid("unused goes with transaction, and not with credits")
      }
    }
    return .refund(request)
  }

  package func transferRequest(under policy: Policy) throws(CreditError) -> GateRequest {
    guard let from = try name("from", limit: Name.accountLimit),
      let to = try name("to", limit: Name.accountLimit),
      let credits = try integer("credits", in: 1...Credits.largestGrant)
    else { throw Self.invalid("a transfer needs from, to and credits") }
    guard let key = try name("key") else {
      throw Self.invalid("a transfer needs a key, so that a retry can't give twice")
    }
    return .transfer(
      TransferRequest(
        from: from, to: to, credits: credits, key: key, reason: try note("reason"),
        time: try time(under: policy)))
  }

  package func accountRequest(under policy: Policy) throws(CreditError) -> GateRequest {
    var plan: AccountRequest.Change?
    if let id = try name("plan") { plan = id.text == "none" ? .remove : .set(id) }
    var request = AccountRequest(
      account: try account(), plan: plan, isExempt: try bool("exempt"),
      isClosed: try bool("closed"), time: try time(under: policy))
    if let name = try name("parent", limit: Name.accountLimit) {
      request.parent = name.text == "none" ? .remove : .set(name)
    }
    if let name = try name("group") {
      if let problem = ProductGroup.problem(with: name.text) {
        throw Self.invalid("group \(problem)")
      }
      request.group = name.text == ProductGroup.none ? .remove : .set(name)
    }
    request.limits = try limits()
    request.limitUntil = try time("limitUntil")
    if request.limitUntil != nil, request.limits.isEmpty {
      throw Self.invalid("limitUntil goes with limits")
    }
    return .account(request)
  }

  package func voidRequest(_ id: Name, under policy: Policy) throws(CreditError) -> GateRequest {
    let account = try name("account", limit: Name.accountLimit)
    return .void(VoidRequest(id: id, account: account, time: try time(under: policy)))
  }

  /// The account that a listing or a balance is for.
  package func accountName() throws(CreditError) -> Name { try account() }

  package func balanceModel() throws(CreditError) -> Name? { try name("model") }
}

extension JSONShape {
  /// A request for `credit-charge`.
  package static var chargeRequest: JSONShape {
    .object([
      .text("account"), .text("key"), .text("model"), JSONMember("usage", .any),
      .decimal("reportedUSD").optional, .list("unread", of: .value(.text)).optional,
      .truth("partial").optional, .time("usedAt").optional,
      JSONMember("tags", TagMap.shape).optional,
    ])
  }
}

/// Which authorization a request is about.
package struct AuthorizationReference: Hashable, Sendable {
  package let id: Name
  /// Its account, if the request names one.
  package let account: Name?

  package init(id: Name, account: Name? = nil) {
    self.id = id
    self.account = account
  }

  /// Reads an id, or the object that `credit-authorize` returned.
  /// - Throws: `invalid_request`.
  package init(_ value: JSONValue) throws(CreditError) {
    if let id = value.string {
      self.init(id: try RequestReader.name(id, "authorization"))
      return
    }
    guard value.isObject, let id = value.string("id") else {
      throw RequestReader.invalid(
        "authorization must be an id, as text, or an object that has one")
    }
    var account: Name?
    if let owner = value.member("account") {
      guard let owner = owner.string else {
        throw RequestReader.invalid("account in authorization must be text")
      }
      account = try RequestReader.name(owner, "account", limit: Name.accountLimit)
    }
    self.init(id: try RequestReader.name(id, "authorization"), account: account)
  }
}

extension RequestReader {
  /// Returns the authorization of the request and the flag: they must not contradict each other.
  func authorizationReference() throws(CreditError) -> AuthorizationReference? {
    var flag: AuthorizationReference?
    if case .authorization(let reference) = flags["authorization"] { flag = reference }
    guard let member = member("authorization") else {
      if let flag { _ = try Self.name(flag.id.text, "authorization") }
      return flag
    }
    let given = try AuthorizationReference(member)
    guard let flag else { return given }
    let account = flag.account ?? given.account
    guard flag.id == given.id, account == given.account ?? account else {
      throw disagreement("authorization")
    }
    return AuthorizationReference(id: given.id, account: account)
  }
}

// The members of a top-up that make it a grant.
extension RequestReader {
  /// The terms that make a top-up a grant.
  func terms() throws(CreditError) -> StatedTerms {
    StatedTerms(
      priority: try integer("priority", in: Grant.priorities),
      start: try moment("startsAt", "startsIn"), expiry: try moment("expiresAt", "expiresIn"),
      models: try models())
  }

  private func moment(_ time: StaticString, _ span: StaticString) throws(CreditError)
    -> StatedTerms.Moment?
  {
    switch (try self.time(time), try self.span(span)) {
    case (let instant?, nil): return .at(instant)
    case (nil, let span?): return .after(span)
    case (nil, nil): return nil
    case (_?, _?): throw Self.invalid("a top-up takes \(time) or \(span), not both")
    }
  }

  /// Ids of models, or beginnings of ids: a list in a request, parted by commas in a flag.
  private func models() throws(CreditError) -> ModelPatterns? {
    var flag: ModelPatterns?
    if case .text(let text) = flags["models"] {
      let texts = text.split(separator: ",", omittingEmptySubsequences: false)
      flag = try Self.models(texts.map(String.init))
    }
    guard let member = member("models") else { return flag }
    var texts: [String] = []
    for element in member.elements {
      guard let text = element.string else { throw Self.invalid("models must be a list of texts") }
      texts.append(text)
    }
    if member.kind != .array { throw Self.invalid("models must be a list of texts") }
    let given = try Self.models(texts)
    if let flag, flag != given { throw disagreement("models") }
    return given
  }

  private static func models(_ texts: [String]) throws(CreditError) -> ModelPatterns {
    do throws(ModelPatterns.Problem) {
      return try ModelPatterns(texts)
    } catch {
      throw invalid("models \(error.text)")
    }
  }
}
