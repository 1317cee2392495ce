public import CreditBytes

/// A top-up: credits bought, granted, or pending.
public struct Transaction: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case purchase, bonus, adjustment, subscription

    /// True if it is sold: it can have promotions, and its refunds have a price.
    var isSold: Bool { self == .purchase || self == .subscription }
  }

  public enum Status: String, CaseIterable, Sendable {
    case pending, completed, failed, refunded
    /// A grant that has not started.
    case scheduled
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
  private var boxedDetails = BoxedDetails.none

  /// Fields that many top-ups lack, in one box.
  ///
  /// Each request copies its top-up several times.
  public struct Details: Hashable, Sendable {
    public fileprivate(set) var originalTransactionID: Name?
    public fileprivate(set) var productID: Name?
    public fileprivate(set) var price: String?
    public fileprivate(set) var currency: String?
    public fileprivate(set) var reason: String?
    public fileprivate(set) var expiresAt: Timestamp?
    public fileprivate(set) var terms: GrantTerms?
    public fileprivate(set) var scheduledAt: Timestamp?
    public fileprivate(set) var purchase: Name?
    public fileprivate(set) var paid: PaidPlan?
    public fileprivate(set) var tags: Tags?
    public fileprivate(set) var signedText: String?
  }

  private indirect enum BoxedDetails: Hashable {
    case none
    case some(Details)
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

  /// The fields of the box; nil if all of them are.
  public var details: Details? {
    if case .some(let details) = boxedDetails { details } else { nil }
  }

  private mutating func set<Value>(
    _ value: Value?, over old: Value?, by change: (inout Details) -> Void
  ) {
    if value == nil && old == nil { return }
    var changed = details ?? Details()
    change(&changed)
    boxedDetails = changed == Details() ? .none : .some(changed)
  }

  /// StoreKit's id of the transaction's purchase. It is claimed like the id.
  public var originalTransactionID: Name? {
    get { details?.originalTransactionID }
    set { set(newValue, over: originalTransactionID) { $0.originalTransactionID = newValue } }
  }

  public var productID: Name? {
    get { details?.productID }
    set { set(newValue, over: productID) { $0.productID = newValue } }
  }

  /// Decimal text or the digits of a JSON number, which are only recorded.
  public var price: String? {
    get { details?.price }
    set { set(newValue, over: price) { $0.price = newValue } }
  }

  public var currency: String? {
    get { details?.currency }
    set { set(newValue, over: currency) { $0.currency = newValue } }
  }

  public var reason: String? {
    get { details?.reason }
    set { set(newValue, over: reason) { $0.reason = newValue } }
  }

  public var expiresAt: Timestamp? {
    get { details?.expiresAt }
    set { set(newValue, over: expiresAt) { $0.expiresAt = newValue } }
  }

  /// The terms of a grant; nil for a plain top-up.
  public var terms: GrantTerms? {
    get { details?.terms }
    set { set(newValue, over: terms) { $0.terms = newValue } }
  }

  /// Time when a pending purchase was completed, if its grant starts later.
  public var scheduledAt: Timestamp? {
    get { details?.scheduledAt }
    set { set(newValue, over: scheduledAt) { $0.scheduledAt = newValue } }
  }

  /// The purchase of this bonus, which a promotion of the catalog grants.
  public var purchase: Name? {
    get { details?.purchase }
    set { set(newValue, over: purchase) { $0.purchase = newValue } }
  }

  /// The plan that it pays for, if it is of a subscription and paid.
  public var paid: PaidPlan? {
    get { details?.paid }
    set { set(newValue, over: paid) { $0.paid = newValue } }
  }

  public var tags: Tags? {
    get { details?.tags }
    set { set(newValue, over: tags) { $0.tags = newValue } }
  }

  /// The text that the App Store signed, if the policy keeps it.
  public var signedText: String? {
    get { details?.signedText }
    set { set(newValue, over: signedText) { $0.signedText = newValue } }
  }

  /// The bucket that it fills: adjustments are kept with purchased credits.
  var bucketKind: Bucket.Kind { kind == .bonus ? .bonus : .purchased }
}
