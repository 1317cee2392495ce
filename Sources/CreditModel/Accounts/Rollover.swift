/// Credits that a quota has carried over, if each part of them expires after some periods.
///
/// The oldest part is used first. So the rest of each part follows from the use of the whole quota,
/// and a charge changes no part.
public struct Rollover: Equatable, Sendable {
  /// How many periods a part is carried through.
  public var periods: Int64
  /// The parts at the period's beginning, the newest first: credits of the last period's own quota,
  /// of the one before it, and so on. The last part is not empty.
  ///
  /// Once the quota has expired, the next period may carry them.
  public var parts: [Credits]

  /// Allowed numbers of periods: they limit a record's size.
  public static let limits: ClosedRange<Int64> = 1...100

  public init(periods: Int64, parts: [Credits] = []) {
    self.periods = periods
    self.parts = parts
  }

  var total: Credits { parts.reduce(0) { $0.addingSaturating($1) } }

  /// Returns the rest of each part of a quota, the newest first: of its own credits, then of those
  /// carried over.
  public func left(of quota: Quota) -> [Credits] {
    var used = quota.used
    var left: [Credits] = []
    for part in parts.reversed() + [quota.limit - total] {
      let share = min(used, part)
      left.append(part - share)
      used -= share
    }
    return left.reversed()
  }

  /// Carries the rest of each part into the next period, unless that was its last one. The oldest
  /// credits above a number are dropped.
  mutating func carry(_ left: [Credits], atMost most: Credits) {
    var room = most
    parts = []
    for part in left.prefix(Int(periods)) {
      parts.append(min(part, room))
      room -= min(part, room)
    }
    trim()
  }

  /// Whether some policy carries it over from the rest of each part.
  func isCarried(from left: [Credits]) -> Bool {
    var made = self
    made.carry(left, atMost: total)
    return made == self
  }

  mutating func expire(_ quota: Quota) {
    parts = left(of: quota)
    trim()
  }

  private mutating func trim() {
    while parts.last == 0 { parts.removeLast() }
  }

  /// Whether the rules make it for a quota.
  func isSound(for quota: Quota) -> Bool {
    Self.limits.contains(periods) && parts.count <= periods + 1 && parts.allSatisfy { $0 >= 0 }
      && parts.last != 0 && total <= quota.limit
  }
}

extension Account {
  /// Returns the credits that are left of those carried over, in the order of use. Each has the
  /// time at which it expires if it is not dropped before, unless no zone file gives it.
  func carriedCredits(by clock: WindowClock) -> [Bucket] {
    guard let rollover, var quota = showingGrace.quota else { return [] }
    let begun = quota
    var carried: [Bucket] = []
    var left = Array(rollover.left(of: begun).dropFirst())
    left += repeatElement(0, count: max(0, Int(rollover.periods) - left.count))
    for credits in left.reversed() {
      if credits > 0 {
        carried.append(Bucket(kind: .quota, credits: credits, expiresAt: quota.end))
      }
      try? clock.forReading.setEnd(of: &quota, after: quota.resetsAt)
    }
    return carried
  }
}

extension Plan {
  /// The beginning of carried credits with their ages; nil if these do not expire.
  var rollover: Rollover? { rolloverFor.map { Rollover(periods: $0) } }
}
