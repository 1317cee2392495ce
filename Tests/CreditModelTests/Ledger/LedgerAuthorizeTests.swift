import CreditModel
import Testing

@testable import TestSupport

@Suite struct LedgerAuthorizeTests {
  @Test func authorizesWhileThereAreCredits() throws {
    let ledger = LedgerFixture(starter: 1)
    let result = try ledger.perform(ledger.authorize(id: "a1"))
    #expect(result.authorization?.id == "a1")
    #expect(result.authorization?.timestamp == ledger.now)
    #expect(try ledger.balance() == 1)
    _ = try ledger.perform(ledger.charge("a1", units(1)))
    #expect(ledger.code(ledger.authorize()) == .insufficientCredits)
  }

  @Test func refusalHasTheFactsAndRecordsNothing() throws {
    let ledger = LedgerFixture(starter: 0)
    let error = failure { () throws(CreditError) in try ledger.perform(ledger.authorize()) }
    #expect(error?.code == .insufficientCredits)
    #expect(error?.message == #"account "alice" has 0 credits; top up to continue"#)
    #expect(ledger.books.records.isEmpty)
  }

  @Test func makesAnIdWhereNoneIsWanted() throws {
    let ledger = LedgerFixture()
    #expect(try ledger.perform(ledger.authorize()).authorization?.id == "id-1")
    #expect(try ledger.perform(ledger.authorize()).authorization?.id == "id-2")
  }

  @Test func repeatsWhileOpenWithThePresentBalance() throws {
    let ledger = LedgerFixture()
    let first = try ledger.perform(ledger.authorize(id: "a1"))
    _ = try ledger.perform(ledger.charge(key: "k", units(30)))
    let again = try ledger.perform(ledger.authorize(id: "a1"))
    guard case .authorization(let authorization, let balance, true) = again else {
      Issue.record("\(again)")
      return
    }
    #expect(authorization == first.authorization)
    #expect(balance == 70)
  }

  /// An id is looked up before the balance.
  @Test func repeatsWithoutCredits() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1"))
    _ = try ledger.perform(ledger.charge(key: "k", units(300)))
    #expect(try ledger.perform(ledger.authorize(id: "a1")).isReplay)
    #expect(ledger.code(ledger.authorize(id: "a2")) == .insufficientCredits)
  }

  @Test func anotherAccountOrHoldConflicts() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1", hold: 5))
    #expect(ledger.code(ledger.authorize("bob", id: "a1", hold: 5)) == .idempotencyConflict)
    #expect(ledger.code(ledger.authorize(id: "a1", hold: 6)) == .idempotencyConflict)
    #expect(ledger.code(ledger.authorize(id: "a1")) == .idempotencyConflict)
    #expect(try ledger.perform(ledger.authorize(id: "a1", hold: 5)).isReplay)
  }

  /// A conflict across accounts names nobody and shows nothing.
  @Test func conflictAcrossAccountsTellsNothing() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize("secret", id: "a1"))
    _ = try ledger.perform(ledger.charge("a1", units(3)))
    for request in [
      ledger.authorize("bob", id: "a1"), ledger.charge("a1", units(3), account: "bob"),
      ledger.void("a1", account: "bob"),
    ] {
      let error = failure { () throws(CreditError) in try ledger.perform(request) }
      #expect(error?.code == .idempotencyConflict)
      #expect(error?.message.contains("secret") == false)
      #expect(error?.details.isEmpty == true)
    }
  }

  @Test func chargedOrVoidedIdsAreClosed() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1"))
    _ = try ledger.perform(ledger.charge("a1", units(1)))
    _ = try ledger.perform(ledger.authorize(id: "a2"))
    _ = try ledger.perform(ledger.void("a2"))
    #expect(ledger.code(ledger.authorize(id: "a1")) == .authorizationClosed)
    #expect(ledger.code(ledger.authorize(id: "a2")) == .authorizationClosed)
    #expect(ledger.code(ledger.charge("a2", units(1))) == .authorizationClosed)
    #expect(ledger.code(ledger.void("a1")) == .authorizationClosed)
    #expect(ledger.code(ledger.void("a3")) == .unknownAuthorization)
    #expect(try ledger.perform(ledger.void("a2")).isReplay)
  }

  @Test func voidsForItsAccountAlone() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1", hold: 5))
    #expect(ledger.code(ledger.void("a1", account: "bob")) == .idempotencyConflict)
    #expect(try ledger.account().held == 5)
    #expect(try !ledger.perform(ledger.void("a1", account: "alice")).isReplay)
    #expect(ledger.code(ledger.void("a1", account: "bob")) == .idempotencyConflict)
    #expect(try ledger.perform(ledger.void("a1", account: "alice")).isReplay)
  }

  @Test func exemptAccountIsAuthorizedWhateverItsBalance() throws {
    let ledger = LedgerFixture(starter: 0)
    _ = try ledger.perform(ledger.change(isExempt: true))
    _ = try ledger.perform(ledger.authorize())
    _ = try ledger.perform(ledger.authorize(hold: .max))
    let error = failure { () throws(CreditError) in try ledger.perform(ledger.authorize(hold: 1)) }
    #expect(error?.code == .amountOutOfRange)
    #expect(error?.message == #"the holds of account "alice" would not fit in 64 bits"#)
    #expect(try ledger.account().available == -.max)
  }
}

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
    // Nothing is free: even the pre-check is refused.
    #expect(ledger.code(ledger.authorize()) == .insufficientCredits)
    _ = try ledger.perform(ledger.void("a1"))
    #expect(try ledger.account().available == 60)
  }

  @Test func refusalSaysWhatIsAvailable() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(hold: 60))
    let error = failure { () throws(CreditError) in
      try ledger.perform(ledger.authorize(hold: .max))
    }
    #expect(
      error?.message
        == #"account "alice" has 100 credits, 40 of them available; top up to continue"#)
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
    // What had expired isn't released once more.
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

  @Test func aThousandExpiriesAtMost() throws {
    let ledger = LedgerFixture(starter: 5000)
    for count in (1...1000).reversed() {
      _ = try ledger.perform(ledger.authorize(hold: 1, expiresIn: .seconds(Int64(count))))
    }
    let error = failure { () throws(CreditError) in
      try ledger.perform(ledger.authorize(hold: 1, expiresIn: .seconds(5000)))
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message == #"account "alice" has holds with 1000 different expiries already"#)
    _ = try ledger.perform(ledger.authorize(hold: 1, expiresIn: .seconds(500)))
    let account = try ledger.account()
    #expect(account.held == 1001)
    #expect(account.holds.map(\.expiresAt) == account.holds.map(\.expiresAt).sorted())
  }

  @Test func cannotOutliveTheYear9999() {
    let ledger = LedgerFixture()
    ledger.now = .latest
    #expect(ledger.code(ledger.authorize(hold: 1)) == .invalidRequest)
  }
}
