import CreditModel
import Testing

@testable import TestSupport

/// Debts that grants settle.
extension LedgerGrantTests {
  // MARK: Debts

  private func owe(_ ledger: LedgerFixture, _ key: Name, _ credits: Int64) throws {
    let request = ChargeRequest(
      reference: .key(key, account: "alice"), model: "unit", usage: units(credits),
      isArrears: true, time: ledger.now)
    _ = try ledger.perform(.charge(request))
  }

  private func refund(_ ledger: LedgerFixture, _ key: Name, _ credits: Credits? = nil) throws
    -> Refund
  {
    var request = RefundRequest(reference: .key(key, account: "alice"), time: ledger.now)
    request.credits = credits
    let result = try ledger.perform(.refund(request))
    guard case .chargeRefund(_, key: _, let refund, isReplay: _) = result.plain else {
      throw CreditError(.corruptStore, "no refund")
    }
    return refund
  }

  /// Credits that settle a debt at the time of a charge are not known to come before it.
  private func pass(_ ledger: LedgerFixture) throws {
    ledger.now = try #require(ledger.now.adding(.seconds(1)))
  }

  private func isSound(_ ledger: LedgerFixture) throws -> Bool {
    var audit = BooksAudit(clockIsReal: true)
    return audit.fault(in: ledger.books) == nil
  }

  /// Credits that settled a debt are used: returned ones are plain, of the same kind and expiry.
  @Test func settlingCreditsComeBackAsPlainCredits() throws {
    let ledger = ledger()
    let hour = TimeSpan.seconds(3600)
    try owe(ledger, "a", 30)
    try owe(ledger, "b", 20)
    _ = try grant(ledger, "g", 40, StatedTerms(expiry: .after(hour)))
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(10)))
    _ = try grant(ledger, "h", 5, kind: .purchase, StatedTerms(expiry: .after(hour)))
    #expect(try grants(ledger) == "h 5")
    // The charge before it was settled first.
    _ = try refund(ledger, "b", 15)
    #expect(try grants(ledger) == "bonus 5, h 5, purchased 10")
    #expect(try refund(ledger, "a").forfeited == 0)
    #expect(try grants(ledger) == "bonus 35, h 5, purchased 10")
    #expect(try ledger.account().buckets.first?.expiresAt == ledger.now.adding(hour))
    ledger.now = try #require(ledger.now.adding(hour))
    #expect(try refund(ledger, "b").forfeited == 5)
    #expect(try grants(ledger) == "purchased 10")
    #expect(try isSound(ledger))
  }

  @Test func aCorrectionRecordsTheSettlementOfItsDebt() throws {
    let ledger = ledger(8)
    try owe(ledger, "a", 30)
    _ = try grant(ledger, "g", 50, StatedTerms(priority: 70))
    _ = try ledger.perform(ledger.amend(key: "a", units(20)))
    #expect(try grants(ledger) == "bonus 10, g 28")
    _ = try ledger.perform(ledger.amend(key: "a", units(25)))
    #expect(try grants(ledger) == "bonus 5, g 28")
    _ = try refund(ledger, "a")
    #expect(try grants(ledger) == "bonus 22, starter 8, g 28")
    #expect(try isSound(ledger))
  }

  /// The lines of all later corrections and of the refund name the settling credits, too.
  @Test func eachCorrectionOfASettledDebtRecordsItsBuckets() throws {
    let ledger = ledger()
    let hour = TimeSpan.seconds(3600)
    try owe(ledger, "a", 100)
    _ = try grant(ledger, "g", 777, kind: .purchase, StatedTerms(expiry: .after(hour)))
    let dated = Bucket(kind: .purchased, credits: 40, expiresAt: ledger.now.adding(hour))
    for credits in [60, 20] as [Int64] {
      let result = try ledger.perform(ledger.amend(key: "a", units(credits)))
      guard case .receipt(let charge, isReplay: false) = result.plain else {
        throw CreditError(.corruptStore, "no receipt")
      }
      let moved = charge.amendment?.moved.map { Array($0) }
      #expect(moved == [dated])
    }
    #expect(try refund(ledger, "a").shares.map { Array($0) } == [dated.with(20)])
    #expect(try isSound(ledger))
  }

  /// A charge after the settling has no part in it.
  @Test func aLaterDebtIsAnotherOne() throws {
    let ledger = ledger()
    try owe(ledger, "a", 30)
    _ = try grant(ledger, "g", 40, StatedTerms(expiry: .after(.seconds(3600))))
    try pass(ledger)
    try owe(ledger, "b", 10)
    try owe(ledger, "c", 20)
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(20)))
    _ = try refund(ledger, "c")
    #expect(try grants(ledger) == "purchased 20")
    _ = try refund(ledger, "a")
    #expect(try grants(ledger) == "bonus 30, purchased 20")
    #expect(try isSound(ledger))
  }

  /// Plain credits are noted, too, once others have settled a debt: each charge gets its own
  /// payment back, although a later debt was as large.
  @Test func plainCreditsSettleTheirOwnPartOfTheDebts() throws {
    let ledger = ledger()
    let day = TimeSpan.seconds(86_400)
    try owe(ledger, "x", 5)
    _ = try grant(ledger, "g", 5, StatedTerms(expiry: .after(day)))
    try pass(ledger)
    try owe(ledger, "a", 28)
    try pass(ledger)
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(30)))
    try pass(ledger)
    try owe(ledger, "b", 29)
    _ = try grant(ledger, "h", 27, StatedTerms(expiry: .after(day)))
    try pass(ledger)
    _ = try refund(ledger, "a")
    #expect(try grants(ledger) == "purchased 28")
    _ = try refund(ledger, "b")
    #expect(try grants(ledger) == "bonus 27, purchased 30")
    #expect(try isSound(ledger))
  }

  /// The older of two debts is the first that plain credits settle.
  @Test func plainCreditsSettleTheOldestDebt() throws {
    let ledger = ledger()
    let day = TimeSpan.seconds(86_400)
    try owe(ledger, "x", 5)
    _ = try grant(ledger, "g", 5, StatedTerms(expiry: .after(day)))
    try pass(ledger)
    try owe(ledger, "a", 30)
    try owe(ledger, "b", 20)
    try pass(ledger)
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(20)))
    _ = try grant(ledger, "h", 30, StatedTerms(expiry: .after(day)))
    _ = try refund(ledger, "a", 10)
    #expect(try grants(ledger) == "bonus 10")
    _ = try refund(ledger, "a")
    #expect(try grants(ledger) == "bonus 10, purchased 20")
    _ = try refund(ledger, "b")
    #expect(try grants(ledger) == "bonus 30, purchased 20")
    #expect(try isSound(ledger))
  }

  @Test func aPoolsDebtIsSettledTheSame() throws {
    let ledger = ledger()
    let hour = TimeSpan.seconds(3600)
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(10)))
    var member = AccountRequest(account: "bob", time: ledger.now)
    member.parent = .set("alice")
    _ = try ledger.perform(.account(member))
    for (key, price) in [("a", 30), ("b", 20)] as [(Name, Int64)] {
      let request = ChargeRequest(
        reference: .key(key, account: "bob"), model: "unit", usage: units(price), isArrears: true,
        time: ledger.now)
      _ = try ledger.perform(.charge(request))
    }
    _ = try grant(ledger, "g", 100, StatedTerms(expiry: .after(hour)))
    #expect(try grants(ledger) == "g 60")
    let request = ChargeRequest(
      reference: .key("b", account: "bob"), model: "unit", usage: units(5), amends: true,
      time: ledger.now)
    _ = try ledger.perform(.charge(request))
    #expect(try grants(ledger) == "g 60, bonus 15")
    _ = try ledger.perform(
      .refund(RefundRequest(reference: .key("a", account: "bob"), time: ledger.now)))
    #expect(try grants(ledger) == "g 60, bonus 35, purchased 10")
    ledger.now = try #require(ledger.now.adding(hour))
    _ = try ledger.perform(
      .refund(RefundRequest(reference: .key("b", account: "bob"), time: ledger.now)))
    #expect(try grants(ledger) == "purchased 10")
    #expect(try isSound(ledger))
  }
}
