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

  @Test func makesAnIdIfNoneIsRequested() throws {
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

  /// A conflict across accounts reveals no name and no contents.
  @Test func conflictAcrossAccountsRevealsNothing() throws {
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
    // With another hold it is a conflict, which says that it is charged, and has the receipt.
    let conflict = failure { () throws(CreditError) in
      try ledger.perform(ledger.authorize(id: "a1", hold: 5))
    }
    #expect(conflict?.code == .idempotencyConflict)
    #expect(
      conflict?.message
        == #"authorization "a1" exists already with no hold, not 5; "#
        + #"authorization "a1" has been charged"#)
    #expect(conflict?.details.contains { if case .receipt = $0 { true } else { false } } == true)
    #expect(ledger.code(ledger.charge("a2", units(1))) == .authorizationClosed)
    #expect(ledger.code(ledger.void("a1")) == .authorizationClosed)
    #expect(ledger.code(ledger.void("a3")) == .unknownAuthorization)
    #expect(try ledger.perform(ledger.void("a2")).isReplay)
  }

  @Test func voidsOnlyForItsAccount() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1", hold: 5))
    #expect(ledger.code(ledger.void("a1", account: "bob")) == .idempotencyConflict)
    #expect(try ledger.account().held == 5)
    #expect(try !ledger.perform(ledger.void("a1", account: "alice")).isReplay)
    #expect(ledger.code(ledger.void("a1", account: "bob")) == .idempotencyConflict)
    #expect(try ledger.perform(ledger.void("a1", account: "alice")).isReplay)
  }

  @Test func exemptAccountIsAuthorizedWithAnyBalance() throws {
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
