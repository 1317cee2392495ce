/// The whole state of one account, from which every rule works.
///
/// Invariants: an account with a debt has no credits; `holds` are in order of expiry. Each request
/// copies its account several times, so most accounts own no memory except their name's.
public struct Account: Equatable, Sendable {
  public internal(set) var name: Name
  public var registeredAt: Timestamp
  /// The time of the last record; the account's clock never runs behind it.
  public var updatedAt: Timestamp
  public var recordCount: Int64 = 0
  public var transactionCount: Int64 = 0
  /// Whether the account is always authorized and charged nothing.
  public var isExempt = false
  /// Whether the account is closed to anything new: see ``requireOpen()``.
  public var isClosed = false
  public var buckets = Buckets()
  /// The state that few accounts have; nil if it has none.
  public private(set) var rareState: RareState?

  private var rest: RareState.Rest {
    get { rareState?.rest ?? RareState.Rest() }
    _modify {
      let own = ownRareState()
      defer { if own.isEmpty { rareState = nil } }
      yield &own.rest
    }
  }

  /// Changes the rare state, unless it is absent and not needed.
  private mutating func changeRest(if isNeeded: Bool, _ change: (inout RareState.Rest) -> Void) {
    if isNeeded || rareState != nil { change(&rest) }
  }

  /// Returns memory that no other account shares.
  private mutating func ownRareState() -> RareState {
    if isKnownUniquelyReferenced(&rareState), let rareState { return rareState }
    let own = RareState(rareState?.rest ?? RareState.Rest())
    rareState = own
    return own
  }

  public var quota: Quota? {
    get { rareState?.rest.quota }
    set { changeRest(if: newValue != nil) { $0.quota = newValue } }
  }

  public var holds: [HoldSum] {
    get { rareState?.rest.holds ?? [] }
    _modify { yield &rest.holds }
  }

  /// The times of the completed top-ups that count against the policy's limit.
  public var recentTopUps: [RecentTopUp] {
    get { rareState?.rest.recentTopUps ?? [] }
    _modify { yield &rest.recentTopUps }
  }

  /// The grants that have not started, the next one first.
  public var scheduled: [ScheduledGrant] {
    get { rareState?.rest.scheduled ?? [] }
    _modify { yield &rest.scheduled }
  }

  /// The payments for plans, and the time that each is paid until.
  public var subscriptions: Subscriptions {
    get { rareState?.rest.subscriptions ?? Subscriptions() }
    _modify { yield &rest.subscriptions }
  }

  /// The credits that its quota has carried over; nil if these do not expire.
  public var rollover: Rollover? {
    get { rareState?.rest.rollover }
    set { changeRest(if: newValue != nil) { $0.rollover = newValue } }
  }

  var hasSubscriptions: Bool { rareState.map { !$0.rest.subscriptions.isEmpty } ?? false }

  public var plan: Name? { quota?.plan ?? planWithoutQuota }

  public var planWithoutQuota: Name? {
    get { rareState?.rest.planWithoutQuota }
    set { changeRest(if: newValue != nil) { $0.planWithoutQuota = newValue } }
  }

  /// The account that pays what this one cannot; nil if it pays for itself.
  public var parent: Name? {
    get { rareState?.rest.parent }
    set { changeRest(if: newValue != nil) { $0.parent = newValue } }
  }

  /// True if it is, or has been, a parent.
  public var hasChildren: Bool {
    get { rareState?.rest.hasChildren ?? false }
    set { changeRest(if: newValue) { $0.hasChildren = newValue } }
  }

  /// Credits of holds that reached the account, but are set aside above it.
  public var passedHolds: [HoldSum] {
    get { rareState?.rest.passedHolds ?? [] }
    _modify { yield &rest.passedHolds }
  }

  /// The spending counter of each of its limits, in the order of ``limits(under:)``.
  public var limitCounters: [LimitCounter] {
    get { rareState?.rest.limitCounters ?? [] }
    _modify { yield &rest.limitCounters }
  }

  /// The limits that are set for it alone, by id.
  public var limitsSet: [LimitSetting] {
    get { rareState?.rest.limitsSet ?? [] }
    _modify { yield &rest.limitsSet }
  }

  /// The group whose products it is shown, besides those for all; nil without one.
  public var group: Name? {
    get { rareState?.rest.group }
    set { changeRest(if: newValue != nil) { $0.group = newValue } }
  }

  /// Whether it is known to have had a completed purchase. Set only at a purchase if a promotion
  /// asks for it; for other accounts the records show it.
  public var hasBought: Bool {
    get { rareState?.rest.hasBought ?? false }
    set { changeRest(if: newValue) { $0.hasBought = newValue } }
  }

  /// Credits that settled its debts, the oldest first.
  public var settledDebts: [SettledDebt] {
    get { rareState?.rest.settledDebts ?? [] }
    set { changeRest(if: !newValue.isEmpty) { $0.settledDebts = newValue } }
  }

  public var hasRareState: Bool { rareState != nil }

  /// True if time alone cannot change it, and no top-up counts against a limit.
  public var hasUndatedCreditsOnly: Bool { rareState == nil && buckets.listed == nil }

  /// The most buckets with terms, and the most different hold expiries, of an account: it limits a
  /// record's size.
  public static let entryLimit = 1000

  func tooManyExpiries(_ what: String) -> CreditError {
    CreditError(
      .limitExceeded,
      "account \(quoted(name.text)) has \(what) with too many different expiries already",
      [.account(name)])
  }

  public init(name: Name, registeredAt: Timestamp) {
    self.name = name
    self.registeredAt = registeredAt
    updatedAt = registeredAt
  }

  /// The account's credits, holds included; the rules keep them within 64 bits.
  public var balance: Credits { (quota?.remaining ?? 0) &+ buckets.balance }

  /// Credits that may pay for any model.
  public var available: Credits { available(for: nil) }

  /// Returns the credits that a new hold, or a charge without overdraft, may take.
  ///
  /// Includes credits restricted to some models only if `model` is one of them. Holds count against
  /// all other credits first. A debt may exist beside such credits: −100, and 300 for a model, are
  /// 200 available for it.
  /// - Parameter model: the model's id in the catalog; nil if no model is named.
  public func available(for model: Name?) -> Credits {
    let closed = buckets.listed?.closedCredits(for: model) ?? 0
    return balance.subtractingSaturating(closed).subtractingSaturating(held)
  }

  /// Whether the credits that may pay depend on a charge's model.
  public var hasScopedCredits: Bool { buckets.listed?.terms.haveScopes ?? false }

  /// The account's debt: a negative purchased bucket.
  var debt: Credits { max(0, 0 &- buckets.undated.purchased) }

  /// All buckets in the order of use, with the quota's remainder.
  public var bucketsInBurnOrder: BucketShares {
    var all = BucketShares()
    var rest = quotaBucket
    for bucket in buckets {
      if let quota = rest, quota.burnsBefore(bucket) {
        all.append(quota)
        rest = nil
      }
      all.append(bucket)
    }
    if let rest { all.append(rest) }
    return all
  }

  /// First bucket in the order of use; nil if it has none.
  var firstBucket: Bucket? {
    guard let bucket = quotaBucket else { return buckets.first }
    guard let first = buckets.first, first.burnsBefore(bucket) else { return bucket }
    return first
  }

  /// The rest of the quota as a bucket; nil if nothing remains.
  var quotaBucket: Bucket? {
    guard let quota, quota.remaining > 0 else { return nil }
    return Bucket(kind: .quota, credits: quota.remaining, expiresAt: quota.end)
  }
}

/// State that few accounts have. Copies of an account share it until one of them changes.
public final class RareState: Equatable, @unchecked Sendable {
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  /// Only the account that owns the memory changes it.
  @exclusivity(unchecked) public fileprivate(set) var rest: Rest

  public struct Rest: Equatable, Sendable {
    public var quota: Quota?
    public var rollover: Rollover?
    public var holds: [HoldSum] = []
    var recentTopUps: [RecentTopUp] = []
    var scheduled: [ScheduledGrant] = []
    var subscriptions = Subscriptions()
    public var planWithoutQuota: Name?
    public var parent: Name?
    public var hasChildren = false
    public var passedHolds: [HoldSum] = []
    public var limitCounters: [LimitCounter] = []
    public var limitsSet: [LimitSetting] = []
    var group: Name?
    var hasBought = false
    var settledDebts: [SettledDebt] = []
  }

  fileprivate init(_ rest: Rest) { self.rest = rest }

  fileprivate var isEmpty: Bool { !hasDatedState && !hasNotes && !hasLimits }

  /// True if it has a quota, subscriptions, holds, counted top-ups, or grants to come.
  public var hasDatedState: Bool {
    // By a pattern: a comparison would copy the quota.
    if case .some = rest.quota { return true }
    return !rest.holds.isEmpty || !rest.recentTopUps.isEmpty
      || !rest.scheduled.isEmpty || !rest.subscriptions.isEmpty
  }

  public var hasNotes: Bool { rest.group != nil || rest.hasBought || !rest.settledDebts.isEmpty }

  /// True if it has limits, or is part of a chain.
  var hasLimits: Bool {
    rest.planWithoutQuota != nil || rest.parent != nil || rest.hasChildren
      || !rest.passedHolds.isEmpty || !rest.limitCounters.isEmpty || !rest.limitsSet.isEmpty
  }

  /// True if its quota resets by its plan's anniversary or a wall clock, or drops carried credits
  /// by age.
  var hasNewQuota: Bool {
    rest.quota?.period.start != nil || rest.rollover != nil || rest.quota?.isByWallClock == true
  }

  /// Whether a window or period of its state ends by a wall clock.
  var hasWallClock: Bool {
    rest.quota?.isByWallClock == true || rest.limitCounters.contains { $0.resetsAt != nil }
  }

  public static func == (left: RareState, right: RareState) -> Bool {
    left === right || left.rest == right.rest
  }
}
