import Testing

@testable import CreditModel
@testable import TestSupport

/// Windows by the policy's wall clock, of limits and of quotas.
@Suite struct WindowClockTests {
  private static func ledger(_ zone: SlowZone?, at text: String) -> LedgerFixture {
    let ledger = LedgerFixture(starter: 500) {
      $0.clock = .of(zone)
      var plan = Plan(
        id: "member",
        limits: [
          SpendLimit(id: "hour", period: .hour, amount: 10),
          SpendLimit(id: "day", period: .day, amount: 100),
          SpendLimit(id: "month", period: .month, amount: 1000),
          SpendLimit(id: "days", period: .days(1), amount: 1000),
          SpendLimit(id: "total", period: .total, amount: 1000),
        ])
      plan.quota = 50
      plan.period = .day
      $0.plans = [plan]
    }
    ledger.now = time(text)
    return ledger
  }

  /// The ends of the account's windows, and of its quota's period.
  private func ends(_ ledger: LedgerFixture) throws -> [String] {
    let account = try ledger.account()
    let limits = account.limitViews(under: ledger.policy)
    return (limits.map(\.resetsAt) + [account.quota?.end]).map { $0?.text ?? "never" }
  }

  @Test func windowsEndByTheWallClock() throws {
    // Clocks go back in the night to October 25: the day has 25 hours.
    let ledger = Self.ledger(.summer, at: "2026-10-25T00:15:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("member")))
    #expect(
      try ends(ledger) == [
        "2026-10-25T01:00:00.000Z", "2026-10-25T23:00:00.000Z", "2026-10-31T23:00:00.000Z",
        "2026-10-26T00:15:00.000Z", "never", "2026-10-25T23:00:00.000Z",
      ])
    _ = try ledger.perform(ledger.charge(key: "k", units(7)))
    ledger.now = time("2026-10-25T01:00:00Z")
    let counters = try ledger.account().limitCounters
    #expect(counters.map(\.used) == [0, 7, 7, 7, 7])
    // The hour that is shown again is another one.
    #expect(counters[0].since == ledger.now)
    #expect(counters[0].resetsAt == time("2026-10-25T02:00:00Z"))
  }

  @Test func aNewZoneHoldsFromTheNextReset() throws {
    let ledger = Self.ledger(nil, at: "2026-07-10T10:00:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("member")))
    _ = try ledger.perform(ledger.charge(key: "k", units(7)))
    ledger.policy.clock = SlowZone.fixed.clock
    #expect(try ends(ledger)[1] == "2026-07-11T00:00:00.000Z")
    // The window in UTC ends; the next one began at the end of that, not at 18:30.
    ledger.now = time("2026-07-11T01:00:00Z")
    let counter = try ledger.account().limitCounters[1]
    #expect(counter.since == time("2026-07-11T00:00:00Z"))
    #expect(counter.resetsAt == time("2026-07-11T18:30:00Z"))
    #expect(try ends(ledger)[5] == "2026-07-11T18:30:00.000Z")
    _ = try ledger.perform(ledger.charge(key: "l", units(3)))
    ledger.policy.clock = .utc
    ledger.now = time("2026-07-11T18:00:00Z")
    #expect(try ends(ledger)[1] == "2026-07-11T18:30:00.000Z")
    ledger.now = time("2026-07-11T19:00:00Z")
    let last = try ledger.account().limitCounters[1]
    #expect(last.since == time("2026-07-11T18:30:00Z") && last.resetsAt == nil)
    #expect(try ends(ledger)[1] == "2026-07-12T00:00:00.000Z")
  }

  @Test func aZoneIsNeededForNewWindowsAlone() throws {
    let ledger = Self.ledger(.summer, at: "2026-07-10T10:00:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("member")))
    ledger.policy.clock = .wall(PolicyZone("Test/Lost", from: TestZones()))
    _ = try ledger.perform(ledger.charge(key: "k", units(7)))
    ledger.now = time("2026-07-10T11:00:00Z")
    #expect(ledger.code(ledger.charge(key: "l", units(7))) == .unavailable)
    #expect(try ledger.perform(ledger.charge(key: "k", units(7))).isReplay)
  }

  @Test func readersNeedNoZone() throws {
    let ledger = Self.ledger(.summer, at: "2026-07-10T10:00:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("member")))
    _ = try ledger.perform(ledger.charge(key: "k", units(7)))
    ledger.policy.clock = WindowClock.wall(PolicyZone("Test/Lost", from: TestZones())).forReading
    ledger.now = time("2026-07-12T11:00:00Z")
    #expect(try ends(ledger)[...2] == ["never", "never", "2026-07-31T22:00:00.000Z"])
    #expect(try ledger.account().limitCounters.map(\.used) == [0, 0, 7, 0, 7])
    #expect(try ledger.account().quota?.end == nil)
    #expect(try ledger.account().quota?.remaining == 50)
  }

  /// The slow clocks agree with the zones of the same rules.
  @Test func slowZonesAgree() throws {
    for zone in SlowZone.choices.compactMap(\.self) {
      let quick = try PolicyZone(zone.name, from: TestZones()).zone()
      var random = SeededGenerator(seed: 5)
      for _ in 0..<25 {
        let instant = Timestamp(
          milliseconds: 1_767_225_600_000 + .random(in: 0...(500 * 86_400_000), using: &random))
        for unit in [.day, .week, .month] as [CalendarUnit] {
          #expect(
            zone.end(of: unit, containing: instant) == quick.end(of: unit, containing: instant))
          #expect(
            zone.start(of: unit, containing: instant) == quick.start(of: unit, containing: instant))
        }
      }
    }
  }
}
