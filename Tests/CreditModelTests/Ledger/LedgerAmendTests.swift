import CreditModel
import Testing

@testable import TestSupport

/// Charges that are corrected, and work that is billed in arrears.
@Suite struct LedgerAmendTests {
  private let ledger = LedgerFixture(starter: 10)

  private func receipt(_ request: GateRequest) throws -> CreditReceipt {
    try #require(try ledger.perform(request).receipt)
  }

  private func credits(_ request: GateRequest) throws -> Credits {
    try receipt(request).creditsCharged
  }

  /// The lines of the history that stand in the books, such as `amend:id-1:1 usage 3`.
  private var lines: [String] {
    ledger.books.records.compactMap(\.historyLine).map {
      "\($0.id.text) \($0.model?.text ?? "-") \($0.credits)"
    }
  }

  @Test func theDifferenceIsTakenOrGivenBack() throws {
    #expect(try credits(ledger.charge(key: "k", units(4))) == 4)
    let more = try receipt(ledger.amend(key: "k", units(7)))
    #expect(more.creditsCharged == 7 && more.newBalance == 3)
    #expect(more.details?.amendment?.number == 1 && more.details?.amendment?.previousCredits == 4)
    let less = try receipt(ledger.amend(key: "k", units(2)))
    #expect(less.creditsCharged == 2 && less.newBalance == 8)
    #expect(less.details?.amendment?.number == 2 && less.details?.amendment?.previousCredits == 7)
    #expect(
      lines == ["starter - 10", "id-1 unit -4", "amend:id-1:1 unit -3", "amend:id-1:2 unit 5"])
  }

  @Test func itMayGoIntoDebt() throws {
    ledger.policy.allowsOverdraft = false
    _ = try ledger.perform(ledger.charge(key: "k", units(4)))
    #expect(try receipt(ledger.amend(key: "k", units(30))).newBalance == -20)
  }

  @Test func theFirstUsageAndThePresentOneAreTheSameCharge() throws {
    _ = try ledger.perform(ledger.charge(key: "k", units(4)))
    _ = try ledger.perform(ledger.amend(key: "k", units(5)))
    _ = try ledger.perform(ledger.amend(key: "k", units(7)))
    for usage in [units(4), units(7)] {
      let again = try ledger.perform(ledger.charge(key: "k", usage))
      #expect(again.isReplay && again.receipt?.creditsCharged == 7)
    }
    #expect(ledger.code(ledger.charge(key: "k", units(5))) == .idempotencyConflict)
    #expect(try ledger.perform(ledger.amend(key: "k", units(7))).isReplay)
    // The last correction is valid, even one back to the first state.
    #expect(try credits(ledger.amend(key: "k", units(4))) == 4)
  }

  @Test func anUnchargedReferenceIsCharged() throws {
    #expect(try receipt(ledger.amend(key: "k", units(4))).details == nil)
    _ = try ledger.perform(ledger.authorize(id: "a"))
    let charge = ChargeRequest(
      reference: .authorization("a", account: nil), model: "unit", usage: units(1), amends: true,
      time: ledger.now)
    #expect(try credits(.charge(charge)) == 1)
  }

  @Test func anotherModelTakesAllAgain() throws {
    _ = try ledger.perform(ledger.charge(key: "k", units(4)))
    let other = try receipt(ledger.amend(key: "k", units(4), model: "half"))
    #expect(other.creditsCharged == 2 && other.newBalance == 8)
    #expect(other.details?.amendment?.previousCredits == 4)
    #expect(
      lines == [
        "starter - 10", "id-1 unit -4", "amend:id-1:1:old unit 4", "amend:id-1:1 half -2",
      ])
    let last = try receipt(ledger.amend(key: "k", units(6), model: "half"))
    #expect(last.details?.amendment?.number == 2 && lines.last == "amend:id-1:2 half -1")
  }

  @Test func forfeitedCreditsCountAsPaid() throws {
    _ = try ledger.perform(ledger.bonus(key: "b", 6, until: time("2026-02-20T00:00:00Z")))
    _ = try ledger.perform(ledger.charge(key: "k", units(8)))
    ledger.now = time("2026-02-21T00:00:00Z")
    // Of 8 credits 6 were a bonus that has expired since.
    #expect(try receipt(ledger.amend(key: "k", units(1))).newBalance == 10)
    #expect(try receipt(ledger.amend(key: "k", units(5))).newBalance == 10)
    #expect(try receipt(ledger.amend(key: "k", units(1))).newBalance == 10)
    #expect(try receipt(ledger.amend(key: "k", units(9))).newBalance == 7)
    #expect(try receipt(ledger.amend(key: "k", units(8), model: "half")).newBalance == 10)
    #expect(lines.last == "amend:id-2:5 half 0")
  }

  @Test func thePriceIsOfTheTimeOfUse() throws {
    ledger.now = time("2026-02-27T00:00:00Z")
    _ = try ledger.perform(ledger.charge(key: "now", units(1)))
    _ = try ledger.perform(ledger.charge(key: "then", units(1), usedAt: ledger.now))
    ledger.now = LedgerFixture.newPrice
    #expect(try credits(ledger.charge(key: "new", units(1), model: "dated")) == 5)
    #expect(try credits(ledger.amend(key: "now", units(1), model: "dated")) == 2)
    #expect(try credits(ledger.amend(key: "then", units(1), model: "dated")) == 2)
    // It does not matter for a charge's identity.
    let same = ledger.charge(
      key: "then", units(1), model: "dated", usedAt: ledger.now, amends: true)
    #expect(try ledger.perform(same).isReplay)
    // Logs restate a message later: the first time stays, and its prices.
    let other = ledger.charge(
      key: "then", units(2), model: "dated", usedAt: ledger.now, amends: true)
    let restated = try receipt(other)
    #expect(restated.creditsCharged == 2)
    #expect(restated.details?.usedAt == time("2026-02-27T00:00:00Z"))
  }

  @Test func anExemptChargeStaysExempt() throws {
    _ = try ledger.perform(ledger.change(isExempt: true))
    _ = try ledger.perform(ledger.charge(key: "free", units(4)))
    _ = try ledger.perform(ledger.change(isExempt: false))
    _ = try ledger.perform(ledger.charge(key: "paid", units(4)))
    let free = try receipt(ledger.amend(key: "free", units(6)))
    #expect(free.creditsCharged == 0 && free.creditsWaived == 6)
    #expect(ledger.books.records.last?.historyLine?.creditsWaived == 2)
  }

  @Test func anAccountThatIsExemptByNowPaysNoDifference() throws {
    _ = try ledger.perform(ledger.charge(key: "k", units(4)))
    _ = try ledger.perform(ledger.change(isExempt: true))
    let more = try receipt(ledger.amend(key: "k", units(50)))
    #expect(more.creditsCharged == 4 && more.creditsWaived == 46 && more.newBalance == 6)
    #expect(ledger.books.records.last?.historyLine?.creditsWaived == 46)
    // Waived credits go first, then paid ones.
    let less = try receipt(ledger.amend(key: "k", units(10)))
    #expect(less.creditsCharged == 4 && less.creditsWaived == 6)
    let least = try receipt(ledger.amend(key: "k", units(3)))
    #expect(least.creditsCharged == 3 && least.creditsWaived == nil && least.newBalance == 7)
    _ = try ledger.perform(ledger.amend(key: "k", units(5)))
    _ = try ledger.perform(ledger.change(isExempt: false))
    let paid = try receipt(ledger.amend(key: "k", units(9)))
    #expect(paid.creditsCharged == 7 && paid.creditsWaived == 2 && paid.newBalance == 3)
    #expect(try ledger.perform(ledger.refund(key: "k")).refund?.credits == 7)
    #expect(try ledger.balance() == 10)
    ledger.expectSound()
  }

  @Test func aRefundedChargeIsClosed() throws {
    _ = try ledger.perform(ledger.charge(key: "k", units(4)))
    _ = try ledger.perform(ledger.amend(key: "k", units(6)))
    let refund = try ledger.perform(ledger.refund(key: "k"))
    #expect(refund.refund?.credits == 6)
    #expect(try ledger.balance() == 10)
    guard case .refundedReceipt = try ledger.perform(ledger.amend(key: "k", units(6))) else {
      Issue.record("a refunded charge is not said to be")
      return
    }
    #expect(ledger.code(ledger.amend(key: "k", units(4))) == .authorizationClosed)
    #expect(ledger.code(ledger.charge(key: "k", units(5))) == .idempotencyConflict)
    #expect(try ledger.perform(ledger.charge(key: "k", units(4))).isReplay)
    #expect(ledger.code(ledger.refund(key: "other")) == .unknownAuthorization)
  }

  @Test func anUnknownUsageCorrectsNothing() throws {
    ledger.policy.priceRules.chargesMinimumForUnreadableUsage = true
    _ = try ledger.perform(ledger.charge(key: "k", units(4)))
    let unread = ReportedUsage.unreadable(raw: "{}", reason: "no usage")
    #expect(ledger.code(ledger.amend(key: "k", unread)) == .idempotencyConflict)
    let partial = ChargeRequest(
      reference: .key("k", account: "alice"), model: "unit", usage: units(9),
      remarks: UsageRemarks.of(isPartial: true), amends: true, time: ledger.now)
    let error = failure { () throws(CreditError) in try ledger.perform(.charge(partial)) }
    #expect(error?.code == .idempotencyConflict)
    #expect(error?.message.contains("corrects it by a complete usage") == true)
    // The minimum that stood in for a usage is corrected by one that can be read.
    _ = try ledger.perform(ledger.charge(key: "u", unread))
    #expect(try credits(ledger.amend(key: "u", units(3))) == 3)
  }

  // MARK: Arrears

  @Test func workThatIsDoneIsBilled() throws {
    ledger.policy.allowsOverdraft = false
    let work = ledger.charge(key: "k", units(25))
    #expect(ledger.code(work) == .insufficientCredits)
    let arrears = ledger.charge(key: "k", units(25), isArrears: true)
    let billed = try receipt(arrears)
    #expect(billed.newBalance == -15 && billed.details == nil)
    let more = try receipt(ledger.charge(key: "l", units(1), isArrears: true))
    #expect(more.newBalance == -16 && more.details?.isArrears == true)
    #expect(ledger.code(ledger.charge(key: "m", units(1))) == .insufficientCredits)
    #expect(try ledger.perform(arrears).isReplay)
  }
}
