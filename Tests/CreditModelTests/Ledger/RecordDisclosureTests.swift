import CreditModel
import Testing

@testable import TestSupport

/// Accounts in copied books that are neither renamed nor removed.
@Suite struct RecordDisclosureTests {
  /// Grants and corrections among them: each record is as it was.
  @Test(arguments: UInt64(0)..<12)
  func allOtherMembersAreKept(seed: UInt64) {
    var random = RandomRequests(seed: 9000 + seed)
    let ledger = LedgerFixture(starter: 0) { random.configure(&$0) }
    for step in 0..<200 {
      random.passTime(&ledger.now)
      ledger.nextID = Name(trusted: "id-\(step)")
      let request = random.next(at: ledger.now)
      if let result = try? ledger.perform(request) { random.learn(from: result) }
    }
    var disclosure = RecordDisclosure(renamed: ["nobody else": "somebody"], removed: ["no one"])
    for record in ledger.books.records {
      #expect(disclosure.records(for: record) == [record], "seed \(seed)")
    }
  }

  @Test func aCorrectionHasItsMoves() throws {
    let ledger = LedgerFixture(starter: 0)
    _ = try ledger.perform(
      ledger.topUp(id: "g", .credits(50)) { $0.terms = StatedTerms(priority: 10) })
    _ = try ledger.perform(ledger.charge(key: "k", units(40)))
    _ = try ledger.perform(ledger.amend(key: "k", units(30)))
    let record = try #require(ledger.books.records.last)
    var disclosure = RecordDisclosure(renamed: ["bob": "ben"])
    let told = try #require(disclosure.records(for: record).first)
    guard case .amend(let charge) = told.event else {
      Issue.record("no correction")
      return
    }
    #expect(charge.amendment?.moved?.first?.credits == 10)
    #expect(told == record)
  }

  /// The account of a subscription by a payment link is renamed, or goes.
  @Test func aSubscriptionHasItsAccount() throws {
    var news = PaymentNews(
      PaymentEvent(format: .stripe, id: "evt", type: "session", at: .earliest))
    news.account = "bob"
    let record = LedgerRecord(
      event: .payment("sub", news), account: Account(name: .nobody, registeredAt: .earliest))
    for (name, disclosure) in [
      ("ben", RecordDisclosure(renamed: ["bob": "ben"])), (nil, RecordDisclosure(removed: ["bob"])),
    ] as [(Name?, RecordDisclosure)] {
      var disclosure = disclosure
      news.account = name
      #expect(disclosure.records(for: record).map(\.event) == [.payment("sub", news)])
    }
  }

  /// Earlier tools moved a subscription to another account: what is left of both links is sound.
  @Test(arguments: [[], ["ana"], ["bob"], ["ana", "bob"]] as [Set<Name>])
  func aMovedSubscriptionIsSoundWithoutAccounts(removed: Set<Name>) throws {
    var links: [LedgerRecord] = []
    for name in ["ana", "bob"] as [Name] {
      var news = PaymentNews(
        PaymentEvent(format: .stripe, id: "evt", type: "session", at: .earliest))
      news.account = name
      let account = Account(name: .nobody, registeredAt: .earliest)
      links.append(LedgerRecord(event: .payment("sub", news), account: account))
    }
    var disclosure = RecordDisclosure(removed: removed)
    let told = links.flatMap { disclosure.records(for: $0) }
    #expect(told.count == 2)
    try told[1].check(after: nil, earlier: told[0])
  }
}
