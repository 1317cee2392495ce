import CreditModel
import Foundation
import Testing

@testable import TestSupport

private let chain = Result { try SigningChain() }

@Suite(.slow, .enabled(if: SigningChain.isPossible, "openssl is not installed"))
struct StoreKitTests {
  private static let start =
    #"{"transactionId":"2000000123","productId":"pack","type":"Consumable""#
  private static let own = #","bundleId":"com.example.credits","environment":"Sandbox""#
  private static let purchase = start + own + "}"

  private func trusting() throws -> (StoreKitFixture, SigningChain) {
    let chain = try chain.get()
    return (try StoreKitFixture(root: chain.certificates[2]), chain)
  }

  @Test func acceptsTheChainsSignatures() throws {
    let (fixture, chain) = try trusting()
    let request = try fixture.transaction(try chain.sign(Self.purchase))
    #expect(request?.transaction.id.text == "2000000123")
    #expect(request?.transaction.productID.text == "pack")
  }

  @Test func rootMayBePEM() throws {
    let chain = try chain.get()
    let fixture = try StoreKitFixture(root: CertificateText.encode(chain.certificates[2]))
    #expect(fixture.reason(try chain.sign(Self.purchase)) == nil)
  }

  /// The third certificate is never looked at, and another root never trusted.
  @Test func rootOfTheTextIsNeverTrusted() throws {
    let (fixture, chain) = try trusting()
    let other = try SigningChain()
    #expect(fixture.reason(try other.sign(Self.purchase)) == "chain")
    #expect(
      fixture.reason(
        try other.sign(
          Self.purchase, certificates: other.certificates.dropLast() + [chain.certificates[2]]))
        == "chain")
    #expect(
      fixture.reason(
        try chain.sign(
          Self.purchase, certificates: chain.certificates.dropLast() + [other.certificates[2]]))
        == nil)
  }

  @Test func chainHasThreeCertificates() throws {
    let (fixture, chain) = try trusting()
    let all = chain.certificates
    for wrong in [[], [all[0]], [all[0], all[1]], all + [all[2]]] {
      #expect(
        fixture.reason(try chain.sign(Self.purchase, certificates: wrong)) == "certificates")
    }
    for wrong in [
      [all[1], all[0], all[2]], [all[0], all[2], all[2]], [all[0], [0x30, 0], all[2]],
    ] {
      #expect(fixture.reason(try chain.sign(Self.purchase, certificates: wrong)) == "chain")
    }
  }

  @Test(arguments: [("unmarked", "issuer"), ("signer", "root")])
  func certificatesHaveApplesMarks(signer: String, issuer: String) throws {
    let chain = try SigningChain(signer: signer, issuer: issuer)
    let fixture = try StoreKitFixture(root: chain.certificates[2])
    #expect(fixture.reason(try chain.sign(Self.purchase)) == "certificate_purpose")
  }

  @Test func keyIsOnTheCurveOfES256() throws {
    let chain = try SigningChain(curve: "P-384")
    let fixture = try StoreKitFixture(root: chain.certificates[2])
    let text = try SigningChain().sign(Self.purchase, certificates: chain.certificates)
    #expect(fixture.reason(text) == "algorithm")
  }

  @Test(arguments: ["none", "HS256", "ES384", "es256"])
  func algorithmIsES256(algorithm: String) throws {
    let (fixture, chain) = try trusting()
    #expect(fixture.reason(try chain.sign(Self.purchase, algorithm: algorithm)) == "algorithm")
  }

  @Test func payloadIsAsSigned() throws {
    let (fixture, chain) = try trusting()
    let parts = try chain.sign(Self.purchase).split(separator: ".").map(String.init)
    let dearer = SigningChain.url(Self.purchase.replacing("pack", with: "more").utf8)
    #expect(fixture.reason([parts[0], dearer, parts[2]].joined(separator: ".")) == "signature")
    let zeros = SigningChain.url(Array(repeating: UInt8(0), count: 64))
    #expect(fixture.reason([parts[0], parts[1], zeros].joined(separator: ".")) == "signature")
    #expect(fixture.reason([parts[0], parts[1], "AAAA"].joined(separator: ".")) == "signature")
    #expect(fixture.reason([parts[0], parts[1], ""].joined(separator: ".")) == "signature")
  }

  /// The certificates must have been valid at the signing, even if they were verified before.
  @Test func validityIsCheckedWhenItWasSigned() throws {
    let (fixture, chain) = try trusting()
    func text(_ offset: TimeInterval) throws -> String {
      let date = (Date.now.timeIntervalSince1970 + offset) * 1000
      return try chain.sign(Self.start + Self.own + #","signedDate":\#(date)}"#)
    }
    let day: TimeInterval = 86_400
    #expect(fixture.reason(try text(-day)) == "chain")
    #expect(fixture.reason(try text(60)) == nil)
    #expect(fixture.reason(try text(10 * day)) == nil)
    #expect(fixture.reason(try text(2999 * day)) == nil)
    #expect(fixture.reason(try text(2500 * day)) == nil)
    #expect(fixture.reason(try text(3001 * day)) == "chain")
    #expect(fixture.reason(try text(-day)) == "chain")
    fixture.now = Timestamp(milliseconds: 0)
    #expect(fixture.reason(try chain.sign(Self.purchase)) == "chain")
  }

  @Test func claimsAreThePolicys() throws {
    let (fixture, chain) = try trusting()
    let otherApp = Self.purchase.replacing("com.example.credits", with: "com.example.other")
    #expect(fixture.reason(try chain.sign(otherApp)) == "bundle_id")
    for environment in ["Production", "Xcode", "LocalTesting"] {
      let other = Self.purchase.replacing("Sandbox", with: environment)
      #expect(fixture.reason(try chain.sign(other)) == "environment")
    }
    #expect(fixture.reason(try chain.sign(Self.start + "}")) == "bundle_id")
  }

  @Test func payloadIsOneObjectWithoutDuplicates() throws {
    let (fixture, chain) = try trusting()
    let twice = Self.start + Self.own + #","productId":"pack"}"#
    for wrong in [twice, "[]", "", "{", Self.purchase + "{}", "\u{0}"] {
      #expect(fixture.reason(try chain.sign(wrong)) == "malformed")
    }
    let huge = Self.start + Self.own + #","x":"\#(String(repeating: "x", count: 1 << 20))"}"#
    #expect(fixture.reason("eyJ.\(SigningChain.url(huge.utf8)).AA") == "malformed")
    let latin = SigningChain.url([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d])
    #expect(fixture.reason("eyJhIjoxfQ.\(latin).AA") == "malformed")
  }

  // MARK: Notifications

  private func notification(_ type: String, _ more: String = "", data: String = "") -> String {
    #"{"notificationType":"\#(type)","notificationUUID":"n1","signedDate":\#(Self.now)\#(more),"#
      + #""data":{"bundleId":"com.example.credits","environment":"Sandbox"\#(data)}}"#
  }

  private static let now = Int64(Date.now.timeIntervalSince1970 + 60) * 1000

  @Test func notificationsOfPurchases() throws {
    let (fixture, chain) = try trusting()
    let inner = #","signedTransactionInfo":"\#(try chain.sign(Self.purchase))""#
    for type in ["REFUND", "REFUND_REVERSED", "ONE_TIME_CHARGE"] {
      let text = try chain.sign(notification(type, data: inner))
      let request = try #require(try fixture.transaction(text, in: "signedPayload"))
      #expect(request.notification?.type == type && request.notification?.id.text == "n1")
      switch (type, request.effect) {
      case ("REFUND", .takeBack(.whole)), ("REFUND_REVERSED", .restore),
        ("ONE_TIME_CHARGE", .grant):
        break
      default: Issue.record("\(type) has the effect \(request.effect)")
      }
    }
  }

  @Test func notificationsOfSubscriptions() throws {
    let (fixture, chain) = try trusting()
    let paid =
      #"{"transactionId":"8","originalTransactionId":"7","productId":"month","#
      + #""type":"Auto-Renewable Subscription","purchaseDate":1000,"expiresDate":2000"#
      + Self.own + "}"
    let inner = try chain.sign(paid)
    for type in [
      "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF", "EXPIRED", "GRACE_PERIOD_EXPIRED",
      "REFUND", "REVOKE",
    ] {
      let text = try chain.sign(
        notification(type, data: #","signedTransactionInfo":"\#(inner)""#))
      let request = try #require(try fixture.transaction(text, in: "signedPayload"))
      #expect(request.transaction.period?.until == Timestamp(milliseconds: 2000))
      switch (type, request.effect) {
      case ("REFUND", .takeBack(.whole)), ("REVOKE", .takeBack(.whole)), ("EXPIRED", .end),
        ("GRACE_PERIOD_EXPIRED", .end), ("SUBSCRIBED", .grant), ("DID_RENEW", .grant),
        ("DID_CHANGE_RENEWAL_PREF", .grant):
        break
      default: Issue.record("\(type) has the effect \(request.effect)")
      }
    }
    // News of other products has no effect, and forged news is refused.
    let forever = try chain.sign(Self.purchase.replacing("Consumable", with: "Non-Consumable"))
    let forged = try SigningChain().sign(paid)
    for (inner, isBelieved) in [(forever, true), (forged, false)] {
      let text = try chain.sign(
        notification("REVOKE", data: #","signedTransactionInfo":"\#(inner)""#))
      #expect((fixture.reason(text, in: "signedPayload") == nil) == isBelieved)
    }
    let empty = try chain.sign(notification("SUBSCRIBED"))
    #expect(fixture.reason(empty, in: "signedPayload") == nil)
  }

  @Test func notificationsWithoutEffect() throws {
    let (fixture, chain) = try trusting()
    let text = try chain.sign(notification("TEST"))
    guard
      case .notification(let notification) =
        try fixture.request(#"{"signedPayload":"\#(text)"}"#)
    else {
      Issue.record("it is another request")
      return
    }
    #expect(notification.type == "TEST")
    #expect(fixture.reason(text) == "bundle_id")
  }

  @Test func innerTransactionIsVerifiedToo() throws {
    let (fixture, chain) = try trusting()
    let forged = try SigningChain().sign(Self.purchase)
    let text = try chain.sign(
      notification("ONE_TIME_CHARGE", data: #","signedTransactionInfo":"\#(forged)""#))
    #expect(fixture.reason(text, in: "signedPayload") == "chain")
    let empty = try chain.sign(notification("REFUND"))
    #expect(fixture.reason(empty, in: "signedPayload") == "missing_transaction")
    let bought = try chain.sign(Self.purchase)
    #expect(fixture.reason(bought, in: "signedPayload") == "bundle_id")
  }

  @Test func productionNotificationsAreOfTheApp() throws {
    let chain = try chain.get()
    let text = { (id: String) in
      try chain.sign(
        notification("TEST", data: #","appAppleId":\#(id)"#)
          .replacing("Sandbox", with: "Production"))
    }
    let root = chain.certificates[2]
    let fixture = try StoreKitFixture(root: root, environment: .production, appAppleID: 7)
    #expect(fixture.reason(try text("7"), in: "signedPayload") == nil)
    #expect(fixture.reason(try text("8"), in: "signedPayload") == "app_id")
    #expect(fixture.reason(try text("null"), in: "signedPayload") == "app_id")
    let nameless = try StoreKitFixture(root: root, environment: .production)
    #expect(nameless.reason(try text("7"), in: "signedPayload") == "app_id")
  }

  // MARK: The command

  @Test func withoutTheCommandItIsUnavailable() throws {
    let chain = try chain.get()
    let fixture = try StoreKitFixture(
      root: chain.certificates[2], path: "/nonexistent::relative:.")
    #expect(fixture.reason(try chain.sign(Self.purchase)) == "unavailable")
  }

  @Test func policyMustNameTheRoot() throws {
    let chain = try chain.get()
    let text = try chain.sign(Self.purchase)
    let fixture = try StoreKitFixture()
    #expect(fixture.reason(text) == "not_configured")
    fixture.policy.appStore = nil
    #expect(fixture.reason(text) == "not_configured")
    fixture.policy.appStore = AppStore(
      bundleID: "b", environment: .sandbox, rootCertificate: "none.cer")
    #expect(fixture.reason(text) == "invalid_policy")
    #expect(try StoreKitFixture(root: [1, 2, 3]).reason(text) == "invalid_policy")
  }
}
