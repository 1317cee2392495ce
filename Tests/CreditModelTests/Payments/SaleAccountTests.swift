import CreditModel
import Testing

@testable import TestSupport

/// Sales of two accounts whose ids and keys are alike: no event and no person takes the credits of
/// another account, and no paid sale is passed over.
@Suite struct SaleAccountTests {
  private let ledger = LedgerFixture(starter: 0) {
    $0.payments = [PaymentSource(format: .stripe, secretFile: "secret")]
    $0.plans = [
      Plan(id: "paid", quota: 0, period: .subscription),
      Plan(id: "third", quota: 0, period: .subscription),
    ]
  }

  /// A session of Checkout that sells 100 credits to ben.
  private static func session(_ seconds: Int64 = 10) -> PaymentRequest {
    var request = LedgerPaymentTests.bought(seconds)
    (request.changes[0].account, request.changes[0].others) = ("ben", ["cs"])
    return request
  }

  /// Enters a sale of 100 credits by hand.
  private func enter(
    _ account: Name, _ reference: TopUpRequest.Reference,
    _ configure: (inout TopUpRequest) -> Void = { _ in }
  ) throws(CreditError) {
    _ = try ledger.perform(
      ledger.topUp(account, reference, .product("pack", quantity: 10), configure))
  }

  private func expect(ana: Credits, ben: Credits, _ says: Comment? = nil) throws {
    #expect(try ledger.balance("ana") == ana, says)
    #expect(try ledger.balance("ben") == ben, says)
    ledger.expectSound(says)
  }

  @Test(arguments: ["pi", "cs"] as [Name]) func aKeyIsOfItsAccountAlone(_ key: Name) throws {
    for step in 0..<3 {
      let test = SaleAccountTests()
      if step == 0 { try test.enter("ana", .key(key)) }
      if step == 1 { try test.enter("ana", .key(key)) { $0.status = .pending } }
      _ = try test.ledger.perform(.payment(Self.session()))
      try test.enter("ana", .key(key))
      try test.expect(ana: 100, ben: 100, "\(step)")
      _ = try test.ledger.perform(.payment(LedgerPaymentTests.refunded(999, 20)))
      _ = try test.ledger.perform(.payment(Self.session()))
      try test.enter("ana", .key(key))
      try test.expect(ana: 100, ben: 0, "\(step)")
    }
  }

  /// The intent says that the charge is of the session, after both were granted.
  @Test func aTransactionOfAnotherAccountIsLeftAlone() throws {
    try enter("ana", .transaction("ch"))
    _ = try ledger.perform(.payment(Self.session()))
    let intent = LedgerPaymentTests.event("intent", 11, LedgerPaymentTests.linked("pi", ["ch"]))
    _ = try ledger.perform(.payment(intent))
    try expect(ana: 100, ben: 100)
    _ = try ledger.perform(.payment(LedgerPaymentTests.refunded(999, 20)))
    try expect(ana: 100, ben: 0)
  }

  @Test func aSaleUnderATransactionOfAnotherAccountIsRefused() throws {
    try enter("ana", .transaction("cs"))
    #expect(ledger.code(.payment(Self.session())) == .idempotencyConflict)
    try expect(ana: 100, ben: 0)
    let other = SaleAccountTests()
    _ = try other.ledger.perform(.payment(Self.session()))
    #expect(throws: CreditError.self) { try other.enter("ana", .transaction("cs")) }
    try other.expect(ana: 0, ben: 100)
  }

  @Test func anIDOfNoSaleIsRefused() throws {
    for kind in [Transaction.Kind.bonus, .adjustment] {
      let ledger = SaleAccountTests().ledger
      _ = try ledger.perform(ledger.topUp("ben", id: "cs", .credits(5)) { $0.kind = kind })
      #expect(ledger.code(.payment(Self.session())) == .idempotencyConflict)
      #expect(try ledger.balance("ben") == 5)
    }
  }

  /// Events of a sale that was granted already are no conflicts: their sender would repeat them.
  @Test func laterEventsOfASaleAreTaken() throws {
    _ = try ledger.perform(ledger.topUp("ben", id: "cs", .credits(5)) { $0.kind = .bonus })
    var paid = LedgerPaymentTests.bought(9, id: "in")
    (paid.changes[0].account, paid.changes[0].others) = ("ben", ["pi"])
    _ = try ledger.perform(.payment(paid))
    _ = try ledger.perform(.payment(Self.session()))
    try expect(ana: 0, ben: 105)
  }

  /// News of a sale without an account came before another account's key, which is the same.
  @Test func aKeyLeadsNoEventToItsAccount() throws {
    let linked = LedgerPaymentTests.event("intent", 9, LedgerPaymentTests.linked("pi", ["ch"]))
    _ = try ledger.perform(.payment(linked))
    try enter("ana", .key("ch"))
    _ = try ledger.perform(.payment(Self.session()))
    _ = try ledger.perform(.payment(LedgerPaymentTests.refunded(999, 20)))
    try expect(ana: 100, ben: 0)
  }

  @Test func aLineByHandIsNoOtherLine() throws {
    _ = try ledger.perform(ledger.topUp(key: "in/1", .product("pack", quantity: 10)))
    for _ in 0..<2 { _ = try ledger.perform(.payment(LedgerPaymentTests.invoice(10, of: "pi"))) }
    #expect(try ledger.balance() == 150)
    ledger.expectSound()
  }

  /// An invoice for a month from `start`, of a subscription that a person has entered, too.
  private func invoice(_ id: Name, _ product: Name, from start: Timestamp) -> PaymentRequest {
    var request = LedgerPaymentTests.bought(10, id: id)
    request.event.at = start
    (request.changes[0].account, request.changes[0].subscription) = ("ben", "sub")
    (request.changes[0].product, request.changes[0].quantity) = (product, 1)
    request.changes[0].period = PaidPeriod(until: Self.month(after: start), since: start)
    return request
  }

  private static func month(after start: Timestamp) -> Timestamp {
    Timestamp(milliseconds: start.milliseconds + 30 * 86_400_000)
  }

  private func enterSubscription(_ product: Name, until: Timestamp) throws {
    var terms = StatedTerms()
    terms.expiry = .at(until)
    _ = try ledger.perform(
      .topUp(
        TopUpRequest(
          account: "ben", reference: .transaction("sub"), grant: .product(product, quantity: 1),
          terms: terms, time: ledger.now)))
  }

  @Test func aSubscriptionByHandIsOfItsProductAlone() throws {
    try enterSubscription("sub", until: Self.month(after: ledger.now))
    _ = try ledger.perform(.payment(invoice("in", "other", from: ledger.now)))
    #expect(try ledger.balance("ben") == 5)
    ledger.expectSound()
  }

  /// The credits of the first month are those of the sale by hand, in any order.
  @Test func theInvoiceAfterAnExtensionByHandGrants() throws {
    let start = ledger.now
    let end = Self.month(after: start)
    try enterSubscription("other", until: end)
    ledger.now = end
    try enterSubscription("other", until: Self.month(after: end))
    for _ in 0..<2 {
      _ = try ledger.perform(.payment(invoice("in-2", "other", from: end)))
      _ = try ledger.perform(.payment(invoice("in-1", "other", from: start)))
      #expect(try ledger.balance("ben") == 10)
    }
    ledger.expectSound()
  }

  /// An invoice is read once for all of its lines, and no record has the ids of all of them.
  @Test func aLineKeepsNoOtherLines() throws {
    var request = LedgerPaymentTests.invoice(10, of: "pi")
    let line = request.changes[0]
    request.changes = (0..<100).map { number in
      var line = line
      line.transaction = Name(trusted: "in/\(number)")
      return line
    }
    for _ in 0..<2 { _ = try ledger.perform(.payment(request)) }
    #expect(try ledger.balance("alice") == 10_000)
    let lines = try (0..<100).map { try ledger.books.transaction(Name(trusted: "in/\($0)")) }
    #expect(lines.allSatisfy { $0?.topUp.payment?.parts == ["in", "pi"] })
    _ = try ledger.perform(.payment(LedgerPaymentTests.refunded(1500, 20)))
    #expect(try ledger.balance("alice") == 0)
    ledger.expectSound()
  }
}
