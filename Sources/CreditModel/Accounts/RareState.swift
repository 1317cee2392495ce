/// State that few accounts have.
///
/// An account's copies share its memory until one of them changes.
struct RareState: Hashable, Sendable {
  /// Nil if the account has no such state.
  var shared: Shared?

  struct Rest: Hashable, Sendable {
    var quota: Quota?
    var holds: [HoldSum] = []
    var recentTopUps: [RecentTopUp] = []
    var scheduled: [ScheduledGrant] = []
    var subscriptions = Subscriptions()
    var planWithoutQuota: Name?
    var parent: Name?
    var hasChildren = false
    var passedHolds: [HoldSum] = []
    var limitCounters: [LimitCounter] = []
    var limitsSet: [LimitSetting] = []
    var group: Name?
    var hasBought = false
    var settledDebts: [SettledDebt] = []
  }

  final class Shared: @unchecked Sendable {
    /// Changed by nobody but the one account that has the memory, whose own accesses exclude one
    /// another: to check these, too, would cost more than they do.
    @exclusivity(unchecked) var rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    var isEmpty: Bool {
      rest.quota == nil && rest.holds.isEmpty && rest.recentTopUps.isEmpty
        && rest.scheduled.isEmpty && rest.subscriptions.isEmpty && rest.planWithoutQuota == nil
        && rest.parent == nil && !rest.hasChildren && rest.passedHolds.isEmpty
        && rest.limitCounters.isEmpty && rest.limitsSet.isEmpty && rest.group == nil
        && !rest.hasBought && rest.settledDebts.isEmpty
    }
  }

  /// The memory, which no other account has.
  mutating func own() -> Shared {
    if isKnownUniquelyReferenced(&shared), let shared { return shared }
    let own = Shared(shared?.rest ?? Rest())
    shared = own
    return own
  }

  static func == (left: RareState, right: RareState) -> Bool {
    left.shared === right.shared || left.shared?.rest == right.shared?.rest
  }

  func hash(into hasher: inout Hasher) { hasher.combine(shared?.rest) }
}
