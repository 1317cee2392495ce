/// One entry of the books: an event of an account, and the account's state after it.
public struct LedgerRecord: Equatable, Sendable {
  public var event: LedgerEvent
  /// The account after the event; its `updatedAt` is the time of the record.
  public var account: Account
  /// Position of the first record of the transaction that this record changes: its place in the
  /// history. Nil if this record is the first.
  public var original: RecordPosition?
  /// The thresholds of the policy that the write left the account below, the highest first. Nil if
  /// it crossed none. An `Optional<…>`, as those of ``CreditReceipt`` are.
  public var crossed: Optional<[Credits]>

  public init(
    event: LedgerEvent, account: Account, original: RecordPosition? = nil,
    crossed: [Credits]? = nil
  ) {
    self.event = event
    self.account = account
    self.original = original
    self.crossed = crossed
  }

  /// True if it is of a completed purchase, including one of a subscription.
  public var isOfPurchase: Bool {
    guard let bought = event.topUp.topUp?.transaction else { return false }
    return bought.kind.isSold && bought.status == .completed
  }
}

extension Account {
  /// Returns the record of an event after which the account is in its current state.
  mutating func record(_ event: LedgerEvent) -> LedgerRecord {
    count(event, isFirst: true)
    return LedgerRecord(event: event, account: self)
  }

  /// Counts the record of an event.
  /// - Parameter isFirst: true if it is the first of its transaction.
  mutating func count(_ event: LedgerEvent, isFirst: Bool) {
    recordCount += 1
    transactionCount += event.historyLineCount(isFirst: isFirst)
  }
}

/// The place of a record in the books; later records have greater positions.
public struct RecordPosition: Hashable, Comparable, Sendable, BitwiseCopyable {
  public let value: Int64

  public init(_ value: Int64) { self.value = value }

  public static func < (left: RecordPosition, right: RecordPosition) -> Bool {
    left.value < right.value
  }
}

/// The event of a record. All cases are boxed, so that an event is one word: it is passed on often
/// and read once.
public enum LedgerEvent: Equatable, Sendable {
  indirect case registration(starter: Credits)
  /// A plan or exemption was set, and the balance changed by `credits`; or turns of the account's
  /// clock were recorded.
  indirect case settings(credits: Credits)
  case authorization(CreditAuthorization)
  case void(CreditAuthorization)
  case charge(Charge)
  /// A charge was corrected.
  case amend(Charge)
  indirect case chargeRefund(Charge, Refund)
  case topUp(TopUp)
  indirect case topUpRefund(TopUp, Refund)
  /// News of a purchase that changes no credits, and the purchase's last refund. It comes from the
  /// App Store or a payment provider.
  indirect case topUpNews(TopUp, Refund?)
  /// An id of a removed account, which must not be used again. The record belongs to `nobody`.
  indirect case claim(RecordKey)
  /// News of a payment, by its id, whose purchase is not known yet. The record belongs to `nobody`.
  indirect case payment(Name, PaymentNews)
  /// Credits of a bucket or of a quota's last period expired; `credits` is negative.
  indirect case expiry(Bucket.Kind, credits: Credits, grant: Name?)
  /// Credits went to another account, whose record follows.
  indirect case transferOut(Transfer)
  /// Credits came from the account of the previous record.
  indirect case transferIn(Transfer)
  /// A quota turned; some of its credits may be the rest of the last period.
  indirect case refill(credits: Credits, carriedOver: Credits)
  /// The account's share in the previous record, which is of an account below it.
  case share(Share)
  /// Unreadable records were dropped here; they had changed the balance by `credits`.
  indirect case dropped(credits: Credits)

  var carriedOver: Credits? {
    if case .refill(_, let carriedOver) = self, carriedOver > 0 { carriedOver } else { nil }
  }
}

/// A top-up in the books: one word, whose memory its copies share, as it is passed on often.
public struct TopUp: Equatable, Sendable {
  public var transaction: Transaction {
    _read { yield shared.members.transaction }
    set { change { $0.transaction = newValue } }
  }
  /// 0 unless it granted.
  public var creditsAdded: Credits {
    get { shared.members.creditsAdded }
    set { change { $0.creditsAdded = newValue } }
  }
  /// The balance right after it.
  public var newBalance: Credits {
    get { shared.members.newBalance }
    set { change { $0.newBalance = newValue } }
  }
  public var news: AppStoreNews? {
    get { shared.members.news }
    set { change { $0.news = newValue } }
  }
  /// A payment provider's news of it.
  public var payment: PaymentNews? {
    _read { yield shared.members.payment }
    set { change { $0.payment = newValue } }
  }
  /// Bonuses that promotions of the catalog granted with it.
  public var bonuses: [GrantedBonus] {
    get { shared.members.bonuses }
    set { change { $0.bonuses = newValue } }
  }
  /// Buckets that a negative adjustment took credits from, if a grant is among them.
  public var taken: [Bucket] {
    get { shared.members.taken }
    set { change { $0.taken = newValue } }
  }

  private struct Members: Equatable {
    var transaction: Transaction
    var creditsAdded: Credits
    var newBalance: Credits
    var news: AppStoreNews?
    var payment: PaymentNews?
    var bonuses: [GrantedBonus]
    var taken: [Bucket]
  }

  private final class Shared: Sendable {
    let members: Members

    init(_ members: Members) { self.members = members }
  }

  private var shared: Shared

  public init(
    transaction: Transaction, creditsAdded: Credits, newBalance: Credits,
    news: AppStoreNews? = nil, payment: PaymentNews? = nil, bonuses: [GrantedBonus] = [],
    taken: [Bucket] = []
  ) {
    shared = Shared(
      Members(
        transaction: transaction, creditsAdded: creditsAdded, newBalance: newBalance, news: news,
        payment: payment, bonuses: bonuses, taken: taken))
  }

  private mutating func change(_ change: (inout Members) -> Void) {
    var members = shared.members
    change(&members)
    shared = Shared(members)
  }

  public static func == (left: TopUp, right: TopUp) -> Bool {
    left.shared === right.shared || left.shared.members == right.shared.members
  }
}

/// Credits that went back: from an account for a purchase, to an account for a charge.
public struct Refund: Equatable, Sendable {
  /// Negative if the refund of a purchase was reversed.
  public var credits: Credits
  /// Credits that could not be given back, because their bucket has expired since.
  public var forfeited: Credits
  public var newBalance: Credits
  public var timestamp: Timestamp
  public var reason: String?
  /// Its place among the refunds of its purchase, from 1.
  ///
  /// A later one takes further credits. A reversal has the number of the last refund.
  public var number: Int64 = 1
  /// The number of reversals before it.
  public var reversals: Int64 = 0
  /// Credits that earlier refunds of the purchase have taken.
  public var before: Credits = 0
  /// Buckets that a purchase's credits came from, or a charge's went back to. Nil if no grant is
  /// among them.
  public var shares: BucketShares?
  /// True if this or an earlier refund took back the rest of a grant. Nothing goes back to the
  /// grant any more.
  public var isVoid = false
  /// True if bonuses that an earlier refund took back stay so, though a reversal came between.
  public var keepsBonuses = false
  /// Credits that earlier refunds of a charge could not give back.
  public var forfeitedBefore: Credits = 0
  /// Credits of a charge's refund that went back to accounts above the charged one. In the order of
  /// their records.
  public var refundedTo: [PaidBackShare] = []
  /// Amount paid back of a purchase's price, in its currency. If the refund was reversed, the
  /// amount taken again. Nil for a purchase without a price, and for a charge.
  public var price: ExactDecimal?
  /// Amount that earlier refunds of the purchase have paid back; nil for the first one.
  public var priceBefore: ExactDecimal?
  /// All that the provider says it paid back, if that is more than was paid. It is not recorded.
  public var stated: ExactDecimal?
  /// The currency of its payment's dispute, if not that of the purchase. It is not recorded.
  public var disputedIn: String?
  /// Credits of the purchase that a change of plans has taken back before. It is not recorded.
  public var unused: Credits = 0
  /// Purchased credits that the refund of a plain bonus took. It is not recorded.
  public var purchased: Credits = 0
  /// Credits that came back, if it is a part of earlier refunds that stays. It is not recorded.
  public var restored: Credits?

  public init(
    credits: Credits, forfeited: Credits = 0, newBalance: Credits, timestamp: Timestamp,
    reason: String? = nil
  ) {
    self.credits = credits
    self.forfeited = forfeited
    self.newBalance = newBalance
    self.timestamp = timestamp
    self.reason = reason
  }
}
