internal import CreditModel

/// Events whose signature is that of Standard Webhooks. Their bodies have `type` in common, and
/// mostly `timestamp` and `data`; what they mean is the policy's to say.
///
/// Source: the Standard Webhooks specification (github.com/standard-webhooks/standard-webhooks).
enum StandardEvents {
  /// - Parameter message: the id of the message.
  static func read(_ root: JSONValue, _ message: Name?, of source: PaymentSource)
    throws(CreditError) -> PaymentRequest
  {
    let body = EventBody(root: root, object: root, source: source)
    let type = try body.name("type").text
    let members = source.body
    let id = try body.text(members.idFrom.isEmpty ? ["data.id"] : members.idFrom)
    let event = PaymentEvent(
      format: .standard, id: message ?? Name(trusted: id ?? type), type: type, at: try time(body))
    guard let meaning = members.types[type] else { return PaymentRequest(event) }
    guard let id else { throw body.wrong("data.id") }
    switch meaning {
    case .purchase, .subscription:
      var request = try purchase(body, event, .completed, Name(trusted: id))
      if meaning == .subscription { request.changes[0].period = try period(body) }
      return request
    case .end:
      var request = try purchase(body, event, nil, Name(trusted: id))
      request.changes[0].period = try period(body)
      return request
    case .pending: return try purchase(body, event, .pending, Name(trusted: id))
    case .failed: return try purchase(body, event, .failed, Name(trusted: id))
    case .refund:
      let amount = try body.amount(members.refundedFrom)
      var change = PaymentChange(transaction: Name(trusted: id), .refunded(amount))
      change.paid = try body.amount(members.amountFrom)
      return PaymentRequest(event, [change])
    }
  }

  private static func time(_ body: EventBody) throws(CreditError) -> Timestamp {
    for path in body.source.body.timeFrom + ["timestamp"] where body.value(path) != nil {
      return try body.time(path)
    }
    throw body.wrong("timestamp")
  }

  private static func period(_ body: EventBody) throws(CreditError) -> PaidPeriod {
    let paths = body.source.body.untilFrom
    let place = paths.first { body.value($0) != nil } ?? paths.first ?? ""
    return PaidPeriod(until: try body.time(place))
  }

  /// - Parameter status: nil for the end of what was bought.
  private static func purchase(
    _ body: EventBody, _ event: PaymentEvent, _ status: Transaction.Status?, _ id: Name
  ) throws(CreditError) -> PaymentRequest {
    let paths = ["data.metadata.account"]
    let products = ["data.metadata.product"]
    var change = PaymentChange(transaction: id, .ended)
    if let status {
      change.effect = .purchase(
        status, reason: status == .failed ? "the payment has failed" : nil)
    }
    change.product = try body.product(products)
    change.account = try body.account(paths)
    change.quantity = try body.quantity([])
    let members = body.source.body
    if status != nil, !members.amountFrom.isEmpty {
      let amount = try body.amount(members.amountFrom)
      if status == .completed { change.paid = amount }
      if !members.currencyFrom.isEmpty {
        let currency = try body.currency(members.currencyFrom)
        change.price = EventBody.price(amount, digits: Currency.minorDigits(of: currency))
        change.currency = currency
      }
    }
    var request = PaymentRequest(event, [change])
    request.accountPaths = body.accountPaths(paths)
    request.productPaths = body.productPaths(products)
    return request
  }
}
