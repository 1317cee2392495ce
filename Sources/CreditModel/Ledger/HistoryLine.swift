public struct HistoryLine: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case purchase, usage, bonus, adjustment, transfer, starter, quota, refund, expiry
    case subscription

    /// Whether it is sold for money.
    public var isSold: Bool { self == .purchase || self == .subscription }
  }

  public var id: Name
  public var account: Name
  public var kind: Kind
  public var status: Transaction.Status
  /// Signed. Those of completed and refunded lines sum to the balance.
  public var credits: Credits
  /// The balance right after it took effect.
  public var balance: Credits
  public var timestamp: Timestamp
  /// The last time its status changed, if it has.
  public var updatedAt: Timestamp?
  /// Time when a pending or failed purchase was completed.
  public var completedAt: Timestamp?
  public var model: Name?
  /// The catalog id of a share's model, if the request used another name.
  public var catalogModel: Name?
  public var usage: Usage?
  public var productID: Name?
  /// Name of the product in the catalog, if it differs from the id. No record has it: it is for
  /// people, and is the product's current name.
  public var productName: String?
  public var quantity: Int64?
  public var price: String?
  public var currency: String?
  public var key: Name?
  public var reason: String?
  public var expiresAt: Timestamp?
  /// The plan that a subscription's transaction pays for.
  public var paid: PaidPlan?
  /// Its states before each extension of its time, the oldest first, with the extension's time.
  public private(set) var extended: [PaidPlan] = []
  /// The plan of a quota, or of a refunded payment.
  public var plan: Name?
  /// Credits of a quota that were left of its last period, at whose end they count as expired.
  public var carriedOver: Credits?
  public var originalTransactionID: Name?
  /// The payment provider's event that changed it last.
  public var event: PaymentEvent?
  /// Time of a charge's work, if the request had one.
  public var usedAt: Timestamp?
  /// Of a correction or a refund: the time of the charge; in a payer's line that of the work, if it
  /// was merely billed.
  public var chargedAt: Timestamp?
  /// Price of a charge in dollars.
  public var usd: String?
  /// Amount that the provider took, if it differs.
  public var costUSD: String?
  /// Credits that an exempt account was not charged; below 0 if a refund takes them off.
  public var creditsWaived: Credits?
  /// Of a refund or a correction of a charge with such credits: their part of the dollars.
  public var usdWaived: String?
  /// Total given back of a charge, or taken back of a purchase.
  public var creditsRefunded: Credits?
  /// Of a refund or a correction: the credits that could not be given back, as they had expired;
  /// below 0 if a correction takes such credits again.
  public var creditsForfeited: Credits?
  public var tags: Tags?
  /// The thresholds that its write took the account below, the highest first.
  public var crossed: [Credits]?
  /// The other account of a transfer.
  public var counterparty: Name?
  /// The shares of limits that its charge has reached.
  public var limitsCrossed: [LimitCrossing] = []
  /// The grant whose credits expired.
  public var grant: Name?
  public var terms: GrantTerms?
  /// Time when a pending purchase was completed, if its grant starts later.
  public var scheduledAt: Timestamp?
  /// Credits taken from each bucket, if a grant is among the buckets. Below 0 if they were given
  /// back.
  public var taken: [Bucket]?
  /// Part of a charge that its own account paid, if others also paid.
  public var ownCredits: Credits = 0
  /// Payments by other accounts for a charge.
  public var paidBy: [PaidShare] = []
  /// Parts of other accounts in a correction or a refund, signed as `credits`.
  public var shares: [HeldShare] = []
  /// Parent of a charge's account, at the time of this line.
  public var parent: Name?
  /// The account that a share was paid for.
  public var member: Name?

  init(
    id: Name, kind: Kind, status: Transaction.Status = .completed, credits: Credits,
    in account: Account
  ) {
    self.id = id
    self.account = account.name
    self.kind = kind
    self.status = status
    self.credits = credits
    balance = account.balance
    timestamp = account.updatedAt
  }

  /// Returns when the event happened: the time that days and months list it by. A top-up whose
  /// credits start later is of the time of its payment.
  /// - Parameter isByRecord: true if work counts when it was charged, not when it was done.
  public func time(isByRecord: Bool) -> Timestamp {
    let paid = scheduledAt ?? timestamp
    let startsLater = terms?.startsAt.map { $0 > paid && completedAt == $0 } ?? false
    let recorded = startsLater ? paid : completedAt ?? timestamp
    return isByRecord ? recorded : usedAt ?? recorded
  }
}

extension LedgerRecord {
  /// The line at the place of this record. Nil if the record has no line, or only changed a line
  /// recorded before.
  public var historyLine: HistoryLine? {
    guard var line = eventLine else { return nil }
    line.crossed = crossed
    return line
  }

  private var eventLine: HistoryLine? {
    if event.historyLineCount(isFirst: original == nil) == 0 { return nil }
    switch event {
    case .authorization, .void, .topUpNews, .claim, .payment: return nil
    case .registration(let credits): return line("starter", .starter, credits)
    case .settings(let credits), .refill(let credits, _):
      var line = line("quota:\(account.updatedAt.text)", .quota, credits)
      line.plan = account.plan
      line.carriedOver = event.carriedOver
      return line
    case .expiry(let kind, let credits, let grant):
      let id =
        grant.map { "expiry:\($0.text)" } ?? "expiry:\(account.updatedAt.text):\(kind.rawValue)"
      var line = line(id, .expiry, credits)
      line.grant = grant
      return line
    case .dropped(let credits):
      var line = line("dropped:\(account.updatedAt.text)", .adjustment, credits)
      line.reason = "records that could not be read were dropped"
      return line
    case .charge(let charge): return HistoryLine(charge, in: account)
    case .amend(let charge):
      return charge.amendment.map { HistoryLine(charge, amended: $0, in: account) }
    case .topUp(let topUp): return HistoryLine(topUp, in: account)
    case .transferOut(let transfer):
      var line = HistoryLine(transfer, credits: -transfer.credits, in: account)
      line.counterparty = transfer.to == .nobody ? nil : transfer.to
      line.key = transfer.key
      return line
    case .transferIn(let transfer):
      var line = HistoryLine(transfer, credits: transfer.credits, in: account)
      line.counterparty = transfer.from == .nobody ? nil : transfer.from
      return line
    case .chargeRefund(let charge, let refund):
      var line = HistoryLine(refund, of: charge.receipt, in: account)
      line.key = charge.key
      line.chargedAt = charge.chargedAt
      return line
    case .share(let share): return HistoryLine(share, in: account)
    case .topUpRefund(let topUp, let refund):
      var line = HistoryLine(
        refund, of: topUp.transaction.id, credits: -refund.credits, in: account)
      let isReversal = topUp.transaction.status == .completed
      if isReversal {
        let end = refund.reversals > 0 ? ":\(refund.reversals + 1)" : ""
        line.id = Name(trusted: "reversal:" + topUp.transaction.id.text + end)
      } else if refund.number > 1 {
        line.id = Name(trusted: "\(line.id.text):\(refund.number)")
      }
      line.taken = refund.shares.map { Array($0) }
      line.productID = topUp.transaction.productID
      line.plan = topUp.transaction.paid?.plan
      if topUp.transaction.quantity > 1 { line.quantity = topUp.transaction.quantity }
      line.price = refund.priceText(in: topUp.transaction.currency, isReversal: isReversal)
      if line.price != nil { line.currency = topUp.transaction.currency }
      // One by hand leaves the purchase's event.
      let isByEvent = [topUp.payment?.event.type, Refund.remainder].contains(refund.reason)
      if isByEvent { line.event = topUp.payment?.event }
      return line
    }
  }

  private func line(_ id: String, _ kind: HistoryLine.Kind, _ credits: Credits) -> HistoryLine {
    HistoryLine(id: Name(trusted: id), kind: kind, credits: credits, in: account)
  }
}

extension LedgerEvent {
  /// Number of history lines at the place of a record of the event.
  /// - Parameter isFirst: true if it is the first of its transaction.
  func historyLineCount(isFirst: Bool) -> Int64 {
    switch self {
    case .authorization, .void, .topUpNews, .claim, .payment: 0
    case .registration(let credits), .settings(let credits), .refill(let credits, _),
      .expiry(_, let credits, _), .dropped(let credits):
      credits == 0 ? 0 : 1
    case .topUp: isFirst ? 1 : 0
    case .share(let share): share.credits == 0 ? 0 : 1
    case .charge, .amend, .chargeRefund, .topUpRefund, .transferOut, .transferIn: 1
    }
  }
}

extension HistoryLine {
  fileprivate init(_ charge: Charge, in account: Account) {
    let receipt = charge.receipt
    self.init(id: receipt.authorization.id, kind: .usage, credits: -receipt.ownCredits, in: account)
    model = receipt.model
    usage = receipt.usage
    key = charge.key
    usedAt = receipt.details?.usedAt
    usd = receipt.usd
    costUSD = receipt.details?.costUSD
    creditsWaived = receipt.creditsWaived
    tags = receipt.details?.tags
    limitsCrossed = receipt.details?.limitsCrossed ?? []
    taken = charge.taken.haveGrants ? Array(charge.taken) : nil
    paidBy = receipt.paidBy
    ownCredits = receipt.ownCredits
    parent = account.parent
  }

  /// Makes the line of an account's share of another one's charge or refund. Usage and money are
  /// only on that other account's line.
  fileprivate init(_ share: Share, in account: Account) {
    let id = share.authorization.text
    let text: String
    var kind = Kind.usage
    var chargedAt: Timestamp? = share.countedAt.time
    switch share.step {
    case .hold, .void, .charge: (text, chargedAt) = (id, nil)
    case .amend(let number, let isReturn): text = "amend:\(id):\(number)\(isReturn ? ":old" : "")"
    case .refund(let number):
      text = "refund:\(id)" + (number > 1 ? ":\(number)" : "")
      kind = .refund
    }
    self.init(id: Name(trusted: text), kind: kind, credits: share.credits, in: account)
    self.chargedAt = chargedAt
    member = share.member == .nobody ? nil : share.member
    model = share.work.model ?? share.model
    if model != share.model { catalogModel = share.model }
    usedAt = share.work.usedAt
    if share.credits < 0, share.buckets.haveGrants { taken = Array(share.buckets) }
    // Credits that settled a debt return to a bucket other than the charge's.
    func isOther(_ bucket: Bucket) -> Bool { bucket.kind == .bonus || bucket.expiresAt != nil }
    if share.credits > 0, share.buckets.contains(where: { $0.grant == nil && isOther($0) }) {
      taken = share.buckets.filter { $0.expiresAt.map { $0 > timestamp } ?? true }
        .map { $0.with(-$0.credits) }
    }
  }

  /// The changes of a charge by a correction.
  fileprivate init(_ charge: Charge, amended amendment: Amendment, in account: Account) {
    self.init(charge, in: account)
    id = Name(trusted: "amend:\(id.text):\(amendment.number)\(amendment.isReturn ? ":old" : "")")
    credits = amendment.credits
    chargedAt = amendment.chargedAt
    let moved = amendment.shares.filter { $0.credits != 0 }
    // They name the payers, even if all that they would get back is forfeited.
    shares = moved.isEmpty ? amendment.shares : moved
    let difference = PriceParts(charge.receipt).difference(from: amendment.previousPrice)
    usd = difference.usd
    costUSD = difference.costUSD
    creditsWaived = difference.waived
    usdWaived = amendment.usdWaived(by: charge.receipt)
    creditsForfeited = amendment.forfeited(by: charge)
    // No credits are moved if all are forfeited.
    let taken = (amendment.moved ?? []).map { credits > 0 ? $0.with(-$0.credits) : $0 }
    self.taken = taken.isEmpty ? nil : taken
  }

  fileprivate init(_ topUp: TopUp, in account: Account) {
    let transaction = topUp.transaction
    let kind: Kind =
      switch transaction.kind {
      case .purchase: .purchase
      case .bonus: .bonus
      case .adjustment: .adjustment
      case .subscription: .subscription
      }
    self.init(
      id: transaction.id, kind: kind, status: transaction.status, credits: transaction.credits,
      in: account)
    productID = transaction.productID
    quantity = transaction.productID == nil ? nil : transaction.quantity
    key = transaction.key
    event = topUp.payment?.event
    taken = topUp.taken.isEmpty ? nil : topUp.taken
    describe(transaction)
  }

  /// Takes over the members that later records of a top-up may repeat.
  mutating func describe(_ transaction: Transaction) {
    credits = transaction.credits
    price = transaction.price
    currency = transaction.currency
    reason = transaction.reason
    expiresAt = transaction.expiresAt
    take(transaction.paid)
    terms = transaction.terms
    scheduledAt = transaction.scheduledAt
    tags = transaction.tags
    originalTransactionID = transaction.originalTransactionID
  }

  /// Takes a later state of the plan that it pays for, and keeps the one before an extension.
  mutating func take(_ later: PaidPlan?) {
    if let later, var known = paid, known.until < later.until {
      known.extendedAt = later.extendedAt
      extended.append(known)
    }
    paid = later
  }

  fileprivate init(_ refund: Refund, of id: Name, credits: Credits, in account: Account) {
    self.init(id: Name(trusted: "refund:" + id.text), kind: .refund, credits: credits, in: account)
    reason = refund.reason
    if refund.forfeited > 0 { creditsForfeited = refund.forfeited }
  }

  /// The line of a charge's refund: of the charge's model, with its tags and the dollars that went
  /// back. The provider's cost stays.
  fileprivate init(_ refund: Refund, of receipt: CreditReceipt, in account: Account) {
    self.init(refund, of: receipt.authorization.id, credits: refund.ownCredits, in: account)
    if refund.number > 1 { id = Name(trusted: "\(id.text):\(refund.number)") }
    model = receipt.model
    tags = receipt.details?.tags
    creditsWaived = refund.waived(of: receipt)
    usd = refund.usd(of: receipt)
    usdWaived = refund.usdWaived(of: receipt)
    costUSD = usd != nil && receipt.details?.costUSD != nil ? "0" : nil
    taken = refund.shares?.map { $0.with(-$0.credits) }
    shares = refund.refundedTo.filter { $0.credits != 0 || $0.forfeited != 0 }
      .map { HeldShare(account: $0.account, credits: $0.credits) }
    parent = account.parent
  }

  fileprivate init(_ transfer: Transfer, credits: Credits, in account: Account) {
    self.init(id: transfer.id, kind: .transfer, credits: credits, in: account)
    reason = transfer.reason
  }
}
