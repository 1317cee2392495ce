internal import CreditJSON
internal import CreditModel

/// Credits of a history's line, in few bytes.
///
/// All lines of a history are kept until the oldest one has been read.
struct GrantEvent {
  var time: Timestamp
  let account: Int
  let kind: HistoryLine.Kind
  var isSchedule = false
  /// True if its line has the place of an earlier record, as the start of a grant has.
  let isMoved: Bool
  /// Whether it changes the end of a subscription that an earlier line paid for.
  var isEnd = false
  /// Signed.
  let credits: Int64
  let balance: Int64
  /// Hash of the charge made or corrected, or of the transfer; 0 otherwise.
  var reference: UInt64 = 0
  /// The place of the event's ``GrantNote``, if the line has one.
  var note: Int?

  init(_ line: ReportLine, account: Int) {
    (time, self.account, kind) = (line.recordedAt, account, line.kind)
    (credits, balance) = (line.credits, line.balance)
    isMoved = line.recordedAt != line.timestamp
  }

  var before: Int128 { Int128(balance) - Int128(credits) }
}

/// Members that only some lines have.
///
/// These lines are top-ups, refunds, expiries, and charges that grants have paid.
struct GrantNote {
  typealias Shares = [(source: GrantSource, credits: Int64)]

  let id: String
  let isReversal: Bool
  /// The credits taken from each source, or, below 0, given back to it.
  let taken: Shares?
  /// The grant whose credits have expired.
  let grant: String?
  /// The payment for a top-up, or the money paid back for it.
  let payment: Payment?
  let product: String?
  let counterparty: String?
  /// End of the time that a subscription's payment is for, from its event on.
  var paidUntil: Timestamp?
  var isEndedEarly = false
  let terms: LotTerms

  init(_ line: ReportLine) throws(CreditError) {
    id = line.id
    isReversal = line.isReversal
    grant = line.text("grant")
    payment = try line.statedPayment()
    product = line.text("productID")
    counterparty = line.text("counterparty")
    paidUntil = line.paidEnds.first?.until
    terms = LotTerms(line)
    taken = line.value.member("taken")?.elements.compactMap { share in
      guard let credits = share.int64("credits"), let source = GrantSource(share) else {
        return nil
      }
      return (source, credits)
    }
  }
}

/// Source of a charge's credits, from its line.
enum GrantSource {
  case grant(String)
  /// Credits of a kind that are of no grant, with their expiry.
  case kind(Bucket.Kind, expiresAt: Timestamp?)

  init?(_ share: JSONValue) {
    if let grant = share.string("grant") {
      self = .grant(grant)
    } else if let kind = share.string("kind").flatMap(Bucket.Kind.init(rawValue:)) {
      self = .kind(kind, expiresAt: share.timestamp("expiresAt"))
    } else {
      return nil
    }
  }
}

/// Terms that decide when the credits of a top-up are used.
struct LotTerms {
  /// The priority: lower is used first.
  ///
  /// It is nil if the top-up has no terms, and its credits are among others.
  let priority: Int64?
  let startsAt: Timestamp?
  let expiresAt: Timestamp?
  /// Whether they pay for some models only.
  let isScoped: Bool

  fileprivate init(_ line: ReportLine) {
    priority = line.value.int64("priority")
    startsAt = line.value.timestamp("startsAt")
    expiresAt = line.value.timestamp("expiresAt")
    isScoped = line.value.member("models") != nil
  }
}
