internal import CreditJSON
internal import CreditModel

/// Finds the payment that a refused event is about.
enum EventSubject {
  /// The paths of a format: the first one with a value counts.
  private struct Places {
    var event: [String] = []
    var payment: [String]
    var account: [String]
    var amount: [String]
    var currency: [String]
  }

  /// The error, with as much of that as is there.
  /// - Parameter message: the id of the message, if its headers have one.
  static func named(_ error: CreditError, _ body: EventBody, _ message: Name?) -> CreditError {
    let places = places(of: body.source)
    guard let event = message?.text ?? text(places.event, body) else { return error }
    var subject = text(places.payment, body).map {
      PaymentChange(transaction: Name(trusted: $0), .linked)
    }
    subject?.account = try? body.account(places.account)
    if let currency = try? body.currency(places.currency) {
      subject?.currency = currency
      subject?.price = price(places.amount, in: currency, body)
    }
    return error.about(Name(trusted: event), subject)
  }

  private static func text(_ paths: [String], _ body: EventBody) -> String? {
    paths.lazy.compactMap { try? body.text([$0]) }.first
  }

  private static func price(_ paths: [String], in currency: String, _ body: EventBody) -> String? {
    // RevenueCat's is not in minor units.
    if body.source.format == .revenuecat {
      return paths.first.flatMap { body.value($0)?.exactDecimal }
        .map { $0.text(atLeast: Currency.minorDigits(of: currency)) }
    }
    return (try? body.amount(paths)).map { body.price($0, in: currency) }
  }

  private static func places(of source: PaymentSource) -> Places {
    switch source.format {
    case .stripe:
      Places(
        event: ["id"],
        payment: ["payment_intent.id", "payment_intent", "id"].map { "data.object." + $0 },
        account: ["client_reference_id", "metadata.account"].map { "data.object." + $0 },
        amount: ["amount_total", "amount_paid", "amount_received", "amount"]
          .map { "data.object." + $0 },
        currency: ["data.object.currency"])
    case .paddle:
      Places(
        event: ["event_id"], payment: ["data.transaction_id", "data.id"],
        account: ["data.custom_data.account"], amount: ["data.details.totals.total"],
        currency: ["data.currency_code"])
    case .standard:
      Places(
        payment: source.body.idFrom.isEmpty ? ["data.id"] : source.body.idFrom,
        account: ["data.metadata.account"], amount: source.body.amountFrom,
        currency: source.body.currencyFrom)
    case .revenuecat:
      Places(
        event: ["event.id"], payment: ["event.transaction_id"], account: ["event.app_user_id"],
        amount: ["event.price_in_purchased_currency"], currency: ["event.currency"])
    }
  }
}
