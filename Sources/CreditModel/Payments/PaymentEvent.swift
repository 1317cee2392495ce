/// A payment provider's format of signatures and bodies.
public enum PaymentFormat: String, CaseIterable, Sendable {
  case stripe, paddle
  /// Standard Webhooks: the signature is common, and the policy defines the body.
  case standard
  case revenuecat
}

/// One event of a payment provider, however often it is delivered.
public struct PaymentEvent: Equatable, Sendable {
  public var format: PaymentFormat
  public var id: Name
  /// The provider's name of it, such as `checkout.session.completed`.
  public var type: String
  /// Its time at the provider.
  public var at: Timestamp

  public init(format: PaymentFormat, id: Name, type: String, at: Timestamp) {
    self.format = format
    self.id = id
    self.type = type
    self.at = at
  }
}

/// The news of one payment in an event.
public struct PaymentChange: Sendable {
  public enum Effect: Sendable {
    /// The purchase is completed, pending or failed. The reason is the provider's.
    case purchase(Transaction.Status, reason: String?)
    /// One refund, by its id.
    case refund(PaymentRefund)
    /// Total refunded so far, in minor units.
    case refunded(Int64)
    case dispute(PaymentDispute)
    /// The payment is kept under these ids: news of it applies to each of them.
    case parts([Name])
    /// Time of the product that a change of plans leaves unused, whose price comes back.
    case unused
    /// The subscription is over, unless it was paid further than the event states.
    case ended
  }

  /// The purchase's id: that of the payment; of an end the subscription's.
  public var transaction: Name
  /// Another id of the same payment, used by other events.
  public var alias: Name?
  /// The ids of payments that this purchase is a part of.
  public var wholePayments: [Name] = []
  public var account: Name?
  /// The product bought; nil if other events name it for the payment.
  public var product: Name?
  public var quantity: Int64 = 1
  /// Amount paid, in minor units of the currency; nil if the event lacks it.
  public var paid: Int64?
  /// Decimal text for the record.
  public var price: String?
  /// Of the purchase or the refund.
  public var currency: String?
  /// The amount of all items before discounts and taxes; nil if the event lacks it.
  public var listAmount: ExactDecimal?
  /// The paid end of a subscription, or the end at which it stopped; ignored for a product without
  /// a plan.
  public var period: PaidPeriod?
  /// The provider's id of the subscription, which all of its payments have in common.
  public var subscription: Name?
  /// True if a purchase lasts longer without another payment.
  public var isExtension = false
  /// True if an end applies to all payments that began before it.
  public var endsAtOnce = false
  /// True if an end applies to the whole subscription, with all products that it has had.
  public var endsAllProducts = false
  /// True for an invoice of more lines than its event has: only a person can grant it.
  public var isCut = false
  /// Whether a purchase that is not known yet may need to find it.
  public var mayBeFirst = true
  /// True for a part of a period, after a change of plans.
  public var isProrated = false
  /// Credits of such a part, in place of the product's; of unused time those to take back.
  var credits: Credits?
  public var effect: Effect

  public init(transaction: Name, _ effect: Effect) {
    self.transaction = transaction
    self.effect = effect
  }

  var isEnd: Bool { if case .ended = effect { true } else { false } }

  /// True if it reports a purchase, completed or not.
  public var isPurchase: Bool { if case .purchase = effect { true } else { false } }

  /// True if it reports money that was paid for a purchase.
  public var isCompleted: Bool {
    if case .purchase(.completed, _) = effect { true } else { false }
  }

  /// True if money is here again that was paid back.
  var isMoneyBack: Bool {
    switch effect {
    case .dispute(let dispute): !dispute.isTaken
    case .refund(let refund): refund.isFailed
    default: false
    }
  }

  public var isUnused: Bool { if case .unused = effect { true } else { false } }

  /// Returns the changes of a purchase that a person may enter under another id of its payment.
  public func kept(under other: Name?) -> [PaymentChange] {
    guard let other, other != transaction else { return [self] }
    var change = self
    change.wholePayments.append(other)
    return [change, PaymentChange(transaction: other, .parts([transaction]))]
  }

  /// The top-up by hand that grants it, with its price if that is known.
  var topUpCommand: String {
    let price = price.flatMap { price in currency.map { " --price \(price) --currency \($0)" } }
    return "credit-topup \(shellFlag("account", account?.text ?? "NAME")) --transaction "
      + "\(shellWord(transaction.text)) --product \(shellWord(product?.text ?? "ID"))\(price ?? "")"
  }

  /// The ids of all payments that it concerns.
  public var payments: [Name] {
    var ids = [transaction] + [alias, subscription].compactMap { $0 } + wholePayments
    if case .parts(let parts) = effect { ids += parts }
    return ids
  }
}

/// An event whose signature was verified, as a request to the gate.
public struct PaymentRequest: Sendable {
  public var event: PaymentEvent
  /// The changes that it reports; empty if it has no effect on credits.
  public var changes: [PaymentChange]
  /// Why it has no effect, if it has none.
  public var reason: String?
  /// Paths at which an account was searched; a message lists them.
  public var accountPaths: [String] = []
  /// Other paths at which the event has a name or a number, if none of those has one.
  public var otherAccountPaths: [String] = []
  /// Paths at which a product was searched.
  public var productPaths: [String] = []
  /// The account of the command line, which is the operator's word.
  public var account: Name?
  public var tags: Tags?
  public var time: Timestamp?

  public init(_ event: PaymentEvent, _ changes: [PaymentChange] = [], reason: String? = nil) {
    self.event = event
    self.changes = changes
    self.reason = reason
  }

  /// The answer to changes that say no more than is known.
  var unchanged: GateResult { .event(event, reason: reason ?? "known") }

  /// Reason for a sale by another store.
  public static let notOurs = "not_ours"
  /// Reason for money that came back of a purchase which was refunded by hand.
  public static let takenByHand = "taken_by_hand"
  /// Reason for a payment of an account that was removed from the books.
  public static let removed = "removed"
  /// Reason for an end without an account.
  public static let noAccount = "no_account"
  /// Reason for a purchase that a family shares.
  public static let familyShared = "family_shared"
  /// Reason for a transfer between a provider's customers.
  public static let notMoved = "not_moved"
}

extension PaymentChange {
  /// Returns the beginning of a sentence: the event, the payment, its account and its money.
  static func subject(_ event: Name, _ change: PaymentChange?) -> String {
    var about = ""
    if let change {
      let owner = change.account.map { " of \(quoted($0.text))" } ?? ""
      let money =
        change.price.flatMap { price in change.currency.map { ", \(price) \($0)" } } ?? ""
      about = " (payment \(plainOrQuoted(change.transaction.text))\(owner)\(money))"
    }
    return "event \(plainOrQuoted(event.text))\(about): "
  }
}

extension Product {
  /// Returns how long a period is, in milliseconds, of which a line is a part by its amount.
  func length(ofPart line: PaymentChange) -> Int64? {
    guard currency == line.currency, let price = price?.times(line.quantity),
      let period = line.period,
      let since = period.since, let amount = line.listAmount, !amount.isZero,
      case let scale = max(price.scale, amount.scale),
      let whole = price.coefficient(atScale: scale).flatMap(Int64.init(exactly:)),
      let part = amount.coefficient(atScale: scale)
    else { return nil }
    return Int64(
      clamping: Int128(whole) * Int128(period.until.milliseconds - since.milliseconds) / part)
  }
}

extension CreditError {
  /// Returns the error with a message that begins with its event and its payment, if that is known.
  public func about(_ event: Name, _ change: PaymentChange?) -> CreditError {
    CreditError(code, PaymentChange.subject(event, change) + message, details)
  }
}
