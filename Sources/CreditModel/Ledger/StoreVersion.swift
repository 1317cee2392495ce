/// The version of a store's journal and of its exports.
///
/// A store begins in the ``first`` version and continues in a later one with its first record that
/// needs it; until then the tools of the previous release read all of it. Each tool reads every
/// version up to the ``newest`` one, and refuses others.
package enum StoreVersion: Int64, Comparable, CaseIterable, Sendable {
  case two = 2
  case three = 3

  package static let first = StoreVersion.two

  package static let newest = StoreVersion.three

  /// The versions of this tool, for a sentence.
  package static var known: String { "\(first.rawValue) to \(newest.rawValue)" }

  package static func < (left: StoreVersion, right: StoreVersion) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension LedgerRecord {
  /// The earliest version of a store that can contain the record.
  ///
  /// This is the only list of events and members that tools of an earlier version do not read.
  package var version: StoreVersion {
    let isNew =
      isOfPayment || isOfDrop || isOfLimits || event.isOfGrants || account.hasGrants
      || account.hasLimitState || !account.subscriptions.isEmpty || event.isOfSubscriptions
      || account.recentTopUps.contains { $0.credits != nil } || hasNewCounts
      || event.followsReversal
    return isNew ? .three : .two
  }

  /// Whether it states missing records.
  private var isOfDrop: Bool {
    if case .dropped = event { true } else { false }
  }

  /// Whether it has members of limits.
  private var isOfLimits: Bool {
    switch event {
    case .charge(let charge), .amend(let charge):
      return charge.receipt.details?.isOfLimits ?? false
    case .chargeRefund(let charge, let refund):
      // Earlier tools refund a whole charge.
      let isWhole = refund.number == 1 && refund.totalOfCharge == charge.receipt.creditsCharged
      return !isWhole || charge.receipt.details?.isOfLimits ?? false
    case .share: return true
    default: return false
    }
  }

  /// True if its usage has a count that earlier tools do not know.
  private var hasNewCounts: Bool {
    switch event {
    case .charge(let charge), .amend(let charge), .chargeRefund(let charge, _):
      guard case .tokens(let tokens) = charge.receipt.usage else { return false }
      return !tokens.isCommon && tokens[.webSearchPreviews] > 0
    default: return false
    }
  }

  /// Whether it has a payment provider's news.
  private var isOfPayment: Bool {
    switch event {
    case .payment: true
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      topUp.payment != nil
    default: false
    }
  }
}

extension Account {
  /// Whether a record of its state names a grant.
  fileprivate var hasGrants: Bool {
    if hasUndatedCreditsOnly { return false }
    return buckets.grantCount > 0 || !scheduled.isEmpty
  }
}

extension LedgerEvent {
  /// True if a refund was reversed before it.
  fileprivate var followsReversal: Bool {
    switch self {
    case .topUpRefund(_, let refund): refund.reversals > 0
    case .topUpNews(_, let refund): refund?.reversals ?? 0 > 0
    default: false
    }
  }

  /// Whether it is of a transaction of a subscription.
  fileprivate var isOfSubscriptions: Bool {
    switch self {
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      topUp.transaction.kind == .subscription
    default: false
    }
  }

  /// True if it names a grant, or anything only accounts with grants have.
  fileprivate var isOfGrants: Bool {
    switch self {
    case .charge(let charge), .amend(let charge): charge.isOfGrants
    case .chargeRefund(let charge, let refund): charge.isOfGrants || refund.shares != nil
    case .authorization(let authorization), .void(let authorization): authorization.model != nil
    case .topUp(let topUp):
      topUp.transaction.terms != nil || !topUp.bonuses.isEmpty || !topUp.taken.isEmpty
    case .topUpRefund(let topUp, let refund):
      topUp.transaction.terms != nil || refund.shares != nil || !topUp.bonuses.isEmpty
    case .topUpNews(let topUp, let refund):
      topUp.transaction.terms != nil || refund?.shares != nil || !topUp.bonuses.isEmpty
    case .expiry(_, _, let grant): grant != nil
    case .registration, .settings, .claim, .payment, .transferOut, .transferIn, .refill, .share,
      .dropped:
      false
    }
  }
}

extension Charge {
  fileprivate var isOfGrants: Bool {
    if taken.haveGrants { return true }
    guard let details = receipt.details else { return false }
    return details.amendment?.moved != nil || details.amendment?.forfeited.haveGrants ?? false
  }
}
