import CreditModel
import Testing

@testable import TestSupport

@Suite struct LedgerChargeTests {
  private let unreadable = ReportedUsage.unreadable(raw: "{}", reason: "no counts")

  @Test func deductsOncePerAuthorization() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1"))
    let first = try ledger.perform(ledger.charge("a1", units(30)))
    #expect(first.receipt?.creditsCharged == 30)
    #expect(first.receipt?.newBalance == 70)
    _ = try ledger.perform(ledger.charge(key: "k", units(5)))
    ledger.now = time("2026-03-01T00:00:00Z")
    let again = try ledger.perform(ledger.charge("a1", units(30)))
    #expect(again.isReplay)
    #expect(again.receipt == first.receipt)
    #expect(try ledger.balance() == 65)
  }

  @Test func otherUsageModelOrAccountConflicts() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1"))
    _ = try ledger.perform(ledger.charge("a1", units(30)))
    for request in [
      ledger.charge("a1", units(31)), ledger.charge("a1", tokens(30, 0)),
      ledger.charge("a1", unreadable), ledger.charge("a1", units(30), model: "one"),
      ledger.charge("a1", units(30), account: "bob"),
    ] {
      #expect(ledger.code(request) == .idempotencyConflict)
    }
    #expect(try ledger.perform(ledger.charge("a1", units(30), account: "alice")).isReplay)
    #expect(ledger.code(ledger.charge("a2", units(1))) == .unknownAuthorization)
  }

  /// A conflict is told in the request's own words.
  @Test func conflictsNameTheDifference() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1"))
    _ = try ledger.perform(ledger.charge("a1", units(3)))
    _ = try ledger.perform(ledger.charge(key: "k", units(3)))
    for (request, message) in [
      (
        ledger.charge("a1", units(4)),
        #"authorization "a1" was charged for another usage (units 3, now 4)"#
      ),
      (
        ledger.charge("a1", units(3), model: "half"),
        #"authorization "a1" was charged for another model ("unit", now "half")"#
      ),
      (
        ledger.charge(key: "k", units(4)),
        #"key "k" was charged for another usage (units 3, now 4)"#
      ),
      (
        ledger.charge(key: "k", tokens(1000, 0)),
        #"key "k" was charged for another usage (units 3, now inputTokens 1000)"#
      ),
      (
        ledger.charge(key: "k", units(4), model: "half"),
        #"key "k" was charged for another model ("unit", now "half")"#
      ),
    ] {
      let error = failure { () throws(CreditError) in try ledger.perform(request) }
      #expect(error?.message.hasPrefix(message + "; --amend corrects it") == true)
    }
  }

  /// The look-up comes before the catalog, so a model that is gone replays all the same.
  @Test func replaysAfterTheModelIsGone() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.charge(key: "k", units(30)))
    ledger.policy.prices = KnownPrices(PriceCatalog())
    #expect(try ledger.perform(ledger.charge(key: "k", units(30))).isReplay)
    #expect(ledger.code(ledger.charge(key: "k2", units(30))) == .unknownModel)
  }

  @Test func aFailedPriceLeavesTheAuthorizationOpen() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1", hold: 10))
    #expect(ledger.code(ledger.charge("a1", units(1), model: "nothing")) == .unknownModel)
    #expect(ledger.code(ledger.charge("a1", tokens(1, 1))) == .invalidUsage)
    #expect(ledger.code(ledger.charge("a1", unreadable)) == .invalidUsage)
    #expect(try ledger.account().held == 10)
    #expect(try ledger.perform(ledger.charge("a1", units(1))).receipt?.newBalance == 99)
  }

  @Test func overdraftAllowed() throws {
    let ledger = LedgerFixture()
    _ = try ledger.perform(ledger.authorize(id: "a1"))
    #expect(try ledger.perform(ledger.charge("a1", units(130))).receipt?.newBalance == -30)
    #expect(try ledger.buckets() == "purchased -30")
    #expect(ledger.code(ledger.authorize()) == .insufficientCredits)
    #expect(ledger.code(ledger.charge(key: "k", units(1))) == .insufficientCredits)
    #expect(try ledger.perform(ledger.charge(key: "k", units(0))).receipt?.newBalance == -30)
  }

  @Test func overdraftDenied() throws {
    let ledger = LedgerFixture { $0.allowsOverdraft = false }
    _ = try ledger.perform(ledger.authorize(id: "a1", hold: 50))
    _ = try ledger.perform(ledger.authorize(id: "a2", hold: 20))
    #expect(ledger.code(ledger.charge("a1", units(81))) == .insufficientCredits)
    #expect(try ledger.account().held == 70)
    // Its own hold and free credits: 100 − 20, equal is enough.
    #expect(try ledger.perform(ledger.charge("a1", units(80))).receipt?.newBalance == 20)
    #expect(ledger.code(ledger.charge(key: "k", units(1))) == .insufficientCredits)
    #expect(try ledger.perform(ledger.charge("a2", units(20))).receipt?.newBalance == 0)
    #expect(try ledger.perform(ledger.charge(key: "k", units(0))).receipt?.newBalance == 0)
  }

  @Test func directChargeIsCheckAndChargeInOne() throws {
    let ledger = LedgerFixture(starter: 10)
    let first = try ledger.perform(ledger.charge(key: "k", units(4)))
    #expect(first.receipt?.authorization.id == "id-1")
    let again = try ledger.perform(ledger.charge(key: "k", units(4)))
    #expect(again.receipt == first.receipt && again.isReplay)
    #expect(ledger.code(ledger.charge(key: "k", units(5))) == .idempotencyConflict)
    // A key is the account's own.
    #expect(try ledger.perform(ledger.charge("bob", key: "k", units(5))).isReplay == false)
    // Its authorization is charged like any other.
    #expect(try ledger.perform(ledger.charge("id-1", units(4))).isReplay)
    #expect(ledger.code(ledger.authorize(id: "id-1")) == .authorizationClosed)
  }

  @Test func aRefusedKeyIsUnused() throws {
    let ledger = LedgerFixture(starter: 0)
    #expect(ledger.code(ledger.charge(key: "k", units(4))) == .insufficientCredits)
    _ = try ledger.perform(ledger.topUp(key: "k", .credits(9)))
    #expect(try ledger.perform(ledger.charge(key: "k", units(7))).receipt?.newBalance == 2)
  }

  @Test func anExemptAccountIsNotCharged() throws {
    let ledger = LedgerFixture(starter: 0) { $0.allowsOverdraft = false }
    _ = try ledger.perform(ledger.change(isExempt: true))
    let receipt = try ledger.perform(ledger.charge(key: "k", units(12))).receipt
    #expect(receipt?.creditsCharged == 0)
    #expect(receipt?.creditsWaived == 12)
    #expect(receipt?.newBalance == 0)
    _ = try ledger.perform(ledger.change(isExempt: false))
    #expect(ledger.code(ledger.charge(key: "k2", units(12))) == .insufficientCredits)
  }

  @Test func unreadableUsageRepeatsByItsText() throws {
    let ledger = LedgerFixture { $0.priceRules.chargesMinimumForUnreadableUsage = true }
    let first = try ledger.perform(ledger.charge(key: "k", unreadable)).receipt
    #expect(first?.creditsCharged == 1)
    #expect(first?.isFallback == true)
    #expect(try ledger.perform(ledger.charge(key: "k", unreadable)).isReplay)
    let other = ReportedUsage.unreadable(raw: "null", reason: "no counts")
    #expect(ledger.code(ledger.charge(key: "k", other)) == .idempotencyConflict)
    #expect(ledger.code(ledger.charge(key: "k", units(1))) == .idempotencyConflict)
    // Texts that only look alike are two.
    let composed = ReportedUsage.unreadable(raw: "\"\u{e9}\"", reason: "no counts")
    let decomposed = ReportedUsage.unreadable(raw: "\"e\u{301}\"", reason: "no counts")
    _ = try ledger.perform(ledger.charge(key: "k2", composed))
    #expect(try ledger.perform(ledger.charge(key: "k2", composed)).isReplay)
    #expect(ledger.code(ledger.charge(key: "k2", decomposed)) == .idempotencyConflict)
  }

  @Test func flatPricesNeedNoUsage() throws {
    let ledger = LedgerFixture()
    let receipt = try ledger.perform(ledger.charge(key: "k", unreadable, model: "flat")).receipt
    #expect(receipt?.creditsCharged == 3)
    #expect(receipt?.usage == nil && receipt?.isFallback == false)
    #expect(try ledger.perform(ledger.charge(key: "k", unreadable, model: "flat")).isReplay)
  }

  @Test func burnsSoonestExpiryFirstThenByKind() throws {
    let ledger = LedgerFixture(starter: 10) {
      $0.plans = [Plan(id: "pro", quota: 10, period: .month)]
    }
    let march = time("2026-03-01T00:00:00Z")
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(10)))
    _ = try ledger.perform(ledger.bonus(key: "b", 10))
    _ = try ledger.perform(ledger.bonus(key: "same", 10, until: march))
    _ = try ledger.perform(ledger.bonus(key: "later", 10, until: time("2026-03-02T00:00:00Z")))
    _ = try ledger.perform(ledger.bonus(key: "soon", 10, until: time("2026-02-20T00:00:00Z")))
    _ = try ledger.perform(ledger.change(plan: .set("pro")))
    #expect(
      try ledger.buckets()
        == "bonus 10, quota 10, bonus 10, bonus 10, bonus 10, starter 10, purchased 10")
    var left: [String] = []
    for key in ["1", "2", "3", "4", "5"] as [Name] {
      _ = try ledger.perform(ledger.charge(key: key, units(15)))
      left.append(try ledger.buckets())
    }
    #expect(
      left == [
        "quota 5, bonus 10, bonus 10, bonus 10, starter 10, purchased 10",
        "bonus 10, bonus 10, starter 10, purchased 10",
        "bonus 5, starter 10, purchased 10", "purchased 10", "purchased -5",
      ])
  }

  @Test func balanceStaysWithin64Bits() throws {
    let ledger = LedgerFixture(starter: 5)
    for id in ["a1", "a2", "a3", "a4"] as [Name] {
      _ = try ledger.perform(ledger.authorize(id: id))
    }
    #expect(try ledger.perform(ledger.charge("a1", units(.max))).receipt?.newBalance == 5 - .max)
    #expect(ledger.code(ledger.charge("a2", units(6))) == .amountOutOfRange)
    #expect(try ledger.perform(ledger.charge("a2", units(5))).receipt?.newBalance == -.max)
    #expect(ledger.code(ledger.charge("a3", units(1))) == .amountOutOfRange)
    #expect(ledger.code(ledger.charge("a4", units(.max))) == .amountOutOfRange)
    #expect(try ledger.perform(ledger.charge("a3", units(0))).receipt?.newBalance == -.max)
    // Incoming credits settle that debt.
    _ = try ledger.perform(ledger.topUp(id: "t", .credits(.largestGrant)))
    #expect(try ledger.balance() == .largestGrant - .max)
  }
}
