import Testing

@testable import CreditModel
@testable import TestSupport

/// News after the end of a subscription, and from before its renewal.
@Suite struct SubscriptionEndTests {
  private func ledger() -> LedgerFixture {
    LedgerFixture(starter: 0) {
      $0.plans = [
        Plan(id: "paid", quota: 30, period: .subscription),
        Plan(id: "free", quota: 3, period: .day),
      ]
    }
  }

  private func event(_ id: String, _ seconds: Int64, _ change: PaymentChange) -> GateRequest {
    .payment(LedgerPaymentTests.event(id, seconds, change))
  }

  @Test func chargesBeforeARenewalDoNotReturnToTheNewQuota() throws {
    let ledger = ledger()
    try ledger.pay("p1", days: 4)
    _ = try ledger.perform(ledger.charge(key: "k1", units(20)))
    ledger.pass(hours: 72)
    try ledger.pay("p2", days: 30)
    _ = try ledger.perform(ledger.charge(key: "k2", units(12)))
    _ = try ledger.perform(ledger.refund(key: "k1"))
    #expect(try ledger.account().balance == 18)
    _ = try ledger.perform(ledger.refund(key: "k2"))
    #expect(try ledger.account().balance == 30)
    ledger.expectSound()
  }

  @Test func inGraceThePaidPeriodGoesOn() throws {
    let ledger = ledger()
    try ledger.pay("p1", days: 1)
    _ = try ledger.perform(ledger.charge(key: "k1", units(20)))
    ledger.pass(hours: 25)
    _ = try ledger.perform(ledger.charge(key: "k2", units(5)))
    _ = try ledger.perform(ledger.refund(key: "k1"))
    _ = try ledger.perform(ledger.refund(key: "k2"))
    #expect(try ledger.account().balance == 30)
    ledger.expectSound()
  }

  @Test func aPlanThatWasSetByHandOutlivesARefundInGrace() throws {
    let ledger = ledger()
    try ledger.pay("p1", days: 1)
    _ = try ledger.perform(ledger.change(plan: .set("free")))
    ledger.pass(hours: 30)
    _ = try ledger.perform(ledger.refund(transaction: "p1"))
    #expect(try ledger.account().plan == "free")
    ledger.expectSound()
  }

  @Test func aPlanWhosePeriodIsNoLongerThePaidOneIsSetByHand() throws {
    let ledger = ledger()
    try ledger.pay("p1", days: 30)
    _ = try ledger.perform(ledger.charge(key: "k", units(2)))
    ledger.policy.plans[0] = Plan(id: "paid", quota: 50, period: .month)
    _ = try ledger.perform(ledger.change(plan: .set("paid")))
    #expect(try ledger.account().balance == 48)
    ledger.expectSound()
  }

  @Test func anotherEndLeavesPaymentsByHand() throws {
    let ledger = ledger()
    try ledger.pay("p1", days: 30)
    for product: Name? in ["pack", "other", nil] {
      var change = PaymentChange(transaction: "sub_9", .ended)
      (change.account, change.subscription, change.product) = ("alice", "sub_9", product)
      _ = try ledger.perform(event("e-\(product?.text ?? "")", 2_000_000_000, change))
    }
    #expect(try ledger.account().plan == "paid")
    ledger.expectSound()
  }

  /// The end of a subscription that is not known yet leaves others.
  @Test func anEndWithoutAnAccountIsKept() throws {
    let ledger = ledger()
    try ledger.pay("p1", days: 4)
    var end = PaymentChange(transaction: "sub_9", .ended)
    (end.subscription, end.product) = ("sub_9", "sub")
    var over = LedgerPaymentTests.event("e", 2_000_000_000, end)
    over.event.type = "customer.subscription.deleted"
    for _ in 0..<2 { _ = try ledger.perform(.payment(over)) }
    #expect(ledger.books.records.count { $0.event.id == .payment("sub_9") } == 1)
    for id: Name in ["sub_8", "sub_9"] {
      let invoice = Name(trusted: "in-\(id.text)")
      var paid = PaymentChange(transaction: invoice, .purchase(.completed, reason: nil))
      (paid.account, paid.product, paid.subscription) = ("alice", "sub", id)
      paid.period = PaidPeriod(until: ledger.now.adding(.seconds(30 * 86_400)) ?? .latest)
      _ = try ledger.perform(event(id.text, 2_000_000_000, paid))
      let last = try #require(try ledger.account().subscriptions[invoice])
      #expect(last.state == (id == "sub_9" ? .over : .paid))
    }
    #expect(try ledger.account().plan == "paid")
    ledger.expectSound()
  }

  /// Whose refund a person recorded is not paid for again by an event.
  @Test func aWonDisputeKeepsRefundsByHand() throws {
    let ledger = ledger()
    try ledger.pay("p1", days: 30)
    _ = try ledger.perform(ledger.topUp(id: "pack-1", .product("pack", quantity: 1)))
    let before = try ledger.account().balance - 30
    for id: Name in ["p1", "pack-1"] {
      _ = try ledger.perform(ledger.refund(transaction: id))
      for (seconds, isTaken) in [(20, true), (30, false)] as [(Int64, Bool)] {
        try ledger.dispute(id, isTaken: isTaken, seconds)
      }
    }
    #expect(before > 0)
    #expect(try ledger.account().balance == 0)
    #expect(try ledger.account().plan == nil)
    ledger.expectSound()
  }

  @Test func ofTwoPaymentsForOneEndTheOtherHolds() throws {
    for (first, second) in [("p1", "p2"), ("p2", "p1")] as [(Name, Name)] {
      let ledger = ledger()
      try ledger.pay("p1", days: 30)
      _ = try ledger.perform(ledger.charge(key: "k", units(12)))
      try ledger.pay("p2", days: 30)
      #expect(try ledger.account().balance == 18)
      _ = try ledger.perform(ledger.refund(transaction: first))
      #expect(try ledger.account().balance == 18)
      _ = try ledger.perform(ledger.refund(key: "k"))
      #expect(try ledger.account().balance == 30)
      _ = try ledger.perform(ledger.refund(transaction: second))
      #expect(try ledger.account().plan == nil)
      ledger.expectSound()
    }
  }

  /// Credits used before a refund are used after its reversal.
  @Test func aDisputeThatIsWonRenewsNoQuota() throws {
    let ledger = ledger()
    try ledger.pay("p1", days: 30)
    _ = try ledger.perform(ledger.charge(key: "k", units(12)))
    for (seconds, isTaken, balance) in [(20, true, 0), (30, false, 18)] as [(Int64, Bool, Credits)]
    {
      try ledger.dispute("p1", isTaken: isTaken, seconds)
      #expect(try ledger.account().balance == balance)
    }
    _ = try ledger.perform(ledger.refund(key: "k"))
    #expect(try ledger.account().balance == 30)
    ledger.expectSound()
  }

  /// A charge from before an upgrade goes back to the quota that counts it.
  @Test func chargesBeforeAnUpgradeGoBack() throws {
    let ledger = ledger()
    ledger.policy.plans.append(Plan(id: "third", quota: 50, period: .subscription))
    try ledger.pay("p1", days: 30)
    _ = try ledger.perform(ledger.charge(key: "k", units(12)))
    ledger.pass(hours: 24)
    try ledger.pay("o1", "other", days: 40)
    #expect(try ledger.account().balance == 43)
    _ = try ledger.perform(ledger.refund(key: "k"))
    #expect(try ledger.account().balance == 55)
    ledger.expectSound()
  }

  @Test func aRepeatHasTheSameDuration() throws {
    let ledger = ledger()
    func lasting(_ days: Int64) -> GateRequest {
      ledger.topUp(id: "p1", .product("sub", quantity: 1)) {
        $0.terms.expiry = .after(.seconds(days * 86_400))
      }
    }
    _ = try ledger.perform(lasting(30))
    ledger.pass(hours: 1)
    #expect(try ledger.perform(lasting(30)).isReplay)
    #expect(ledger.code(lasting(31)) == .idempotencyConflict)
    #expect(ledger.code(lasting(29)) == .idempotencyConflict)
    ledger.expectSound()
  }

  @Test func anExtensionHasNoPrice() throws {
    let ledger = ledger()
    func paid(_ days: Int64, _ price: String?) -> GateRequest {
      ledger.topUp(id: "p1", .product("sub", quantity: 1)) {
        $0.terms.expiry = .at(ledger.now.adding(.seconds(days * 86_400)) ?? .latest)
        ($0.price, $0.currency) = (price, price.map { _ in "USD" })
      }
    }
    _ = try ledger.perform(paid(30, "9.99"))
    #expect(ledger.code(paid(40, "4.99")) == .idempotencyConflict)
    #expect(
      try ledger.account().subscriptions.active?.until == ledger.now.adding(.seconds(30 * 86_400)))
    #expect(try !ledger.perform(paid(40, "9.99")).isReplay)
    #expect(try !ledger.perform(paid(50, nil)).isReplay)
    ledger.expectSound()
  }

  /// News of a transaction that was paid further once says that no second time.
  @Test func laterNewsChangesNoLine() throws {
    let ledger = ledger()
    try ledger.pay("p1", days: 30)
    try ledger.pay("p1", days: 40)
    ledger.pass(hours: 1)
    try ledger.dispute("p1", isTaken: false, 1)
    let records = ledger.books.records
    let news = records.filter { if case .topUpNews = $0.event { true } else { false } }
    #expect(news.map { $0.revision != nil } == [true, false])
    let first = try #require(records.first { $0.historyLine?.id == "p1" })
    let updatedAt = news.first?.account.updatedAt
    #expect(news.last?.revision(since: first)?.updatedAt == updatedAt)
  }

  /// Apple's refund, its reversal and then the purchase that both are of.
  @Test func aReversedRefundBeforeItsPurchaseSetsThePlan() throws {
    let ledger = ledger()
    var bought = StoreKitTransaction(id: "1", productID: "sub")
    bought.period = PaidPeriod(
      until: ledger.now.adding(.seconds(86_400)) ?? .latest, since: ledger.now.adding(.seconds(-60))
    )
    let effects: [(String, (AppStoreNotification) -> StoreKitRequest.Effect)] = [
      ("REFUND", { _ in .takeBack(.whole) }), ("REFUND_REVERSED", { .restore($0) }),
    ]
    for (place, (type, effect)) in effects.enumerated() {
      let notification = AppStoreNotification(
        id: Name(trusted: type), type: type,
        signedDate: Timestamp(milliseconds: Int64(place + 1) * 1000))
      var request = StoreKitRequest(effect(notification), bought, time: ledger.now)
      (request.account, request.notification) = ("alice", notification)
      _ = try ledger.perform(.storeKit(request))
      ledger.pass(hours: 1)
    }
    #expect(try ledger.account().balance == 30)
    ledger.expectSound()
  }

  @Test func replacedPlansDoNotComeBack() throws {
    let ledger = ledger()
    ledger.policy.plans.append(Plan(id: "third", quota: 50, period: .subscription))
    try ledger.pay("p1", days: 60)
    ledger.pass(hours: 24)
    try ledger.pay("o1", "other", days: 59)
    ledger.pass(hours: 24)
    try ledger.pay("p2", days: 7)
    ledger.pass(hours: 9 * 24)
    #expect(try ledger.account().subscriptions.isEmpty)
    #expect(try ledger.account().plan == nil)
    try ledger.pay("p3", days: 10)
    #expect(try ledger.account().balance == 35)
    ledger.expectSound()
  }

  @Test func aRefundLeavesAPlanThatWasSetByHand() throws {
    let ledger = ledger()
    try ledger.pay("p1", days: 60)
    _ = try ledger.perform(ledger.change(plan: .set("free")))
    try ledger.pay("p2", days: 50)
    _ = try ledger.perform(ledger.refund(transaction: "p1"))
    #expect(try ledger.account().plan == "free")
    try ledger.pay("p3", days: 70)
    #expect(try ledger.account().plan == "paid")
    ledger.expectSound()
  }

  /// Apple's news of a transaction: its effect, product, paid end and signing time, in days.
  private func news(
    _ ledger: LedgerFixture, _ type: String, _ id: Name, _ product: Name = "sub", until: Int64,
    signed: Int64, start: Timestamp
  ) throws {
    func instant(_ days: Int64) -> Timestamp { start.adding(.seconds(days * 86_400)) ?? .latest }
    var bought = StoreKitTransaction(id: id, productID: product)
    bought.originalID = "first"
    bought.period = PaidPeriod(until: instant(until), since: instant(signed))
    let notification = AppStoreNotification(
      id: Name(trusted: "\(type)-\(id.text)-\(until)"), type: type, signedDate: instant(signed))
    let isEnd = type == "EXPIRED"
    var request = StoreKitRequest(isEnd ? .end(notification) : .grant, bought, time: ledger.now)
    (request.account, request.notification) = ("alice", notification)
    _ = try ledger.perform(.storeKit(request))
  }

  @Test func applesNewsOfALaterEndIsRecordedOnce() throws {
    let ledger = ledger()
    let start = ledger.now
    try news(ledger, "SUBSCRIBED", "1", until: 30, signed: 0, start: start)
    try news(ledger, "DID_RENEW", "1", until: 33, signed: 4, start: start)
    #expect(
      try ledger.account().subscriptions.active?.until == start.adding(.seconds(33 * 86_400)))
    ledger.expectSound()
  }

  @Test func anEndThatIsSignedAtOnceWithThePurchase() throws {
    let ledger = ledger()
    let start = ledger.now
    try news(ledger, "SUBSCRIBED", "1", until: 30, signed: 0, start: start)
    for _ in 0..<2 { try news(ledger, "EXPIRED", "1", until: 30, signed: 0, start: start) }
    #expect(try ledger.account().plan == nil)
    ledger.expectSound()
  }

  @Test func theEndOfAnotherProductLeavesItsSuccessor() throws {
    let ledger = ledger()
    ledger.policy.plans.append(Plan(id: "third", quota: 50, period: .subscription))
    let start = ledger.now
    try news(ledger, "SUBSCRIBED", "1", "other", until: 365, signed: 0, start: start)
    try news(ledger, "DID_CHANGE_RENEWAL_PREF", "2", until: 70, signed: 40, start: start)
    try news(ledger, "EXPIRED", "1", "other", until: 365, signed: 39, start: start)
    #expect(try ledger.account().plan == "paid")
    ledger.expectSound()
  }
}
