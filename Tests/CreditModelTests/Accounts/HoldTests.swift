import Testing

@testable import CreditModel
@testable import TestSupport

@Suite struct HoldTests {
  @Test func setsCreditsAside() throws {
    let ledger = LedgerFixture()
    let held = try ledger.perform(ledger.authorize(id: "a1", hold: 60)).authorization?.hold
    #expect(held?.credits == 60)
    #expect(held?.expiresAt == time("2026-02-19T11:00:00Z"))
    let account = try ledger.account()
    #expect((account.balance, account.held, account.available) == (100, 60, 40))
    #expect(ledger.code(ledger.authorize(hold: 41)) == .insufficientCredits)
    _ = try ledger.perform(ledger.authorize(hold: 40))
    // No credits are free: even the pre-check is refused.
    #expect(ledger.code(ledger.authorize()) == .insufficientCredits)
    _ = try ledger.perform(ledger.void("a1"))
    #expect(try ledger.account().available == 60)
  }

  @Test func refusalHasTheHeldCredits() throws {
    let ledger = LedgerFixture()
    func message(_ hold: Credits?) -> String? {
      failure { () throws(CreditError) in try ledger.perform(ledger.authorize(hold: hold)) }?
        .message
    }
    #expect(
      message(101)
        == #"account "alice" has 100 credits, too few for a hold of 101; top up to continue"#)
    _ = try ledger.perform(ledger.authorize(hold: 60))
    #expect(
      message(.max)
        == #"account "alice" has 100 credits, and 60 are held already, too few for a hold of "#
        + "9223372036854775807; top up to continue")
    _ = try ledger.perform(ledger.authorize(hold: 40))
    #expect(
      message(nil)
        == #"account "alice" has 100 credits, and 100 are held already; top up to continue"#)
  }

  @Test func chargeReleasesIt() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1", hold: 60))
    _ = try ledger.perform(ledger.authorize(id: "a2", hold: 30))
    _ = try ledger.perform(ledger.charge("a1", units(50)))
    let account = try ledger.account()
    #expect((account.balance, account.held, account.available) == (50, 30, 20))
  }

  @Test func expiresAndItsChargeStillGoesThrough() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1", hold: 60, expiresIn: .seconds(60)))
    _ = try ledger.perform(ledger.authorize(id: "a2", hold: 10, expiresIn: .seconds(120)))
    ledger.now = time("2026-02-19T10:00:59.999Z")
    #expect(try ledger.account().held == 70)
    ledger.now = time("2026-02-19T10:01:00Z")
    #expect(try ledger.account().held == 10)
    #expect(try ledger.perform(ledger.charge("a1", units(50))).receipt?.newBalance == 50)
    // An expired hold isn't released once more.
    #expect(try ledger.account().held == 10)
  }

  @Test func theSameExpiryIsOneSum() throws {
    let ledger = LedgerFixture()
    for id in ["a1", "a2", "a3"] as [Name] {
      _ = try ledger.perform(ledger.authorize(id: id, hold: 10))
    }
    #expect(try ledger.account().holds.count == 1)
    _ = try ledger.perform(ledger.void("a2"))
    #expect(try ledger.account().holds.map(\.credits) == [20])
  }

  /// However many there are, and however long each is to last.
  @Test func manyHoldsHaveFewExpiries() throws {
    let ledger = LedgerFixture(starter: 1 << 40)
    var random = SeededGenerator(seed: 7)
    for _ in 1...5000 {
      let seconds = Int64.random(in: 1...(90 * 86_400), using: &random)
      _ = try ledger.perform(ledger.authorize(hold: 1000, expiresIn: .seconds(seconds)))
    }
    let account = try ledger.account()
    #expect(account.held == 5_000_000)
    #expect(account.holds.count < 1000)
    #expect(account.holds.textCount < Account.holdTextLimit)
    #expect(account.holds.map(\.expiresAt) == account.holds.map(\.expiresAt).sorted())
  }

  /// Hour after hour.
  @Test func holdsOfOneLengthHaveAHundred() throws {
    let ledger = LedgerFixture(starter: 1 << 40)
    for length in [3600, 900, 86_400, 5000] as [Int64] {
      for _ in 1...500 {
        ledger.now = Timestamp(milliseconds: ledger.now.milliseconds + length * 7)
        _ = try ledger.perform(ledger.authorize(hold: 3, expiresIn: .seconds(length)))
      }
      #expect(try ledger.account().holds.count <= 121)
      ledger.now = Timestamp(milliseconds: ledger.now.milliseconds + length * 2000)
    }
  }

  @Test func aThousandExpiriesAtMost() throws {
    let ledger = LedgerFixture(starter: 5000)
    var error: CreditError?
    var seconds: Int64 = 1
    while error == nil, seconds < 1 << 40 {
      error = failure { () throws(CreditError) in
        try ledger.perform(ledger.authorize(hold: 1, expiresIn: .seconds(seconds)))
      }
      seconds += max(1, seconds / 90)
    }
    #expect(error?.code == .limitExceeded)
    #expect(
      error?.message == #"account "alice" has holds with too many different expiries already"#)
    let account = try ledger.account()
    #expect(account.holds.count <= 1000 && account.holds.count > 800)
    #expect(account.holds.textCount <= Account.holdTextLimit)
    // One more of an expiry that is there.
    _ = try ledger.perform(ledger.authorize(hold: 1, expiresIn: .seconds(1)))
  }

  /// Rounded up, by at most a 60th; whole minutes and their divisors stay.
  @Test(arguments: [
    (3600, "2026-02-19T11:00:00Z"), (90, "2026-02-19T10:01:30Z"), (900, "2026-02-19T10:15:00Z"),
    (86_400, "2026-02-20T10:08:00Z"), (7200, "2026-02-19T12:00:00Z"),
    (3601, "2026-02-19T11:01:00Z"), (3599, "2026-02-19T11:00:00Z"),
    (20, "2026-02-19T10:00:20Z"), (1, "2026-02-19T10:00:01Z"), (59, "2026-02-19T10:00:59.375Z"),
  ])
  func expiresAtAWholeStep(seconds: Int64, expected: String) throws {
    let ledger = LedgerFixture()
    let hold = try ledger.perform(ledger.authorize(hold: 1, expiresIn: .seconds(seconds)))
      .authorization?.hold
    #expect(hold?.expiresAt == time(expected))
  }

  @Test func theRoundingHasABound() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 1...3000 {
      let length = Int64(1) << Int64.random(in: 0...32, using: &random)
      let seconds = Int64.random(in: 1...max(2, length), using: &random)
      let start = Timestamp(
        milliseconds: .random(in: -60_000_000_000_000...200_000_000_000_000, using: &random))
      var account = Account(name: "a", registeredAt: start)
      account.buckets = [Bucket(kind: .starter, credits: 5)]
      let expiry = try #require(HoldStep.expiry(after: .seconds(seconds), from: start))
      let late = expiry.milliseconds - start.milliseconds - seconds * 1000
      #expect(late >= 0 && late * 60 <= seconds * 1000, "\(seconds) s from \(start.text)")
      #expect(HoldStep.isExpiry(expiry, from: start))
    }
  }

  @Test func cannotOutliveTheYear9999() {
    let ledger = LedgerFixture()
    ledger.now = .latest
    #expect(ledger.code(ledger.authorize(hold: 1)) == .invalidRequest)
  }
}
