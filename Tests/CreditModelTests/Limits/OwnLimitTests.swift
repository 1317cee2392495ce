import Testing

@testable import CreditModel
@testable import TestSupport

/// An account's own limits with an end, and those without that they replace.
@Suite struct OwnLimitTests {
  private let ledger = LedgerFixture(starter: 10_000)

  init() throws {
    try set("total", 500, alerts: [80])
    try charge(300)
  }

  /// - Parameter credits: nil to lift it.
  private func set(
    _ id: Name, _ credits: Credits?, alerts: [Int64]? = nil, until: String? = nil
  ) throws {
    let change = credits.map { LimitChange(id: id, credits: $0, alerts: alerts) }
    try perform(change ?? LimitChange(id: id, .lifted), until: until)
  }

  private func perform(_ change: LimitChange, until: String? = nil) throws {
    var request = AccountRequest(account: "alice", time: ledger.now)
    request.limits = [change]
    request.limitUntil = until.map { time($0 + "T00:00:00Z") }
    _ = try ledger.perform(.account(request))
  }

  private func charge(_ credits: Credits) throws {
    _ = try ledger.perform(
      ledger.charge(key: Name(trusted: "k\(ledger.books.records.count)"), units(credits)))
  }

  /// The number, its alerts and the count at a time.
  private func total(at text: String) throws -> String {
    ledger.now = time(text)
    let views = try ledger.account().limitViews(under: ledger.policy)
    guard let view = views.first(where: { $0.limit.id == "total" }) else { return "none" }
    return "\(view.limit.own?.words ?? "") \(view.limit.alerts) \(view.used)"
  }

  /// Raised twice, lowered, lifted, extended, shortened, and set to the same.
  @Test(arguments: [[2000], [2000, 2500], [100], [nil], [nil, 700, nil], [500]] as [[Credits?]])
  func itsNumberReturnsAndTheCounterGoesOn(numbers: [Credits?]) throws {
    for (place, number) in numbers.enumerated() {
      try set("total", number, until: "2026-02-2\(7 - place)")
      if number ?? 400 > 300 { try charge(50) }
    }
    let spent = ledger.books.account("alice")?.limitCounters.first?.used ?? 0
    #expect(try total(at: "2026-02-28T00:00:00Z") == "500 [80] \(spent)")
    #expect(spent == 10_000 - (try ledger.balance()))
    try charge(1)
    #expect(try total(at: "2026-02-28T00:00:00Z") == "500 [80] \(spent + 1)")
    ledger.expectSound()
  }

  @Test func anEndComesBetweenWrites() throws {
    try set("total", 2000, until: "2026-02-27")
    ledger.now = time("2026-03-02T00:00:00Z")
    // Another one before anything was recorded at the end of the first.
    try set("total", 3000, until: "2026-03-09")
    #expect(try total(at: "2026-03-08T00:00:00Z") == "3000 [100] 300")
    #expect(try total(at: "2026-03-09T00:00:00Z") == "500 [80] 300")
    ledger.expectSound()
  }

  @Test func anotherNumberTakesThePlaceOfBoth() throws {
    try set("total", 2000, until: "2026-02-27")
    try set("total", 600)
    #expect(try total(at: "2026-02-20T00:00:00Z") == "600 [100] 300")
    #expect(try total(at: "2026-02-28T00:00:00Z") == "600 [100] 300")
    try set("total", nil, until: "2026-03-07")
    try perform(LimitChange(id: "total", .plan))
    #expect(try total(at: "2026-02-28T00:00:00Z") == "none")
    #expect(try total(at: "2026-03-08T00:00:00Z") == "none")
    ledger.expectSound()
  }

  @Test func aNumberThatWasAloneEnds() throws {
    try perform(LimitChange(id: "total", .plan))
    try set("total", 2000, until: "2026-02-27")
    try set("total", 3000, until: "2026-02-28")
    #expect(try total(at: "2026-02-28T00:00:00Z") == "none")
    try charge(1)
    ledger.expectSound()
  }

  /// A number that has been replaced before the plan had one comes back all the same.
  @Test(arguments: [false, true]) func theNumberOfThePlanAppliesAgain(isReplaced: Bool) throws {
    if isReplaced { try set("total", 1500, until: "2026-02-26") }
    let limit = SpendLimit(id: "total", period: .total, amount: 1000, alerts: [50])
    ledger.policy.plans = [Plan(id: "team", limits: [limit])]
    let request = AccountRequest(account: "alice", plan: .set("team"), time: ledger.now)
    _ = try ledger.perform(.account(request))
    try set("total", 2000, until: "2026-02-27")
    #expect(ledger.books.records.last?.version == (isReplaced ? .five : .three))
    try charge(50)
    ledger.expectSound()
    let expected = isReplaced ? "500 [80]" : " [50]"
    #expect(try total(at: "2026-02-27T00:00:00Z") == "\(expected) 350")
    try charge(1)
    #expect(try total(at: "2026-02-28T00:00:00Z") == "\(expected) 351")
    ledger.expectSound()
  }

  @Test func onlyStoresOfSuchLimitsAreOfVersionFive() throws {
    try set("week", 700, until: "2026-02-27")
    #expect(ledger.books.records.allSatisfy { $0.version < .five })
    try set("total", 2000, until: "2026-02-27")
    #expect(ledger.books.records.last?.version == .five)
    try charge(1)
    #expect(ledger.books.records.last?.version == .five)
    ledger.now = time("2026-02-27T00:00:00Z")
    try charge(1)
    #expect(ledger.books.records.last?.version == .four)
  }

  /// The audit accepts records of earlier tools, which forgot the number, and no others.
  @Test func earlierToolsForgotTheNumber() throws {
    func problem(_ then: LimitSetting?) throws -> String? {
      let records = ledger.books.records
      guard var record = records.last else { return "no record" }
      let set = record.account.limitsSet[0]
      record.account.limitsSet[0] = LimitSetting(set, until: set.until, then: then)
      return failure { () throws(RecordFault) in
        try record.check(after: records[records.count - 2].account, earlier: nil)
      }?.reason
    }
    let fault = "has an account whose limitsSet its events do not make"
    try set("total", 2000, until: "2026-02-27")
    let endless = LimitSetting(id: "total", amount: 500, alerts: [80])
    #expect(try problem(endless) == nil)
    #expect(try problem(nil) == nil)
    #expect(try problem(LimitSetting(id: "total", amount: 501, alerts: [80])) == fault)
    try set("total", 2500, until: "2026-02-27")
    #expect(try problem(endless) == nil)
    #expect(try problem(nil) == fault)
    try charge(1)
    #expect(try problem(nil) != nil)
  }
}
