import CreditModel
import Testing

@testable import CreditPayments
@testable import TestSupport

@Suite struct StoreKitPayloadTests {
  private func transaction(_ text: String, isSigned: Bool = true) throws -> StoreKitTransaction {
    try JSONDocument(text).withRoot { try StoreKitPayload($0, isSigned: isSigned).transaction() }
  }

  private func reason(_ text: String, isSigned: Bool = true) -> StoreKitRejection? {
    failure { try transaction(text, isSigned: isSigned) } as? StoreKitRejection
  }

  @Test func readsApplesForm() throws {
    let bought = try transaction(
      """
      {"transactionId":"2000000123","productId":"pack","quantity":3,"type":"Consumable",
       "appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138","inAppOwnershipType":"PURCHASED",
       "signedDate":1697679936049.7097,"price":14970,"currency":"USD","later":{"unknown":1}}
      """)
    #expect(bought.id.text == "2000000123" && bought.productID.text == "pack")
    #expect(bought.quantity == 3 && bought.price == "14.97" && bought.currency == "USD")
    #expect(bought.accountToken?.text == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    #expect(bought.signedDate == Timestamp(milliseconds: 1_697_679_936_049))
    #expect(bought.revokedShare == nil)
  }

  @Test func readsAClientsForm() throws {
    let bought = try transaction(
      """
      {"transaction_id":2000000123,"original_transaction_id":"1","product_id":"pack",
       "app_account_token":null,"price":0.99,"revocation_date":null}
      """, isSigned: false)
    #expect(bought.id.text == "2000000123" && bought.quantity == 1 && bought.price == "0.99")
  }

  @Test func revocation() throws {
    let start = #"{"transactionId":"1","productId":"p","type":"Consumable","#
    #expect(try transaction(start + #""revocationDate":0}"#).revokedShare == .whole)
    #expect(
      try transaction(start + #""revocationDate":1.5,"revocationPercentage":67932}"#).revokedShare
        == RevokedShare(67_932))
    #expect(try transaction(start + #""revocationPercentage":1}"#).revokedShare == nil)
    #expect(reason(start + #""revocationDate":"yesterday"}"#) == .date)
    #expect(reason(start + #""revocationDate":1,"revocationPercentage":100001}"#) == .revocation)
  }

  @Test func readsSubscriptions() throws {
    let start = #"{"transactionId":"2","originalTransactionId":"1","productId":"p","#
    let paid = try transaction(
      start + #""type":"Auto-Renewable Subscription","purchaseDate":1000,"expiresDate":2000.5}"#)
    #expect(
      paid.period
        == PaidPeriod(
          until: Timestamp(milliseconds: 2000), since: Timestamp(milliseconds: 1000)))
    #expect(paid.originalID?.text == "1" && !paid.isShared)
    let upgraded = try transaction(
      start + #""type":"Auto-Renewable Subscription","expiresDate":2000,"isUpgraded":true}"#)
    #expect(upgraded.period?.isUpgraded == true && upgraded.period?.since == nil)
    for wrong in ["1", #""true""#, "[]"] {
      #expect(
        reason(
          start
            + #""type":"Auto-Renewable Subscription","expiresDate":2000,"isUpgraded":\#(wrong)}"#)
          == .malformed)
    }
    let client = try transaction(
      #"{"transaction_id":"2","product_id":"p","expires_date":2000}"#, isSigned: false)
    #expect(client.period?.until == Timestamp(milliseconds: 2000))
    #expect(
      try transaction(start + #""type":"Consumable","expiresDate":2000}"#).period == nil)
    for type in ["Non-Renewing Subscription", "Non-Consumable"] {
      #expect(reason(start + #""type":"\#(type)","expiresDate":2000}"#) == .type)
    }
    #expect(
      reason(start + #""type":"Auto-Renewable Subscription","expiresDate":"soon"}"#) == .date)
  }

  @Test(arguments: [
    (#"{"productId":"p","type":"Consumable"}"#, StoreKitRejection.missingID),
    (#"{"transactionId":"","productId":"p","type":"Consumable"}"#, .missingID),
    (#"{"transaction_id":"1","product_id":"p","type":"Consumable"}"#, .missingID),
    (#"{"transactionId":"1","type":"Consumable"}"#, .missingProduct),
    (#"{"transactionId":"1","productId":"p"}"#, .type),
    (#"{"transactionId":"1","productId":"p","type":"Auto-Renewable Subscription"}"#, .type),
    (
      #"{"transactionId":"1","productId":"p","type":"Consumable","#
        + #""inAppOwnershipType":"FAMILY_SHARED"}"#,
      .familyShared
    ),
    (#"{"transactionId":"1","productId":"p","type":"Consumable","quantity":0}"#, .quantity),
    (#"{"transactionId":"1","productId":"p","type":"Consumable","quantity":1.5}"#, .quantity),
    (#"{"transactionId":"1","productId":"p","type":"Consumable","quantity":"2"}"#, .quantity),
    (#"{"transactionId":"1","productId":"p","type":"Consumable","signedDate":-1}"#, .date),
    (#"{"transactionId":"1","productId":"p","type":"Consumable","signedDate":1e40}"#, .date),
    ("[]", .malformed),
  ])
  func refuses(text: String, expected: StoreKitRejection) {
    #expect(reason(text) == expected)
  }

  private func claims(_ text: String) throws -> StoreKitClaims {
    try JSONDocument(text).withRoot { try StoreKitPayload($0, isSigned: true).notificationClaims }
  }

  @Test func claimsOfNotifications() throws {
    let data = StoreKitClaims(bundleID: "b", environment: "Production", appAppleID: 7)
    let part = #"{"bundleId":"b","environment":"Production","appAppleId":7}"#
    for key in ["data", "summary", "appData"] {
      #expect(try claims(#"{"\#(key)":\#(part)}"#) == data)
    }
    #expect(
      try claims(#"{"externalPurchaseToken":{"bundleId":"b","externalPurchaseId":"SANDBOX_1"}}"#)
        == StoreKitClaims(bundleID: "b", environment: "Sandbox"))
    #expect(try claims("{}") == StoreKitClaims())
  }

  @Test func checksClaimsInApplesOrder() {
    func reason(_ claims: StoreKitClaims, _ app: AppStore, isNotification: Bool = true)
      -> StoreKitRejection?
    {
      failure { () throws(StoreKitRejection) in
        try claims.check(against: app, isNotification: isNotification)
      }
    }
    let app = AppStore(bundleID: "b", environment: .production, appAppleID: 7)
    let right = StoreKitClaims(bundleID: "b", environment: "Production", appAppleID: 7)
    #expect(reason(right, app) == nil)
    var other = right
    other.environment = "Sandbox"
    #expect(reason(other, app) == .environment)
    other.appAppleID = 8
    #expect(reason(other, app) == .appID)
    #expect(reason(other, app, isNotification: false) == .environment)
    other.bundleID = "c"
    #expect(reason(other, app) == .bundleID)
    #expect(reason(right, AppStore(bundleID: "b", environment: .production)) == .appID)
  }
}
