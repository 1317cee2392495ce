import CreditModel
import Testing

@testable import TestSupport

/// A purchase is one, whichever of StoreKit's ids it is shown under.
@Suite struct StoreKitOriginalTests {
  private let ledger = LedgerFixture(starter: 100) { _ in }

  private func shown(
    _ id: Name, original: Name, account: Name = "alice",
    _ effect: StoreKitRequest.Effect = .grant
  ) throws(CreditError) -> GateResult {
    var transaction = StoreKitTransaction(id: id, productID: "pack")
    transaction.originalID = original
    var request = StoreKitRequest(effect, transaction, time: ledger.now)
    request.account = account
    return try ledger.perform(.storeKit(request))
  }

  @Test func anotherIDOfTheSamePurchaseReplaysItsGrant() throws {
    let first = try shown("a", original: "a")
    for id in ["b", "c"] as [Name] {
      let again = try shown(id, original: "a")
      #expect(again.isReplay && again.topUp == first.topUp)
    }
    #expect(try ledger.balance() == 110)
  }

  @Test func originalThatWasNeverShownItselfIsClaimed() throws {
    let first = try shown("b", original: "a")
    #expect(first.topUp?.transaction.originalTransactionID == "a")
    #expect(try shown("c", original: "a").topUp == first.topUp)
    #expect(try shown("a", original: "a").isReplay)
    let plain = try ledger.perform(ledger.topUp(id: "a", .product("pack", quantity: 1)) { _ in })
    #expect(plain.isReplay && plain.topUp?.transaction.id == "b")
    #expect(try ledger.balance() == 110)
  }

  @Test func anotherAccountCannotHaveIt() throws {
    _ = try shown("b", original: "a")
    for id in ["a", "c"] as [Name] {
      let error = failure { () throws(CreditError) in
        try shown(id, original: "a", account: "bob")
      }
      #expect(error?.code == .idempotencyConflict)
    }
  }

  @Test func refundIsOfThePurchaseUnderAnyOfItsIDs() throws {
    _ = try shown("b", original: "a")
    let refund = try shown("c", original: "a", .takeBack(.whole))
    #expect(refund.refund?.credits == 10)
    #expect(try shown("b", original: "a", .takeBack(.whole)).isReplay)
    #expect(try shown("d", original: "a").topUp?.transaction.status != .completed)
    #expect(try ledger.balance() == 100)
  }

  @Test func pendingPurchaseIsCompletedUnderItsOwnID() throws {
    _ = try ledger.perform(
      ledger.topUp(id: "a", .product("pack", quantity: 1)) { $0.status = .pending })
    let granted = try shown("b", original: "a")
    #expect(granted.topUp?.transaction.id == "a" && granted.topUp?.creditsAdded == 10)
    #expect(try shown("b", original: "a").isReplay)
    #expect(try ledger.balance() == 110)
  }

  @Test func twoPurchasesThatAreKnownStayTwo() throws {
    for id in ["a", "b"] as [Name] {
      _ = try ledger.perform(ledger.topUp(id: id, .product("pack", quantity: 1)) { _ in })
    }
    #expect(try shown("b", original: "a").topUp?.transaction.id == "b")
    #expect(try shown("a", original: "a").topUp?.transaction.id == "a")
    #expect(try ledger.balance() == 120)
  }

  @Test func pendingPurchaseDoesNotTakeTheOriginalOfAnother() throws {
    _ = try shown("b", original: "o")
    _ = try ledger.perform(
      ledger.topUp(id: "p", .product("pack", quantity: 1)) { $0.status = .pending })
    #expect(try shown("p", original: "o").topUp?.transaction.id == "b")
    #expect(try ledger.balance() == 110)
  }
}
