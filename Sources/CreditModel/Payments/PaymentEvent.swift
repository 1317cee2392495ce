/// How a payment provider signs its events, and what their bodies say.
package enum PaymentFormat: String, CaseIterable, Sendable {
  case stripe, paddle
  /// Standard Webhooks: what is signed is common, and the policy says what a body means.
  case standard
  case revenuecat
}

/// One event of a payment provider, however often it is delivered.
package struct PaymentEvent: Hashable, Sendable {
  package var format: PaymentFormat
  package var id: Name
  /// The provider's own word, such as `checkout.session.completed`.
  package var type: String
  /// When it happened, by the provider's word.
  package var at: Timestamp

  package init(format: PaymentFormat, id: Name, type: String, at: Timestamp) {
    self.format = format
    self.id = id
    self.type = type
    self.at = at
  }
}

/// What an event says about one payment.
package struct PaymentChange: Sendable {
  package enum Effect: Sendable {
    /// The purchase is completed, pending or failed. The reason is the provider's.
    case purchase(Transaction.Status, reason: String?)
    /// One refund, by its id.
    case refund(PaymentRefund)
    /// Total refunded so far, in minor units.
    case refunded(Int64)
    case dispute(PaymentDispute)
    /// What was paid is kept under these ids: what is said of the payment is said of each of them.
    case parts([Name])
    /// The subscription is over, unless it was paid further than the event says.
    case ended
  }

  /// The purchase's id: that of the payment; of an end the subscription's.
  package var transaction: Name
  /// Another id of the same payment, by which other events know it.
  package var alias: Name?
  /// The ids of payments that this purchase is a part of.
  package var wholePayments: [Name] = []
  package var account: Name?
  /// The product bought; nil if other events name it for the payment.
  package var product: Name?
  package var quantity: Int64 = 1
  /// Amount paid, in minor units of the currency; nil if the event lacks it.
  package var paid: Int64?
  /// Decimal text for the record.
  package var price: String?
  package var currency: String?
  /// How far a subscription is paid, or was when it ended; ignored for a product without a plan.
  package var period: PaidPeriod?
  /// The provider's id of the subscription, which all of its payments have in common.
  package var subscription: Name?
  /// True if a purchase lasts longer without another payment.
  package var isExtension = false
  /// True if an end ends all that began before it, however far that was paid.
  package var endsAtOnce = false
  package var effect: Effect

  package init(transaction: Name, _ effect: Effect) {
    self.transaction = transaction
    self.effect = effect
  }

  /// Whether it ends a subscription.
  var isEnd: Bool { if case .ended = effect { true } else { false } }

  /// True if it says that something was bought, or is to be.
  var isPurchase: Bool { if case .purchase = effect { true } else { false } }

  /// The ids of all payments that it is about.
  package var payments: [Name] {
    var ids = [transaction] + [alias].compactMap { $0 } + wholePayments
    if case .parts(let parts) = effect { ids += parts }
    return ids
  }
}

/// An event whose signature was verified, as a request of the gate's.
package struct PaymentRequest: Sendable {
  package var event: PaymentEvent
  /// Changes that it reports; empty if it is about nothing that grants credits.
  package var changes: [PaymentChange]
  /// The reason why it changes nothing, if that is not plain.
  package var reason: String?
  /// Paths where an account was looked for; a message lists them.
  package var accountPaths: [String] = []
  /// The paths at which a product was looked for.
  package var productPaths: [String] = []
  package var tags: Tags?
  package var time: Timestamp?

  package init(_ event: PaymentEvent, _ changes: [PaymentChange] = [], reason: String? = nil) {
    self.event = event
    self.changes = changes
    self.reason = reason
  }

  /// The reason of a sale that is not of this store.
  package static let notOurs = "not_ours"
  /// The reason of a transfer between a provider's customers.
  package static let notMoved = "not_moved"
}

/// The event, payment, account and money that an error is about.
package struct PaymentSubject {
  package var event: Name
  package var payment: Name?
  package var account: Name?
  /// Decimal text.
  package var price: String?
  package var currency: String?

  package init(event: Name) {
    self.event = event
  }

  package init(_ event: PaymentEvent, _ change: PaymentChange?) {
    self.event = event.id
    payment = change?.transaction
    account = change?.account
    (price, currency) = (change?.price, change?.currency)
  }

  /// The beginning of a sentence.
  fileprivate var text: String {
    let owner = account.map { " of \(quoted($0.text))" } ?? ""
    let money = price.flatMap { price in currency.map { ", \(price) \($0)" } } ?? ""
    var about = payment.map { "payment \(plainOrQuoted($0.text))\(owner)\(money)" } ?? ""
    if !about.isEmpty { about = " (\(about))" }
    return "event \(plainOrQuoted(event.text))\(about): "
  }
}

extension CreditError {
  /// The error, whose message begins with its subject.
  package func about(_ subject: PaymentSubject) -> CreditError {
    CreditError(code, subject.text + message, details)
  }
}
