internal import CreditJSON
internal import CreditModel

/// Source: revenuecat.com/docs/integrations/webhooks/event-types-and-fields: prices are decimal
/// numbers, negative ones of refunds; `tax_percentage` is a share, up to 1; times are in
/// milliseconds.
enum RevenueCatEvents {
  static func read(_ envelope: EventBody) throws(CreditError) -> PaymentRequest {
    let body = try envelope.object("event")
    let event = PaymentEvent(
      format: .revenuecat, id: try body.name("id"), type: try body.name("type").text,
      at: try body.milliseconds("event_timestamp_ms"))
    // A transfer may lack its environment, and has no effect.
    if event.type == "TRANSFER" { return PaymentRequest(event, reason: PaymentRequest.notMoved) }
    if body.source.isLiveOnly, event.type != "TEST", try body.text(["environment"]) != "PRODUCTION"
    {
      throw EventRejection.wrongMode.error(of: nil)
    }
    switch event.type {
    case "NON_RENEWING_PURCHASE", "INITIAL_PURCHASE", "RENEWAL":
      return try purchase(body, event)
    case "SUBSCRIPTION_EXTENDED": return try purchase(body, event, isExtension: true)
    case "CANCELLATION":
      // Other reasons end the next period, and give no money back.
      guard try body.text(["cancel_reason"]) == "CUSTOMER_SUPPORT" else {
        return PaymentRequest(event, reason: "still_paid")
      }
      // It states that everything was given back, not how much.
      return try refund(body, event, isTaken: true)
    case "REFUND_REVERSED": return try refund(body, event, isTaken: false)
    case "EXPIRATION": return try expiration(body, event)
    default: return PaymentRequest(event, reason: event.type == "TEST" ? "test" : "no_payment")
    }
  }

  /// The id of a purchase's refunds and their reversals. A reversal does not name the refund: the
  /// later of the two is valid.
  private static let refund = Name(trusted: "refund")

  private static func refund(_ body: EventBody, _ event: PaymentEvent, isTaken: Bool)
    throws(CreditError) -> PaymentRequest
  {
    let refund = PaymentDispute(id: refund, isTaken: isTaken, at: event.at)
    return PaymentRequest(
      event, [PaymentChange(transaction: try body.name("transaction_id"), .dispute(refund))])
  }

  /// - Parameter isExtension: whether a purchase that was paid before lasts longer.
  private static func purchase(
    _ body: EventBody, _ event: PaymentEvent, isExtension: Bool = false
  ) throws(CreditError) -> PaymentRequest {
    if body.value("is_family_share")?.bool == true {
      return PaymentRequest(event, reason: PaymentRequest.familyShared)
    }
    guard let product = try body.product(["product_id"]) else {
      throw body.wrong("event.product_id")
    }
    var change = PaymentChange(
      transaction: try body.name("transaction_id"), .purchase(.completed, reason: nil))
    change.product = product
    change.account = try body.account(accounts)
    change.quantity = try body.quantity([])
    change.period = try period(body)
    if change.period != nil { change.subscription = try body.id("original_transaction_id") }
    change.isExtension = isExtension
    if isExtension, change.period == nil { throw body.wrong("expiration_at_ms") }
    // An extension may lack the earlier price.
    let price = "price_in_purchased_currency"
    if !isExtension || body.value(price) != nil {
      guard let amount = body.value(price)?.exactDecimal else { throw body.wrong(price) }
      let currency = try body.currency(["currency"])
      let digits = Currency.minorDigits(of: currency)
      change.price = try booked(of: amount, digits: digits, body).text(atLeast: digits)
      change.currency = currency
    }
    return request(change, body, event)
  }

  /// Returns the price that is recorded: all, or without the part that RevenueCat estimates as tax,
  /// rounded half to even.
  private static func booked(of paid: ExactDecimal, digits: Int, _ body: EventBody)
    throws(CreditError) -> ExactDecimal
  {
    let path = "tax_percentage"
    guard body.source.excludesTax, let value = body.value(path) else { return paid }
    guard let tax = value.exactDecimal, (.zero...ExactDecimal.one).contains(tax),
      let net = ExactDecimal.one.adding(tax.negated).flatMap({ paid.times($0) })
    else { throw body.wrong(path) }
    return net.roundedHalfToEven(places: digits)
  }

  private static let accounts = ["app_user_id"]

  private static func request(_ change: PaymentChange, _ body: EventBody, _ event: PaymentEvent)
    -> PaymentRequest
  {
    var request = PaymentRequest(event, [change])
    request.accountPaths = body.accountPaths(accounts, of: "event")
    return request
  }

  // MARK: Subscriptions

  /// Returns the paid period; nil for a purchase that does not expire.
  private static func period(_ body: EventBody) throws(CreditError) -> PaidPeriod? {
    guard body.value("expiration_at_ms") != nil else { return nil }
    let since =
      body.value("purchased_at_ms") == nil ? nil : try body.milliseconds("purchased_at_ms")
    return PaidPeriod(until: try body.milliseconds("expiration_at_ms"), since: since)
  }

  private static func expiration(_ body: EventBody, _ event: PaymentEvent) throws(CreditError)
    -> PaymentRequest
  {
    let subscription = try body.id("original_transaction_id", "transaction_id")
    guard let subscription else { throw body.wrong("event.original_transaction_id") }
    var change = PaymentChange(transaction: subscription, .ended)
    change.account = try body.account(accounts)
    change.subscription = subscription
    change.product = try body.product(["product_id"])
    change.period = try period(body)
    // A developer or a store may end it before.
    change.endsAtOnce = true
    return request(change, body, event)
  }
}
