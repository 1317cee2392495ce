/// The receipt of a charge: its usage, its cost and the new balance.
///
/// Members are `Optional<…>` because a `…?` would be nil before it is set: the receipt would be
/// made elsewhere then and copied, for 300 instructions of a charge.
public struct CreditReceipt: Equatable, Sendable {
  public var authorization: CreditAuthorization
  /// As the request sent it.
  public var model: Name
  public var usage: Optional<Usage>
  public var creditsCharged: Credits
  public var newBalance: Credits
  public var timestamp: Timestamp
  /// The exact price in dollars, as decimal text, if the price was in dollars.
  public var usd: Optional<String>
  /// Details that few charges have.
  public var details: Optional<ChargeDetails>
  /// Credits that an exempt account was not charged; nil for others.
  public var creditsWaived: Optional<Credits>
  /// Whether the minimum was charged for a usage that could not be read.
  public var isFallback: Bool
  public var remarks: Optional<UsageRemarks>

  public init(
    authorization: CreditAuthorization, model: Name, usage: Usage?, creditsCharged: Credits,
    newBalance: Credits, timestamp: Timestamp, usd: String? = nil,
    details: ChargeDetails? = nil, creditsWaived: Credits? = nil, isFallback: Bool = false,
    remarks: UsageRemarks? = nil
  ) {
    self.authorization = authorization
    self.model = model
    self.usage = usage
    self.creditsCharged = creditsCharged
    self.newBalance = newBalance
    self.timestamp = timestamp
    self.usd = usd
    self.details = details
    self.creditsWaived = creditsWaived
    self.isFallback = isFallback
    self.remarks = remarks
  }
}

/// Details that few charges have. A class, as most have none.
public final class ChargeDetails: Equatable, Sendable {
  /// Time of the work, if the request had one.
  public let usedAt: Timestamp?
  /// The cost that the provider reported, if the request has it.
  public let reportedUSD: ExactDecimal?
  /// The provider's cost within the price, if a markup makes the price differ.
  public let costUSD: String?
  public let tags: Tags?
  /// True if it was only billed, and that made a difference.
  ///
  /// The account had no credits to start with, or its limits count it at the time of use.
  public let isArrears: Bool
  public let amendment: Amendment?
  /// Catalog id of the model that set the price, if the request used another name.
  ///
  /// Nil unless the account had limits or credits for some models only.
  public let catalogModel: Name?
  /// The exact dollars of a price in credits, if a limit counts them.
  public let limitUSD: String?
  /// Payments of accounts above the charged one, in the order of their first payment.
  public let paidBy: [PaidShare]
  /// See ``CountedInstant/after``.
  public let countedAfter: Int64
  /// The shares of limits that it has reached.
  public let limitsCrossed: [LimitCrossing]

  private init(
    usedAt: Timestamp?, reportedUSD: ExactDecimal?, costUSD: String?, tags: Tags?,
    isArrears: Bool, amendment: Amendment?, catalogModel: Name?, limitUSD: String?,
    paidBy: [PaidShare], countedAfter: Int64, limitsCrossed: [LimitCrossing]
  ) {
    self.usedAt = usedAt
    self.reportedUSD = reportedUSD
    self.costUSD = costUSD
    self.tags = tags
    self.isArrears = isArrears
    self.amendment = amendment
    self.catalogModel = catalogModel
    self.limitUSD = limitUSD
    self.paidBy = paidBy
    self.countedAfter = countedAfter
    self.limitsCrossed = limitsCrossed
  }

  /// Details without any content: no charge has them.
  public static let empty = ChargeDetails(
    usedAt: nil, reportedUSD: nil, costUSD: nil, tags: nil, isArrears: false, amendment: nil,
    catalogModel: nil, limitUSD: nil, paidBy: [], countedAfter: 0, limitsCrossed: [])

  /// Returns the details, or nil if all are absent. Not an initializer, which would make an object
  /// even to return nil.
  public static func of(
    usedAt: Timestamp? = nil, reportedUSD: ExactDecimal? = nil, costUSD: String? = nil,
    tags: Tags? = nil, isArrears: Bool = false, amendment: Amendment? = nil,
    catalogModel: Name? = nil, limitUSD: String? = nil, paidBy: [PaidShare] = [],
    countedAfter: Int64 = 0, limitsCrossed: [LimitCrossing] = []
  ) -> ChargeDetails? {
    if usedAt == nil, reportedUSD == nil, costUSD == nil, tags == nil, !isArrears,
      amendment == nil, catalogModel == nil, limitUSD == nil, paidBy.isEmpty, countedAfter == 0,
      limitsCrossed.isEmpty
    {
      return nil
    }
    return ChargeDetails(
      usedAt: usedAt, reportedUSD: reportedUSD, costUSD: costUSD, tags: tags,
      isArrears: isArrears, amendment: amendment, catalogModel: catalogModel,
      limitUSD: limitUSD, paidBy: paidBy, countedAfter: countedAfter,
      limitsCrossed: limitsCrossed)
  }

  /// Returns the details with those that an amendment or a disclosure changes.
  func with(
    reportedUSD: ExactDecimal?, costUSD: String?, tags: Tags?, amendment: Amendment?,
    catalogModel: Name?, limitUSD: String?, paidBy: [PaidShare], limitsCrossed: [LimitCrossing]
  ) -> ChargeDetails? {
    .of(
      usedAt: usedAt, reportedUSD: reportedUSD, costUSD: costUSD, tags: tags,
      isArrears: isArrears, amendment: amendment, catalogModel: catalogModel,
      limitUSD: limitUSD, paidBy: paidBy, countedAfter: countedAfter,
      limitsCrossed: limitsCrossed)
  }

  /// Credits of the charge that corrections could not give back to any payer.
  public var creditsForfeited: Credits {
    paidBy.indices.reduce(amendment?.forfeited.total ?? 0) { $0 &+ paidBy[$1].forfeited.total }
  }

  /// Whether it has members that tools of version 2 do not read.
  var isOfLimits: Bool {
    catalogModel != nil || limitUSD != nil || !limitsCrossed.isEmpty || !paidBy.isEmpty
      || countedAfter != 0
  }

  public static func == (left: ChargeDetails, right: ChargeDetails) -> Bool {
    left.usedAt == right.usedAt && left.reportedUSD == right.reportedUSD
      && left.costUSD == right.costUSD && left.tags == right.tags
      && left.isArrears == right.isArrears && left.amendment == right.amendment
      && left.limitUSD == right.limitUSD
      && left.catalogModel == right.catalogModel && left.paidBy == right.paidBy
      && left.countedAfter == right.countedAfter && left.limitsCrossed == right.limitsCrossed
  }
}

extension CreditReceipt {
  public var pricedModel: Name? { isFallback ? nil : details?.catalogModel ?? model }

  /// Payments of the accounts above the charged one.
  public var paidBy: [PaidShare] { details?.paidBy ?? [] }

  /// Payment of the charged account itself.
  public var ownCredits: Credits {
    guard let paidBy = details?.paidBy, !paidBy.isEmpty else { return creditsCharged }
    return creditsCharged &- paidBy.credits
  }

  /// Credits that the charged account itself was not charged, because it was exempt.
  var ownWaived: Credits { (creditsWaived ?? 0) &- paidBy.waived }
}

/// A gate's result of a request. Large ones are boxed, as an answer is passed on often and read
/// once.
public enum GateResult: Sendable {
  indirect case authorization(CreditAuthorization, balance: Credits, isReplay: Bool)
  indirect case voided(CreditAuthorization, isReplay: Bool)
  case receipt(Charge, isReplay: Bool)
  /// A charge that has been refunded since it was made.
  indirect case refundedReceipt(Charge, partLeft: String?)
  indirect case topUp(TopUp, isReplay: Bool)
  /// The balance was not below the request's threshold.
  indirect case skipped(account: Name, key: Name?, balance: Credits)
  indirect case transactionRefund(Transaction, Refund, isReplay: Bool)
  indirect case chargeRefund(CreditAuthorization, key: Name?, Refund, isReplay: Bool)
  indirect case account(AccountView)
  indirect case transfer(Transfer, isReplay: Bool)
  /// A result that took the account below thresholds, the highest first.
  indirect case crossing(GateResult, [Credits])
  /// A result for an account that others pay for, with their remaining funds.
  indirect case funds(GateResult, ChainFunds)
  indirect case plan(GateResult, PlanInForce)
  indirect case notification(AppStoreNotification)
  /// A subscription that a provider has ended: the transaction that had paid for it.
  indirect case subscriptionEnd(TopUp)
  /// A provider's payment event without an effect; the reason, if it is not plain. It may be
  /// recorded for a purchase that is still to come.
  indirect case event(PaymentEvent, reason: String?, isRecorded: Bool = false)
  /// A payment provider's event about several purchases.
  indirect case payments(PaymentEvent, [GateResult])
}

/// The plan that an account has.
public struct PlanInForce: Equatable, Sendable {
  public let plan: Name?
  /// Its paid end; nil if it was set by hand.
  public let until: Timestamp?
  /// A payment that sets no plan: it came too late, or the end of another does not bring it back.
  var lost: Transaction?
  /// When a further quota begins shortly before the paid end, without a renewal; nil if none does.
  let lastTurn: Timestamp?

  init(of account: borrowing Account) {
    plan = account.plan
    until = account.subscriptions.active?.until
    lastTurn = until.flatMap { account.quota?.lastTurn(before: $0) }
  }

  /// Whether a refund has ended the plan that its payment had set.
  public func isEnded(by refund: Refund, of bought: Transaction) -> Bool {
    guard let paid = bought.paid, paid.endedAt == nil else { return false }
    return paid.until > refund.timestamp && plan != paid.plan
  }
}

extension GateResult {
  /// The result with its account's funds, if others pay for it.
  func of(_ funds: ChainFunds?) -> GateResult { funds.map { .funds(self, $0) } ?? self }
}

/// A gate's answer to one request. (The standard `Result` looks up its error type's conformance
/// when a process first makes a list of it, which costs more than the rest of the answer.)
public enum GateAnswer: Sendable {
  case success(GateResult)
  case failure(CreditError)

  public func get() throws(CreditError) -> GateResult {
    switch self {
    case .success(let result): return result
    case .failure(let error): throw error
    }
  }
}
