internal import CreditJSON
internal import CreditModel

extension RequestReader {
  func topUp(isStrict: Bool = false) throws(CreditError) -> GateRequest? {
    let account = try account()
    let transaction = try name("transaction", .transaction)
    let key = try name("key", .key)
    let product = try name("product", .product)
    let quantity = try integer("quantity", .quantity, in: 1...Int64.max)
    let credits = try integer("credits", .credits, in: -Credits.largestGrant...Credits.largestGrant)
    let kind = try choice("type", .grantType, Transaction.Kind.self)
    let status = try text("status", .paymentStatus)
    let reason = try reason()
    let price = try price(.price)
    let currency = try text("currency", .currency)
    let priority = try integer("priority", .priority, in: Grant.priorities)
    let start = try moment("startsAt", .startsAt, "startsIn", .startsIn)
    let expiry = try moment("expiresAt", .expiresAt, "expiresIn", .grantExpiresIn)
    let models = try models()
    let below = try integer("below", .grantBelow)
    let target = try integer("to", .grantTo, in: 0...Credits.largestGrant)
    let token = try text("appAccountToken", .appAccountToken)
    let tags = try tags()
    let otherToken = try storeKitMembers()
    let time = try time()
    if isListing { return nil }
    if token != nil || otherToken != nil {
      let name = token == nil ? "app_account_token" : "appAccountToken"
      throw .invalidRequest("\(name) needs a StoreKit transaction")
    }
    let request = TopUpRequest(
      account: account ?? .defaultAccount, reference: try reference(transaction, key),
      grant: try grant(product, quantity, credits, target), kind: kind ?? .purchase,
      status: try self.status(status), reason: reason, price: price, currency: currency,
      terms: StatedTerms(priority: priority, start: start, expiry: expiry, models: models),
      tags: tags, below: below, isStrict: isStrict, time: time)
    try check(request)
    return .topUp(request)
  }

  /// Visits a time that may also be given as a span.
  private func moment(
    _ time: MemberName, _ timeFlag: @autoclosure () -> TimeFlag,
    _ span: MemberName, _ spanFlag: @autoclosure () -> SpanFlag
  ) throws(CreditError) -> StatedTerms.Moment? {
    switch (try self.time(time, timeFlag()), try self.span(span, spanFlag())) {
    case (let instant?, nil): return .at(instant)
    case (nil, let span?): return .after(span)
    case (nil, nil): return nil
    case (_?, _?): throw .invalidRequest("a top-up takes \(time.text) or \(span.text), not both")
    }
  }

  private func check(_ request: TopUpRequest) throws(CreditError) {
    if let currency = request.currency, !CurrencyCode.isValid(currency) {
      let usual = ["US": "USD", "$": "USD", "EURO": "EUR", "€": "EUR"]
      let code = usual[currency.uppercased()] ?? currency.uppercased()
      throw .invalidRequest(
        "currency \(CurrencyCode.problem), not \(quoted(currency))"
          + (CurrencyCode.isValid(code) ? "; did you mean \(code)?" : ""))
    }
    if request.kind == .subscription, case .credits = request.grant {
      throw .invalidRequest("a subscription needs a product that has a plan")
    }
    if !request.terms.isEmpty, request.kind == .adjustment {
      throw .invalidRequest(
        "only a purchase or a bonus may have priority, start, expiry or models, not an adjustment")
    }
    // A negative adjustment takes credits: that has a reason, and no other condition.
    guard case .credits(let credits) = request.grant, credits <= 0 else { return }
    guard credits < 0, request.kind == .adjustment else {
      throw .invalidRequest(
        "credits must be 1 or more, not \(credits); to take credits away: --type adjustment "
          + "--credits -N --reason TEXT")
    }
    if request.reason == nil {
      throw .invalidRequest("an adjustment that takes credits away needs a reason: --reason TEXT")
    }
    if request.below != nil {
      throw .invalidRequest("an adjustment that takes credits away cannot have below")
    }
  }

  private func status(_ text: String?) throws(CreditError) -> Transaction.Status {
    guard let text else { return .completed }
    guard let status = Transaction.Status(rawValue: text), status != .refunded,
      status != .scheduled
    else {
      throw .invalidRequest(
        "status must be one of pending, completed, failed; credit-refund refunds"
          + NearestNames.question(text, among: ["pending", "completed", "failed"]))
    }
    return status
  }

  private func reference(_ transaction: Name?, _ key: Name?) throws(CreditError)
    -> TopUpRequest.Reference
  {
    switch (transaction, key) {
    case (let id?, nil): return .transaction(id)
    case (nil, let key?): return .key(key)
    case (nil, nil):
      throw .invalidRequest(
        "a top-up needs a transaction or a key, so that a retry can't credit twice")
    case (_?, _?): throw .invalidRequest("a top-up takes a transaction or a key, not both")
    }
  }

  private func grant(
    _ product: Name?, _ quantity: Int64?, _ credits: Credits?, _ target: Credits?
  ) throws(CreditError) -> TopUpRequest.Grant {
    if let target {
      if credits != nil { throw .invalidRequest("a top-up takes credits or to, not both") }
      if quantity != nil { throw .invalidRequest("a top-up takes quantity or to, not both") }
      return .target(target, product: product)
    }
    switch (product, credits) {
    case (let product?, nil): return .product(product, quantity: quantity ?? 1)
    case (nil, let credits?):
      if quantity ?? 1 != 1 { throw .invalidRequest("quantity needs a product") }
      return .credits(credits)
    case (nil, nil): throw .invalidRequest("a top-up needs a product, credits or to")
    case (_?, _?): throw .invalidRequest("a top-up takes a product or credits, not both")
    }
  }
}

/// The flags of `credit-topup` alone that its requests are made of.
extension Flag {
  static let product = TextFlag(
    "product", "ID", .name(.product), group: .request,
    "What was bought: a product of the catalog")

  static let quantity = NumberFlag(
    "quantity", "N", group: .request,
    "How many of the product: 1 if not given")

  static let credits = NumberFlag(
    "credits", "N", group: .request,
    "How many credits, if no product is given")

  static let grantType = TextFlag(
    "type", "TYPE", .choice(["purchase", "subscription", "bonus", "adjustment"]), group: .request,
    "What the credits are: purchase if not given")

  static let paymentStatus = TextFlag(
    "status", "STATUS", .choice(["completed", "pending", "failed"]), group: .request,
    "The state of the payment: completed if not given")

  static let price = TextFlag(
    "price", "DECIMAL", group: .request,
    "What was paid, for the record: 9.99")

  static let currency = TextFlag(
    "currency", "CODE", group: .request,
    "The currency of the price, for the record: USD")

  static let expiresAt = TimeFlag(
    "expires-at", group: .request,
    "When the credits expire, or a subscription's paid period ends")

  static let grantExpiresIn = SpanFlag(
    "expires-in", group: .request,
    "When the credits expire, from their start: 30d")

  static let startsAt = TimeFlag("starts-at", group: .request, "When the credits can first be used")

  static let startsIn = SpanFlag(
    "starts-in", group: .request,
    "When the credits can first be used, from now: 7d")

  static let priority = NumberFlag(
    "priority", "N", group: .request,
    "Lower is used first: 0 to 100, 50 if not given")

  static let grantModels = TextFlag(
    "models", "ID,...", .list([]), group: .request,
    "The models that the credits are for: all if not given")

  static let grantBelow = NumberFlag(
    "below", "N", group: .request, "Grant only if the balance is below N")

  static let grantTo = NumberFlag(
    "to", "N", .notNegative, group: .request,
    "Grant what is missing to a balance of N")

  static let appAccountToken = TextFlag(
    "app-account-token", "UUID", group: .request,
    "The token that a StoreKit transaction must carry")

  static let strict = Switch("strict", group: .action, "Refuse a repeat with duplicate_transaction")

  static let storeKit = Switch(
    "storekit", group: .action, "Accept only StoreKit's own transactions")
}
