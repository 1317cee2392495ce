/// The version of a store's journal and of its exports.
///
/// A store begins in the ``first`` version and continues in a later one with its first record that
/// needs it; until then the tools of the previous release read all of it. Each tool reads every
/// version up to the ``newest`` one, and refuses others.
public enum StoreVersion: Int64, Comparable, CaseIterable, Sendable {
  case two = 2
  case three = 3
  case four = 4
  case five = 5
  case six = 6
  case seven = 7

  public static let first = StoreVersion.two

  public static let newest = StoreVersion.seven

  /// The versions of this tool, for a sentence.
  public static var known: String { "\(first.rawValue) to \(newest.rawValue)" }

  public static func < (left: StoreVersion, right: StoreVersion) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension LedgerRecord {
  /// The earliest version of a store that can contain the record.
  ///
  /// Events and members that tools of an earlier version do not read are listed in this file, in
  /// ``ChargeDetails/isOfLimits`` and in ``RareState/hasLimits``.
  public var version: StoreVersion {
    if !event.isNew && !account.isNew { return .two }
    // Tools of version 6 do not read the credits that a quota has carried over, and those of
    // version 5 not the account of a subscription.
    if event.carriedOver != nil || hasPaidQuotaWhileClosed { return .seven }
    if case .payment(_, let news) = event, news.account != nil { return .six }
    // Tools of version 4 do not read a number that one with an end has replaced.
    if let settings = account.rareState?.rest.limitsSet,
      settings.indices.contains(where: { settings[$0].then != nil })
    {
      return .five
    }
    return event.isOfFour || account.rareState?.isOfFour == true ? .four : .three
  }

  /// Whether a payment may have given a closed account its quota. Tools of version 6 give it none.
  /// A record of settings does not contain their change: a quota in place of an equal one is 0.
  private var hasPaidQuotaWhileClosed: Bool {
    guard account.isClosed, case .settings = event else { return false }
    return account.quota.map { $0.period == .subscription && $0.limit > 0 } ?? false
  }
}

// Tools of version 3 do not read limits of other units than credits, own alerts, windows by a wall
// clock, the early end of a subscription, quotas by the plan's anniversary, carried credits that
// expire, debts that a quota or plain credits settled, further money for a pack that was refunded,
// its expired credits, its bonuses that stay taken back, a dispute about a part of its price, or
// the currency of a refund before its purchase.
extension LedgerEvent {
  fileprivate var isOfFour: Bool {
    switch self {
    case .charge(let charge), .amend(let charge), .chargeRefund(let charge, _):
      guard let details = charge.receipt.details else { return false }
      return details.limitUSD != nil || details.limitsCrossed.contains { !$0.unit.isCredits }
    case .share(let share): return share.countedWork != .none
    case .topUp(let topUp) where topUp.payment?.isOfFour ?? false,
      .topUpRefund(let topUp, _) where topUp.payment?.isOfFour ?? false,
      .topUpNews(let topUp, _) where topUp.payment?.isOfFour ?? false:
      return true
    case .topUpRefund(_, let refund) where refund.isOfFour,
      .topUpNews(_, let refund?) where refund.isOfFour:
      return true
    case .topUpRefund(let topUp, let refund)
    where refund.credits == 0 && refund.number > 1 && refund.price ?? .zero != .zero:
      return topUp.transaction.kind != .subscription
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      return topUp.transaction.paid?.endedAt != nil
    case .payment(_, let news): return news.isOfFour
    default: return false
    }
  }
}

extension PaymentNews {
  fileprivate var isOfFour: Bool {
    disputes.contains { $0.amount != nil } || refunded?.currency != nil
      || refunds.contains { $0.currency != nil }
  }
}

extension Refund {
  fileprivate var isOfFour: Bool { forfeited > 0 || forfeitedBefore > 0 || keepsBonuses }
}

extension RareState {
  fileprivate var isOfFour: Bool {
    // By place: each record is asked, and an element of its own would be a copy.
    let (counters, settings) = (rest.limitCounters, rest.limitsSet)
    return counters.indices.contains {
      !counters[$0].unit.isCredits || counters[$0].resetsAt != nil
    }
      || settings.indices.contains { !settings[$0].unit.isCredits || settings[$0].alerts != nil }
      || hasNewQuota || rest.subscriptions.paid.contains { $0.turn?.isNew ?? false }
      || rest.settledDebts.contains { $0.bucket.kind == .quota || $0.isPlain }
  }

  fileprivate var isNew: Bool {
    hasLimits || hasNotes || !rest.scheduled.isEmpty || !rest.subscriptions.isEmpty || hasNewQuota
      || rest.recentTopUps.contains { $0.credits != nil }
  }
}

extension LedgerEvent {
  /// True if tools of version 2 cannot read it.
  fileprivate var isNew: Bool {
    switch self {
    case .payment, .dropped, .share: return true
    case .charge(let charge), .amend(let charge): return charge.isNew
    case .chargeRefund(let charge, let refund):
      // Earlier tools refund a whole charge.
      let isWhole = refund.number == 1 && refund.requested == charge.receipt.creditsCharged
      return !isWhole || refund.shares != nil || charge.isNew
    case .authorization(let authorization), .void(let authorization):
      return authorization.model != nil
    case .topUp(let topUp): return topUp.isNew || !topUp.taken.isEmpty
    case .topUpRefund(let topUp, let refund):
      return topUp.isNew || refund.shares != nil || refund.reversals > 0
    case .topUpNews(let topUp, let refund):
      return topUp.isNew || refund?.shares != nil || refund?.reversals ?? 0 > 0
    case .expiry(_, _, let grant): return grant != nil
    case .registration, .settings, .claim, .transferOut, .transferIn: return false
    case .refill: return carriedOver != nil
    }
  }
}

extension TopUp {
  fileprivate var isNew: Bool {
    payment != nil || transaction.kind == .subscription || transaction.terms != nil
      || !bonuses.isEmpty
  }
}

extension Charge {
  fileprivate var isNew: Bool {
    if taken.haveGrants || receipt.usage?.isNew ?? false { return true }
    guard let details = receipt.details else { return false }
    return details.isOfLimits || details.amendment?.moved != nil
      || details.amendment?.forfeited.haveGrants ?? false
  }
}

extension Usage {
  fileprivate var isNew: Bool {
    guard case .tokens(let tokens) = self else { return false }
    return !tokens.isCommon && tokens[.webSearchPreviews] > 0
  }
}

extension Account {
  fileprivate var isNew: Bool { buckets.grantCount > 0 || rareState?.isNew == true }
}
