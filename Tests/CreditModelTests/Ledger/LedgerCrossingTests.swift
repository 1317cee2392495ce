import CreditModel
import Testing

@testable import TestSupport

/// The thresholds that a write reports as crossed.
@Suite struct LedgerCrossingTests {
  private func ledger(_ thresholds: [Credits] = [80, 50]) -> LedgerFixture {
    LedgerFixture { $0.lowBalance = thresholds }
  }

  private func charge(_ ledger: LedgerFixture, _ key: Name, _ units: Int64) -> GateRequest {
    ledger.charge(key: key, .counts(.units(units)))
  }

  @Test func isReportedOncePerCrossing() throws {
    let ledger = ledger()
    #expect(try ledger.perform(charge(ledger, "a", 20)).crossed == nil)
    #expect(try ledger.perform(charge(ledger, "b", 1)).crossed == [80])
    #expect(try ledger.perform(charge(ledger, "c", 1)).crossed == nil)
    _ = try ledger.perform(ledger.topUp(key: "t", .credits(10)))
    #expect(try ledger.perform(charge(ledger, "d", 50)).crossed == [80, 50])
    let lines = ledger.books.records.compactMap(\.historyLine)
    #expect(lines.map(\.crossed) == [nil, nil, [80], nil, nil, [80, 50]])
  }

  @Test func isRepeatedByReplays() throws {
    let ledger = ledger()
    _ = try ledger.perform(charge(ledger, "a", 30))
    ledger.policy.lowBalance = []
    let again = try ledger.perform(charge(ledger, "a", 30))
    #expect(again.isReplay && again.crossed == [80])
    let id = try #require(again.id)
    _ = try ledger.perform(ledger.refund(authorization: id))
    #expect(try ledger.perform(charge(ledger, "a", 30)).crossed == [80])
    #expect(try ledger.perform(ledger.refund(authorization: id)).crossed == nil)
  }

  @Test func aCorrectionReportsItsOwnCrossings() throws {
    let ledger = ledger()
    _ = try ledger.perform(charge(ledger, "a", 30))
    let less = ledger.amend(key: "a", .counts(.units(5)))
    let first = try ledger.perform(less)
    #expect(!first.isReplay && first.crossed == nil)
    #expect(try ledger.perform(less).crossed == nil)
    let more = ledger.amend(key: "a", .counts(.units(60)))
    #expect(try ledger.perform(more).crossed == [80, 50])
    #expect(try ledger.perform(more).crossed == [80, 50])
    _ = try ledger.perform(ledger.refund(authorization: try #require(first.id)))
    #expect(try ledger.perform(more).crossed == nil)
  }

  @Test func aPendingPurchaseForgetsItsEarlierCrossings() throws {
    let ledger = ledger([105])
    let end = ledger.now.adding(.seconds(60))
    _ = try ledger.perform(ledger.bonus(key: "b", 10, until: end))
    ledger.now = try #require(ledger.now.adding(.seconds(61)))
    let pending = ledger.topUp(id: "t", .credits(50)) { $0.status = .pending }
    #expect(try ledger.perform(pending).crossed == [105])
    let completed = ledger.topUp(id: "t", .credits(50))
    #expect(try ledger.perform(completed).crossed == nil)
    _ = try ledger.perform(ledger.refund(transaction: "t"))
    #expect(try ledger.perform(completed).crossed == nil)
  }

  /// Expiries since then belong to the write that finds them.
  @Test func countsEarlierExpiries() throws {
    let ledger = ledger([105])
    let end = ledger.now.adding(.seconds(60))
    _ = try ledger.perform(ledger.bonus(key: "b", 10, until: end))
    ledger.now = try #require(ledger.now.adding(.seconds(61)))
    let result = try ledger.perform(ledger.authorize(id: "a"))
    #expect(result.crossed == [105] && result.authorization?.id == "a")
    #expect(ledger.books.records.map(\.crossed) == [nil, nil, nil, [105]])
    #expect(try ledger.perform(ledger.authorize(id: "a")).crossed == [105])
  }

  @Test func aTransferReportsTheGiversCrossings() throws {
    let ledger = ledger([150])
    _ = try ledger.perform(ledger.topUp(key: "t", .credits(100)))
    _ = try ledger.perform(ledger.change("bob"))
    #expect(try ledger.perform(ledger.transfer(60)).crossed == [150])
    #expect(try ledger.perform(ledger.transfer(60)).crossed == [150])
    #expect(ledger.books.records.suffix(2).map(\.crossed) == [[150], nil])
  }

  @Test func aReceiversExpiriesAreReportedWithATransfer() throws {
    let ledger = ledger([105])
    _ = try ledger.perform(ledger.topUp("bob", key: "t", .credits(50)))
    let end = ledger.now.adding(.seconds(60))
    _ = try ledger.perform(ledger.bonus(key: "b", 10, until: end))
    ledger.now = try #require(ledger.now.adding(.seconds(61)))
    _ = try ledger.perform(ledger.transfer(2, from: "bob", to: "alice"))
    #expect(ledger.books.records.suffix(2).map(\.crossed) == [nil, [105]])
  }

  /// The grant and its refund are one write, which begins and ends at the same balance.
  @Test func aRefundBeforeItsPurchaseCrossesNothing() throws {
    let ledger = ledger([150])
    _ = try ledger.perform(.payment(LedgerPaymentTests.refunded(999, 20)))
    let result = try ledger.perform(.payment(LedgerPaymentTests.bought()))
    #expect(result.crossed == nil && result.refund?.credits == 100)
    #expect(ledger.books.records.allSatisfy { $0.crossed == nil })
    _ = try ledger.perform(ledger.topUp(key: "t", .credits(100)))
    #expect(try ledger.perform(charge(ledger, "a", 60)).crossed == [150])
  }

  @Test func startsAboveNothing() throws {
    let ledger = ledger([200, 95])
    #expect(try ledger.perform(ledger.change("bob")).crossed == nil)
    #expect(try ledger.perform(charge(ledger, "a", 10)).crossed == [95])
  }
}
