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
    /// Its ids are of one sale, and it says no more.
    case linked
    /// The account of a subscription.
    case owner
    /// Time of the product that a change of plans leaves unused, whose price comes back.
    case unused
    /// The subscription is over, unless it was paid further than the event states.
    case ended
  }

  /// The purchase's id: that of the payment; of an end and an owner the subscription's.
  public var transaction: Name
  /// The one of the other ids that the purchase claims: no other purchase may have it.
  public var alias: Name?
  /// Other ids of the same sale that the event names: of a line that of its invoice first.
  public var others: [Name] = []
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

  var isLink: Bool { if case .linked = effect { true } else { false } }

  /// True if it says that a sale was paid which is still to come.
  var isPaidAhead: Bool { isLink && others.contains(transaction) }

  /// The top-up by hand that grants it, with its price if that is known.
  var topUpCommand: String {
    let price = price.flatMap { price in currency.map { " --price \(price) --currency \($0)" } }
    return "credit-topup \(shellFlag("account", account?.text ?? "NAME")) --transaction "
      + "\(shellWord(transaction.text)) --product \(shellWord(product?.text ?? "ID"))\(price ?? "")"
  }

  /// True if it is a line of an invoice that has several.
  public var isLine: Bool { others.first.map(transaction.isLine) ?? false }

  /// The ids of its sale, the one that leads to all of them first; none for other news.
  var ids: [Name] {
    switch effect {
    case .owner, .unused, .ended: []
    default: isLine ? others + [transaction] : [transaction] + others
    }
  }

  /// The ids of all payments that it concerns.
  public var payments: [Name] { [transaction] + [subscription].compactMap { $0 } + others }
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
  /// The sales of the changes, as they were before it, each by the first of its ids.
  var sales: [Name: Sale] = [:]

  public init(_ event: PaymentEvent, _ changes: [PaymentChange] = [], reason: String? = nil) {
    self.event = event
    self.changes = changes
    self.reason = reason
  }

  func sale(of change: PaymentChange) -> Sale { change.ids.first.flatMap { sales[$0] } ?? Sale() }

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

extension GateResult {
  /// The id of the purchase that was granted, or taken back.
  var moved: Name? {
    switch self {
    case .topUp(let topUp, _): topUp.transaction.id
    case .transactionRefund(let bought, _, _): bought.id
    default: nil
    }
  }
}

extension Name {
  /// True if it is of a line of an invoice.
  func isLine(of invoice: Name) -> Bool { text.hasPrefix(invoice.text + "/") }
}

extension CreditError {
  /// Returns the error with a message that begins with its event and its payment, if that is known.
  public func about(_ event: Name, _ change: PaymentChange?) -> CreditError {
    CreditError(code, PaymentChange.subject(event, change) + message, details)
  }
}

/// One sale, by all of its ids: those of its payment, its session, its charge and its invoice, and
/// the key by which a person has entered it.
struct Sale {
  /// The account for which it was looked up; nil if that is not known.
  var account: Name?
  /// In the order in which they were found.
  var ids: [Name] = []
  /// The transactions under them, but for the adjustments of unused time.
  var entries: [TransactionEntry] = []
  /// The first transaction under an id of it that is of another account.
  var foreign: TransactionEntry?
  /// The ids of invoices whose lines have ids of it.
  var invoices: [Name] = []
  /// All that events have said of it; nil if they have not named it.
  var news: PaymentNews?
  var payer: Name?
  /// True if its payment came before it.
  var isPaid = false
  /// True if a transaction of it was removed with its account.
  var isRemoved = false
  /// The payments of a subscription that has one of the ids: each is a sale of its own.
  var renewals: [TransactionEntry] = []
  var links: [Name: Set<Name>] = [:]

  /// The most ids of one.
  static let limit = 1000

  var granted: [TransactionEntry] { entries.filter { $0.isGranted && $0.isPaidFor } }

  var currency: String? { entries.first(where: \.isPaidFor)?.topUp.transaction.currency }

  /// True if an id is one of it.
  func names(_ id: Name) -> Bool { links[id] != nil }

  /// The ids that a transaction of it keeps: an invoice knows its lines.
  func others(than id: Name) -> [Name] {
    ids.filter { $0 != id && !invoices.contains(where: $0.isLine) }
  }

  /// Adds the news that are recorded under an id of it.
  mutating func add(_ known: PaymentNews, of id: Name) {
    if news == nil { news = known.ofParts } else { news?.add(known.ofParts) }
    payer = payer ?? known.account
    if known.parts.contains(id) { isPaid = true }
  }

  /// Checks that no id of it is of another account, or of a grant that is no sale.
  /// - Throws: `idempotency_conflict`.
  func checkIDs(for account: Name?) throws(CreditError) {
    for entry in entries where entry.isGranted {
      try entry.checkPaidFor(as: entry.topUp.transaction.id)
    }
    if let foreign { try foreign.check(account, as: foreign.topUp.transaction.id) }
  }

  /// Returns the transaction that a change of the sale is about: the change's own, or the one that
  /// a person has entered. A line is about no other transaction than its own.
  func entry(of change: PaymentChange) -> TransactionEntry? {
    let own = entries(of: change)
    if let entry = own.first(where: \.isGranted) ?? own.first { return entry }
    if change.isLine || isGranted(otherwiseThan: change) { return nil }
    return entries.first {
      let known = $0.topUp.transaction
      return change.product == nil
        || known.productID == change.product && known.quantity == change.quantity
    }
  }

  /// True if the sale was granted otherwise than by the transaction of a change.
  func isGranted(otherwiseThan change: PaymentChange) -> Bool {
    if entries(of: change).contains(where: \.isGranted) { return false }
    // Another line of the invoice is not the sale.
    let invoice = change.isLine ? change.others.first : nil
    return entries.contains { $0.isGranted && !(invoice.map($0.isLine) ?? false) }
  }

  /// The transactions with a change's own id, or with an id of the sale as their key. Also one that
  /// a person has entered for another number of the product, which is a conflict.
  private func entries(of change: PaymentChange) -> [TransactionEntry] {
    let keys = change.isLine ? [change.transaction] : ids
    return entries.filter {
      let known = $0.topUp.transaction
      let isOther = known.productID == change.product && known.quantity != change.quantity
      return known.id == change.transaction || known.key.map(keys.contains) ?? false
        || isOther && $0.topUp.payment == nil && known.paid == nil && !change.isLine
    }
  }

  /// The transaction that stays granted, or the lines of the invoice: the first one, unless it was
  /// revoked or a person took it back.
  var kept: [TransactionEntry] {
    func order(_ entry: TransactionEntry) -> (Int, RecordPosition) {
      (isRevoked(entry) ? 2 : entry.isTakenByHand && entry.isAllTaken ? 1 : 0, entry.position)
    }
    guard let first = granted.min(by: { order($0) < order($1) }) else { return [] }
    let invoice = invoices.first(where: first.isLine)
    return granted.filter { $0 === first || invoice.map($0.isLine) ?? false }
  }

  /// True if a transaction was revoked for another one of the sale.
  func isRevoked(_ entry: TransactionEntry) -> Bool {
    entry.topUp.payment?.disputes.contains { names($0.id) } ?? false
  }
}

extension TransactionEntry {
  /// True if it is of a line of an invoice, by its id or its key.
  func isLine(of invoice: Name) -> Bool {
    let known = topUp.transaction
    return known.id.isLine(of: invoice) || known.key?.isLine(of: invoice) ?? false
  }

  /// True if refunds have taken all of its credits.
  var isAllTaken: Bool { lastRefund.map { $0.requested >= topUp.refundable } ?? false }
}
