/// One entry of the books: what happened to an account, and the account's state after it.
package struct LedgerRecord: Hashable, Sendable {
  package var event: LedgerEvent
  /// The account after the event; its `updatedAt` is the time of the record.
  package var account: Account
  /// Where the transaction that this record changes was first recorded: the place that it keeps in
  /// the history. Nil where this record is the first.
  package var original: RecordPosition?
  /// The policy's thresholds that the write left the account under, the highest first. Nil if it
  /// crossed none. An `Optional<…>`, as those of ``CreditReceipt`` are.
  package var crossed: Optional<[Credits]>

  package init(
    event: LedgerEvent, account: Account, original: RecordPosition? = nil,
    crossed: [Credits]? = nil
  ) {
    self.event = event
    self.account = account
    self.original = original
    self.crossed = crossed
  }
}

extension LedgerRecord {
  /// True if it is of a completed purchase, including one of a subscription.
  package var isOfPurchase: Bool {
    switch event {
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      topUp.transaction.kind.isSold && topUp.transaction.status == .completed
    default: false
    }
  }
}

extension Account {
  /// The record of an event that has made the account what it is now.
  mutating func record(_ event: LedgerEvent) -> LedgerRecord {
    count(event, isFirst: true)
    return LedgerRecord(event: event, account: self)
  }

  /// Counts the record of an event.
  /// - Parameter isFirst: whether it is the first of its transaction.
  mutating func count(_ event: LedgerEvent, isFirst: Bool) {
    recordCount += 1
    transactionCount += event.historyLineCount(isFirst: isFirst)
  }
}

/// The place of a record in the books; later records have greater positions.
package struct RecordPosition: Hashable, Comparable, Sendable, BitwiseCopyable {
  package let value: Int64

  package init(_ value: Int64) {
    self.value = value
  }

  package static func < (left: RecordPosition, right: RecordPosition) -> Bool {
    left.value < right.value
  }
}

/// What a record says happened. All are boxed, and an event so one word: it is handed on often and
/// looked into once.
package enum LedgerEvent: Hashable, Sendable {
  indirect case registration(starter: Credits)
  /// A plan or exemption was set, and the balance changed by `credits`; or the account was looked
  /// at, and turns of its clock were recorded.
  indirect case settings(credits: Credits)
  case authorization(CreditAuthorization)
  case void(CreditAuthorization)
  case charge(Charge)
  /// A charge has become another one.
  case amend(Charge)
  indirect case chargeRefund(Charge, Refund)
  case topUp(TopUp)
  indirect case topUpRefund(TopUp, Refund)
  /// The App Store, or a payment provider, said of a purchase what changes no credits. The refund
  /// is the last one.
  indirect case topUpNews(TopUp, Refund?)
  /// An id of an account that was removed from the books: nobody may have it again. The record is
  /// nobody's.
  indirect case claim(RecordKey)
  /// A payment provider said something of a payment whose purchase is not known yet, by its id. The
  /// record is nobody's.
  indirect case payment(Name, PaymentNews)
  /// Credits of a bucket or of a quota's last period expired; `credits` is negative.
  indirect case expiry(Bucket.Kind, credits: Credits, grant: Name?)
  /// Credits went to another account. The record that follows is that account's.
  indirect case transferOut(Transfer)
  /// Credits came from the account whose record comes before.
  indirect case transferIn(Transfer)
  /// A quota turned.
  indirect case refill(credits: Credits)
  /// The account's share in the record of another one below it, which comes before.
  case share(Share)
  /// Records that could not be read any more were dropped here, which had changed the balance by
  /// `credits`.
  indirect case dropped(credits: Credits)
}

/// A top-up as the books keep it: one word, whose memory its copies share. It is handed on often.
package struct TopUp: Hashable, Sendable {
  package var transaction: Transaction {
    get { shared.members.transaction }
    set { change { $0.transaction = newValue } }
  }
  /// 0 unless it granted.
  package var creditsAdded: Credits {
    get { shared.members.creditsAdded }
    set { change { $0.creditsAdded = newValue } }
  }
  /// The balance right after it.
  package var newBalance: Credits {
    get { shared.members.newBalance }
    set { change { $0.newBalance = newValue } }
  }
  /// What the App Store has said about it since.
  package var news: AppStoreNews? {
    get { shared.members.news }
    set { change { $0.news = newValue } }
  }
  /// What a payment provider has said about it.
  package var payment: PaymentNews? {
    get { shared.members.payment }
    set { change { $0.payment = newValue } }
  }
  /// What promotions of the catalog have granted with it.
  package var bonuses: [GrantedBonus] {
    get { shared.members.bonuses }
    set { change { $0.bonuses = newValue } }
  }
  /// Buckets that a negative adjustment took credits from, if a grant is among them.
  package var taken: [Bucket] {
    get { shared.members.taken }
    set { change { $0.taken = newValue } }
  }

  private struct Members: Hashable {
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

  package init(
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

  package static func == (left: TopUp, right: TopUp) -> Bool {
    left.shared === right.shared || left.shared.members == right.shared.members
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(shared.members) }
}

/// Credits that went back: from an account for a purchase, to an account for a charge.
package struct Refund: Hashable, Sendable {
  /// Negative where the refund of a purchase was reversed.
  package var credits: Credits
  /// Credits that could not be given back, because their bucket has expired since.
  package var forfeited: Credits
  package var newBalance: Credits
  package var timestamp: Timestamp
  package var reason: String?
  /// Its place among the refunds of its purchase, from 1.
  ///
  /// A later one takes what is to be refunded more. A reversal has the number of the last refund.
  package var number: Int64 = 1
  /// The number of reversals before it.
  package var reversals: Int64 = 0
  /// What the refunds of the purchase before it have taken.
  package var before: Credits = 0
  /// Buckets that a purchase's credits came from, or a charge's went back to. Nil if no grant is
  /// among them.
  package var shares: BucketShares?
  /// True if this or an earlier refund took back the rest of a grant. Nothing goes back to the
  /// grant any more.
  package var isVoid = false
  /// What the refunds of a charge before it could not give back.
  package var forfeitedBefore: Credits = 0
  /// Credits of a charge's refund that went back to accounts above the charged one. In the order of
  /// their records.
  package var refundedTo: [PaidBackShare] = []
  /// Amount paid back of a purchase's price, in its currency. If the refund was reversed, the
  /// amount taken again. Nil for a purchase without a price, and for a charge.
  package var price: ExactDecimal?
  /// What the refunds of the purchase before it have paid back; nil for the first one.
  package var priceBefore: ExactDecimal?

  package init(
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
