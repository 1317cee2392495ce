/// A request to a gate: one write. Boxed, as it is passed on often and read once.
///
/// The `time` of a request is when it happens, from the request or a flag; if nil, the gate reads
/// its clock under the lock (see ``Ledger/time(of:)``).
public enum GateRequest: Sendable {
  case authorize(AuthorizeRequest)
  indirect case void(VoidRequest)
  case charge(ChargeRequest)
  case topUp(TopUpRequest)
  indirect case refund(RefundRequest)
  indirect case account(AccountRequest)
  indirect case transfer(TransferRequest)
  indirect case storeKit(StoreKitRequest)
  /// News from the App Store without an effect.
  indirect case notification(AppStoreNotification)
  /// An event of a payment provider.
  indirect case payment(PaymentRequest)
}

/// Asks whether an account may start. A class, as a charge is.
public final class AuthorizeRequest: Sendable {
  public let account: Name
  public let id: Name?
  /// Credits to set aside, at least 1.
  public let hold: Credits?
  public let expiresIn: TimeSpan?
  /// The work's model, if known. Then credits for that model alone may pay, too, and its limits are
  /// checked.
  public let model: Name?
  public let tags: Tags?
  public let time: Timestamp?

  public init(
    account: Name, id: Name? = nil, hold: Credits? = nil, expiresIn: TimeSpan? = nil,
    model: Name? = nil, tags: Tags? = nil, time: Timestamp? = nil
  ) {
    self.account = account
    self.id = id
    self.hold = hold
    self.expiresIn = expiresIn
    self.model = model
    self.tags = tags
    self.time = time
  }
}

/// Closes an open authorization without a charge.
public struct VoidRequest: Sendable {
  public var id: Name
  /// If given, it must be the authorization's.
  public var account: Name?
  public var time: Timestamp?

  public init(id: Name, account: Name? = nil, time: Timestamp? = nil) {
    self.id = id
    self.account = account
    self.time = time
  }
}

/// Deducts the actual cost of work. A class: most requests are one.
public final class ChargeRequest: @unchecked Sendable {
  /// Reference that makes a charge unique: an authorization, or a key of the account.
  public enum Reference: Sendable {
    /// `account`, if given, must be the authorization's.
    case authorization(Name, account: Name?)
    case key(Name, account: Name)
  }

  public let reference: Reference
  public let model: Name
  public let usage: ReportedUsage
  public let reportedUSD: ExactDecimal?
  /// True if the provider reports a cost below 0.
  public let costIsNegative: Bool
  public let remarks: UsageRemarks?
  /// Time of the work, if it is not the time of the request.
  public let usedAt: Timestamp?
  public let tags: Tags?
  /// True if finished work is billed, with or without credits.
  public let isArrears: Bool
  /// Whether other work under the same reference corrects the charge.
  public let amends: Bool
  public let time: Timestamp?
  /// Its price, if that was found before its time was known. Only its batch's owner changes it.
  @exclusivity(unchecked) var quote: ChargeQuote?

  public init(
    reference: Reference, model: Name, usage: ReportedUsage, reportedUSD: ExactDecimal? = nil,
    costIsNegative: Bool = false, remarks: UsageRemarks? = nil, usedAt: Timestamp? = nil,
    tags: Tags? = nil, isArrears: Bool = false, amends: Bool = false, time: Timestamp? = nil
  ) {
    self.reference = reference
    self.model = model
    self.usage = usage
    self.reportedUSD = reportedUSD
    self.costIsNegative = costIsNegative
    self.remarks = remarks
    self.usedAt = usedAt
    self.tags = tags
    self.isArrears = isArrears
    self.amends = amends
    self.time = time
  }
}

/// The price of a charge under a policy.
struct ChargeQuote {
  let price: PriceQuote
  /// Catalog id of the model that set the price; nil if none did.
  let model: Name?
  /// The policy's prices, by which a price under an older policy is known.
  let source: ObjectIdentifier
}

/// Adds purchased or granted credits. Only its maker changes it, before the gate has it.
public final class TopUpRequest: @unchecked Sendable {
  /// Reference that makes a top-up unique.
  public enum Reference: Sendable {
    /// Unique in the store.
    case transaction(Name)
    /// Unique within the account.
    case key(Name)

    public var id: Name {
      switch self {
      case .transaction(let id), .key(let id): id
      }
    }
  }

  public enum Grant: Hashable, Sendable {
    case product(Name, quantity: Int64)
    case credits(Credits)
    /// Credits missing to a balance, or enough units of a product for that.
    case target(Credits, product: Name?)

    /// The product of the sale, if it has one.
    public var soldProduct: Name? {
      switch self {
      case .product(let name, _): name
      case .target(_, let name): name
      case .credits: nil
      }
    }
  }

  @exclusivity(unchecked) public var account: Name
  public let reference: Reference
  var key: Name? { if case .key(let key) = reference { key } else { nil } }
  @exclusivity(unchecked) public var grant: Grant
  @exclusivity(unchecked) public var kind: Transaction.Kind
  @exclusivity(unchecked) public var status: Transaction.Status
  @exclusivity(unchecked) public var reason: String?
  @exclusivity(unchecked) public var price: String?
  @exclusivity(unchecked) public var currency: String?
  /// The terms of a grant; a subscription's expiry is the end that is paid.
  @exclusivity(unchecked) public var terms: StatedTerms
  @exclusivity(unchecked) public var tags: Tags?
  /// Grants only if the balance is below this.
  @exclusivity(unchecked) public var below: Credits?
  /// True if its account was listed as a closed one: then it is passed over, and not refused.
  @exclusivity(unchecked) public var isListedAsClosed = false
  /// Whether a repeat is an error.
  @exclusivity(unchecked) public var isStrict: Bool
  /// True if the App Store has taken the money: then a closed account gets the credits, too.
  @exclusivity(unchecked) public var isPaid = false
  /// Credits of a part of a paid period, in place of all of the product's.
  @exclusivity(unchecked) var prorated: Credits?
  /// The paid period of a subscription, from its provider.
  @exclusivity(unchecked) var period: PaidPeriod?
  /// StoreKit's id of the purchase, which is claimed with the transaction's.
  @exclusivity(unchecked) var originalTransactionID: Name?
  /// The text that the App Store signed, if it is kept.
  @exclusivity(unchecked) var signedText: String?
  /// The App Store's news of the purchase, if a notification brought it.
  @exclusivity(unchecked) var news: AppStoreNews?
  /// A payment provider's news of it.
  @exclusivity(unchecked) var payment: PaymentNews?
  /// Whether it grants a purchase whose refund was recorded before it was ever granted.
  @exclusivity(unchecked) var reversesRefund = false
  @exclusivity(unchecked) public var time: Timestamp?

  public init(
    account: Name, reference: Reference, grant: Grant, kind: Transaction.Kind = .purchase,
    status: Transaction.Status = .completed, reason: String? = nil, price: String? = nil,
    currency: String? = nil, terms: StatedTerms = StatedTerms(), tags: Tags? = nil,
    below: Credits? = nil, isStrict: Bool = false, time: Timestamp? = nil
  ) {
    self.account = account
    self.reference = reference
    self.grant = grant
    self.kind = kind
    self.status = status
    self.reason = reason
    self.price = price
    self.currency = currency
    self.terms = terms
    self.tags = tags
    self.below = below
    self.isStrict = isStrict
    self.time = time
  }
}

/// Refunds a purchase or a charge.
public struct RefundRequest: Sendable {
  public enum Reference: Sendable {
    case transaction(Name)
    case authorization(Name)
    /// A direct charge.
    case key(Name, account: Name)
  }

  public var reference: Reference
  /// The account that the charge or purchase must have, if the request names one.
  public var account: Name?
  /// Credits of a purchase to refund in all; nil for all of them.
  public var credits: Credits?
  /// True to take back only the rest of a grant.
  public var isUnused = false
  /// The amount paid back of a purchase's price; nil for the share of its credits.
  public var price: ExactDecimal?
  public var reason: String?
  public var time: Timestamp?

  public init(
    reference: Reference, account: Name? = nil, credits: Credits? = nil,
    price: ExactDecimal? = nil, reason: String? = nil, time: Timestamp? = nil
  ) {
    self.reference = reference
    self.account = account
    self.credits = credits
    self.price = price
    self.reason = reason
    self.time = time
  }
}

/// Registers an account, sets its plan, parent, limits or exemption.
public struct AccountRequest: Sendable {
  /// A change of an optional value of an account.
  public enum Change: Sendable {
    case set(Name)
    case remove

    /// Removes the value if there is no name.
    init(to name: Name?) { self = name.map { .set($0) } ?? .remove }

    var name: Name? { if case .set(let name) = self { name } else { nil } }
  }

  public var account: Name
  public var plan: Change?
  public var isExempt: Bool?
  public var isClosed: Bool?
  public var parent: Change?
  /// The group whose products it is shown, besides those for all.
  public var group: Change?
  public var limits: [LimitChange] = []
  /// End of the settings in `limits`; nil if they have no end.
  public var limitUntil: Timestamp?
  public var time: Timestamp?

  public init(
    account: Name, plan: Change? = nil, isExempt: Bool? = nil, isClosed: Bool? = nil,
    time: Timestamp? = nil
  ) {
    self.account = account
    self.plan = plan
    self.isExempt = isExempt
    self.isClosed = isClosed
    self.time = time
  }
}
