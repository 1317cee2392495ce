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
  static func named(
    _ error: CreditError, _ root: JSONValue, _ message: Name?, of source: PaymentSource
  ) -> CreditError {
    let body = EventBody(root: root, object: root, source: source)
    let places = places(of: source)
    guard let event = message?.text ?? text(places.event, body) else { return error }
    var subject = text(places.payment, body).map {
      PaymentChange(transaction: Name(trusted: $0), .parts([]))
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
    guard let amount = try? body.amount(paths) else { return nil }
    let digits =
      body.source.format == .stripe
      ? StripeEvents.digits(of: currency) : Currency.minorDigits(of: currency)
    return EventBody.price(amount, digits: digits)
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

extension CreditError {
  /// Refuses an invoice of more lines than its event has.
  /// - Parameter line: the last of those, for the command that grants it.
  init(cutInvoice invoice: PaymentChange, after line: PaymentChange?) {
    let count = line.map { $0.quantity > 1 && $0.period == nil ? " --quantity \($0.quantity)" : "" }
    let until = line?.period.map { ", for a plan with --expires-at \($0.until.text)" } ?? ""
    self.init(
      .invalidRequest,
      "the invoice has more lines than the event says; nothing was granted; credit-topup --account "
        + "\(shellWord(line?.account?.text ?? "NAME")) --transaction "
        + "\(shellWord(invoice.transaction.text)) --product "
        + "\(shellWord(line?.product?.text ?? "ID"))\(count ?? "")\(invoice.moneyFlags) grants it"
        + until,
      [.path("lines.has_more")])
  }
}
