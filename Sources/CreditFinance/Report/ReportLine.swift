public import CreditBytes
internal import CreditJSON
internal import CreditModel

/// A line of `credit-history` for a report, or a request priced by `credit-price --pass`.
///
/// It is a view, valid as long as its value.
public struct ReportLine {
  public let value: JSONValue
  public let source: Source
  let kind: HistoryLine.Kind
  /// Completed even if it was refunded since: a refund is a separate line, at its own time, so that
  /// the past is always reported the same.
  private(set) var status: Transaction.Status
  let isRefunded: Bool
  /// Signed.
  private(set) var credits: Int64
  /// The account's balance right after it.
  let balance: Int64
  let timestamp: Timestamp
  /// Time of its balance: for a pending purchase, of its completion.
  private(set) var recordedAt: Timestamp
  /// Time of the record of a grant that starts later; nil for other lines.
  private(set) var scheduledAt: Timestamp?
  /// Whether it is only the sale of credits that start later.
  private(set) var isSaleOnly = false
  /// Whether it is only the start of a sale that was paid before.
  private(set) var isStartOfSale = false
  /// Time of a charge's work, if the line has it.
  let usedAt: Timestamp?

  /// True if it repeats a line that was recorded earlier.
  ///
  /// A follower of the history prints a line again if its status has changed.
  let isChanged: Bool

  /// True if it is an account's share of another's charge, which has a separate line.
  var isShare: Bool { text("member") != nil }

  /// Source of a line: each has all that those before it have, and more.
  public enum Source: Int, Comparable, Sendable {
    /// Usage that was priced, without a time.
    case price
    /// Usage that was priced, with its time.
    case datedPrice
    /// A history, whose lines have balances.
    case history

    public static func < (left: Source, right: Source) -> Bool { left.rawValue < right.rawValue }
  }

  /// Nil if the value is neither a line of a history nor a priced request.
  public init?(_ value: JSONValue) {
    self.value = value
    usedAt = value.timestamp("usedAt")
    guard value.member("id")?.kind == .string, value.member("account")?.kind == .string,
      let kind = value.string("type").flatMap(HistoryLine.Kind.init(rawValue:)),
      let status = value.string("status").flatMap(Transaction.Status.init(rawValue:)),
      let credits = value.int64("credits"), let balance = value.int64("balance"),
      let timestamp = value.timestamp("timestamp")
    else {
      // Usage with its price: a charge that was not made.
      guard value.member("balance") == nil, value.member("usage")?.isObject == true,
        value.member("model")?.kind == .string, let price = value.int64("credits"), price >= 0
      else { return nil }
      kind = .usage
      status = .completed
      isRefunded = false
      credits = -price
      balance = 0
      timestamp = usedAt ?? .earliest
      recordedAt = timestamp
      scheduledAt = nil
      isChanged = false
      source = usedAt == nil ? .price : .datedPrice
      return
    }
    self.kind = kind
    isRefunded = status == .refunded
    self.status = status == .refunded ? .completed : status
    self.credits = credits
    self.balance = balance
    self.timestamp = timestamp
    let recordedAt = value.timestamp("completedAt") ?? timestamp
    self.recordedAt = recordedAt
    isChanged = value.member("changed")?.bool == true
    source = .history
    // A pending purchase has the time of its payment.
    let scheduledAt = value.timestamp("scheduledAt") ?? timestamp
    let startsAt = value.timestamp("startsAt") ?? .earliest
    let isScheduled =
      status == .scheduled
      || self.status == .completed && (recordedAt == startsAt || recordedAt == scheduledAt)
    self.scheduledAt = startsAt > scheduledAt && isScheduled ? scheduledAt : nil
  }

  /// The end of a message about a value that is no line: the members that it lacks, if it has some.
  public static func lack(of value: JSONValue) -> String {
    let names: [StaticString] = [
      "id", "account", "type", "status", "credits", "balance", "timestamp",
    ]
    let absent = names.filter { value.member($0) == nil }.map { "\($0)" }
    return absent.isEmpty || absent.count == names.count
      ? "" : ": it lacks \(absent.joined(separator: ", "))"
  }

  var id: String { text("id") ?? text("key") ?? "" }
  public var account: String { text("account") ?? "default" }
  /// The parent of a charge's account, at the time of the line.
  public var parent: String? { text("parent") }

  /// The credits of a charge, or of its correction or refund, that no account paid.
  var waived: Int128 { Int128(value.int64("creditsWaived") ?? 0) }

  /// Returns a member's text; nil if it is absent or not text.
  func text(_ member: StaticString) -> String? { value.string(member) }

  var counts: Bool { status == .completed }

  /// True if it repeats an earlier line without further counts: its transaction was refunded, which
  /// is a separate line, or such a refund was reversed. One that is completed now counts from here
  /// on.
  public var isRepetition: Bool {
    if !isChanged || isRefunded && neverStarted { return false }
    return isRefunded || counts && value.timestamp("updatedAt") != recordedAt
  }

  /// True if it is of a grant that was refunded before its start, even if that was undone later.
  var neverStarted: Bool { counts && recordedAt == scheduledAt }

  /// The end of a subscription's paid time, when it became known, and its early end, if any.
  typealias PaidEnd = (knownAt: Timestamp, until: Timestamp, endedAt: Timestamp?)

  /// The end of a subscription's paid time, and those after each extension of it.
  var paidEnds: [PaidEnd] {
    guard kind == .subscription else { return [] }
    let before = value.member("extended").map { Array($0.elements) } ?? []
    var ends: [PaidEnd] = []
    var knownAt = isChanged ? value.timestamp("updatedAt") ?? recordedAt : recordedAt
    for state in before + [value] {
      guard let until = state.timestamp("until") else { continue }
      ends.append((knownAt, until, state.timestamp("endedAt")))
      knownAt = state.timestamp("at") ?? knownAt
    }
    return ends
  }

  /// The end of its paid time, as it was known at a period's end.
  func paidEnd(in period: ReportPeriod) -> PaidEnd? {
    let ends = paidEnds
    var end = ends.last { !period.isAfter($0.knownAt) } ?? ends.first
    if let endedAt = end?.endedAt, period.isAfter(endedAt) { end?.endedAt = nil }
    return end
  }

  /// When its credits became a part of the balance. Those of a grant that never started count when
  /// it was refunded, which takes them.
  var countedAt: Timestamp {
    neverStarted ? value.timestamp("updatedAt") ?? recordedAt : recordedAt
  }

  /// True if it repeats the line of a sale whose credits count only now.
  var repeatsSale: Bool { isChanged && counts && scheduledAt != nil }

  /// The original line of a top-up whose credits start later; other lines are unchanged.
  var booked: ReportLine {
    guard let scheduledAt else { return self }
    var booked = self
    booked.recordedAt = scheduledAt
    if kind.isSold { booked.status = .completed }
    return booked
  }

  /// The same as ``booked``, as it was at a period's end: a top-up that was completed after it was
  /// pending.
  func known(in period: ReportPeriod) -> ReportLine {
    var known = booked
    guard known.recordedAt > timestamp, period.isAfter(known.recordedAt) else { return known }
    known.status = .pending
    known.recordedAt = timestamp
    known.scheduledAt = nil
    return known
  }

  /// The parts of the line that sums count, each at its own time.
  ///
  /// A sale whose credits start later is a line of the day of its payment, and its credits are
  /// another line.
  var parts: [ReportLine] {
    guard scheduledAt != nil else { return counts ? [self] : [] }
    var parts: [ReportLine] = []
    if kind.isSold, !repeatsSale {
      var sale = booked
      sale.credits = 0
      sale.isSaleOnly = true
      parts.append(sale)
    }
    if counts {
      var start = self
      start.recordedAt = countedAt
      start.isStartOfSale = kind.isSold
      parts.append(start)
    }
    return parts
  }

  /// The model used, `3 × Pack` bought, or the reason; of a refund the reason before the model.
  public var subject: String { subject(of: productName) }

  /// The same with the product's id. A catalog's new name for it changes no closed month.
  var recordedSubject: String { subject(of: text("productID")) }

  private func subject(of product: String?) -> String {
    let (model, quantity) = (text("model"), value.int64("quantity") ?? 1)
    let product = product.map { quantity > 1 ? "\(quantity.separated) × \($0)" : $0 }
    return (kind == .refund ? nil : model) ?? product ?? text("reason") ?? model ?? promotion
      ?? word
  }

  /// The plan of a quota, or the kind of expired credits; empty for other lines.
  private var word: String {
    switch kind {
    case .quota: credits < 0 ? "plan ended or changed" : text("plan").map { "plan \($0)" } ?? ""
    case .expiry:
      text("grant").map { "credits of \($0)" } ?? id.split(separator: ":").last
        .flatMap { Bucket.Kind(rawValue: String($0)) }.map { "\($0.rawValue) credits" } ?? ""
    default: ""
    }
  }

  /// A note on the refund of a payment that its buyer disputed, or on its reversal.
  public var disputeNote: String {
    // That of an event is the event's type.
    guard kind == .refund, let reason = text("reason"),
      ["dispute", "chargeback"].contains(reason)
        || value.hasMember("event") && reason.hasPrefix("charge.dispute.")
    else { return "" }
    return isReversal ? "; the dispute was won" : "; disputed"
  }

  /// Notes for people: that a refund was disputed or undone, or remains, the day on which bought
  /// credits start, or on which a subscription ended early.
  ///
  /// An end after the period is left out, as it changes no closed month.
  func notes(in period: ReportPeriod) -> String {
    if !disputeNote.isEmpty { return disputeNote }
    if isReversal { return "; the refund was undone" }
    if kind == .refund, text("reason") == Refund.remainder { return "; \(Refund.remainder)" }
    if isSaleOnly, let start = value.timestamp("startsAt") {
      return "; its credits start \(period.day(of: start).text)"
    }
    if carriedOver > 0 { return "; \(carriedOver.separated) carried over" }
    guard let end = paidEnd(in: period)?.endedAt else { return "" }
    return "; ended \(period.day(of: end).text)"
  }

  /// Credits of a quota that were left of its last period, and have expired with it.
  var carriedOver: Int64 { kind == .quota ? value.int64("carriedOver") ?? 0 : 0 }

  /// The promotion whose bonus came with a purchase: the end of the bonus's id, `ID:welcome`.
  var promotion: String? {
    guard kind == .bonus, let colon = id.lastIndex(of: ":") else { return nil }
    return String(id[id.index(after: colon)...])
  }

  /// The product's name for people: its id if the history has no name.
  var productName: String? { text("productName") ?? text("productID") }

  /// Returns a decimal number.
  /// - Throws: ``CreditError`` if the member has another value.
  func amount(_ member: StaticString) throws(CreditError) -> ExactDecimal? {
    guard let text = value.member(member), !text.isNull else { return nil }
    guard let amount = text.amount else {
      throw .invalidRequest("\(member) is not a decimal number in \(quoted(id))")
    }
    return amount
  }

  /// Returns the payment for a purchase, or the money paid back by a refund.
  ///
  /// It is nil if the line is neither, or has no price and currency.
  func payment() throws(CreditError) -> Payment? {
    counts && !isStartOfSale ? try statedPayment() : nil
  }

  /// The currency of its price, also if that was paid before its credits started.
  func currency() throws(CreditError) -> String? { counts ? try statedPayment()?.currency : nil }

  /// The same as ``payment()``, also of a line that doesn't count: of a purchase that has not
  /// started.
  func statedPayment() throws(CreditError) -> Payment? {
    guard kind.isSold || kind == .refund, let currency = text("currency"),
      let amount = try amount("price")
    else { return nil }
    let isCode =
      (2...24).contains(currency.utf8.count) && currency.utf8.allSatisfy { (65...90).contains($0) }
    guard isCode else {
      throw .invalidRequest("\(quoted(currency)) is not a currency in \(quoted(id))")
    }
    return Payment(amount: amount, currency: currency, isBack: kind == .refund)
  }
}

/// Money that was paid for a purchase, or paid back of it.
struct Payment {
  /// Below 0 if a refund was reversed.
  let amount: ExactDecimal
  let currency: String
  let isBack: Bool

  var received: ExactDecimal { isBack ? amount.negated : amount }

  func text(_ amount: ExactDecimal) -> String {
    amount.text(atLeast: Currency.minorDigits(of: currency))
  }
}

/// The charge that a line of the history corrects: `amend:ID:2`, or `amend:ID:2:old` if another
/// model takes the charge over.
public struct CorrectionReference: Hashable {
  public let charge: String
  /// From 1 on.
  public let number: Int64
  /// Whether the line only returns the previous model's credits.
  public let isReturn: Bool

  /// - Returns: nil if the id is not a correction's.
  public init?(id: String) {
    guard id.hasPrefix("amend:") else { return nil }
    var rest = id.dropFirst(6)
    isReturn = rest.hasSuffix(":old")
    if isReturn { rest = rest.dropLast(4) }
    guard let colon = rest.lastIndex(of: ":"),
      let number = Int64(rest[rest.index(after: colon)...]),
      number > 0
    else { return nil }
    charge = String(rest[..<colon])
    self.number = number
  }
}

// The line of the charged account names all payers: the lines of their shares are left out.
extension ReportLine {
  /// The accounts with a part in a charge, its correction or its refund, with signed credits; its
  /// own account comes first.
  var payers: [(account: String?, credits: Int128)] {
    var payers: [(account: String?, credits: Int128)] = [(account, Int128(credits))]
    if let shares = value.member("shares") {
      return payers
        + shares.elements.map { ($0.string("account"), Int128($0.int64("credits") ?? 0)) }
    }
    // A correction has the whole charge's payments, too.
    guard kind == .usage, CorrectionReference(id: id) == nil else { return payers }
    guard let paidBy = value.member("paidBy") else { return payers }
    for paid in paidBy.elements where paid.string("account") != account {
      payers.append((paid.string("account"), 0 - Int128(paid.int64("credits") ?? 0)))
    }
    return payers
  }

  var creditsOfAll: Int128 { payers.reduce(0) { $0 + $1.credits } }

  /// The other accounts with a part, with signed credits.
  var otherPayers: [(account: String, credits: Int128)] {
    payers.dropFirst().compactMap { payer in
      guard let account = payer.account, payer.credits != 0 else { return nil }
      return (account, payer.credits)
    }
  }

  /// The last payer with credits, or the one that pays dollars alone: a correction by less than a
  /// credit, or one that forfeits all that it gives back.
  var lastPayer: String? {
    if let payer = payers.last(where: { $0.credits != 0 }) { return payer.account }
    let named = (value.member("shares") ?? value.member("paidBy"))?.elements.map { $0 } ?? []
    return named.last?.string("account") ?? account
  }
}
