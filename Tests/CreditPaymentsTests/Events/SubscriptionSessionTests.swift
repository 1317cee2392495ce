import CreditModel
import Testing

@testable import TestSupport

// Subscriptions whose invoices do not name the account.
extension SubscriptionEventTests {
  private static let session =
    #"{"id":"cs_1","mode":"subscription","subscription":"sub_1","client_reference_id":"ana"}"#

  /// The session of a payment link names the account, and invoices are refused until it has come.
  @Test func aSessionNamesTheAccountOfItsInvoices() throws {
    let metadata = #""metadata":{"account":"ana"}"#
    let session = Self.stripe("checkout.session.completed", 1, Self.session)
    let invoices = [Self.invoice(1, until: 5), Self.oldInvoice(2, until: 35)]
      .map { $0.replacing(metadata, with: #""metadata":{}"#) }
    let end = Self.deleted(until: 35).replacing(metadata, with: #""metadata":{}"#)
    for order in orders([session] + invoices) {
      let books = MemoryBooks()
      var isNamed = false
      var refused: [String] = []
      for event in order + order {
        isNamed = isNamed || event == session
        if isNamed {
          try Self.deliver([event], of: .stripe, to: books)
        } else {
          refused.append(event)
          let error = #expect(throws: CreditError.self) {
            try Self.deliver([event], of: .stripe, to: books)
          }
          #expect(error?.code == .invalidRequest)
          #expect(books.records.isEmpty)
        }
      }
      #expect(refused.count == order.firstIndex(of: session))
      #expect(books.account("ana")?.balance == 30)
      let count = books.records.count
      try Self.deliver(order, of: .stripe, to: books)
      #expect(books.records.count == count)
      try Self.deliver([end], of: .stripe, to: books)
      #expect(books.account("ana")?.plan == nil && books.account("ana")?.balance == 0)
      for record in books.records {
        let isLink = record.event.id == .payment("sub_1")
        #expect((record.version == .six) == isLink)
      }
    }
  }

  /// An end that comes before its account is known is kept for its payments.
  @Test func anEndBeforeItsSessionCounts() throws {
    let metadata = #""metadata":{"account":"ana"}"#
    let bare = #""metadata":{}"#
    let session = Self.stripe("checkout.session.completed", 1, Self.session)
    let invoice = Self.invoice(2, until: 5).replacing(metadata, with: bare)
    for end in [Self.deleted(until: 5), Self.deleted(until: nil)] {
      let ended = end.replacing(metadata, with: bare)
      for order in orders([session, invoice, ended]) {
        let books = MemoryBooks()
        for event in order + [ended, invoice, ended] {
          // An invoice before its session is refused, and repeated.
          try? Self.deliver([event], of: .stripe, to: books)
        }
        let account = try #require(books.account("ana"))
        #expect(account.plan == nil && account.balance == 0)
        #expect(try books.transaction("in_2")?.topUp.transaction.status == .completed)
        #expect(books.records.allSatisfy { $0.version < .seven })
        let count = books.records.count
        try Self.deliver(order + order, of: .stripe, to: books)
        #expect(books.records.count == count)
      }
    }
  }

  /// A transaction under the subscription's own id names its account, too: one by hand.
  @Test func aTransactionNamesTheAccountOfItsSubscription() throws {
    let books = MemoryBooks()
    let first = Self.invoice(1, until: 5).replacing(#""in_1""#, with: #""sub_1""#)
    let next = Self.invoice(2, until: 35)
      .replacing(#""metadata":{"account":"ana"}"#, with: #""metadata":{}"#)
    let session = Self.stripe("checkout.session.completed", 1, Self.session)
    try Self.deliver([first, session, next], of: .stripe, to: books)
    #expect(try books.transaction("in_2")?.topUp.transaction.account == "ana")
    #expect(books.records.allSatisfy { $0.version < .six })
  }
}
