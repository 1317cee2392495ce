import CreditModel
import Testing

@testable import TestSupport

/// News of a purchase in any order and number leads to the same end.
@Suite struct StoreKitOrderTests {
  /// A piece of news, signed at a time.
  private enum News: Hashable {
    case charge
    case signedAgain
    case refund(Int64)
    case reversal(Int64)
  }

  private func deliver(_ news: News, to ledger: LedgerFixture) throws(CreditError) -> GateResult {
    var notification: AppStoreNotification?
    func note(_ type: String, _ date: Int64) -> AppStoreNotification {
      let note = AppStoreNotification(
        id: Name(trusted: "\(news)"), type: type, signedDate: Timestamp(milliseconds: date))
      notification = note
      return note
    }
    var effect = StoreKitRequest.Effect.grant
    switch news {
    case .charge: _ = note("ONE_TIME_CHARGE", 0)
    case .signedAgain: break
    case .refund(let date):
      _ = note("REFUND", date)
      effect = .takeBack(.whole)
    case .reversal(let date): effect = .restore(note("REFUND_REVERSED", date))
    }
    let bought = StoreKitTransaction(id: "t", productID: "pack")
    var request = StoreKitRequest(effect, bought, time: ledger.now)
    request.account = "alice"
    request.notification = notification
    return try ledger.perform(.storeKit(request))
  }

  private func expectEnd(_ credits: Credits, _ news: [News]) throws {
    for order in orders(news) {
      let ledger = LedgerFixture(starter: 100) { _ in }
      for news in order {
        let first = try deliver(news, to: ledger)
        let count = ledger.books.records.count
        let again = try deliver(news, to: ledger)
        #expect(ledger.books.records.count == count, "\(order): \(news) again")
        #expect(again.credits == first.credits, "\(order): \(news) again")
      }
      #expect(try ledger.balance() == 100 + credits, "\(order)")
      for news in order { _ = try deliver(news, to: ledger) }
      #expect(try ledger.balance() == 100 + credits, "\(order), twice")
      ledger.expectSound("\(order)")
    }
  }

  @Test func refundAndItsReversalLeaveThePurchase() throws {
    try expectEnd(10, [.charge, .refund(10), .reversal(20)])
    try expectEnd(10, [.signedAgain, .refund(10), .reversal(20)])
    try expectEnd(10, [.charge, .signedAgain, .refund(10), .reversal(20)])
    try expectEnd(10, [.refund(10), .reversal(20)])
  }

  @Test func newestOfManyDecides() throws {
    try expectEnd(0, [.charge, .refund(10), .reversal(20), .refund(30)])
    try expectEnd(10, [.charge, .refund(10), .reversal(20), .refund(30), .reversal(40)])
    try expectEnd(0, [.charge, .refund(10), .refund(30)])
  }

  @Test func newsWithoutEffectIsRemembered() throws {
    let ledger = LedgerFixture(starter: 100) { _ in }
    _ = try deliver(.signedAgain, to: ledger)
    #expect(try deliver(.reversal(20), to: ledger).isNotification)
    let record = try #require(ledger.books.records.last)
    #expect(record.historyLine == nil && record.revision == nil && record.original != nil)
    guard case .topUpNews(let topUp, nil) = record.event else {
      Issue.record("\(record) is another record")
      return
    }
    #expect(topUp.news?.signedDate == Timestamp(milliseconds: 20))
    #expect(try deliver(.refund(10), to: ledger).isNotification)
    #expect(try deliver(.refund(30), to: ledger).refund?.credits == 10)
    // A refund of a refunded purchase, then a reversal from before it.
    #expect(try deliver(.refund(50), to: ledger).isReplay)
    #expect(try deliver(.reversal(40), to: ledger).isNotification)
    #expect(try ledger.balance() == 100)
  }

  /// News without an effect is recorded as such.
  @Test func recordOfNewsIsChecked() throws {
    let ledger = LedgerFixture(starter: 100) { _ in }
    for news: News in [.charge, .refund(10), .refund(20)] { _ = try deliver(news, to: ledger) }
    let records = ledger.books.records.suffix(2)
    let (before, after) = (try #require(records.first), try #require(records.last))
    guard case .topUpNews(let topUp, let refund?) = after.event else {
      Issue.record("\(after) is another record")
      return
    }
    func problem(_ topUp: TopUp, _ refund: Refund?, after earlier: LedgerRecord?) -> String? {
      var record = after
      record.event = .topUpNews(topUp, refund)
      return failure { () throws(RecordFault) in
        try record.check(after: before.account, earlier: earlier)
      }?.reason
    }
    #expect(problem(topUp, refund, after: before) == nil)
    #expect(problem(topUp, refund, after: nil) != nil)
    #expect(problem(topUp, nil, after: before) != nil)
    #expect(problem(topUp, refund, after: after) != nil)
    var other = topUp
    other.transaction.status = .completed
    #expect(problem(other, refund, after: before) != nil)
    other = topUp
    other.news = nil
    #expect(problem(other, refund, after: before) != nil)
  }
}

extension GateResult {
  /// The credits that the answer moved, if any.
  fileprivate var credits: Credits? { topUp?.creditsAdded ?? refund?.credits }
}
