import Testing

@testable import CreditModel
@testable import TestSupport

/// Carried credits that expire after some periods.
struct RolloverTests {
  private func quota(_ limit: Credits, used: Credits) -> Quota {
    Quota(plan: "p", period: .month, limit: limit, used: used, resetsAt: .latest)
  }

  @Test(
    arguments: [
      (0, [100, 20, 30]), (10, [100, 20, 20]), (30, [100, 20, 0]), (45, [100, 5, 0]),
      (50, [100, 0, 0]), (120, [30, 0, 0]), (150, [0, 0, 0]),
    ] as [(Credits, [Credits])])
  func theOldestIsUsedFirst(used: Credits, left: [Credits]) {
    let rollover = Rollover(periods: 2, parts: [20, 30])
    #expect(rollover.left(of: quota(150, used: used)) == left)
  }

  @Test(
    arguments: [
      (1, 500, [100]), (2, 500, [100, 20]), (3, 500, [100, 20, 30]), (3, 149, [100, 20, 29]),
      (3, 120, [100, 20]), (3, 60, [60]), (3, 0, []),
    ] as [(Int64, Credits, [Credits])])
  func theOldestIsDroppedFirst(periods: Int64, most: Credits, parts: [Credits]) {
    var rollover = Rollover(periods: periods)
    rollover.carry([100, 20, 30], atMost: most)
    #expect(rollover.parts == parts)
    #expect(rollover.total == parts.reduce(0, +))
    #expect(rollover.isCarried(from: [100, 20, 30]))
    #expect(!rollover.isCarried(from: [99, 20, 30]) || parts.first ?? 0 < 99 || parts.isEmpty)
  }

  @Test func aGapBetweenPartsStays() {
    var rollover = Rollover(periods: 3)
    rollover.carry([0, 20], atMost: 100)
    #expect(rollover.parts == [0, 20])
    #expect(rollover.isSound(for: quota(120, used: 0)))
    #expect(!rollover.isSound(for: quota(19, used: 0)))
    rollover.parts = [20, 0]
    #expect(!rollover.isSound(for: quota(120, used: 0)))
  }

  @Test func eachPartHasItsExpiry() {
    var account = Account(name: "ana", registeredAt: .earliest)
    #expect(account.carriedCredits(by: .utc).isEmpty)
    account.quota = Quota(
      plan: "p", period: .month, limit: 150, used: 5,
      resetsAt: time("2027-03-01T00:00:00Z"))
    account.rollover = Rollover(periods: 2, parts: [20, 30])
    #expect(account.carriedCredits(by: .utc).map(\.credits) == [25, 20])
    #expect(
      account.carriedCredits(by: .utc).map(\.expiresAt)
        == [time("2027-03-01T00:00:00Z"), time("2027-04-01T00:00:00Z")])
  }
}
