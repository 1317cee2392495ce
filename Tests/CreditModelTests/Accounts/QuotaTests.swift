import Testing

@testable import CreditModel
@testable import TestSupport

@Suite struct QuotaPeriodTests {
  @Test(arguments: [
    (QuotaPeriod.month, "2026-01-15T10:00:00Z", "2026-02-01T00:00:00Z"),
    (.month, "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"),
    (.month, "2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00Z"),
    (.month, "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z"),
    (.day, "2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00Z"),
    (.day, "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"),
    (.day, "1960-02-29T12:00:00Z", "1960-03-01T00:00:00Z"),
    (.days(30), "2026-01-15T10:00:00.123Z", "2026-02-14T10:00:00.123Z"),
    (.days(1), "2026-02-28T10:00:00Z", "2026-03-01T10:00:00Z"),
    (.day, "9999-12-31T00:00:00Z", "9999-12-31T23:59:59.999Z"),
    (.month, "9999-12-01T00:00:00Z", "9999-12-31T23:59:59.999Z"),
    (.days(36_500), "9950-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"),
    (.days(.max), "2026-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"),
    (.anniversary(of: nil), "2026-01-31T10:00:00Z", "2026-02-28T10:00:00Z"),
    (
      .anniversary(of: time("2025-12-31T10:00:00Z")), "2026-02-28T10:00:00Z", "2026-03-31T10:00:00Z"
    ),
    (
      .anniversary(of: time("2026-01-15T10:00:00Z")), "2026-02-15T09:59:59Z", "2026-02-15T10:00:00Z"
    ),
    (
      .anniversary(of: time("1959-11-30T23:59:59.999Z")), "1960-02-01T00:00:00Z",
      "1960-02-29T23:59:59.999Z"
    ),
    (
      .anniversary(of: time("2026-01-31T00:00:00Z")), "9999-12-31T00:00:00Z",
      "9999-12-31T23:59:59.999Z"
    ),
    (.anniversary(of: .earliest), "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999Z"),
    (.days(0), "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
    (.days(-5), "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
  ])
  func turnsAt(period: QuotaPeriod, instant: String, turn: String) {
    #expect(period.turn(after: time(instant)).text == time(turn).text)
  }
}

@Suite struct QuotaTests {
  private static let plans = [
    Plan(id: "pro", quota: 100, period: .month, rolloverMax: 20),
    Plan(id: "basic", quota: 50, period: .month),
    Plan(id: "daily", quota: 10, period: .day),
    Plan(id: "thirty", quota: 30, period: .days(30)),
    Plan(id: "saver", quota: 10, period: .day, rolloverMax: 25),
    Plan(id: "nothing", quota: 0, period: .day, rolloverMax: 5),
  ]

  private func fixture(on plan: Name, at start: String = "2026-01-15T10:00:00Z") throws
    -> LedgerFixture
  {
    let ledger = LedgerFixture(starter: 0) {
      $0.plans = Self.plans
      $0.clockIsSimulated = true
    }
    ledger.now = time(start)
    _ = try ledger.perform(ledger.change(plan: .set(plan)))
    return ledger
  }

  /// The quota as `used/limit resetsAt`.
  private func quota(_ ledger: LedgerFixture, at text: String) throws -> String {
    ledger.now = time(text)
    let quota = try ledger.account().quota
    return quota.map { "\($0.used)/\($0.limit) \($0.resetsAt.text.prefix(10))" } ?? "none"
  }

  @Test func refillsWithCarriedCredits() throws {
    let ledger = try fixture(on: "pro")
    _ = try ledger.perform(ledger.charge(key: "c1", units(70)))
    #expect(try quota(ledger, at: "2026-01-31T23:59:59.999Z") == "70/100 2026-02-01")
    #expect(try quota(ledger, at: "2026-02-01T00:00:00Z") == "0/120 2026-03-01")
    // Missed turns come one after another.
    #expect(try quota(ledger, at: "2026-04-10T00:00:00Z") == "0/120 2026-05-01")
    _ = try ledger.perform(ledger.charge(key: "c2", units(115)))
    #expect(try quota(ledger, at: "2026-05-01T00:00:00Z") == "0/105 2026-06-01")
    _ = try ledger.perform(ledger.charge(key: "c3", units(105)))
    let refills = ledger.books.records.filter { $0.event.carriedOver != nil }
    #expect(refills.map(\.event.carriedOver) == [20, 20, 20, 5])
    #expect(refills.map { $0.historyLine?.carriedOver } == [20, 20, 20, 5])
    #expect(refills.allSatisfy { $0.version == .seven })
  }

  @Test func carriesUpToTheMostTurnByTurn() throws {
    let ledger = try fixture(on: "saver")
    let limits = try (16...20).map { try quota(ledger, at: "2026-01-\($0)T00:00:00Z") }
    #expect(
      limits == [
        "0/20 2026-01-17", "0/30 2026-01-18", "0/35 2026-01-19", "0/35 2026-01-20",
        "0/35 2026-01-21",
      ])
  }

  @Test func daysRunFromTheInstantOfSetting() throws {
    let ledger = try fixture(on: "thirty")
    #expect(try ledger.account().quota?.resetsAt == time("2026-02-14T10:00:00Z"))
    ledger.now = time("2026-03-16T09:59:59Z")
    #expect(try ledger.account().quota?.resetsAt == time("2026-03-16T10:00:00Z"))
    ledger.now = time("2026-03-16T10:00:00Z")
    #expect(try ledger.account().quota?.resetsAt == time("2026-04-15T10:00:00Z"))
  }

  @Test func changingThePlanKeepsTheUse() throws {
    let ledger = try fixture(on: "pro")
    _ = try ledger.perform(ledger.charge(key: "c1", units(30)))
    _ = try ledger.perform(ledger.change(plan: .set("basic")))
    #expect(try quota(ledger, at: "2026-01-16T00:00:00Z") == "30/50 2026-02-01")
    _ = try ledger.perform(ledger.change(plan: .set("daily")))
    #expect(try quota(ledger, at: "2026-01-16T00:00:00Z") == "30/10 2026-01-17")
    #expect(try ledger.balance() == 0)
    #expect(try quota(ledger, at: "2026-01-17T00:00:00Z") == "0/10 2026-01-18")
    _ = try ledger.perform(ledger.change(plan: .remove))
    #expect(try quota(ledger, at: "2026-01-17T00:00:00Z") == "none")
    #expect(try ledger.balance() == 0)
  }

  @Test func refillSettlesDebt() throws {
    let ledger = try fixture(on: "daily")
    _ = try ledger.perform(ledger.charge(key: "c1", units(34)))
    #expect(try ledger.buckets() == "purchased -24")
    #expect(try quota(ledger, at: "2026-01-16T00:00:00Z") == "10/10 2026-01-17")
    #expect(try ledger.buckets() == "purchased -14")
    #expect(try quota(ledger, at: "2026-01-18T00:00:00Z") == "4/10 2026-01-19")
    #expect(try ledger.buckets() == "quota 6")
  }

  @Test func editsOfThePolicyCountFromTheNextTurn() throws {
    let ledger = try fixture(on: "daily")
    _ = try ledger.perform(ledger.charge(key: "c1", units(4)))
    ledger.policy.plans = [Plan(id: "daily", quota: 7, period: .month, rolloverMax: 1)]
    #expect(try quota(ledger, at: "2026-01-15T23:00:00Z") == "4/10 2026-01-16")
    #expect(try quota(ledger, at: "2026-01-16T00:00:00Z") == "0/8 2026-02-01")
    #expect(try quota(ledger, at: "2026-02-01T00:00:00Z") == "0/8 2026-03-01")
  }

  @Test func aRemovedPlanRefillsWithNothing() throws {
    let ledger = try fixture(on: "daily")
    ledger.policy.plans = []
    #expect(try quota(ledger, at: "2026-01-15T23:00:00Z") == "0/10 2026-01-16")
    #expect(try quota(ledger, at: "2026-01-16T00:00:00Z") == "0/0 2026-01-17")
    #expect(try ledger.balance() == 0)
    // Ten years of empty turns leave no records.
    ledger.now = time("2036-01-15T12:00:00Z")
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(1)))
    #expect(ledger.books.records.count == 4)
    ledger.policy.plans = Self.plans
    #expect(try quota(ledger, at: "2036-01-16T00:00:00Z") == "0/10 2036-01-17")
  }

  @Test func everyTurnIsRecordedAsItTookEffect() throws {
    let ledger = try fixture(on: "daily")
    _ = try ledger.perform(ledger.charge(key: "c1", units(4)))
    ledger.now = time("2026-01-17T12:00:00Z")
    _ = try ledger.perform(ledger.charge(key: "c2", units(1)))
    let turns = ledger.books.records.dropFirst(3).dropLast()
    #expect(
      turns.map(\.event) == [
        .expiry(.quota, credits: -6, grant: nil), .refill(credits: 10, carriedOver: 0),
        .expiry(.quota, credits: -10, grant: nil), .refill(credits: 10, carriedOver: 0),
      ])
    #expect(turns.map(\.account.balance) == [0, 10, 0, 10])
    #expect(
      turns.map { $0.account.updatedAt.text.prefix(10) }
        == ["2026-01-16", "2026-01-16", "2026-01-17", "2026-01-17"])
  }

  /// A hold that expired before a turn is not held any more in the turn's record.
  @Test func turnsSeeNoExpiredHolds() throws {
    let ledger = try fixture(on: "daily")
    _ = try ledger.perform(ledger.authorize(hold: 4))
    ledger.now = time("2026-01-16T12:00:00Z")
    _ = try ledger.perform(ledger.charge(key: "c", units(1)))
    #expect(ledger.books.records.suffix(3).map(\.account.held) == [0, 0, 0])
  }

  /// Turns that repeat one another are skipped after a year of them, and end up in the same place.
  @Test func aLongAbsence() throws {
    let ledger = try fixture(on: "saver")
    _ = try ledger.perform(ledger.bonus(key: "b", 5, until: time("2031-03-04T00:00:00Z")))
    ledger.now = time("2046-01-15T12:00:00Z")
    var account = try #require(ledger.books.account("alice"))
    let turns = try account.advance(to: ledger.now, under: ledger.policy)
    #expect(turns.count < 1000)
    #expect(account.balance == 35)
    #expect(account.quota?.resetsAt == time("2046-01-16T00:00:00Z"))
    #expect(turns.last?.account.balance == 35)
    let times = turns.map(\.account.updatedAt)
    #expect(times == times.sorted())
    let expiry = try #require(
      turns.first {
        if case .expiry(.bonus, _, _) = $0.event { true } else { false }
      })
    #expect(expiry.account.updatedAt == time("2031-03-04T00:00:00Z"))
  }

  @Test(arguments: ["pro", "daily", "thirty", "saver", "nothing"] as [Name])
  func theEndOfTime(plan: Name) throws {
    let ledger = try fixture(on: plan)
    ledger.now = .latest
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(1)))
    let account = try #require(ledger.books.account("alice"))
    #expect(account.updatedAt == .latest)
    #expect(try #require(account.quota).resetsAt <= .latest)
    _ = try ledger.perform(ledger.charge(key: "c", units(1)))
    #expect(try ledger.perform(ledger.change(plan: .set("basic"))).account?.quota != nil)
  }
}
