import CreditModel
import Testing

@testable import TestSupport

@Suite struct LedgerStoreKitTests {
  private let ledger = LedgerFixture(starter: 100) { _ in }

  /// A purchase of the fixture's pack of 10.
  private func bought(_ quantity: Int64 = 1, token: Name? = nil) -> StoreKitTransaction {
    var transaction = StoreKitTransaction(id: "t", productID: "pack", quantity: quantity)
    transaction.accountToken = token
    return transaction
  }

  private func perform(
    _ effect: StoreKitRequest.Effect, _ transaction: StoreKitTransaction,
    account: Name? = "alice", by notification: AppStoreNotification? = nil
  ) throws(CreditError) -> GateResult {
    var request = StoreKitRequest(effect, transaction, time: ledger.now)
    request.account = account
    request.notification = notification
    return try ledger.perform(.storeKit(request))
  }

  private func note(_ id: Name, _ type: String, at milliseconds: Int64) -> AppStoreNotification {
    AppStoreNotification(
      id: id, type: type, signedDate: Timestamp(milliseconds: milliseconds))
  }

  private func refund(_ id: Name, at milliseconds: Int64, _ share: RevokedShare = .whole)
    throws(CreditError) -> GateResult
  {
    try perform(.takeBack(share), bought(), account: nil, by: note(id, "REFUND", at: milliseconds))
  }

  private func reverse(_ id: Name, at milliseconds: Int64) throws(CreditError) -> GateResult {
    let notification = note(id, "REFUND_REVERSED", at: milliseconds)
    return try perform(.restore(notification), bought(), account: nil, by: notification)
  }

  @Test func grantsOnceDespiteNewSignatures() throws {
    let first = try perform(.grant, bought(3))
    #expect(first.topUp?.creditsAdded == 30 && !first.isReplay)
    #expect(first.topUp?.transaction.productID == "pack")
    let again = try perform(.grant, bought(3))
    #expect(again.topUp == first.topUp && again.isReplay)
    #expect(throws: CreditError.self) { try perform(.grant, bought(2)) }
    #expect(throws: CreditError.self) { try perform(.grant, bought(3), account: "bob") }
    #expect(try ledger.balance() == 130)
    ledger.expectSound()
  }

  @Test func grantsToTheAccountThatTheAppNamed() throws {
    let result = try perform(.grant, bought(token: "token"), account: nil)
    #expect(result.topUp?.transaction.account == "token")
    let error = failure { () throws(CreditError) in
      try perform(.grant, StoreKitTransaction(id: "u", productID: "pack"), account: nil)
    }
    #expect(error?.code == .invalidRequest)
  }

  @Test func takesARevokedPurchaseBackOnce() throws {
    _ = try perform(.grant, bought())
    let share = try #require(RevokedShare(33_333))
    let first = try perform(.takeBack(share), bought())
    #expect(first.refund?.credits == 4 && first.refund?.newBalance == 106)
    let again = try perform(.takeBack(share), bought())
    #expect(again.isReplay && again.refund == first.refund)
    let grant = try perform(.grant, bought())
    #expect(grant.isReplay && grant.topUp?.transaction.status == .refunded)
    #expect(try ledger.balance() == 106)
    // A larger share later takes the difference; a smaller one has no effect.
    let whole = try perform(.takeBack(.whole), bought())
    #expect(whole.refund?.credits == 6 && whole.refund?.newBalance == 100)
    #expect(try perform(.takeBack(share), bought()).isReplay)
    #expect(try perform(.takeBack(.whole), bought()).refund == whole.refund)
    #expect(ledger.books.records.last?.historyLine?.id == "refund:t:2")
    _ = try reverse("back", at: 9)
    #expect(try ledger.balance() == 110)
    ledger.expectSound()
  }

  @Test func remembersARefundBeforeTheGrant() throws {
    let first = try perform(.takeBack(.whole), bought())
    #expect(first.refund?.credits == 0 && !first.isReplay)
    let again = try perform(.takeBack(.whole), bought())
    #expect(again.isReplay && again.refund?.credits == 0)
    let grant = try perform(.grant, bought())
    #expect(grant.isReplay && grant.topUp?.creditsAdded == 0)
    #expect(grant.topUp?.transaction.status == .refunded)
    let operatorRefund = try ledger.perform(ledger.refund(transaction: "t"))
    #expect(operatorRefund.isReplay)
    #expect(try ledger.balance() == 100)
    ledger.expectSound()
  }

  @Test func refusesARefundOfAnUnknownProduct() {
    let error = failure { () throws(CreditError) in
      try perform(.takeBack(.whole), StoreKitTransaction(id: "u", productID: "nothing"))
    }
    #expect(error?.code == .unknownProduct)
  }

  @Test func reversedRefundRestoresTheCredits() throws {
    _ = try perform(.grant, bought())
    _ = try refund("n1", at: 1)
    #expect(try ledger.balance() == 100)
    let restored = try reverse("n2", at: 2)
    #expect(restored.topUp?.creditsAdded == 10 && restored.topUp?.newBalance == 110)
    #expect(restored.topUp?.transaction.status == .completed)
    let again = try reverse("n2", at: 2)
    #expect(again.isReplay && again.topUp == restored.topUp)
    _ = try refund("n3", at: 3)
    #expect(try ledger.balance() == 100)
    _ = try reverse("n4", at: 4)
    _ = try ledger.perform(ledger.refund(transaction: "t"))
    #expect(try ledger.balance() == 100)
    ledger.expectSound()
  }

  @Test func lateAndRepeatedNotificationsHaveNoEffect() throws {
    _ = try perform(.grant, bought())
    let first = try refund("n1", at: 5)
    #expect(try refund("n1", at: 9).refund == first.refund)
    _ = try reverse("n2", at: 7)
    for result in [try refund("n1", at: 9), try refund("n0", at: 6), try reverse("n3", at: 8)] {
      #expect(result.isNotification)
    }
    let stale = try perform(.takeBack(.whole), revoked(signedAt: 6))
    #expect(stale.isReplay && stale.topUp?.transaction.status == .completed)
    #expect(try ledger.balance() == 110)
    ledger.expectSound()
  }

  private func revoked(signedAt milliseconds: Int64) -> StoreKitTransaction {
    var transaction = bought()
    transaction.signedDate = Timestamp(milliseconds: milliseconds)
    return transaction
  }

  /// Only earlier news counts as late: a grant is not news of a refund.
  @Test func refundMayBeSignedBeforeTheGrant() throws {
    _ = try perform(.grant, revoked(signedAt: 100))
    #expect(try refund("n1", at: 50).refund?.credits == 10)
  }

  @Test func reversalBeforeTheGrantGrants() throws {
    _ = try refund(registering: "alice")
    let granted = try reverse("n2", at: 2)
    #expect(granted.topUp?.creditsAdded == 10 && !granted.isReplay)
    #expect(try reverse("n2", at: 2).isReplay)
    #expect(try perform(.grant, bought()).isReplay)
    #expect(try ledger.balance() == 110)
    ledger.expectSound()
  }

  private func refund(registering account: Name) throws(CreditError) -> GateResult {
    try perform(.takeBack(.whole), bought(), account: account, by: note("n1", "REFUND", at: 1))
  }

  /// Its refund was another system's, or is still to come.
  @Test func reversalOfAnUnknownPurchaseGrants() throws {
    let notification = note("n1", "REFUND_REVERSED", at: 2)
    let granted = try perform(.restore(notification), bought(), by: notification)
    #expect(granted.topUp?.creditsAdded == 10 && !granted.isReplay)
    #expect(try reverse("n1", at: 2).isReplay)
    #expect(try perform(.grant, bought()).isReplay)
    #expect(try refund("n0", at: 1).isNotification)
    #expect(try ledger.balance() == 110)
    ledger.expectSound()
  }

  /// Lost without a word, it would let the refund that it reverses take the credits later.
  @Test func reversalOfAnUnknownPurchaseNeedsAnAccount() {
    let error = failure { () throws(CreditError) in try reverse("n1", at: 1) }
    #expect(error?.code == .invalidRequest && ledger.books.records.isEmpty)
  }

  @Test func reversalCompletesAPendingPurchase() throws {
    _ = try ledger.perform(
      ledger.topUp(id: "t", .product("pack", quantity: 1)) { $0.status = .pending })
    #expect(try reverse("n2", at: 2).topUp?.creditsAdded == 10)
    _ = try refund("n1", at: 1)
    #expect(try ledger.balance() == 110)
    ledger.expectSound()
  }

  @Test func pendingPurchaseThatIsRevokedGrantsNothing() throws {
    _ = try ledger.perform(
      ledger.topUp(id: "t", .product("pack", quantity: 1)) { $0.status = .pending })
    #expect(try perform(.takeBack(.whole), bought()).refund?.credits == 0)
    #expect(try perform(.grant, bought()).isReplay)
    #expect(try ledger.balance() == 100)
    let lines = ledger.books.records.compactMap(\.historyLine)
    let revision = try #require(ledger.books.records.last?.revision)
    #expect(lines.last?.status == .pending && revision.transaction?.credits == 0)
    ledger.expectSound()
  }

  @Test(arguments: [(0, 0), (1, 1), (50_000, 5), (99_999, 10), (100_000, 10)])
  func shareIsRoundedUp(milliunits: Int64, credits: Credits) throws {
    _ = try perform(.grant, bought())
    let share = try #require(RevokedShare(milliunits))
    #expect(try perform(.takeBack(share), bought()).refund?.credits == credits)
    ledger.expectSound()
  }

  @Test func shareIsFromZeroToAll() {
    #expect(RevokedShare(-1) == nil && RevokedShare(100_001) == nil)
  }
}
