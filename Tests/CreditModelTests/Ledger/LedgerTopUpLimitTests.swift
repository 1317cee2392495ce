import CreditModel
import Testing

@testable import TestSupport

/// Limits of top-ups.
extension LedgerTopUpTests {
  @Test func aWindowOfTopUps() throws {
    let ledger = LedgerFixture(starter: 0) {
      $0.topUpLimit = TopUpLimit(count: 2, period: .seconds(60))
    }
    func step(_ id: Name, _ status: Transaction.Status = .completed) throws(CreditError)
      -> GateResult
    {
      try ledger.perform(ledger.topUp(id: id, .credits(1)) { $0.status = status })
    }
    _ = try step("t1")
    ledger.now = time("2026-02-19T10:00:20.500Z")
    _ = try step("t2")
    _ = try step("pending", .pending)
    #expect(try step("t1").isReplay)
    let error = failure { () throws(CreditError) in try step("t3") }
    #expect(error?.code == .rateLimited)
    #expect(error?.text == "refused rate_limited for 40 s")
    #expect(failure { () throws(CreditError) in try step("pending") }?.code == .rateLimited)
    // The limit is checked before the grant.
    #expect(ledger.code(ledger.topUp(id: "t", .product("new", quantity: 1))) == .rateLimited)
    ledger.now = time("2026-02-19T10:00:59.999Z")
    #expect(failure { () throws(CreditError) in try step("t3") }?.code == .rateLimited)
    ledger.now = time("2026-02-19T10:01:00Z")
    _ = try step("t3")
    #expect(failure { () throws(CreditError) in try step("t4") }?.code == .rateLimited)
    ledger.policy.topUpLimit = TopUpLimit(count: 1, period: .seconds(60))
    let lowered = failure { () throws(CreditError) in try step("t4") }
    #expect(lowered?.text == "refused rate_limited for 60 s")
    ledger.policy.topUpLimit = nil
    _ = try step("t4")
  }

  @Test func paymentsAreOutsideTheWindow() throws {
    let ledger = LedgerFixture(starter: 0) {
      $0.topUpLimit = TopUpLimit(count: 1, credits: 25, period: .seconds(60))
    }
    func step(_ id: Name, isPaid: Bool) throws(CreditError) -> Credits? {
      try ledger.perform(
        ledger.topUp(id: id, .product("pack", quantity: 1)) { $0.isPaid = isPaid }
      ).topUp?.newBalance
    }
    for number in 1...5 {
      #expect(try step(Name(trusted: "paid\(number)"), isPaid: true) == Credits(10 * number))
    }
    // Nor does it leave less room for others.
    #expect(try step("t1", isPaid: false) == 60)
    #expect(failure { () throws(CreditError) in try step("t2", isPaid: false) } != nil)
    #expect(try step("paid6", isPaid: true) == 70)
    ledger.expectSound()
  }

  @Test func paymentsMayBeMoreThanAHundredGrants() throws {
    let ledger = LedgerFixture(starter: 0)
    func grant(_ number: Int, isPaid: Bool) -> GateRequest {
      ledger.topUp(id: Name(trusted: "g\(number)"), .product("deal", quantity: 1)) {
        $0.isPaid = isPaid
        $0.terms.priority = 30
      }
    }
    for number in 0..<120 { _ = try ledger.perform(grant(number, isPaid: true)) }
    let error = failure { () throws(CreditError) in try ledger.perform(grant(120, isPaid: false)) }
    #expect(error?.code == .limitExceeded)
    ledger.expectSound()
  }
}
