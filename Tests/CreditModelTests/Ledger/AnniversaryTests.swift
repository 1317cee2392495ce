import Testing

@testable import CreditModel
@testable import TestSupport

/// Quotas that reset monthly from the instant at which their plan began.
@Suite struct AnniversaryTests {
  /// `sub` has the plan `paid`, with three days of grace; `other` has the plan `third`.
  private func ledger(at start: String) throws -> LedgerFixture {
    let ledger = LedgerFixture(starter: 0) {
      $0.plans = [
        Plan(id: "paid", quota: 50, period: .anniversary(of: nil), rolloverMax: 20),
        Plan(id: "third", quota: 70, period: .anniversary(of: nil)),
        Plan(id: "calendar", quota: 10, period: .month),
      ]
      $0.clockIsSimulated = true
    }
    ledger.now = time(start)
    return ledger
  }

  private func quota(_ ledger: LedgerFixture, at text: String) throws -> String {
    ledger.now = time(text)
    let quota = try ledger.account().quota
    return quota.map { "\($0.used)/\($0.limit) \($0.resetsAt.text.prefix(16))" } ?? "none"
  }

  /// The resets of two years, the first of them at a time.
  private func resets(from start: String) throws -> [String] {
    let ledger = try ledger(at: start)
    _ = try ledger.perform(ledger.change(plan: .set("third")))
    return try (0..<26).map { _ in
      let resetsAt = try #require(try ledger.account().quota).resetsAt
      ledger.now = resetsAt
      return String(resetsAt.text.prefix(16))
    }
  }

  @Test(arguments: [28, 29, 30, 31])
  func theLastDaysOfAMonth(day: Int) throws {
    let resets = try resets(from: "2027-01-\(day)T10:30:00Z")
    let lengths = [28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 29, 31, 30, 31, 30, 31, 31]
    for (place, length) in lengths.enumerated() {
      let (year, month) = (2027 + (place + 1) / 12, (place + 1) % 12 + 1)
      let expected = "\(year)-\(month < 10 ? "0" : "")\(month)-\(min(day, length))T10:30"
      #expect(resets[place] == expected)
    }
  }

  @Test func theTwentyNinthOfFebruary() throws {
    let resets = try resets(from: "2028-02-29T00:00:00Z")
    #expect(resets[0] == "2028-03-29T00:00")
    #expect(resets[10...12] == ["2029-01-29T00:00", "2029-02-28T00:00", "2029-03-29T00:00"])
    let ledger = try ledger(at: "2028-02-29T00:00:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("third")))
    #expect(try quota(ledger, at: "2032-02-28T12:00:00Z") == "0/70 2032-02-29T00:00")
    #expect(try quota(ledger, at: "2100-02-28T00:00:00Z") == "0/70 2100-03-29T00:00")
  }

  @Test func missedResetsComeInTheirTime() throws {
    let ledger = try ledger(at: "2026-01-31T10:00:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("paid")))
    _ = try ledger.perform(ledger.charge(key: "c1", units(45)))
    ledger.now = time("2026-04-30T10:00:00Z")
    _ = try ledger.perform(ledger.charge(key: "c2", units(1)))
    let turns = ledger.books.records.dropFirst(3).dropLast()
    #expect(
      turns.map { "\($0.account.updatedAt.text.prefix(16)) \($0.account.balance)" } == [
        "2026-02-28T10:00 0", "2026-02-28T10:00 55", "2026-03-31T10:00 0", "2026-03-31T10:00 70",
        "2026-04-30T10:00 0", "2026-04-30T10:00 70",
      ])
    ledger.expectSound()
  }

  /// Monthly resets go on through renewals of a yearly subscription, early and late.
  @Test func aYearlySubscriptionIsRenewed() throws {
    let ledger = try ledger(at: "2026-01-31T10:00:00Z")
    try ledger.pay("p1", days: 365)
    #expect(try quota(ledger, at: "2026-02-28T09:59:59Z") == "0/50 2026-02-28T10:00")
    #expect(try quota(ledger, at: "2026-02-28T10:00:00Z") == "0/70 2026-03-31T10:00")
    ledger.now = time("2027-01-15T00:00:00Z")
    _ = try ledger.perform(ledger.charge(key: "k", units(60)))
    try ledger.pay("p2", days: 365 + 16)
    #expect(try quota(ledger, at: "2027-01-20T00:00:00Z") == "60/70 2027-01-31T10:00")
    #expect(try quota(ledger, at: "2027-01-31T10:00:00Z") == "0/60 2027-02-28T10:00")
    // In the days of grace, in which none begins without a renewal.
    #expect(try quota(ledger, at: "2028-01-31T00:00:00Z") == "0/70 2028-01-31T10:00")
    _ = try ledger.perform(ledger.charge(key: "l", units(65)))
    #expect(try quota(ledger, at: "2028-01-31T23:00:00Z") == "65/70 2028-01-31T10:00")
    _ = try ledger.perform(ledger.charge(key: "m", units(2)))
    ledger.expectSound()
    try ledger.pay("p3", days: 366)
    #expect(try quota(ledger, at: "2028-02-02T00:00:00Z") == "0/53 2028-02-29T10:00")
    #expect(try quota(ledger, at: "2028-05-31T09:00:00Z") == "0/70 2028-05-31T10:00")
    ledger.expectSound()
  }

  @Test func aPlanThatEndedBeginsAnew() throws {
    let ledger = try ledger(at: "2026-01-31T10:00:00Z")
    try ledger.pay("p1", days: 30)
    #expect(try quota(ledger, at: "2026-03-05T10:00:00Z") == "none")
    try ledger.pay("p2", days: 90)
    #expect(try quota(ledger, at: "2026-03-06T00:00:00Z") == "0/50 2026-04-05T10:00")
    ledger.expectSound()
  }

  /// A provider says when a payment's period begins, mostly some time before its event comes.
  @Test func itBeginsWithThePeriodThatIsPaid() throws {
    let ledger = try ledger(at: "2026-01-31T10:07:00Z")
    try ledger.pay("p1", days: 60) {
      let end = ledger.now.adding(.seconds(60 * 86_400)) ?? .latest
      $0.period = PaidPeriod(until: end, since: time("2026-01-31T10:00:00Z"))
    }
    #expect(try quota(ledger, at: "2026-02-01T00:00:00Z") == "0/50 2026-02-28T10:00")
    ledger.expectSound()
  }

  @Test func anotherPlanBeginsAnotherAnniversary() throws {
    let ledger = try ledger(at: "2026-01-31T10:00:00Z")
    try ledger.pay("p1", days: 365)
    _ = try ledger.perform(ledger.charge(key: "k", units(30)))
    ledger.now = time("2026-02-10T12:00:00Z")
    try ledger.pay("o1", "other", days: 365)
    #expect(try quota(ledger, at: "2026-02-11T00:00:00Z") == "30/70 2026-03-10T12:00")
    _ = try ledger.perform(ledger.change(plan: .set("third")))
    #expect(try quota(ledger, at: "2026-03-09T00:00:00Z") == "30/70 2026-03-10T12:00")
    _ = try ledger.perform(ledger.change(plan: .set("calendar")))
    #expect(try quota(ledger, at: "2026-03-20T00:00:00Z") == "30/10 2026-04-01T00:00")
    _ = try ledger.perform(ledger.change(plan: .set("third")))
    #expect(try quota(ledger, at: "2026-03-21T00:00:00Z") == "30/70 2026-04-20T00:00")
    ledger.expectSound()
  }

  @Test func aReversedRefundBringsTheAnniversaryBack() throws {
    let ledger = try ledger(at: "2026-01-31T10:00:00Z")
    try ledger.pay("p1", days: 28)
    ledger.now = time("2026-02-28T10:00:00Z")
    try ledger.pay("p2", days: 60)
    #expect(try quota(ledger, at: "2026-03-30T00:00:00Z") == "0/70 2026-03-31T10:00")
    _ = try ledger.perform(ledger.charge(key: "k", units(6)))
    try ledger.dispute("p2", isTaken: true)
    #expect(try ledger.account().quota == nil)
    #expect(ledger.books.records.last?.version == .four)
    try ledger.dispute("p2", isTaken: false)
    #expect(try quota(ledger, at: "2026-03-30T01:00:00Z") == "6/70 2026-03-31T10:00")
    try ledger.dispute("p2", isTaken: true, 3)
    ledger.now = time("2026-04-02T00:00:00Z")
    try ledger.dispute("p2", isTaken: false, 4)
    #expect(try quota(ledger, at: "2026-04-02T00:00:00Z") == "0/50 2026-04-30T10:00")
    ledger.expectSound()
  }

  @Test func editsOfThePolicyCountFromTheNextReset() throws {
    let ledger = try ledger(at: "2026-01-15T10:00:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("calendar")))
    ledger.policy.plans = [Plan(id: "calendar", quota: 8, period: .anniversary(of: nil))]
    #expect(try quota(ledger, at: "2026-01-16T00:00:00Z") == "0/10 2026-02-01T00:00")
    #expect(try quota(ledger, at: "2026-02-02T00:00:00Z") == "0/8 2026-03-01T00:00")
    _ = try ledger.perform(ledger.charge(key: "c", units(1)))
    ledger.policy.plans = [Plan(id: "calendar", quota: 0, period: .anniversary(of: nil))]
    ledger.now = time("2027-05-06T00:00:00Z")
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(1)))
    ledger.policy.plans = [Plan(id: "calendar", quota: 8, period: .days(1))]
    #expect(try quota(ledger, at: "2027-06-01T01:00:00Z") == "0/8 2027-06-02T00:00")
    _ = try ledger.perform(ledger.charge(key: "d", units(1)))
    ledger.expectSound()
  }

  /// The verifier finds an anniversary that moves.
  @Test func aMovedAnniversaryIsFound() throws {
    let ledger = try ledger(at: "2026-01-31T10:00:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("third")))
    ledger.now = time("2026-03-05T00:00:00Z")
    _ = try ledger.perform(ledger.charge(key: "c", units(1)))
    let records = ledger.books.records
    for place in 1..<records.count {
      var record = records[place]
      guard var quota = record.account.quota else { continue }
      quota.period = .anniversary(of: time("2026-01-28T10:00:00Z"))
      quota.resetsAt = quota.period.turn(after: record.account.updatedAt)
      record.account.quota = quota
      #expect(throws: RecordFault.self) {
        try record.check(after: records[place - 1].account, earlier: nil)
      }
    }
  }

  @Test func onlyStoresOfSuchPlansAreOfVersionFour() throws {
    let ledger = try ledger(at: "2026-01-31T10:00:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("calendar")))
    #expect(ledger.books.records.allSatisfy { $0.version == .two })
    _ = try ledger.perform(ledger.change(plan: .set("third")))
    #expect(ledger.books.records.last?.version == .four)
  }
}
