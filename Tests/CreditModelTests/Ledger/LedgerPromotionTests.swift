import CreditModel
import Testing

@testable import TestSupport

/// Promotions of the catalog: granted with a purchase from any source.
@Suite struct LedgerPromotionTests {
  private static let until = time("2026-03-01T00:00:00Z")

  private let ledger = LedgerFixture(starter: 0) { policy in
    let bonuses = [
      ProductBonus(
        id: "percent", amount: .percent(25), until: until,
        terms: StatedTerms(expiry: .after(.seconds(3600)))),
      ProductBonus(id: "later", amount: .credits(7), from: until),
      ProductBonus(
        id: "scoped", amount: .credits(3),
        terms: StatedTerms(models: ModelPatterns(trusted: ["half"]))),
    ]
    let product = Product(id: "pack", name: "", credits: 10, bonuses: bonuses)
    if let prices = try? PriceCatalog(models: LedgerFixture.models, products: [product]) {
      policy.prices = KnownPrices(prices)
    }
  }

  /// Each bucket's credits, such as `t:percent 2`.
  private func buckets() throws -> [String] {
    try ledger.account().bucketsInBurnOrder.map {
      "\($0.grant?.id.text ?? $0.kind.rawValue) \($0.credits)"
    }
  }

  @Test func aNegativeAdjustmentListsItsGrants() throws {
    _ = try buy("t")
    _ = try ledger.perform(
      ledger.topUp(id: "a", .credits(-11)) {
        $0.kind = .adjustment
        $0.reason = "a mistake"
      })
    let line = try #require(ledger.books.records.last?.historyLine)
    let taken = line.taken?.map { "\($0.grant?.id.text ?? $0.kind.rawValue) \($0.credits)" }
    #expect(taken == ["purchased 10", "t:percent 1"])
    _ = try ledger.perform(
      ledger.topUp(id: "b", .credits(-1)) {
        $0.account = "ben"
        $0.kind = .adjustment
        $0.reason = "a mistake"
      })
    #expect(ledger.books.records.last?.historyLine?.taken == nil)
    ledger.expectSound()
  }

  private func storeKit(_ effect: StoreKitRequest.Effect, _ notification: AppStoreNotification?)
    throws(CreditError) -> GateResult
  {
    var request = StoreKitRequest(
      effect, StoreKitTransaction(id: "t", productID: "pack", quantity: 1), time: ledger.now)
    request.account = "alice"
    request.notification = notification
    return try ledger.perform(.storeKit(request))
  }

  @Test func aPurchaseGrantsCurrentPromotions() throws {
    let request = ledger.topUp(id: "t", .product("pack", quantity: 3))
    let topUp = try #require(try ledger.perform(request).topUp)
    // 25 % of 30 are 7.5.
    #expect(topUp.bonuses.map(\.credits) == [7, 3])
    #expect(topUp.creditsAdded == 30 && topUp.newBalance == 40)
    #expect(try buckets() == ["t:percent 7", "t:scoped 3", "purchased 30"])
    #expect(try ledger.perform(request).isReplay)
    #expect(try ledger.perform(request).topUp?.bonuses == topUp.bonuses)
    #expect(try ledger.balance() == 40)
    ledger.now = Self.until
    _ = try ledger.perform(ledger.topUp(id: "u", .product("pack", quantity: 1)))
    #expect(try buckets() == ["t:scoped 3", "u:later 7", "u:scoped 3", "purchased 40"])
    ledger.expectSound()
  }

  @Test func aBonusOrPlainCreditsAreNotAPurchase() throws {
    _ = try ledger.perform(
      ledger.topUp(id: "t", .product("pack", quantity: 1)) { $0.kind = .bonus })
    _ = try ledger.perform(ledger.topUp(id: "u", .credits(10)))
    #expect(try ledger.balance() == 20)
  }

  @Test func aRefundTakesBackTheRest() throws {
    _ = try ledger.perform(ledger.topUp(id: "t", .product("pack", quantity: 4)))
    _ = try ledger.perform(ledger.charge(key: "c", units(4)))
    #expect(try buckets() == ["t:percent 6", "t:scoped 3", "purchased 40"])
    let refund = try #require(try ledger.perform(ledger.refund(transaction: "t")).refund)
    #expect(refund.credits == 40 && refund.newBalance == 0)
    #expect(try buckets() == [])
    #expect(try ledger.perform(ledger.refund(transaction: "t")).isReplay)
    // Credits that a charge returns do not go back to a revoked bonus.
    _ = try ledger.perform(ledger.refund(key: "c"))
    #expect(try ledger.balance() == 0)
    ledger.expectSound()
  }

  @Test func theAppStoreGrantsTakesBackAndRestoresThem() throws {
    func note(_ type: String, _ seconds: Int64) -> AppStoreNotification {
      AppStoreNotification(
        id: Name(trusted: "n\(seconds)"), type: type,
        signedDate: Timestamp(milliseconds: seconds * 1000))
    }
    _ = try storeKit(.grant, nil)
    #expect(try buckets() == ["t:percent 2", "t:scoped 3", "purchased 10"])
    _ = try storeKit(.takeBack(.whole), note("REFUND", 10))
    #expect(try buckets() == [])
    let reversed = note("REFUND_REVERSED", 20)
    _ = try storeKit(.restore(reversed), reversed)
    #expect(try buckets() == ["t:percent 2", "t:scoped 3", "purchased 10"])
    // Bonuses voided by hand stay voided, and expired ones do not come back.
    var voiding = RefundRequest(reference: .transaction("t:scoped"), time: ledger.now)
    voiding.isUnused = true
    _ = try ledger.perform(.refund(voiding))
    ledger.now = try #require(ledger.now.adding(.seconds(60)))
    _ = try storeKit(.takeBack(.whole), note("REFUND", 30))
    ledger.now = try #require(ledger.now.adding(.seconds(3600)))
    let again = note("REFUND_REVERSED", 40)
    _ = try storeKit(.restore(again), again)
    #expect(try buckets() == ["purchased 10"])
    ledger.expectSound()
  }

  /// Has the pack grant a bonus with the first purchase alone, or none at all.
  private func welcomeNewcomers(_ welcomes: Bool = true) throws {
    let bonuses = [ProductBonus(id: "hello", amount: .credits(5), isForFirst: true)]
    let products = [
      Product(id: "pack", name: "", credits: 10, bonuses: welcomes ? bonuses : []),
      Product(id: "other", name: "", credits: 1),
    ]
    ledger.policy.prices = KnownPrices(
      try PriceCatalog(models: LedgerFixture.models, products: products))
  }

  private func buy(_ id: Name, _ product: Name = "pack", by account: Name = "alice")
    throws(CreditError) -> [Credits]?
  {
    try ledger.perform(
      ledger.topUp(id: id, .product(product, quantity: 1)) { $0.account = account }
    ).topUp?.bonuses.map(\.credits)
  }

  @Test func onlyTheFirstPurchaseHasItsBonus() throws {
    try welcomeNewcomers()
    // Neither credits that were given nor a purchase that failed is one.
    _ = try ledger.perform(ledger.topUp(id: "a", .credits(9)) { $0.kind = .bonus })
    _ = try ledger.perform(ledger.topUp(id: "b", .credits(9)) { $0.kind = .adjustment })
    _ = try ledger.perform(
      ledger.topUp(id: "c", .product("pack", quantity: 1)) { $0.status = .failed })
    #expect(try !ledger.account().hasBought)
    #expect(try buy("t") == [5])
    #expect(try ledger.account().hasBought)
    #expect(try buy("t") == [5], "a repeat says the same")
    #expect(try buy("u") == [])
    _ = try ledger.perform(ledger.refund(transaction: "t"))
    _ = try ledger.perform(ledger.refund(transaction: "u"))
    #expect(try buy("c") == [], "refunded ones count")
    #expect(try buy("v", by: "ben") == [5])
    ledger.expectSound()
  }

  @Test func aPurchaseBeforeThePromotionWasTheFirst() throws {
    try welcomeNewcomers(false)
    _ = try buy("a")
    _ = try ledger.perform(ledger.refund(transaction: "a"))
    _ = try buy("b", "other", by: "ben")
    _ = try ledger.perform(
      ledger.topUp(id: "c", .credits(3)) {
        $0.account = "cem"
        $0.terms.start = .after(.seconds(60))
      })
    _ = try ledger.perform(
      ledger.topUp(id: "d", .credits(3)) {
        $0.account = "dan"
        $0.terms.start = .after(.seconds(60))
      })
    _ = try ledger.perform(ledger.refund(transaction: "d"))
    #expect(ledger.books.records.allSatisfy { !$0.account.hasBought }, "nobody asked for it")
    try welcomeNewcomers()
    // A start in the meantime is recorded with the purchase.
    ledger.now = try #require(ledger.now.adding(.seconds(60)))
    for (id, account) in [("e", "alice"), ("f", "ben"), ("g", "cem")] {
      #expect(try buy(Name(trusted: id), by: Name(trusted: account)) == [])
    }
    #expect(try buy("h", by: "dan") == [5], "it was refunded before it started")
    ledger.expectSound()
  }

  @Test func theAppStoreAndProvidersAskForTheFirst() throws {
    try welcomeNewcomers()
    _ = try storeKit(.grant, nil)
    #expect(try buckets() == ["t:hello 5", "purchased 10"])
    var change = PaymentChange(transaction: "u", .purchase(.completed, reason: nil))
    change.account = "alice"
    change.product = "pack"
    var request = PaymentRequest(
      PaymentEvent(format: .stripe, id: "e", type: "paid", at: ledger.now), [change])
    request.time = ledger.now
    #expect(try ledger.perform(.payment(request)).topUp?.bonuses == [])
    #expect(try buckets() == ["t:hello 5", "purchased 20"])
    ledger.expectSound()
  }

  @Test func aBonusWithoutItsPurchaseIsDamage() throws {
    _ = try buy("t")
    _ = try ledger.perform(ledger.charge(key: "c", units(1)))
    let records = ledger.books.records
    func fault(without left: Int) -> String? {
      var groups = RecordGroups()
      var records = records
      records.remove(at: left)
      do throws(RecordFault) {
        for record in records { try groups.add(record, isSure: true) }
      } catch {
        return error.reason
      }
      return groups.unfinished.first?.end
    }
    // The account, two bonuses, the purchase and a charge.
    #expect(records.count == 5 && fault(without: 0) == nil && fault(without: 4) == nil)
    #expect(fault(without: 1) == "has bonuses other than those that were granted before it")
    #expect(fault(without: 2) == "has bonuses other than those that were granted before it")
    let fault = try #require(fault(without: 3))
    #expect(fault.hasPrefix("is not the purchase \"t\" of the bonuses before it"))
    var groups = RecordGroups()
    for record in records.prefix(3) { try groups.add(record, isSure: true) }
    #expect(groups.unfinished.map(\.end) == ["before the purchase \"t\", but after its bonuses"])
  }

  @Test func aLimitOfTopUpsCountsOnlyThePurchase() throws {
    ledger.policy.topUpLimit = TopUpLimit(count: 2, period: .seconds(3600))
    _ = try ledger.perform(ledger.topUp(id: "t", .product("pack", quantity: 1)))
    _ = try ledger.perform(ledger.topUp(id: "u", .product("pack", quantity: 1)))
    #expect(ledger.code(ledger.topUp(id: "v", .product("pack", quantity: 1))) == .rateLimited)
    #expect(try ledger.account().recentTopUps.count == 2)
    ledger.expectSound()
  }
}
