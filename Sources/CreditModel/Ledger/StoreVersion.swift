/// The version of what a store writes: of its journal, and of its exports.
///
/// A store begins in the ``first`` version and continues in a later one with its first record that
/// needs it; until then the tools of the release before read all of it. Each tool reads every
/// version up to the ``newest`` one, and refuses one that it does not know.
package enum StoreVersion: Int64, Comparable, CaseIterable, Sendable {
  case two = 2
  case three = 3

  /// What a new store is written in.
  package static let first = StoreVersion.two

  /// The last one that this tool knows.
  package static let newest = StoreVersion.three

  /// The versions that this tool knows, for a sentence.
  package static var known: String { "\(first.rawValue) to \(newest.rawValue)" }

  package static func < (left: StoreVersion, right: StoreVersion) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension LedgerRecord {
  /// The version that a store has at least in which the record is written.
  ///
  /// This is the one place that knows what is new since which version: an event, or a member of a
  /// record, that tools of the version before do not read is named here.
  package var version: StoreVersion {
    let isNew =
      isOfPayment || isOfDrop || isOfLimits || event.isOfGrants || account.hasGrants
      || account.hasLimitState || !account.subscriptions.isEmpty || event.isOfSubscriptions
      || account.recentTopUps.contains { $0.credits != nil } || hasNewCounts
      || event.followsReversal
    return isNew ? .three : .two
  }

  /// Whether it says that records are missing.
  private var isOfDrop: Bool {
    if case .dropped = event { true } else { false }
  }

  /// Whether it says what limits have to do with it.
  private var isOfLimits: Bool {
    switch event {
    case .charge(let charge), .amend(let charge):
      return charge.receipt.details?.isOfLimits ?? false
    case .chargeRefund(let charge, let refund):
      // Earlier tools give a charge back whole.
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

  /// Whether it has what a payment provider said.
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
