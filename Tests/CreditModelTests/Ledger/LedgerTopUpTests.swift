import CreditModel
import Testing

@testable import TestSupport

@Suite struct LedgerTopUpTests {
  @Test func grantsOnce() throws {
    let ledger = LedgerFixture()
    let first = try ledger.perform(ledger.topUp(id: "t1", .product("pack", quantity: 2)))
    #expect(first.topUp?.creditsAdded == 20)
    #expect(first.topUp?.newBalance == 120)
    #expect(first.topUp?.transaction.status == .completed)
    _ = try ledger.perform(ledger.charge(key: "k", units(7)))
    let again = try ledger.perform(ledger.topUp(id: "t1", .product("pack", quantity: 2)))
    #expect(again.isReplay)
    #expect(again.topUp == first.topUp)
    #expect(try ledger.balance() == 113)
    #expect(
      ledger.code(ledger.topUp(id: "t1", .product("pack", quantity: 2)) { $0.isStrict = true })
        == .duplicateTransaction)
  }

  @Test func anotherAccountProductAmountOrTypeConflicts() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.topUp(id: "t1", .product("pack", quantity: 1)))
    _ = try ledger.perform(ledger.topUp(id: "t2", .credits(10)))
    for request in [
      ledger.topUp("bob", id: "t1", .product("pack", quantity: 1)),
      ledger.topUp(id: "t1", .product("pack", quantity: 2)),
      ledger.topUp(id: "t1", .product("huge", quantity: 1)), ledger.topUp(id: "t1", .credits(10)),
      ledger.topUp(id: "t2", .product("pack", quantity: 1)), ledger.topUp(id: "t2", .credits(11)),
      ledger.topUp(id: "t2", .credits(10)) { $0.kind = .bonus },
    ] {
      #expect(ledger.code(request) == .idempotencyConflict)
    }
    #expect(try ledger.balance() == 120)
    #expect(ledger.books.account("bob") == nil)
  }

  @Test(arguments: [
    (1, "9.90"), (3, "29.70"), (100, "990.00"),
  ])
  func aPurchaseIsRecordedWithTheProductsPrice(quantity: Int64, price: String) throws {
    let pack = Product(
      id: "pack", name: "Pack", credits: 10, price: ExactDecimal(text: "9.90"), pricePlaces: 2,
      currency: "USD")
    let catalog = try PriceCatalog(models: [], products: [pack])
    let ledger = LedgerFixture { $0.prices = KnownPrices(catalog) }
    func bought(
      _ id: Name, _ change: (inout TopUpRequest) -> Void = { _ in }
    ) throws -> Transaction? {
      let request = ledger.topUp(id: id, .product("pack", quantity: quantity), change)
      return try ledger.perform(request).topUp?.transaction
    }
    let plain = try bought("t1")
    #expect(plain?.price == price)
    #expect(plain?.currency == "USD")
    let reduced = try bought("t2") { $0.price = "5" }
    #expect(reduced?.price == "5")
    #expect(reduced?.currency == "USD")
    // A price in another currency is not the product's.
    let other = try bought("t3") { $0.currency = "EUR" }
    #expect(other?.price == nil)
    #expect(other?.currency == "EUR")
    let gift = try bought("t4") { $0.kind = .bonus }
    #expect(gift?.price == nil)
  }

  @Test func aPriceNeedsACurrency() throws {
    let ledger = LedgerFixture()
    func request(_ configure: (inout TopUpRequest) -> Void) -> GateRequest {
      ledger.topUp(id: "t1", .credits(10)) {
        $0.price = "5"
        configure(&$0)
      }
    }
    for status: Transaction.Status in [.pending, .completed] {
      #expect(ledger.code(request { $0.status = status }) == .invalidRequest)
    }
    #expect(ledger.books.records.isEmpty)
    #expect(try ledger.perform(request { $0.currency = "USD" }).topUp?.transaction.price == "5")
    #expect(try ledger.perform(request { _ in }).isReplay)
  }

  /// A conflict is told in the request's own words.
  @Test func conflictsNameTheDifference() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(10)))
    _ = try ledger.perform(ledger.topUp(key: "k", .credits(10)))
    let otherwise = "; nothing was credited"
    for (request, message) in [
      (
        ledger.topUp(id: "t", .credits(11)),
        #"transaction "t" was recorded with 10 credits, not 11 credits"# + otherwise
      ),
      (
        ledger.topUp(id: "t", .credits(10)) { $0.kind = .bonus },
        #"transaction "t" was recorded with type purchase, not bonus"# + otherwise
      ),
      (
        ledger.topUp(key: "k", .credits(11)) { $0.kind = .bonus },
        #"key "k" was recorded with 10 credits, not 11 credits"# + otherwise
      ),
      (
        ledger.topUp(id: "t", .product("pack", quantity: 2)),
        #"transaction "t" was recorded with 10 credits, not 2 of product "pack""# + otherwise
      ),
      (
        ledger.topUp(key: "k", .credits(10)) { $0.isStrict = true },
        #"key "k" has been processed already"#
      ),
    ] {
      let error = failure { () throws(CreditError) in try ledger.perform(request) }
      #expect(error?.message == message)
    }
  }

  @Test func keysAreTheAccountsOwn() throws {
    let ledger = LedgerFixture(starter: 0)
    for account in ["alice", "bob"] as [Name] {
      #expect(try !ledger.perform(ledger.topUp(account, key: "migration", .credits(2))).isReplay)
      #expect(try ledger.perform(ledger.topUp(account, key: "migration", .credits(2))).isReplay)
      #expect(try ledger.balance(account) == 2)
    }
  }

  @Test func knownAndUnknownProducts() throws {
    let ledger = LedgerFixture(starter: 0)
    let old = Product(id: "old", name: "Old", credits: 7)
    ledger.policy.prices = KnownPrices(
      try PriceCatalog(models: [], products: [old]))
    #expect(
      try ledger.perform(ledger.topUp(id: "t", .product("old", quantity: 1))).topUp?.creditsAdded
        == 7)
    #expect(ledger.code(ledger.topUp(id: "t2", .product("new", quantity: 1))) == .unknownProduct)
  }

  @Test func grantsAtMost2To53() throws {
    let ledger = LedgerFixture(starter: 0)
    #expect(ledger.code(ledger.topUp(id: "t", .product("huge", quantity: 2))) == .amountOutOfRange)
    #expect(
      ledger.code(ledger.topUp(id: "t", .product("huge", quantity: .max))) == .amountOutOfRange)
    _ = try ledger.perform(ledger.topUp(id: "t", .product("huge", quantity: 1)))
    for count in 2...1023 {
      let id = Name(trusted: "t\(count)")
      _ = try ledger.perform(ledger.topUp(id: id, .credits(.largestGrant)))
    }
    #expect(try ledger.balance() == .max - .largestGrant + 1)
    #expect(ledger.code(ledger.topUp(id: "last", .credits(.largestGrant))) == .amountOutOfRange)
    _ = try ledger.perform(ledger.topUp(id: "last", .credits(.largestGrant - 1)))
    #expect(try ledger.balance() == .max)
    #expect(ledger.code(ledger.bonus(key: "b", 1)) == .amountOutOfRange)
  }

  @Test func pendingAndFailedGrantNothingUntilCompleted() throws {
    let ledger = LedgerFixture(starter: 0)
    func step(_ status: Transaction.Status, reason: String? = nil) throws -> GateResult {
      try ledger.perform(
        ledger.topUp(id: "t", .credits(10)) {
          $0.status = status
          $0.reason = reason
        })
    }
    let pending = try step(.pending)
    #expect(pending.topUp?.creditsAdded == 0)
    #expect(pending.topUp?.transaction.credits == 10)
    #expect(try step(.pending).isReplay)
    let failed = try step(.failed, reason: "declined")
    #expect(failed.topUp?.transaction.reason == "declined")
    #expect(!failed.isReplay)
    #expect(try ledger.balance() == 0)
    let completed = try step(.completed)
    #expect(completed.topUp?.creditsAdded == 10 && !completed.isReplay)
    for late in [Transaction.Status.pending, .failed, .completed] {
      let replay = try step(late)
      #expect(replay.isReplay && replay.topUp == completed.topUp)
    }
    #expect(try ledger.balance() == 10)
    // All of them are one transaction, at the place of its first record.
    let originals = ledger.books.records.compactMap(\.original)
    #expect(originals == [RecordPosition(1), RecordPosition(1)])
  }

  /// The latest that was said of price, currency and expiry holds; a reason is a status's own.
  @Test func completingKeepsUnstatedMembers() throws {
    let ledger = LedgerFixture(starter: 0)
    func step(
      _ id: Name, _ status: Transaction.Status, _ configure: (inout TopUpRequest) -> Void = { _ in }
    ) throws -> Transaction? {
      let request = ledger.topUp(id: id, .credits(10)) {
        $0.kind = .bonus
        $0.status = status
        configure(&$0)
      }
      return try ledger.perform(request).topUp?.transaction
    }
    func describe(_ request: inout TopUpRequest) {
      request.price = "9.99"
      request.currency = "USD"
      request.reason = "waits"
      request.terms.expiry = .after(.seconds(3600))
    }
    let expiry = time("2026-02-19T11:00:00Z")
    _ = try step("t1", .pending, describe)
    let kept = try step("t1", .completed)
    #expect((kept?.price, kept?.currency) == ("9.99", "USD"))
    #expect(kept?.reason == "waits" && kept?.expiresAt == expiry)
    #expect(ledger.books.account("alice")?.buckets.first?.expiresAt == expiry)

    _ = try step("t2", .pending, describe)
    let failed = try step("t2", .failed) { $0.reason = "declined" }
    #expect(failed?.price == "9.99" && failed?.reason == "declined")
    let late = try step("t2", .completed) { $0.price = "8.99" }
    #expect((late?.price, late?.currency) == ("8.99", "USD"))
    #expect(late?.reason == nil && late?.expiresAt == expiry)

    _ = try step("t3", .pending, describe)
    let said = try step("t3", .completed) {
      $0.reason = "paid"
      $0.terms.expiry = .after(.seconds(60))
    }
    #expect(said?.reason == "paid" && said?.expiresAt == time("2026-02-19T10:01:00Z"))

    // An expired grant adds no credits; it may fail, or get more time. A duration begins again.
    _ = try step("t4", .pending) { $0.terms.expiry = .at(expiry) }
    _ = try step("t5", .pending, describe)
    ledger.now = expiry
    #expect(try step("t5", .completed)?.expiresAt == time("2026-02-19T12:00:00Z"))
    #expect(throws: CreditError.self) { try step("t4", .completed) }
    #expect(try step("t4", .failed)?.expiresAt == expiry)
    let longer = try step("t4", .completed) { $0.terms.expiry = .after(.seconds(60)) }
    #expect(longer?.expiresAt == time("2026-02-19T11:01:00Z"))
  }

  @Test func completingGrantsTheRecordedCredits() throws {
    let ledger = LedgerFixture(starter: 0)
    let pack = TopUpRequest.Grant.product("pack", quantity: 2)
    for id in ["t1", "t2", "t3"] as [Name] {
      _ = try ledger.perform(ledger.topUp(id: id, pack) { $0.status = .pending })
    }
    _ = try ledger.perform(ledger.topUp(id: "t3", pack) { $0.status = .failed })
    let dearer = Product(id: "pack", name: "7 credits", credits: 7)
    ledger.policy.prices = KnownPrices(
      try PriceCatalog(models: [], products: [dearer]))
    #expect(try ledger.perform(ledger.topUp(id: "t1", pack)).topUp?.creditsAdded == 20)
    ledger.policy.prices = KnownPrices(PriceCatalog())
    #expect(try ledger.perform(ledger.topUp(id: "t2", pack)).topUp?.creditsAdded == 20)
    #expect(try ledger.perform(ledger.topUp(id: "t3", pack)).topUp?.creditsAdded == 20)
    #expect(ledger.code(ledger.topUp(id: "t4", pack)) == .unknownProduct)
  }

  /// A top-up by key may be finished under its id, and then the key is used too.
  @Test func aKeyAndItsIdAreOneTransaction() throws {
    let ledger = LedgerFixture(starter: 0)
    _ = try ledger.perform(ledger.topUp(key: "k", .credits(10)) { $0.status = .pending })
    #expect(try !ledger.perform(ledger.topUp(id: "id-1", .credits(10))).isReplay)
    #expect(try ledger.perform(ledger.topUp(key: "k", .credits(10))).isReplay)
    #expect(try ledger.balance() == 10)
  }

  @Test func belowGrantsOnlyBelow() throws {
    let ledger = LedgerFixture(starter: 100)
    func step(_ key: Name, below: Credits) throws -> GateResult {
      try ledger.perform(ledger.topUp(key: key, .credits(10)) { $0.below = below })
    }
    guard case .skipped("alice", "k", 100) = try step("k", below: 100) else {
      Issue.record("100 is not below 100")
      return
    }
    #expect(ledger.books.records.isEmpty)
    #expect(try step("k", below: 101).topUp?.newBalance == 110)
    // The replay comes first.
    #expect(try step("k", below: 1).isReplay)
    #expect(
      ledger.code(ledger.topUp(key: "k", .credits(11)) { $0.below = 1 }) == .idempotencyConflict)
  }

  @Test(arguments: [Transaction.Status.pending, .failed])
  func belowIsForEveryStatus(_ status: Transaction.Status) throws {
    let ledger = LedgerFixture(starter: 100)
    func step(below: Credits) throws -> GateResult {
      try ledger.perform(
        ledger.topUp(key: "k", .credits(10)) {
          $0.status = status
          $0.below = below
        })
    }
    guard case .skipped("alice", _, 100) = try step(below: 100) else {
      Issue.record("100 is not below 100")
      return
    }
    #expect(ledger.books.records.isEmpty)
    #expect(try step(below: 101).topUp?.transaction.status == status)
    #expect(try step(below: 1).isReplay)
  }

  @Test func bonusesExpire() throws {
    let ledger = LedgerFixture(starter: 100)
    let tomorrow = time("2026-02-20T10:00:00Z")
    _ = try ledger.perform(ledger.bonus(key: "b1", 50, until: tomorrow))
    _ = try ledger.perform(
      ledger.topUp(key: "b2", .credits(5)) {
        $0.kind = .bonus
        $0.terms.expiry = .after(.seconds(86_400))
      })
    #expect(try ledger.buckets() == "bonus 50, bonus 5, starter 100")
    _ = try ledger.perform(ledger.charge(key: "k", units(15)))
    ledger.now = time("2026-02-20T09:59:59.999Z")
    #expect(try ledger.balance() == 140)
    ledger.now = tomorrow
    #expect(try ledger.buckets() == "starter 100")
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(1)))
    let expiries = ledger.books.records.suffix(3).dropLast()
    #expect(
      expiries.map(\.event) == [
        .expiry(.bonus, credits: -35, grant: "id-1"), .expiry(.bonus, credits: -5, grant: "id-2"),
      ])
    #expect(expiries.allSatisfy { $0.account.updatedAt == tomorrow })
    #expect(ledger.code(ledger.bonus(key: "b3", 1, until: tomorrow)) == .invalidRequest)
  }

  @Test func aHundredGrantsAtMost() throws {
    let ledger = LedgerFixture(starter: 0)
    func bonus(_ second: Int) -> GateRequest {
      let until = ledger.now.adding(.seconds(Int64(second) + 1))
      return ledger.bonus(key: Name(trusted: "b\(second)"), 1, until: until)
    }
    for second in 0..<100 { _ = try ledger.perform(bonus(second)) }
    let error = failure { () throws(CreditError) in try ledger.perform(bonus(100)) }
    #expect(error?.code == .limitExceeded)
    #expect(
      error?.message
        == #"account "alice" has 100 grants with credits left already; give larger ones less "#
        + "often, or ones that end sooner")
    guard case .account("alice") = error?.details.first else {
      Issue.record("no account in \(String(describing: error))")
      return
    }
    _ = try ledger.perform(ledger.bonus(key: "plain", 1))
    #expect(Array(try ledger.account().buckets).count == 101)
    _ = try ledger.perform(ledger.charge(key: "c", units(1)))
    _ = try ledger.perform(bonus(100))
    #expect(try ledger.balance() == 101)
  }

  @Test func whateverEntersSettlesDebtFirst() throws {
    let ledger = LedgerFixture(starter: 0) { $0.plans = [Plan(id: "p", quota: 3, period: .day)] }
    _ = try ledger.perform(ledger.topUp(id: "t1", .credits(1)))
    _ = try ledger.perform(ledger.charge(key: "c1", units(21)))
    _ = try ledger.perform(ledger.bonus(key: "b1", 5))
    #expect(try ledger.buckets() == "purchased -15")
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    #expect(try ledger.buckets() == "purchased -12")
    #expect(try ledger.account().quota?.used == 3)
    _ = try ledger.perform(ledger.bonus(key: "b2", 20, until: time("2026-05-01T00:00:00Z")))
    #expect(try ledger.buckets() == "bonus 8")
  }
}
