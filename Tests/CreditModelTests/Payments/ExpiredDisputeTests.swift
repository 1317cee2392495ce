import CreditModel
import Testing

@testable import TestSupport

/// Disputes of grants that expire meanwhile.
@Suite struct ExpiredDisputeTests {
  /// A ledger with 100 credits for 100 seconds.
  private func granted() throws -> LedgerFixture {
    let ledger = LedgerFixture(starter: 0)
    _ = try ledger.perform(
      ledger.topUp(id: "pi", .product("pack", quantity: 10)) {
        $0.terms = StatedTerms(expiry: .after(.seconds(100)))
      })
    return ledger
  }

  /// The same after use, a refund of a third and a dispute about the rest.
  private func disputed(used: Int64) throws -> LedgerFixture {
    let ledger = try granted()
    if used > 0 { _ = try ledger.perform(ledger.charge(key: "k", units(used))) }
    _ = try ledger.perform(.payment(LedgerPaymentTests.refunded(333, 20)))
    _ = try ledger.perform(.payment(LedgerPaymentTests.dispute(30, taken: true)))
    return ledger
  }

  /// Of a grant that expires during its dispute, only credits taken from others come back.
  @Test(arguments: [0, 30, 100] as [Int64], [false, true])
  func expiredCreditsDoNotComeBack(used: Int64, isRefunded: Bool) throws {
    let ledger = try granted()
    if used > 0 { _ = try ledger.perform(ledger.charge(key: "k", units(used))) }
    if isRefunded { _ = try ledger.perform(.payment(LedgerPaymentTests.refunded(333, 20))) }
    let before = try ledger.balance()
    _ = try ledger.perform(.payment(LedgerPaymentTests.dispute(30, taken: true)))
    #expect(try ledger.balance() == -used)
    ledger.now = Timestamp(milliseconds: ledger.now.milliseconds + 200_000)
    _ = try ledger.perform(.payment(LedgerPaymentTests.dispute(40, taken: false)))
    #expect(try ledger.balance() == min(0, before))
    let reversal = ledger.books.records.compactMap(\.historyLine).last {
      $0.id == "reversal:pi"
    }
    #expect(reversal?.creditsForfeited == (before > 0 ? 100 - used : nil))
    ledger.expectSound()
    // Expired credits are not taken a second time.
    _ = try ledger.perform(.payment(LedgerPaymentTests.dispute(50, taken: true)))
    #expect(try ledger.balance() == -used)
    ledger.expectSound()
  }

  /// Nor do those of an earlier refund that fails during the dispute.
  @Test(arguments: [0, 30] as [Int64])
  func expiredCreditsOfFailedRefundsDoNotComeBack(used: Int64) throws {
    let ledger = try disputed(used: used)
    _ = try ledger.perform(.payment(LedgerPaymentTests.refunded(0, 35)))
    #expect(try ledger.balance() == -used)
    ledger.now = Timestamp(milliseconds: ledger.now.milliseconds + 200_000)
    _ = try ledger.perform(.payment(LedgerPaymentTests.dispute(40, taken: false)))
    #expect(try ledger.balance() == 0)
    let reversal = ledger.books.records.last?.historyLine
    #expect(reversal?.id == "reversal:pi" && reversal?.creditsForfeited == 100 - used)
    ledger.expectSound()
  }

  /// Nor do they if the refund fails after the dispute was won.
  @Test(arguments: [0, 30] as [Int64])
  func expiredCreditsOfLaterFailuresDoNotComeBack(used: Int64) throws {
    let ledger = try disputed(used: used)
    ledger.now = Timestamp(milliseconds: ledger.now.milliseconds + 200_000)
    _ = try ledger.perform(.payment(LedgerPaymentTests.dispute(40, taken: false)))
    #expect(try ledger.balance() == 0)
    _ = try ledger.perform(.payment(LedgerPaymentTests.refunded(0, 50)))
    #expect(try ledger.balance() == 0)
    ledger.expectSound()
  }

  /// Earlier tools gave back all of them: their journals are sound.
  @Test func earlierToolsGaveExpiredCreditsBack() throws {
    let ledger = try granted()
    _ = try ledger.perform(.payment(LedgerPaymentTests.dispute(30, taken: true)))
    ledger.now = Timestamp(milliseconds: ledger.now.milliseconds + 200_000)
    _ = try ledger.perform(.payment(LedgerPaymentTests.dispute(40, taken: false)))
    let records = ledger.books.records
    guard var old = records.last, case .topUpRefund(let topUp, var reversal) = old.event
    else { return #expect(Bool(false), "there is no reversal") }
    (reversal.credits, reversal.forfeited, reversal.newBalance) = (-100, 0, 100)
    old.event = .topUpRefund(topUp, reversal)
    old.account.buckets = [Bucket(kind: .purchased, credits: 100)]
    let before = records[records.count - 2]
    #expect(throws: Never.self) { try old.check(after: before.account, earlier: before) }
    reversal.forfeited = 101
    old.event = .topUpRefund(topUp, reversal)
    #expect(throws: RecordFault.self) { try old.check(after: before.account, earlier: before) }
  }
}
