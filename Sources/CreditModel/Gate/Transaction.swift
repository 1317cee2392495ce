/// A top-up: credits bought, granted, or pending.
public struct Transaction: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case purchase, bonus, adjustment, subscription

    /// True if it is sold: it can have promotions, and its refunds have a price.
    public var isSold: Bool { self == .purchase || self == .subscription }
  }

  public enum Status: String, CaseIterable, Sendable {
    case pending, completed, failed, refunded
    /// A grant that has not started.
    case scheduled

    /// True if its credits may still be granted.
    var isUnpaid: Bool { self == .pending || self == .failed }
  }

  public var id: Name
  public var account: Name
  public var kind: Kind
  public var status: Status
  public var quantity: Int64
  /// The credits that it grants, or would grant.
  public var credits: Credits
  public var timestamp: Timestamp
  /// The idempotency key within the account, if the request had no transaction id.
  public var key: Name?
  private var box: Box?

  /// Fields that many top-ups lack.
  private struct Details: Equatable, Sendable {
    var originalTransactionID: Name?
    var productID: Name?
    var price: String?
    var currency: String?
    var reason: String?
    var expiresAt: Timestamp?
    var terms: GrantTerms?
    var scheduledAt: Timestamp?
    var purchase: Name?
    var paid: PaidPlan?
    var tags: Tags?
    var signedText: String?
  }

  /// A box of details, as each request copies its top-up several times.
  ///
  /// It is changed only while one top-up alone has it.
  private final class Box: Equatable, @unchecked Sendable {
    var details: Details

    init(_ details: Details) { self.details = details }

    static func == (left: Box, right: Box) -> Bool {
      left === right || left.details == right.details
    }
  }

  public init(
    id: Name, account: Name, kind: Kind, status: Status, productID: Name? = nil,
    quantity: Int64 = 1, credits: Credits, timestamp: Timestamp
  ) {
    self.id = id
    self.account = account
    self.kind = kind
    self.status = status
    self.quantity = quantity
    self.credits = credits
    self.timestamp = timestamp
    self.productID = productID
  }

  /// Returns a box that no other top-up has.
  private mutating func own() -> Box {
    if isKnownUniquelyReferenced(&box), let box { return box }
    let own = Box(box?.details ?? Details())
    box = own
    return own
  }

  private mutating func set<Value>(
    _ value: Value?, over old: Value?, by change: (inout Details) -> Void
  ) {
    if value == nil && old == nil { return }
    change(&own().details)
    if value == nil, box?.details == Details() { box = nil }
  }

  /// StoreKit's id of the transaction's purchase. It is claimed like the id.
  public var originalTransactionID: Name? {
    get { box?.details.originalTransactionID }
    set { set(newValue, over: originalTransactionID) { $0.originalTransactionID = newValue } }
  }

  public var productID: Name? {
    get { box?.details.productID }
    set { set(newValue, over: productID) { $0.productID = newValue } }
  }

  /// Decimal text or the digits of a JSON number, which are only recorded.
  public var price: String? {
    get { box?.details.price }
    set { set(newValue, over: price) { $0.price = newValue } }
  }

  public var currency: String? {
    get { box?.details.currency }
    set { set(newValue, over: currency) { $0.currency = newValue } }
  }

  public var reason: String? {
    get { box?.details.reason }
    set { set(newValue, over: reason) { $0.reason = newValue } }
  }

  public var expiresAt: Timestamp? {
    get { box?.details.expiresAt }
    set { set(newValue, over: expiresAt) { $0.expiresAt = newValue } }
  }

  /// The terms of a grant; nil for a plain top-up.
  public var terms: GrantTerms? {
    get { box?.details.terms }
    set { set(newValue, over: terms) { $0.terms = newValue } }
  }

  /// Time when a pending purchase was completed, if its grant starts later.
  public var scheduledAt: Timestamp? {
    get { box?.details.scheduledAt }
    set { set(newValue, over: scheduledAt) { $0.scheduledAt = newValue } }
  }

  /// The purchase of this bonus, which a promotion of the catalog grants.
  public var purchase: Name? {
    get { box?.details.purchase }
    set { set(newValue, over: purchase) { $0.purchase = newValue } }
  }

  /// The plan that it pays for, if it is of a subscription and paid.
  public var paid: PaidPlan? {
    get { box?.details.paid }
    set { set(newValue, over: paid) { $0.paid = newValue } }
  }

  public var tags: Tags? {
    get { box?.details.tags }
    set { set(newValue, over: tags) { $0.tags = newValue } }
  }

  /// The text that the App Store signed, if the policy keeps it.
  public var signedText: String? {
    get { box?.details.signedText }
    set { set(newValue, over: signedText) { $0.signedText = newValue } }
  }

  /// True for a bonus without terms: its refund takes purchased credits before those of its kind.
  public var isPlainBonus: Bool { kind == .bonus && terms == nil }

  /// The bucket that it fills: adjustments are kept with purchased credits.
  var bucketKind: Bucket.Kind { kind == .bonus ? .bonus : .purchased }
}
