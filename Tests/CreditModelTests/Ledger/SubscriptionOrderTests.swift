import Testing

@testable import CreditModel
@testable import TestSupport

/// All orders of a subscription's life come to the same state: by hand, as StoreKit's transactions,
/// and as payment events.
@Suite struct SubscriptionOrderTests {
  private static let day: Int64 = 86_400

  /// Events of a subscription. Ends are in days from the beginning of the test.
  enum Step: Hashable, Sendable {
    case paid(Int64)
    case refunded(Int64)
    case ended(Int64)

    var number: Int64 {
      switch self {
      case .paid(let number), .refunded(let number), .ended(let number): number
      }
    }
  }

  struct Life: Sendable, CustomStringConvertible {
    let description: String
    let steps: [Step]
    /// Its paid end; nil if it is over.
    let until: Int64?
  }

  static let lives = [
    Life(description: "renewed", steps: [.paid(10), .paid(40), .paid(70)], until: 70),
    Life(description: "renewed late", steps: [.paid(-20), .paid(-1), .paid(40)], until: 40),
    Life(description: "lapsed", steps: [.paid(-20), .paid(-1)], until: nil),
    Life(
      description: "refunded",
      steps: [.paid(-20), .paid(40), .refunded(40)], until: nil),
    Life(
      description: "refunded before the renewed time",
      steps: [.paid(10), .paid(40), .refunded(40)], until: nil),
    Life(
      description: "refunded and renewed",
      steps: [.paid(10), .refunded(10), .paid(40)], until: 40),
    Life(
      description: "two refunds",
      steps: [.paid(10), .paid(40), .refunded(10), .refunded(40)], until: nil),
    Life(
      description: "two refunds and a renewal",
      steps: [.paid(10), .refunded(10), .paid(40), .refunded(40), .paid(70)], until: 70),
    Life(description: "ended", steps: [.paid(10), .paid(40), .ended(40)], until: nil),
    Life(
      description: "ended and begun again",
      steps: [.paid(10), .ended(10), .paid(40)], until: 40),
  ]

  private func fixture() -> LedgerFixture {
    LedgerFixture(starter: 0) { $0.plans = [Plan(id: "paid", quota: 30, period: .subscription)] }
  }

  private func instant(_ day: Int64, in ledger: LedgerFixture, start: Timestamp) -> Timestamp {
    Timestamp(milliseconds: start.milliseconds + day * Self.day * 1000)
  }

  private func expectOneEnd(
    _ life: Life, refundsNeedAPurchase: Bool = false,
    _ deliver: (LedgerFixture, Step, Timestamp) throws -> Void
  ) throws {
    var ends: Set<Name?> = []
    for order in orders(life.steps) {
      if refundsNeedAPurchase, !Self.isPossible(order) { continue }
      let ledger = fixture()
      let start = ledger.now
      for step in order + order.reversed() + order {
        ledger.now = Timestamp(milliseconds: ledger.now.milliseconds + 1000)
        try deliver(ledger, step, start)
      }
      let count = ledger.books.records.count
      for step in order { try deliver(ledger, step, start) }
      #expect(ledger.books.records.count == count, "\(order) again")
      let account = try ledger.account()
      let until = life.until.map { instant($0, in: ledger, start: start) }
      #expect(account.subscriptions.active?.until == until, "\(order)")
      #expect(account.balance == (until == nil ? 0 : 30), "\(order)")
      #expect(account.plan == (until == nil ? nil : "paid"), "\(order)")
      ends.insert(account.subscriptions.active?.transaction)
      ledger.expectSound("\(order)")
      // Long after, all is forgotten.
      ledger.now = instant(365, in: ledger, start: start)
      #expect(try ledger.account().subscriptions.isEmpty)
    }
    #expect(ends.count == 1, "\(ends)")
  }

  /// True if no refund comes before its purchase, and no purchase that ends earlier after that:
  /// each begins with its record.
  private static func isPossible(_ order: [Step]) -> Bool {
    order.enumerated().allSatisfy { place, step in
      guard case .refunded(let number) = step else { return true }
      guard let paid = order[..<place].firstIndex(of: .paid(number)) else { return false }
      return order[paid...].allSatisfy {
        if case .paid(let other) = $0 { other >= number } else { true }
      }
    }
  }

  @Test(arguments: lives) func byHand(_ life: Life) throws {
    if life.steps.contains(where: { if case .ended = $0 { true } else { false } }) { return }
    try expectOneEnd(life, refundsNeedAPurchase: true) { ledger, step, start in
      let id = Name(trusted: "p\(step.number)")
      if case .refunded = step {
        // The repeated life begins with refunds of existing purchases.
        _ = try ledger.perform(ledger.refund(transaction: id))
      } else {
        _ = try ledger.perform(
          ledger.topUp(id: id, .product("sub", quantity: 1)) {
            $0.terms.expiry = .at(self.instant(step.number, in: ledger, start: start))
          })
      }
    }
  }

  @Test(arguments: lives) func asStoreKitsNews(_ life: Life) throws {
    // That it was not renewed is said when its end has passed.
    if life.steps.contains(where: { if case .ended = $0 { true } else { false } }) { return }
    try expectOneEnd(life) { ledger, step, start in
      let until = self.instant(step.number, in: ledger, start: start)
      var bought = StoreKitTransaction(id: Name(trusted: "\(step.number)"), productID: "sub")
      bought.originalID = "first"
      bought.period = PaidPeriod(
        until: until, since: self.instant(min(step.number - 30, -1), in: ledger, start: start))
      var effect = StoreKitRequest.Effect.grant
      var type = "DID_RENEW"
      if case .refunded = step { (effect, type) = (.takeBack(.whole), "REFUND") }
      var request = StoreKitRequest(effect, bought, time: ledger.now)
      request.account = "alice"
      let signed = step.number * 10 + (type == "REFUND" ? 5 : 0)
      request.notification = AppStoreNotification(
        id: Name(trusted: "\(step)"), type: type,
        signedDate: Timestamp(milliseconds: (signed + 1000) * 1000))
      _ = try ledger.perform(.storeKit(request))
    }
  }

  @Test(arguments: lives) func asPaymentEvents(_ life: Life) throws {
    try expectOneEnd(life) { ledger, step, start in
      var change = PaymentChange(
        transaction: Name(trusted: "in\(step.number)"), .purchase(.completed, reason: nil))
      change.account = "alice"
      change.product = "sub"
      change.subscription = "sub_1"
      change.period = PaidPeriod(
        until: self.instant(step.number, in: ledger, start: start),
        since: self.instant(min(step.number - 30, -1), in: ledger, start: start))
      change.paid = 999
      switch step {
      case .paid: break
      case .refunded:
        change = PaymentChange(transaction: change.transaction, .refunded(999))
        change.paid = 999
      case .ended:
        change.effect = .ended
        change.transaction = "sub_1"
        change.paid = nil
      }
      let event = LedgerPaymentTests.event(
        "\(step)", start.milliseconds / 1000 + step.number, change)
      _ = try ledger.perform(.payment(event))
    }
  }

  /// A change of product, back again, and refunds: the result of each order of the news.
  struct Change: Sendable, CustomStringConvertible {
    let description: String
    let parts: [(id: Name, product: Name, since: Int64, until: Int64)]
    let refunded: [Name]
    /// The transaction that counts in the end.
    let active: Name?
  }

  static let changes = [
    Change(
      description: "upgraded",
      parts: [("1", "sub", -5, 300), ("2", "other", -1, 29), ("3", "other", 29, 59)],
      refunded: [], active: "3"),
    Change(
      description: "there and back",
      parts: [("1", "sub", -20, 10), ("2", "other", -10, 20), ("3", "sub", -1, 29)],
      refunded: [], active: "3"),
    Change(
      description: "there and back, refunded",
      parts: [("1", "sub", -20, 10), ("2", "other", -10, 20), ("3", "sub", -1, 29)],
      refunded: ["3"], active: nil),
    Change(
      description: "the one between refunded",
      parts: [("1", "sub", -20, 10), ("2", "other", -10, 20), ("3", "sub", -1, 29)],
      refunded: ["2"], active: "3"),
    Change(
      description: "paid twice",
      parts: [("1", "sub", -5, 25), ("2", "sub", -4, 25)], refunded: ["2"], active: "1"),
  ]

  @Test(arguments: changes) func aChangeInAnyOrder(_ change: Change) throws {
    let parts = change.parts
    let steps = Array(parts.indices) + change.refunded.indices.map { $0 + parts.count }
    for order in orders(steps) {
      let ledger = fixture()
      ledger.policy.plans.append(Plan(id: "third", quota: 7, period: .subscription))
      let start = ledger.now
      for step in order + order.reversed() {
        let refunded = step < parts.count ? nil : change.refunded[step - parts.count]
        let part = try #require(
          step < parts.count ? parts[step] : parts.first { $0.id == refunded })
        var bought = StoreKitTransaction(id: part.id, productID: part.product)
        bought.originalID = "1"
        bought.period = PaidPeriod(
          until: instant(part.until, in: ledger, start: start),
          since: instant(part.since, in: ledger, start: start))
        var request = StoreKitRequest(
          refunded == nil ? .grant : .takeBack(.whole), bought, time: ledger.now)
        request.account = "alice"
        _ = try ledger.perform(.storeKit(request))
      }
      #expect(
        try ledger.account().subscriptions.active?.transaction == change.active, "\(order)")
      ledger.expectSound("\(order)")
    }
  }

  /// However many payments there are, few are remembered, and the furthest counts.
  @Test func manyPayments() throws {
    let ledger = fixture()
    let start = ledger.now
    for number in 0..<60 {
      var bought = StoreKitTransaction(
        id: Name(trusted: "\(number)"), productID: number % 7 == 3 ? "other" : "sub")
      bought.period = PaidPeriod(
        until: instant(Int64(number * 37 % 61) + 1, in: ledger, start: start),
        since: instant(Int64(number * 17 % 59) - 60, in: ledger, start: start))
      var request = StoreKitRequest(.grant, bought, time: ledger.now)
      request.account = "alice"
      if number == 0 {
        ledger.policy.plans.append(Plan(id: "third", quota: 7, period: .subscription))
      }
      _ = try ledger.perform(.storeKit(request))
      let subscriptions = try ledger.account().subscriptions
      #expect(subscriptions.paid.count <= Subscriptions.countLimit && subscriptions.isSound)
      #expect(subscriptions.active != nil)
    }
    ledger.expectSound()
  }
}
