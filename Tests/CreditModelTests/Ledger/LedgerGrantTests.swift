import CreditModel
import Testing

@testable import TestSupport

/// Grants: their order of use, start, scope, voiding and give-backs.
@Suite struct LedgerGrantTests {
  func ledger(_ starter: Credits = 0, _ configure: (inout Policy) -> Void = { _ in })
    -> LedgerFixture
  {
    LedgerFixture(starter: starter, configure)
  }

  /// A bonus with terms.
  func grant(
    _ ledger: LedgerFixture, _ id: Name, _ credits: Credits, kind: Transaction.Kind = .bonus,
    _ terms: StatedTerms
  ) throws -> TopUp {
    let request = ledger.topUp(id: id, .credits(credits)) {
      $0.kind = kind
      $0.terms = terms
    }
    return try #require(try ledger.perform(request).topUp)
  }

  func models(_ names: Name...) -> ModelPatterns { ModelPatterns(trusted: names) }

  /// The grants' credits, such as `promo 300`.
  func grants(_ ledger: LedgerFixture) throws -> String {
    try ledger.account().bucketsInBurnOrder.map {
      "\($0.grant?.id.text ?? $0.kind.rawValue) \($0.credits)"
    }.joined(separator: ", ")
  }

  @Test func theOrderOfUse() throws {
    let ledger = ledger(5) { $0.plans = [Plan(id: "p", quota: 5, period: .day)] }
    let soon = time("2026-02-20T00:00:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    _ = try ledger.perform(ledger.topUp(id: "plain", .credits(5)))
    _ = try grant(ledger, "last", 5, StatedTerms(priority: 90))
    _ = try grant(ledger, "first", 5, StatedTerms(priority: 10))
    _ = try grant(ledger, "younger", 5, StatedTerms(expiry: .at(soon)))
    _ = try grant(ledger, "bought", 5, kind: .purchase, StatedTerms(expiry: .at(soon)))
    _ = try grant(ledger, "scoped", 5, kind: .purchase, StatedTerms(models: models("unit")))
    _ = try grant(ledger, "sooner", 5, StatedTerms(expiry: .after(.seconds(3600))))
    _ = try grant(ledger, "youngest", 5, StatedTerms(expiry: .at(soon)))
    #expect(
      try grants(ledger)
        == "first 5, sooner 5, quota 5, younger 5, youngest 5, bought 5, starter 5, scoped 5, "
        + "purchased 5, last 5")
  }

  @Test func aChargeUsesCreditsOfItsModel() throws {
    let ledger = ledger()
    _ = try ledger.perform(ledger.topUp(id: "plain", .credits(1000)))
    _ = try grant(ledger, "promo", 300, StatedTerms(models: models("unit")))
    _ = try ledger.perform(ledger.charge(key: "a", units(400), model: "half"))
    #expect(try grants(ledger) == "promo 300, purchased 800")
    // By another name of the model, which the record then names.
    _ = try ledger.perform(ledger.charge(key: "b", units(400), model: "one"))
    #expect(try grants(ledger) == "purchased 700")
    guard case .charge(let charge) = ledger.books.records.last?.event else {
      Issue.record("no charge")
      return
    }
    #expect(charge.receipt.details?.catalogModel == "unit")
    #expect(charge.taken.map(\.credits) == [300, 100])
  }

  @Test func prefixesNameModels() throws {
    let ledger = ledger()
    _ = try grant(ledger, "g", 5, StatedTerms(models: models("un*")))
    #expect(try ledger.account().available == 0)
    #expect(try ledger.account().available(for: "unit") == 5)
    #expect(try ledger.account().available(for: "half") == 0)
  }

  @Test func anAuthorizeNamesTheModel() throws {
    let ledger = ledger()
    _ = try grant(ledger, "g", 300, StatedTerms(models: models("unit")))
    let error = failure { () throws(CreditError) in try ledger.perform(ledger.authorize(id: "a")) }
    #expect(error?.code == .insufficientCredits)
    #expect(
      error?.message == #"account "alice" has 300 credits for "unit" only; name the model"#)
    func authorize(_ model: Name) -> GateRequest {
      .authorize(AuthorizeRequest(account: "alice", id: "a", model: model, time: ledger.now))
    }
    #expect(ledger.code(authorize("half")) == .insufficientCredits)
    #expect(ledger.code(authorize("nothing")) == .unknownModel)
    #expect(try ledger.perform(authorize("one")).authorization?.model == "unit")
  }

  @Test func aMemberNamesTheModelOfItsPool() throws {
    let ledger = ledger()
    _ = try grant(ledger, "g", 300, StatedTerms(models: models("unit")))
    _ = try ledger.perform(ledger.change("bob", parent: "alice"))
    func message(_ model: Name? = nil, hold: Credits? = nil) -> String? {
      failure { () throws(CreditError) in
        try ledger.perform(
          .authorize(
            AuthorizeRequest(
              account: "bob", id: "a", hold: hold, model: model, time: ledger.now)))
      }?.message
    }
    let has =
      #"account "bob" and those that pay for it have 0 credits available, and 300 for "unit" only"#
    #expect(message() == has + "; name the model")
    #expect(message(hold: 5) == has + ", too few for a hold of 5; name the model")
    #expect(message("half") == has + #"; top up account "alice" to continue"#)
    #expect(message("unit") == nil)
  }

  @Test func denyCountsUsableCredits() throws {
    let ledger = ledger { $0.allowsOverdraft = false }
    _ = try ledger.perform(ledger.topUp(id: "plain", .credits(10)))
    _ = try grant(ledger, "g", 20, StatedTerms(models: models("unit")))
    #expect(ledger.code(ledger.charge(key: "a", units(22), model: "half")) == .insufficientCredits)
    #expect(ledger.code(ledger.charge(key: "a", units(31))) == .insufficientCredits)
    _ = try ledger.perform(ledger.charge(key: "a", units(30)))
    #expect(try ledger.balance() == 0)
  }

  @Test func debtStandsBesideScopedCredits() throws {
    let ledger = ledger()
    _ = try grant(ledger, "g", 300, StatedTerms(models: models("unit")))
    _ = try ledger.perform(
      .charge(
        ChargeRequest(
          reference: .key("a", account: "alice"), model: "half", usage: units(200),
          isArrears: true, time: ledger.now)))
    #expect(try grants(ledger) == "g 300, purchased -100")
    #expect(try ledger.account().available == -100)
    #expect(try ledger.account().available(for: "unit") == 200)
    _ = try grant(ledger, "unscoped", 30, StatedTerms(priority: 0))
    #expect(try grants(ledger) == "g 300, purchased -70")
  }

  // MARK: Time

  @Test func aGrantStarts() throws {
    let ledger = ledger()
    let start = time("2026-02-20T00:00:00Z")
    let first = try grant(ledger, "g", 30, StatedTerms(start: .at(start)))
    #expect(first.transaction.status == .scheduled && first.creditsAdded == 0)
    #expect(try ledger.balance() == 0)
    ledger.now = start
    #expect(try ledger.balance() == 30)
    // A repeat reports its start, without a record.
    let count = ledger.books.records.count
    let again = try grant(ledger, "g", 30, StatedTerms(start: .at(start)))
    #expect(again.transaction.status == .completed && again.creditsAdded == 30)
    #expect(ledger.books.records.count == count)
    ledger.now = time("2026-02-21T00:00:00Z")
    _ = try ledger.perform(ledger.charge(key: "a", units(10)))
    let record = try #require(ledger.books.records.dropLast().last)
    #expect(record.account.updatedAt == start && record.account.balance == 30)
    #expect(record.historyLine == nil && record.revision?.status == .completed)
    #expect(record.revision?.updatedAt == start)
  }

  /// The newest record has the request's time, from which later requests know the past.
  @Test func startsAndExpiriesAreRecorded() throws {
    let ledger = ledger()
    let start = time("2026-02-20T00:00:00Z")
    let hour = TimeSpan.seconds(3600)
    _ = try grant(ledger, "g", 30, StatedTerms(start: .at(start), expiry: .after(hour)))
    ledger.now = time("2026-02-21T00:00:00Z")
    _ = try ledger.perform(ledger.change())
    #expect(ledger.books.latestTime == ledger.now)
    let count = ledger.books.records.count
    _ = try ledger.perform(ledger.change())
    #expect(ledger.books.records.count == count)
  }

  /// At one instant credits expire, then the quota resets, then grants start.
  @Test func theOrderAtOneInstant() throws {
    let ledger = ledger { $0.plans = [Plan(id: "p", quota: 7, period: .day)] }
    let midnight = time("2026-02-20T00:00:00Z")
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    _ = try grant(ledger, "later", 3, StatedTerms(start: .at(midnight)))
    _ = try grant(ledger, "gone", 5, StatedTerms(expiry: .at(midnight)))
    ledger.now = midnight
    let count = ledger.books.records.count
    _ = try ledger.perform(ledger.charge(key: "a", units(1)))
    let events = ledger.books.records[count...].map(\.event)
    #expect(events.first == .expiry(.bonus, credits: -5, grant: "gone"))
    #expect(events[1] == .expiry(.quota, credits: -7, grant: nil))
    #expect(events[2] == .refill(credits: 7, carriedOver: 0))
    guard case .topUp(let topUp) = events[3] else {
      Issue.record("\(events[3]) is no start")
      return
    }
    #expect(topUp.transaction.id == "later" && topUp.newBalance == 10)
    ledger.expectSound()
  }

  @Test func aStartIsAtMostFiveYearsAhead() throws {
    let ledger = ledger()
    func code(_ terms: StatedTerms) -> CreditError.Code? {
      ledger.code(
        ledger.topUp(id: "g", .credits(1)) {
          $0.kind = .bonus
          $0.terms = terms
        })
    }
    let far = try #require(ledger.now.adding(.seconds(5 * 366 * 86_400 + 1)))
    #expect(code(StatedTerms(start: .at(far))) == .invalidRequest)
    let soon = try #require(ledger.now.adding(.seconds(60)))
    #expect(code(StatedTerms(start: .at(soon), expiry: .at(soon))) == .invalidRequest)
    #expect(code(StatedTerms(start: .at(soon), expiry: .after(.seconds(1)))) == nil)
    #expect(
      try ledger.account().scheduled.first?.bucket.expiresAt == ledger.now.adding(.seconds(61)))
  }

  @Test func aRepeatIncludesTheTerms() throws {
    let ledger = ledger()
    let terms = StatedTerms(priority: 5, expiry: .after(.seconds(3600)))
    _ = try grant(ledger, "g", 10, terms)
    ledger.now = time("2026-02-19T10:30:00Z")
    _ = try grant(ledger, "g", 10, terms)
    #expect(try ledger.balance() == 10)
    for other in [
      StatedTerms(), StatedTerms(priority: 5), StatedTerms(priority: 6, expiry: terms.expiry),
      StatedTerms(priority: 5, expiry: .at(time("2026-02-19T11:00:00Z"))),
    ] {
      let request = ledger.topUp(id: "g", .credits(10)) {
        $0.kind = .bonus
        $0.terms = other
      }
      #expect(ledger.code(request) == .idempotencyConflict)
    }
  }

  // MARK: Taking back and giving back

  func void(_ ledger: LedgerFixture, _ id: Name) throws -> Refund {
    var request = RefundRequest(reference: .transaction(id), time: ledger.now)
    request.isUnused = true
    return try #require(try ledger.perform(.refund(request)).refund)
  }

  @Test func theRestIsTakenBack() throws {
    let ledger = ledger()
    _ = try ledger.perform(ledger.topUp(id: "plain", .credits(10)))
    _ = try grant(ledger, "g", 20, StatedTerms(priority: 0))
    _ = try ledger.perform(ledger.charge(key: "a", units(15)))
    #expect(try void(ledger, "g").credits == 5)
    #expect(try grants(ledger) == "purchased 10")
    #expect(try void(ledger, "g").credits == 5)
    // The charge's returned credits are forfeited.
    let refund = try #require(try ledger.perform(ledger.refund(key: "a")).refund)
    #expect(refund.credits == 0 && refund.forfeited == 15)
    #expect(throws: CreditError.self) { try void(ledger, "plain") }
  }

  @Test func aScheduledGrantIsTakenBack() throws {
    let ledger = ledger(10)
    let start = time("2026-02-20T00:00:00Z")
    _ = try grant(ledger, "g", 20, StatedTerms(start: .at(start)))
    #expect(ledger.code(ledger.refund(transaction: "g", 5)) == .invalidRequest)
    let refund = try #require(try ledger.perform(ledger.refund(transaction: "g")).refund)
    #expect(refund.credits == 20 && refund.newBalance == 10)
    ledger.now = start
    #expect(try ledger.balance() == 10)
    ledger.expectSound()
  }

  @Test func aRefundTakesFromItsGrantFirst() throws {
    let ledger = ledger()
    _ = try ledger.perform(ledger.topUp(id: "plain", .credits(4)))
    _ = try grant(ledger, "scoped", 50, StatedTerms(models: models("half")))
    _ = try grant(ledger, "g", 20, kind: .purchase, StatedTerms(priority: 0))
    _ = try ledger.perform(ledger.charge(key: "a", units(15)))
    _ = try ledger.perform(ledger.refund(transaction: "g"))
    #expect(try grants(ledger) == "scoped 50, purchased -11")
    // Others paid the part of it that was used, so that no credits go back to it.
    _ = try ledger.perform(ledger.refund(key: "a"))
    #expect(try grants(ledger) == "scoped 50, purchased 4")
  }

  @Test func anAmendAfterAGrantHasExpired() throws {
    let ledger = ledger()
    _ = try ledger.perform(ledger.topUp(id: "plain", .credits(100)))
    _ = try grant(ledger, "g", 20, StatedTerms(expiry: .after(.seconds(60))))
    _ = try ledger.perform(ledger.charge(key: "a", units(30)))
    #expect(try grants(ledger) == "purchased 90")
    ledger.now = time("2026-02-19T10:02:00Z")
    // 10 of the purchased credits come back; 10 of the grant are forfeited, and count as paid.
    _ = try ledger.perform(ledger.amend(key: "a", units(10)))
    #expect(try grants(ledger) == "purchased 100")
    _ = try ledger.perform(ledger.amend(key: "a", units(25)))
    #expect(try grants(ledger) == "purchased 95")
    ledger.expectSound()
  }

  /// A limit of some models counts payments by their grant, under any name of the model; and a
  /// record names the catalog's model for either.
  @Test func aLimitOfModelsBesideAGrantForThem() throws {
    let limit = SpendLimit(id: "m", period: .month, models: ["un*"], amount: 50)
    let ledger = ledger { $0.plans = [Plan(id: "p", limits: [limit])] }
    _ = try ledger.perform(ledger.change(plan: .set("p")))
    _ = try grant(ledger, "g", 100, StatedTerms(models: models("un*")))
    func available(_ model: Name?) throws -> Credits {
      let account = try ledger.account()
      return AccountView(
        account, limits: account.limitViews(under: ledger.policy), model: model
      ).available
    }
    #expect(try available(nil) == 0)
    #expect(try available("unit") == 50)
    #expect(try available("half") == 0)
    _ = try ledger.perform(ledger.charge(key: "a", units(40), model: "one"))
    #expect(try available("unit") == 10)
    let refused = ledger.charge(key: "b", units(1), model: "half")
    #expect(ledger.code(refused) == .insufficientCredits)
    _ = try ledger.perform(ledger.charge(key: "c", units(30), model: "one"))
    #expect(ledger.code(ledger.charge(key: "d", units(1), model: "one")) == .spendLimit)
    #expect(try grants(ledger) == "g 30")
    _ = try ledger.perform(ledger.refund(key: "c"))
    #expect(try grants(ledger) == "g 60")
    #expect(try available("unit") == 10)
    ledger.expectSound()
  }

  @Test func productsHaveTerms() throws {
    let ledger = ledger()
    ledger.policy.prices = KnownPrices(
      try PriceCatalog(
        models: LedgerFixture.models,
        products: [
          Product(
            id: "pack", name: "", credits: 10,
            terms: StatedTerms(priority: 20, expiry: .after(.seconds(60)), models: models("unit")))
        ]))
    let request = ledger.topUp(id: "t", .product("pack", quantity: 2)) { $0.terms.priority = 30 }
    let topUp = try #require(try ledger.perform(request).topUp)
    #expect(topUp.transaction.terms?.priority == 30)
    #expect(topUp.transaction.terms?.models == models("unit"))
    #expect(topUp.transaction.expiresAt == ledger.now.adding(.seconds(60)))
    // An edit of the catalog makes no conflict.
    ledger.policy.prices = KnownPrices(
      try PriceCatalog(
        models: LedgerFixture.models, products: [Product(id: "pack", name: "", credits: 10)]))
    #expect(try ledger.perform(request).isReplay)
    let plain = ledger.topUp(id: "t", .product("pack", quantity: 2))
    #expect(ledger.code(plain) == .idempotencyConflict)
  }
}
