internal import CreditModel

/// Sources: developer.paddle.com/webhooks/transactions/transaction-completed and
/// /webhooks/adjustments/adjustment-created, -updated: amounts are text in minor units, and a total
/// has its tax in it.
enum PaddleEvents {
  static func read(_ envelope: EventBody) throws(CreditError) -> PaymentRequest {
    let event = PaymentEvent(
      format: .paddle, id: try envelope.name("event_id"),
      type: try envelope.name("event_type").text, at: try envelope.time("occurred_at"))
    let body = try envelope.object("data")
    switch event.type {
    case "transaction.completed": return try completed(body, event)
    case "adjustment.created", "adjustment.updated": return try adjustment(body, event)
    // The plan lasts until its paid end; a refund is an adjustment.
    case "subscription.canceled": return PaymentRequest(event, reason: "still_paid")
    default: return PaymentRequest(event, reason: "no_payment")
    }
  }

  /// Each item of a transaction is a grant, under both ids.
  private static func completed(_ body: EventBody, _ event: PaymentEvent) throws(CreditError)
    -> PaymentRequest
  {
    let transaction = try body.name("id")
    let currency = try body.currency(["currency_code"])
    let paths = ["custom_data.account"]
    let subscription = try body.id("subscription_id")
    var period: PaidPeriod?
    if body.value("billing_period") != nil {
      period = PaidPeriod(
        until: try body.time("billing_period.ends_at"),
        since: try body.time("billing_period.starts_at"))
    }
    var request = PaymentRequest(event)
    request.accountPaths = body.accountPaths(paths, of: "data")
    for item in try body.parts("details.line_items") {
      var change = PaymentChange(
        transaction: try item.id(ofPart: "id", of: transaction),
        .purchase(.completed, reason: nil))
      change.product = try product(item, of: body)
      change.quantity = try body.quantity(of: item)
      change.account = try body.account(paths)
      (change.subscription, change.period) = (subscription, period)
      let amount = try item.amount(["totals.total"])
      change.paid = amount
      let tax = item.value("totals.tax") == nil ? 0 : try item.amount(["totals.tax"])
      change.price = body.price(body.source.excludesTax ? amount - tax : amount, in: currency)
      change.currency = currency
      request.changes.append(change)
    }
    return request
  }

  /// Returns the product by an item's price, or by the policy's paths.
  private static func product(_ item: EventBody, of body: EventBody) throws(CreditError) -> Name {
    let own = ["price_id"]
    if let product = try item.product(own) { return product }
    if let product = try body.product(own) { return product }
    throw item.wrong(item.productPaths(own).joined(separator: ", "))
  }

  /// The id of an item's chargebacks and their reversals. A reversal is a separate adjustment that
  /// does not name the chargeback: the later of the two is valid.
  private static let chargeback = Name(trusted: "chargeback")

  /// An approved adjustment gives back money of items, or takes it again.
  private static func adjustment(_ body: EventBody, _ event: PaymentEvent) throws(CreditError)
    -> PaymentRequest
  {
    let action = try body.name("action").text
    let status = try body.name("status").text
    let isReversal = action == "chargeback_reverse"
    let isRefund = action == "refund"
    guard isRefund || isReversal || action == "chargeback", status != "pending_approval" else {
      let other = action == "chargeback_warning" ? "inquiry" : "no_payment"
      return PaymentRequest(event, reason: status == "pending_approval" ? "pending" : other)
    }
    if isReversal, status != "approved" { return PaymentRequest(event, reason: "no_payment") }
    let transaction = try body.name("transaction_id")
    let adjustment = try body.name("id")
    // A later event of a chargeback does not make it a later chargeback.
    let hasTime = !isRefund && body.value("created_at") != nil
    let time = hasTime ? try body.time("created_at") : event.at
    let currency = try body.refundedCurrency(["currency_code"])
    var request = PaymentRequest(event)
    for item in try body.parts("items") {
      let amount = try item.amount(["totals.total", "amount"])
      let refund = PaymentRefund(
        id: isRefund ? adjustment : chargeback, amount: amount,
        isFailed: isReversal || status != "approved", at: time)
      var change = PaymentChange(
        transaction: try item.id(ofPart: "item_id", of: transaction), .refund(refund))
      change.currency = currency
      request.changes.append(change)
    }
    return request
  }
}
